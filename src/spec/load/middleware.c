/* SPDX-License-Identifier: Apache-2.0 */
/*
 * middleware.c - `middleware`: reads its entries. Tests: tests/spec/load/middleware_test.c.
 *
 * Entries that only set what other keys of a spec set (retry, cache, fallback, todo_list) are
 * applied here; the others act in a run (run/middleware/).
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "spec/load/build_int.h"
#include "tool/builtin.h"
#include "tool/traits.h"
#include "json/object.h"

/* An entry while it is read. */
typedef struct entry_source {
    haft__json options;
    haft_str pointer; /* of the options */
} entry_source;

static bool find_kind(haft_str name, haft__middleware_kind *ret_kind)
{
    for (int i = 0; i < HAFT__MIDDLEWARE_KIND_COUNT; i++) {
        haft__middleware_kind kind = (haft__middleware_kind)i;
        if (haft__str_equal(name, haft__str(haft__middleware_kind_name(kind)))) {
            *ret_kind = kind;
            return true;
        }
    }
    return false;
}

/* The kind and the options of an entry; false if the entry is not valid, which the schema
 * reports. */
static bool read_entry(haft__json entry, haft__middleware_kind *ret_kind, haft__json *ret_options)
{
    bool valid = entry.kind == HAFT__JSON_OBJECT && entry.count == 1
                 && find_kind(haft__json_text(entry.members[0].key), ret_kind);
    *ret_options = valid && entry.members[0].value.kind == HAFT__JSON_OBJECT
                       ? entry.members[0].value
                       : haft__json_object(NULL, 0);
    return valid;
}

static haft_str pointer_to(haft__loader *l, const entry_source *e, const char *key)
{
    return haft__loader_pointer(l, "%.*s/%s", HAFT__ARG(e->pointer), key);
}

static bool has_text(haft__json array, const char *text)
{
    return haft__array_has_text(array, haft__str(text));
}

/* ---- hooks ---- */

static void add_member(haft__json_member *members, size_t *io_count, const char *key,
                       haft__json value)
{
    if (value.kind != HAFT__JSON_NULL) {
        members[(*io_count)++] = (haft__json_member){haft__json_string(haft__str(key)), value};
    }
}

/* The definition of the program, in the form of a tool's definition. */
static haft__json make_definition(haft__loader *l, const entry_source *e, bool http)
{
    static const char *const keys[] = {"url", "method", "headers", "allow_private", "facts"};
    haft__json_member *members = haft__loader_alloc(l, COUNT(keys), sizeof(*members));
    haft__json_member *outer = haft__loader_alloc(l, 1, sizeof(*outer));
    size_t count = 0;
    if (members == NULL || outer == NULL) {
        return haft__json_null();
    }
    if (!http) {
        add_member(members, &count, "command", haft__object_get(e->options, "run"));
        add_member(members, &count, "env", haft__object_get(e->options, "env"));
        return haft__json_object(members, count);
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        haft__json value = haft__object_get(e->options, keys[i]);
        bool method = haft__str_equal(haft__str(keys[i]), HAFT__LIT("method"));
        add_member(members, &count, keys[i],
                   method && value.kind == HAFT__JSON_NULL ? haft__json_string(HAFT__LIT("POST"))
                                                           : value);
    }
    outer[0] = (haft__json_member){haft__json_string(HAFT__LIT("http")),
                                   haft__json_object(members, count)};
    return haft__json_object(outer, 1);
}

