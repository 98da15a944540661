/* SPDX-License-Identifier: Apache-2.0 */
/* store/postgres/doctor.h - turns facts about a PostgreSQL server into findings of `haft
 * doctor`. */
#ifndef HAFT_STORE_POSTGRES_DOCTOR_H
#define HAFT_STORE_POSTGRES_DOCTOR_H

#include "store/store.h"

#define HAFT__PG_FINDINGS 8

/* The limits on connections: of the server, the database, the role. */
#define HAFT__PG_CONNECTION_LIMITS 3

typedef struct haft__pg_facts {
    haft_str server; /* server version */
    bool standby;
    bool tables_exist;        /* and the facts about the tables below are set */
    uint64_t version;         /* of the tables */
    uint64_t versions;        /* number of rows in the version table */
    uint64_t incomplete_runs; /* runs that lack their row in haft.about */
    haft_str role;
    bool superuser;
    bool has_privileges; /* the role has the privileges that haft needs on the tables */
    haft_str isolation, synchronous_commit;
    bool fsync_on;                                   /* fsync and full_page_writes are on */
    uint64_t database_ms, requested_ms, received_ms; /* requested_ms and received_ms: by this
                                                        machine's clock */
    struct {
        uint64_t used, max; /* max 0: no limit */
    } connections[HAFT__PG_CONNECTION_LIMITS];
} haft__pg_facts;

/* NO_MEMORY. */
HAFT_MUST_USE haft_status haft__pg_doctor_findings(const haft__pg_facts *facts, haft__arena *arena,
                                                   haft__store_finding rows[HAFT__PG_FINDINGS],
                                                   haft_error *err);

#endif
