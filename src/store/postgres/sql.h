/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/postgres/sql.h - every statement of the PostgreSQL store, and its tables. docs/store.md
 * explains the tables.
 *
 * Names are qualified with their schema, so that the search_path has no effect. Numbers are
 * returned as bigint, so that each has eight bytes. Columns that are compared by order have the
 * collation "C".
 */
#ifndef HAFT_STORE_POSTGRES_SQL_H
#define HAFT_STORE_POSTGRES_SQL_H

/* Statements are readable only with their own line breaks. */
/* clang-format off */

/* The version of the tables. An older version is rejected. A newer version is rejected unless its
 * column `oldest`, the oldest version whose programs can use the tables, allows it. */
#define HAFT__PG_VERSION 2

/* The advisory lock for creating tables; an arbitrary number. */
#define HAFT__PG_SCHEMA_LOCK_KEY "7521983765010"

/* The index key of a thread: names can be longer than an index entry allows. */
#define HAFT__PG_THREAD(name) "hashtextextended(" name ", 0)"

/* The privileges that a role needs if it does not own the tables. */
#define HAFT__PG_GRANT                                                                             \
    "USAGE ON SCHEMA haft and SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA haft"

/* ---- the tables ---- */

#define HAFT__PG_TABLES(X)                                                                         \
    X("CREATE TABLE haft.meta (version bigint NOT NULL, oldest bigint NOT NULL)")                  \
    X("CREATE TABLE haft.runs ("                                                                   \
      "id text COLLATE \"C\" PRIMARY KEY, number bigint GENERATED ALWAYS AS IDENTITY, "            \
      "state smallint NOT NULL, seq bigint NOT NULL, bytes bigint NOT NULL, "                      \
      "checksum bytea NOT NULL, epoch bigint NOT NULL, owner text COLLATE \"C\" NOT NULL, "        \
      "lease bigint NOT NULL, created bigint NOT NULL, updated bigint NOT NULL, "                  \
      "ended bigint NOT NULL, wake bigint NOT NULL, due bigint, turns bigint NOT NULL, "           \
      "calls bigint NOT NULL, thread text COLLATE \"C\" NOT NULL, "                                \
      "parent text COLLATE \"C\" NOT NULL, ending text COLLATE \"C\" NOT NULL) "                   \
      "WITH (fillfactor = 70)")                                                                    \
    X("CREATE INDEX runs_thread ON haft.runs (" HAFT__PG_THREAD("thread") ", number)")             \
    X("CREATE INDEX runs_ahead ON haft.runs (" HAFT__PG_THREAD("thread") ", number) "              \
                                                                         "WHERE state < 2")        \
    X("CREATE INDEX runs_created ON haft.runs (created, id)")                                      \
    X("CREATE INDEX runs_open ON haft.runs (id) WHERE state < 2")                                  \
    X("CREATE INDEX runs_ended ON haft.runs (ended, number) WHERE state = 2")                      \
    X("CREATE INDEX runs_owner ON haft.runs USING hash (owner) WHERE owner <> ''")                 \
    X("CREATE INDEX runs_owned ON haft.runs (number) WHERE owner <> ''")                           \
    X("CREATE INDEX runs_due ON haft.runs (due, number) WHERE due IS NOT NULL")                    \
    X("CREATE TABLE haft.about ("                                                                  \
      "run text COLLATE \"C\" PRIMARY KEY, user_name text COLLATE \"C\" NOT NULL, "                \
      "name text COLLATE \"C\" NOT NULL, spec_hash text COLLATE \"C\" NOT NULL, "                  \
      "spec_path text COLLATE \"C\" NOT NULL, task_sha256 text COLLATE \"C\" NOT NULL, "           \
      "task bytea NOT NULL, spec_sha256 text COLLATE \"C\" NOT NULL, spec bytea NOT NULL, "        \
      "answer bytea NOT NULL)")                                                                    \
    X("CREATE TABLE haft.events ("                                                                 \
      "run text COLLATE \"C\" NOT NULL, seq bigint NOT NULL, checksum bytea NOT NULL, "            \
      "body bytea NOT NULL, PRIMARY KEY (run, seq))")                                              \
    X("CREATE TABLE haft.artifacts ("                                                              \
      "run text COLLATE \"C\" NOT NULL, name_sha256 bytea NOT NULL, seq bigint NOT NULL, "         \
      "name bytea NOT NULL, media_type bytea NOT NULL, sha256 text COLLATE \"C\" NOT NULL, "       \
      "content bytea NOT NULL, PRIMARY KEY (run, name_sha256, seq))")                              \
    X("CREATE TABLE haft.messages ("                                                               \
      "run text COLLATE \"C\" NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, "                  \
      "body bytea NOT NULL, PRIMARY KEY (run, id))")                                               \
    X("CREATE TABLE haft.cache ("                                                                  \
      "key bytea PRIMARY KEY, number bigint GENERATED BY DEFAULT AS IDENTITY, "                    \
      "until bigint NOT NULL, result bytea NOT NULL)")                                             \
    X("CREATE INDEX cache_number ON haft.cache (number)")                                          \
    X("CREATE INDEX cache_until ON haft.cache (until) WHERE until > 0")                            \
    X("INSERT INTO haft.meta (version, oldest) VALUES (2, 2)")

