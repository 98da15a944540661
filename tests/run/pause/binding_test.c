/* SPDX-License-Identifier: Apache-2.0 */
#include "run/pause/binding.h"

#include "run/pause/command.h"
#include "run/replay/replay.h"
#include "run/run_help.h"

#define ONE_SEND                                                                                   \
    "{\"replies\":[{\"calls\":[{\"name\":\"send\",\"arguments\":{\"q\":\"a\"}}]},{\"text\":"       \
    "\"good\"}],\"results\":{\"send\":\"sent\"}}"

static const haft__run_call *first_call(const help_run *r)
{
    return &r->drive.run.calls[0];
}

static void start(help_run *r)
{
    help_run_init(r, "agent; tools=send!approval", ONE_SEND);
    CHECK_INT(help_run_go(r), HAFT_OK, "%s", r->err.message);
    CHECK_INT(first_call(r)->stage, HAFT__CALL_PAUSED, "the call is pending");
}

/* Applies the command, and records its event without continuing. */
static haft_status apply_command(help_run *r, const char *text)
{
    haft__run_command command;
    haft__buf body;
    haft__buf_init(&body, 65536);
    haft_status status =
        haft__run_command_read(&r->arena, haft__str(text), HELP_KEY, &command, &r->err);
    if (status == HAFT_OK) {
        status = haft__run_command_apply(&r->drive.run, &command, &body, &r->err);
    }
    if (status == HAFT_OK) {
        status = haft__drive_append(&r->drive, haft__buf_str(&body), &r->err);
    }
    haft__buf_finish(&body);
    return status;
}

/* The binding of a tool, arguments and rules that are given as JSON. */
static haft_str make(const char *description, const char *definition, const char *arguments,
                     const char *source, bool needs_approval)
{
    haft__arena arena;
    char hex[HAFT__SHA256_HEX];
    haft__arena_init(&arena, 0);
    haft__tool tool = {.name = HAFT__LIT("send"),
                       .description = haft__str(description),
                       .input_schema = help_json(&arena, "{\"type\":\"object\"}"),
                       .definition = help_json(&arena, definition),
                       .traits.needs_approval = needs_approval};
    haft__spec spec = {.source = help_json(&arena, source)};
    CHECK_INT(haft__binding_make(&spec, &tool, help_json(&arena, arguments), hex, NULL), HAFT_OK,
              "make the binding");
    haft__arena_finish(&arena);
    return help_keep((haft_str){hex, sizeof(hex)});
}

TEST(a_binding_covers_definition_arguments_and_rules)
{
    haft_str first = make("d", "{\"command\":[\"a\"]}", "{\"x\":1,\"y\":2}", "{}", true);
    CHECK_STR(make("d", "{\"command\":[\"a\"]}", "{\"y\":2.0,\"x\":1}", "{\"name\":\"n\"}", true),
              first,
              "order of keys, spelling of numbers and other parts of the spec do not matter");
    const haft_str others[] = {
        make("e", "{\"command\":[\"a\"]}", "{\"x\":1,\"y\":2}", "{}", true),
        make("d", "{\"command\":[\"b\"]}", "{\"x\":1,\"y\":2}", "{}", true),
        make("d", "{\"command\":[\"a\"]}", "{\"x\":1,\"y\":3}", "{}", true),
        make("d", "{\"command\":[\"a\"]}", "{\"x\":1,\"y\":2}",
             "{\"approvals\":[{\"tools\":[\"s\"]}]}", true),
        make("d", "{\"command\":[\"a\"]}", "{\"x\":1,\"y\":2}", "{}", false),
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        CHECK(!haft__str_equal(others[i], first), "binding %zu is the same", i);
    }
}

/* The binding of a server's tool, with `mcp` of the spec. */
static haft_str make_served(const char *mcp)
{
    haft__arena arena;
    char hex[HAFT__SHA256_HEX];
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__tool tool = {.name = HAFT__LIT("docs:send"),
                       .description = HAFT__LIT("d"),
                       .input_schema = help_json(&arena, "{}"),
                       .source = HAFT__TOOL_MCP,
                       .definition = help_json(&arena, "{\"server\":\"docs\",\"hash\":\"h\"}")};
    haft__spec spec = {.source = help_json(&arena, "{}"), .mcp = help_json(&arena, mcp)};
    CHECK_INT(haft__binding_make(&spec, &tool, help_json(&arena, "{}"), hex, &err), HAFT_OK, "%s",
              err.message);
    haft__arena_finish(&arena);
    return help_keep((haft_str){hex, sizeof(hex)});
}

#define SERVER(rest) "{\"servers\":{\"docs\":{" rest "}}}"

