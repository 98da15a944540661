/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/libpq.h - loads libpq, the PostgreSQL client library, when a store or a query needs it.
 *
 * haft runs on machines without libpq. All other code calls libpq only through this table.
 */
#ifndef HAFT_IO_LIBPQ_H
#define HAFT_IO_LIBPQ_H

#include <libpq-fe.h>

#include "haft.h"

/* The functions that haft uses: PQ<name> is the member <name> of haft__libpq. */
#define HAFT__LIBPQ_FUNCTIONS(X)                                                                   \
    X(cancel)                                                                                      \
    X(clear)                                                                                       \
    X(cmdStatus)                                                                                   \
    X(cmdTuples)                                                                                   \
    X(conninfo)                                                                                    \
    X(conninfoFree)                                                                                \
    X(conninfoParse)                                                                               \
    X(connectPoll)                                                                                 \
    X(connectStartParams)                                                                          \
    X(consumeInput)                                                                                \
    X(enterPipelineMode)                                                                           \
    X(errorMessage)                                                                                \
    X(finish)                                                                                      \
    X(flush)                                                                                       \
    X(fmod)                                                                                        \
    X(fname)                                                                                       \
    X(freeCancel)                                                                                  \
    X(freemem)                                                                                     \
    X(ftype)                                                                                       \
    X(getCancel)                                                                                   \
    X(getResult)                                                                                   \
    X(getisnull)                                                                                   \
    X(getlength)                                                                                   \
    X(getvalue)                                                                                    \
    X(host)                                                                                        \
    X(isBusy)                                                                                      \
    X(libVersion)                                                                                  \
    X(nfields)                                                                                     \
    X(ntuples)                                                                                     \
    X(parameterStatus)                                                                             \
    X(pipelineSync)                                                                                \
    X(port)                                                                                        \
    X(resultErrorField)                                                                            \
    X(resultStatus)                                                                                \
    X(sendQueryParams)                                                                             \
    X(serverVersion)                                                                               \
    X(setNoticeReceiver)                                                                           \
    X(setnonblocking)                                                                              \
    X(socket)                                                                                      \
    X(status)                                                                                      \
    X(transactionStatus)

typedef struct haft__libpq {
#define X(name) __typeof__(PQ##name) *(name);
    HAFT__LIBPQ_FUNCTIONS(X)
#undef X
} haft__libpq;

/* The library is never unloaded. UNSUPPORTED if it is not installed or too old. From any thread. */
HAFT_MUST_USE haft_status haft__libpq_load(const haft__libpq **ret_functions, haft_error *err);

#endif
