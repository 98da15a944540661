/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ecma.c - the grammar of ECMA-262 regular expressions, parsed by recursive descent; each part is
 * written to the output as soon as it is read.
 *
 * Invariants:
 *   1. Recursion is bounded by HAFT__LIMIT_PATTERN_NESTING.
 *   2. Between two callouts a match can consume at most FREE_CHARACTERS and one more term, unless
 *      the first callout states their number (pattern.c explains the callouts).
 *   3. After backtracking, a match passes a callout before it consumes a character.
 * Tests: tests/schema/regex/ecma_test.c. Fuzzer: fuzz/pattern.c.
 */
#include "schema/regex/ecma.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "schema/regex/ecma_int.h"

#define FREE_CHARACTERS 64U

typedef struct quantifier {
    uint32_t min, max; /* max may be HAFT__ECMA_UNBOUNDED */
    bool lazy;
} quantifier;

/* The parts that a quantifier may follow. */
typedef enum atom_kind {
    ATOM_CHARACTER, /* matches one character */
    ATOM_GROUP,
    ATOM_REFERENCE,
    ATOM_ASSERTION,   /* ^ $ \b \B; takes no quantifier */
    ATOM_LOOK_AROUND, /* (?=x) (?!x) (?<=x) (?<!x); takes no quantifier */
} atom_kind;

static haft_status read_disjunction(haft__ecma_reader *p, haft__ecma_group_kind kind, size_t open,
                                    haft__ecma_extent *ret_extent);

uint32_t haft__ecma_next(haft__ecma_reader *p)
{
    uint32_t code = HAFT__UTF8_REPLACEMENT;
    p->at += haft__utf8_decode(haft__str_skip(p->source, p->at), &code);
    return code;
}

haft_status haft__ecma_fail(const haft__ecma_reader *p, haft_status status, size_t at,
                            const char *format, ...)
{
    if (p->err == NULL) {
        return status;
    }
    char where[32],
        message[512]; /* longer than the message of an error, which shows when it is cut */
    size_t before = haft__utf8_length((haft_str){p->source.ptr, at});
    (void)snprintf(where, sizeof(where), "character %zu", before + 1);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    return haft__fail(p->err, status, where, "%s", message);
}

static uint32_t add_up(uint32_t a, uint32_t b)
{
    uint32_t sum;
    return __builtin_add_overflow(a, b, &sum) ? HAFT__ECMA_UNBOUNDED : sum;
}

static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product;
    return __builtin_mul_overflow(a, b, &product) ? HAFT__ECMA_UNBOUNDED : product;
}

void haft__ecma_add_callout(haft__ecma_reader *p)
{
    p->since_callout = 0;
    if (p->callout_end != p->out->len) {
        haft__buf_add_str(p->out, HAFT__LIT("(?C)"));
        p->callout_end = p->out->len;
    }
}

/* Writes a callout before the last part written, which begins at `at` and consumes at least `min`
 * characters. */
static void callout_before(haft__ecma_reader *p, size_t at, uint32_t min)
{
    char text[16];
    uint32_t number = min / HAFT__ECMA_CALLOUT_CHARACTERS + 1;
    int length = snprintf(text, sizeof(text), "(?C%u)", number > 255 ? 255 : number);
    size_t tail = p->out->len - at;
    if (length > 0 && haft__buf_reserve(p->out, (size_t)length) != NULL) {
        memmove(p->out->ptr + at + length, p->out->ptr + at, tail);
        memcpy(p->out->ptr + at, text, (size_t)length);
        haft__buf_advance(p->out, (size_t)length);
    }
    p->since_callout = 0;
}

/* Reads decimal digits; a count that is too large becomes UNBOUNDED - 1. False without digits. */
static bool read_count(haft__ecma_reader *p, uint32_t *ret_count)
{
    size_t start = p->at;
    uint32_t count = 0;
    for (int c = haft__ecma_peek(p); haft__ascii_is_digit(c); c = haft__ecma_peek(p)) {
        count = add_up(multiply(count, 10), (uint32_t)(c - '0'));
        p->at++;
    }
    *ret_count = count == HAFT__ECMA_UNBOUNDED ? count - 1 : count;
    return p->at > start;
}

