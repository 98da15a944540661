/* SPDX-License-Identifier: Apache-2.0 */
/* run_help.c - see run_help.h. */
#include "run_help.h"

#include "graph/run/graph_run.h"
#include "model/providers/openai_chat/request.h"
#include "run/offer/resolve.h"
#include "spec/load/document/parse.h"
#include "tool/builtin.h"
#include "json/read.h"
#include "json/write.h"

static haft__json parse_str(haft__arena *arena, haft_str text)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    haft_status status = haft__json_read(arena, text, NULL, &value, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%.*s: %s %s", HAFT__ARG(text), err.where, err.message);
    return value;
}

haft__json help_json(haft__arena *arena, const char *text)
{
    return parse_str(arena, haft__str(text));
}

haft_str help_keep(haft_str text)
{
    char *kept = test_alloc(text.len + 1);
    if (text.len > 0) {
        memcpy(kept, text.ptr, text.len);
    }
    kept[text.len] = '\0';
    return (haft_str){kept, text.len};
}

static void add_trait(help_spec *s, haft__tool *tool, haft_str trait)
{
    haft__traits *t = &tool->traits;
    t->destructive = t->destructive || haft__str_equal(trait, HAFT__LIT("destructive"));
    t->read_only = t->read_only || haft__str_equal(trait, HAFT__LIT("read_only"));
    t->needs_approval = t->needs_approval || haft__str_equal(trait, HAFT__LIT("approval"));
    t->return_direct = t->return_direct || haft__str_equal(trait, HAFT__LIT("direct"));
    t->idempotent = t->idempotent || haft__str_equal(trait, HAFT__LIT("idempotent"));
    t->cost = haft__str_equal(trait, HAFT__LIT("heavy")) ? HAFT__COST_HEAVY : t->cost;
    t->polls = t->polls || haft__str_equal(trait, HAFT__LIT("polls"));
    t->poll_delay_ms = haft__str_equal(trait, HAFT__LIT("delay")) ? 1000 : t->poll_delay_ms;
    if (haft__str_equal(trait, HAFT__LIT("cached"))) {
        t->idempotent = true;
        t->cache = HAFT__CACHE_RUN;
    }
    if (haft__str_equal(trait, HAFT__LIT("open"))) { /* any arguments */
        tool->input_schema = help_json(s->arena, "{\"type\":\"object\"}");
    }
    if (haft__str_equal(trait, HAFT__LIT("headless"))) {
        tool->source = HAFT__TOOL_HEADLESS;
    }
    if (haft__str_equal(trait, HAFT__LIT("agent"))) {
        tool->source = HAFT__TOOL_AGENT;
    }
    if (haft__str_equal(trait, HAFT__LIT("integer"))) { /* its result */
        haft_error err = {0};
        tool->output_schema = help_json(s->arena, "{\"type\":\"integer\"}");
        CHECK_INT(haft__schema_compile(s->arena, tool->output_schema, NULL, &tool->output, &err),
                  HAFT_OK, "%s", err.message);
    }
    if (haft__str_equal(trait, HAFT__LIT("provider"))) {
        tool->source = HAFT__TOOL_PROVIDER;
    }
    if (haft__str_equal(trait, HAFT__LIT("retries"))) {
        t->retries = 2;
    }
    if (haft__str_starts_with(trait, HAFT__LIT("lane"))) {
        t->lane = trait;
    }
}

