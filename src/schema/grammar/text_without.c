/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_without.c - constraints that a grammar cannot express directly: text that must not contain
 * certain texts, and keys other than the known ones. Both are automata with a rule for each state.
 * Tests: tests/schema/grammar/gbnf_test.c.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "schema/grammar/gbnf_writer.h"

/* ---- text without certain texts ---- */

#define STOP_CODES 40

/* A state is the longest prefix of a stop that the text ends with. */
typedef struct state {
    uint8_t stop, length;
} state;

typedef struct automaton {
    uint32_t stops[HAFT__GBNF_STOPS][STOP_CODES];
    size_t lengths[HAFT__GBNF_STOPS];
    size_t count;
    haft__gbnf_rule_name names[HAFT__GBNF_STOPS][STOP_CODES];
} automaton;

static void read_stops(automaton *a, const haft_str *stops, size_t count)
{
    a->count = count < HAFT__GBNF_STOPS ? count : HAFT__GBNF_STOPS;
    for (size_t i = 0; i < a->count; i++) {
        haft_str rest = stops[i];
        uint32_t code = 0;
        size_t bytes;
        while (a->lengths[i] < STOP_CODES && (bytes = haft__utf8_decode(rest, &code)) > 0) {
            a->stops[i][a->lengths[i]++] = code;
            rest = haft__str_skip(rest, bytes);
        }
    }
}

/* Whether the last `length` codes of `text` are a prefix of `stop`. */
static bool begins(const automaton *a, size_t stop, const uint32_t *text, size_t count,
                   size_t length)
{
    return length <= a->lengths[stop]
           && memcmp(a->stops[stop], text + (count - length), length * sizeof *text) == 0;
}

/* The state after `code`; false if it completes a stop. */
static bool step(const automaton *a, state from, uint32_t code, state *ret_to)
{
    uint32_t text[STOP_CODES + 1];
    memcpy(text, a->stops[from.stop], from.length * sizeof text[0]);
    text[from.length] = code;
    size_t count = from.length + 1U;
    *ret_to = (state){0};
    for (size_t length = count; length > 0; length--) {
        for (size_t stop = 0; stop < a->count; stop++) {
            if (begins(a, stop, text, count, length)) {
                if (length == a->lengths[stop]) {
                    return false;
                }
                if (ret_to->length == 0) {
                    *ret_to = (state){(uint8_t)stop, (uint8_t)length};
                }
            }
        }
    }
    return true;
}

/* Whether this is the first stop with this prefix: states with the same text are one state. */
static bool is_first(const automaton *a, size_t stop, size_t length)
{
    for (size_t i = 0; i < stop; i++) {
        if (length <= a->lengths[i]
            && memcmp(a->stops[i], a->stops[stop], length * sizeof(uint32_t)) == 0) {
            return false;
        }
    }
    return true;
}

/* Whether `code` has already been handled. */
static bool seen(const haft__gbnf_char_class *class, uint32_t code)
{
    return haft__gbnf_char_class_has(class, code);
}

static void add_class(haft__gbnf_writer *g, haft__buf *body, haft__gbnf_char_class *class)
{
    (void)haft__gbnf_char_class_write(g, body, class, '\0');
}

static void write_state(haft__gbnf_writer *g, automaton *a, state from)
{
    haft__buf body;
    haft__gbnf_body_init(&body);
    haft__gbnf_char_class special = {0};
    for (size_t stop = 0; stop < a->count; stop++) {
        for (size_t i = 0; i < a->lengths[stop]; i++) {
            uint32_t code = a->stops[stop][i];
            state to;
            bool open = !seen(&special, code) && step(a, from, code, &to);
            if (open && to.length == 0) {
                continue; /* the character is handled like all other characters */
            }
            if (open) {
                haft__gbnf_char_class one = {0};
                haft__gbnf_char_class_add(&one, code, code);
                haft__gbnf_add_or(&body);
                add_class(g, &body, &one);
                haft__gbnf_add_name(&body, a->names[to.stop][to.length]);
            }
            if (!seen(&special, code)) {
                haft__gbnf_char_class_add(&special, code, code);
            }
        }
    }
    haft__gbnf_char_class_negate(&special);
    haft__gbnf_add_or(&body);
    add_class(g, &body, &special);
    haft__gbnf_add_name(&body, a->names[0][0]);
    haft__buf_add_str(&body, HAFT__LIT("| \"\""));
    haft__gbnf_write_rule(g, a->names[from.stop][from.length], &body);
}

haft__gbnf_rule_name haft__gbnf_text_without(haft__gbnf_writer *g, const haft_str *stops,
                                             size_t count)
{
    automaton *a = haft__gbnf_alloc(g, 1, sizeof *a);
    if (a == NULL) {
        return (haft__gbnf_rule_name){""};
    }
    read_stops(a, stops, count);
    a->names[0][0] = haft__gbnf_new_name(g);
    for (size_t stop = 0; stop < a->count; stop++) {
        for (size_t length = 1; length < a->lengths[stop]; length++) {
            if (is_first(a, stop, length)) {
                a->names[stop][length] = haft__gbnf_new_name(g);
            }
        }
    }
    write_state(g, a, (state){0});
    for (size_t stop = 0; stop < a->count; stop++) {
        for (size_t length = 1; length < a->lengths[stop]; length++) {
            if (a->names[stop][length].text[0] != '\0') {
                write_state(g, a, (state){(uint8_t)stop, (uint8_t)length});
            }
        }
    }
    return a->names[0][0];
}