/* Reads {n}, {n,} or {n,m}. False, with nothing read, for other text. */
static bool read_braces(haft__ecma_reader *p, quantifier *ret_quantifier)
{
    size_t start = p->at;
    quantifier q = {0};
    bool good = haft__ecma_accept(p, '{') && read_count(p, &q.min);
    q.max = q.min;
    if (good && haft__ecma_accept(p, ',') && !read_count(p, &q.max)) {
        q.max = HAFT__ECMA_UNBOUNDED;
    }
    if (!good || !haft__ecma_accept(p, '}')) {
        p->at = start;
        return false;
    }
    *ret_quantifier = q;
    return true;
}

static bool read_quantifier_text(haft__ecma_reader *p, quantifier *ret_quantifier)
{
    if (haft__ecma_accept(p, '*')) {
        *ret_quantifier = (quantifier){0, HAFT__ECMA_UNBOUNDED, false};
    } else if (haft__ecma_accept(p, '+')) {
        *ret_quantifier = (quantifier){1, HAFT__ECMA_UNBOUNDED, false};
    } else if (haft__ecma_accept(p, '?')) {
        *ret_quantifier = (quantifier){0, 1, false};
    } else if (!read_braces(p, ret_quantifier)) {
        return false;
    }
    ret_quantifier->lazy = haft__ecma_accept(p, '?');
    return true;
}

static haft_status fail_assertion(haft__ecma_reader *p, size_t at, atom_kind kind)
{
    haft_status status = haft__ecma_fail(p, HAFT_BAD_INPUT, at, "%s cannot be repeated",
                                         kind == ATOM_ASSERTION ? "an assertion (^ $ \\b \\B)"
                                                                : "a look-ahead or look-behind");
    return haft__hint(p->err, status, "leave the quantifier out, or put the part in (?:...)");
}

/* Reads a quantifier. Without one, the counts are 1 and 1. */
static haft_status read_quantifier(haft__ecma_reader *p, atom_kind kind, quantifier *ret_quantifier)
{
    size_t at = p->at;
    *ret_quantifier = (quantifier){1, 1, false};
    if (!read_quantifier_text(p, ret_quantifier)) {
        return HAFT_OK;
    }
    uint32_t min = ret_quantifier->min, max = ret_quantifier->max;
    if (kind == ATOM_ASSERTION || kind == ATOM_LOOK_AROUND) {
        return fail_assertion(p, at, kind);
    }
    if (min > max) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, at, "the counts in `%.*s` are in the wrong order",
                               (int)(p->at - at), p->source.ptr + at);
    }
    uint32_t largest = max == HAFT__ECMA_UNBOUNDED ? min : max;
    if (largest > HAFT__LIMIT_PATTERN_REPEAT) {
        haft_status status =
            haft__ecma_fail(p, HAFT_TOO_BIG, at, "a repeat count is greater than the limit of %d",
                            HAFT__LIMIT_PATTERN_REPEAT);
        return haft__hint(p->err, status, "use minLength and maxLength for the length of a text");
    }
    return HAFT_OK;
}

static void write_quantifier(haft__ecma_reader *p, const quantifier *q)
{
    if (q->min == q->max) {
        if (q->min != 1) {
            haft__buf_addf(p->out, "{%u}", q->min);
        }
        return;
    }
    if (q->max == HAFT__ECMA_UNBOUNDED && q->min < 2) {
        haft__buf_add_char(p->out, q->min == 0 ? '*' : '+');
    } else if (q->max == HAFT__ECMA_UNBOUNDED) {
        haft__buf_addf(p->out, "{%u,}", q->min);
    } else if (q->min == 0 && q->max == 1) {
        haft__buf_add_char(p->out, '?');
    } else {
        haft__buf_addf(p->out, "{%u,%u}", q->min, q->max);
    }
    if (q->lazy) {
        haft__buf_add_char(p->out, '?');
    }
}

/* The texts that may follow "(?", and the messages for constructs of other regex dialects. */
static const struct {
    haft_str text;
    haft__ecma_group_kind kind;
} group_kinds[] = {
    {{"(?:", 3}, HAFT__ECMA_GROUP_NON_CAPTURING},        {{"(?=", 3}, HAFT__ECMA_GROUP_LOOKAHEAD},
    {{"(?!", 3}, HAFT__ECMA_GROUP_NEGATIVE_LOOKAHEAD},   {{"(?<=", 4}, HAFT__ECMA_GROUP_LOOKBEHIND},
    {{"(?<!", 4}, HAFT__ECMA_GROUP_NEGATIVE_LOOKBEHIND}, {{"(?<", 3}, HAFT__ECMA_GROUP_CAPTURE},
};

