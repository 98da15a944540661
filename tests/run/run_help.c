/* SPDX-License-Identifier: Apache-2.0 */
/* run_help.c - see run_help.h. */
#include "run_help.h"

#include "tool/builtin.h"
#include "json/read.h"
#include "json/write.h"

static const haft__hash_key key = {3, 4};

static haft__json parse(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    haft_status status = haft__json_read(arena, haft__str(text), NULL, &value, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%s: %s %s", text, err.where, err.message);
    return value;
}

static void add_trait(haft__tool *tool, haft_str trait)
{
    haft__traits *t = &tool->traits;
    t->destructive = t->destructive || haft__str_equal(trait, HAFT__LIT("destructive"));
    t->read_only = t->read_only || haft__str_equal(trait, HAFT__LIT("read_only"));
    t->needs_approval = t->needs_approval || haft__str_equal(trait, HAFT__LIT("approval"));
    t->return_direct = t->return_direct || haft__str_equal(trait, HAFT__LIT("direct"));
    if (haft__str_equal(trait, HAFT__LIT("cached"))) {
        t->idempotent = true;
        t->cache = HAFT__CACHE_RUN;
    }
    if (haft__str_equal(trait, HAFT__LIT("headless"))) {
        tool->source = HAFT__TOOL_HEADLESS;
    }
    if (haft__str_starts(trait, HAFT__LIT("lane"))) {
        t->lane = trait;
    }
}

static void add_tool(help_run *r, haft_str words)
{
    haft_str name = haft__str_split(&words, '!');
    haft__tool tool = {0};
    if (haft__builtin_find(name) != NULL) {
        CHECK_INT(haft__builtin_tool(&r->arena, name, &tool, &r->err), HAFT_OK, "%s",
                  r->err.message);
    } else {
        tool = (haft__tool){
            .name = name,
            .description = HAFT__LIT("Does what the test wants it to do."),
            .input_schema = parse(&r->arena, "{\"type\":\"object\",\"properties\":{\"q\":{\"type\":"
                                             "\"string\"},\"n\":{\"type\":\"integer\",\"default\":7"
                                             "}},\"additionalProperties\":false}"),
            .source = HAFT__TOOL_COMMAND,
            .typed = true,
        };
    }
    while (words.len > 0) {
        add_trait(&tool, haft__str_split(&words, '!'));
    }
    CHECK_INT(haft__tools_add(&r->spec.tools, &tool, &r->err), HAFT_OK, "%.*s: %s", HAFT__ARG(name),
              r->err.message);
}

static void set_word(help_run *r, haft_str word)
{
    haft_str name = haft__str_split(&word, '=');
    uint64_t number = 0;
    (void)haft__str_to_u64(word, &number);
    haft__spec_limits *limits = &r->spec.limits;
    const struct {
        const char *name;
        uint32_t *field;
    } numbers[] = {
        {"turns", &limits->turns},
        {"calls", &limits->calls},
        {"parallel", &limits->parallel},
        {"observation_chars", &limits->observation_chars},
        {"invalid_calls", &limits->invalid_calls},
        {"reminders", &limits->reminders},
        {"violations", &limits->violations},
        {"min_tools", &r->spec.choice.min_tools_for_auto},
    };
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (haft__str_equal(name, haft__str(numbers[i].name))) {
            *numbers[i].field = (uint32_t)number;
            return;
        }
    }
    if (haft__str_equal(name, HAFT__LIT("workflow"))) {
        r->spec.kind = HAFT__SPEC_WORKFLOW;
        r->spec.choice.gate = true;
    } else if (haft__str_equal(name, HAFT__LIT("tokens"))) {
        limits->tokens = number;
    } else if (haft__str_equal(name, HAFT__LIT("wall_ms"))) {
        limits->wall_ms = number;
    } else if (haft__str_equal(name, HAFT__LIT("truncate"))) {
        limits->overflow = HAFT__OVERFLOW_TRUNCATE;
    } else if (haft__str_equal(name, HAFT__LIT("transcript"))) {
        r->spec.history = HAFT__HISTORY_TRANSCRIPT;
    } else if (haft__str_equal(name, HAFT__LIT("default"))) {
        r->spec.choice.default_choice = (haft__wish){
            .mode = haft__str_equal(word, HAFT__LIT("any")) ? HAFT__MODE_ANY : HAFT__MODE_TOOL,
            .tool = word};
    } else if (haft__str_equal(name, HAFT__LIT("on_unknown"))) {
        r->spec.on_unknown = haft__str_equal(word, HAFT__LIT("tell")) ? HAFT__ON_UNKNOWN_TELL
                                                                      : HAFT__ON_UNKNOWN_RETRY;
    } else if (haft__str_equal(name, HAFT__LIT("tools"))) {
        while (word.len > 0) {
            add_tool(r, haft__str_split(&word, ','));
        }
    } else {
        CHECK(haft__str_equal(name, HAFT__LIT("agent")), "an unknown word: %.*s", HAFT__ARG(name));
    }
}

