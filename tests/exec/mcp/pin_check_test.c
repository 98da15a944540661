/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/mcp/pin_check.c, with a server of tests/mcp/bad_server.py. */
#include <sys/stat.h>

#include "exec/mcp/mcp.h"
#include "exec/mcp_help.h"
#include "io/file.h"

/* A server whose tool is described by a file, with its own spec. */
typedef struct fixture {
    help_mcp m;
    help_call c;
    char file[128], spec[128], servers[400];
} fixture;

static void describe(const fixture *f, const char *text)
{
    CHECK_INT(haft__file_replace(f->file, haft__str(text), NULL), HAFT_OK, "no file");
}

static void configure(fixture *f, const char *extra)
{
    (void)snprintf(f->servers, sizeof(f->servers),
                   "{'servers':{'a':{'command':['python3','@','good','%s']%s}}}", f->file, extra);
    help_mcp_servers(&f->m, f->servers);
    f->m.exec.spec.path = haft__str(f->spec);
}

static void begin(fixture *f)
{
    help_mcp_begin(&f->m);
    (void)snprintf(f->file, sizeof(f->file), "%s/note", f->m.place);
    (void)snprintf(f->spec, sizeof(f->spec), "%s/spec.json", f->m.place);
    describe(f, "Says a word.");
    configure(f, "");
}

/* Continues as another process. */
static void restart_process(fixture *f)
{
    help_end(&f->m.exec);
    help_begin(&f->m.exec);
    f->m.exec.exec->options.state = f->m.place;
    help_mcp_servers(&f->m, f->servers);
    f->m.exec.spec.path = haft__str(f->spec);
}

static void call(fixture *f, const char *hash, bool approved)
{
    char definition[256];
    (void)snprintf(definition, sizeof(definition),
                   "{\"server\":\"a\",\"tool\":\"say\",\"hash\":\"%s\"}", hash);
    help_init_call(&f->m.exec, &f->c, HAFT__TOOL_MCP, definition, "{\"word\":\"hello\"}");
    f->c.call.approved = approved;
    f->c.tool.description = HAFT__LIT("What the run was shown.");
    help_start(&f->m.exec, &f->c);
    help_wait(&f->m.exec, &f->c);
}

static void check_refused(const fixture *f, const char *const *parts, size_t count)
{
    const haft__exec_result *result = &f->c.result;
    CHECK(!result->ok && result->changed && !result->started, "%.*s", HAFT__ARG(result->text));
    for (size_t i = 0; i < count; i++) {
        bool in_text =
            memmem(result->text.ptr, result->text.len, parts[i], strlen(parts[i])) != NULL;
        bool shown = memmem(result->diff.ptr, result->diff.len, parts[i], strlen(parts[i])) != NULL;
        bool people = strchr("-+/.", parts[i][0]) != NULL; /* no model sees it */
        CHECK(people ? shown && !in_text : in_text, "'%s': '%.*s' and '%.*s'", parts[i],
              HAFT__ARG(result->text), HAFT__ARG(result->diff));
    }
    CHECK(memmem(result->hint.ptr, result->hint.len, "--accept a:say", 14) != NULL, "%.*s",
          HAFT__ARG(result->hint));
}

