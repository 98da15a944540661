/* SPDX-License-Identifier: Apache-2.0 */
/* exec/secrets.h - collects the texts that must be redacted. */
#ifndef HAFT_EXEC_SECRETS_H
#define HAFT_EXEC_SECRETS_H

#include "run/redact/redact.h"
#include "spec/load/load.h"

/* Collects the secrets of a spec and of this process: the key of its model, every variable that the
 * spec uses in environments, headers, URLs and keys, and variables whose names mark them as secret
 * (API_KEY, ..._TOKEN); also those of its agents. The redactor lives in `arena`. A missing variable
 * is not an error. */
HAFT_MUST_USE haft_status haft__secrets_collect(const haft__spec *spec, const haft__spec_env *env,
                                                haft__arena *arena, haft__redactor **ret_redactor,
                                                haft_error *err);

/* Adds the secrets of another spec that a run with this redactor can use. */
HAFT_MUST_USE haft_status haft__secrets_collect_more(haft__redactor *redactor,
                                                     const haft__spec *spec,
                                                     const haft__spec_env *env, haft_error *err);

/* A variable from another source than the environment of this process. */
typedef struct haft__variable {
    haft_str name, value;
} haft__variable;

/* Adds the variables that would count as secrets if they were in the environment. */
HAFT_MUST_USE haft_status haft__secrets_add(haft__redactor *redactor,
                                            const haft__variable *variables, size_t count,
                                            haft_error *err);

#endif
