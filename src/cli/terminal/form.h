/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/form.h - what a tool asks, as a person reads it and types the answer. */
#ifndef HAFT_CLI_TERMINAL_FORM_H
#define HAFT_CLI_TERMINAL_FORM_H

#include "run/run.h"

/* A line for each field of the form: its name, type, whether it must be there, what it may be and
 * what it is by default. Foreign text is made harmless. */
void haft__form_add_fields(haft__buf *out, const haft__run_call *call);

/* The host of an address, as a browser would find it; "" when it has none. */
haft_str haft__form_host(haft_str url);

/* An answer that fits, as a word for a shell: '{"name": "..."}', or yes for a page to visit. A
 * field has its default, its first choice, or something of its type. */
void haft__form_add_example(haft__buf *out, const haft__run_call *call);

#endif