/* ---- transactions ---- */

#define HAFT__PG_BEGIN_WRITE "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
#define HAFT__PG_BEGIN_READ  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
#define HAFT__PG_COMMIT      "COMMIT"
#define HAFT__PG_ROLLBACK    "ROLLBACK"

/* $1: the time to use instead of the clock, or NULL; returns the time. The other settings hold for
 * this transaction: $2 limits the wait for a lock, $3 a statement, $4 the wait for this process. A
 * commit waits for the disk. */
#define HAFT__PG_SETTINGS                                                                          \
    "coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint), "               \
    "set_config('lock_timeout', $2, true), set_config('statement_timeout', $3, true), "            \
    "set_config('idle_in_transaction_session_timeout', $4, true), "                                \
    "CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') "                         \
    "THEN set_config('synchronous_commit', 'on', true) END"
/* Returns the start time of the server in microseconds, which identifies it, and whether it is a
 * standby. */
#define HAFT__PG_SERVER                                                                            \
    "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, "                         \
    "pg_is_in_recovery()::int::bigint"
#define HAFT__PG_META                                                                              \
    "SELECT " HAFT__PG_SETTINGS ", " HAFT__PG_SERVER ", version, oldest FROM haft.meta"
#define HAFT__PG_BEGIN_INFO                                                                        \
    "SELECT " HAFT__PG_SETTINGS ", " HAFT__PG_SERVER ", 0::bigint, 0::bigint"

/* Whether the database has haft's schema, its version table, and any other object in the schema. */
#define HAFT__PG_IDENTIFY                                                                          \
    "SELECT (to_regnamespace('haft') IS NOT NULL)::int::bigint, "                                  \
    "(to_regclass('haft.meta') IS NOT NULL)::int::bigint, "                                        \
    "(SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('haft'))"
#define HAFT__PG_SCHEMA_LOCK   "SELECT pg_advisory_xact_lock(" HAFT__PG_SCHEMA_LOCK_KEY ")"
#define HAFT__PG_CREATE_SCHEMA "CREATE SCHEMA haft"
/* Needs write privileges, but changes nothing. */
#define HAFT__PG_LOCK_META   "SELECT version FROM haft.meta FOR UPDATE"
#define HAFT__PG_READ_META   "SELECT version, oldest FROM haft.meta"

/* ---- runs ---- */

#define HAFT__PG_HEAD_COLUMNS                                                                      \
    "SELECT id, state::bigint, seq, bytes, epoch, owner, lease, checksum, number, "                \
    "(thread <> '')::int::bigint FROM haft.runs "
#define HAFT__PG_HEAD HAFT__PG_HEAD_COLUMNS "WHERE id = $1"
/* The order is always the same, so that two sessions that lock the same runs do not deadlock. */
#define HAFT__PG_HEADS_LOCK                                                                        \
    HAFT__PG_HEAD_COLUMNS "WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE"

/* Until the end of the transaction no other session creates a run of the thread, so that numbers
 * are drawn in the order in which they become visible. */
#define HAFT__PG_THREAD_LOCK "SELECT pg_advisory_xact_lock(" HAFT__PG_THREAD("$1::text") ")"
#define HAFT__PG_OPEN_IN_THREAD                                                                    \
    "SELECT id, state::bigint FROM haft.runs "                                                     \
    "WHERE " HAFT__PG_THREAD("thread") " = " HAFT__PG_THREAD("$1::text") " "                       \
    "AND thread = $1 AND state < 2 ORDER BY number LIMIT 1"
