/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/scan.h - goes through text many bytes at a time. */
#ifndef HAFT_EXEC_FILES_SCAN_H
#define HAFT_EXEC_FILES_SCAN_H

#include "exec/files/literals.h"

size_t haft__scan_line_feeds(haft_str text);

/* Where the first needle begins, from `from` on; text.len when there is none. */
size_t haft__scan_literals(const haft__literals *literals, haft_str text, size_t from);

#endif
