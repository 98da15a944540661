/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_use.c - calls of tools of MCP servers: the executor.
 *
 * A call waits until its server is there and has listed its tools anew: only then it is known that
 * the tool is what the run was shown. Its deadline is the job's, from its start on. Tests:
 * tests/exec/mcp/mcp_test.c, tests/mcp/servers_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "json/write.h"

/* ---- which call ---- */

haft__mcp_use *haft__mcp_use_find(haft__mcp_link *link, uint64_t number)
{
    for (haft__mcp_use *use = link->uses; use != NULL; use = use->next) {
        if (use->number == number && number != 0) {
            return use;
        }
    }
    return NULL;
}

static void leave(haft__mcp_use *use)
{
    haft__mcp_use **at = &use->link->uses;
    while (*at != NULL && *at != use) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = use->next;
    }
}

static void join(haft__mcp_use *use)
{
    haft__mcp_use **at = &use->link->uses;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = use;
}

/* ---- its end ---- */

static void report(haft__mcp_use *use, const haft__exec_result *result)
{
    haft__exec_result numbered = *result;
    numbered.list = use->link->number;
    leave(use);
    haft__mcp_use_hush(use);
    haft__exec_report(use->job, &numbered);
}

/* It was not made, so it had no effect. */
static void report_error(haft__mcp_use *use, const haft_error *error)
{
    bool passes = error->status == HAFT_IO || error->status == HAFT_NO_MEMORY;
    haft__exec_result result = {.text = haft__str(error->message),
                                .where = haft__str(error->where),
                                .hint = haft__str(error->hint),
                                .transient = passes};
    report(use, &result);
}

void haft__mcp_use_fail(haft__mcp_link *link, const haft_error *error)
{
    haft_error kept = *error;
    for (haft__mcp_use *use = link->uses, *next; use != NULL; use = next) {
        next = use->next;
        if (use->number == 0) {
            report_error(use, &kept);
        }
    }
}

bool haft__mcp_use_waits(const haft__mcp_link *link)
{
    const haft__mcp_use *use = link->uses;
    while (use != NULL && use->number != 0) {
        use = use->next;
    }
    return use != NULL;
}

/* ---- making it ---- */

static haft__json get(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL ? *value : haft__json_null();
}

/* The first line of `why` is for the model, the rest for people. */
static void refuse(haft__mcp_use *use, const haft__mcp_tool *tool, haft_str why)
{
    haft__arena *arena = &use->job->arena;
    haft__exec_result result = {.changed = true};
    result.diff = haft__arena_copy(arena, why);
    result.text = haft__str_split(&result.diff, '\n');
    result.hint = haft__arena_format(arena,
                                     "do without it until a person has looked at it: haft tools "
                                     "SPEC --accept %.*s",
                                     HAFT__ARG(tool->name));
    if (result.text.len == 0) {
        result.text = HAFT__LIT("the tool is not what it was, so it was not called");
    }
    result.hint.len = result.hint.ptr != NULL ? result.hint.len : 0;
    report(use, &result);
}