/* Each parameter is an array with one element per row, as in all statements with unnest. */
#define HAFT__PG_RUN_ADD                                                                           \
    "INSERT INTO haft.runs (id, state, seq, bytes, checksum, owner, lease, created, "              \
    "updated, ended, wake, due, turns, calls, thread, parent, ending, epoch) SELECT * FROM "       \
    "unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::text[], "       \
    "$7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], "      \
    "$13::bigint[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::bigint[])"
#define HAFT__PG_ABOUT_ADD                                                                         \
    "INSERT INTO haft.about (run, user_name, name, spec_hash, spec_path, task_sha256, task, "      \
    "spec_sha256, spec, answer) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], "         \
    "$4::text[], $5::text[], $6::text[], $7::bytea[], $8::text[], $9::bytea[], $10::bytea[])"
#define HAFT__PG_EVENTS_ADD                                                                        \
    "INSERT INTO haft.events (run, seq, checksum, body) SELECT * FROM "                            \
    "unnest($1::text[], $2::bigint[], $3::bytea[], $4::bytea[])"
#define HAFT__PG_EVENT_ADD                                                                         \
    "INSERT INTO haft.events (run, seq, checksum, body) VALUES ($1, $2::bigint, $3, $4)"
#define HAFT__PG_ARTIFACT_ADD                                                                      \
    "INSERT INTO haft.artifacts (run, name_sha256, seq, name, media_type, sha256, content) "       \
    "VALUES ($1, sha256($3), $2, $3, $4, $5, $6) ON CONFLICT (run, name_sha256, seq) DO UPDATE "   \
    "SET media_type = excluded.media_type, sha256 = excluded.sha256, content = excluded.content"

/* The compare-and-set: $2 and $3 are the expected last event and epoch. A run that has ended has no
 * owner. */
#define HAFT__PG_RUNS_UPDATE                                                                       \
    "UPDATE haft.runs SET seq = n.seq, bytes = runs.bytes + n.bytes, updated = n.updated, "        \
    "ended = CASE n.state WHEN 2 THEN n.updated ELSE 0 END, wake = n.wake, turns = n.turns, "      \
    "calls = n.calls, lease = n.lease, owner = CASE n.state WHEN 2 THEN '' ELSE runs.owner END, "  \
    "state = n.state, checksum = n.checksum, ending = n.ending FROM unnest($1::text[], "           \
    "$2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], "         \
    "$8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bytea[], $13::text[]) AS n "   \
    "(id, before, epoch, seq, bytes, updated, wake, turns, calls, lease, state, checksum, "        \
    "ending) WHERE runs.id = n.id AND runs.seq = n.before AND runs.epoch = n.epoch"
#define HAFT__PG_RUN_UPDATE                                                                        \
    "UPDATE haft.runs SET seq = $4::bigint, bytes = bytes + $5::bigint, updated = $6::bigint, "    \
    "ended = CASE $11::bigint WHEN 2 THEN $6::bigint ELSE 0 END, wake = $7::bigint, "              \
    "turns = $8::bigint, calls = $9::bigint, lease = $10::bigint, "                                \
    "owner = CASE $11::bigint WHEN 2 THEN '' ELSE owner END, state = $11::bigint, "                \
    "checksum = $12, ending = $13 WHERE id = $1 AND seq = $2::bigint AND epoch = $3::bigint"
#define HAFT__PG_ANSWER                                                                            \
    "UPDATE haft.about SET answer = n.answer FROM unnest($1::text[], $2::bytea[]) "                \
    "AS n (run, answer) WHERE about.run = n.run"
/* The first of the messages $2 that does not exist for the run, or occurs twice in $2. */
#define HAFT__PG_MESSAGES_MISSING                                                                  \
    "SELECT x FROM (SELECT x, n, row_number() OVER (PARTITION BY x ORDER BY n) AS k "              \
    "FROM unnest($2::bigint[]) WITH ORDINALITY AS u(x, n)) s WHERE k > 1 OR NOT EXISTS "           \
    "(SELECT 1 FROM haft.messages m WHERE m.run = $1 AND m.id = s.x) ORDER BY n LIMIT 1"