static void add_tool(help_spec *s, haft_str words)
{
    haft_str name = haft__str_split(&words, '!');
    haft__tool tool = {0};
    haft_error err = {0};
    if (haft__builtin_find(name) != NULL) {
        CHECK_INT(haft__builtin_tool(s->arena, name, &tool, &err), HAFT_OK, "%s", err.message);
    } else {
        tool = (haft__tool){
            .name = name,
            .description = HAFT__LIT("Does what the test wants it to do."),
            .input_schema =
                help_json(s->arena, "{\"type\":\"object\",\"properties\":{\"q\":{\"type\":"
                                    "\"string\"},\"n\":{\"type\":\"integer\",\"default\":7}},"
                                    "\"additionalProperties\":false}"),
            .source = HAFT__TOOL_COMMAND,
            .typed = true,
        };
    }
    while (words.len > 0) {
        add_trait(s, &tool, haft__str_split(&words, '!'));
    }
    CHECK_INT(haft__tools_add(&s->spec.tools, &tool, &err), HAFT_OK, "%.*s: %s", HAFT__ARG(name),
              err.message);
}

static bool is(haft_str name, const char *word)
{
    return haft__str_equal(name, haft__str(word));
}

static haft__tool_choice choice_of(haft_str word)
{
    haft__tool_choice wish = {.mode = HAFT__MODE_TOOL, .tool = word};
    wish.mode = is(word, "auto") ? HAFT__MODE_AUTO : wish.mode;
    wish.mode = is(word, "any") ? HAFT__MODE_ANY : wish.mode;
    wish.mode = is(word, "none") ? HAFT__MODE_NONE : wish.mode;
    wish.fall_through = is(word, "gate");
    return wish;
}

/* The words between '+' as a list in the arena. */
static const haft_str *list_of(help_spec *s, haft_str words, size_t *ret_count)
{
    haft_str *list = haft__arena_array(s->arena, words.len + 1, sizeof(*list));
    *ret_count = 0;
    while (words.len > 0) {
        list[(*ret_count)++] = haft__str_split(&words, '+');
    }
    return list;
}

/* False if the word is not a number of the spec. */
static bool set_number(help_spec *s, haft_str name, haft_str word)
{
    uint64_t number = 0;
    (void)haft__str_to_u64(word, &number);
    haft__spec_limits *limits = &s->spec.limits;
    const struct {
        const char *name;
        uint32_t *field;
        uint64_t *large;
    } numbers[] = {
        {"turns", &limits->turns, NULL},
        {"calls", &limits->calls, NULL},
        {"parallel", &limits->parallel, NULL},
        {"observation_chars", &limits->observation_chars, NULL},
        {"invalid_calls", &limits->invalid_calls, NULL},
        {"reminders", &limits->reminders, NULL},
        {"violations", &limits->violations, NULL},
        {"min_tools", &s->spec.choice.min_tools_for_auto, NULL},
        {"evidence_first", &s->spec.choice.cost_budget, NULL},
        {"max_mcp", &s->spec.max_mcp_tools, NULL},
        {"tokens", NULL, &limits->tokens},
        {"wall_ms", NULL, &limits->wall_ms},
        {"context", NULL, &s->spec.model.context_tokens},
        {"reserve", NULL, &s->spec.context.reserve},
        {"clear_at", &s->spec.context.clear_at, NULL},
        {"clear_keep", &s->spec.context.clear_keep, NULL},
        {"replace_at", &s->spec.context.summarise_at, NULL},
        {"replace_keep", &s->spec.context.summarise_keep, NULL},
        {"own_bytes", NULL, &s->spec.definition_bytes},
        {"usd_micros", NULL, &limits->usd_micros},
    };
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (is(name, numbers[i].name)) {
            if (numbers[i].field != NULL) {
                *numbers[i].field = (uint32_t)number;
            } else {
                *numbers[i].large = number;
            }
            limits->has_usd = limits->has_usd || is(name, "usd_micros");
            s->spec.context.clear |= is(name, "clear_at");
            s->spec.context.summarise |= is(name, "replace_at");
            s->spec.choice.gate = s->spec.choice.gate || is(name, "min_tools");
            s->spec.choice.evidence_first =
                s->spec.choice.evidence_first || is(name, "evidence_first");
            return true;
        }
    }
    return false;
}

