/* SPDX-License-Identifier: Apache-2.0 */
/* The reserve of disk space for a full disk: src/store/sqlite/reserve.c. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "store/sqlite/sqlite_help.h"

/* Opens a store with a run. Work of its thread after a write finishes before the next write. */
static void begin(help_store *s)
{
    help_faults_start();
    help_store_open(s, "sqlite");
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_append(s, 1, 1, 1, "x"), HAFT_OK, "%s", s->error.message);
}

static void end(help_store *s)
{
    (void)help_fault_clear();
    help_store_close(s);
    help_faults_stop();
}

/* Renews the lease, and returns whether disk space is low. */
static bool is_low(help_store *s)
{
    haft__store_request request = {
        .verb = HAFT__STORE_RENEW, .run.owner = HAFT__LIT("me"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    return request.low;
}

TEST(a_writing_process_reserves_disk_space)
{
    help_store s;
    begin(&s);
    struct stat about = {0};
    CHECK_INT(fstat(help_sqlite(&s)->writer.reserve, &about), 0, "there is no reserve file");
    CHECK_INT(about.st_size, HAFT__LIMIT_STORE_RESERVE_BYTES, "size of the reserve");
    CHECK(about.st_blocks * 512 >= HAFT__LIMIT_STORE_RESERVE_BYTES, "no blocks are allocated");
    CHECK_INT(about.st_nlink, 0, "the reserve file has a name");
    CHECK(!is_low(&s), "disk space is low");
    end(&s);
}

TEST(requests_in_progress_are_written_on_a_full_disk)
{
    help_store s;
    begin(&s);
    help_fault_at(HELP_FAULT_FULL, 0, false); /* until the reserve is released */
    haft_str line = HAFT__LIT("y");
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run.id = help_id(1),
                                  .run.epoch = 1,
                                  .run.seq = 2,
                                  .lines = &line,
                                  .line_count = 1};
    CHECK_INT(help_do(&s, &append), HAFT_OK, "%s", s.error.message);
    CHECK(append.low, "low disk space was not reported");
    CHECK(help_fault_clear(), "the disk was never full");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\ny\n"), "events");
    CHECK(!is_low(&s), "disk space is still low");
    end(&s);
}

TEST(new_runs_are_rejected_on_a_full_disk)
{
    help_store s;
    begin(&s);
    help_fault_at(HELP_FAULT_FULL, 0, false);
    CHECK_INT(help_create(&s, 2), HAFT_IO, "the creation succeeded");
    CHECK(strstr(s.error.message, "the disk is full") != NULL, "%s", s.error.message);
    CHECK(help_run(&s, 2) == NULL, "the run exists");
    CHECK_INT(help_append(&s, 1, 1, 2, "y"), HAFT_OK, "%s", s.error.message);
    end(&s);
}

TEST(appends_fail_while_the_disk_stays_full)
{
    help_store s;
    begin(&s);
    help_fault_at(HELP_FAULT_FULL, 0, true);
    CHECK_INT(help_append(&s, 1, 1, 2, "y"), HAFT_IO, "the append succeeded");
    CHECK(strstr(s.error.message, "the disk is full") != NULL, "%s", s.error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\n"), "events can be read");
    CHECK(help_fault_clear(), "the disk was never full");
    CHECK_INT(help_append(&s, 1, 1, 2, "y"), HAFT_OK, "%s", s.error.message);
    end(&s);
}

/* A file that cannot be opened for writing is opened for reading. */
TEST(a_read_only_file_is_opened_for_reading)
{
    help_store s;
    begin(&s);
    help_store_shut(&s);
    if (geteuid() == 0) { /* root can write everything: use a disk that is full from the start */
        help_fault_at(HELP_FAULT_FULL, 0, true);
    } else {
        CHECK_INT(chmod(help_path(&s), S_IRUSR), 0, "chmod");
    }
    help_store_reopen(&s);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\n"), "events can be read");
    CHECK_INT(help_append(&s, 1, 1, 2, "y"), HAFT_IO, "the append succeeded");
    (void)help_fault_clear();
    CHECK_INT(chmod(help_path(&s), S_IRUSR | S_IWUSR), 0, "chmod");
    help_store_shut(&s);
    help_store_reopen(&s);
    CHECK_INT(help_append(&s, 1, 1, 2, "y"), HAFT_OK, "%s", s.error.message);
    end(&s);
}