TEST(a_binding_covers_the_configuration_of_the_server)
{
    haft_str first = make_served(SERVER("\"command\":[\"a\"],\"env\":{\"K\":\"${K}\"}"));
    CHECK_STR(make_served(SERVER("\"env\":{\"K\":\"${K}\"},\"command\":[\"a\"]")), first,
              "order of keys does not matter");
    static const char *const others[] = {
        SERVER("\"command\":[\"b\"],\"env\":{\"K\":\"${K}\"}"),
        SERVER("\"command\":[\"a\",\"x\"],\"env\":{\"K\":\"${K}\"}"),
        SERVER("\"command\":[\"a\"],\"env\":{\"K\":\"${L}\"}"),
        SERVER("\"url\":\"https://a.example/mcp\""),
        "{\"servers\":{}}",
        "null",
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        CHECK(!haft__str_equal(make_served(others[i]), first), "%s", others[i]);
    }
}

TEST(a_binding_survives_every_failed_allocation)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tool tool = {.name = HAFT__LIT("docs:send"),
                       .source = HAFT__TOOL_MCP,
                       .definition = help_json(&arena, "{\"server\":\"docs\"}")};
    haft__spec spec = {.source = help_json(&arena, "{}"),
                       .mcp = help_json(&arena, SERVER("\"command\":[\"a\"]"))};
    for (unsigned n = 0;; n++) {
        char hex[HAFT__SHA256_HEX];
        test_fail_allocation(n);
        haft_status status = haft__binding_make(&spec, &tool, haft__json_null(), hex, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            CHECK(n > 0, "no allocation was made");
            break;
        }
    }
    haft__arena_finish(&arena);
}

TEST(pause_and_answer_contain_the_binding_and_the_call_runs)
{
    help_run r;
    start(&r);
    haft_str asked = help_keep(first_call(&r)->binding);
    CHECK_INT(asked.len, HAFT__SHA256_HEX, "length of the binding in the pause");
    CHECK_INT(apply_command(&r, "{\"command\":\"approve\"}"), HAFT_OK, "%s", r.err.message);
    CHECK_STR(first_call(&r)->binding, asked, "the binding in the answer");
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "the end of the run");
    help_run_finish(&r);
}

typedef enum change {
    CHANGE_DESCRIPTION,
    CHANGE_RULES,
    CHANGE_ARGUMENTS,
    CHANGES,
} change;

/* As if the definition, the rules or the arguments had changed between approval and start. */
static void apply_change(help_run *r, change what)
{
    haft__run_call *call = &r->drive.run.calls[0];
    if (what == CHANGE_DESCRIPTION) {
        haft__tool other = *call->tool;
        other.description = HAFT__LIT("sends it elsewhere");
        CHECK_INT(haft__tools_replace(&r->spec.spec.tools, &other, &r->err), HAFT_OK, "%s",
                  r->err.message);
        call->tool = haft__tools_find(&r->spec.spec.tools, other.name);
    } else if (what == CHANGE_RULES) {
        r->spec.spec.source = help_json(&r->arena, "{\"approvals\":[{\"tools\":[\"*\"]}]}");
    } else {
        call->arguments = help_json(&r->arena, "{\"q\":\"b\",\"n\":7}");
    }
}

TEST(a_call_that_has_changed_since_its_approval_needs_a_new_one)
{
    for (change what = 0; what < CHANGES; what++) {
        help_run r;
        start(&r);
        haft_str asked = help_keep(first_call(&r)->binding);
        CHECK_INT(apply_command(&r, "{\"command\":\"approve\"}"), HAFT_OK, "%s", r.err.message);
        apply_change(&r, what);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK_INT(first_call(&r)->stage, HAFT__CALL_PAUSED, "change %d: the call is pending again",
                  what);
        CHECK(!first_call(&r)->started && !first_call(&r)->approved, "change %d: the call ran",
              what);
        CHECK(!haft__str_equal(first_call(&r)->binding, asked),
              "change %d: the binding is the same", what);
        CHECK_INT(apply_command(&r, "{\"command\":\"approve\"}"), HAFT_OK, "%s", r.err.message);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK_INT(r.drive.run.end, HAFT__END_DONE, "change %d: the end of the run", what);
        help_run_finish(&r);
    }
}

TEST(an_approval_with_another_binding_is_rejected)
{
    help_run r;
    start(&r);
    haft_status status =
        apply_command(&r, "{\"command\":\"approve\",\"pause\":\"approval\",\"binding\":\"0123\"}");
    CHECK_INT(status, HAFT_BAD_STATE, "approve with another binding");
    CHECK(strstr(r.err.message, "the approval does not apply to the call") != NULL, "%s",
          r.err.message);
    CHECK_INT(first_call(&r)->stage, HAFT__CALL_PAUSED, "the call stays pending");
    help_run_finish(&r);
}

