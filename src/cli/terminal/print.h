/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/print.h - prints text from outside safely. */
#ifndef HAFT_CLI_TERMINAL_PRINT_H
#define HAFT_CLI_TERMINAL_PRINT_H

#include <stdio.h>

#include "base/buf.h"
#include "cli/terminal/markdown.h"
#include "cli/terminal/terminal_caps.h"
#include "haft.h"

/* Writes `text` so that a terminal does not interpret it: control characters as \u001b, a byte that
 * is not UTF-8 as \xff (cli/terminal/width.h). */
void haft__print_escaped(FILE *out, haft_str text);

/* Like haft__print_escaped, followed by a line feed. `column` is the present column. On a terminal
 * wraps the text at words and indents the further lines by `indent` columns. */
void haft__print_wrapped(FILE *out, size_t column, size_t indent, haft_str text);

/* Print content of a run unchanged, or escaped (except for line feeds and tabs) if `out` is a
 * terminal. haft__print_answer adds a line feed. */
void haft__print_content(FILE *out, haft_str text);
void haft__print_answer(FILE *out, haft_str text);

/* Prints the answer of a model. On a terminal with colours renders its Markdown
 * (cli/terminal/markdown.h). */
void haft__print_markdown(FILE *out, haft_str text, const haft__terminal_caps *caps);

/* The same. Code spans with a URL in `links` become hyperlinks. */
void haft__print_markdown_linked(FILE *out, haft_str text, const haft__terminal_caps *caps,
                                 const haft__markdown_links *links);

/* Appends a path as part of a URL: percent-encoded, except for slashes. */
void haft__print_add_url(haft__buf *buf, haft_str path);

/* Prints JSON text unchanged. On a terminal prints unsafe characters (cli/terminal/width.h) as
 * \uXXXX, which is the same JSON value. */
void haft__print_json(FILE *out, haft_str text);

/* Prints the JSON text of `buf` and a line feed, and flushes: a client may wait for this line
 * before it sends the next. Prints nothing if writing to the buffer has failed. */
HAFT_MUST_USE haft_status haft__print_json_line(FILE *out, haft__buf *buf, haft_error *err);

/* Prints escaped text on one line of at most 70 characters, with " / " for line ends, and "..." at
 * the end of a truncated text. */
void haft__print_excerpt(FILE *out, haft_str text);

/* Prints "haft: where: message", and the hint on its own line. */
void haft__print_error(FILE *out, const haft_error *err);

#endif
