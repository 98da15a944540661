/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/tools.c: the risk of calling a tool, and the number of calls. */
#include "model/rules/offline_help.h"

static haft__offline_risk risk_of(const char *task, haft__tool tool)
{
    const haft__tool *tools[] = {&tool};
    bool allowed[] = {true};
    haft__request request = {.tools = tools, .allowed = allowed, .tool_count = 1};
    haft__offline o = {.request = &request, .history = {.task = haft__str(task)}};
    return haft__offline_risk_of(&o, 0);
}

TEST(the_risk_of_a_tool_is_judged)
{
    static const struct {
        const char *task, *name;
        haft__traits traits;
        haft__tool_source source;
        haft__offline_risk risk;
    } cases[] = {
        {"x", "search", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_READS},
        {"x", "write_summary", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_CHANGES},
        {"x", "write_summary", {.idempotent = true}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_WRITES},
        {"x", "save_set", {.idempotent = true}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_CHANGES},
        {"x", "send_mail", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_CHANGES},
        {"x", "sendMail", {0}, HAFT__TOOL_HTTP, HAFT__OFFLINE_RISK_CHANGES},
        {"x", "mailSender", {0}, HAFT__TOOL_HTTP, HAFT__OFFLINE_RISK_CHANGES},
        {"x", "send_mail", {.read_only = true}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_READS},
        {"x", "search", {.destructive = true}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_DESTRUCTIVE},
        {"x",
         "search",
         {.destructive = true, .needs_approval = true},
         HAFT__TOOL_COMMAND,
         HAFT__OFFLINE_RISK_APPROVAL},
        {"x", "search", {.needs_approval = true}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_APPROVAL},
        {"x", "search", {0}, HAFT__TOOL_HEADLESS, HAFT__OFFLINE_RISK_WAITS},
        {"use send_mail now", "send_mail", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_REQUESTED},
        {"Send a mail", "send_mail", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_REQUESTED},
        {"count the words", "word_count", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_REQUESTED},
        {"wipe it",
         "wipe",
         {.destructive = true},
         HAFT__TOOL_COMMAND,
         HAFT__OFFLINE_RISK_REQUESTED},
        {"delete rows",
         "delete_rows",
         {.destructive = true},
         HAFT__TOOL_COMMAND,
         HAFT__OFFLINE_RISK_DESTRUCTIVE},
        {"search", "searching", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_READS},
        {"", "search", {0}, HAFT__TOOL_COMMAND, HAFT__OFFLINE_RISK_READS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__tool tool = {
            .name = haft__str(cases[i].name), .traits = cases[i].traits, .source = cases[i].source};
        CHECK_INT(risk_of(cases[i].task, tool), cases[i].risk, "%s: %s", cases[i].task,
                  cases[i].name);
    }
}

TEST(names_of_tools_are_found_in_texts)
{
    static const struct {
        const char *text, *name;
        bool found;
    } cases[] = {
        {"call glob, grep", "glob", true},
        {"call globs", "glob", false},
        {"call my_glob", "glob", false},
        {"glob", "glob", true},
        {"call docs:search.", "docs:search", true},
        {"", "glob", false},
        {"glob", "", false},
        {"xglob glob", "glob", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__offline_has_name(haft__str(cases[i].text), haft__str(cases[i].name)),
                  cases[i].found, "%s in %s", cases[i].name, cases[i].text);
    }
}

/* ---- number of calls ---- */

static bool answers(offline_world *w, const haft__run_call *call, haft__outcome *outcome)
{
    (void)w, (void)call;
    *outcome = (haft__outcome){.ok = true, .text = HAFT__LIT("fine")};
    return true;
}

/* A spec with `count` custom tools. */
static haft_str spec_of(haft__arena *arena, int count, const char *more)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{model: offline, limits: {turns: 40}%s, tools: [", more);
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf,
                       "%s{name: look%d, description: Looks at the index of a thing., args: "
                       "[query], command: [x]}",
                       i > 0 ? "," : "", i);
    }
    haft__buf_addf(
        &buf, "%s]}",
        strstr(more, "workflow") != NULL ? ",{builtin: [store_artifact, complete_workflow]}" : "");
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

TEST(calls_of_custom_tools_have_a_limit)
{
    for (int count = HAFT__LIMIT_OFFLINE_OTHERS - 1; count <= HAFT__LIMIT_OFFLINE_OTHERS + 1;
         count++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        offline_world w;
        offline_world_init(&w, spec_of(&arena, count, "").ptr, NULL, 0);
        w.tool = answers;
        offline_world_run(&w, "gate");
        int wanted = count < HAFT__LIMIT_OFFLINE_OTHERS ? count : HAFT__LIMIT_OFFLINE_OTHERS;
        CHECK_INT(w.run.call_count, wanted, "%d tools", count);
        offline_world_finish(&w);
        haft__arena_finish(&arena);
    }
}

TEST(calls_of_one_turn_have_a_limit)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (int count = HAFT__LIMIT_OFFLINE_AT_ONCE - 1; count <= HAFT__LIMIT_OFFLINE_AT_ONCE + 1;
         count++) {
        offline_world w;
        offline_world_init(&w, spec_of(&arena, count, "").ptr, NULL, 0);
        offline_request r;
        haft__reply reply = {0};
        bool allowed[8];
        memset(allowed, true, sizeof(allowed));
        offline_request_init(&r, &arena, "gate");
        offline_request_say(&r, "Missing: call look0, look1, look2, look3");
        r.request.tools = w.spec->tools.items;
        r.request.tool_count = w.spec->tools.count;
        r.request.allowed = allowed;
        CHECK_INT(haft__offline_ask(&r.request, &arena, &reply, NULL), HAFT_OK, "ask the planner");
        int wanted = count < HAFT__LIMIT_OFFLINE_AT_ONCE ? count : HAFT__LIMIT_OFFLINE_AT_ONCE;
        CHECK_INT(reply.call_count, wanted, "%d tools are missing", count);
        offline_world_finish(&w);
    }
    haft__arena_finish(&arena);
}

TEST(every_tool_that_a_gate_wants_is_called)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (int count = 1; count < 8; count++) {
        offline_world w;
        haft_str spec =
            spec_of(&arena, count, ", kind: workflow, choice: {min_tools_for_auto: 100}");
        offline_world_init(&w, spec.ptr, NULL, 0);
        w.tool = answers;
        offline_world_run(&w, "gate");
        CHECK_INT(w.run.end, HAFT__END_DONE, "%d tools", count);
        offline_world_finish(&w);
    }
    haft__arena_finish(&arena);
}
