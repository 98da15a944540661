/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/reference/reference.h - finds the references of an answer, such as `src/a.c:12` with a quote,
 * compares each with the text of its file, and removes the wrong references. The caller reads the
 * files.
 *
 * docs/search.md lists the forms of references.
 */
#ifndef HAFT_RUN_REFERENCE_REFERENCE_H
#define HAFT_RUN_REFERENCE_REFERENCE_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum haft__reference_verdict {
    HAFT__REFERENCE_UNCHECKED,
    HAFT__REFERENCE_GOOD,
    HAFT__REFERENCE_NO_FILE,    /* the file does not exist below the root, or is not text */
    HAFT__REFERENCE_NO_LINE,    /* the file has fewer lines */
    HAFT__REFERENCE_OTHER_TEXT, /* the lines do not contain the quote */
    HAFT__REFERENCE_TOO_MANY,   /* past HAFT__LIMIT_REFERENCES: not checked */
} haft__reference_verdict;

typedef struct haft__reference {
    haft_str file;        /* as written in the answer */
    uint64_t first, last; /* lines, from 1; both the same without a range */
    haft_str quote;       /* as written in the answer, without quotation marks; "" without a
                           * quote */
    size_t start, end;    /* the reference in the answer, with the marks of its code span */
    size_t quote_end;     /* the position after a quote that follows in the answer, else 0 */
    bool in_code;         /* the reference is a whole code span, or is not to become one */
    bool doubtful;        /* "word:12": a reference only if the file exists; otherwise other text */
    haft__reference_verdict verdict;
    haft_str line; /* after the check: the text of the first line; borrowed from the file */
    haft_str path; /* set by the caller of the check: the file, relative to the root */
} haft__reference;

/* Finds the references of an answer, in order. Texts are borrowed from the answer. References past
 * HAFT__LIMIT_REFERENCES have the verdict TOO_MANY. Fails only if out of memory. */
HAFT_MUST_USE haft_status haft__references_find(haft_str answer, haft__arena *arena,
                                                haft__reference **ret_references, size_t *ret_count,
                                                haft_error *err);

/* The whole text of a file, and the positions of some of its lines, so that a line is found without
 * reading the lines before it. */
typedef struct haft__reference_file {
    haft_str text;
    size_t *starts;
    uint64_t line_count;
} haft__reference_file;

/* The text is borrowed; the positions live in `arena`. Fails only if out of memory. */
HAFT_MUST_USE haft_status haft__reference_file_init(haft__reference_file *file, haft_str text,
                                                    haft__arena *arena, haft_error *err);

/* Compares the reference with the text of its file. Ignores white space, invisible characters, and
 * an ellipsis at an end of the quote. Fails only if out of memory. */
HAFT_MUST_USE haft_status haft__reference_check(haft__reference *reference,
                                                const haft__reference_file *file, haft_error *err);

/* Whether the reference stays in the answer: it is good, or it is doubtful and its file does not
 * exist. In the second case it is not a reference, but other text. */
bool haft__reference_is_shown(const haft__reference *reference);

/* The number of references that are removed. */
size_t haft__references_dropped(const haft__reference *references, size_t count);

/* Writes the answer without its wrong references. Omits a list item that has only wrong references;
 * elsewhere HAFT__REFERENCE_MARK replaces the reference and the quote after it. Good references
 * become code spans, except in fenced blocks and as destinations of links. */
#define HAFT__REFERENCE_MARK "[wrong reference removed]"
void haft__references_write(haft__buf *buf, haft_str answer, const haft__reference *references,
                            size_t count);

#endif