static void set_price(haft__price *price, haft_str word)
{
    price->known = true;
    (void)haft__str_to_u64(haft__str_split(&word, '/'), &price->input);
    (void)haft__str_to_u64(haft__str_split(&word, '/'), &price->output);
    (void)haft__str_to_u64(word, &price->cached);
}

static void add_phase(help_spec *s, haft_str word)
{
    haft__phase *phase = &s->phases[s->spec.phase_count++];
    phase->name = haft__str_split(&word, '+');
    phase->tools = list_of(s, word, &phase->tool_count);
    s->spec.phases = s->phases;
}

/* False if the word is not about approvals. */
static bool set_approval(help_spec *s, haft_str name, haft_str word)
{
    haft__approval_rule *rule = &s->rules[s->spec.approval_count];
    s->spec.approvals = s->rules;
    if (is(name, "approve")) {
        rule->tools = list_of(s, word, &rule->tool_count);
    } else if (is(name, "approve_trait")) {
        rule->traits = list_of(s, word, &rule->trait_count);
    } else if (is(name, "deadline_ms")) {
        CHECK(haft__str_to_u64(word, &rule[-1].deadline_ms), "%.*s", HAFT__ARG(word));
        return true;
    } else if (is(name, "on_expire")) {
        rule[-1].on_expire = parse_str(s->arena, word);
        return true;
    } else {
        return false;
    }
    rule->when = rule->on_expire = haft__json_null();
    s->spec.approval_count++;
    return true;
}

static bool set_model(haft__model_spec *model, haft_str name, haft_str word)
{
    if (is(name, "size_b")) {
        model->size_b = word;
    } else if (is(name, "hosted")) {
        model->family.hosted = true;
    } else if (is(name, "price")) {
        set_price(&model->price, word);
    } else if (is(name, "provider")) {
        model->provider = word;
        model->options = haft__json_null();
    } else if (is(name, "model")) {
        model->model = word;
    } else {
        return false;
    }
    return true;
}

static void set_word(help_spec *s, haft_str word)
{
    haft_str name = haft__str_split(&word, '=');
    haft__spec *spec = &s->spec;
    if (set_number(s, name, word) || set_approval(s, name, word)
        || set_model(&spec->model, name, word)
        || help_servers_word(&s->servers, s->arena, name, word)) {
        return;
    }
    if (is(name, "workflow")) {
        spec->kind = HAFT__SPEC_WORKFLOW;
        spec->choice.gate = true;
    } else if (is(name, "truncate")) {
        spec->limits.overflow = HAFT__OVERFLOW_TRUNCATE;
    } else if (is(name, "transcript")) {
        spec->history = HAFT__HISTORY_TRANSCRIPT;
    } else if (is(name, "default")) {
        spec->choice.default_choice = choice_of(word);
    } else if (is(name, "schedule")) {
        for (; word.len > 0; spec->choice.schedule = s->schedule) {
            s->schedule[spec->choice.schedule_count++] = choice_of(haft__str_split(&word, '+'));
        }
    } else if (is(name, "phase")) {
        add_phase(s, word);
    } else if (is(name, "builtin_allow")) {
        spec->builtin_allow = list_of(s, word, &spec->builtin_allow_count);
    } else if (is(name, "builtin_deny")) {
        spec->builtin_deny = list_of(s, word, &spec->builtin_deny_count);
    } else if (is(name, "spare")) {
        spec->context.spare = list_of(s, word, &spec->context.spare_count);
    } else if (is(name, "summary_by")) {
        haft__spec *summariser = haft__arena_array(s->arena, 1, sizeof(*summariser));
        summariser->model.provider = haft__str_split(&word, ':');
        summariser->model.model = word;
        summariser->model.price = (haft__price){.known = true, .input = 5, .output = 7};
        spec->context.summariser = summariser;
    } else if (is(name, "no_search")) {
        s->no_search = true;
    } else if (is(name, "database")) {
        static const haft__database shop = {.name = HAFT__LIT("shop")};
        spec->databases = &shop;
        spec->database_count = 1;
    } else if (is(name, "instructions")) {
        spec->instructions = word;
    } else if (is(name, "plan")) {
        spec->plan = parse_str(s->arena, word);
    } else if (is(name, "next")) {
        s->next_models = word;
    } else if (is(name, "format")) {
        haft_str *formats = haft__arena_array(s->arena, 1, sizeof(*formats));
        formats[0] = word;
        spec->formats = formats;
    } else if (is(name, "on_unknown")) {
        spec->on_unknown = is(word, "tell")  ? HAFT__ON_UNKNOWN_TELL
                           : is(word, "ask") ? HAFT__ON_UNKNOWN_ASK
                                             : HAFT__ON_UNKNOWN_RETRY;
        spec->on_unknown_given = true;
    } else if (is(name, "tools")) {
        while (word.len > 0) {
            add_tool(s, haft__str_split(&word, ','));
        }
    } else {
        CHECK(is(name, "agent"), "an unknown word: %.*s", HAFT__ARG(name));
    }
}

