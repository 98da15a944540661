/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/reference/reference.h - the references of an answer: `src/a.c:12`, with the text that it
 * quotes from there. They are found, compared with the text of the file, and the wrong ones are
 * removed. Pure: the caller reads the files.
 *
 * docs/search.md has the forms.
 */
#ifndef HAFT_RUN_REFERENCE_REFERENCE_H
#define HAFT_RUN_REFERENCE_REFERENCE_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum haft__reference_verdict {
    HAFT__REFERENCE_UNCHECKED,
    HAFT__REFERENCE_GOOD,
    HAFT__REFERENCE_NO_FILE,    /* it does not exist below the root, or cannot be read as text */
    HAFT__REFERENCE_NO_LINE,    /* the file is shorter */
    HAFT__REFERENCE_OTHER_TEXT, /* the lines do not contain the quote */
    HAFT__REFERENCE_TOO_MANY,   /* past HAFT__LIMIT_REFERENCES: not checked */
} haft__reference_verdict;

typedef struct haft__reference {
    haft_str file;        /* as in the answer */
    uint64_t first, last; /* lines, from 1; equal without a range */
    haft_str quote;       /* as in the answer, without quotation marks; "" without one */
    size_t start, end;    /* the reference in the answer, with the marks of its code span */
    bool in_code;         /* it is a whole code span */
    bool doubtful;        /* "word:12": a reference only if the file exists; otherwise other text */
    haft__reference_verdict verdict;
    haft_str line; /* once it is checked: the text of the first line; borrowed from the file */
} haft__reference;

/* Finds the references of an answer, in order. Texts are borrowed from it. References past
 * HAFT__LIMIT_REFERENCES have the verdict TOO_MANY. Fails only if out of memory. */
HAFT_MUST_USE haft_status haft__references_find(haft_str answer, haft__arena *arena,
                                                haft__reference **ret_references, size_t *ret_count,
                                                haft_error *err);

/* Compares with the whole text of the file. White space and characters that are not shown do not
 * matter, and an ellipsis at an end of the quote stands for the rest. */
HAFT_MUST_USE haft_status haft__reference_check(haft__reference *reference, haft_str file,
                                                haft_error *err);

/* Whether the reference is shown: it is good, or a doubtful one whose file does not exist, which is
 * other text. */
bool haft__reference_is_shown(const haft__reference *reference);

/* The number of references that are removed. */
size_t haft__references_dropped(const haft__reference *references, size_t count);

/* Writes the answer without the wrong references: a list item that has only wrong ones is left
 * out; elsewhere HAFT__REFERENCE_MARK replaces the reference. Good ones become code spans. */
#define HAFT__REFERENCE_MARK "[wrong reference removed]"
void haft__references_write(haft__buf *buf, haft_str answer, const haft__reference *references,
                            size_t count);

#endif
