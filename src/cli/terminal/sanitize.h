/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/sanitize.h - turns typed, pasted or piped bytes into text. */
#ifndef HAFT_CLI_TERMINAL_SANITIZE_H
#define HAFT_CLI_TERMINAL_SANITIZE_H

#include "base/buf.h"

/* Appends `text` with every kind of line end as a line feed and tabs unchanged; anything else that
 * is not text (invalid UTF-8, NUL and other control characters) becomes U+FFFD. Returns the number
 * of replacements. */
size_t haft__sanitize_text(haft_str text, haft__buf *out);

#endif