TEST(a_declined_call_never_runs)
{
    help_run r;
    start(&r);
    CHECK_INT(apply_command(&r, "{\"command\":\"reject\",\"why\":\"no\"}"), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(apply_command(&r, "{\"command\":\"approve\",\"call\":\"c1.1\"}"), HAFT_BAD_STATE,
              "approve after the rejection");
    apply_change(&r, CHANGE_RULES);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(first_call(&r)->stage, HAFT__CALL_REFUSED, "refused");
    CHECK(!first_call(&r)->started, "the call ran");
    help_run_finish(&r);
}

TEST(invalid_arguments_approve_nothing)
{
    help_run r;
    start(&r);
    CHECK_INT(apply_command(&r, "{\"command\":\"approve\",\"value\":{\"n\":\"many\"}}"),
              HAFT_BAD_INPUT, "a text instead of a number");
    CHECK(strstr(r.err.message, "the tool does not accept these arguments: ") != NULL, "%s",
          r.err.message);
    CHECK_INT(apply_command(&r, "{\"command\":\"approve\",\"value\":[1]}"), HAFT_BAD_INPUT,
              "an array instead of an object");
    CHECK_INT(first_call(&r)->stage, HAFT__CALL_PAUSED, "the call stays pending");
    CHECK_INT(apply_command(&r, "{\"command\":\"approve\",\"value\":{\"n\":3}}"), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "the edited call is approved and runs");
    help_run_finish(&r);
}

TEST(an_edit_survives_every_failed_allocation)
{
    help_run r;
    start(&r);
    haft__run_command command;
    haft__buf body;
    CHECK_INT(haft__run_command_read(&r.arena,
                                     HAFT__LIT("{\"command\":\"approve\",\"value\":{\"n\":3}}"),
                                     HELP_KEY, &command, &r.err),
              HAFT_OK, "%s", r.err.message);
    for (unsigned n = 0;; n++) {
        haft__buf_init(&body, 65536);
        test_fail_allocation(n);
        haft_status status = haft__run_command_apply(&r.drive.run, &command, &body, &r.err);
        bool failed = test_allow_allocations();
        haft__buf_finish(&body);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
    help_run_finish(&r);
}

/* ---- standing approvals ---- */

/* The hash of a tool for standing approvals. */
static haft_str make_tool(haft__tool tool, const char *definition, const char *mcp)
{
    haft__arena arena;
    char hex[HAFT__SHA256_HEX];
    haft__arena_init(&arena, 0);
    tool.input_schema = help_json(&arena, "{\"type\":\"object\"}");
    tool.definition = help_json(&arena, definition);
    haft__spec spec = {.source = help_json(&arena, "{}"), .mcp = help_json(&arena, mcp)};
    CHECK_INT(haft__binding_make_tool(&spec, &tool, hex, NULL), HAFT_OK, "make the binding");
    haft__arena_finish(&arena);
    return help_keep((haft_str){hex, sizeof(hex)});
}

#define SERVED "{\"server\":\"docs\",\"hash\":\"h\"}"

TEST(a_standing_approval_covers_the_tool_and_its_server)
{
    const haft__tool tool = {
        .name = HAFT__LIT("docs:send"), .description = HAFT__LIT("d"), .source = HAFT__TOOL_MCP};
    haft__tool needs = tool, renamed = tool, described = tool, hinted = tool, command = tool;
    needs.traits.needs_approval = true;
    renamed.name = HAFT__LIT("docs:sent");
    described.description = HAFT__LIT("e");
    hinted.hinted_destructive = true;
    command.source = HAFT__TOOL_COMMAND;
    haft_str first = make_tool(tool, SERVED, SERVER("\"command\":[\"a\"]"));
    CHECK_STR(make_tool(needs, SERVED, SERVER("\"command\":[\"a\"]")), first,
              "rules do not matter");
    const haft_str others[] = {
        make_tool(renamed, SERVED, SERVER("\"command\":[\"a\"]")),
        make_tool(described, SERVED, SERVER("\"command\":[\"a\"]")),
        make_tool(hinted, SERVED, SERVER("\"command\":[\"a\"]")),
        make_tool(command, SERVED, SERVER("\"command\":[\"a\"]")),
        make_tool(tool, "{\"server\":\"docs\",\"hash\":\"i\"}", SERVER("\"command\":[\"a\"]")),
        make_tool(tool, SERVED, SERVER("\"command\":[\"b\"]")),
        make_tool(tool, SERVED, "null"),
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        CHECK(!haft__str_equal(others[i], first), "binding %zu is the same", i);
    }
}

/* Answers the first call, and checks which later calls are still pending. */
TEST(later_calls_of_an_approved_tool_are_approved)
{
    static const char script[] =
        "{\"replies\":[{\"calls\":[{\"name\":\"send\",\"arguments\":{\"q\":\"a\"}},"
        "{\"name\":\"send\",\"arguments\":{\"q\":\"b\"}},"
        "{\"name\":\"drop\",\"arguments\":{\"q\":\"c\"}}]},{\"text\":\"good\"}],"
        "\"results\":{\"send\":\"sent\",\"drop\":\"dropped\"}}";
    static const struct {
        const char *command;
        bool second; /* the second call is approved, too */
    } cases[] = {
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"always\":true}", true},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"always\":true,\"value\":{\"q\":\"x\"}}",
         true},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"always\":false}", false},
        {"{\"command\":\"approve\",\"call\":\"c1.1\"}", false},
        {"{\"command\":\"reject\",\"call\":\"c1.1\",\"always\":true}", false},
        {"{\"command\":\"answer\",\"call\":\"c1.1\",\"always\":true,\"value\":\"x\"}", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_run r;
        help_run_init(&r, "agent; tools=send!approval,drop!approval!destructive", script);
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
        CHECK_INT(apply_command(&r, cases[i].command), HAFT_OK, "%s: %s", cases[i].command,
                  r.err.message);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        const haft__run_call *calls = r.drive.run.calls;
        CHECK_INT(calls[1].stage, cases[i].second ? HAFT__CALL_FINISHED : HAFT__CALL_PAUSED,
                  "%s: the same tool", cases[i].command);
        CHECK_INT(calls[2].stage, HAFT__CALL_PAUSED, "%s: another tool", cases[i].command);
        haft__replay replay;
        CHECK_INT(haft__replay_log(&r.arena, &r.spec.spec, haft__buf_str(&r.log), HELP_KEY, &replay,
                                   &r.err),
                  HAFT_OK, "%s", r.err.message);
        CHECK(replay.identical, "%s: %.*s", cases[i].command, HAFT__ARG(replay.decided));
        help_run_finish(&r);
    }
}

