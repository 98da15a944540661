/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/files_help.h"

static haft_status list(const files *f, size_t max, haft__arena *arena,
                        haft__directory_listing *listing)
{
    int fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    haft_status status = haft__directory_read(arena, fd, max, listing, NULL);
    (void)close(fd);
    return status;
}

TEST(entries_come_in_the_order_of_their_paths)
{
    files f = files_make();
    static const char *const made[] = {"b", "a/x", "a.c", "a-b", "ab", "a0/x", ".h", "Z"};
    static const char *const wanted[] = {".h", "Z", "a-b", "a.c", "a", "a0", "ab", "b"};
    for (size_t i = 0; i < COUNT(made); i++) {
        files_add(&f, made[i], "");
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__directory_listing listing = {.count = 0};
    CHECK_INT(list(&f, 100, &arena, &listing), HAFT_OK, "list");
    CHECK_INT(listing.count, COUNT(wanted), "entries");
    for (size_t i = 0; i < listing.count && i < COUNT(wanted); i++) {
        CHECK_STR(listing.entries[i].name, haft__str(wanted[i]), "entry %zu", i);
    }
    haft__arena_finish(&arena);
    files_remove(&f);
}

TEST(entries_have_their_kind)
{
    files f = files_make();
    files_add(&f, "1", "");
    files_add(&f, "2/", "");
    files_link(&f, "3", "1");
    CHECK_INT(mkfifo(files_path(&f, "4"), 0644), 0, "no FIFO");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__directory_listing listing = {.count = 0};
    CHECK_INT(list(&f, 4, &arena, &listing), HAFT_OK, "list");
    CHECK(listing.count == 4 && !listing.cut, "%zu entries", listing.count);
    for (size_t i = 0; i < listing.count; i++) {
        static const haft__directory_entry_kind kinds[] = {
            HAFT__DIRECTORY_ENTRY_FILE, HAFT__DIRECTORY_ENTRY_DIRECTORY, HAFT__DIRECTORY_ENTRY_LINK,
            HAFT__DIRECTORY_ENTRY_OTHER};
        CHECK_INT(listing.entries[i].kind, kinds[i], "entry %zu", i);
    }
    CHECK_INT(list(&f, 3, &arena, &listing), HAFT_OK, "list");
    CHECK(listing.count == 3 && listing.cut, "%zu entries of 3", listing.count);
    haft__arena_finish(&arena);
    files_remove(&f);
}

TEST(without_a_type_from_the_file_system_stat_is_used)
{
    files f = files_make();
    files_add(&f, "1", "");
    files_add(&f, "2/", "");
    files_link(&f, "3", "1");
    CHECK_INT(mkfifo(files_path(&f, "4"), 0644), 0, "no FIFO");
    int fd = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK_INT(haft__directory_entry_detect_kind(fd, "1", DT_UNKNOWN), HAFT__DIRECTORY_ENTRY_FILE,
              "file");
    CHECK_INT(haft__directory_entry_detect_kind(fd, "2", DT_UNKNOWN),
              HAFT__DIRECTORY_ENTRY_DIRECTORY, "directory");
    CHECK_INT(haft__directory_entry_detect_kind(fd, "3", DT_UNKNOWN), HAFT__DIRECTORY_ENTRY_LINK,
              "link");
    CHECK_INT(haft__directory_entry_detect_kind(fd, "4", DT_UNKNOWN), HAFT__DIRECTORY_ENTRY_OTHER,
              "FIFO");
    CHECK_INT(haft__directory_entry_detect_kind(fd, "5", DT_UNKNOWN), HAFT__DIRECTORY_ENTRY_OTHER,
              "an entry that does not exist");
    (void)close(fd);
    files_remove(&f);
}

TEST(all_entries_of_a_large_directory_are_listed)
{
    files f = files_make();
    char name[40];
    for (int i = 0; i < 3000; i++) { /* more than one system call reads */
        (void)snprintf(name, sizeof(name), "file-number-%05d", i);
        files_add(&f, name, "");
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__directory_listing listing = {.count = 0};
    CHECK_INT(list(&f, 10000, &arena, &listing), HAFT_OK, "list");
    CHECK_INT(listing.count, 3000, "entries");
    for (size_t i = 0; i < listing.count; i++) {
        (void)snprintf(name, sizeof(name), "file-number-%05zu", i);
        CHECK_STR(listing.entries[i].name, haft__str(name), "entry %zu", i);
    }
    haft__arena_finish(&arena);
    files_remove(&f);
}

TEST(a_file_cannot_be_listed)
{
    files f = files_make();
    files_add(&f, "a", "");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__directory_listing listing = {.count = 0};
    haft_error err = {0};
    int fd = open(files_path(&f, "a"), O_RDONLY | O_CLOEXEC);
    CHECK_INT(haft__directory_read(&arena, fd, 10, &listing, &err), HAFT_IO, "a file");
    CHECK(strstr(err.message, "Not a directory") != NULL, "%s", err.message);
    (void)close(fd);
    haft__arena_finish(&arena);
    files_remove(&f);
}

TEST(listing_a_directory_reports_a_failed_allocation)
{
    files f = files_make();
    files_add(&f, "a", "");
    files_add(&f, "b", "");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__directory_listing listing = {.count = 0};
        test_fail_allocation(n);
        haft_status status = list(&f, 10, &arena, &listing);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
    files_remove(&f);
}
