/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/mcp/pins.c. */
#include "exec/mcp/pins.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "exec/mcp_help.h"
#include "io/file.h"

static const haft__hash_key key = {1, 2};

typedef struct fixture {
    haft__arena arena;
    haft__mcp_pins pins;
    char place[64], path[128];
} fixture;

static void begin(fixture *f)
{
    haft__arena_init(&f->arena, 0);
    haft__mcp_pins_init(&f->pins);
    (void)snprintf(f->place, sizeof(f->place), "/tmp/haft-pins-test-XXXXXX");
    CHECK(mkdtemp(f->place) != NULL, "no directory");
    (void)snprintf(f->path, sizeof(f->path), "%s/file.pins", f->place);
}

static void end(fixture *f)
{
    haft__mcp_pins_finish(&f->pins);
    haft__arena_finish(&f->arena);
    (void)chmod(f->place, 0700);
    help_remove(f->place);
}

static haft__json make_pin(haft__arena *arena, const char *description, const char *configuration)
{
    haft__json pin = {0};
    haft_str text = haft__arena_format(arena, "{\"description\":\"%s\"}", description);
    CHECK_INT(
        haft__mcp_pin_make(arena, help_read(arena, text.ptr), haft__str(configuration), &pin, NULL),
        HAFT_OK, "the pin cannot be made");
    return pin;
}

static haft_status add(fixture *f, const char *tool, const char *description, int how,
                       haft_error *err)
{
    haft__json_member pin = {haft__json_string(haft__str(tool)),
                             make_pin(&f->arena, description, "c1")};
    haft__mcp_pins_update pinning = {
        .server = HAFT__LIT("a"), .pins = &pin, .count = 1, .how = how};
    return haft__mcp_pins_add(&f->pins, f->path, &pinning, key, err);
}

static haft_str pinned(const fixture *f, const char *tool, const char *part)
{
    const haft__json *pin = haft__mcp_pins_find(&f->pins, haft__str(tool));
    return pin != NULL ? haft__json_text(*haft__json_get(*pin, haft__str(part)))
                       : HAFT__LIT("(none)");
}

