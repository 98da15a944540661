/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/scan.h - fast search for literals in text. */
#ifndef HAFT_EXEC_FILES_SCAN_H
#define HAFT_EXEC_FILES_SCAN_H

#include "exec/files/literals.h"

size_t haft__scan_line_feeds(haft_str text);

/* The start of the first literal from `from` on; text.len if none is found. */
size_t haft__scan_literals(const haft__literals *literals, haft_str text, size_t from);

#endif
