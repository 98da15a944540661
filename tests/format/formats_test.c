/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/formats.c, and for the tables of all formats. */
#include "base/str.h"
#include "format/format.h"
#include "test.h"

TEST(formats_are_found_by_their_names)
{
    static const struct {
        const char *name, *found;
    } cases[] = {{"hermes", "hermes"},
                 {"HERMES", "hermes"},
                 {"PureJson", "purejson"},
                 {"json", "purejson"},
                 {"Code", "codemode"},
                 {"CodeMode", "codemode"},
                 {"qwen3coder", "qwen3coder"},
                 {"hermes ", NULL},
                 {"", NULL},
                 {"herme", NULL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__format *format = haft__format_find(haft__str(cases[i].name));
        CHECK_STR(haft__str(format != NULL ? format->name : "none"),
                  haft__str(cases[i].found != NULL ? cases[i].found : "none"), "%s", cases[i].name);
    }
}

static void check_mark(const haft__format *format, size_t place, const haft__mark *mark)
{
    const haft__place *to = &format->places[mark->to];
    CHECK(strlen(mark->text) > 0, "%s: an empty mark", format->name);
    CHECK(mark->to == 0 || to->scan != HAFT__SCAN_NONE || to->marks[0].text != NULL
              || to->bytes != HAFT__BYTES_CONTENT,
          "%s: a mark of place %zu leads to a place that is not there", format->name, place);
    for (const haft__mark *other = format->places[place].marks;
         other < format->places[place].marks + COUNT(format->places[place].marks)
         && other->text != NULL;
         other++) {
        const char *inside = strstr(other->text, mark->text);
        CHECK(other == mark || inside == NULL || strlen(inside) == strlen(mark->text),
              "%s: \"%s\" is a part of \"%s\"", format->name, mark->text, other->text);
    }
}

/* What the automaton of the marks needs: none is a part of another, but for the end of it. */
TEST(tables_are_sound)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t place = 0; place < HAFT__FORMAT_PLACES; place++) {
            const haft__mark *marks = formats[i]->places[place].marks;
            for (size_t m = 0; m < COUNT(formats[i]->places[0].marks) && marks[m].text != NULL;
                 m++) {
                check_mark(formats[i], place, &marks[m]);
            }
        }
        CHECK_INT(formats[i]->places[formats[i]->plain].bytes, HAFT__BYTES_CONTENT,
                  "%s: ordinary text is content", formats[i]->name);
    }
}
