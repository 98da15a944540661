/* SPDX-License-Identifier: Apache-2.0 */
/* declaration_print.c - see declaration_print.h. Tests: tests/cli/declaration_test.py. */
#include "cli/explain/declaration_print.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/print.h"

void haft__declaration_print(FILE *out, const haft__declaration_report *report)
{
    const haft__relax_report *left_out = &report->left_out;
    size_t all = haft__relax_report_count(left_out);
    if (all == 0 && (report->max_tools == 0 || report->tools <= report->max_tools)) {
        return;
    }
    (void)fprintf(out, "\ndeclared tools\n  %zu", report->tools);
    if (report->max_tools > 0) {
        (void)fprintf(out, "; %s accepts %zu", report->provider->name, report->max_tools);
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < left_out->count; i++) {
        (void)fputs("  not sent, but checked: ", out);
        haft__print_escaped(out, left_out->items[i].where);
        (void)fputc('/', out);
        haft__print_escaped(out, left_out->items[i].what);
        (void)fputs(": ", out);
        haft__print_escaped(out, left_out->items[i].became);
        (void)fputc('\n', out);
    }
    if (left_out->left_off > 0) {
        (void)fprintf(out, "  not sent, but checked: and %zu more\n", left_out->left_off);
    }
}

void haft__declaration_print_left_out(FILE *out, const char *name,
                                      const haft__relax_report *left_out)
{
    size_t all = haft__relax_report_count(left_out);
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text,
                   "haft: note: %s does not get %zu keyword%s of the tools' schemas; calls "
                   "are checked with the whole schemas: ",
                   name, all, all == 1 ? "" : "s");
    for (size_t i = 0; i < left_out->count; i++) {
        haft__buf_addf(&text, "%s%.*s/%.*s", i > 0 ? ", " : "", HAFT__ARG(left_out->items[i].where),
                       HAFT__ARG(left_out->items[i].what));
    }
    if (left_out->left_off > 0) {
        haft__buf_addf(&text, ", and %zu more", left_out->left_off);
    }
    if (all > 0 && text.status == HAFT_OK) {
        haft__print_wrapped(out, 0, 0, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
}

void haft__declaration_print_notes(FILE *out, const haft__declaration_report *report)
{
    if (report->provider == NULL) {
        return;
    }
    haft__declaration_print_left_out(out, report->provider->name, &report->left_out);
    if (report->max_tools > 0 && report->tools > report->max_tools) {
        (void)fprintf(out,
                      "haft: warning: %s accepts %zu tools in a request, the first one has %zu\n"
                      "  hint: enable fewer tools, or let the model search them "
                      "(docs/tool-search.md)\n",
                      report->provider->name, report->max_tools, report->tools);
    }
}