/* The models after the first: provider:model, separated by commas. */
static void add_fallbacks(help_spec *s, haft__spec *spec, haft_str models)
{
    if (models.len == 0) {
        return;
    }
    haft__spec *next = haft__arena_alloc(s->arena, sizeof(*next));
    haft_str model = haft__str_split(&models, ',');
    *next = *spec;
    next->model.provider = haft__str_split(&model, ':');
    next->model.model = model;
    spec->fallback = next;
    add_fallbacks(s, next, models);
}

void help_spec_init(help_spec *s, haft__arena *arena, haft_str words)
{
    static const haft_str formats[] = {{"native", 6}};
    *s = (help_spec){.arena = arena};
    haft__spec *spec = &s->spec;
    spec->name = HAFT__LIT("test");
    spec->hash = HAFT__LIT("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    spec->plan = spec->mcp = haft__json_null();
    spec->formats = formats;
    spec->format_count = 1;
    spec->model.model = HAFT__LIT("m");
    spec->model.native_tools = true;
    spec->choice.min_tools_for_auto = 5;
    spec->tools_share = 10;
    spec->limits = (haft__spec_limits){.turns = 12,
                                       .calls = 50,
                                       .parallel = 3,
                                       .observation_chars = 8000,
                                       .tokens = 1000000,
                                       .wall_ms = 600000,
                                       .invalid_calls = 3,
                                       .reminders = 2,
                                       .violations = 2,
                                       .repeats = {.hint = 3, .refuse = 6, .end = 10}};
    haft__tools_init(&spec->tools, arena, HELP_KEY);
    while (words.len > 0) {
        set_word(s, haft__str_trim(haft__str_split(&words, ';')));
    }
    spec->mcp = help_servers_spec(&s->servers, arena);
    if (!s->no_search && haft__resolve_can_search(spec)
        && haft__tools_find(&spec->tools, HAFT__LIT(HAFT__TOOL_SEARCH)) == NULL) {
        add_tool(s, HAFT__LIT(HAFT__TOOL_SEARCH)); /* as the loader does */
    }
    add_fallbacks(s, spec, s->next_models);
}

static uint64_t tick(void *context)
{
    help_run *r = context;
    r->now_ms += 10;
    return r->now_ms;
}

static void advance_clock(void *context, uint64_t ms)
{
    help_run *r = context;
    r->now_ms += ms;
}

static haft_str field(haft__json object, const char *name)
{
    const haft__json *value = haft__json_get(object, haft__str(name));
    return value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
}

static void add_field(haft__buf *buf, haft__json object, const char *name)
{
    const haft__json *value = haft__json_get(object, haft__str(name));
    if (value != NULL) {
        haft__buf_addf(buf, " %s=", name);
        haft__json_write(buf, *value);
    }
}

void help_summarise(haft__buf *buf, haft_str line)
{
    static const char *const shown[] = {
        "by",         "mode",          "tool",    "came",         "try",    "call",
        "why",        "pause",         "verdict", "attempt",      "cached", "truncated",
        "ok",         "end",           "answer",  "forced_final", "note",   "reason",
        "constraint", "relaxed_count", "member",  "from",         "to",     "what",
        "before",     "after",         "summary"};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json object = haft__json_null();
    CHECK_INT(haft__json_read(&arena, line, NULL, &object, NULL, NULL), HAFT_OK,
              "the event is JSON");
    haft_str kind = field(object, "kind");
    haft__buf_addf(buf, "%.*s", HAFT__ARG(kind));
    for (size_t i = 0; i < COUNT(shown); i++) {
        const haft__json *value = haft__json_get(object, haft__str(shown[i]));
        bool only_true = strcmp(shown[i], "cached") == 0 || strcmp(shown[i], "truncated") == 0
                         || strcmp(shown[i], "forced_final") == 0;
        if (value != NULL && value->kind != HAFT__JSON_NULL
            && !(only_true && value->kind == HAFT__JSON_FALSE)) {
            add_field(buf, object, shown[i]);
        }
    }
    haft__buf_add_char(buf, '\n');
    haft__arena_finish(&arena);
}

static bool sink(void *context, haft_str line)
{
    help_run *r = context;
    haft__buf_add_str(&r->log, line);
    haft__buf_add_char(&r->log, '\n');
    help_summarise(&r->summary, line);
    return true;
}

static haft__json read_script(help_run *r, haft_str text)
{
    haft__spec_problems problems;
    haft__spec_document document;
    haft__spec_problems_init(&problems, &r->arena);
    haft_status status = haft__spec_parse(&r->arena, text, HELP_KEY, &problems, &document, &r->err);
    CHECK_INT(status, HAFT_OK, "%s", r->err.message);
    for (size_t i = 0; i < problems.count; i++) {
        CHECK(false, "%u:%u: %.*s", problems.items[i].line, problems.items[i].column,
              HAFT__ARG(problems.items[i].message));
    }
    return document.value;
}

void help_run_init_str(help_run *r, haft_str spec, haft_str script)
{
    *r = (help_run){.now_ms = 1000000};
    haft__arena_init(&r->arena, 0);
    haft__buf_init(&r->log, 1 << 28);
    haft__buf_init(&r->summary, 1 << 26);
    help_spec_init(&r->spec, &r->arena, spec);
    CHECK_INT(haft__script_init(&r->script, &r->arena, read_script(r, script), &r->err), HAFT_OK,
              "%s %s", r->err.where, r->err.message);
    haft__drive_options options = {.script = &r->script,
                                   .sink = sink,
                                   .sink_context = r,
                                   .clock = tick,
                                   .wait = advance_clock,
                                   .clock_context = r,
                                   .listings = r->spec.servers.listings,
                                   .listing_count = r->spec.servers.count,
                                   .asks = r->spec.servers.asks,
                                   .durable = r->spec.servers.durable,
                                   .hash_key = HELP_KEY};
    CHECK_INT(haft__drive_init(&r->drive, &r->arena, &r->spec.spec, &options, &r->err), HAFT_OK,
              "%s", r->err.message);
}

void help_run_init(help_run *r, const char *spec, const char *script)
{
    help_run_init_str(r, haft__str(spec), haft__str(script));
}

void help_run_finish(help_run *r)
{
    haft__drive_finish(&r->drive);
    haft__buf_finish(&r->log);
    haft__buf_finish(&r->summary);
    haft__arena_finish(&r->arena);
}

haft_status help_run_go(help_run *r)
{
    haft_status status = haft__drive_start(&r->drive, HAFT__LIT(HELP_RUN), HAFT__LIT(HELP_THREAD),
                                           HAFT__LIT("do it"), &r->err);
    return status == HAFT_OK ? haft__drive_on(&r->drive, &r->err) : status;
}

haft_status help_run_answer(help_run *r, const char *call, const char *verdict, const char *value)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft__input_answered(&body, haft__str(call), HAFT__LIT("test"), haft__str(verdict),
                         help_json(&r->arena, value));
    haft_status status = haft__drive_append(&r->drive, haft__buf_str(&body), &r->err);
    haft__buf_finish(&body);
    return status == HAFT_OK ? haft__drive_on(&r->drive, &r->err) : status;
}

