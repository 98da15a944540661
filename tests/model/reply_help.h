/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply_help.h - helpers for tests of replies: bodies that are easy to write, and replies as
 * one line.
 */
#ifndef HAFT_TESTS_MODEL_REPLY_HELP_H
#define HAFT_TESTS_MODEL_REPLY_HELP_H

#include "model/provider.h"
#include "test.h"

/* `text` with each ' as ", in memory that lives until the test ends. */
haft_str help_quotes(const char *text);

/* An event stream: each line of `lines`, with quotes as above, is the data of an event; one that
 * starts with '!' is bytes as they are, '~' for LF and '^' for CR. */
haft_str help_events(const char *lines);

/* Appends "content|reasoning|stop|input output cached|model|id name arguments|..." or "kind status
 * message". If there are any, the items of the provider follow as "|items [..]". */
void help_describe(haft__buf *buf, const haft__model_outcome *answer);

/* Reads a body of a wire format `size` bytes at a time (0: whole) and appends the outcome. Checks
 * that the emitted deltas give the same reply. `tools` may be NULL. */
haft_status help_answer(const haft__provider_api *api, haft_str body, size_t size,
                        const haft__tools *tools, haft__buf *buf);

/* Checks that a body gives `wanted` at every cut. */
void help_check_answer(const haft__provider_api *api, haft_str body, const haft__tools *tools,
                       const char *wanted, const char *name);

/* The same, and each allocation fails once. */
void help_check_memory(const haft__provider_api *api, haft_str body, const haft__tools *tools,
                       const char *name);

#endif
