/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/amount.h - formats times, sizes and costs for people. */
#ifndef HAFT_CLI_TERMINAL_AMOUNT_H
#define HAFT_CLI_TERMINAL_AMOUNT_H

#include "base/buf.h"

/* "12 ms", "1.2 s", "2 min 5 s", "3 h 20 min". */
void haft__amount_add_duration(haft__buf *buf, uint64_t ms);

/* "40 B", "1.2 KB", "3.4 MB": units of 1000. */
void haft__amount_add_bytes(haft__buf *buf, uint64_t bytes);

/* "85", "1.2k", "3.4M". */
void haft__amount_add_count(haft__buf *buf, uint64_t count);

/* "$0.0019", "$1.25": millionths of a dollar, without trailing zeros after the cents. */
void haft__amount_add_dollars(haft__buf *buf, uint64_t micros);

#endif