haft_str help_play(const char *spec, const char *script)
{
    help_run r;
    help_run_init(&r, spec, script);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s %s", r.err.where, r.err.message);
    haft_str summary = help_keep(haft__buf_str(&r.summary));
    help_run_finish(&r);
    return summary;
}

/* Counts the replies and results of the script that the event has used. */
static void count_use(help_run *r, const haft__event *event)
{
    r->script.next += event->kind == HAFT__EVENT_MODEL_REPLIED
                      || event->kind == HAFT__EVENT_MODEL_FAILED
                      || event->kind == HAFT__EVENT_OPTION_REFUSED;
    if (event->kind != HAFT__EVENT_CALL_FINISHED || haft__event_flag(event, "cached")) {
        return;
    }
    haft_str id = field(event->object, "call"), tool = field(event->object, "tool");
    const haft__run_call *call = haft__run_find_call(&r->drive.run, id);
    bool by_person = call != NULL && call->stage == HAFT__CALL_ANSWERED;
    for (uint32_t i = 0; !by_person && i < r->script.results.count; i++) {
        haft_str listed = haft__json_text(r->script.results.members[i].key);
        r->script.results_used[i] += haft__str_equal(listed, tool);
    }
}

haft_status help_run_restore(help_run *r, haft_str lines)
{
    haft_status status = HAFT_OK;
    while (lines.len > 0 && status == HAFT_OK) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event = {0};
        status = haft__event_read(&r->arena, line, HELP_KEY, &event, &r->err);
        if (status == HAFT_OK) {
            count_use(r, &event);
            (void)sink(r, line);
            r->now_ms = event.at_ms;
            status = haft__run_fold(&r->drive.run, line, &r->err);
        }
    }
    return status;
}

