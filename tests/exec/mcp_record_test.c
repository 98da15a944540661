/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/mcp_record.c. */
#include "exec/mcp_record.h"

#include <sys/stat.h>

#include "base/limits.h"
#include "io/file.h"
#include "mcp_help.h"

static const haft__hash_key key = {1, 2};

typedef struct fixture {
    haft__arena arena;
    haft__mcp_record record;
    char place[64], path[128];
} fixture;

static void begin(fixture *f)
{
    haft__arena_init(&f->arena, 0);
    haft__mcp_record_init(&f->record);
    (void)snprintf(f->place, sizeof(f->place), "/tmp/haft-record-test-XXXXXX");
    CHECK(mkdtemp(f->place) != NULL, "no directory");
    (void)snprintf(f->path, sizeof(f->path), "%s/deep/er/file.json", f->place);
}

static void end(fixture *f)
{
    haft__mcp_record_finish(&f->record);
    haft__arena_finish(&f->arena);
    static const char *const parts[] = {"/file.json", "/deep/er", "/deep", ""};
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct stat about;
        (void)snprintf(f->path, sizeof(f->path), "%s%s", f->place, parts[i]);
        if (stat(f->path, &about) == 0 && S_ISDIR(about.st_mode)) {
            help_remove(f->path);
        }
    }
}

static haft__mcp_tool make_tool(fixture *f, const char *name, const char *description)
{
    haft_str text = haft__arena_format(&f->arena, "{\"name\":\"%s\",\"description\":\"%s\"}", name,
                                       description);
    return (haft__mcp_tool){.remote = haft__str(name),
                            .definition = help_read(&f->arena, text.ptr)};
}

static haft_status change(fixture *f, const haft__mcp_tool *tools, size_t count,
                          const haft__mcp_tool *pin, haft_error *err)
{
    haft__mcp_change it = {.server = HAFT__LIT("a"),
                           .listed = tools != NULL,
                           .tools = tools,
                           .tool_count = count,
                           .pin = pin};
    return haft__mcp_record_change(&f->record, f->path, &it, key, err);
}

static haft_str description(const haft__json *tool)
{
    return tool != NULL ? haft__json_text(*haft__json_get(*tool, HAFT__LIT("description")))
                        : HAFT__LIT("(none)");
}

