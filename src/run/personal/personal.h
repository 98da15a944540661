/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/personal/personal.h - replaces personal data in the texts of a run (`redact` of
 * `middleware`).
 *
 * A text is changed before it is recorded, so that neither the log nor the model has the personal
 * data. The event has the member `personal` with the findings, and an intervention follows it.
 */
#ifndef HAFT_RUN_PERSONAL_PERSONAL_H
#define HAFT_RUN_PERSONAL_PERSONAL_H

#include "run/event.h"
#include "spec/spec.h"
#include "json/write.h"

/* The findings of the entries of a spec in a text. */
typedef struct haft__personal_report {
    haft__buf json; /* the items of the member `personal`, or empty */
    bool blocked;   /* the text must not be used */
} haft__personal_report;

/* Whether an entry of the spec replaces personal data at this place. */
bool haft__personal_applies(const haft__spec *spec, haft__redact_place place);

/* Appends the text without its personal data. A text that is blocked becomes a short text that says
 * so. */
void haft__personal_replace(const haft__spec *spec, haft__redact_place place, haft_str text,
                            haft__personal_report *io_report, haft__buf *out);

/* Writes the text of the member `key`, without its personal data at this place. */
void haft__personal_write_field(haft__json_writer *w, const char *key, const haft__spec *spec,
                                haft__redact_place place, haft_str text,
                                haft__personal_report *io_report);

/* Writes a value of limited depth; the texts in it are without their personal data. */
void haft__personal_write_value(haft__json_writer *w, const haft__spec *spec,
                                haft__redact_place place, haft__json value,
                                haft__personal_report *io_report);

void haft__personal_report_init(haft__personal_report *report);
/* Writes the member `personal`, if there is a finding, and frees the report. */
void haft__personal_report_write(haft__json_writer *w, haft__personal_report *report);

#endif
