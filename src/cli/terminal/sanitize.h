/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/sanitize.h - what people type, paste or pipe, made into text. */
#ifndef HAFT_CLI_TERMINAL_SANITIZE_H
#define HAFT_CLI_TERMINAL_SANITIZE_H

#include "base/buf.h"

/* Appends `text`: line ends of any kind as a line feed, a tab as it is, everything else that is no
 * text (bytes that are no UTF-8, NUL and the other control characters) as U+FFFD. Returns how many
 * of these there were. */
size_t haft__sanitize_text(haft_str text, haft__buf *out);

#endif