static haft_status fail_group(haft__ecma_reader *p, size_t open)
{
    static const struct {
        const char *letters, *hint;
    } hints[] = {
        {"P", "write (?<name>...) for a named group and \\k<name> for a reference to it"},
        {"'", "write (?<name>...) for a named group"},
        {"ims-nxsuU", "ECMA-262 has no flags inside an expression: write [Aa] for both cases"},
        {"#", "ECMA-262 has no comments inside an expression"},
        {">", "ECMA-262 has no atomic groups: write (?:...)"},
        {"|", "ECMA-262 has no branch reset: write (?:...)"},
        {"(", "ECMA-262 has no conditions"},
        {"R0123456789&+", "ECMA-262 has no recursion"},
    };
    p->at = open + 2;
    int c = haft__ecma_peek(p);
    if (c < 0) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, open, "unterminated group: `(?` at the end");
    }
    (void)haft__ecma_next(p);
    haft_status status =
        haft__ecma_fail(p, HAFT_BAD_INPUT, open, "`%.*s` does not begin an ECMA-262 group",
                        (int)(p->at - open), p->source.ptr + open);
    for (size_t i = 0; i < COUNT(hints); i++) {
        if (c > 0 && strchr(hints[i].letters, c) != NULL) {
            return haft__hint(p->err, status, "%s", hints[i].hint);
        }
    }
    return status;
}

/* Reads and writes the opening of a group. */
static haft_status open_group(haft__ecma_reader *p, haft__ecma_group_kind *ret_kind)
{
    size_t open = p->at;
    if (!haft__ecma_is_next(p, HAFT__LIT("(?"))) {
        p->at++;
        *ret_kind = HAFT__ECMA_GROUP_CAPTURE;
        haft__buf_add_str(p->out, p->has_references ? HAFT__LIT("(") : HAFT__LIT("(?:"));
        return haft__ecma_open_group(p, *ret_kind, open, false);
    }
    for (size_t i = 0; i < COUNT(group_kinds); i++) {
        if (haft__ecma_is_next(p, group_kinds[i].text)) {
            p->at += group_kinds[i].text.len;
            *ret_kind = group_kinds[i].kind;
            bool named = *ret_kind == HAFT__ECMA_GROUP_CAPTURE;
            haft_str text = named ? HAFT__LIT("(") : group_kinds[i].text;
            haft__buf_add_str(p->out, named && !p->has_references ? HAFT__LIT("(?:") : text);
            return haft__ecma_open_group(p, *ret_kind, open, named);
        }
    }
    return fail_group(p, open);
}

static haft_status read_group(haft__ecma_reader *p, atom_kind *ret_kind,
                              haft__ecma_extent *ret_extent)
{
    size_t open = p->at;
    bool behind = p->behind;
    haft__ecma_group_kind kind = HAFT__ECMA_GROUP_NON_CAPTURING;
    haft_status status = open_group(p, &kind);
    if (status == HAFT_OK) {
        status = read_disjunction(p, kind, open, ret_extent);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (!haft__ecma_accept(p, ')')) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, open, "unterminated group: `(` without `)`");
    }
    haft__buf_add_char(p->out, ')');
    haft__ecma_group *group = haft__ecma_group_at(p, p->group);
    group->close = (uint32_t)p->at - 1;
    group->nullable = ret_extent->min == 0;
    p->group = group->parent;
    p->behind = behind;
    p->depth--;
    *ret_kind = ATOM_GROUP;
    if (kind != HAFT__ECMA_GROUP_NON_CAPTURING && kind != HAFT__ECMA_GROUP_CAPTURE) {
        *ret_kind = ATOM_LOOK_AROUND;
        *ret_extent = (haft__ecma_extent){0, 0};
    }
    return HAFT_OK;
}

static void write_literal(haft__ecma_reader *p, uint32_t code)
{
    if (haft__ecma_is_surrogate(code)) {
        haft__buf_add_str(
            p->out, HAFT__ECMA_MATCH_NONE); /* UTF-8 cannot contain half of a surrogate pair */
    } else {
        haft__ecma_write_character(p, code);
    }
}

