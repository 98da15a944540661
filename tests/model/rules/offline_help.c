/* SPDX-License-Identifier: Apache-2.0 */
/* offline_help.c - see offline_help.h. */
#include "model/rules/offline_help.h"

#include "base/error.h"
#include "schema/regex/pattern.h"
#include "spec/load/load.h"
#include "json/canonical.h"
#include "json/number.h"
#include "json/read.h"

const offline_file offline_tree[] = {
    {"README.md",
     "# Turnstile\n\nA turnstile counts visitors.\nThe gate opens after enough calls.\n"},
    {"docs/gate.md",
     "# The gate\n\nThe gate decides whether a model must call a tool.\nIt opens once, and stays "
     "open.\nA closed gate can always open.\n"},
    {"docs/other.md", "# Other things\n\nNothing of interest.\n"},
    {"src/gate.c", "/* gate.c - has the model called enough tools? */\n#include \"gate.h\"\n\nint "
                   "gate_look(int called)\n{\n    /* the model must call a tool while it is closed "
                   "*/\n    return "
                   "called >= THRESHOLD;\n}\n"},
    {"src/gate.h", "/* gate.h - the gate */\n#define THRESHOLD 3\nint gate_look(int called);\n"},
    {"src/main.c", "#include \"gate.h\"\nint main(void)\n{\n    return gate_look(0);\n}\n"},
    {"tests/gate_test.c", "/* the model must call a tool before the gate opens */\nint x;\n"},
    {"Makefile", "all:\n\tcc src/*.c\n"},
};
const size_t offline_tree_count = COUNT(offline_tree);

/* ---- the tree ---- */

