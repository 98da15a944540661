/* SPDX-License-Identifier: Apache-2.0 */
/*
 * short.c - the answer to a question about files: the best places first, each as path:line
 * with its line, then what else was found, how much there is, and what rules cannot say.
 *
 * Tests: tests/model/rules/short_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* Lines of the comment above a definition that are shown. */
#define COMMENT_LINES 10U

/* Lines that are chosen, best first. */
typedef struct choice {
    const haft__offline_line *lines[HAFT__LIMIT_OFFLINE_REFERENCES + HAFT__LIMIT_OFFLINE_ALSO];
    size_t count;
} choice;

static bool is_chosen(const choice *c, const haft__offline_line *line)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->lines[i] == line) {
            return true;
        }
    }
    return false;
}

/* The best line of the first `files` of the choice that is not chosen; NULL when there is none. */
static const haft__offline_line *next_best(const choice *c, const haft__offline_found *found,
                                           size_t files)
{
    const haft__offline_line *best = NULL;
    for (size_t k = 0; k < files; k++) {
        const haft__offline_file *file = &found->files[c->lines[k]->file];
        for (size_t i = file->first; i < file->first + file->count; i++) {
            const haft__offline_line *line = &found->lines[i];
            bool better = line->score > (best != NULL ? best->score : 0);
            best = better && !is_chosen(c, line) ? line : best;
        }
    }
    return best;
}

/* One line of each of the best files; then what is left of the best lines of these files. */
static void choose(choice *c, const haft__offline *o)
{
    const haft__offline_found *found = &o->found;
    for (size_t i = 0; i < found->file_count && c->count < HAFT__LIMIT_OFFLINE_REFERENCES; i++) {
        const haft__offline_line *line = haft__offline_best_line(found, found->ranked[i]);
        if (line != NULL) {
            c->lines[c->count++] = line;
        }
    }
    size_t files = c->count;
    const haft__offline_line *best = next_best(c, found, files);
    while (best != NULL && c->count < COUNT(c->lines)) {
        c->lines[c->count++] = best;
        best = next_best(c, found, files);
    }
}

