/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/middleware.c: entries of `middleware`, their names and limits. */
#include "base/limits.h"
#include "spec/spec_help.h"

#define TOOL                                                                                       \
    "tools: [{name: look, description: Measures the level of the river at the bridge., args: [], " \
    "command: "                                                                                    \
    "[\"true\"], traits: {read_only: true}}]\n"

TEST(entries_have_the_names_of_their_kinds)
{
    static const char *const wanted[] = {"redact", "call_limit", "call_limit-2", "mine",
                                         "call_limit-3"};
    loaded f;
    load(&f, TOOL "middleware: [{redact: {}}, {call_limit: {max: 1}}, {call_limit: {max: 2}}, "
                  "{call_limit: {max: 3, name: mine}}, {call_limit: {max: 4}}]");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_INT(f.spec->middleware_count, COUNT(wanted), "all entries");
    for (size_t i = 0; i < f.spec->middleware_count; i++) {
        CHECK_STR(f.spec->middleware[i].name, haft__str(wanted[i]), "entry %zu", i);
    }
    unload(&f);
}

TEST(defaults_of_entries)
{
    loaded f;
    load(&f, TOOL "middleware: [{redact: {}}, {redact: {patterns: {a: b}}}, "
                  "{command: {run: [\"true\"]}}]");
    const haft__middleware *all = f.spec->middleware;
    const haft__hook *hook = &all[2].as.hook;
    CHECK(all[0].as.redact.kinds[HAFT__PERSONAL_EMAIL] && all[0].as.redact.at[HAFT__REDACT_OUTPUT],
          "all kinds, everywhere");
    CHECK(!all[1].as.redact.kinds[HAFT__PERSONAL_EMAIL] && all[1].as.redact.pattern_count == 1,
          "only the pattern");
    CHECK(hook->at[HAFT__HOOK_BEFORE_TOOL] && !hook->at[HAFT__HOOK_AFTER_TOOL], "the place");
    CHECK(!hook->fail_open && !hook->repeatable, "a hook that fails denies");
    CHECK_INT(hook->program->traits.timeout_ms, HAFT__LIMIT_MIDDLEWARE_MS, "the timeout");
    unload(&f);
}

TEST(entries_that_set_traits)
{
    loaded f;
    load(&f, TOOL "middleware: [{retry: {attempts: 3}}, {cache: {scope: thread, ttl: 2s}}, "
                  "{todo_list: {}}]");
    const haft__tool *look = haft__tools_find(&f.spec->tools, HAFT__LIT("look"));
    CHECK_INT(look->traits.retries, 3, "retries");
    CHECK_INT(look->traits.cache, HAFT__CACHE_THREAD, "cache");
    CHECK_INT(look->traits.cache_ttl_ms, 2000, "time to live");
    CHECK(haft__tools_find(&f.spec->tools, HAFT__LIT("write_todos")) != NULL, "the list");
    unload(&f);
}

/* The outer entries come first, and a stored agent does not get them again. */
TEST(agents_have_the_entries_of_their_spec)
{
    static const char text[] =
        "middleware: [{call_limit: {max: 9}}]\n"
        "tools: [{name: ask, agent: child}]\n"
        "agents: {child: {name: child, description: Helps with a part of it., middleware: "
        "[{call_limit: {max: 1}}]}}\n";
    loaded f, again;
    load(&f, text);
    const haft__spec *child = f.spec->agents[0].spec;
    CHECK_INT(child->middleware_count, 2, "both entries");
    CHECK_INT(child->middleware[0].as.call_limit.max, 9, "the outer one first");
    haft__buf source;
    haft__buf_init(&source, 1 << 20);
    haft__json_write(&source, f.spec->source);
    load_kept(&again, keep(&source).ptr);
    CHECK_STR(again.spec->hash, f.spec->hash, "the stored spec is the same");
    CHECK_INT(again.spec->agents[0].spec->middleware_count, 2, "no entry twice");
    unload(&f);
    unload(&again);
}

/* A list of `count` entries after those of an outer spec with `outer` entries. */
static void load_many(loaded *f, unsigned outer, unsigned count)
{
    static char text[1 << 16];
    size_t used =
        (size_t)snprintf(text, sizeof(text), "tools: [{name: ask, agent: child}]\nmiddleware: [");
    for (unsigned i = 0; i < outer; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "{call_limit: {max: 1}},");
    }
    used += (size_t)snprintf(text + used, sizeof(text) - used,
                             "]\nagents: {child: {name: child, description: Helps with a part of "
                             "it., middleware: [");
    for (unsigned i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "{call_limit: {max: 2}},");
    }
    (void)snprintf(text + used, sizeof(text) - used, "]}}\n");
    load(f, text);
}

TEST(the_number_of_entries_has_a_limit)
{
    for (unsigned more = 0; more <= 1; more++) {
        loaded f;
        load_many(&f, HAFT__LIMIT_MIDDLEWARE / 2, HAFT__LIMIT_MIDDLEWARE / 2 + more);
        CHECK_INT(f.spec == NULL, more, "%.*s", HAFT__ARG(f.listing));
        unload(&f);
    }
}

TEST(the_timeout_of_a_hook_has_a_limit)
{
    for (unsigned more = 0; more <= 1; more++) {
        loaded f;
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "middleware: [{command: {run: [\"true\"], timeout: %ums}}]",
                       HAFT__LIMIT_MIDDLEWARE_MAX_MS + more);
        load(&f, text);
        CHECK_INT(f.spec == NULL, more, "%.*s", HAFT__ARG(f.listing));
        unload(&f);
    }
}
