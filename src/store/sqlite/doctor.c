/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c - the checks of `haft doctor` for SQLite. Tests: tests/store/store_doctor_test.c. */
#include <sys/statvfs.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

enum { ROWS = 6 };

typedef struct doctor_report {
    haft__sqlite_worker *worker;
    haft__arena *arena;
    haft__store_finding *rows;
    size_t count;
} doctor_report;

static haft_status note(doctor_report *report, const char *name, haft_str value, bool good,
                        const char *hint, haft_error *err)
{
    if (value.ptr == NULL) {
        return haft__arena_fail(report->arena, err);
    }
    report->rows[report->count++] = (haft__store_finding){name, value, good, good ? "" : hint};
    return HAFT_OK;
}

/* Reads the only column of the first row. */
static haft_status read_text(doctor_report *report, haft__sqlite_statement which,
                             haft_str *ret_text, haft_error *err)
{
    haft__sqlite_query query = haft__sqlite_query_begin(&report->worker->connection, which);
    *ret_text = haft__sqlite_query_next(&query)
                    ? haft__sqlite_query_copy(&query, HAFT__LIMIT_STORE_TEXT_BYTES, report->arena)
                    : HAFT__LIT("");
    return haft__sqlite_query_end(&query, err);
}

static haft_status read_int(doctor_report *report, haft__sqlite_statement which,
                            uint64_t *ret_number, haft_error *err)
{
    haft__sqlite_query query = haft__sqlite_query_begin(&report->worker->connection, which);
    *ret_number = haft__sqlite_query_next(&query) ? haft__sqlite_query_int(&query) : 0;
    return haft__sqlite_query_end(&query, err);
}

/* ---- checks ---- */

static haft_status check_schema(doctor_report *report, haft_error *err)
{
    haft_str text = haft__arena_format(report->arena, "version %d", HAFT__SQLITE_VERSION);
    return note(report, "schema", text, true, "", err); /* other versions cannot be opened */
}

static haft_status check_journal(doctor_report *report, haft_error *err)
{
    haft_str mode;
    if (report->worker->connection.immutable) {
        return note(report, "journal", HAFT__LIT("unknown: the database is open read-only"), true,
                    "", err);
    }
    haft_status status = read_text(report, HAFT__SQLITE_STMT_DOCTOR_JOURNAL, &mode, err);
    return status == HAFT_OK
               ? note(report, "journal", mode, haft__str_equal(mode, HAFT__LIT("wal")),
                      "put the database on a local disk", err)
               : status;
}

static haft_status check_synchronous(doctor_report *report, haft_error *err)
{
    static const char *const names[] = {"off", "normal", "full", "extra"};
    uint64_t level = 0;
    haft_status status = read_int(report, HAFT__SQLITE_STMT_DOCTOR_SYNCHRONOUS, &level, err);
    level = level < COUNT(names) ? level : 0;
    return status == HAFT_OK ? note(report, "synchronous", haft__str(names[level]), level >= 2,
                                    "a power failure can lose committed data", err)
                             : status;
}

static haft_status check_integrity(doctor_report *report, haft_error *err)
{
    haft_str text;
    haft_status status = read_text(report, HAFT__SQLITE_STMT_DOCTOR_CHECK, &text, err);
    return status == HAFT_OK
               ? note(report, "integrity", text, haft__str_equal(text, HAFT__LIT("ok")),
                      "`haft migrate` to another store copies everything that can be read", err)
               : status;
}

bool haft__sqlite_has_free_space(uint64_t bytes)
{
    return bytes >= HAFT__LIMIT_STORE_FREE_BYTES;
}

static haft_status check_space(doctor_report *report, haft_error *err)
{
    struct statvfs info;
    if (statvfs(report->worker->connection.path, &info) != 0) {
        return note(report, "space", HAFT__LIT("unknown"), false, "cannot query the disk", err);
    }
    uint64_t bytes = (uint64_t)info.f_bavail * info.f_frsize;
    return note(
        report, "space",
        haft__arena_format(report->arena, "%llu MB free", (unsigned long long)bytes / 1000000),
        haft__sqlite_has_free_space(bytes),
        "free some space: nothing can be written to a full disk; `haft runs gc` removes old runs",
        err);
}

/* Leases and deadlines use this machine's clock. */
static haft_status check_clock(doctor_report *report, haft_error *err)
{
    uint64_t newest = 0, now = haft__store_now(report->worker->store);
    haft_status status = read_int(report, HAFT__SQLITE_STMT_DOCTOR_CREATED, &newest, err);
    if (status != HAFT_OK) {
        return status;
    }
    uint64_t ahead = newest > now ? newest - now : 0;
    haft_str text =
        ahead == 0
            ? HAFT__LIT("no run was created in the future")
            : haft__arena_format(report->arena, "the newest run was created %llu s in the future",
                                 (unsigned long long)ahead / 1000);
    return note(report, "clock", text, ahead <= HAFT__LIMIT_STORE_AHEAD_MS,
                "the clock of this machine was set back; leases last longer than they should", err);
}

haft_status haft__sqlite_doctor(haft__sqlite_worker *worker, haft__store_request *request,
                                haft_error *err)
{
    static haft_status (*const checks[ROWS])(doctor_report * report, haft_error * err) = {
        check_schema, check_journal, check_synchronous, check_integrity, check_space, check_clock};
    doctor_report report = {.worker = worker, .arena = request->arena};
    report.rows = haft__arena_array(request->arena, ROWS, sizeof(*report.rows));
    haft_status status = report.rows != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
    for (size_t i = 0; status == HAFT_OK && i < ROWS; i++) {
        status = checks[i](&report, err);
    }
    request->findings = report.rows;
    request->finding_count = report.count;
    return status;
}
