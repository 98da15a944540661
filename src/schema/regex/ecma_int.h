/* SPDX-License-Identifier: Apache-2.0 */
/* schema/regex/ecma_int.h - shared by the parts of the ECMA-262 front end: the reader and its
 * positions. */
#ifndef HAFT_SCHEMA_REGEX_ECMA_INT_H
#define HAFT_SCHEMA_REGEX_ECMA_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "schema/regex/ecma.h"

/* The number of characters that a part of the expression matches. UNBOUNDED also stands for counts
 * that are too large. */
#define HAFT__ECMA_UNBOUNDED UINT32_MAX

typedef struct haft__ecma_extent {
    uint32_t min, max;
} haft__ecma_extent;

/* The position of a name in the source, where it may have \u escapes. */
typedef struct haft__ecma_name {
    uint32_t at, length;
} haft__ecma_name;

typedef enum haft__ecma_group_kind {
    HAFT__ECMA_GROUP_NON_CAPTURING,       /* (?:x) */
    HAFT__ECMA_GROUP_CAPTURE,             /* (x) and (?<name>x) */
    HAFT__ECMA_GROUP_LOOKAHEAD,           /* (?=x) */
    HAFT__ECMA_GROUP_NEGATIVE_LOOKAHEAD,  /* (?!x) */
    HAFT__ECMA_GROUP_LOOKBEHIND,          /* (?<=x) */
    HAFT__ECMA_GROUP_NEGATIVE_LOOKBEHIND, /* (?<!x) */
} haft__ecma_group_kind;

/* One pair of parentheses. They are numbered from 1 in the order of their opening; 0 is the whole
 * expression. */
typedef struct haft__ecma_group {
    haft__ecma_group_kind kind;
    uint32_t parent;
    uint32_t capture; /* its number in back references; 0: it does not capture */
    uint32_t written; /* its number in the output, 0 if it is not written */
    uint32_t open,
        close; /* positions of its parentheses in the source; close is 0 while it is open */
    haft__ecma_name name; /* length 0: no name */
    uint32_t alternatives;
    uint32_t min, max; /* of the quantifier after it; 1 and 1 without one */
    bool nullable;     /* its content can match the empty text */
    bool behind;       /* it is a look-behind or inside a look-behind */
} haft__ecma_group;

typedef struct haft__ecma_reference {
    uint32_t at;          /* position of its backslash in the source */
    uint32_t capture;     /* the number of the group; 0: a name is used */
    haft__ecma_name name; /* the name of the group, if `capture` is 0 */
    bool live;            /* its group ends before it: else it matches only the empty text */
} haft__ecma_reference;

typedef struct haft__ecma_reader {
    haft_str source; /* valid UTF-8 */
    size_t at;       /* the next byte to read */
    haft__buf *out;
    haft_error *err;
    haft__buf groups;     /* of haft__ecma_group, without the whole expression */
    haft__buf references; /* of haft__ecma_reference */
    uint32_t group;       /* the innermost open group */
    uint32_t captures;    /* capturing groups that have been opened */
    uint32_t written;     /* those of them that are in the output */
    uint32_t depth;
    bool has_references; /* anywhere in the source */
    bool whole;          /* the place of a match must be right, too */
    bool behind;         /* inside a look-behind */
    bool posix_class;    /* a text such as [[:alpha:] occurred, so an unmatched `]` is an error */
    uint32_t since_callout; /* characters matched since the last callout */
    size_t callout_end;     /* end of the last callout in `out` */
} haft__ecma_reader;

/* The next byte, or -1 at the end. */
static inline int haft__ecma_peek(const haft__ecma_reader *p)
{
    return p->at < p->source.len ? (unsigned char)p->source.ptr[p->at] : -1;
}

static inline bool haft__ecma_is_next(const haft__ecma_reader *p, haft_str text)
{
    return haft__str_starts_with(haft__str_skip(p->source, p->at), text);
}

