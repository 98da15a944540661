/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/relax_report.h - constraints of a schema that a target cannot express, and their
 * replacements. Every relaxation has a line here.
 */
#ifndef HAFT_SCHEMA_RELAX_REPORT_H
#define HAFT_SCHEMA_RELAX_REPORT_H

#include "base/arena.h"
#include "base/buf.h"

typedef struct haft__relaxation {
    haft_str where;  /* JSON Pointer; the first token is the tool: /search/properties/q/pattern */
    haft_str what;   /* "maxLength 100000" */
    haft_str became; /* "any length" */
} haft__relaxation;

/* Texts live in the arena. A report may be used for several grammars; it only grows. */
typedef struct haft__relax_report {
    haft__arena *arena;
    haft__relaxation *items;
    size_t count, capacity;
    size_t left_off;    /* lines omitted after HAFT__LIMIT_GRAMMAR_RELAXED others */
    uint64_t last;      /* a hash of the last omitted line */
    haft_status status; /* NO_MEMORY or TOO_BIG after the arena had no space for a line */
} haft__relax_report;

void haft__relax_report_init(haft__relax_report *report, haft__arena *arena);

/* Adds a line; `report` may be NULL, then nothing is recorded. A repeated line is kept once; among
 * omitted lines only a direct repetition is detected. */
void haft__relax_report_add(haft__relax_report *report, haft_str where, haft_str what,
                            const char *became);

/* The number of lines, omitted ones included. */
size_t haft__relax_report_count(const haft__relax_report *report);

/* Removes the lines after the first `count`. */
void haft__relax_report_truncate(haft__relax_report *report, size_t count);

/* Appends the lines: "/search/properties/q: maxLength 100000 became any length". */
void haft__relax_report_write(haft__buf *buf, const haft__relax_report *report);

#endif