static void add_message(haft__buf *buf, const haft__message *message)
{
    haft__buf_addf(buf, "message %d error %d ", message->role, message->is_error);
    haft__json_write_string(buf, message->call_name);
    haft__json_write_string(buf, message->reasoning);
    haft__chat_write_message(haft__provider_compatible(), buf, message);
    haft__buf_add_char(buf, '\n');
}

static void add_call(haft__buf *buf, const haft__run_call *call)
{
    haft__buf_addf(buf, "call %.*s %d %d %d %u %llu %d %llu %d %d %d ", HAFT__ARG(call->id),
                   call->stage, call->started, call->approved, call->attempt,
                   (unsigned long long)call->signature, call->pause,
                   (unsigned long long)call->deadline_ms, call->stored, call->ok,
                   call->counts_invalid);
    const haft_str texts[] = {call->model_call, call->name,   call->raw,   call->cache_key,
                              call->note,       call->result, call->shown, call->verdict};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__json_write_string(buf, texts[i]);
    }
    haft__json_write(buf, call->arguments);
    haft__json_write(buf, call->on_expire);
    haft__json_write(buf, call->value);
    haft__json_write(buf, call->elicitation);
    haft__json_write(buf, call->state);
    haft__json_write(buf, call->resume);
    haft__buf_addf(buf, " %d %d %llu", call->pinned, call->answer_due,
                   (unsigned long long)call->within_ms);
    haft__buf_add_char(buf, '\n');
}