TEST(the_first_pin_stays_until_another_is_accepted)
{
    fixture f;
    haft_error err = {0};
    struct stat about;
    begin(&f);
    CHECK_INT(haft__mcp_pins_read(&f.pins, f.path, key, &err), HAFT_NOT_FOUND,
              "a file that does not exist");
    CHECK_INT(add(&f, "x", "one", HAFT__PIN_KEEP_EXISTING, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(add(&f, "x", "two", HAFT__PIN_KEEP_EXISTING, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(pinned(&f, "x", "description"), HAFT__LIT("one"),
              "the description after a second pin");
    CHECK_STR(pinned(&f, "x", "configuration"), HAFT__LIT("c1"), "the configuration of the server");
    CHECK_INT(add(&f, "x", "two", HAFT__PIN_REPLACE, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(add(&f, "y", "three", HAFT__PIN_REPLACE, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__mcp_pins_read(&f.pins, f.path, key, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(pinned(&f, "x", "description"), HAFT__LIT("two"), "the description after an accept");
    CHECK_INT(f.pins.pins.count, 2, "pins");
    CHECK(!f.pins.doubt, "the pins are in doubt");
    CHECK(stat(f.path, &about) == 0 && (about.st_mode & 0777) == 0600,
          "other users can read the file");
    end(&f);
}

static const struct {
    const char *text;
    mode_t mode;
    haft_status status;
} damaged[] = {
    {"", 0600, HAFT_BAD_INPUT},
    {"{\"version\":1,\"pins\":{", 0600, HAFT_BAD_INPUT},
    {"{\"version\":2,\"doubt\":false,\"pins\":{}}", 0600, HAFT_BAD_INPUT},
    {"{\"version\":1,\"doubt\":false}", 0600, HAFT_BAD_INPUT},
    {"{\"version\":1,\"doubt\":false,\"pins\":[]}", 0600, HAFT_BAD_INPUT},
    {"{\"version\":1,\"doubt\":false,\"pins\":{\"x\":{},\"x\":{}}}", 0600, HAFT_BAD_INPUT},
    {"{\"version\":1,\"doubt\":false,\"pins\":{}}", 0622, HAFT_IO},
};

TEST(only_an_accept_renames_a_damaged_file)
{
    for (size_t i = 0; i < COUNT(damaged); i++) {
        fixture f;
        haft_error err = {0};
        char aside[160];
        begin(&f);
        (void)snprintf(aside, sizeof(aside), "%s.damaged", f.path);
        CHECK_INT(haft__file_replace(f.path, haft__str(damaged[i].text), &err), HAFT_OK,
                  "file %zu cannot be written", i);
        CHECK_INT(chmod(f.path, damaged[i].mode), 0, "chmod");
        CHECK_INT(haft__mcp_pins_read(&f.pins, f.path, key, &err), damaged[i].status, "%s",
                  damaged[i].text);
        CHECK(err.where[0] == '/', "where: %s", err.where);
        CHECK_INT(add(&f, "x", "one", HAFT__PIN_KEEP_EXISTING, &err), damaged[i].status, "%s",
                  damaged[i].text);
        CHECK(access(aside, F_OK) != 0 && f.pins.pins.count == 0,
              "a damaged file was renamed or used");
        CHECK_INT(add(&f, "x", "one", HAFT__PIN_REPLACE, &err), HAFT_OK, "%s", err.message);
        CHECK_INT(access(aside, F_OK), 0, "the damaged file was not renamed");
        CHECK_INT(haft__mcp_pins_read(&f.pins, f.path, key, &err), HAFT_OK, "%s", err.message);
        CHECK(f.pins.doubt && f.pins.pins.count == 1, "the other pins are not in doubt");
        CHECK_INT(add(&f, "y", "one", HAFT__PIN_REPLACE_ALL, &err), HAFT_OK, "%s", err.message);
        CHECK(!f.pins.doubt && f.pins.pins.count == 2, "pins are in doubt after all were accepted");
        end(&f);
    }
}

TEST(pins_without_a_doubt_member_are_in_doubt)
{
    fixture f;
    haft_error err = {0};
    begin(&f);
    CHECK_INT(haft__file_replace(f.path, HAFT__LIT("{\"version\":1,\"pins\":{}}"), &err), HAFT_OK,
              "write");
    CHECK_INT(haft__mcp_pins_read(&f.pins, f.path, key, &err), HAFT_OK, "%s", err.message);
    CHECK(f.pins.doubt, "the pins are not in doubt");
    end(&f);
}

TEST(a_pin_that_cannot_be_written_is_reported_and_applies_in_this_process)
{
    fixture f;
    haft_error err = {0};
    begin(&f);
    (void)snprintf(f.path, sizeof(f.path), "/proc/nowhere/file.pins");
    CHECK_INT(add(&f, "x", "one", HAFT__PIN_KEEP_EXISTING, &err), HAFT_IO,
              "a pin that cannot be written");
    CHECK_STR(haft__str(err.where), haft__str(f.path), "where");
    CHECK_STR(pinned(&f, "x", "description"), HAFT__LIT("one"), "the pin in this process");
    haft__json_member pin = {haft__json_string(HAFT__LIT("y")), make_pin(&f.arena, "two", "c1")};
    haft__mcp_pins_update pinning = {.server = HAFT__LIT("a"), .pins = &pin, .count = 1};
    CHECK_INT(haft__mcp_pins_add(&f.pins, NULL, &pinning, key, &err), HAFT_OK,
              "a pin without a path");
    CHECK_INT(f.pins.pins.count, 2, "pins in this process");
    end(&f);
}

/* The pin is written with the next successful write. Pins that another process wrote meanwhile have
 * precedence. */
TEST(pins_of_a_locked_file_are_written_later)
{
    fixture f;
    int lock = -1;
    begin(&f);
    CHECK_INT(add(&f, "x", "one", HAFT__PIN_KEEP_EXISTING, NULL), HAFT_OK, "add x");
    CHECK_INT(haft__file_lock(f.path, &lock, NULL), HAFT_OK, "the file cannot be locked");
    CHECK_INT(add(&f, "y", "one", HAFT__PIN_KEEP_EXISTING, NULL), HAFT_IO,
              "add y while the file is locked");
    CHECK_STR(pinned(&f, "y", "description"), HAFT__LIT("one"), "the pin of y in this process");
    haft__file_unlock(lock);
    fixture other = f;
    haft__arena_init(&other.arena, 0);
    haft__mcp_pins_init(&other.pins);
    CHECK_INT(add(&other, "x", "two", HAFT__PIN_REPLACE, NULL), HAFT_OK,
              "another process accepts x");
    CHECK_INT(add(&f, "z", "one", HAFT__PIN_KEEP_EXISTING, NULL), HAFT_OK, "add z");
    CHECK_INT(haft__mcp_pins_read(&other.pins, f.path, key, NULL), HAFT_OK,
              "the file cannot be read");
    CHECK_STR(pinned(&other, "x", "description"), HAFT__LIT("two"), "the description of x");
    CHECK_STR(pinned(&other, "y", "description"), HAFT__LIT("one"), "the description of y");
    CHECK_STR(pinned(&other, "z", "description"), HAFT__LIT("one"), "the description of z");
    haft__mcp_pins_finish(&other.pins);
    haft__arena_finish(&other.arena);
    end(&f);
}

TEST(the_size_of_a_file_of_pins_is_bounded)
{
    fixture f;
    haft_error err = {0};
    begin(&f);
    size_t length =
        HAFT__LIMIT_MCP_RECORD_BYTES - 32; /* the rest of the record is longer than 32 bytes */
    char *text = haft__arena_alloc(&f.arena, length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    CHECK_INT(add(&f, "x", text, HAFT__PIN_KEEP_EXISTING, &err), HAFT_TOO_BIG, "past the limit");
    CHECK_INT(f.pins.pins.count, 0, "pins after the failure");
    end(&f);
}

#define EACH 40

/* The work of one of two processes. */
static int pin_many(const char *path, const char *name)
{
    haft__arena arena;
    haft__mcp_pins pins;
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, 0);
    haft__mcp_pins_init(&pins);
    for (int i = 0; i < EACH && status == HAFT_OK; i++) {
        haft_str tool = haft__arena_format(&arena, "%s%d", name, i);
        haft__json_member pin = {haft__json_string(tool), make_pin(&arena, name, "c1")};
        haft__mcp_pins_update pinning = {.server = HAFT__LIT("a"), .pins = &pin, .count = 1};
        do { /* the other process may have the lock most of the time */
            status = haft__mcp_pins_add(&pins, path, &pinning, key, NULL);
        } while (status == HAFT_IO);
    }
    haft__mcp_pins_finish(&pins);
    haft__arena_finish(&arena);
    return status == HAFT_OK ? 0 : 1;
}

TEST(two_processes_keep_the_pins_of_each_other)
{
    static const char *const names[] = {"one", "two"};
    fixture f;
    pid_t children[COUNT(names)];
    begin(&f);
    for (size_t i = 0; i < COUNT(names); i++) {
        children[i] = fork();
        if (children[i] == 0) {
            _exit(pin_many(f.path, names[i]));
        }
        CHECK(children[i] > 0, "fork failed");
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        int status = -1;
        CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0, "a process failed");
    }
    CHECK_INT(haft__mcp_pins_read(&f.pins, f.path, key, NULL), HAFT_OK, "the file cannot be read");
    CHECK_INT(f.pins.pins.count, COUNT(names) * EACH, "pins");
    end(&f);
}

TEST(the_path_of_pins_depends_on_the_spec_and_the_name)
{
    fixture f;
    begin(&f);
    haft__mcp_server_config one = {.name = HAFT__LIT("a"), .hash = "11"},
                            swapped = {.name = HAFT__LIT("a"), .hash = "22"},
                            other = {.name = HAFT__LIT("b"), .hash = "11"};
    haft_str place = haft__str(f.place), spec = HAFT__LIT("/x/spec.yaml"), none = HAFT__LIT("");
    haft_str path = haft__mcp_pins_path(&f.arena, place, &one, spec);
    CHECK_STR(haft__mcp_pins_path(&f.arena, place, &swapped, spec), path,
              "another command under the same name");
    CHECK(!haft__str_equal(haft__mcp_pins_path(&f.arena, place, &other, spec), path),
          "another name has the same path");
    CHECK(!haft__str_equal(haft__mcp_pins_path(&f.arena, place, &one, HAFT__LIT("/y")), path),
          "another spec has the same path");
    CHECK(!haft__str_equal(haft__mcp_pins_path(&f.arena, place, &one, none),
                           haft__mcp_pins_path(&f.arena, place, &swapped, none)),
          "without a spec file, another configuration has the same path");
    end(&f);
}

TEST(pinning_survives_every_failed_allocation)
{
    fixture f;
    begin(&f);
    haft__json_member pin = {haft__json_string(HAFT__LIT("x")), make_pin(&f.arena, "one", "c1")};
    haft__mcp_pins_update pinning = {.server = HAFT__LIT("a"), .pins = &pin, .count = 1};
    for (unsigned n = 0;; n++) {
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = haft__mcp_pins_add(&f.pins, f.path, &pinning, key, &err);
        bool failed = test_allow_allocations();
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u: %d", n,
              (int)status);
        if (!failed) {
            break;
        }
    }
    CHECK_INT(f.pins.pins.count, 1, "pins");
    end(&f);
}