#define HAFT__PG_MESSAGES_USED                                                                     \
    "DELETE FROM haft.messages WHERE run = $1 AND id = ANY ($2::bigint[])"
#define HAFT__PG_MESSAGES_DROP "DELETE FROM haft.messages WHERE run = ANY ($1::text[])"

/* The runs $1 are about to end or to be removed. The statement makes the next run of each thread
 * due if it has no owner. It is sent after HAFT__PG_THREADS_LOCK. A session that creates a run of
 * the thread takes that lock too, so that the session that is second sees the effect of the
 * first. */
#define HAFT__PG_NEXT_DUE                                                                          \
    "UPDATE haft.runs n SET due = CASE WHEN n.state = 0 OR EXISTS (SELECT 1 FROM haft.messages m " \
    "WHERE m.run = n.id) THEN n.updated WHEN n.wake > 0 THEN n.wake END "                          \
    "WHERE n.owner = '' AND n.due IS NULL AND n.id IN (SELECT (SELECT b.id FROM haft.runs b "      \
    "WHERE " HAFT__PG_THREAD("b.thread") " = " HAFT__PG_THREAD("t.thread") " "                     \
    "AND b.thread = t.thread AND b.state < 2 AND b.id <> ALL ($1::text[]) ORDER BY b.number "      \
    "LIMIT 1) FROM (SELECT DISTINCT thread FROM haft.runs WHERE id = ANY ($1::text[]) "            \
    "AND thread <> '') t)"

/* The columns of a run in the order in which list.c reads them. */
#define HAFT__PG_ROW                                                                               \
    "r.id, r.state::bigint, r.seq, r.epoch, r.owner, r.lease, r.created, r.updated, r.wake, "      \
    "r.turns, r.calls, r.thread, r.parent, a.user_name, a.name, a.spec_hash, a.spec_path, "        \
    "r.ending, a.task_sha256, a.task"
#define HAFT__PG_ROW_FULL HAFT__PG_ROW ", a.answer, a.spec_sha256, a.spec"
#define HAFT__PG_FROM      " FROM haft.runs r LEFT JOIN haft.about a ON a.run = r.id "

/* $2 owner, $3 lease. A run with an owner is not due. The LEFT JOIN also finds a run whose texts
 * are missing, so that it is reported as damaged. */
#define HAFT__PG_CLAIMED(which)                                                                    \
    "WITH k AS MATERIALIZED (SELECT " which ") "                                                   \
    "UPDATE haft.runs r SET epoch = r.epoch + 1, owner = $2, lease = $3, due = NULL "              \
    "FROM k LEFT JOIN haft.about a ON a.run = k.id WHERE r.id = k.id "                             \
    "RETURNING " HAFT__PG_ROW_FULL
#define HAFT__PG_CLAIM HAFT__PG_CLAIMED("$1::text AS id")

/* The owners of runs, except $1 and owners whose lease has expired at $2. */
#define HAFT__PG_OWNERS                                                                            \
    "SELECT DISTINCT owner FROM haft.runs WHERE owner <> '' AND owner <> $1 AND lease > $2 "       \
    "LIMIT $3"
/* $1 now, $2 owner, $3 lease, $4 ids to skip, $5 dead owners. $5 contains $2 itself if the request
 * has `reclaim_own`. Runs that another process is claiming at the moment are skipped. */
#define HAFT__PG_CLAIM_NEXT(which, order)                                                          \
    HAFT__PG_CLAIMED(                                                                              \
        "w.id FROM haft.runs w WHERE " which " AND w.id <> ALL ($4::text[]) "                      \
        "AND NOT EXISTS (SELECT 1 FROM haft.runs b WHERE w.thread <> '' "                          \
        "AND " HAFT__PG_THREAD("b.thread") " = " HAFT__PG_THREAD("w.thread") " "                   \
        "AND b.thread = w.thread AND b.number < w.number AND b.state < 2) "                        \
        "ORDER BY " order " LIMIT 1 FOR UPDATE SKIP LOCKED")
#define HAFT__PG_CLAIM_ORPHANED                                                                    \
    HAFT__PG_CLAIM_NEXT("w.owner <> '' AND ((w.owner <> $2 AND w.lease <= $1::bigint) "            \
                   "OR w.owner = ANY ($5::text[]))",                                               \
                   "w.lease, w.number")