/* The run gets to see what the tool is now, and decides again. */
static void renew(haft__mcp_use *use, const haft__mcp_tool *tool)
{
    haft__exec_result result = {.text = HAFT__LIT("the tool is not what the run was shown")};
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__reveal_write(&text, tool);
    if (haft__buf_check(&text, NULL) == HAFT_OK) {
        result.renewed = haft__arena_copy(&use->job->arena, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
    result.transient = result.renewed.ptr == NULL;
    result.renewed.len = result.renewed.ptr != NULL ? result.renewed.len : 0;
    report(use, &result);
}

/* What a person answered before goes with the call: {state, answers} of haft__exec_call.resume. */
static void add_resume(const haft__exec_job *job, haft__json answers, haft__mcp_call *call)
{
    haft__json state = get(job->call.resume, "state");
    haft__json text = get(state, "state"), round = get(state, "round");
    uint64_t count = 0;
    call->answers = answers;
    if (text.kind == HAFT__JSON_STRING) {
        call->state = haft__json_text(text);
    }
    if (haft__str_to_u64(haft__json_text(round), &count)) {
        call->round = (uint32_t)count;
    }
}

static haft_status make_call(haft__mcp_use *use, const haft__mcp_tool *tool, haft_error *err)
{
    haft__exec_job *job = use->job;
    haft__mcp_call call = {.tool = tool->remote,
                           .arguments = job->call.arguments,
                           .known = tool,
                           .epoch = job->call.facts.epoch,
                           .idempotency_key = haft__str(job->call.facts.idempotency_key != NULL
                                                            ? job->call.facts.idempotency_key
                                                            : "")};
    if (job->call.resume.kind == HAFT__JSON_OBJECT) {
        add_resume(job, use->answers, &call);
    }
    return haft__mcp_client_call(use->link->client, &call, &use->number, err);
}

/* False when the call has ended instead. */
static bool is_allowed(haft__mcp_use *use, const haft__mcp_tool *tool)
{
    haft__buf why;
    haft_error err = {0};
    haft__mcp_verdict verdict = HAFT__MCP_REFUSED;
    haft__buf_init(&why, HAFT__LIMIT_MCP_DEFINITION_BYTES);
    haft_status status = haft__mcp_pin_check(use, tool, &verdict, &why, &err);
    if (status != HAFT_OK) {
        report_error(use, &err);
    } else if (verdict == HAFT__MCP_REFUSED) {
        refuse(use, tool, haft__buf_str(&why));
    } else if (verdict == HAFT__MCP_STALE) {
        renew(use, tool);
    }
    haft__buf_finish(&why);
    return status == HAFT_OK && verdict == HAFT__MCP_FINE;
}

static void go(haft__mcp_use *use)
{
    haft__mcp_link *link = use->link;
    haft_error err = {0};
    const haft__mcp_tool *tool = haft__mcp_link_tool(link, use->tool);
    if (tool == NULL) {
        (void)!haft__mcp_link_fail(link, &err, HAFT_NOT_FOUND, "has no tool '%.*s' any more",
                                   HAFT__ARG(use->tool));
        (void)!haft__hint(&err, HAFT_NOT_FOUND, "do without it");
        report_error(use, &err);
        return;
    }
    if (!is_allowed(use, tool)) {
        return;
    }
    use->output_schema = tool->output_schema;
    haft_status status = make_call(use, tool, &err);
    if (status != HAFT_OK) {
        report_error(use, &err);
    }
    link->used = true;
    haft__mcp_link_pump(link, status);
}

void haft__mcp_use_go(haft__mcp_link *link)
{
    for (haft__mcp_use *use = link->uses, *next; use != NULL; use = next) {
        next = use->next;
        if (use->number == 0 && link->state == HAFT__LINK_OPEN && link->fresh) {
            go(use);
        }
    }
}

void haft__mcp_use_unmake(haft__mcp_link *link, uint64_t number)
{
    haft__mcp_use *use = haft__mcp_use_find(link, number);
    if (use != NULL) {
        use->number = 0; /* so that its end at the session is nobody's */
        use->sent = false;
    }
    (void)!haft__mcp_client_cancel(link->client, number, HAFT__LIT(""), NULL);
}

/* ---- on the way ---- */

static void tell(haft__mcp_use *use, haft__buf *json)
{
    if (haft__buf_check(json, NULL) == HAFT_OK && use->job->call.progress != NULL
        && !use->job->reported) {
        use->job->call.progress(use->job->context, haft__buf_str(json));
    }
}

void haft__mcp_use_progress(haft__mcp_use *use, const haft__mcp_progress *progress)
{
    haft__buf json;
    haft__json_writer w;
    haft__buf_init(&json, HAFT__LIMIT_EXEC_PROGRESS_BYTES);
    haft__json_writer_init(&w, &json);
    haft__json_begin_object(&w);
    haft__json_key(&w, "progress");
    haft__json_add(&w, progress->progress);
    haft__json_key(&w, "total");
    haft__json_add(&w, progress->total);
    haft__json_key(&w, "message");
    haft__json_add_str(&w, progress->message);
    haft__json_end_object(&w);
    tell(use, &json);
    haft__buf_finish(&json);
}

static haft_str run_of(const haft__mcp_use *use)
{
    const char *run = use->job->call.facts.run;
    return haft__str(run != NULL ? run : "");
}

haft__mcp_use *haft__mcp_use_heard(haft__mcp_link *link, uint64_t call)
{
    haft__mcp_use *found = haft__mcp_use_find(link, call);
    if (found != NULL) {
        return found;
    }
    for (haft__mcp_use *use = link->uses; use != NULL; use = use->next) {
        if (use->number == 0) {
            continue;
        }
        haft_str run = run_of(use);
        if (found != NULL && (run.len == 0 || !haft__str_equal(run, run_of(found)))) {
            return NULL;
        }
        found = found != NULL ? found : use;
    }
    return found;
}

static void tell_log(haft__mcp_use *use, const haft__mcp_log *log)
{
    haft__buf json;
    haft__json_writer w;
    haft__buf_init(&json, HAFT__LIMIT_EXEC_PROGRESS_BYTES);
    haft__json_writer_init(&w, &json);
    haft__json_begin_object(&w);
    haft__json_key(&w, "server");
    haft__json_add_str(&w, use->link->server.name);
    haft__json_key(&w, "level");
    haft__json_add_str(&w, log->level);
    haft__json_key(&w, "logger");
    haft__json_add_str(&w, log->logger);
    haft__json_key(&w, "message");
    haft__json_add_str(&w, log->text);
    haft__json_end_object(&w);
    tell(use, &json);
    haft__buf_finish(&json);
}

void haft__mcp_use_warn(haft__mcp_use *use, haft_str text)
{
    const haft__mcp_log log = {
        .level = HAFT__LIT("warning"), .logger = HAFT__LIT("haft"), .text = text};
    tell_log(use, &log);
}

/* Each call hears once that there was something, and not what. */
static void tell_all(haft__mcp_link *link)
{
    const haft__mcp_log log = {
        .level = HAFT__LIT("notice"),
        .logger = HAFT__LIT("haft"),
        .text = HAFT__LIT("the server has logged something that is not shown: calls of several "
                          "runs are under way, and it does not say which one it is about")};
    for (haft__mcp_use *use = link->uses; use != NULL; use = use->next) {
        if (use->number != 0 && !use->noticed) {
            use->noticed = true;
            tell_log(use, &log);
        }
    }
}

void haft__mcp_use_log(haft__mcp_link *link, const haft__mcp_log *log)
{
    haft__mcp_use *use = haft__mcp_use_heard(link, log->call);
    if (use != NULL) {
        tell_log(use, log);
    } else {
        tell_all(link);
    }
}

void haft__mcp_use_done(haft__mcp_use *use, const haft__mcp_done *done)
{
    haft__exec_result result;
    if (use->job->reported) { /* by its deadline */
        leave(use);
        haft__mcp_use_hush(use);
        return;
    }
    if (done->outcome == HAFT__MCP_AGAIN && !use->again) { /* once the tools are known anew */
        use->again = true;
        use->sent = false;
        use->number = 0;
        haft__mcp_link_list(use->link);
        return;
    }
    if (done->outcome == HAFT__MCP_INPUT && haft__mcp_ask_durably(use, done)) {
        leave(use);
        return;
    }
    haft__mcp_result(use, done, &result);
    report(use, &result);
}

/* ---- the executor ---- */

static haft_status find_server(haft__exec_job *job, haft_str name, haft__mcp_link **ret_link,
                               haft_error *err)
{
    haft__mcp_servers servers;
    haft_status status = haft__mcp_servers_read(&job->arena, job->call.spec->mcp, &servers, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__mcp_server *server = haft__mcp_servers_find(&servers, name);
    if (server == NULL || !server->enabled) {
        status = haft__fail(err, HAFT_NOT_FOUND, "", "the spec has no server '%.*s'%s",
                            HAFT__ARG(name), server != NULL ? " that is enabled" : "");
        return haft__hint(err, status, "do without its tools");
    }
    return haft__mcp_hub_link(job->exec, job->call.spec, server, ret_link, err);
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    haft__mcp_use *use = haft__arena_array(&job->arena, 1, sizeof(*use));
    if (use == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft_str server = haft__json_text(get(job->call.tool->definition, "server"));
    *use = (haft__mcp_use){.job = job,
                           .shown = *job->call.tool,
                           .tool = haft__json_text(get(job->call.tool->definition, "tool")),
                           .hash = haft__json_text(get(job->call.tool->definition, "hash")),
                           .answers = haft__json_null(),
                           .output_schema = haft__json_null()};
    job->state = use;
    bool asks = false;
    haft_status status = haft__mcp_ask_next(use, &asks, err);
    if (status != HAFT_OK || asks) {
        return status; /* the call is made when the last of its questions is answered */
    }
    status = find_server(job, server, &use->link, err);
    if (status != HAFT_OK) {
        return status;
    }
    join(use);
    if (use->link->state == HAFT__LINK_OPEN && use->link->fresh) {
        go(use);
    } else if (use->link->state == HAFT__LINK_OPEN) {
        haft__mcp_link_list(use->link);
    } else {
        haft__mcp_link_begin(use->link);
    }
    return HAFT_OK;
}

/* For one whose time is over: which server, and what it waited for. */
static void explain(haft__mcp_use *use, const char *why, const char *hint)
{
    haft__exec_job *job = use->job;
    job->whose = haft__arena_format(&job->arena, " of the MCP server '%.*s'",
                                    HAFT__ARG(use->link->server.name));
    job->why = haft__arena_format(&job->arena, "%s%s", why[0] != '\0' ? ": " : "", why);
    job->advice = haft__arena_format(&job->arena, "%s", hint);
}

static bool abandon(haft__exec_job *job)
{
    haft__mcp_use *use = job->state;
    char why[512] = "";
    if (use == NULL || use->link == NULL) {
        return false;
    }
    haft__mcp_link *link = use->link;
    uint64_t number = use->number;
    if (haft__mcp_web_take_back(link, number, why, sizeof(why))) {
        use->sent = false;
        explain(use, why, "see whether it runs, and whether `url` is right");
    } else if (number == 0) {
        explain(use, link->error.message, link->error.hint);
    } else {
        explain(use, "", "");
    }
    job->waiting = !use->sent;
    leave(use);
    if (number != 0) {
        haft__mcp_link_pump(link,
                            haft__mcp_client_cancel(link->client, number,
                                                    HAFT__LIT("it is no longer wanted"), NULL));
    }
    haft__mcp_use_hush(use); /* what the session did not know to belong to the call */
    return false;
}

static void answer(haft__exec_job *job, haft__json said)
{
    haft__mcp_answer(job->state, said);
}

const haft__executor haft__executor_mcp = {.start = start, .abandon = abandon, .answer = answer};
