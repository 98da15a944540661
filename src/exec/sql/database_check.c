/* SPDX-License-Identifier: Apache-2.0 */
/* database_check.c - connects to databases. Tests: tests/cli/sql_test.py, tests/cli/sql_pg_test.py.
 */
#include "exec/sql/database_check.h"

#include "base/error.h"
#include "base/str.h"
#include "exec/sql/call.h"

static const char writer_hint[] =
    "connect as a role that may only SELECT; execute_sql does not write with this one either";

/* Describes the database in `finding`; an error of the database is a finding. */
static haft_status examine(haft__arena *arena, const haft__spec *spec, const haft__spec_env *env,
                           const haft__database *database, haft__database_finding *finding,
                           haft_error *err)
{
    haft__sql_request request = {.stop = NULL};
    haft_error failed = {.status = HAFT_OK};
    char version[HAFT__SQL_VERSION_BYTES], risk[HAFT__SQL_RISK_BYTES] = "";
    haft_status status = haft__sql_request_init(arena, spec, env, database, &request, &failed);
    if (status == HAFT_OK) {
        status = haft__sql_read_version(&request, version, &failed);
    }
    if (status == HAFT_OK) {
        status = haft__sql_find_risk(&request, risk, &failed);
    }
    finding->name = database->name;
    finding->good = status == HAFT_OK && risk[0] == '\0';
    if (status != HAFT_OK) {
        finding->text = haft__arena_format(arena, "%s%s%s", failed.where,
                                           failed.where[0] != '\0' ? ": " : "", failed.message);
        finding->hint = haft__arena_copy(arena, haft__str(failed.hint));
    } else {
        finding->text =
            haft__arena_copy(arena, haft__str(risk[0] != '\0' ? risk : "it can be read"));
        finding->hint = haft__str(risk[0] != '\0' ? writer_hint : "");
    }
    return finding->text.ptr != NULL && finding->hint.ptr != NULL ? HAFT_OK
                                                                  : haft__arena_fail(arena, err);
}

haft_status haft__database_check(haft__arena *arena, const haft__spec *spec,
                                 const haft__spec_env *env,
                                 const haft__database_finding **ret_findings, haft_error *err)
{
    haft__database_finding *findings =
        haft__arena_array(arena, spec->database_count, sizeof(*findings));
    haft_status status = findings != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (size_t i = 0; status == HAFT_OK && i < spec->database_count; i++) {
        status = examine(arena, spec, env, &spec->databases[i], &findings[i], err);
    }
    *ret_findings = findings;
    return status;
}
