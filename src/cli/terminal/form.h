/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/form.h - prints the form of a tool's question for the person who answers it. */
#ifndef HAFT_CLI_TERMINAL_FORM_H
#define HAFT_CLI_TERMINAL_FORM_H

#include "run/run.h"

/* Appends a line for each field of the form: name, type, whether it is required, allowed values and
 * default. Text from outside is escaped. */
void haft__form_add_fields(haft__buf *out, const haft__run_call *call);

/* Returns the host of a URL, as a browser would parse it; "" if the URL has no host. */
haft_str haft__form_host(haft_str url);

/* Appends a valid answer as a shell word: '{"name": "..."}', or yes if the person must visit a
 * page. The value of a field is its default, its first choice, or an example of its type. */
void haft__form_add_example(haft__buf *out, const haft__run_call *call);

#endif