static haft_status read_escape(haft__ecma_reader *p, atom_kind *ret_kind,
                               haft__ecma_extent *ret_extent)
{
    p->at++;
    int c = haft__ecma_peek(p);
    if (c == 'b' || c == 'B') {
        p->at++;
        *ret_kind = ATOM_ASSERTION;
        *ret_extent = (haft__ecma_extent){0, 0};
        haft__buf_add_str(p->out, c == 'b' ? HAFT__LIT("\\b") : HAFT__LIT("\\B"));
        return HAFT_OK;
    }
    if (c == 'k' || (c >= '1' && c <= '9')) {
        *ret_kind = ATOM_REFERENCE;
        *ret_extent = (haft__ecma_extent){0, HAFT__ECMA_UNBOUNDED};
        return haft__ecma_reference_term(p);
    }
    if (haft__ecma_is_class_escape(c)) {
        return haft__ecma_class_escape(p, false);
    }
    uint32_t code;
    haft_status status = haft__ecma_escape(p, false, &code);
    if (status == HAFT_OK) {
        write_literal(p, code);
    }
    return status;
}

static haft_status fail_repeat(haft__ecma_reader *p)
{
    size_t at = p->at;
    char before = at > 0 ? p->source.ptr[at - 1] : '\0';
    char c = p->source.ptr[at];
    haft_status status = haft__ecma_fail(p, HAFT_BAD_INPUT, at, "nothing to repeat before `%c`", c);
    if (c == '*' && before == '(') {
        return haft__hint(p->err, status, "ECMA-262 has no verbs such as (*FAIL)");
    }
    if (c == '+' && before != '\0' && strchr("*+?}", before) != NULL) {
        return haft__hint(p->err, status, "ECMA-262 has no possessive quantifiers");
    }
    return haft__hint(p->err, status, "write \\%c for the character itself", c);
}

/* Reads an unmatched bracket or brace, which is a literal unless it looks like a construct of
 * another dialect. */
static haft_status read_stray(haft__ecma_reader *p)
{
    size_t at = p->at;
    quantifier q;
    if (read_braces(p, &q)) {
        p->at = at;
        return fail_repeat(p);
    }
    if (haft__ecma_peek(p) == ']' && p->posix_class) {
        haft_status status =
            haft__ecma_fail(p, HAFT_BAD_INPUT, at, "ECMA-262 has no classes such as [:alpha:]");
        return haft__hint(p->err, status, "write [A-Za-z] or \\p{L} for letters, \\d for digits");
    }
    if (haft__ecma_is_next(p, HAFT__LIT("{,"))) {
        uint32_t count;
        p->at += 2;
        if (read_count(p, &count) && haft__ecma_accept(p, '}')) {
            haft_status status =
                haft__ecma_fail(p, HAFT_BAD_INPUT, at, "a repeat needs a minimum count");
            return haft__hint(p->err, status, "write {0,%u}", count);
        }
        p->at = at;
    }
    write_literal(p, haft__ecma_next(p));
    return HAFT_OK;
}

static haft_status read_atom(haft__ecma_reader *p, atom_kind *ret_kind,
                             haft__ecma_extent *ret_extent)
{
    *ret_kind = ATOM_CHARACTER;
    *ret_extent = (haft__ecma_extent){1, 1};
    int c = haft__ecma_peek(p);
    switch (c) {
    case '^':
    case '$':
        p->at++;
        *ret_kind = ATOM_ASSERTION;
        *ret_extent = (haft__ecma_extent){0, 0};
        haft__buf_add_char(p->out, (char)c);
        return HAFT_OK;
    case '(': return read_group(p, ret_kind, ret_extent);
    case '[': p->at++; return haft__ecma_class(p);
    case '\\': return read_escape(p, ret_kind, ret_extent);
    case '.':
        p->at++;
        haft__buf_add_str(p->out, HAFT__LIT("[^\\x{a}\\x{d}\\x{2028}\\x{2029}]"));
        return HAFT_OK;
    case '*':
    case '+':
    case '?': return fail_repeat(p);
    case '{':
    case '}':
    case ']': return read_stray(p);
    default: write_literal(p, haft__ecma_next(p)); return HAFT_OK;
    }
}

/* Reduces a repeat at either end of the expression to its minimum count: a match of x{n,m}y
 * contains a match of x{n}y, and a match of yx{n,m} contains a match of yx{n}. Not done if the
 * expression has references, which could observe the captures of x, and not if the caller needs
 * the place of the match. */
