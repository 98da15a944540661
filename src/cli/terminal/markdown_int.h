/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/markdown_int.h - shared by the files of cli/terminal/markdown.h. */
#ifndef HAFT_CLI_TERMINAL_MARKDOWN_INT_H
#define HAFT_CLI_TERMINAL_MARKDOWN_INT_H

#include "cli/terminal/markdown.h"

/* The destination of styled text. */
typedef struct haft__markdown_out {
    haft__markdown *markdown;
    haft__buf *buf;
    size_t width;
} haft__markdown_out;

/* Shows text unchanged. */
void haft__markdown_show(const haft__markdown_out *out, unsigned style, haft_str text);

/* Shows the beginning of the text of a line, without its line feed. `whole`: `text` reaches the end
 * of the line. Returns the number of bytes that were shown; 0 if more bytes must arrive first. */
size_t haft__markdown_show_spans(const haft__markdown_out *out, haft__markdown_spans *spans,
                                 haft_str text, bool whole);

#endif