static void build_hook(haft__loader *l, const entry_source *e, haft__middleware *entry)
{
    haft__hook *hook = &entry->as.hook;
    bool http = entry->kind == HAFT__MIDDLEWARE_HTTP;
    haft__tool *program = haft__loader_alloc(l, 1, sizeof(*program));
    haft__json at = haft__object_array(e->options, "at");
    if (program == NULL) {
        return;
    }
    *program = (haft__tool){.name = entry->name,
                            .source = http ? HAFT__TOOL_HTTP : HAFT__TOOL_COMMAND,
                            .definition = make_definition(l, e, http)};
    haft__traits_init(&program->traits);
    uint64_t timeout =
        haft__loader_read_duration(l, haft__object_get(e->options, "timeout"),
                                   pointer_to(l, e, "timeout"), HAFT__LIMIT_MIDDLEWARE_MS);
    if (timeout == 0 || timeout > HAFT__LIMIT_MIDDLEWARE_MAX_MS) {
        (void)haft__loader_error(l, pointer_to(l, e, "timeout"), HAFT__SUBJECT_VALUE,
                                 "expected a time above 0 and at most %d seconds",
                                 HAFT__LIMIT_MIDDLEWARE_MAX_MS / 1000);
    }
    program->traits.timeout_ms = (uint32_t)timeout;
    for (int i = 0; i < HAFT__HOOK_POINT_COUNT; i++) {
        hook->at[i] = has_text(at, haft__hook_point_name((haft__hook_point)i));
    }
    hook->at[HAFT__HOOK_BEFORE_TOOL] = hook->at[HAFT__HOOK_BEFORE_TOOL] || at.count == 0;
    hook->fail_open =
        haft__str_equal(haft__object_string(e->options, "on_error"), HAFT__LIT("allow"));
    hook->repeatable = haft__object_flag(e->options, "repeatable", false);
    hook->program = program;
}

/* ---- rules ---- */

static void build_call_limit(const entry_source *e, haft__middleware *entry)
{
    entry->as.call_limit = (haft__call_limit){
        .max = (uint32_t)haft__object_number(e->options, "max", 1),
        .per_turn = haft__str_equal(haft__object_string(e->options, "per"), HAFT__LIT("turn")),
        .ends_run = haft__str_equal(haft__object_string(e->options, "on_limit"), HAFT__LIT("end")),
    };
}

static void build_rate_limit(haft__loader *l, const entry_source *e, haft__middleware *entry)
{
    entry->as.rate_limit = (haft__rate_limit){
        .max = (uint32_t)haft__object_number(e->options, "max", 1),
        .per_ms = haft__loader_read_duration(l, haft__object_get(e->options, "per"),
                                             pointer_to(l, e, "per"), 1),
    };
    if (entry->as.rate_limit.per_ms == 0) {
        (void)haft__loader_error(l, pointer_to(l, e, "per"), HAFT__SUBJECT_VALUE,
                                 "expected a time above 0");
    }
}

static haft__redact_action read_action(haft_str word)
{
    static const char *const words[] = {[HAFT__REDACT_REDACT] = "redact",
                                        [HAFT__REDACT_MASK] = "mask",
                                        [HAFT__REDACT_HASH] = "hash",
                                        [HAFT__REDACT_BLOCK] = "block"};
    haft__redact_action found = HAFT__REDACT_REDACT;
    for (size_t i = 0; i < COUNT(words); i++) {
        found = haft__str_equal(word, haft__str(words[i])) ? (haft__redact_action)i : found;
    }
    return found;
}

static void build_patterns(haft__loader *l, const entry_source *e, haft__redact_rule *rule)
{
    haft__json source = haft__object_object(e->options, "patterns");
    haft__redact_pattern *patterns = haft__loader_alloc(l, source.count, sizeof(*patterns));
    for (uint32_t i = 0; patterns != NULL && i < source.count; i++) {
        haft_error err = {.status = HAFT_OK};
        haft_str name = haft__json_text(source.members[i].key);
        haft_status status =
            haft__pattern_compile_to_find(l->arena, haft__json_text(source.members[i].value),
                                          &patterns[rule->pattern_count].pattern, &err);
        if (status == HAFT_OK) {
            patterns[rule->pattern_count++].name = name;
        } else if (!haft__loader_failed(l, status)) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer_to_key(l, pointer_to(l, e, "patterns"), name),
                HAFT__SUBJECT_VALUE, "%s", err.message);
            haft__loader_hint(l, problem, "a regular expression in the syntax of JavaScript");
        }
    }
    rule->patterns = patterns;
}

