/* SPDX-License-Identifier: Apache-2.0 */
/* store/postgres/doctor.h - turns facts about a PostgreSQL server into findings of `haft
 * doctor`. */
#ifndef HAFT_STORE_POSTGRES_DOCTOR_H
#define HAFT_STORE_POSTGRES_DOCTOR_H

#include "store/store.h"

#define HAFT__PG_FINDINGS 8

/* The limits on connections: of the server, the database, the role. */
#define HAFT__PG_BOUNDS 3

typedef struct haft__pg_facts {
    haft_str server; /* server version */
    bool standby;
    bool made;         /* the tables exist, and the facts about them below are set */
    uint64_t version;  /* of the tables */
    uint64_t versions; /* number of rows in the version table */
    uint64_t torn;     /* runs that lack their row in haft.about */
    haft_str role;
    bool superuser;
    bool rights; /* the role has the privileges that haft needs on the tables */
    haft_str isolation, synchronous_commit;
    bool syncs;                                 /* fsync and full_page_writes are on */
    uint64_t database_ms, asked_ms, machine_ms; /* machine_ms: when the answer arrived */
    struct {
        uint64_t used, most; /* most 0: no limit */
    } connections[HAFT__PG_BOUNDS];
} haft__pg_facts;

/* NO_MEMORY. */
HAFT_MUST_USE haft_status haft__pg_doctor_findings(const haft__pg_facts *facts, haft__arena *arena,
                                                   haft__store_finding rows[HAFT__PG_FINDINGS],
                                                   haft_error *err);

#endif