static void shorten(const haft__ecma_reader *p, bool first, quantifier *q)
{
    int c = haft__ecma_peek(p);
    if (p->depth == 0 && !p->whole && !p->has_references && (first || c < 0 || c == '|')) {
        *q = (quantifier){q->min, q->min, false};
    }
}

/* Simplifies the quantifier of a part that matches only the empty text: repeating it does not
 * change the match, and an optional iteration must not be empty. */
static void simplify_empty(quantifier *q)
{
    uint32_t count = q->min > 0 ? 1 : 0;
    *q = (quantifier){count, count, false};
}

/* Writes the quantifier of the atom that begins at `start`, and the callouts that it needs. */
static void finish_term(haft__ecma_reader *p, size_t start, atom_kind kind, const quantifier *q)
{
    switch (kind) {
    case ATOM_ASSERTION: return;
    case ATOM_CHARACTER:
        write_quantifier(p, q);
        p->since_callout += q->min;
        if (q->min > FREE_CHARACTERS) {
            callout_before(p, start, q->min);
        }
        if (q->min != q->max) {
            haft__ecma_add_callout(p);
        }
        return;
    case ATOM_GROUP:
        write_quantifier(p, q);
        if (q->min != 1 || q->max != 1) {
            haft__ecma_add_callout(p);
        }
        return;
    case ATOM_REFERENCE:
    case ATOM_LOOK_AROUND:
        write_quantifier(p, q);
        haft__ecma_add_callout(p);
        return;
    }
}