/* * any characters of a name, ** any directories, ? one character. */
static bool glob_matches(const char *pattern, const char *path)
{
    if (pattern[0] == '*' && pattern[1] == '*') {
        const char *rest = pattern + 2 + (pattern[2] == '/');
        for (const char *at = path;; at = strchr(at, '/') + 1) {
            if (glob_matches(rest, at)) {
                return true;
            }
            if (strchr(at, '/') == NULL) {
                return false;
            }
        }
    }
    if (pattern[0] == '*') {
        return glob_matches(pattern + 1, path)
               || (path[0] != '\0' && path[0] != '/' && glob_matches(pattern, path + 1));
    }
    if (pattern[0] == '\0' || path[0] == '\0') {
        return pattern[0] == path[0];
    }
    bool same = pattern[0] == path[0] || (pattern[0] == '?' && path[0] != '/');
    return same && glob_matches(pattern + 1, path + 1);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static haft_str argument(const haft__run_call *call, const char *key)
{
    const haft__json *value = haft__json_get(call->arguments, haft__str(key));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

static const char *text_argument(offline_world *w, const haft__run_call *call, const char *key)
{
    return haft__arena_copy(&w->arena, argument(call, key)).ptr;
}

static int64_t number_argument(const haft__run_call *call, const char *key, int64_t fallback)
{
    haft_str text = argument(call, key);
    int64_t number = fallback;
    return text.len > 0 && haft__number_to_int64(text, &number) ? number : fallback;
}

static bool do_glob(offline_world *w, const haft__run_call *call, haft__buf *out)
{
    const char *pattern = text_argument(w, call, "pattern");
    for (size_t i = 0; i < w->file_count; i++) {
        if (glob_matches(pattern, w->files[i].path)) {
            haft__buf_addf(out, "%s\n", w->files[i].path);
        }
    }
    haft__buf_addf(out, "%s",
                   out->len == 0 ? "(no file matches; 8 files were read)"
                   : w->whole    ? ""
                                 : "(12 more files match: narrow the pattern or give a `path`)");
    return true;
}

static void grep_file(const haft__pattern *pattern, haft__pattern_scratch *scratch,
                      const offline_file *file, int64_t *left, haft__buf *out)
{
    haft_str rest = haft__str(file->text);
    for (unsigned number = 1; rest.len > 0 && *left > 0; number++) {
        haft_str line = haft__str_split(&rest, '\n');
        if (haft__pattern_match(pattern, scratch, line) == HAFT__PATTERN_YES) {
            haft__buf_addf(out, "%s:%u:", file->path, number);
            haft__buf_add_str(out, line);
            haft__buf_add_char(out, '\n');
            (*left)--;
        }
    }
}

static bool do_grep(offline_world *w, const haft__run_call *call, haft__buf *out)
{
    const haft__pattern *pattern = NULL;
    haft_error err = {0};
    haft_status status =
        haft__pattern_compile(&w->arena, argument(call, "pattern"), &pattern, &err);
    CHECK_INT(status, HAFT_OK, "%.*s: %s", HAFT__ARG(argument(call, "pattern")), err.message);
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    const char *glob = text_argument(w, call, "glob");
    int64_t left = number_argument(call, "limit", 1000);
    for (size_t i = 0; pattern != NULL && i < w->file_count; i++) {
        if (glob[0] == '\0' || glob_matches(glob, name_of(w->files[i].path))) {
            grep_file(pattern, scratch, &w->files[i], &left, out);
        }
    }
    haft__pattern_scratch_destroy(scratch);
    haft__buf_addf(out, "%s",
                   out->len == 0 ? "(no line matches 'a:1:b'; 8 files were searched)"
                   : w->whole    ? ""
                                 : "(there are more matching lines: narrow the search)");
    return pattern != NULL;
}

static bool do_read(offline_world *w, const haft__run_call *call, haft__buf *out)
{
    const char *path = text_argument(w, call, "path");
    int64_t from = number_argument(call, "offset", 1), limit = number_argument(call, "limit", 2000);
    for (size_t i = 0; i < w->file_count; i++) {
        if (strcmp(path, w->files[i].path) != 0) {
            continue;
        }
        haft_str rest = haft__str(w->files[i].text);
        for (int64_t number = 1; rest.len > 0; number++) {
            haft_str line = haft__str_split(&rest, '\n');
            if (number >= from && number < from + limit) {
                haft__buf_addf(out, "%6lld\t", (long long)number);
                haft__buf_add_str(out, line);
                haft__buf_add_char(out, '\n');
            }
        }
        bool any = out->len > 0;
        haft__buf_addf(out,
                       any ? "(lines %lld to %lld; continue with offset %lld)"
                           : "expected an offset before the end, found %lld",
                       (long long)from, (long long)(from + limit - 1), (long long)(from + limit));
        return any;
    }
    haft__buf_addf(out, "there is no '%s'", path);
    return false;
}

static const struct {
    const char *name;
    bool (*run)(offline_world *w, const haft__run_call *call, haft__buf *out);
} tools[] = {{"glob", do_glob}, {"grep", do_grep}, {"read", do_read}};

static void run_tool(offline_world *w, const haft__run_call *call, haft__outcome *outcome)
{
    haft__buf out;
    haft__buf_init(&out, 1 << 24);
    *outcome = (haft__outcome){.ok = false, .text = HAFT__LIT("no such tool here"), .ms = 1};
    for (size_t i = 0; i < COUNT(tools); i++) {
        if (haft__str_equal(call->name, haft__str(tools[i].name))) {
            outcome->ok = tools[i].run(w, call, &out);
            outcome->text = haft__arena_copy(&w->arena, haft__buf_str(&out));
        }
    }
    haft__buf_finish(&out);
}

/* ---- the world ---- */

void offline_world_init(offline_world *w, const char *spec, const offline_file *files,
                        size_t file_count)
{
    *w = (offline_world){.files = files, .file_count = file_count, .now_ms = 1000};
    haft__arena_init(&w->arena, 0);
    haft__arena_init(&w->scratch, 0);
    haft__buf_init(&w->line, 1 << 28);
    haft__buf_init(&w->body, 1 << 28);
    haft__buf_init(&w->seen, 1 << 28);
    haft__buf_init(&w->turns, 1 << 28);
    haft__spec_options options = {.hash_key = OFFLINE_KEY};
    haft__spec_report report = {0};
    haft_str text = haft__arena_format(&w->arena, "# YAML\n%s", spec); /* not JSON */
    CHECK_INT(haft__spec_load(&w->arena, text, &options, &w->spec, &report, &w->err), HAFT_OK, "%s",
              w->err.message);
    for (size_t i = 0; i < report.count; i++) {
        CHECK(report.problems[i].warning, "%s: %.*s", spec, HAFT__ARG(report.problems[i].message));
    }
    CHECK_INT(haft__decider_init(&w->decider, &w->err), HAFT_OK, "create the decider");
}

void offline_world_finish(offline_world *w)
{
    haft__decider_finish(&w->decider);
    haft__buf_finish(&w->line);
    haft__buf_finish(&w->body);
    haft__buf_finish(&w->seen);
    haft__buf_finish(&w->turns);
    haft__arena_finish(&w->scratch);
    haft__arena_finish(&w->arena);
}

static void append(offline_world *w, haft_str body)
{
    haft__buf_clear(&w->line);
    haft__event_write(&w->line, w->run.seq + 1, w->now_ms, HAFT__LIT("00000000000000000000000001"),
                      body);
    haft_status status = haft__run_fold(&w->run, haft__buf_str(&w->line), &w->err);
    CHECK_INT(status, HAFT_OK, "%s %s", w->err.where, w->err.message);
}

static void append_body(offline_world *w)
{
    CHECK_INT(haft__buf_check(&w->body, &w->err), HAFT_OK, "write the body");
    append(w, haft__buf_str(&w->body));
}

void offline_check_mode(const haft__request *request, const haft__reply *reply)
{
    bool forced = request->mode == HAFT__MODE_ANY || request->mode == HAFT__MODE_TOOL;
    bool possible = request->mode == HAFT__MODE_TOOL;
    for (size_t i = 0; i < request->tool_count; i++) {
        possible = possible || request->allowed[i];
    }
    CHECK(reply->call_count > 0 || haft__str_trim(reply->content).len > 0, "an empty reply");
    CHECK(!forced || !possible || reply->call_count > 0, "no call in a forced turn");
    CHECK(request->mode != HAFT__MODE_NONE || reply->call_count == 0, "a call in mode none");
    CHECK(reply->call_count <= HAFT__LIMIT_OFFLINE_AT_ONCE, "%zu calls in one reply",
          reply->call_count);
    CHECK_INT(reply->stop, reply->call_count > 0 ? HAFT__STOP_CALLS : HAFT__STOP_END,
              "the stop reason");
    CHECK_STR(reply->model, HAFT__LIT("offline"), "the name of the model");
    for (size_t i = 0; i < reply->call_count; i++) {
        bool allowed = request->mode == HAFT__MODE_TOOL
                       && haft__str_equal(reply->calls[i].name, request->tool);
        for (size_t k = 0; k < request->tool_count && request->mode != HAFT__MODE_TOOL; k++) {
            allowed = allowed
                      || (request->allowed[k]
                          && haft__str_equal(reply->calls[i].name, request->tools[k]->name));
        }
        CHECK(allowed, "a call of %.*s, which may not be called", HAFT__ARG(reply->calls[i].name));
    }
}

static void check_same(const haft__reply *a, const haft__reply *b)
{
    CHECK_STR(a->content, b->content, "the same text");
    CHECK_INT(a->call_count, b->call_count, "the same number of calls");
    CHECK_INT(a->usage.input, b->usage.input, "the same input tokens");
    CHECK_INT(a->usage.output, b->usage.output, "the same output tokens");
    for (size_t i = 0; i < a->call_count && i < b->call_count; i++) {
        CHECK_STR(a->calls[i].id, b->calls[i].id, "the same id");
        CHECK_STR(a->calls[i].name, b->calls[i].name, "the same tool");
        CHECK_STR(a->calls[i].arguments, b->calls[i].arguments, "the same arguments");
    }
}

static bool is_over_limit(haft_str result)
{
    return haft__str_starts_with(result, HAFT__LIT("Not run: at most "));
}

/* No call of the reply has been made before, unless it was not run. */
static void check_new(const offline_world *w, const haft__reply *reply)
{
    for (size_t i = 0; i < reply->call_count; i++) {
        for (size_t k = 0; k < w->run.call_count; k++) {
            const haft__run_call *call = &w->run.calls[k];
            bool same = haft__str_equal(call->name, reply->calls[i].name)
                        && haft__str_equal(call->raw, reply->calls[i].arguments)
                        && !is_over_limit(call->shown);
            const haft__tool *tool = haft__tools_find(&w->spec->tools, call->name);
            const haft__json *properties =
                tool != NULL ? haft__json_get(tool->input_schema, HAFT__LIT("properties")) : NULL;
            bool can_differ = properties != NULL && properties->count > 0;
            CHECK(!same || !can_differ, "%.*s again with %.*s", HAFT__ARG(call->name),
                  HAFT__ARG(call->raw));
        }
    }
}

static void record_turn(offline_world *w, const haft__request *request, const haft__reply *reply)
{
    static const char *const modes[] = {"auto", "any", "tool", "none"};
    haft__buf_addf(&w->turns, "%s:", modes[request->mode]);
    for (size_t i = 0; i < reply->call_count; i++) {
        haft__buf_addf(&w->turns, " %.*s", HAFT__ARG(reply->calls[i].name));
    }
    haft__buf_addf(&w->turns, "%s\n", reply->call_count == 0 ? " text" : "");
}

static void ask(offline_world *w)
{
    haft__request request;
    haft__reply reply = {0}, again = {0};
    haft__arena_reset(&w->scratch);
    haft__buf_clear(&w->body);
    CHECK_INT(haft__decide_request(&w->run, &w->scratch, &request, &w->err), HAFT_OK,
              "make the request");
    haft_status status = haft__offline_ask(&request, &w->scratch, &reply, &w->err);
    CHECK_INT(status, HAFT_OK, "%s", w->err.message);
    CHECK_INT(haft__offline_ask(&request, &w->scratch, &again, NULL), HAFT_OK,
              "ask the planner a second time");
    offline_check_mode(&request, &reply);
    check_same(&reply, &again);
    check_new(w, &reply);
    record_turn(w, &request, &reply);
    w->asked++;
    haft__input_model_replied(&w->body, &w->run, &reply, 1);
    append_body(w);
}

static void run_next(offline_world *w)
{
    for (size_t i = w->run.batch; i < w->run.call_count; i++) {
        const haft__run_call *call = &w->run.calls[i];
        if (call->stage == HAFT__CALL_STARTED) {
            haft__outcome outcome = {.ok = true, .text = HAFT__LIT("")};
            if (w->tool == NULL || !w->tool(w, call, &outcome)) {
                run_tool(w, call, &outcome);
            }
            haft__buf_clear(&w->body);
            haft__input_call_finished(&w->body, &w->run, call, &outcome);
            append_body(w);
            return;
        }
    }
    CHECK(false, "no call to run");
}

/* Approves (or rejects) the first pending call, or answers it with "yes". */
static bool answer_next(offline_world *w)
{
    for (size_t i = w->run.batch; i < w->run.call_count; i++) {
        const haft__run_call *call = &w->run.calls[i];
        if (call->stage == HAFT__CALL_PAUSED) {
            bool approval = call->pause == HAFT__PAUSE_APPROVAL;
            haft__buf_clear(&w->body);
            haft_str verdict = !approval    ? HAFT__LIT("answer")
                               : w->rejects ? HAFT__LIT("reject")
                                            : HAFT__LIT("approve");
            haft__input_answered(&w->body, call->id, HAFT__LIT("test"), verdict,
                                 haft__json_string(HAFT__LIT("yes")));
            append_body(w);
            w->questions++;
            return true;
        }
    }
    return false;
}

/* The lines of a result as path:line:text: grep's as they are, read's with the path of the call. */
static void collect_result(offline_world *w, const haft__run_call *call)
{
    bool read = haft__str_equal(call->name, HAFT__LIT("read"));
    haft_str rest = call->shown;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        if (read) {
            haft_str text = haft__str_trim(line), number = haft__str_split(&text, '\t');
            haft__buf_add_str(&w->seen, argument(call, "path"));
            haft__buf_addf(&w->seen, ":%.*s:", HAFT__ARG(number));
            line = text;
        }
        haft__buf_add_str(&w->seen, line);
        haft__buf_add_char(&w->seen, '\n');
    }
}

static void collect_results(offline_world *w)
{
    for (size_t i = 0; i < w->run.call_count; i++) {
        const haft__run_call *call = &w->run.calls[i];
        w->refusals += call->stage == HAFT__CALL_REFUSED ? 1 : 0;
        if (call->ok) {
            collect_result(w, call);
        }
    }
}

void offline_world_run(offline_world *w, const char *task)
{
    haft_str none = {NULL, 0};
    if (w->spec == NULL) {
        return; /* offline_world_init has reported it */
    }
    CHECK_INT(haft__run_init(&w->run, &w->arena, w->spec, OFFLINE_KEY, &w->err), HAFT_OK,
              "create the run");
    haft__buf_clear(&w->body);
    haft__input_run_started(&w->body, w->spec, haft__str(task),
                            HAFT__LIT("00000000000000000000000002"), none, none);
    append_body(w);
    for (unsigned steps = 0; steps < 100000; steps++) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        w->now_ms++;
        haft_status status = haft__decide(&w->decider, &w->run, w->now_ms, &effect, &w->err);
        CHECK_INT(status, HAFT_OK, "%s", w->err.message);
        bool over = effect.kind == HAFT__EFFECT_END;
        switch (effect.kind) {
        case HAFT__EFFECT_EVENT: append(w, effect.body); break;
        case HAFT__EFFECT_CALL_MODEL: ask(w); break;
        case HAFT__EFFECT_RUN_CALLS: run_next(w); break;
        case HAFT__EFFECT_WAIT: over = !answer_next(w); break;
        case HAFT__EFFECT_READ_THREAD:
        case HAFT__EFFECT_SEARCH_TOOLS: /* none of the specs has servers */
        case HAFT__EFFECT_END: break;
        }
        if (over) {
            collect_results(w);
            return;
        }
    }
    CHECK(false, "the run does not end");
}

