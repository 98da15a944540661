/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/personal/detect.h - finds personal data in a text: email addresses, numbers of credit cards,
 * IP and MAC addresses, URLs.
 *
 * The search is one pass over the text. It prefers the longest meaning: a URL that contains an
 * address is one finding.
 */
#ifndef HAFT_RUN_PERSONAL_DETECT_H
#define HAFT_RUN_PERSONAL_DETECT_H

#include "spec/middleware.h"

typedef struct haft__personal_finding {
    haft__personal_kind kind;
    size_t start, end; /* bytes of the text */
} haft__personal_finding;

/* Finds the first finding of one of these kinds that starts at `from` or later. */
bool haft__personal_find(haft_str text, size_t from, const bool kinds[HAFT__PERSONAL_KIND_COUNT],
                         haft__personal_finding *ret_finding);

#endif
