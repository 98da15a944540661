/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/declaration_report.h - reports the parts of tool declarations that a request omits,
 * because the provider of the model does not accept them. haft checks calls with the whole
 * schemas. */
#ifndef HAFT_ENGINE_OPS_DECLARATION_REPORT_H
#define HAFT_ENGINE_OPS_DECLARATION_REPORT_H

#include "model/provider.h"

typedef struct haft__declaration_report {
    const haft__provider *provider; /* NULL: the tools are not declared to a server */
    size_t tools;                   /* number of tools that the request declares */
    size_t max_tools;               /* maximum number that the provider accepts; 0: unknown */
    haft__relax_report left_out;    /* omitted keywords of schemas, each with the reason */
} haft__declaration_report;

/* Inspects the tools of a request. The report lives in `arena`. */
HAFT_MUST_USE haft_status haft__declaration_report_read(const haft__spec *spec,
                                                        const haft__request *request,
                                                        haft__arena *arena,
                                                        haft__declaration_report *ret_report,
                                                        haft_error *err);

/* Adds the member `declared` to an object. */
void haft__declaration_report_write(haft__json_writer *w, const haft__declaration_report *report);

#endif