#define HAFT__PG_CLAIM_FREE HAFT__PG_CLAIM_NEXT("w.due <= $1::bigint", "w.due, w.number")
/* Whether an earlier claim took effect. The row is locked first. */
#define HAFT__PG_RECLAIM_LOCK "SELECT 1 FROM haft.runs WHERE id = $1 FOR UPDATE"
#define HAFT__PG_RECLAIM                                                                           \
    "SELECT " HAFT__PG_ROW_FULL HAFT__PG_FROM "WHERE r.id = $1 AND r.epoch = $2 AND r.owner = $3"
/* Rows that another session has locked are skipped, so that the leases of all other runs are
 * renewed without waiting. */
#define HAFT__PG_RENEW                                                                             \
    "UPDATE haft.runs SET lease = $2 WHERE id IN (SELECT id FROM haft.runs WHERE owner = $1 "      \
    "AND owner <> '' FOR UPDATE SKIP LOCKED)"
/* Sets the time when a worker should continue the run: now ($3), or at its deadline; never if it
 * waits for people. */
#define HAFT__PG_RELEASE                                                                           \
    "UPDATE haft.runs SET owner = '', lease = 0, updated = $3, due = CASE WHEN state = 0 "         \
    "OR EXISTS (SELECT 1 FROM haft.messages m WHERE m.run = $1) THEN $3::bigint "                  \
    "WHEN wake > 0 THEN greatest(wake, $3::bigint) END "                                           \
    "WHERE id = $1 AND epoch = $2 AND owner <> ''"

/* Deletes everything of the runs $1, one statement per table. */
#define HAFT__PG_DELETE_RUN(X)                                                                     \
    X("DELETE FROM haft.runs WHERE id = ANY ($1::text[])")                                         \
    X("DELETE FROM haft.events WHERE run = ANY ($1::text[])")                                      \
    X("DELETE FROM haft.artifacts WHERE run = ANY ($1::text[])")                                   \
    X("DELETE FROM haft.messages WHERE run = ANY ($1::text[])")                                    \
    X("DELETE FROM haft.about WHERE run = ANY ($1::text[])")

/* ---- messages and cache ---- */

#define HAFT__PG_MESSAGE_COUNT "SELECT count(*) FROM haft.messages WHERE run = $1"
#define HAFT__PG_MESSAGE_ADD   "INSERT INTO haft.messages (run, body) VALUES ($1, $2)"
#define HAFT__PG_MESSAGE_WAKE                                                                      \
    "UPDATE haft.runs SET due = $2 WHERE id = $1 AND state = 1 AND owner = '' "                    \
    "AND (due IS NULL OR due > $2)"
/* Messages of runs to other runs. They follow all updates of the transaction, so that a message to
 * a run that ends in it is dropped. */
#define HAFT__PG_MESSAGES_ADD                                                                      \
    "INSERT INTO haft.messages (run, body) SELECT n.run, n.body FROM unnest($1::text[], "          \
    "$2::bytea[]) AS n (run, body) JOIN haft.runs r ON r.id = n.run WHERE r.state < 2"
#define HAFT__PG_MESSAGES_WAKE                                                                     \
    "UPDATE haft.runs SET due = n.at FROM unnest($1::text[], $2::bigint[]) AS n (run, at) "        \
    "WHERE runs.id = n.run AND runs.state = 1 AND runs.owner = '' "                                \
    "AND (runs.due IS NULL OR runs.due > n.at)"
#define HAFT__PG_CACHE_KEY "sha256(sha256($1) || $2)"
#define HAFT__PG_CACHE_PUT                                                                        \
    "INSERT INTO haft.cache (key, until, result) VALUES (" HAFT__PG_CACHE_KEY                      \
    ", $3, $4) ON CONFLICT (key) DO UPDATE SET number = excluded.number, "                         \
    "until = excluded.until, result = excluded.result RETURNING number"
#define HAFT__PG_CACHE_TRIM "DELETE FROM haft.cache WHERE number <= $1"
#define HAFT__PG_CACHE_EXPIRE  "DELETE FROM haft.cache WHERE until > 0 AND until <= $1"
#define HAFT__PG_CACHE_GET                                                                         \
    "SELECT result FROM haft.cache WHERE key = " HAFT__PG_CACHE_KEY " AND (until = 0 OR until > $3)"

/* ---- garbage collection ---- */