TEST(lists_and_pins_are_remembered)
{
    fixture f;
    haft_error err = {0};
    struct stat about;
    begin(&f);
    haft__mcp_tool tools[] = {make_tool(&f, "x", "one"), make_tool(&f, "y", "two")};
    haft__mcp_tool other = make_tool(&f, "x", "changed");
    CHECK_INT(haft__mcp_record_read(&f.record, f.path, key, &err), HAFT_NOT_FOUND, "nothing yet");
    CHECK_INT(change(&f, tools, 2, NULL, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(change(&f, NULL, 0, &tools[0], &err), HAFT_OK, "%s", err.message);
    CHECK_INT(change(&f, &other, 1, NULL, &err), HAFT_OK, "%s", err.message);
    haft__mcp_record_finish(&f.record);
    haft__mcp_record_init(&f.record);
    CHECK_INT(haft__mcp_record_read(&f.record, f.path, key, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(description(haft__mcp_record_tool(&f.record, HAFT__LIT("x"))), HAFT__LIT("changed"),
              "the newest list");
    CHECK(haft__mcp_record_tool(&f.record, HAFT__LIT("y")) == NULL, "it is gone");
    CHECK_STR(description(haft__mcp_record_pin(&f.record, HAFT__LIT("x"))), HAFT__LIT("one"),
              "the pin stays");
    CHECK_INT(change(&f, NULL, 0, &other, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(description(haft__mcp_record_pin(&f.record, HAFT__LIT("x"))), HAFT__LIT("changed"),
              "accepted");
    CHECK_INT(f.record.pins.count, 1, "one pin for each tool");
    CHECK(stat(f.path, &about) == 0 && (about.st_mode & 0777) == 0600, "others may read it");
    end(&f);
}

TEST(what_others_have_accepted_meanwhile_stays)
{
    fixture f;
    haft_error err = {0};
    begin(&f);
    haft__mcp_tool x = make_tool(&f, "x", "one"), y = make_tool(&f, "y", "two");
    CHECK_INT(change(&f, NULL, 0, &x, &err), HAFT_OK, "%s", err.message);
    haft__mcp_record mine = f.record;
    haft__mcp_record_init(&f.record); /* another process, which has read nothing */
    CHECK_INT(change(&f, NULL, 0, &y, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(f.record.pins.count, 2, "both");
    haft__mcp_record_finish(&mine);
    end(&f);
}

TEST(a_file_that_cannot_be_used_is_as_none)
{
    static const struct {
        const char *text;
        haft_status status;
        mode_t mode;
    } cases[] = {
        {"", HAFT_BAD_INPUT, 0600},
        {"{\"version\":1,\"tools\":[", HAFT_BAD_INPUT, 0600},
        {"{\"version\":2}", HAFT_BAD_INPUT, 0600},
        {"[]", HAFT_BAD_INPUT, 0600},
        {"{\"version\":1,\"version\":1}", HAFT_BAD_INPUT, 0600},
        {"{\"version\":1,\"tools\":7,\"pins\":[],\"server\":{}}", HAFT_OK, 0600},
        {"{\"version\":1}", HAFT_IO, 0622},
    };
    fixture f;
    begin(&f);
    (void)snprintf(f.path, sizeof(f.path), "%s/file.json", f.place);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        CHECK_INT(haft__file_replace(f.path, haft__str(cases[i].text), &err), HAFT_OK, "%zu", i);
        CHECK_INT(chmod(f.path, cases[i].mode), 0, "chmod");
        CHECK_INT(haft__mcp_record_read(&f.record, f.path, key, &err), cases[i].status, "%s",
                  cases[i].text);
        CHECK(cases[i].status == HAFT_OK || err.where[0] == '/', "where: %s", err.where);
        CHECK(f.record.tools.kind == HAFT__JSON_NULL && f.record.pins.count == 0, "%s",
              cases[i].text);
        haft__mcp_tool x = make_tool(&f, "x", "one");
        if (cases[i].mode == 0600) {
            CHECK_INT(change(&f, &x, 1, &x, &err), HAFT_OK, "it is made again: %s", err.message);
        }
    }
    (void)unlink(f.path);
    CHECK_INT(mkdir(f.path, 0700), 0, "mkdir");
    haft_error err = {0};
    haft__mcp_tool x = make_tool(&f, "x", "one");
    CHECK_INT(haft__mcp_record_read(&f.record, f.path, key, &err), HAFT_IO, "a directory");
    CHECK_INT(change(&f, &x, 1, &x, &err), HAFT_IO, "it cannot be written");
    CHECK_INT(f.record.pins.count, 1, "but is known here");
    end(&f);
}

/* A definition that makes the whole as long as said. */
static haft__mcp_tool make_long(fixture *f, size_t length)
{
    char *text = haft__arena_alloc(&f->arena, length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    return make_tool(f, "x", text);
}

TEST(a_record_has_a_limit)
{
    static const char around[] = "{\"version\":1,\"server\":\"a\",\"tools\":[{\"name\":\"x\","
                                 "\"description\":\"\"}],\"pins\":{}}\n";
    fixture f;
    haft_error err = {0};
    begin(&f);
    size_t most = HAFT__LIMIT_MCP_RECORD_BYTES - (sizeof(around) - 1);
    haft__mcp_tool tool = make_long(&f, most);
    CHECK_INT(change(&f, &tool, 1, NULL, &err), HAFT_OK, "at the limit: %s", err.message);
    CHECK_INT(f.record.tools.kind, HAFT__JSON_ARRAY, "the list is there");
    tool = make_long(&f, most + 1);
    CHECK_INT(change(&f, &tool, 1, NULL, &err), HAFT_OK, "past it: %s", err.message);
    CHECK_INT(f.record.tools.kind, HAFT__JSON_NULL, "the list is not kept");
    end(&f);
}

TEST(where_it_is_depends_on_the_configuration)
{
    fixture f;
    begin(&f);
    haft__mcp_server one = {.hash = "11"}, two = {.hash = "22"},
                     web = {.hash = "11", .url = HAFT__LIT("http://a")};
    haft_str place = haft__str(f.place);
    haft_str a = haft__mcp_record_path(&f.arena, place, &one, HAFT__LIT("/x"));
    haft_str b = haft__mcp_record_path(&f.arena, place, &two, HAFT__LIT("/x"));
    haft_str c = haft__mcp_record_path(&f.arena, place, &one, HAFT__LIT("/y"));
    CHECK(!haft__str_equal(a, b) && !haft__str_equal(a, c), "they share a file");
    CHECK_STR(haft__mcp_record_path(&f.arena, place, &web, HAFT__LIT("/x")),
              haft__mcp_record_path(&f.arena, place, &web, HAFT__LIT("/y")),
              "a URL is the same everywhere");
    haft_str directory;
    CHECK_INT(haft__mcp_record_directory(&f.arena, HAFT__LIT("/a/b.yaml"), &directory, NULL),
              HAFT_OK, "directory");
    CHECK_STR(directory, HAFT__LIT("/a"), "directory");
    CHECK_INT(haft__mcp_record_directory(&f.arena, HAFT__LIT("/b.yaml"), &directory, NULL), HAFT_OK,
              "directory");
    CHECK_STR(directory, HAFT__LIT("/"), "the root");
    CHECK_INT(haft__mcp_record_directory(&f.arena, HAFT__LIT(""), &directory, NULL), HAFT_OK,
              "directory");
    CHECK_STR(directory, HAFT__LIT(""), "none");
    end(&f);
}

TEST(changing_survives_every_failed_allocation)
{
    fixture f;
    begin(&f);
    haft__mcp_tool x = make_tool(&f, "x", "one");
    for (unsigned n = 0;; n++) {
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = change(&f, &x, 1, &x, &err);
        bool failed = test_allow_allocations();
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u: %d", n,
              (int)status);
        if (!failed) {
            break;
        }
    }
    CHECK_INT(f.record.pins.count, 1, "pins");
    end(&f);
}
