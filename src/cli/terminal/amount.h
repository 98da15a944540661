/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/amount.h - formats times, sizes and costs for people. */
#ifndef HAFT_CLI_TERMINAL_AMOUNT_H
#define HAFT_CLI_TERMINAL_AMOUNT_H

#include "base/buf.h"

/* Appends a duration: "12 ms", "1.2 s", "2 min 5 s", "3 h 20 min". */
void haft__amount_add_duration(haft__buf *buf, uint64_t ms);

/* Appends an age in its largest unit: "5 s", "12 min", "3 h", "40 d". */
void haft__amount_add_age(haft__buf *buf, uint64_t ms);

/* Appends a size: "40 B", "1.2 KB", "3.4 MB". A KB has 1000 bytes. */
void haft__amount_add_bytes(haft__buf *buf, uint64_t bytes);

/* Appends a number: "85", "1.2k", "3.4M". */
void haft__amount_add_count(haft__buf *buf, uint64_t count);

/* Appends a number of tokens: "1 token", "1.2k tokens". */
void haft__amount_add_tokens(haft__buf *buf, uint64_t count);

/* Appends a cost: "$0.0019", "$1.20". It has at least two decimals, and no zeros after the second.
 */
void haft__amount_add_dollars(haft__buf *buf, uint64_t micro_dollars);

#endif
