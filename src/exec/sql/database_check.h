/* SPDX-License-Identifier: Apache-2.0 */
/* exec/sql/database_check.h - connects to the databases of a spec, and reports what a user should
 * know about them. Blocks. */
#ifndef HAFT_EXEC_SQL_DATABASE_CHECK_H
#define HAFT_EXEC_SQL_DATABASE_CHECK_H

#include "spec/load/load.h"

typedef struct haft__database_finding {
    haft_str name; /* of the database */
    bool good;
    haft_str text; /* what was found */
    haft_str hint; /* what to do; "" if it is good */
} haft__database_finding;

/* One finding for each database, in `arena`. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__database_check(haft__arena *arena, const haft__spec *spec,
                                               const haft__spec_env *env,
                                               const haft__database_finding **ret_findings,
                                               haft_error *err);

#endif