/* The execution of a graph. */
static void add_graph(haft__buf *buf, const haft__graph_execution *x)
{
    haft__arena arena;
    haft__json state = haft__json_null();
    haft__arena_init(&arena, 0);
    haft__buf_addf(buf, "graph %u %u %zu %zu %zu %zu %zu %d %d %d %d ", x->step, x->limit,
                   x->task_count, x->busy, x->done, x->failed, x->persons, x->open, x->last,
                   x->paused, x->end);
    for (size_t i = 0; i < x->task_count; i++) {
        const haft__graph_task *t = &x->tasks[i];
        haft__buf_addf(buf, "\ntask %u %d %d %d %d %d %d %u %zu %llu", t->node, t->state,
                       t->for_person, t->started, t->handling, t->released, t->looked_up,
                       t->failures, t->program.output.write_count,
                       (unsigned long long)(uintptr_t)t->host);
    }
    for (size_t i = 0; i < x->graph->join_places; i++) {
        haft__buf_addf(buf, "%s%d", i == 0 ? "\njoins " : " ", x->arrived[i]);
    }
    for (size_t i = 0; i < x->graph->node_count; i++) {
        haft__buf_addf(buf, "%s%d", i == 0 ? "\ndeferred " : " ", x->deferred[i]);
    }
    haft__buf_add_char(buf, '\n');
    CHECK_INT(haft__graph_execution_state(x, false, &arena, &state, NULL), HAFT_OK, "the state");
    haft__json_write(buf, state);
    haft__buf_add_char(buf, '\n');
    haft__arena_finish(&arena);
}

void help_state(haft__buf *buf, const haft__run *run)
{
    haft__buf_addf(buf, "seq %llu stage %d turn %u mode %d limit %d violations %u settled %d\n",
                   (unsigned long long)run->seq, run->stage, run->turn, run->mode,
                   run->forced_by_limit, run->violations, run->reply_committed);
    haft__buf_addf(buf, "constraint %d refused %x\n", run->constraint, run->refused);
    haft__buf_addf(buf, "failed %d gate %d default %d completed %d cancel %d expired %d\n",
                   run->failed, run->gate_opened, run->default_satisfied, run->completed,
                   run->cancel_asked, run->expired);
    haft__buf_addf(
        buf, "reminders %u invalid %u calls %u tokens %llu %llu %llu cost %llu\n", run->reminders,
        run->invalid_replies, run->usage.calls, (unsigned long long)run->usage.input_tokens,
        (unsigned long long)run->usage.output_tokens, (unsigned long long)run->usage.cached_tokens,
        (unsigned long long)run->cost_parts);
    haft__buf_addf(buf, "progress %u %u %u artifacts %zu results %u end %d forced %d\n",
                   run->progress.rows[0].count, run->progress.rows[1].count,
                   run->progress.rows[0].turn, run->artifact_count, run->results.count, run->end,
                   run->forced_final);
    haft__buf_addf(buf, "handoffs %u children %zu open %zu\n", run->handoffs, run->child_count,
                   (size_t)run->open_children);
    haft__json_write_string(buf, run->agent);
    haft__json_write_string(buf, run->handoff_call);
    const haft_str texts[] = {run->id,          run->thread, run->mode_tool, run->correction,
                              run->observation, run->answer, run->end_reason};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__json_write_string(buf, texts[i]);
    }
    for (size_t i = 0; i < run->tools->count; i++) {
        haft__buf_addf(buf, "\n%.*s %d %d %d %u %u", HAFT__ARG(run->tools->items[i]->name),
                       run->allowed[i], run->past[i].finished, (int)run->past[i].found,
                       run->past[i].rejected, run->past[i].finished_count);
    }
    haft__buf_add_char(buf, '\n');
    for (size_t i = 0; i < run->messages.count; i++) {
        add_message(buf, &run->messages.items[i]);
    }
    for (size_t i = 0; i < run->call_count; i++) {
        add_call(buf, &run->calls[i]);
    }
    if (run->graph != NULL) {
        add_graph(buf, run->graph->x);
    }
}