void haft__offline_write_place(haft__buf *buf, const haft__offline *o,
                               const haft__offline_line *line)
{
    haft__buf_add_str(buf, HAFT__LIT("- "));
    haft__offline_add_reference(buf, o, line);
    haft__buf_add_str(buf, HAFT__LIT(": "));
    haft__offline_add_code(buf, line->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
    haft__buf_add_char(buf, '\n');
}

bool haft__offline_was_cut(const haft__offline *o, const char *tool)
{
    for (size_t i = 0; i < o->past.count; i++) {
        const haft__offline_call *call = &o->past.calls[i];
        if (haft__str_equal(call->name, haft__str(tool)) && haft__offline_is_partial(call)) {
            return true;
        }
    }
    return o->found.cut;
}

/* The comment right above the line, as far as it was read. False when there is none. */
static bool write_comment(haft__buf *buf, const haft__offline *o, const haft__offline_line *line)
{
    const haft__offline_line *first = line;
    const haft__offline_line *begin = o->found.lines + o->found.files[line->file].first;
    size_t ticks = haft__offline_ticks(line->text);
    while (first > begin && first[-1].number + 1 == first->number
           && first[-1].form == HAFT__OFFLINE_EXPLAINS && line - first < COMMENT_LINES) {
        first--;
        size_t found = haft__offline_ticks(first->text);
        ticks = found > ticks ? found : ticks;
    }
    if (first == line) {
        return false;
    }
    haft__buf_add_str(buf, HAFT__LIT("\nWhat is written above "));
    haft__offline_add_reference(buf, o, line);
    haft__buf_add_str(buf, HAFT__LIT(":\n\n"));
    haft__offline_add_fence(buf, ticks, "text");
    for (; first <= line; first++) {
        haft__offline_add_line(buf, first->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        haft__buf_add_char(buf, '\n');
    }
    haft__offline_add_fence(buf, ticks, "");
    return true;
}

/* What a question of that kind would want, and rules cannot give. */
static const char *cannot(haft__offline_aim aim)
{
    switch (aim) {
    case HAFT__OFFLINE_AIM_REASON:
        return "How and why they cannot say: these are places that speak of it. ";
    case HAFT__OFFLINE_AIM_MEANING:
        return "What it means they cannot say: they quote what is written. ";
    case HAFT__OFFLINE_AIM_PLACE:
    case HAFT__OFFLINE_AIM_DEFINED:
    case HAFT__OFFLINE_AIM_DECLARED:
    case HAFT__OFFLINE_AIM_SIGNATURE:
    case HAFT__OFFLINE_AIM_CALLED:
    case HAFT__OFFLINE_AIM_VALUE:
    case HAFT__OFFLINE_AIM_DOCUMENTED:
    case HAFT__OFFLINE_AIM_COUNT:
    case HAFT__OFFLINE_AIM_LIST:
    case HAFT__OFFLINE_AIM_COMPARE:
    case HAFT__OFFLINE_AIM_SUMMARY: return "";
    }
    HAFT__UNREACHABLE();
}

static void write_amount(haft__buf *buf, const haft__offline *o)
{
    size_t files = 0;
    for (size_t i = 0; i < o->found.file_count; i++) {
        files += o->found.files[i].hits > 0 ? 1 : 0;
    }
    haft__buf_addf(buf, "\n%u line%s in %zu file%s ha%s words of the question%s. ", o->found.hits,
                   o->found.hits == 1 ? "" : "s", files, files == 1 ? "" : "s",
                   o->found.hits == 1 ? "s" : "ve",
                   haft__offline_was_cut(o, "grep") ? "; searches were cut, so there may be more"
                                                    : "");
}

static void write_places(haft__buf *buf, const haft__offline *o)
{
    choice c = {.count = 0};
    bool uncounted = o->words.scope.how_many || haft__offline_counts(o->words.aim);
    if (!uncounted || o->words.count > 0) {
        choose(&c, o);
    }
    if (uncounted) {
        haft__buf_addf(buf, "%s there are rules cannot tell here.%s\n\n",
                       o->words.aim == HAFT__OFFLINE_AIM_LIST ? "Not listed: which"
                                                              : "Not counted: how many",
                       c.count > 0 ? " Lines that speak of it:" : "");
    }
    for (size_t i = 0; i < c.count; i++) {
        if (i == HAFT__LIMIT_OFFLINE_REFERENCES) {
            haft__buf_add_str(buf, HAFT__LIT("\nAlso:\n\n"));
        }
        haft__offline_write_place(buf, o, c.lines[i]);
    }
    if (c.count == 0 && !uncounted) {
        haft__buf_add_str(buf, HAFT__LIT("No line with words of the question was found.\n"));
    }
    bool explained = o->words.aim != HAFT__OFFLINE_AIM_MEANING;
    for (size_t i = 0; i < c.count && i < HAFT__LIMIT_OFFLINE_REFERENCES && !explained; i++) {
        explained = c.lines[i]->form >= HAFT__OFFLINE_DECLARES && write_comment(buf, o, c.lines[i]);
    }
    if (uncounted) {
        haft__buf_add_str(buf, c.count > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
    } else {
        write_amount(buf, o);
    }
}

void haft__offline_write_uncounted(haft__buf *buf, const haft__offline *o)
{
    write_places(buf, o);
}

void haft__offline_write_short(haft__buf *buf, const haft__offline *o)
{
    switch (o->words.aim) {
    case HAFT__OFFLINE_AIM_COUNT: haft__offline_write_count(buf, o); break;
    case HAFT__OFFLINE_AIM_LIST: haft__offline_write_list(buf, o); break;
    case HAFT__OFFLINE_AIM_COMPARE: haft__offline_write_compare(buf, o); break;
    case HAFT__OFFLINE_AIM_SUMMARY: haft__offline_write_overview(buf, o); break;
    case HAFT__OFFLINE_AIM_PLACE:
    case HAFT__OFFLINE_AIM_DEFINED:
    case HAFT__OFFLINE_AIM_DECLARED:
    case HAFT__OFFLINE_AIM_SIGNATURE:
    case HAFT__OFFLINE_AIM_CALLED:
    case HAFT__OFFLINE_AIM_VALUE:
    case HAFT__OFFLINE_AIM_MEANING:
    case HAFT__OFFLINE_AIM_DOCUMENTED:
    case HAFT__OFFLINE_AIM_REASON: write_places(buf, o); break;
    }
    haft__buf_addf(buf, "Found by rules, not by a language model. %s", cannot(o->words.aim));
    buf->len -= buf->len > 0 && buf->ptr[buf->len - 1] == ' ' ? 1 : 0;
}
