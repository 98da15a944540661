/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/call_target.c: calls that leave the server out of a tool's name. */
#include "run_help.h"

#define SEARCH(query)                                                                              \
    "{\"calls\":[{\"name\":\"tool_search\",\"arguments\":{\"query\":\"" query "\"}}]},"
#define CALL(name) "{\"calls\":[{\"name\":\"" name "\"}]},"

/* A run of `spec` with these replies of the model, and what becomes of the call `id`. */
typedef struct row {
    const char *what, *spec, *replies, *id;
    const char *runs;       /* the tool that ran; NULL if the call was refused */
    bool repaired;          /* the call that ran was repaired */
    const char *why, *part; /* the reason of the refusal, and a part of the text for the model */
} row;

static const row rows[] = {
    {"shown", "agent; max_mcp=2; server=docs,find,read", CALL("read"), "c1.1", "docs:read", true,
     NULL, NULL},
    {"evicted", "agent; max_mcp=1; server=docs,aa,bb", SEARCH("bb") CALL("aa"), "c2.1", "docs:aa",
     true, NULL, NULL},
    {"listed", "agent; max_mcp=1; server=docs,take,send,sent", SEARCH("sen") CALL("sent"), "c2.1",
     "docs:sent", true, NULL, NULL},
    {"a search has found the tool", "agent; max_mcp=1; server=docs,find,read",
     CALL("read") SEARCH("read") CALL("read"), "c3.1", "docs:read", true, NULL, NULL},
    {"only one of two can be called", "agent; max_mcp=1; server=one,read; server=two,find,read",
     CALL("read"), "c1.1", "one:read", true, NULL, NULL},
    {"a tool of the spec", "agent; max_mcp=2; tools=look; server=docs,look", CALL("look"), "c1.1",
     "look", false, NULL, NULL},
    {"a wire name", "agent; max_mcp=2; server=docs,read", CALL("docs_-_read"), "c1.1", "docs:read",
     false, NULL, NULL},
    {"a partly encoded wire name", "agent; max_mcp=2; server=docs,v1.read", CALL("v1_-h2eread"),
     "c1.1", "docs:v1.read", true, NULL, NULL},
    {"whole arguments in a cut reply", "agent; max_mcp=2; server=docs,read",
     "{\"stop\":\"length\",\"calls\":[{\"name\":\"read\",\"arguments\":{\"q\":\"a\"}}]},", "c1.1",
     "docs:read", true, NULL, NULL},
    {"two can be called", "agent; max_mcp=2; server=one,read; server=two,read", CALL("read"),
     "c1.1", NULL, false, "unknown",
     "Error: several servers have a tool named \"read\". Call the one that you mean: "
     "one_-_read, two_-_read."},
    {"no search has found the tool", "agent; max_mcp=1; server=docs,find,read", CALL("read"),
     "c1.1", NULL, false, "not_revealed",
     "Error: docs_-_read has not been revealed. Call tool_search first"},
    {"no search has found either of two tools",
     "agent; max_mcp=1; server=one,find,read; server=two,read", CALL("read"), "c1.1", NULL, false,
     "not_revealed",
     "Error: one_-_read and two_-_read have not been revealed. Call tool_search first"},
    {"nowhere", "agent; max_mcp=1; server=docs,find,read", CALL("nowhere"), "c1.1", NULL, false,
     "unknown", "Error: there is no tool named \"nowhere\""},
    {"the end of a name does not count as a name", "agent; max_mcp=1; server=docs,find",
     CALL("ind"), "c1.1", NULL, false, "unknown", "Error: there is no tool named \"ind\""},
};

/* The event of a kind about a call. */
static const char *event_of(haft_str log, const char *kind, const char *id)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof(wanted), "\"kind\":\"%s\",\"call\":\"%s\"", kind, id);
    const char *found = strstr(log.ptr, wanted);
    return found != NULL ? found : "";
}

static void check_started(const row *r, haft_str log, const haft__run_call *call)
{
    char wanted[128];
    const char *event = event_of(log, "call_started", r->id);
    (void)snprintf(wanted, sizeof(wanted), "\"repaired\":%s,", r->repaired ? "true" : "false");
    const char *found = strstr(event, "\"repaired\":");
    CHECK(found != NULL && strncmp(found, wanted, strlen(wanted)) == 0, "%s: %.400s", r->what,
          event);
    CHECK_STR(call->name, haft__str(r->runs), "%s", r->what);
    CHECK(call->stage == HAFT__CALL_FINISHED, "%s: the stage of the call is %d", r->what,
          (int)call->stage);
}

static void check_refused(const row *r, haft_str log, const haft__run_call *call)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof(wanted), "\"why\":\"%s\"", r->why);
    const char *event = event_of(log, "call_refused", r->id);
    CHECK(strstr(event, wanted) != NULL, "%s: %.400s", r->what, event);
    haft_str shown = help_keep(call->shown);
    CHECK(strstr(shown.ptr, r->part) != NULL, "%s: %s", r->what, shown.ptr);
    CHECK_INT(call->counts_invalid, strcmp(r->why, "unknown") == 0, "%s", r->what);
}