#define HAFT__PG_RUNS_KEPT                                                                         \
    "SELECT ended FROM haft.runs WHERE state = 2 AND (thread <> id OR parent = '') "               \
    "ORDER BY ended DESC OFFSET $1 LIMIT 1"
/* True if a run that has ended must be kept: it is too new ($1), it is not a child and its end is
 * not one of $2 (if $2 is not empty), its parent has not ended, or it is a child whose parent
 * exists. The parent is a scalar subselect, so that the planner never builds a table of all
 * runs. */
#define HAFT__PG_IS_KEPT(run)                                                                   \
    "(" run ".ended >= $1::bigint "                                                                \
    "OR (cardinality($2::text[]) > 0 AND (" run ".thread <> " run ".id OR " run ".parent = '') "   \
    "AND " run ".ending <> ALL ($2::text[])) "                                                     \
    "OR coalesce((SELECT p.state < 2 OR " run ".thread = " run ".id FROM haft.runs p "             \
    "WHERE p.id = " run ".parent), false))"
/* The selected runs, each with its sort key (time and number) and whether it may be removed. A run
 * must not be removed if another run of its thread must be kept. Every thread is checked once. */
#define HAFT__PG_RUNS_EXPIRED(which)                                                               \
    "WITH old AS MATERIALIZED (SELECT r.id, r.ended, r.number, r.thread, "                         \
    "NOT " HAFT__PG_IS_KEPT("r") " AS due "                                                     \
    "FROM haft.runs r WHERE r.state = 2 AND r.ended < $1::bigint AND " which "), "                 \
    "threads AS MATERIALIZED (SELECT n.thread, (SELECT 1 FROM haft.runs t "                        \
    "WHERE " HAFT__PG_THREAD("t.thread") " = " HAFT__PG_THREAD("n.thread") " "                     \
    "AND t.thread = n.thread AND (t.state < 2 OR " HAFT__PG_IS_KEPT("t") ") LIMIT 1) "          \
    "AS stays FROM (SELECT DISTINCT thread FROM old WHERE due AND thread <> '') n) "               \
    "SELECT o.id, o.ended, o.number, (o.due AND n.stays IS NULL)::int::bigint "                    \
    "FROM old o LEFT JOIN threads n ON n.thread = o.thread ORDER BY o.ended, o.number"
/* The next $5 runs after the last one that was checked; $3 and $4 are its time and number. */
#define HAFT__PG_RUNS_NEXT                                                                         \
    HAFT__PG_RUNS_EXPIRED("(r.ended, r.number) > ($3::bigint, $4::bigint) "                        \
                      "ORDER BY r.ended, r.number LIMIT $5")
/* The runs of $3 that still exist. Rows that another session has locked are skipped. */
#define HAFT__PG_RUNS_RECHECK                                                                      \
    HAFT__PG_RUNS_EXPIRED("r.id = ANY ($3::text[]) FOR UPDATE SKIP LOCKED")

/* Locks the threads of the runs $1. The order is always the same, so that two sessions do not
 * deadlock. */
#define HAFT__PG_THREADS_LOCK                                                                      \
    "SELECT pg_advisory_xact_lock(h) FROM (SELECT DISTINCT " HAFT__PG_THREAD("thread") " AS h "    \
    "FROM haft.runs WHERE id = ANY ($1::text[]) AND thread <> '' ORDER BY h OFFSET 0) s"

/* ---- reading ---- */

#define HAFT__PG_EVENTS_CHECKSUM                                                                   \
    "SELECT seq, checksum FROM haft.events WHERE run = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1"
/* The rows after that one, up to one row past the row with event $3. */
#define HAFT__PG_EVENTS                                                                            \
    "SELECT seq, checksum, body FROM haft.events WHERE run = $1 AND seq > coalesce((SELECT seq "   \
    "FROM haft.events WHERE run = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1), 0) "                \
    "AND seq <= coalesce((SELECT seq FROM haft.events WHERE run = $1 AND seq > $3 ORDER BY seq "   \
    "LIMIT 1), $4) ORDER BY seq"
#define HAFT__PG_FIND_PREFIX                                                                       \
    "SELECT " HAFT__PG_ROW_FULL HAFT__PG_FROM                                                     \
    "WHERE r.id >= $1 AND r.id < $1 || '~' ORDER BY r.id LIMIT 2"
