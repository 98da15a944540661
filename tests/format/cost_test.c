/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format: the cost of a text, counted in bytes that are read and bytes that are
 * buffered, and how little is withheld. The texts of every format include the most expensive
 * ones.
 */
#include "base/limits.h"
#include "format/parser.h"
#include "parse_help.h"
#include "test.h"

/* A parser and how much it has reported. */
typedef struct subject {
    haft__parser *parser;
    size_t fed, reported;
    size_t most_kept; /* the most bytes in its buffers at one time */
    uint32_t ended;
} subject;

static haft_status take(void *context, const haft__parser_event *found, haft_error *err)
{
    (void)err;
    subject *s = context;
    if (found->kind <= HAFT__PARSER_EVENT_CODE) {
        s->reported += found->text.len;
    }
    s->ended += found->kind == HAFT__PARSER_EVENT_CALL_END ? 1 : 0;
    return HAFT_OK;
}

static void begin(subject *s, const haft__format *format, bool repair)
{
    *s = (subject){0};
    haft__parser_options options = {.tools = help_tools,
                                    .tool_count = help_tool_count,
                                    .repair = repair,
                                    .take = take,
                                    .context = s};
    CHECK_INT(haft__parser_create(format, &options, &s->parser, NULL), HAFT_OK,
              "the parser cannot be created");
}

/* White space is not counted: the parser keeps it until it knows what follows. */
static size_t count_kept(const haft__parser *p)
{
    const haft__buf *bufs[] = {&p->scratch,     &p->undecided,         &p->suspect,
                               &p->call.name,   &p->call.id,           &p->call.args,
                               &p->call.raw,    &p->call.key,          &p->call.value,
                               &p->repair.text, &p->scanner.json.token};
    size_t kept = 0;
    for (size_t i = 0; i < COUNT(bufs) - (p->scanner.live ? 0 : 1); i++) {
        kept += bufs[i]->cap;
    }
    return kept;
}

static void feed(subject *s, haft_str text)
{
    CHECK_INT(haft__parser_feed(s->parser, text, NULL), HAFT_OK, "%.*s", (int)text.len, text.ptr);
    s->fed += text.len;
    size_t kept = count_kept(s->parser);
    s->most_kept = kept > s->most_kept ? kept : s->most_kept;
}

/* Ends the text; returns how many bytes were read. */
static size_t end(subject *s)
{
    CHECK_INT(haft__parser_end(s->parser, false, NULL), HAFT_OK, "the end of the text");
    size_t reads = s->parser->reads;
    haft__parser_destroy(s->parser);
    return reads;
}

/* ---- bytes that are read and bytes that are buffered ---- */

/* The most bytes that any format may buffer while pieces arrive. */
#define KEPT 65536

/* Feeds the text again and again, until `bytes` bytes were fed. */
static void feed_times(subject *s, haft_str text, size_t bytes)
{
    while (s->fed < bytes) {
        feed(s, text);
    }
}

static void check_cost(subject *s, const char *format, const char *what, size_t times)
{
    size_t reads = end(s);
    CHECK(reads <= times * s->fed + 4096, "%s, %s: %zu bytes, %zu reads of a byte", format, what,
          s->fed, reads);
    CHECK(s->most_kept <= KEPT, "%s, %s: %zu bytes, %zu of them are buffered", format, what, s->fed,
          s->most_kept);
}

TEST(the_cost_of_a_byte_does_not_grow_with_the_arguments)
{
    static const size_t sizes[] = {(size_t)64 << 10, (size_t)1 << 20, (size_t)16 << 20};
    for (size_t i = 0; i < help_sample_count; i++) {
        for (size_t n = 0; n < COUNT(sizes); n++) {
            const help_sample *sample = &help_samples[i];
            subject s;
            begin(&s, haft__format_find(haft__str(sample->format)), false);
            feed(&s, haft__str(sample->head));
            feed_times(&s, HAFT__LIT("Some text: {[(< and more, of which nothing is a mark. "),
                       sizes[n]);
            feed(&s, haft__str(sample->tail));
            CHECK_INT(s.ended, 1, "%s, %zu bytes: calls", sample->format, sizes[n]);
            check_cost(&s, sample->format, "arguments", 2);
        }
    }
}

TEST(the_cost_of_a_call_does_not_grow_with_the_number_of_calls)
{
    for (size_t i = 0; i < 2 * help_sample_count; i++) {
        const help_sample *sample = &help_samples[i / 2];
        subject s;
        begin(&s, haft__format_find(haft__str(sample->format)), i % 2 != 0);
        for (size_t n = 0; n < 10000; n++) {
            feed(&s, haft__str(sample->head));
            feed(&s, HAFT__LIT("x"));
            feed(&s, haft__str(sample->tail));
            feed(&s, HAFT__LIT("\n"));
        }
        CHECK_INT(s.ended, 10000, "%s: calls", sample->format);
        check_cost(&s, sample->format, "calls", 3);
    }
}

/* Feeds a mark again and again, whole and without its last byte: the text must not be buffered or
 * read repeatedly, except text that is withheld until reasoning ends. */
static void check_mark(const haft__format *format, haft_str mark, const char *between)
{
    for (size_t cut = 0; cut < 2 && cut < mark.len; cut++) {
        subject s;
        begin(&s, format, false);
        while (s.fed < ((size_t)96 << 10)) {
            feed(&s, (haft_str){mark.ptr, mark.len - cut});
            feed(&s, haft__str(between));
        }
        bool reasons = s.parser->suspect.len > 0;
        s.most_kept = reasons ? 0 : s.most_kept;
        check_cost(&s, format->name, mark.ptr, 4);
    }
}

TEST(repeated_marks_do_not_cost_more_each)
{
    static const char *const between[] = {"", " ", "x", "\n", "{", "\"", "f", "<"};
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t at = 0; at < HAFT__FORMAT_STATES; at++) {
            const haft__format_state *place = &formats[i]->states[at];
            for (size_t m = 0; m < COUNT(place->marks) && place->marks[m].text != NULL; m++) {
                check_mark(formats[i], haft__str(place->marks[m].text),
                           between[(at + m + i) % COUNT(between)]);
            }
        }
    }
}

/* ---- text that is withheld ---- */

/* Text is reported up to its last byte as soon as that byte cannot belong to a mark. */
static void check_withheld(const haft__format *format, haft_str mark, size_t length)
{
    bool named = strcmp(format->name, "functionary_v32") == 0;
    subject s;
    begin(&s, format, false);
    feed(&s, named ? HAFT__LIT("all\n") : HAFT__LIT(""));
    size_t before = s.fed;
    feed(&s, HAFT__LIT("Text."));
    CHECK_INT(s.reported, s.fed - before, "%s: text", format->name);
    for (size_t i = 0; i < length; i++) {
        feed(&s, (haft_str){mark.ptr + i, 1});
        CHECK(s.reported + i + 1 >= s.fed - before, "%s: more than %.*s is withheld", format->name,
              (int)i + 1, mark.ptr);
    }
    feed(&s, HAFT__LIT("~"));
    CHECK_INT(s.reported, s.fed - before, "%s: %.*s~ is all reported", format->name, (int)length,
              mark.ptr);
    (void)end(&s);
}

TEST(only_the_beginning_of_a_mark_is_withheld)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__format_state *place = &formats[i]->states[formats[i]->plain];
        for (size_t m = 0; m < COUNT(place->marks) && place->marks[m].text != NULL; m++) {
            haft_str mark = haft__str(place->marks[m].text);
            for (size_t length = 0; length < mark.len; length++) {
                check_withheld(formats[i], mark, length);
            }
        }
    }
}