static uint64_t tick(void *context)
{
    help_run *r = context;
    r->now_ms += 10;
    return r->now_ms;
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
    static const char *const shown[] = {"mode", "tool",  "came",    "try",     "call",
                                        "why",  "pause", "verdict", "attempt", "cached",
                                        "ok",   "end",   "answer"};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json object = haft__json_null();
    CHECK_INT(haft__json_read(&arena, line, NULL, &object, NULL, NULL), HAFT_OK, "an event");
    haft_str kind = field(object, "kind");
    haft__buf_addf(buf, "%.*s", HAFT__ARG(kind));
    bool finished = haft__str_equal(kind, HAFT__LIT("call_finished"));
    for (size_t i = 0; i < COUNT(shown); i++) {
        const haft__json *value = haft__json_get(object, haft__str(shown[i]));
        bool boring = value == NULL || value->kind == HAFT__JSON_NULL
                      || (strcmp(shown[i], "cached") == 0 && value->kind != HAFT__JSON_TRUE);
        if (!boring && !(finished && strcmp(shown[i], "answer") == 0)) {
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

void help_run_init(help_run *r, const char *spec, const char *script)
{
    *r = (help_run){.now_ms = 1000000};
    haft__arena_init(&r->arena, 0);
    haft__buf_init(&r->log, 1 << 26);
    haft__buf_init(&r->summary, 1 << 26);
    r->spec.name = HAFT__LIT("test");
    r->spec.hash = HAFT__LIT("0123456789abcdef");
    r->spec.plan = r->spec.mcp = r->spec.databases = haft__json_null();
    static const haft_str formats[] = {{"native", 6}};
    r->spec.formats = formats;
    r->spec.format_count = 1;
    r->spec.model.native_tools = true;
    r->spec.choice.min_tools_for_auto = 5;
    r->spec.limits = (haft__spec_limits){.turns = 12,
                                         .calls = 50,
                                         .parallel = 3,
                                         .observation_chars = 8000,
                                         .tokens = 1000000,
                                         .wall_ms = 600000,
                                         .invalid_calls = 3,
                                         .reminders = 2,
                                         .violations = 2};
    haft__tools_init(&r->spec.tools, &r->arena, key);
    haft_str words = haft__str(spec);
    while (words.len > 0) {
        set_word(r, haft__str_trim(haft__str_split(&words, ';')));
    }
    haft__json document = parse(&r->arena, script);
    CHECK_INT(haft__script_init(&r->script, &r->arena, document, &r->err), HAFT_OK, "%s %s",
              r->err.where, r->err.message);
    haft__drive_options options = {.script = &r->script,
                                   .sink = sink,
                                   .sink_context = r,
                                   .clock = tick,
                                   .clock_context = r,
                                   .hash_key = key};
    CHECK_INT(haft__drive_init(&r->drive, &r->arena, &r->spec, &options, &r->err), HAFT_OK, "%s",
              r->err.message);
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
    haft_status status =
        haft__drive_start(&r->drive, HAFT__LIT("00000000000000000000000001"),
                          HAFT__LIT("00000000000000000000000002"), HAFT__LIT("do it"), &r->err);
    return status == HAFT_OK ? haft__drive_on(&r->drive, &r->err) : status;
}

haft_status help_run_answer(help_run *r, const char *call, const char *verdict, const char *value)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft__input_answered(&body, haft__str(call), HAFT__LIT("test"), haft__str(verdict),
                         parse(&r->arena, value));
    haft_status status = haft__drive_append(&r->drive, haft__buf_str(&body), &r->err);
    haft__buf_finish(&body);
    return status == HAFT_OK ? haft__drive_on(&r->drive, &r->err) : status;
}

haft_str help_play(const char *spec, const char *script)
{
    help_run r;
    help_run_init(&r, spec, script);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s %s", r.err.where, r.err.message);
    char *text = test_alloc(r.summary.len);
    memcpy(text, r.summary.ptr, r.summary.len);
    haft_str summary = {text, r.summary.len};
    help_run_finish(&r);
    return summary;
}