haft_str offline_world_artifact(const offline_world *w)
{
    for (size_t i = w->run.call_count; i > 0; i--) {
        const haft__run_call *call = &w->run.calls[i - 1];
        if (haft__str_equal(call->name, HAFT__LIT("store_artifact")) && call->ok) {
            return argument(call, "content");
        }
    }
    return HAFT__LIT("");
}

bool offline_has(haft_str text, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- quotes in a report ---- */

/* Whether a result has the line, or, if it was cut, its beginning. */
static bool was_seen(const offline_world *w, haft_str place, haft_str text)
{
    haft_str ellipsis = HAFT__LIT("\xE2\x80\xA6"), rest = haft__buf_str(&w->seen);
    text.len -= haft__str_ends_with(text, ellipsis) ? ellipsis.len : 0;
    text = haft__str_trim(text);
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft_str after = haft__str_skip(line, place.len);
        if (haft__str_starts_with(line, place) && haft__str_starts_with(after, HAFT__LIT(":"))
            && haft__str_starts_with(haft__str_trim(haft__str_skip(after, 1)), text)) {
            return true;
        }
    }
    return false;
}

static void check_quoted(const offline_world *w, haft_str place, haft_str text)
{
    CHECK(was_seen(w, place, text), "%.*s: '%.*s' was not seen", HAFT__ARG(place), HAFT__ARG(text));
}