static void build_redact(haft__loader *l, const entry_source *e, haft__middleware *entry)
{
    static const char *const places[] = {[HAFT__REDACT_INPUT] = "input",
                                         [HAFT__REDACT_OUTPUT] = "output",
                                         [HAFT__REDACT_RESULTS] = "results"};
    haft__redact_rule *rule = &entry->as.redact;
    haft__json kinds = haft__object_get(e->options, "kinds");
    haft__json at = haft__object_array(e->options, "where");
    bool own = haft__object_object(e->options, "patterns").count > 0;
    for (int i = 0; i < HAFT__PERSONAL_KIND_COUNT; i++) {
        rule->kinds[i] = kinds.kind == HAFT__JSON_ARRAY
                             ? has_text(kinds, haft__personal_kind_name((haft__personal_kind)i))
                             : !own;
    }
    for (size_t i = 0; i < COUNT(places); i++) {
        rule->at[i] = at.count == 0 || has_text(at, places[i]);
    }
    rule->action = read_action(haft__object_string(e->options, "action"));
    build_patterns(l, e, rule);
}

static void build_selection(haft__loader *l, const entry_source *e, haft__middleware *entry)
{
    haft__json turns = haft__object_object(e->options, "turns");
    haft__tool_selection *selection = &entry->as.selection;
    selection->first_turn = (uint32_t)haft__object_number(turns, "from", 0);
    selection->last_turn = (uint32_t)haft__object_number(turns, "to", 0);
    selection->except = haft__loader_read_strings(l, haft__object_array(e->options, "except"),
                                                  &selection->except_count);
    selection->after = haft__loader_read_strings(l, haft__object_array(e->options, "after"),
                                                 &selection->after_count);
    selection->until = haft__loader_read_strings(l, haft__object_array(e->options, "until"),
                                                 &selection->until_count);
    if (entry->tool_count == 0 && selection->except_count == 0) {
        haft__spec_problem *problem = haft__loader_error(
            l, e->pointer, HAFT__SUBJECT_VALUE, "expected \"tools\" or \"except\", found neither");
        haft__loader_hint(l, problem, "tools: [\"docs:*\"] keeps these tools, except drops them");
    }
}

static void build_error_text(const entry_source *e, haft__middleware *entry)
{
    entry->as.error_text = haft__object_string(e->options, "text");
}

static void build_approval(haft__loader *l, const entry_source *e, haft__middleware *entry)
{
    haft__approval_rule *rule = haft__loader_alloc(l, 1, sizeof(*rule));
    if (rule != NULL) {
        haft__loader_read_approval(l, e->options, e->pointer, rule);
        entry->as.approval = rule;
    }
}

static void build_entry(haft__loader *l, const entry_source *e, haft__middleware *entry)
{
    switch (entry->kind) {
    case HAFT__MIDDLEWARE_APPROVAL: build_approval(l, e, entry); return;
    case HAFT__MIDDLEWARE_CALL_LIMIT: build_call_limit(e, entry); return;
    case HAFT__MIDDLEWARE_COMMAND:
    case HAFT__MIDDLEWARE_HTTP: build_hook(l, e, entry); return;
    case HAFT__MIDDLEWARE_RATE_LIMIT: build_rate_limit(l, e, entry); return;
    case HAFT__MIDDLEWARE_REDACT: build_redact(l, e, entry); return;
    case HAFT__MIDDLEWARE_SELECT_TOOLS: build_selection(l, e, entry); return;
    case HAFT__MIDDLEWARE_TOOL_ERRORS: build_error_text(e, entry); return;
    case HAFT__MIDDLEWARE_CACHE:
    case HAFT__MIDDLEWARE_FALLBACK:
    case HAFT__MIDDLEWARE_RETRY:
    case HAFT__MIDDLEWARE_TODO_LIST:
    case HAFT__MIDDLEWARE_KIND_COUNT: return;
    }
}

