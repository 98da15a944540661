/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/sqlite/sql.h - every statement of the SQLite store, and its tables. docs/store.md explains
 * the tables.
 */
#ifndef HAFT_STORE_SQLITE_SQL_H
#define HAFT_STORE_SQLITE_SQL_H

/* "haft" in the header of the file: identifies haft databases. */
#define HAFT__SQLITE_APPLICATION 0x68616674

/* The version of the tables; a database of another version is rejected. */
#define HAFT__SQLITE_VERSION 3

/* All objects of the database: kind, name, definition. SQLite stores the definition verbatim. A
 * database with a different definition is rejected. */
#define HAFT__SQLITE_SCHEMA(X)                                                                     \
    X(table, blobs,                                                                                \
      "CREATE TABLE blobs ("                                                                       \
      "id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, content BLOB NOT NULL) STRICT")        \
    X(table, runs,                                                                                 \
      "CREATE TABLE runs ("                                                                        \
      "number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, "                        \
      "state INTEGER NOT NULL, seq INTEGER NOT NULL, bytes INTEGER NOT NULL, "                     \
      "checksum BLOB NOT NULL, epoch INTEGER NOT NULL, owner TEXT NOT NULL, "                      \
      "lease INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, "               \
      "wake INTEGER NOT NULL, turns INTEGER NOT NULL, calls INTEGER NOT NULL, "                    \
      "ended INTEGER NOT NULL, "                                                                   \
      "task INTEGER NOT NULL REFERENCES blobs DEFERRABLE INITIALLY DEFERRED, "                     \
      "spec INTEGER NOT NULL REFERENCES blobs DEFERRABLE INITIALLY DEFERRED, "                     \
      "thread TEXT NOT NULL, parent TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL, "       \
      "spec_hash TEXT NOT NULL, spec_path TEXT NOT NULL, ending TEXT NOT NULL, "                   \
      "answer TEXT NOT NULL) STRICT")                                                              \
    X(index, runs_task, "CREATE INDEX runs_task ON runs (task)")                                   \
    X(index, runs_spec, "CREATE INDEX runs_spec ON runs (spec)")                                   \
    X(index, runs_thread, "CREATE INDEX runs_thread ON runs (thread, id)")                         \
    X(index, runs_created, "CREATE INDEX runs_created ON runs (created, id)")                      \
    X(index, runs_open, "CREATE INDEX runs_open ON runs (id) WHERE state < 2")                     \
    X(index, runs_ended, "CREATE INDEX runs_ended ON runs (updated) WHERE state = 2")              \
    X(index, runs_owner, "CREATE INDEX runs_owner ON runs (owner) WHERE owner <> ''")              \
    X(index, runs_queue, "CREATE INDEX runs_queue ON runs (thread, number) WHERE state < 2")       \
    X(index, runs_free, "CREATE INDEX runs_free ON runs (updated) WHERE state = 0 AND owner = ''") \
    X(index, runs_wake,                                                                            \
      "CREATE INDEX runs_wake ON runs (wake) WHERE state = 1 AND owner = '' AND wake > 0")         \
    X(table, events,                                                                               \
      "CREATE TABLE events ("                                                                      \
      "run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, seq INTEGER NOT NULL, "             \
      "checksum BLOB NOT NULL, body ANY NOT NULL, PRIMARY KEY (run, seq)) STRICT")                 \
    X(table, artifacts,                                                                            \
      "CREATE TABLE artifacts ("                                                                   \
      "run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, seq INTEGER NOT NULL, "             \
      "blob INTEGER NOT NULL REFERENCES blobs DEFERRABLE INITIALLY DEFERRED, "                     \
      "name TEXT NOT NULL, media_type TEXT NOT NULL, PRIMARY KEY (run, name, seq)) STRICT")        \
    X(index, artifacts_blob, "CREATE INDEX artifacts_blob ON artifacts (blob)")                    \
    X(table, messages,                                                                             \
      "CREATE TABLE messages ("                                                                    \
      "id INTEGER PRIMARY KEY AUTOINCREMENT, "                                                     \
      "run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, body TEXT NOT NULL) STRICT")        \
    X(index, messages_run, "CREATE INDEX messages_run ON messages (run)")                          \
    X(table, cache,                                                                                \
      "CREATE TABLE cache ("                                                                       \
      "number INTEGER PRIMARY KEY AUTOINCREMENT, until INTEGER NOT NULL, scope TEXT NOT NULL, "    \
      "name TEXT NOT NULL, result TEXT NOT NULL, UNIQUE (scope, name)) STRICT")

