/* SPDX-License-Identifier: Apache-2.0 */
/* cli/runs/runs_cache.h - `haft runs show --cache`: how much of each request equals the start of
 * the previous request, and how many tokens the provider took from its cache. */
#ifndef HAFT_CLI_RUNS_RUNS_CACHE_H
#define HAFT_CLI_RUNS_RUNS_CACHE_H

#include "base/buf.h"
#include "base/hash.h"

/* Appends a heading, a line for each reply of a log, and a line with the sums. */
HAFT_MUST_USE haft_status haft__runs_cache_write(haft__buf *buf, haft_str lines,
                                                 haft__hash_key hash_key, haft_error *err);

#endif