/* ---- names ---- */

static bool is_name_taken(const haft__middleware *entries, size_t count, haft_str name)
{
    bool taken = false;
    for (size_t i = 0; i < count; i++) {
        taken = taken || haft__str_equal(entries[i].name, name);
    }
    return taken;
}

/* The name of an entry is that of its kind, or call_limit-2 for the second one. */
static haft_str name_entry(haft__loader *l, const entry_source *e, const haft__middleware *entries,
                           size_t count, haft__middleware_kind kind)
{
    haft_str given = haft__object_string(e->options, "name");
    haft_str name = given.len > 0 ? given : haft__str(haft__middleware_kind_name(kind));
    if (given.len > 0 && is_name_taken(entries, count, given)) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer_to(l, e, "name"), HAFT__SUBJECT_VALUE,
                               "two entries have the name \"%.*s\"", HAFT__ARG(given));
        haft__loader_hint(l, problem, "rename one of the two");
    }
    for (unsigned number = 2; given.len == 0 && is_name_taken(entries, count, name); number++) {
        name = haft__loader_pointer(l, "%s-%u", haft__middleware_kind_name(kind), number);
    }
    return name;
}

void haft__loader_build_middleware(haft__loader *l)
{
    haft__json source = haft__object_array(l->source, "middleware");
    haft__middleware *entries = haft__loader_alloc(l, source.count, sizeof(*entries));
    size_t count = 0;
    if (!haft__loader_keys_are_valid(l, "middleware")) {
        return;
    }
    if (source.count > HAFT__LIMIT_MIDDLEWARE) { /* with the entries of the outer specs */
        (void)haft__loader_error(l, HAFT__LIT("/middleware"), HAFT__SUBJECT_VALUE,
                                 "the agent has %u entries, those of the specs around it included, "
                                 "and at most %d are allowed",
                                 source.count, HAFT__LIMIT_MIDDLEWARE);
        return;
    }
    for (uint32_t i = 0; entries != NULL && i < source.count && l->status == HAFT_OK; i++) {
        haft__middleware_kind kind;
        entry_source e = {.options = haft__json_null()};
        if (!read_entry(source.items[i], &kind, &e.options)) {
            continue;
        }
        e.pointer =
            haft__loader_pointer(l, "/middleware/%u/%s", i, haft__middleware_kind_name(kind));
        haft__middleware *entry = &entries[count];
        entry->kind = kind;
        entry->name = name_entry(l, &e, entries, count, kind);
        entry->tools = haft__loader_read_strings(l, haft__object_array(e.options, "tools"),
                                                 &entry->tool_count);
        build_entry(l, &e, entry);
        count++;
    }
    l->spec->middleware = entries;
    l->spec->middleware_count = count;
}

/* ---- entries that set what other keys of a spec set ---- */

/* Whether the options name the tool, or no tool at all. */
static bool names_tool(haft__json options, haft_str tool)
{
    haft__json patterns = haft__object_array(options, "tools");
    bool found = patterns.count == 0;
    for (uint32_t i = 0; i < patterns.count && !found; i++) {
        found = haft__filter_matches(haft__json_text(patterns.items[i]), tool);
    }
    return found;
}

static void set_retries(haft__json options, haft__traits *traits)
{
    if (haft__traits_are_repeatable(traits)) {
        traits->retries = (uint32_t)haft__object_number(options, "attempts", 1);
    }
}

