/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - one answer from the findings of several workers: their references, the best first.
 *
 * A place is better if it comes early in a list, in an early list, and in several lists; and if it
 * defines a name with several words of the question. Only references with a quote count, as the
 * offline workers write them. Tests: tests/model/rules/duty_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "json/object.h"
#include "json/read.h"

/* Characters of the reason why nothing could be searched. */
#define ERROR_CHARS 300U
/* The points of the first place in the first list; the n-th place has a part of it. */
#define POINTS 60U
/* The weight of the lists after the first, in tenths. */
#define LATER 6U
/* The bonus for each word of the question in a defined name, if there are two or more. */
#define NAMED 24U

typedef struct place {
    haft_str file;
    uint32_t number;
    haft_str text;
    uint32_t score;
    size_t order;
} place;

typedef struct merging {
    haft__offline_words words;
    place places[HAFT__LIMIT_OFFLINE_MERGED];
    size_t count;
    size_t failed, lists;
    haft_str unsearched; /* a list that says why the files could not be searched */
} merging;

/* ---- one line of a list ---- */

/* Takes a code span at the start of `text`; "" if there is none. */
static haft_str take_code(haft_str *text)
{
    size_t run = 0, end;
    while (run < text->len && text->ptr[run] == '`') {
        run++;
    }
    for (end = run; run > 0 && end + run <= text->len; end++) {
        size_t other = 0;
        while (end + other < text->len && text->ptr[end + other] == '`') {
            other++;
        }
        if (other == run) {
            haft_str code = haft__str_trim((haft_str){text->ptr + run, end - run});
            *text = haft__str_skip(*text, end + run);
            return code;
        }
        end += other > 0 ? other - 1 : 0;
    }
    return HAFT__LIT("");
}

/* Reads "- `path:12`: `text`". */
static bool read_place(haft_str line, place *ret_place)
{
    if (!haft__str_starts_with(line, HAFT__LIT("- `"))) {
        return false;
    }
    haft_str rest = haft__str_skip(line, 2);
    haft_str where = take_code(&rest);
    size_t colon = where.len;
    while (colon > 0 && where.ptr[colon - 1] != ':') {
        colon--;
    }
    uint64_t number = 0;
    if (colon < 2 || !haft__str_starts_with(rest, HAFT__LIT(": `"))
        || !haft__str_to_u64(haft__str_skip(where, colon), &number) || number == 0
        || number > UINT32_MAX) {
        return false;
    }
    rest = haft__str_skip(rest, 2);
    *ret_place = (place){
        .file = {where.ptr, colon - 1}, .number = (uint32_t)number, .text = take_code(&rest)};
    return true;
}

/* ---- points ---- */

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* A line that defines a name with several words of the question is nearly always a good answer. */
static uint32_t name_bonus(const merging *m, const place *p)
{
    haft_str name = HAFT__LIT("");
    haft__offline_line_kind kind = haft__offline_line_kind_of(p->file, p->text, &name);
    uint32_t words = kind == HAFT__OFFLINE_LINE_DEFINITION
                         ? count_bits(haft__offline_words_in(&m->words, name))
                         : 0;
    /* A constant or an item of an enumeration is less often what a question is about. */
    bool acts = p->text.len > 0 && memchr(p->text.ptr, '(', p->text.len) != NULL;
    bool minor =
        !acts || haft__offline_is_minor(&m->words, p->file) || haft__offline_is_document(p->file);
    return words >= 2 && !minor ? NAMED * words : 0;
}

static void add_place(merging *m, place p, size_t list, size_t rank)
{
    uint32_t points = POINTS / (uint32_t)(rank + 1);
    points = list > 0 ? points * LATER / 10 : points;
    for (size_t i = 0; i < m->count; i++) {
        place *known = &m->places[i];
        if (known->number == p.number && haft__str_equal(known->file, p.file)) {
            known->score += points / 2;
            return;
        }
    }
    if (m->count < COUNT(m->places)) {
        p.score = points + name_bonus(m, &p);
        p.order = m->count;
        m->places[m->count++] = p;
    }
}

static void read_list(merging *m, haft_str list)
{
    size_t rank = 0;
    bool failed = haft__str_starts_with(list, HAFT__LIT("worker error:"));
    if (haft__str_starts_with(list, HAFT__LIT(HAFT__OFFLINE_UNSEARCHED))) {
        haft_str rest = list;
        m->unsearched = haft__str_split(&rest, '\n');
    }
    m->failed += failed ? 1 : 0;
    while (!failed && list.len > 0) {
        place p;
        if (read_place(haft__str_split(&list, '\n'), &p)) {
            add_place(m, p, m->lists, rank++);
        }
    }
    m->lists += failed ? 0 : 1;
}

/* ---- the answer ---- */

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order ? 1 : 0;
}

static void write_merged(haft__buf *buf, const merging *m)
{
    size_t shown =
        m->count < HAFT__LIMIT_OFFLINE_MERGED_SHOWN ? m->count : HAFT__LIMIT_OFFLINE_MERGED_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const place *p = &m->places[i];
        haft__buf where;
        haft__buf_init(&where, HAFT__LIMIT_REPLY_BYTES);
        haft__buf_addf(&where, "%.*s:%u", HAFT__ARG(p->file), p->number);
        haft__buf_add_str(buf, HAFT__LIT("- "));
        haft__offline_quote_code(buf, haft__buf_str(&where), where.len);
        haft__buf_add_str(buf, HAFT__LIT(": "));
        haft__offline_quote_code(buf, p->text, HAFT__LIMIT_OFFLINE_LINE_CHARS + 1);
        haft__buf_add_char(buf, '\n');
        buf->status = where.status != HAFT_OK ? where.status : buf->status;
        haft__buf_finish(&where);
    }
    if (shown == 0) {
        haft_str none = HAFT__LIT("No line with words of the question was found.");
        haft__offline_quote_line(buf, m->unsearched.len > 0 ? m->unsearched : none, ERROR_CHARS);
        haft__buf_add_char(buf, '\n');
    }
    haft__buf_addf(buf, "\n%zu place%s from %zu worker%s", m->count, m->count == 1 ? "" : "s",
                   m->lists, m->lists == 1 ? "" : "s");
    if (m->failed > 0) {
        haft__buf_addf(buf, "; %zu worker%s failed", m->failed, m->failed == 1 ? "" : "s");
    }
    haft__buf_add_str(buf, HAFT__LIT(". Found by rules, not by a language model."));
}

void haft__offline_write_merged(haft__buf *buf, const haft__offline *o)
{
    haft_str task = o->history.task;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = HAFT__OFFLINE_KEY;
    haft__json findings = haft__json_null();
    haft_str text = haft__offline_duty_field(task, "Findings:", true);
    haft_status status = haft__json_read(o->arena, text, &options, &findings, NULL, NULL);
    merging *m = haft__arena_array(o->arena, 1, sizeof(*m));
    haft_str question = haft__offline_duty_field(task, "Question:", false);
    if (m == NULL || haft__offline_words_read(question, o->arena, &m->words, o->err) != HAFT_OK) {
        buf->status = HAFT_NO_MEMORY;
        return;
    }
    if (status == HAFT_OK && findings.kind == HAFT__JSON_ARRAY) {
        for (uint32_t i = 0; i < findings.count; i++) {
            read_list(m, haft__json_text(findings.items[i]));
        }
    } else {
        read_list(m, text);
    }
    qsort(m->places, m->count, sizeof(m->places[0]), compare_places);
    write_merged(buf, m);
}
