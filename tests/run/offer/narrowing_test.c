/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/narrowing.c: the tools that the skills of a run allow. */
#include "run/offer/narrowing.h"

#include "run/offer/offer.h"
#include "spec/spec_help.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SKILL(name, allowed)                                                                       \
    "- {folder: s/" name ", name: " name ", description: It helps., sha256: \"" HASH "\"" allowed  \
    "}\n"

static const char spec_text[] =
    "haft: 1\n"
    "phases: [{name: one, tools: [grep]}]\n"
    "tools:\n"
    "- builtin: [glob, grep, read, store_artifact, tool_search]\n"
    "- {name: Post, description: Posts., command: [\"true\"]}\n"
    "skills:\n" SKILL("free", "") SKILL("reader", ", allowed_tools: [read, \"p*\"]")
        SKILL("finder", ", allowed_tools: [glob, read]") SKILL("none", ", allowed_tools: []");

/* The tools that are narrowed after these skills were read, and by which: "glob:reader". */
static haft_str narrowed_by(const haft__spec *spec, const char *read)
{
    haft__arena arena;
    haft__buf buf;
    haft__narrowing narrowing;
    haft_str names = haft__str(read);
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 20);
    haft__run run = {.spec = spec,
                     .tools = &spec->tools,
                     .past = test_alloc(spec->tools.count * sizeof(*run.past))};
    memset(run.past, 0, spec->tools.count * sizeof(*run.past));
    while (names.len > 0) {
        haft_str name = haft__str_split(&names, ' ');
        for (size_t i = 0; i < spec->skill_count; i++) {
            haft__tool_history *past = &run.past[spec->skills[i].tool];
            bool same = haft__str_equal(spec->skills[i].name, name);
            past->succeeded = past->succeeded || same;
        }
    }
    CHECK_INT(haft__narrowing_collect(&run, &arena, &narrowing, NULL), HAFT_OK, "%s", read);
    for (size_t i = 0; i < spec->tools.count; i++) {
        const haft__tool *tool = spec->tools.items[i];
        const haft__skill *by = haft__narrowing_find(&narrowing, spec, tool);
        if (by != NULL) {
            haft__buf_addf(&buf, "%s%.*s:%.*s", buf.len > 0 ? " " : "", HAFT__ARG(tool->name),
                           HAFT__ARG(by->name));
        }
    }
    haft__arena_finish(&arena);
    return keep(&buf);
}

TEST(skills_that_were_read_narrow_the_data_tools)
{
    static const struct {
        const char *read, *narrowed;
    } rows[] = {
        {"", ""},
        {"free", ""},
        {"reader", "glob:reader"}, /* the case of Post does not count; a phase names grep */
        {"finder", "Post:finder"},
        {"reader finder", "glob:reader Post:finder"}, /* what both allow */
        {"finder reader free", "glob:reader Post:finder"},
        {"none", "glob:none read:none Post:none"},
    };
    loaded f;
    load(&f, spec_text);
    CHECK(f.spec != NULL, "%s", f.listing.ptr);
    for (size_t i = 0; f.spec != NULL && i < COUNT(rows); i++) {
        CHECK_STR(narrowed_by(f.spec, rows[i].read), haft__str(rows[i].narrowed), "%s",
                  rows[i].read);
    }
    unload(&f);
}

TEST(skills_are_deferred_unless_the_spec_names_them)
{
    static const struct {
        const char *more, *reason;
    } rows[] = {
        {"", "deferred"},
        {"choice: {schedule: [\"skill:free\"]}\n", "named"},
        {"builtins: {deny: [tool_search]}\n", "search_denied"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[1024];
        loaded f;
        (void)snprintf(text, sizeof(text), "%sskills:\n%s", rows[i].more, SKILL("free", ""));
        load(&f, text);
        CHECK(f.spec != NULL && f.spec->skill_count == 1, "%s", f.listing.ptr);
        if (f.spec != NULL) {
            const haft__tool *tool = f.spec->tools.items[f.spec->skills[0].tool];
            haft__verdict verdict = haft__resolve_tool(f.spec, NULL, tool);
            CHECK_STR(haft__str(haft__reason_word(verdict.reason)), haft__str(rows[i].reason), "%s",
                      rows[i].more);
            CHECK_INT(verdict.role, HAFT__ROLE_NEUTRAL, "neutral for the gate");
        }
        CHECK(!haft__resolve_defers_data(f.spec), "no data tool is deferred");
        unload(&f);
    }
}

TEST(names_longer_than_a_tool_name_are_not_allowed)
{
    haft__json any = haft__json_string(HAFT__LIT("*"));
    haft__skill skill = {.allowed = haft__json_array(&any, 1)};
    char name[HAFT__LIMIT_TOOL_NAME_BYTES + 1];
    memset(name, 'A', sizeof(name));
    CHECK(haft__skill_allows(&skill, (haft_str){name, sizeof(name) - 1}), "as long as allowed");
    CHECK(!haft__skill_allows(&skill, (haft_str){name, sizeof(name)}), "one more");
}

TEST(a_provider_gets_undiscovered_skills_up_to_a_limit)
{
    loaded f;
    load(&f, "model: anthropic:claude-haiku-5-5\nskills:\n" SKILL("free", ""));
    CHECK(f.spec != NULL, "%s", f.listing.ptr);
    if (f.spec != NULL) {
        haft__spec spec = *f.spec;
        CHECK(spec.skill_bytes > 100 && spec.skill_bytes < 1000, "the size of its definition");
        spec.skill_bytes = HAFT__LIMIT_SEARCH_DEFERRED_BYTES;
        CHECK_INT(haft__offer_deferral(&spec, NULL), HAFT__DEFERRAL_DECLARED, "at the limit");
        spec.skill_bytes++;
        CHECK_INT(haft__offer_deferral(&spec, NULL), HAFT__DEFERRAL_NONE, "past the limit");
    }
    unload(&f);
}