/* The columns of a run in the order in which store/row.c reads them. */
#define HAFT__SQLITE_ROW                                                                           \
    "r.id, r.state, r.seq, r.epoch, r.owner, r.lease, r.created, r.updated, r.wake, r.turns, "     \
    "r.calls, r.thread, r.parent, r.user, r.name, r.spec_hash, r.spec_path, r.ending, "            \
    "t.sha256, t.content"
#define HAFT__SQLITE_SELECT_FULL                                                                   \
    "SELECT " HAFT__SQLITE_ROW ", r.answer, s.sha256, s.content FROM runs r "                      \
    "LEFT JOIN blobs t ON t.id = r.task LEFT JOIN blobs s ON s.id = r.spec "
#define HAFT__SQLITE_SELECT_SUMMARY                                                                \
    "SELECT " HAFT__SQLITE_ROW " FROM runs r LEFT JOIN blobs t ON t.id = r.task "

/* Whether no earlier run of the thread is open. */
#define HAFT__SQLITE_FIRST                                                                         \
    "NOT EXISTS (SELECT 1 FROM runs o INDEXED BY runs_queue WHERE o.thread = r.thread "            \
    "AND o.state < 2 AND o.number < r.number) "

#define HAFT__SQLITE_STATEMENTS(X)                                                                 \
    X(BEGIN_WRITE, "BEGIN IMMEDIATE")                                                              \
    X(BEGIN_READ, "BEGIN")                                                                         \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(SAVEPOINT_SET, "SAVEPOINT one")                                                              \
    X(SAVEPOINT_RELEASE, "RELEASE one")                                                            \
    X(SAVEPOINT_ROLLBACK, "ROLLBACK TO one")                                                       \
    X(APPLICATION, "PRAGMA application_id")                                                        \
    X(VERSION, "PRAGMA user_version")                                                              \
    X(ENCODING, "PRAGMA encoding")                                                                 \
    X(SCHEMA, "SELECT type, name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*'")          \
    X(JOURNAL, "PRAGMA journal_mode = WAL")                                                        \
    /* ---- runs ---- */                                                                           \
    X(HEAD,                                                                                        \
      "SELECT number, state, seq, bytes, epoch, owner, lease, checksum FROM runs WHERE id = ?")    \
    X(RUN_ADD,                                                                                     \
      "INSERT INTO runs (id, state, seq, bytes, checksum, epoch, owner, lease, created, updated, " \
      "wake, turns, calls, ended, task, spec, thread, parent, user, name, spec_hash, spec_path, "  \
      "ending, answer) VALUES (?, 0, 0, 0, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, " \
      "'', '')")                                                                                   \
    X(RUN_GROW,                                                                                    \
      "UPDATE runs SET seq = ?, bytes = ?, checksum = ?, lease = ?, updated = ?, wake = ?, "       \
      "turns = ?, calls = ? WHERE number = ? AND seq = ? AND epoch = ?")                           \
    X(RUN_STATE, "UPDATE runs SET state = ? WHERE number = ?")                                     \
    X(RUN_END, "UPDATE runs SET state = 2, owner = '', lease = 0, ending = ?, answer = ? "         \
               "WHERE number = ?")                                                                 \
    X(EVENTS_ADD, "INSERT INTO events (run, seq, checksum, body) VALUES (?, ?, ?, ?)")             \
    X(CLAIM, "UPDATE runs SET epoch = epoch + 1, owner = ?, lease = ? WHERE number = ?")           \
    X(RENEW, "UPDATE runs SET lease = ? WHERE owner = ? AND owner <> ''")                          \
    X(RELEASE, "UPDATE runs SET owner = '', lease = 0, updated = ? "                               \
               "WHERE id = ? AND epoch = ? AND owner <> ''")                                       \
    X(CLAIM_ORPHANED, /* by owner: each owner is checked once */                                   \
      "SELECT r.id, r.lease, r.owner FROM runs r INDEXED BY runs_owner WHERE r.owner <> '' "       \
      "AND r.owner <> ?1 AND r.state < 2 AND " HAFT__SQLITE_FIRST "ORDER BY r.owner")              \
    X(CLAIM_FREE, "SELECT r.id, r.updated FROM runs r INDEXED BY runs_free WHERE r.state = 0 "     \
                  "AND r.owner = '' AND " HAFT__SQLITE_FIRST "ORDER BY r.updated, r.number")       \
    X(CLAIM_DUE, "SELECT r.id, max(r.wake, r.updated) FROM runs r INDEXED BY runs_wake "           \
                 "WHERE r.state = 1 AND r.owner = '' AND r.wake > 0 AND r.wake <= ? "              \
                 "AND " HAFT__SQLITE_FIRST "ORDER BY r.wake")                                      \
    X(CLAIM_WITH_MESSAGES,                                                                         \
      "SELECT r.id, r.updated FROM (SELECT DISTINCT run FROM messages) m CROSS JOIN runs r "       \
      "ON r.number = m.run WHERE r.state = 1 AND r.owner = '' AND " HAFT__SQLITE_FIRST             \
      "ORDER BY r.updated")                                                                        \
    X(RUN_DROP, "DELETE FROM runs WHERE number = ?")                                               \
    X(RUNS_KEPT, "SELECT updated FROM runs WHERE state = 2 AND (thread <> id OR parent = '') "     \
                 "ORDER BY updated DESC LIMIT 1 OFFSET ?")                                         \
    X(RUNS_OLD, /* after the last one that was checked */                                          \
      "SELECT number, updated, ending, thread, thread = id AND parent <> '' "                      \
      "FROM runs INDEXED BY runs_ended WHERE state = 2 "                                           \
      "AND updated < ?1 AND updated >= ?2 AND (updated > ?2 OR number > ?3) "                      \
      "ORDER BY updated, number LIMIT ?4")                                                         \
    X(THREAD_RUNS,                                                                                 \
      "SELECT state, updated, ending, EXISTS (SELECT 1 FROM runs p WHERE p.id = r.parent "         \
      "AND (p.state < 2 OR r.thread = r.id)), r.thread = r.id AND r.parent <> '' "                 \
      "FROM runs r INDEXED BY runs_thread "                                                        \
      "WHERE thread = (SELECT thread FROM runs WHERE number = ?) ORDER BY id DESC")                \
    /* ---- blobs, messages and cache ---- */                                                      \
    X(BLOB_GET, "SELECT id FROM blobs WHERE sha256 = ?")                                           \
    X(BLOB_ADD, "INSERT INTO blobs (sha256, content) VALUES (?, ?)")                               \
    X(BLOBS_DROP, /* blobs that only run ?1 uses, before its removal */                            \
      "DELETE FROM blobs WHERE id IN (SELECT blob FROM artifacts WHERE run = ?1 "                  \
      "UNION SELECT task FROM runs WHERE number = ?1 "                                             \
      "UNION SELECT spec FROM runs WHERE number = ?1) "                                            \
      "AND NOT EXISTS (SELECT 1 FROM artifacts WHERE blob = blobs.id AND run <> ?1) "              \
      "AND NOT EXISTS (SELECT 1 FROM runs WHERE task = blobs.id AND number <> ?1) "                \
      "AND NOT EXISTS (SELECT 1 FROM runs WHERE spec = blobs.id AND number <> ?1)")                \
    X(ARTIFACT_ADD, "INSERT OR REPLACE INTO artifacts (run, seq, blob, name, media_type) "         \
                    "VALUES (?, ?, ?, ?, ?)")                                                      \
    X(MESSAGE_ADD, "INSERT INTO messages (run, body) VALUES (?, ?)")                               \
    X(MESSAGE_COUNT, "SELECT count(*) FROM messages WHERE run = ?")                                \
    X(MESSAGE_DROP, "DELETE FROM messages WHERE id = ? AND run = ?")                               \
    X(MESSAGES_DROP, "DELETE FROM messages WHERE run = ?")                                         \
    X(CACHE_DELETE, "DELETE FROM cache WHERE scope = ? AND name = ?")                              \
    X(CACHE_PUT, "INSERT INTO cache (until, scope, name, result) VALUES (?, ?, ?, ?)")             \
    X(CACHE_TRIM, "DELETE FROM cache WHERE number <= ?")                                           \
    X(CACHE_EXPIRE, "DELETE FROM cache WHERE until > 0 AND until <= ?")                            \
    /* ---- reading ---- */                                                                        \
    X(DOCTOR_JOURNAL, "PRAGMA journal_mode")                                                       \
    X(DOCTOR_SYNCHRONOUS, "PRAGMA synchronous")                                                    \
    X(DOCTOR_CHECK, "PRAGMA quick_check(1)")                                                       \
    X(DOCTOR_CREATED, "SELECT coalesce(max(created), 0) FROM runs")                                \
    X(EVENTS, "SELECT seq, checksum, body FROM events WHERE run = ? AND seq > ? ORDER BY seq")     \
    X(EVENTS_SUM, /* the last row that ends at or before event ?2 */                               \
      "SELECT seq, checksum FROM events WHERE run = ? AND seq <= ? ORDER BY seq DESC LIMIT 1")     \
    X(FIND_ID, HAFT__SQLITE_SELECT_FULL "WHERE r.id = ?")                                          \
    X(FIND_PREFIX, HAFT__SQLITE_SELECT_FULL "WHERE r.id >= ?1 AND r.id < ?1 || '~' LIMIT 2")       \
    X(FIND_LAST, HAFT__SQLITE_SELECT_FULL                                                          \
      "WHERE r.thread <> r.id ORDER BY r.created DESC, r.id DESC LIMIT 1")                         \
    X(LIST, HAFT__SQLITE_SELECT_SUMMARY "WHERE r.id < ? ORDER BY r.id DESC LIMIT ?")               \
    X(LIST_OPEN,                                                                                   \
      HAFT__SQLITE_SELECT_SUMMARY "WHERE r.state < 2 AND r.id < ? ORDER BY r.id DESC LIMIT ?")     \
    X(LIST_THREAD, HAFT__SQLITE_SELECT_SUMMARY "WHERE r.thread = ? AND r.id < ? AND r.state < ? "  \
                                               "ORDER BY r.id DESC LIMIT ?")                       \
    X(THREAD_HISTORY, /* ordered by number: ids follow the clock, which may be set back */         \
      "SELECT r.id, r.created, r.ending, t.sha256, t.content, r.answer "                           \
      "FROM runs r LEFT JOIN blobs t ON t.id = r.task WHERE r.number IN "                          \
      "(SELECT number FROM runs INDEXED BY runs_thread WHERE thread = ? AND state = 2 "            \
      "AND number < ? ORDER BY number DESC LIMIT ?) ORDER BY r.number")                            \
    X(LIST_BLOCKED, /* runs that CLAIM_NEXT considers; not those waiting for people */             \
      "SELECT r.id, r.state, r.owner, r.lease FROM "                                               \
      "(SELECT number FROM runs INDEXED BY runs_free WHERE state = 0 AND owner = '' "              \
      "UNION ALL SELECT number FROM runs INDEXED BY runs_owner WHERE owner <> '' AND state = 0) "  \
      "c CROSS JOIN runs r ON r.number = c.number WHERE r.id < ? AND NOT " HAFT__SQLITE_FIRST      \
      "ORDER BY r.id DESC LIMIT ?")                                                                \
    X(PREDECESSORS, /* the index limits the scan to the rows of the thread */                      \
      "SELECT r.id, r.state, r.owner, r.lease FROM runs r INDEXED BY runs_queue "                  \
      "WHERE r.state < 2 AND r.number < ?1 "                                                       \
      "AND r.thread = (SELECT thread FROM runs WHERE number = ?1) ORDER BY r.number LIMIT ?2")     \
    X(OPEN, "SELECT id, state FROM runs INDEXED BY runs_queue "                                    \
            "WHERE thread = ? AND state < 2 ORDER BY number LIMIT 1")                              \
    X(RECEIVE_ID,                                                                                  \
      "SELECT m.id, r.id, m.body FROM runs r CROSS JOIN messages m ON m.run = r.number "           \
      "WHERE r.id = ? ORDER BY m.id LIMIT ?")                                                      \
    X(RECEIVE, "SELECT m.id, r.id, m.body FROM messages m CROSS JOIN runs r ON r.number = m.run "  \
               "WHERE r.owner = ? AND r.owner <> '' ORDER BY m.id LIMIT ?")                        \
    X(ARTIFACT, "SELECT a.media_type, b.sha256, b.content FROM artifacts a "                       \
                "LEFT JOIN blobs b ON b.id = a.blob WHERE a.run = ? AND a.name = ? "               \
                "ORDER BY a.seq DESC LIMIT 1")                                                     \
    X(CACHE_GET,                                                                                   \
      "SELECT result FROM cache WHERE scope = ? AND name = ? AND (until = 0 OR until > "           \
      "?)")

typedef enum haft__sqlite_statement {
#define X(name, text) HAFT__SQLITE_STMT_##name,
    HAFT__SQLITE_STATEMENTS(X)
#undef X
        HAFT__SQLITE_STMT_COUNT
} haft__sqlite_statement;

#endif