static void set_cache(haft__loader *l, haft__json options, haft_str pointer, haft__traits *traits)
{
    haft_str scope = haft__object_string(options, "scope");
    if (!haft__traits_are_repeatable(traits) && haft__object_array(options, "tools").count == 0) {
        return; /* an entry for all tools is for those that may be repeated */
    }
    traits->cache = haft__str_equal(scope, HAFT__LIT("global"))   ? HAFT__CACHE_GLOBAL
                    : haft__str_equal(scope, HAFT__LIT("thread")) ? HAFT__CACHE_THREAD
                                                                  : HAFT__CACHE_RUN;
    traits->cache_ttl_ms =
        haft__loader_read_duration(l, haft__object_get(options, "ttl"),
                                   haft__loader_pointer(l, "%.*s/ttl", HAFT__ARG(pointer)), 0);
}

void haft__loader_apply_middleware(haft__loader *l, haft__tool *tool)
{
    haft__json source = haft__object_array(l->source, "middleware");
    haft__middleware_kind kind;
    haft__json options;
    for (uint32_t i = 0; i < source.count && haft__loader_keys_are_valid(l, "middleware"); i++) {
        if (!read_entry(source.items[i], &kind, &options) || !names_tool(options, tool->name)) {
            continue;
        }
        if (kind == HAFT__MIDDLEWARE_RETRY) {
            set_retries(options, &tool->traits);
        } else if (kind == HAFT__MIDDLEWARE_CACHE) {
            set_cache(l, options, haft__loader_pointer(l, "/middleware/%u/cache", i),
                      &tool->traits);
        }
    }
}

bool haft__loader_has_middleware(const haft__loader *l, haft__middleware_kind kind)
{
    haft__json source = haft__object_array(l->source, "middleware");
    bool found = false;
    for (uint32_t i = 0; i < source.count; i++) {
        haft__middleware_kind one;
        haft__json options;
        found = found || (read_entry(source.items[i], &one, &options) && one == kind);
    }
    return found;
}

haft__json haft__loader_find_fallback(haft__loader *l, haft_str *ret_pointer)
{
    haft__json source = haft__object_array(l->source, "middleware");
    for (uint32_t i = 0; i < source.count; i++) {
        haft__middleware_kind kind;
        haft__json options;
        if (read_entry(source.items[i], &kind, &options) && kind == HAFT__MIDDLEWARE_FALLBACK) {
            *ret_pointer = haft__loader_pointer(l, "/middleware/%u/fallback/models", i);
            return haft__object_array(options, "models");
        }
    }
    return haft__json_null();
}

/* ---- names of tools ---- */

/* A pattern with a * may match tools that a server adds later. */
static void check_patterns(haft__loader *l, const entry_source *e, const char *key)
{
    haft__json patterns = haft__object_array(e->options, key);
    for (uint32_t i = 0; i < patterns.count; i++) {
        haft_str name = haft__json_text(patterns.items[i]);
        if (memchr(name.ptr, '*', name.len) == NULL && name.len > 0) {
            (void)haft__loader_check_tool_name(
                l, name, haft__loader_pointer(l, "%.*s/%s/%u", HAFT__ARG(e->pointer), key, i));
        }
    }
}

void haft__loader_check_middleware(haft__loader *l)
{
    static const char *const keys[] = {"tools", "except", "after", "until"};
    haft__json source = haft__object_array(l->source, "middleware");
    /* The outer spec may name tools of other agents. */
    bool inherited = l->options->scope != NULL || l->options->kept;
    for (uint32_t i = 0; i < source.count && !inherited && l->status == HAFT_OK; i++) {
        haft__middleware_kind kind;
        entry_source e = {.options = haft__json_null()};
        if (!read_entry(source.items[i], &kind, &e.options)) {
            continue;
        }
        e.pointer =
            haft__loader_pointer(l, "/middleware/%u/%s", i, haft__middleware_kind_name(kind));
        for (size_t k = 0; k < COUNT(keys) && l->spec->agent_count == 0; k++) {
            check_patterns(l, &e, keys[k]);
        }
    }
}