TEST(a_standing_approval_of_a_user_covers_the_directory_of_programs)
{
    static const struct {
        haft__tool_source source;
        const char *mcp;
        bool depends;
    } cases[] = {
        {HAFT__TOOL_COMMAND, "null", true},
        {HAFT__TOOL_HTTP, "null", false},
        {HAFT__TOOL_MCP, SERVER("\"command\":[\"a\"]"), true},
        {HAFT__TOOL_MCP, SERVER("\"url\":\"https://a.example/mcp\""), false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        char one[HAFT__SHA256_HEX], other[HAFT__SHA256_HEX];
        bool depends = false;
        haft__arena_init(&arena, 0);
        haft__tool tool = {.name = HAFT__LIT("docs:send"),
                           .description = HAFT__LIT("d"),
                           .source = cases[i].source,
                           .input_schema = help_json(&arena, "{}"),
                           .definition = help_json(&arena, SERVED)};
        haft__spec spec = {.source = help_json(&arena, "{}"),
                           .mcp = help_json(&arena, cases[i].mcp)};
        CHECK_INT(haft__binding_make_user(&spec, &tool, HAFT__LIT("/a"), one, NULL), HAFT_OK,
                  "case %zu", i);
        CHECK_INT(haft__binding_make_user(&spec, &tool, HAFT__LIT("/b"), other, NULL), HAFT_OK,
                  "case %zu", i);
        CHECK_INT(haft__binding_depends_on_directory(&spec, &tool, &depends, NULL), HAFT_OK,
                  "case %zu", i);
        CHECK(depends == cases[i].depends, "case %zu", i);
        CHECK((memcmp(one, other, sizeof(one)) != 0) == cases[i].depends, "case %zu", i);
        haft__arena_finish(&arena);
    }
}

TEST(a_standing_approval_ends_when_the_tool_changes)
{
    static const bool holds[] = {
        [CHANGE_DESCRIPTION] = false, [CHANGE_RULES] = true, [CHANGE_ARGUMENTS] = true};
    for (change what = 0; what < CHANGES; what++) {
        help_run r;
        start(&r);
        CHECK_INT(apply_command(&r, "{\"command\":\"approve\",\"always\":true}"), HAFT_OK, "%s",
                  r.err.message);
        apply_change(&r, what);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK_INT(first_call(&r)->stage, holds[what] ? HAFT__CALL_FINISHED : HAFT__CALL_PAUSED,
                  "change %d", what);
        CHECK(first_call(&r)->started == holds[what], "change %d: whether the call ran", what);
        help_run_finish(&r);
    }
}
