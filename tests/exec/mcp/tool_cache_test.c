/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/mcp/tool_cache.c. */
#include "exec/mcp/tool_cache.h"

#include <sys/stat.h>

#include "base/limits.h"
#include "exec/mcp_help.h"
#include "io/file.h"

static const haft__hash_key key = {1, 2};

typedef struct fixture {
    haft__arena arena;
    haft__mcp_tool_cache record;
    char place[64], path[128];
} fixture;

static void begin(fixture *f)
{
    haft__arena_init(&f->arena, 0);
    haft__mcp_tool_cache_init(&f->record);
    (void)snprintf(f->place, sizeof(f->place), "/tmp/haft-record-test-XXXXXX");
    CHECK(mkdtemp(f->place) != NULL, "no directory");
    (void)snprintf(f->path, sizeof(f->path), "%s/deep/er/file.json", f->place);
}

static void end(fixture *f)
{
    haft__mcp_tool_cache_finish(&f->record);
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

static haft_status change(fixture *f, const haft__mcp_tool *tools, size_t count, haft_error *err)
{
    haft__mcp_tool_list_update it = {.server = HAFT__LIT("a"), .tools = tools, .tool_count = count};
    return haft__mcp_tool_cache_update(&f->record, f->path, &it, key, err);
}

/* The rows have the limit, one past the limit, and other reasons not to use a list. */
TEST(a_cached_list_is_fresh_until_it_expires)
{
    static const struct {
        const char *tools;
        uint64_t until, now;
        bool fresh;
    } cases[] = {
        {"[1]", 1000, 999, true},
        {"[1]", 1000, 1000, false},
        {"[1]", 0, 1000, false},
        {"[1]", 5 + (uint64_t)HAFT__LIMIT_MCP_LIST_MS, 5, true},
        {"[1]", 6 + (uint64_t)HAFT__LIMIT_MCP_LIST_MS, 5, false}, /* the clock was set back */
        {"[]", 1000, 999, false},
        {"null", 1000, 999, false},
    };
    fixture f;
    begin(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        f.record.tools = help_read(&f.arena, cases[i].tools);
        f.record.expires_ms = cases[i].until;
        CHECK(haft__mcp_tool_cache_is_fresh(&f.record, cases[i].now) == cases[i].fresh, "case %zu",
              i);
    }
    end(&f);
}

static haft_str description(const haft__json *tool)
{
    return tool != NULL ? haft__json_text(*haft__json_get(*tool, HAFT__LIT("description")))
                        : HAFT__LIT("(none)");
}

TEST(lists_are_cached)
{
    fixture f;
    haft_error err = {0};
    struct stat about;
    begin(&f);
    haft__mcp_tool tools[] = {make_tool(&f, "x", "one"), make_tool(&f, "y", "two")};
    haft__mcp_tool other = make_tool(&f, "x", "changed");
    CHECK_INT(haft__mcp_tool_cache_read(&f.record, f.path, key, &err), HAFT_NOT_FOUND,
              "a file that does not exist");
    CHECK_INT(change(&f, tools, 2, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(description(haft__mcp_tool_cache_find(&f.record, HAFT__LIT("x"))), HAFT__LIT("one"),
              "the description in the first list");
    CHECK_INT(change(&f, &other, 1, &err), HAFT_OK, "%s", err.message);
    haft__mcp_tool_cache_finish(&f.record);
    haft__mcp_tool_cache_init(&f.record);
    CHECK_INT(haft__mcp_tool_cache_read(&f.record, f.path, key, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(description(haft__mcp_tool_cache_find(&f.record, HAFT__LIT("x"))),
              HAFT__LIT("changed"), "the description in the newest list");
    CHECK(haft__mcp_tool_cache_find(&f.record, HAFT__LIT("y")) == NULL,
          "a tool of the old list is still cached");
    CHECK(stat(f.path, &about) == 0 && (about.st_mode & 0777) == 0600,
          "other users can read the file");
    end(&f);
}

TEST(skipped_tools_are_cached_too)
{
    static const haft__mcp_skipped_tool left_out[] = {
        {HAFT__LIT("a:b"), HAFT__LIT("a bad name")},
        {HAFT__LIT(""), HAFT__LIT("the list is incomplete")}};
    fixture f;
    haft_error err = {0};
    begin(&f);
    haft__mcp_tool_list_update it = {.server = HAFT__LIT("a"),
                                     .era = HAFT__LIT("discover"),
                                     .left_out = left_out,
                                     .left_out_count = COUNT(left_out),
                                     .left_out_all = 7};
    CHECK_INT(haft__mcp_tool_cache_update(&f.record, f.path, &it, key, &err), HAFT_OK, "%s",
              err.message);
    CHECK_INT(haft__mcp_tool_cache_read(&f.record, f.path, key, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(f.record.era, HAFT__LIT("discover"), "the protocol era");
    CHECK_INT(f.record.left_out_all, 7, "the number of skipped tools");
    CHECK_INT(f.record.left_out.count, 2, "skipped tools with a reason");
    const haft__json *reason = haft__json_get(f.record.left_out.items[0], HAFT__LIT("reason"));
    CHECK_STR(haft__json_text(*reason), HAFT__LIT("a bad name"), "reason");
    end(&f);
}

TEST(an_unusable_file_is_ignored)
{
    static const struct {
        const char *text;
        haft_status status;
        mode_t mode;
    } cases[] = {
        {"", HAFT_BAD_INPUT, 0600},
        {"{\"version\":2,\"tools\":[", HAFT_BAD_INPUT, 0600},
        {"{\"version\":1}", HAFT_BAD_INPUT, 0600},
        {"[]", HAFT_BAD_INPUT, 0600},
        {"{\"version\":2,\"version\":2}", HAFT_BAD_INPUT, 0600},
        {"{\"version\":2,\"tools\":7,\"left_out\":{},\"server\":{}}", HAFT_OK, 0600},
        {"{\"version\":2}", HAFT_IO, 0622},
    };
    fixture f;
    begin(&f);
    (void)snprintf(f.path, sizeof(f.path), "%s/file.json", f.place);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        CHECK_INT(haft__file_replace(f.path, haft__str(cases[i].text), &err), HAFT_OK,
                  "file %zu cannot be written", i);
        CHECK_INT(chmod(f.path, cases[i].mode), 0, "chmod");
        CHECK_INT(haft__mcp_tool_cache_read(&f.record, f.path, key, &err), cases[i].status, "%s",
                  cases[i].text);
        CHECK(cases[i].status == HAFT_OK || err.where[0] == '/', "where: %s", err.where);
        CHECK(f.record.tools.kind == HAFT__JSON_NULL && f.record.left_out_all == 0, "%s",
              cases[i].text);
        haft__mcp_tool x = make_tool(&f, "x", "one");
        if (cases[i].mode == 0600) {
            CHECK_INT(change(&f, &x, 1, &err), HAFT_OK, "the next list is written: %s",
                      err.message);
        }
    }
    (void)unlink(f.path);
    CHECK_INT(mkdir(f.path, 0700), 0, "mkdir");
    haft_error err = {0};
    haft__mcp_tool x = make_tool(&f, "x", "one");
    CHECK_INT(haft__mcp_tool_cache_read(&f.record, f.path, key, &err), HAFT_IO, "a directory");
    CHECK_INT(change(&f, &x, 1, &err), HAFT_IO, "a list that cannot be written");
    CHECK_INT(f.record.tools.count, 1, "tools in this process");
    end(&f);
}

/* A definition that makes the record exactly this long. */
static haft__mcp_tool make_long(fixture *f, size_t length)
{
    char *text = haft__arena_alloc(&f->arena, length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    return make_tool(f, "x", text);
}

TEST(the_size_of_a_record_is_bounded)
{
    static const char around[] = "{\"version\":2,\"server\":\"a\",\"era\":\"\",\"until\":"
                                 "1700000000000,\"tools\":[{\"name\":\"x\","
                                 "\"description\":\"\"}],\"left_out\":[],\"left_out_all\":0}\n";
    fixture f;
    haft_error err = {0};
    begin(&f);
    size_t max = HAFT__LIMIT_MCP_RECORD_BYTES - (sizeof(around) - 1);
    haft__mcp_tool tool = make_long(&f, max);
    CHECK_INT(change(&f, &tool, 1, &err), HAFT_OK, "at the limit: %s", err.message);
    CHECK_INT(f.record.tools.kind, HAFT__JSON_ARRAY, "the list at the limit");
    CHECK(!f.record.too_long, "the record at the limit is too long");
    tool = make_long(&f, max + 1);
    CHECK_INT(change(&f, &tool, 1, &err), HAFT_OK, "past the limit: %s", err.message);
    CHECK_INT(f.record.tools.kind, HAFT__JSON_NULL, "the list past the limit");
    CHECK(f.record.too_long, "the record past the limit is not too long");
    end(&f);
}

TEST(the_path_of_a_record_depends_on_the_configuration)
{
    fixture f;
    begin(&f);
    haft__mcp_server_config one = {.hash = "11"}, two = {.hash = "22"},
                            web = {.hash = "11", .url = HAFT__LIT("http://a")};
    haft_str place = haft__str(f.place);
    haft_str a = haft__mcp_tool_cache_path(&f.arena, place, &one, HAFT__LIT("/x"));
    haft_str b = haft__mcp_tool_cache_path(&f.arena, place, &two, HAFT__LIT("/x"));
    haft_str c = haft__mcp_tool_cache_path(&f.arena, place, &one, HAFT__LIT("/y"));
    CHECK(!haft__str_equal(a, b) && !haft__str_equal(a, c), "two configurations share a file");
    CHECK_STR(haft__mcp_tool_cache_path(&f.arena, place, &web, HAFT__LIT("/x")),
              haft__mcp_tool_cache_path(&f.arena, place, &web, HAFT__LIT("/y")),
              "a URL is the same everywhere");
    haft_str directory;
    CHECK_INT(haft__mcp_tool_cache_directory(&f.arena, HAFT__LIT("/a/b.yaml"), &directory, NULL),
              HAFT_OK, "directory");
    CHECK_STR(directory, HAFT__LIT("/a"), "directory");
    CHECK_INT(haft__mcp_tool_cache_directory(&f.arena, HAFT__LIT("/b.yaml"), &directory, NULL),
              HAFT_OK, "directory");
    CHECK_STR(directory, HAFT__LIT("/"), "the directory of a spec in /");
    CHECK_INT(haft__mcp_tool_cache_directory(&f.arena, HAFT__LIT(""), &directory, NULL), HAFT_OK,
              "directory");
    CHECK_STR(directory, HAFT__LIT(""), "the directory without a spec file");
    end(&f);
}

TEST(changing_a_record_survives_every_failed_allocation)
{
    fixture f;
    begin(&f);
    haft__mcp_tool x = make_tool(&f, "x", "one");
    for (unsigned n = 0;; n++) {
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = change(&f, &x, 1, &err);
        bool failed = test_allow_allocations();
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u: %d", n,
              (int)status);
        if (!failed) {
            break;
        }
    }
    CHECK_INT(f.record.tools.count, 1, "tools");
    end(&f);
}

/* A definition that contains a secret of the user is not written. */
TEST(a_record_has_no_secrets)
{
    static const char secret[] = "s3cr3t-value-0042";
    fixture f;
    haft_error err = {0};
    haft__redactor redactor;
    bool added = false;
    begin(&f);
    haft__redactor_init(&redactor, &f.arena);
    CHECK_INT(haft__redactor_add(&redactor, haft__str(secret), &added, &err), HAFT_OK, "add");
    CHECK_INT(haft__redactor_seal(&redactor, &err), HAFT_OK, "seal");
    const haft__mcp_tool tools[] = {make_tool(&f, "x", "one"), make_tool(&f, "y", secret),
                                    make_tool(&f, "s3cr3t-value-0042", "two")};
    const haft__mcp_skipped_tool left_out[] = {
        {HAFT__LIT("s3cr3t-value-0042"), HAFT__LIT("its name is s3cr3t-value-0042")}};
    haft__mcp_tool_list_update it = {.server = HAFT__LIT("a"),
                                     .redactor = &redactor,
                                     .tools = tools,
                                     .tool_count = COUNT(tools),
                                     .left_out = left_out,
                                     .left_out_count = 1,
                                     .left_out_all = 1};
    for (unsigned n = 0;; n++) {
        test_fail_allocation(n);
        haft_status status = haft__mcp_tool_cache_update(&f.record, f.path, &it, key, &err);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u: %s", n, err.message);
        CHECK(failed || f.record.tools.count == 1, "%u tools", f.record.tools.count);
        if (!failed) {
            break;
        }
    }
    haft_str text = {NULL, 0};
    CHECK_INT(haft__file_read_arena(&f.arena, f.path, 1 << 20, &text, &err), HAFT_OK, "%s",
              err.message);
    CHECK(memmem(text.ptr, text.len, secret, sizeof(secret) - 1) == NULL, "%.*s", HAFT__ARG(text));
    CHECK(memmem(text.ptr, text.len, "its name is [redacted]", 22) != NULL, "%.*s",
          HAFT__ARG(text));
    end(&f);
}