TEST(a_call_may_omit_the_name_of_the_server)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        char script[1024];
        help_run r;
        (void)snprintf(script, sizeof(script),
                       "{\"replies\":[%s{\"text\":\"good\"}],\"results\":{\"look\":[\"x\"],"
                       "\"docs:read\":[\"x\"],\"docs:aa\":[\"x\"],\"docs:sent\":[\"x\"],"
                       "\"docs:v1.read\":[\"x\"],\"one:read\":[\"x\"]}}",
                       rows[i].replies);
        help_run_init(&r, rows[i].spec, script);
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s: %s %s", rows[i].what, r.err.where, r.err.message);
        haft_str log = help_keep(haft__buf_str(&r.log));
        const haft__run_call *call = haft__run_find_call(&r.drive.run, haft__str(rows[i].id));
        CHECK(call != NULL, "%s: %s", rows[i].what, log.ptr);
        if (call != NULL && rows[i].runs != NULL) {
            check_started(&rows[i], log, call);
        } else if (call != NULL) {
            check_refused(&rows[i], log, call);
        }
        help_run_finish(&r);
    }
}

/* The history has the name under which the model can call the tool, so that the model learns it. */
TEST(the_history_has_the_full_name_of_the_tool)
{
    help_run r;
    help_run_init(&r, "agent; max_mcp=2; server=docs,read",
                  "{\"replies\":[" CALL("read") "{\"text\":\"good\"}],"
                                                "\"results\":{\"docs:read\":[\"x\"]}}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    size_t seen = 0;
    for (size_t i = 0; i < r.drive.run.messages.count; i++) {
        const haft__message *message = &r.drive.run.messages.items[i];
        for (size_t k = 0; k < message->call_count; k++, seen++) {
            CHECK_STR(message->calls[k].name, HAFT__LIT("docs:read"), "name in the call");
        }
        if (message->role == HAFT__MESSAGE_TOOL) {
            CHECK_STR(message->call_name, HAFT__LIT("docs:read"), "name in the result");
            seen++;
        }
    }
    CHECK_INT(seen, 2, "number of messages with the name");
    help_run_finish(&r);
}

/* ---- texts for the model ---- */

#define TWO  "agent; max_mcp=2; server=docs,find,read"
#define READ "{\"calls\":[{\"name\":\"docs:read\",\"arguments\":{\"q\":\"a\"}}]},"

static const struct {
    const char *what, *spec, *replies;
    const char *kind, *part; /* the last event of this kind contains this part */
} texts[] = {
    {"unknown", TWO, CALL("docs:rea"), "call_refused",
     "Did you mean \\\"docs_-_read\\\"? Tools you can call now: "
     "tool_search, docs_-_find, docs_-_read."},
    {"not in this turn", "agent; max_mcp=2; schedule=docs:find+auto; server=docs,find,read",
     "{\"calls\":[{\"name\":\"docs:find\"},{\"name\":\"docs:read\"}]},", "call_refused",
     "Error: docs_-_read cannot be called in this turn. Tools you can call now: docs_-_find."},
    {"again", TWO, READ READ READ READ READ READ, "call_refused",
     "docs_-_read has returned the same result"},
    {"a repeated call that ran", TWO, READ READ READ, "call_started",
     "call docs_-_read with other arguments"},
    {"not found", "agent; max_mcp=1; server=docs,find,read", CALL("docs:read"), "call_refused",
     "Error: docs_-_read has not been revealed"},
    {"tool_search may not be called", "agent; builtin_deny=tool_search; server=docs,find,read",
     CALL("docs:read"), "call_refused", "Error: docs_-_read cannot be called: it is deferred"},
    {"another tool is forced", "agent; max_mcp=2; schedule=docs:find+auto; server=docs,find,read",
     CALL("docs:read"), "violation", "You must call the tool docs_-_find in this turn."},
    {"one tool is forced", "agent; max_mcp=2; default=any; server=docs,find,read",
     "{\"text\":\"no\"},", "violation", "one of: tool_search, docs_-_find, docs_-_read"},
    {"a phase is not complete",
     "workflow; max_mcp=2; phase=one+docs:read; tools=complete_workflow; server=docs,find,read",
     "{\"calls\":[{\"name\":\"docs:find\"}]},"
     "{\"calls\":[{\"name\":\"complete_workflow\"}]},",
     "call_refused", "call one of: docs_-_read"},
};

static const char *last_of(haft_str log, const char *kind)
{
    const char *last = "";
    char wanted[64];
    (void)snprintf(wanted, sizeof(wanted), "\"kind\":\"%s\"", kind);
    for (const char *at = log.ptr; (at = strstr(at, wanted)) != NULL; at++) {
        last = at;
    }
    const char *end = strchr(last, '\n');
    return help_keep((haft_str){last, end != NULL ? (size_t)(end - last) : strlen(last)}).ptr;
}

/* The model knows its tools by their wire names. */
TEST(texts_for_the_model_have_names_that_it_can_call)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        char script[1024];
        help_run r;
        (void)snprintf(script, sizeof(script),
                       "{\"replies\":[%s{\"text\":\"good\"}],\"results\":{\"docs:read\":\"x\","
                       "\"docs:find\":\"x\"}}",
                       texts[i].replies);
        help_run_init(&r, texts[i].spec, script);
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s: %s %s", texts[i].what, r.err.where, r.err.message);
        haft_str log = help_keep(haft__buf_str(&r.log));
        const char *event = last_of(log, texts[i].kind);
        CHECK(strstr(event, texts[i].part) != NULL, "%s: %s", texts[i].what,
              event[0] != '\0' ? event : log.ptr);
        help_run_finish(&r);
    }
}
