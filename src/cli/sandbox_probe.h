/* SPDX-License-Identifier: Apache-2.0 */
/* cli/sandbox_probe.h - the sandbox of this machine, for commands. */
#ifndef HAFT_CLI_SANDBOX_PROBE_H
#define HAFT_CLI_SANDBOX_PROBE_H

#include "exec/sandbox/sandbox.h"

/* Probes with the variables PATH and HAFT_SANDBOX_UID of this process. Blocks. Fails as
 * haft__sandbox_probe does. */
HAFT_MUST_USE haft_status haft__sandbox_probe_here(haft__arena *arena, bool no_namespaces,
                                                   haft__sandbox *ret_sandbox, haft_error *err);

#endif