/* Consumes `c` if it is the next byte. */
static inline bool haft__ecma_accept(haft__ecma_reader *p, char c)
{
    bool found = haft__ecma_peek(p) == (unsigned char)c;
    p->at += found ? 1 : 0;
    return found;
}

/* Reads one character. Must not be called at the end. */
uint32_t haft__ecma_next(haft__ecma_reader *p);

/* Fills in the error for the byte offset `at`. */
haft_status haft__ecma_fail(const haft__ecma_reader *p, haft_status status, size_t at,
                            const char *format, ...) HAFT__PRINTF(4, 5);

/* ecma_escape.c: escapes. */

/* Reads an escaped character: \n, \x41, \u{1F600}, \$ ... `p` is after the backslash. A lone
 * surrogate is returned unchanged. */
HAFT_MUST_USE haft_status haft__ecma_escape(haft__ecma_reader *p, bool in_class,
                                            uint32_t *ret_code);

/* Reads \uXXXX, \u{X..}, or a pair \uD8XX\uDCXX; `p` is after the `u`. */
HAFT_MUST_USE haft_status haft__ecma_unicode_escape(haft__ecma_reader *p, uint32_t *ret_code);

/* Whether `c` after a backslash makes a set of characters: d D w W s S p P. */
bool haft__ecma_is_class_escape(int c);

/* Writes the set of such an escape; `p` is after the backslash. In a class the members are written
 * without brackets. */
HAFT_MUST_USE haft_status haft__ecma_class_escape(haft__ecma_reader *p, bool in_class);

/* Writes a character in PCRE2 syntax, valid inside and outside of classes. `code` is not a
 * surrogate. */
void haft__ecma_write_character(haft__ecma_reader *p, uint32_t code);

static inline bool haft__ecma_is_surrogate(uint32_t code)
{
    return code >= 0xD800 && code <= 0xDFFF;
}

/* The patterns that match no character and any character. */
#define HAFT__ECMA_MATCH_NONE HAFT__LIT("\\P{Any}")
#define HAFT__ECMA_MATCH_ANY  HAFT__LIT("\\p{Any}")

/* ecma_class.c: reads and writes a class [...]; `p` is after the opening bracket. */
HAFT_MUST_USE haft_status haft__ecma_class(haft__ecma_reader *p);

/* ecma_group.c: groups, their names, and references to them. */

/* Records a group that opens at `open` and makes it the innermost. `p` is at its name, or at its
 * content if it has no name. */
HAFT_MUST_USE haft_status haft__ecma_open_group(haft__ecma_reader *p, haft__ecma_group_kind kind,
                                                size_t open, bool named);

/* The record of group `number`; borrowed until the next one opens. */
haft__ecma_group *haft__ecma_group_at(const haft__ecma_reader *p, uint32_t number);

/* The number of groups that have been opened. */
uint32_t haft__ecma_group_count(const haft__ecma_reader *p);

/* Marks the groups after the first `count` as not in the output. */
void haft__ecma_drop_groups(haft__ecma_reader *p, uint32_t count);

/* Reads and writes \1 or \k<name>; `p` is after the backslash. */
HAFT_MUST_USE haft_status haft__ecma_reference_term(haft__ecma_reader *p);

/* At the end of the source: checks that the group of every reference exists and that the reference
 * has the same meaning in PCRE2. */
HAFT_MUST_USE haft_status haft__ecma_check_references(const haft__ecma_reader *p);

/* ecma_name.c: the names of groups. */

/* Reads a name and the `>` after it. */
HAFT_MUST_USE haft_status haft__ecma_read_name(haft__ecma_reader *p, haft__ecma_name *ret_name);

/* Whether two names that were read are equal after decoding their escapes. */
bool haft__ecma_same_name(const haft__ecma_reader *p, haft__ecma_name a, haft__ecma_name b);

/* ecma.c: Writes a callout, unless one has just been written. */
void haft__ecma_add_callout(haft__ecma_reader *p);

#endif