/* ---- keys other than these ---- */

/* Keys are compared up to this many characters; the rest of a longer key is ignored. */
#define KEY_CODES 64

typedef struct key {
    uint32_t codes[KEY_CODES];
    size_t count;
} key;

static int by_codes(const void *a, const void *b)
{
    const key *x = a, *y = b;
    for (size_t i = 0; i < x->count && i < y->count; i++) {
        if (x->codes[i] != y->codes[i]) {
            return x->codes[i] < y->codes[i] ? -1 : 1;
        }
    }
    return (x->count > y->count) - (x->count < y->count);
}

/* Other keys are written without escapes, so that no escape can spell a known key. */
static void add_rest(haft__gbnf_writer *g, haft__buf *body, haft__gbnf_char_class * not, char quote)
{
    haft__gbnf_char_class_add(not, 0, 0x1F);
    haft__gbnf_char_class_add(not, (unsigned char)quote, (unsigned char)quote);
    haft__gbnf_char_class_add(not, '\\', '\\');
    haft__gbnf_char_class_negate(not );
    add_class(g, body, not );
    haft__gbnf_char_class any = {0};
    haft__gbnf_char_class_add(&any, 0, 0x1F);
    haft__gbnf_char_class_add(&any, (unsigned char)quote, (unsigned char)quote);
    haft__gbnf_char_class_add(&any, '\\', '\\');
    haft__gbnf_char_class_negate(&any);
    haft__buf one;
    haft__gbnf_body_init(&one);
    add_class(g, &one, &any);
    haft__gbnf_add_repeat(g, body, haft__gbnf_add_rule(g, &one), 0, HAFT__GBNF_NO_MAX);
    haft__gbnf_add_literal(body, (haft_str){&quote, 1});
}

/* The rule for the texts that may follow the first `depth` characters, which all these keys have in
 * common: the rest of a different key, and its quote. */
static haft__gbnf_rule_name add_branch(haft__gbnf_writer *g, const key *keys, size_t count,
                                       size_t depth, char quote)
{
    haft__buf body;
    haft__gbnf_body_init(&body);
    haft__gbnf_char_class not = {0};
    bool ends = count > 0 && keys[0].count == depth;
    for (size_t i = 0; i < count;) {
        size_t next = i + 1;
        if (keys[i].count > depth) {
            uint32_t code = keys[i].codes[depth];
            while (next < count && keys[next].codes[depth] == code) {
                next++;
            }
            haft__gbnf_char_class one = {0};
            haft__gbnf_char_class_add(&one, code, code);
            haft__gbnf_char_class_add(&not, code, code);
            haft__gbnf_add_or(&body);
            add_class(g, &body, &one);
            haft__gbnf_add_name(&body, add_branch(g, keys + i, next - i, depth + 1, quote));
        }
        i = next;
    }
    haft__gbnf_add_or(&body);
    add_rest(g, &body, &not, quote);
    if (!ends) {
        haft__gbnf_add_or(&body);
        haft__gbnf_add_literal(&body, (haft_str){&quote, 1});
    }
    return haft__gbnf_add_rule(g, &body);
}

static bool read_key(haft_str text, key *to)
{
    uint32_t code = 0;
    size_t bytes;
    to->count = 0;
    while (to->count < KEY_CODES && (bytes = haft__utf8_decode(text, &code)) > 0) {
        if (code < 0x20 || code == '\\' || code == '"' || code == '\'') {
            return false; /* the key needs an escape in at least one kind of quotes */
        }
        to->codes[to->count++] = code;
        text = haft__str_skip(text, bytes);
    }
    return true;
}

void haft__gbnf_add_other_key(haft__gbnf_writer *g, haft__buf *body, const haft_str *keys,
                              size_t count)
{
    key *sorted = haft__gbnf_alloc(g, count, sizeof *sorted);
    if (sorted == NULL) {
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        used += read_key(keys[i], &sorted[used]) ? 1 : 0;
    }
    qsort(sorted, used, sizeof *sorted, by_codes);
    haft__buf_add_str(body, HAFT__LIT("( "));
    for (const char *quote = haft__gbnf_quotes(g); *quote != '\0'; quote++) {
        if (*quote == '\'') {
            haft__buf_add_str(body, HAFT__LIT("| "));
        }
        haft__gbnf_add_literal(body, (haft_str){quote, 1});
        haft__gbnf_add_name(body, add_branch(g, sorted, used, 0, *quote));
    }
    haft__buf_add_str(body, HAFT__LIT(") "));
}
