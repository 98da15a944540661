/* SPDX-License-Identifier: Apache-2.0 */
/* store/postgres/doctor.h - what `haft doctor` makes of what a PostgreSQL server says of itself. */
#ifndef HAFT_STORE_POSTGRES_DOCTOR_H
#define HAFT_STORE_POSTGRES_DOCTOR_H

#include "store/store.h"

#define HAFT__PG_FINDINGS 8

/* What bounds connections: the server, the database, the role. */
#define HAFT__PG_BOUNDS 3

typedef struct haft__pg_facts {
    haft_str server; /* its version */
    bool standby;
    bool made;         /* the tables are there; what follows of them, too */
    uint64_t version;  /* of the tables */
    uint64_t versions; /* rows that say so */
    uint64_t torn;     /* runs that lack their row in haft.about */
    haft_str role;
    bool superuser;
    bool rights; /* it may do with the tables what is done with them */
    haft_str isolation, synchronous_commit;
    bool syncs;                                 /* fsync and full_page_writes */
    uint64_t database_ms, asked_ms, machine_ms; /* machine: when the answer came */
    struct {
        uint64_t used, most; /* most 0: it has no bound of its own */
    } connections[HAFT__PG_BOUNDS];
} haft__pg_facts;

/* NO_MEMORY. */
HAFT_MUST_USE haft_status haft__pg_doctor_findings(const haft__pg_facts *facts, haft__arena *arena,
                                                   haft__store_finding rows[HAFT__PG_FINDINGS],
                                                   haft_error *err);

#endif
