/* SPDX-License-Identifier: Apache-2.0 */
/* exec/sql/call.h - makes the request for the call of a tool or the command `haft sql`. */
#ifndef HAFT_EXEC_SQL_CALL_H
#define HAFT_EXEC_SQL_CALL_H

#include "exec/sql/sql.h"
#include "spec/load/load.h"

/* Finds the database that `name` names; without a name, the only one of the spec. NOT_FOUND with
 * the nearest name as a hint. */
HAFT_MUST_USE haft_status haft__sql_find_database(const haft__spec *spec, haft_str name,
                                                  const haft__database **ret_database,
                                                  haft_error *err);

/* Copies everything that a request for the database needs to the arena, and expands its URL. */
HAFT_MUST_USE haft_status haft__sql_request_init(haft__arena *arena, const haft__spec *spec,
                                                 const haft__spec_env *env,
                                                 const haft__database *database,
                                                 haft__sql_request *request, haft_error *err);

/* The request for the arguments of a tool: {database?, query, parameters?}. */
HAFT_MUST_USE haft_status haft__sql_call_prepare(haft__arena *arena, const haft__spec *spec,
                                                 const haft__spec_env *env, haft__json arguments,
                                                 haft__sql_request *request, haft_error *err);

#endif
