/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/sanitize.h - converts typed, pasted or piped bytes to text. */
#ifndef HAFT_CLI_TERMINAL_SANITIZE_H
#define HAFT_CLI_TERMINAL_SANITIZE_H

#include "base/buf.h"

/* Appends `text`. Converts every kind of line end to a line feed. Replaces invalid UTF-8 and
 * control characters other than tabs by U+FFFD. Returns the number of replacements. */
size_t haft__sanitize_text(haft_str text, haft__buf *out);

#endif