#define HAFT__PG_FIND_LAST                                                                         \
    "SELECT " HAFT__PG_ROW_FULL HAFT__PG_FROM "WHERE r.thread <> r.id "                            \
    "ORDER BY r.created DESC, r.id DESC LIMIT 1"
#define HAFT__PG_LIST                                                                              \
    "SELECT " HAFT__PG_ROW HAFT__PG_FROM "WHERE r.id < $1 ORDER BY r.id DESC LIMIT $2"
#define HAFT__PG_LIST_OPEN                                                                         \
    "SELECT " HAFT__PG_ROW HAFT__PG_FROM                                                           \
    "WHERE r.state < 2 AND r.id < $1 ORDER BY r.id DESC LIMIT $2"
#define HAFT__PG_IN_THREAD                                                                         \
    "WHERE " HAFT__PG_THREAD("r.thread") " = " HAFT__PG_THREAD("$1::text") " AND r.thread = $1 "
#define HAFT__PG_LIST_THREAD                                                                       \
    "SELECT " HAFT__PG_ROW HAFT__PG_FROM HAFT__PG_IN_THREAD                                        \
    "AND r.id < $2 AND r.state < $3 ORDER BY r.id DESC LIMIT $4"
#define HAFT__PG_THREAD_HISTORY                                                                    \
    "SELECT r.id, r.created, r.ending, a.task_sha256, a.task, "                                    \
    "a.answer" HAFT__PG_FROM HAFT__PG_IN_THREAD "AND r.state = 2 AND r.number < "                  \
    "coalesce((SELECT number FROM haft.runs WHERE id = $2), $3) ORDER BY r.number DESC LIMIT $4"
/* Runs that wait for an earlier run of their thread, not for people. */
#define HAFT__PG_LIST_BLOCKED                                                                      \
    "SELECT r.id, r.state::bigint, r.owner, r.lease FROM haft.runs r WHERE r.state = 0 "           \
    "AND r.thread <> '' AND r.id < $1 AND EXISTS (SELECT 1 FROM haft.runs b "                      \
    "WHERE " HAFT__PG_THREAD("b.thread") " = " HAFT__PG_THREAD("r.thread") " "                     \
    "AND b.thread = r.thread AND b.number < r.number AND b.state < 2) ORDER BY r.id DESC LIMIT $2"
#define HAFT__PG_PREDECESSORS                                                                      \
    "SELECT r.id, r.state::bigint, r.owner, r.lease FROM haft.runs m JOIN haft.runs r "            \
    "ON " HAFT__PG_THREAD("r.thread") " = " HAFT__PG_THREAD(                                       \
        "m.thread") " AND r.thread = m.thread AND r.number < "                                     \
                    "m.number "                                                                    \
                    "WHERE m.id = $1 AND r.state < 2 ORDER BY "                                    \
                    "r.number LIMIT $2"
/* The oldest messages, up to $3 bytes in total, and one more. */
#define HAFT__PG_MESSAGES_PAGE                                                                     \
    "SELECT id, run, body FROM (SELECT id, run, body, sum(length(body)) OVER (ORDER BY id ROWS "   \
    "UNBOUNDED PRECEDING) - length(body) AS before FROM ("
#define HAFT__PG_MESSAGES_PAGE_END ") m) s WHERE before < $3 ORDER BY id"
#define HAFT__PG_RECEIVE_RUN                                                                       \
    HAFT__PG_MESSAGES_PAGE                                                                         \
    "SELECT id, run, body FROM haft.messages WHERE run = $1 ORDER BY id LIMIT $2"                  \
    HAFT__PG_MESSAGES_PAGE_END
#define HAFT__PG_RECEIVE                                                                           \
    HAFT__PG_MESSAGES_PAGE "SELECT m.id, m.run, m.body FROM haft.runs r JOIN haft.messages m "     \
                     "ON m.run = r.id WHERE r.owner = $1 AND r.owner <> '' ORDER BY m.id "         \
                     "LIMIT $2" HAFT__PG_MESSAGES_PAGE_END
#define HAFT__PG_ARTIFACT                                                                          \
    "SELECT media_type, sha256, content FROM haft.artifacts WHERE run = $1 "                       \
    "AND name_sha256 = sha256($2) ORDER BY seq DESC LIMIT 1"

/* clang-format on */

#endif
