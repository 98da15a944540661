/* SPDX-License-Identifier: Apache-2.0 */
/* exec/secrets.h - which texts must never be written down. */
#ifndef HAFT_EXEC_SECRETS_H
#define HAFT_EXEC_SECRETS_H

#include "run/redact/redact.h"
#include "spec/load/load.h"

/* The secrets of a spec and of this process: the key of its model, every variable that the spec
 * puts into environments, headers, URLs and keys, and variables whose names say so (API_KEY,
 * ..._TOKEN). The redactor lives in `arena`. A variable that is missing is no failure here. */
HAFT_MUST_USE haft_status haft__secrets_collect(const haft__spec *spec, const haft__spec_env *env,
                                                haft__arena *arena, haft__redactor **ret_redactor,
                                                haft_error *err);

/* A variable that comes from somewhere else than the environment of this process. */
typedef struct haft__variable {
    haft_str name, value;
} haft__variable;

/* Adds those of them that the same would be done to in the environment. */
HAFT_MUST_USE haft_status haft__secrets_add(haft__redactor *redactor,
                                            const haft__variable *variables, size_t count,
                                            haft_error *err);

#endif