#define CHECK_REFUSED(f, ...)                                                                      \
    check_refused(f, (const char *const[]){__VA_ARGS__},                                           \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Accepts the current definitions, as `haft tools --accept` does. */
static void accept(fixture *f, const char *description, int how)
{
    haft__arena *arena = &f->m.exec.arena;
    haft__mcp_server_configs servers;
    haft__mcp_pins pins;
    haft__mcp_connection *connection = f->m.exec.exec->connection_pool->connections;
    haft__json_member pin = {.key = haft__json_string(HAFT__LIT("say"))};
    CHECK_INT(haft__mcp_server_configs_read(arena, f->m.exec.spec.mcp, &servers, NULL), HAFT_OK,
              "mcp");
    const haft__mcp_tool *tool = haft__mcp_connection_find_tool(connection, HAFT__LIT("say"));
    CHECK(haft__str_equal(tool->description, haft__str(description)),
          "the tool has another description");
    CHECK_INT(haft__mcp_pin_make(arena, tool->definition, haft__str(servers.items[0].hash),
                                 &pin.value, NULL),
              HAFT_OK, "the pin cannot be made");
    haft_str path =
        haft__mcp_pins_path(arena, haft__str(f->m.place), &servers.items[0], haft__str(f->spec));
    haft__mcp_pins_update pinning = {
        .server = HAFT__LIT("a"), .pins = &pin, .count = 1, .how = how};
    haft__mcp_pins_init(&pins);
    CHECK_INT(haft__mcp_pins_add(&pins, path.ptr, &pinning, (haft__hash_key){1, 2}, NULL), HAFT_OK,
              "the pin cannot be added");
    haft__mcp_pins_finish(&pins);
}

TEST(a_changed_definition_is_rejected_until_it_is_accepted)
{
    fixture f;
    begin(&f);
    call(&f, "", false);
    CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
    describe(&f, "Says another word.");
    for (int i = 0; i < 3; i++) { /* without a hash, with another hash, and approved */
        restart_process(&f);
        call(&f, i == 1 ? "00" : "", i == 2);
        CHECK_REFUSED(&f, "- /description: \"Says a word.\"",
                      "+ /description: \"Says another word.\"");
    }
    accept(&f, "Says another word.", HAFT__PIN_REPLACE);
    call(&f, "", false);
    CHECK(f.c.result.ok, "a call after the accept: %.*s", HAFT__ARG(f.c.result.text));
    help_mcp_end(&f.m);
}

/* It is marked for the code that decides what a model sees, also without a file of pins. */
TEST(a_definition_that_changed_is_marked_in_the_list)
{
    for (int place = 0; place <= 1; place++) {
        fixture f;
        begin(&f);
        f.m.exec.exec->options.state = place == 0 ? "" : f.m.place;
        call(&f, "", false);
        CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
        help_mcp_list(&f.m);
        CHECK_STR(f.m.changed, HAFT__LIT(""), "changed tools before the change");
        describe(&f, "Says another word.");
        haft__mcp_connection *connection = f.m.exec.exec->connection_pool->connections;
        haft__mcp_connection_tools_changed(connection);
        while (connection->listing || !connection->fresh) {
            CHECK_INT(haft__loop_step(f.m.exec.loop, 1000, NULL), HAFT_OK, "no step");
        }
        help_mcp_list(&f.m);
        CHECK_STR(f.m.names, HAFT__LIT("a:say "), "tools after the change");
        CHECK_STR(f.m.changed, HAFT__LIT("a:say "), "changed tools after the change");
        if (place == 1) {
            CHECK(haft__str_starts_with(f.m.warnings, HAFT__LIT("1 tool has changed")), "%.*s",
                  HAFT__ARG(f.m.warnings));
            accept(&f, "Says another word.", HAFT__PIN_REPLACE);
            help_mcp_list(&f.m);
            CHECK_STR(f.m.changed, HAFT__LIT(""), "changed tools after the accept");
        }
        help_mcp_end(&f.m);
    }
}

TEST(an_unused_tool_is_shown_with_its_current_definition)
{
    fixture f;
    begin(&f);
    call(&f, "00", false);
    CHECK(!f.c.result.ok && !f.c.result.changed && !f.c.result.started, "outcome");
    CHECK(f.c.result.renewed.len > 0, "the new definition is missing");
    call(&f, "00", false);
    CHECK(f.c.result.renewed.len > 0, "the first call pinned the tool");
    help_mcp_end(&f.m);
}

TEST(an_approved_call_of_a_changed_tool_is_rejected)
{
    fixture f;
    begin(&f);
    call(&f, "00", true);
    CHECK_REFUSED(&f, "- /description: \"What the run was shown.\"",
                  "+ /description: \"Says a word.\"");
    restart_process(&f);
    call(&f, "00", false);
    CHECK_REFUSED(&f, "+ /description: \"Says a word.\"");
    accept(&f, "Says a word.", HAFT__PIN_REPLACE);
    call(&f, "00", false);
    CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
    help_mcp_end(&f.m);
}

TEST(the_same_tool_of_another_command_has_changed)
{
    fixture f;
    begin(&f);
    call(&f, "", false);
    CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
    configure(&f, ",'env':{'MORE':'1'}");
    restart_process(&f);
    call(&f, "", false);
    CHECK_REFUSED(&f, "- /configuration: ", "+ /configuration: ");
    accept(&f, "Says a word.", HAFT__PIN_REPLACE);
    call(&f, "", false);
    CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
    configure(&f, "");
    restart_process(&f);
    call(&f, "", false);
    CHECK_REFUSED(&f, "/configuration: ");
    help_mcp_end(&f.m);
}

/* Overwrites the file of pins. */
static void damage(fixture *f)
{
    haft__mcp_server_configs servers;
    haft__arena *arena = &f->m.exec.arena;
    CHECK_INT(haft__mcp_server_configs_read(arena, f->m.exec.spec.mcp, &servers, NULL), HAFT_OK,
              "mcp");
    haft_str path =
        haft__mcp_pins_path(arena, haft__str(f->m.place), &servers.items[0], haft__str(f->spec));
    CHECK_INT(access(path.ptr, F_OK), 0, "there are no pins");
    CHECK_INT(haft__file_replace(path.ptr, HAFT__LIT("{\"version\":1,"), NULL), HAFT_OK,
              "the file cannot be written");
}

TEST(if_the_pins_are_damaged_only_accepted_tools_are_called)
{
    fixture f;
    begin(&f);
    call(&f, "", false);
    CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
    damage(&f);
    call(&f, "", false);
    CHECK_REFUSED(&f, "the file with the accepted definitions is damaged", ".pins: ");
    restart_process(&f);
    call(&f, "", false);
    CHECK_REFUSED(&f, "is damaged");
    accept(&f, "Says a word.", HAFT__PIN_REPLACE);
    call(&f, "", false);
    CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
    help_mcp_end(&f.m);
}

TEST(damaged_pins_are_reported_with_the_list)
{
    fixture f;
    begin(&f);
    call(&f, "", false);
    damage(&f);
    help_mcp_list(&f.m);
    CHECK(memmem(f.m.warnings.ptr, f.m.warnings.len, "--accept a:*", 12) != NULL, "%.*s",
          HAFT__ARG(f.m.warnings));
    help_mcp_end(&f.m);
}

/* Two specs of one directory share the connection but not the pins: neither in their files nor
 * in this process. */
TEST(pins_of_one_spec_do_not_apply_to_another)
{
    for (int written = 1; written >= 0; written--) {
        fixture f;
        char below[160];
        begin(&f);
        (void)snprintf(below, sizeof(below), "%s/below", f.file);
        f.m.exec.exec->options.state = written ? f.m.place : below;
        call(&f, "", false);
        CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
        describe(&f, "Says another word.");
        help_mcp_list(&f.m);
        haft__mcp_connection *connection = f.m.exec.exec->connection_pool->connections;
        haft__mcp_pins *here = NULL;
        (void)snprintf(f.spec, sizeof(f.spec), "%s/other.json", f.m.place);
        f.m.exec.spec.path = haft__str(f.spec);
        CHECK_INT(haft__mcp_process_pins_get(f.m.exec.exec->connection_pool, &connection->server,
                                             haft__str(f.spec), false, &here, NULL),
                  HAFT_OK, "no memory");
        CHECK(here == NULL, "the second spec has pins");
        haft__mcp_connection_tools_changed(connection);
        call(&f, "", false);
        CHECK(f.c.result.ok, "a call with the second spec: %.*s", HAFT__ARG(f.c.result.text));
        CHECK(connection->next == NULL, "the specs do not share the connection");
        help_mcp_end(&f.m);
    }
}

TEST(pins_that_cannot_be_written_are_reported)
{
    fixture f;
    begin(&f);
    char below[160]; /* a path below a file: not even root can write there */
    (void)snprintf(below, sizeof(below), "%s/below", f.file);
    f.m.exec.exec->options.state = below;
    help_mcp_list(&f.m);
    CHECK(memmem(f.m.warnings.ptr, f.m.warnings.len, "its tools are not saved", 23) != NULL, "%.*s",
          HAFT__ARG(f.m.warnings));
    call(&f, "", false);
    CHECK(f.c.result.ok, "%.*s", HAFT__ARG(f.c.result.text));
    CHECK_INT(f.c.progress_count, 1, "warnings");
    CHECK(memmem(f.c.last_progress.ptr, f.c.last_progress.len, "\"level\":\"warning\"", 17) != NULL
              && memmem(f.c.last_progress.ptr, f.c.last_progress.len, "is not saved", 12) != NULL,
          "%.*s", HAFT__ARG(f.c.last_progress));
    call(&f, "00", false);
    CHECK(f.c.result.ok, "a second call in this process: %.*s", HAFT__ARG(f.c.result.text));
    help_mcp_end(&f.m);
}