/* The text between two backquotes; *rest is the text after them. */
static haft_str code_of(haft_str *rest)
{
    (void)haft__str_split(rest, '`');
    return haft__str_split(rest, '`');
}

/* The number and text of a line of an excerpt; false if it is not one. */
static bool check_excerpt(const offline_world *w, haft_str path, haft_str line)
{
    haft_str text = haft__str_trim(line), number = haft__str_split(&text, ' ');
    uint64_t value;
    if (path.len == 0 || line.len < 6 || line.ptr[0] != ' ' || !haft__str_to_u64(number, &value)) {
        return false;
    }
    char place[600];
    (void)snprintf(place, sizeof(place), "%.*s:%.*s", HAFT__ARG(path), HAFT__ARG(number));
    check_quoted(w, haft__str(place), text);
    return true;
}

void offline_check_report(const offline_world *w, haft_str report)
{
    haft_str path = HAFT__LIT(""), rest = report;
    size_t quoted = 0;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n'), after = line;
        if (haft__str_starts_with(line, HAFT__LIT("### "))) {
            path = code_of(&after);
        } else if (haft__str_starts_with(line, HAFT__LIT("## "))) {
            path = HAFT__LIT("");
        } else if (line.len > 3 && memcmp(line.ptr + 1, ". `", 3) == 0) { /* 1. `a.c:3`: `text` */
            haft_str place = code_of(&after);
            check_quoted(w, place, code_of(&after));
        } else {
            quoted += check_excerpt(w, path, line) ? 1 : 0;
        }
    }
    CHECK(quoted > 0, "the report quotes nothing:\n%.*s", HAFT__ARG(report));
}

