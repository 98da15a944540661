/* SPDX-License-Identifier: Apache-2.0 */
/* cli/exit_status.h - the exit statuses of haft and their meaning. Scripts rely on them. */
#ifndef HAFT_CLI_EXIT_STATUS_H
#define HAFT_CLI_EXIT_STATUS_H

#define HAFT__EXIT_MAP(X)                                                                          \
    X(DONE, 0, "done")                                                                             \
    X(FAILED, 1, "failed: store, network, tool or internal; 'validate': not valid")                \
    X(USAGE, 2, "bad usage or bad spec")                                                           \
    X(EXHAUSTED, 3, "exhausted or incomplete")                                                     \
    X(WAITING, 4, "waiting for a person or a client")                                              \
    X(VIOLATED, 5, "the model broke the contract")                                                 \
    X(REFUSED, 6, "refused by a limit or policy")                                                  \
    X(EXPIRED, 7, "expired")                                                                       \
    X(CANCELLED, 130, "cancelled")

typedef enum haft__exit_status {
#define X(name, number, text) HAFT__EXIT_##name = (number),
    HAFT__EXIT_MAP(X)
#undef X
} haft__exit_status;

#endif