static haft_status read_term(haft__ecma_reader *p, size_t alternative,
                             haft__ecma_extent *ret_extent)
{
    if (p->since_callout >= FREE_CHARACTERS) {
        haft__ecma_add_callout(p);
    }
    size_t start = p->out->len;
    size_t callout_end = p->callout_end;
    uint32_t groups = haft__ecma_group_count(p);
    atom_kind kind;
    quantifier q;
    haft_status status = read_atom(p, &kind, ret_extent);
    if (status == HAFT_OK) {
        status = read_quantifier(p, kind, &q);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (ret_extent->max == 0) {
        simplify_empty(&q);
    }
    ret_extent->min = multiply(ret_extent->min, q.min);
    ret_extent->max = ret_extent->max == 0 ? 0 : multiply(ret_extent->max, q.max);
    if (kind == ATOM_GROUP) {
        haft__ecma_group *group = haft__ecma_group_at(p, groups + 1);
        group->min = q.min;
        group->max = q.max;
    }
    shorten(p, start == alternative, &q);
    if (q.max == 0) {
        p->out->len = start;
        p->callout_end = callout_end;
        haft__ecma_drop_groups(p, groups);
        return HAFT_OK;
    }
    finish_term(p, start, kind, &q);
    return HAFT_OK;
}

static haft_status read_alternative(haft__ecma_reader *p, haft__ecma_extent *ret_extent)
{
    size_t start = p->out->len;
    *ret_extent = (haft__ecma_extent){0, 0};
    for (int c = haft__ecma_peek(p); c >= 0 && c != '|' && c != ')'; c = haft__ecma_peek(p)) {
        haft__ecma_extent term;
        haft_status status = read_term(p, start, &term);
        if (status != HAFT_OK) {
            return status;
        }
        ret_extent->min = add_up(ret_extent->min, term.min);
        ret_extent->max = add_up(ret_extent->max, term.max);
    }
    return HAFT_OK;
}

/* Checks the length of a look-behind: PCRE2 steps back by the length of each alternative, which
 * must be fixed and not too long. */
static haft_status check_behind(haft__ecma_reader *p, size_t open, haft__ecma_extent extent)
{
    if (extent.min != extent.max) {
        haft_status status = haft__ecma_fail(p, HAFT_UNSUPPORTED, open,
                                             "a look-behind of variable length is not supported");
        return haft__hint(p->err, status, "write alternatives of fixed length: (?<=a|bc)");
    }
    if (extent.max > HAFT__LIMIT_PATTERN_LOOK_BEHIND) {
        return haft__ecma_fail(p, HAFT_TOO_BIG, open, "a look-behind is longer than %d characters",
                               HAFT__LIMIT_PATTERN_LOOK_BEHIND);
    }
    return HAFT_OK;
}

/* Reads alternatives, up to the end or the `)` of the group that opens at `open`. */
static haft_status read_disjunction(haft__ecma_reader *p, haft__ecma_group_kind kind, size_t open,
                                    haft__ecma_extent *ret_extent)
{
    haft__ecma_extent all = {HAFT__ECMA_UNBOUNDED, 0};
    uint32_t group = p->group;
    for (uint32_t count = 1;; count++) {
        haft__ecma_extent extent;
        haft__ecma_add_callout(p);
        haft_status status = read_alternative(p, &extent);
        if (status == HAFT_OK
            && (kind == HAFT__ECMA_GROUP_LOOKBEHIND
                || kind == HAFT__ECMA_GROUP_NEGATIVE_LOOKBEHIND)) {
            status = check_behind(p, open, extent);
        }
        if (status != HAFT_OK) {
            return status;
        }
        all.min = extent.min < all.min ? extent.min : all.min;
        all.max = extent.max > all.max ? extent.max : all.max;
        if (group > 0) {
            haft__ecma_group_at(p, group)->alternatives = count;
        }
        if (!haft__ecma_accept(p, '|')) {
            *ret_extent = all;
            return HAFT_OK;
        }
        haft__buf_add_char(p->out, '|');
    }
}

/* Whether a \1 or \k occurs; classes need no special case, because there it is an error. */
static bool has_references(haft_str source)
{
    for (size_t i = 0; i + 1 < source.len; i++) {
        if (source.ptr[i] == '\\') {
            i++;
            if (source.ptr[i] == 'k' || (source.ptr[i] >= '1' && source.ptr[i] <= '9')) {
                return true;
            }
        }
    }
    return false;
}

/* Disables PCRE2's start optimisation, which is wrong in PCRE2 10.42 if the required first
 * character comes from a look-ahead: it does not find (?=b)b?b in "b". */
static void avoid_start_bug(haft__ecma_reader *p)
{
    for (p->at = 0; p->at < p->source.len; p->at++) {
        if (haft__ecma_is_next(p, HAFT__LIT("(?="))) {
            haft__buf_add_str(p->out, HAFT__LIT("(*NO_START_OPT)"));
            break;
        }
    }
    p->at = 0;
}

static haft_status read_all(haft__ecma_reader *p)
{
    haft__ecma_extent extent;
    avoid_start_bug(p);
    haft_status status = read_disjunction(p, HAFT__ECMA_GROUP_NON_CAPTURING, 0, &extent);
    if (status == HAFT_OK && haft__ecma_peek(p) == ')') {
        status = haft__ecma_fail(p, HAFT_BAD_INPUT, p->at, "`)` without `(`");
        return haft__hint(p->err, status, "write \\) for the character itself");
    }
    if (status == HAFT_OK) {
        status = haft__ecma_check_references(p);
    }
    return status == HAFT_OK ? haft__buf_check(p->out, p->err) : status;
}

static haft_status translate(haft_str source, bool whole, haft__buf *ret_buf, haft_error *err)
{
    if (source.len > HAFT__LIMIT_PATTERN_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the expression has %zu bytes, more than %d",
                          source.len, HAFT__LIMIT_PATTERN_BYTES);
    }
    haft__ecma_reader p = {
        .source = source,
        .out = ret_buf,
        .err = err,
        .has_references = has_references(source),
        .whole = whole,
        .callout_end = SIZE_MAX,
    };
    size_t valid = haft__utf8_valid_prefix(source);
    if (valid < source.len) {
        return haft__ecma_fail(&p, HAFT_BAD_INPUT, valid, "the expression is not valid UTF-8");
    }
    haft__buf_init(&p.groups, HAFT__LIMIT_PATTERN_BYTES * sizeof(haft__ecma_group));
    haft__buf_init(&p.references, HAFT__LIMIT_PATTERN_BYTES * sizeof(haft__ecma_reference));
    size_t start = ret_buf->len;
    haft_status status = read_all(&p);
    if (status != HAFT_OK) {
        ret_buf->len = start;
    }
    haft__buf_finish(&p.groups);
    haft__buf_finish(&p.references);
    return status;
}

haft_status haft__ecma_translate(haft_str source, haft__buf *ret_buf, haft_error *err)
{
    return translate(source, false, ret_buf, err);
}

haft_status haft__ecma_translate_whole(haft_str source, haft__buf *ret_buf, haft_error *err)
{
    return translate(source, true, ret_buf, err);
}