/* Lines of an answer: "- `a.c:3`: `text`". */
void offline_check_answer(const offline_world *w, haft_str answer)
{
    size_t quoted = 0;
    while (answer.len > 0) {
        haft_str line = haft__str_split(&answer, '\n');
        if (haft__str_starts_with(line, HAFT__LIT("- "))) {
            haft_str place = code_of(&line);
            check_quoted(w, place, code_of(&line));
            quoted++;
        }
    }
    CHECK(quoted > 0, "the answer quotes nothing");
}

/* ---- hand-made requests ---- */

void offline_request_init(offline_request *r, haft__arena *arena, const char *task)
{
    *r = (offline_request){.arena = arena};
    haft__messages_init(&r->messages, arena);
    r->request = (haft__request){.messages = &r->messages,
                                 .task = haft__str(task),
                                 .tool = HAFT__LIT(""),
                                 .correction = HAFT__LIT("")};
    haft__message message = {.role = HAFT__MESSAGE_USER, .text = haft__str(task)};
    CHECK_INT(haft__messages_add(&r->messages, message, NULL), HAFT_OK, "add the task");
}

void offline_request_say(offline_request *r, const char *text)
{
    haft__message message = {.role = HAFT__MESSAGE_USER, .text = haft__str(text)};
    CHECK_INT(haft__messages_add(&r->messages, message, NULL), HAFT_OK, "add the message");
}

void offline_request_add(offline_request *r, const char *name, const char *arguments,
                         const char *result, bool failed)
{
    haft__message_call *call = haft__arena_array(r->arena, 1, sizeof(*call));
    *call = (haft__message_call){
        .id = haft__arena_format(r->arena, "id_%zu", r->messages.count),
        .name = haft__str(name),
        .arguments = haft__str(arguments),
    };
    haft__message made = {
        .role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT(""), .calls = call, .call_count = 1};
    CHECK_INT(haft__messages_add(&r->messages, made, NULL), HAFT_OK, "add the call");
    if (result != NULL) {
        haft__message back = {.role = HAFT__MESSAGE_TOOL,
                              .text = haft__str(result),
                              .call_id = call->id,
                              .call_name = call->name,
                              .is_error = failed};
        CHECK_INT(haft__messages_add(&r->messages, back, NULL), HAFT_OK, "add the result");
    }
}
