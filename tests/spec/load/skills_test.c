/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/skills.c: skills in the source of a spec, and their tools. */
#include "base/error.h"
#include "spec/spec_help.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The directories of the tests: "two" has a and b, "more" has b and c, "narrow" has n, "bad" has a
 * SKILL.md without description and an unreadable folder, "full" and "over" have as many skills as
 * allowed and one more, "wide" has descriptions of more bytes than allowed. */
static bool visit_one(haft__skill_visit *visit, void *context, const char *directory,
                      const char *name, const char *rest)
{
    char folder[64];
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "---\nname: %s\n%s---\nDo it.\n", name, rest);
    (void)snprintf(folder, sizeof(folder), "%s/%s", directory, name);
    haft__skill_folder found = {haft__str(folder), haft__str(name), haft__buf_str(&buf), NULL};
    bool more = visit(context, &found);
    haft__buf_finish(&buf);
    return more;
}

static void visit_many(haft__skill_visit *visit, void *context, size_t count, size_t length)
{
    char *text = test_alloc(length + 32);
    size_t start = (size_t)snprintf(text, 32, "description: ");
    memset(text + start, 'd', length);
    text[start + length] = '\n';
    text[start + length + 1] = '\0';
    bool more = true;
    for (size_t i = 0; more && i < count; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "s%05zu", i);
        more = visit_one(visit, context, "many", name, text);
    }
}

static haft_status visit_skills(haft_str spec, haft_str directory, haft__skill_visit *visit,
                                void *context, haft_error *err)
{
    static const char *const help = "description: It helps.\n";
    CHECK_STR(spec, HAFT__LIT("/here/spec.yaml"), "path of the spec");
    if (haft__str_equal(directory, HAFT__LIT("two"))) {
        CHECK(visit_one(visit, context, "two", "a", help), "continue");
        CHECK(visit_one(visit, context, "two", "b", help), "continue");
    } else if (haft__str_equal(directory, HAFT__LIT("more"))) {
        CHECK(visit_one(visit, context, "more", "b", help), "continue");
        CHECK(visit_one(visit, context, "more", "c", help), "continue");
    } else if (haft__str_equal(directory, HAFT__LIT("narrow"))) {
        (void)visit_one(visit, context, "narrow", "n",
                        "description: It helps.\nallowed-tools: READ gre* web docs:get\n");
    } else if (haft__str_equal(directory, HAFT__LIT("bad"))) {
        haft_error failed = {.status = HAFT_OK};
        haft__skill_folder found = {HAFT__LIT("bad/y"), HAFT__LIT("y"), {NULL, 0}, &failed};
        (void)haft__fail(&failed, HAFT_IO, "bad/y/SKILL.md", "is no regular file");
        CHECK(visit_one(visit, context, "bad", "x", ""), "continue");
        CHECK(visit(context, &found), "continue");
    } else if (haft__str_equal(directory, HAFT__LIT("full"))) {
        visit_many(visit, context, HAFT__LIMIT_SKILLS, 10);
    } else if (haft__str_equal(directory, HAFT__LIT("over"))) {
        visit_many(visit, context, HAFT__LIMIT_SKILLS + 1, 10);
    } else if (haft__str_equal(directory, HAFT__LIT("heavy"))) { /* 4096 x (6 + 1018) bytes */
        visit_many(visit, context, HAFT__LIMIT_SKILLS_BYTES / 1024, 1018);
    } else if (haft__str_equal(directory, HAFT__LIT("wide"))) {
        visit_many(visit, context, HAFT__LIMIT_SKILLS_BYTES / 1024 + 1, 1018);
    } else {
        return haft__fail(err, HAFT_IO, "", "gone is not a directory that can be read");
    }
    return HAFT_OK;
}

static void load_skills(loaded *f, const char *text)
{
    haft__spec_options options = {
        .hash_key = {1, 2}, .path = HAFT__LIT("/here/spec.yaml"), .visit_skills = visit_skills};
    load_with(f, haft__str(text), &options);
}

static haft_str source_of(const loaded *f)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__json_write(&buf, *haft__json_get(f->spec->source, HAFT__LIT("skills")));
    return keep(&buf);
}

TEST(the_source_has_the_skills)
{
    loaded f, again;
    load_skills(&f, "skills: [two, narrow]\ntools: [{builtin: [read, grep]}]\n"
                    "mcp: {servers: {docs: {command: [docs]}}}");
    CHECK_STR(
        f.listing,
        HAFT__LIT("1:9: warning: narrow/n/SKILL.md: no tool of the spec has the name \"web\" of "
                  "allowed-tools (a skill allows only tools that the spec has; names may "
                  "have *)"),
        "problems");
    CHECK_INT(f.spec->skill_count, 3, "skills");
    const haft__skill *skill = &f.spec->skills[2];
    const haft__tool *tool = f.spec->tools.items[skill->tool];
    CHECK_STR(tool->name, HAFT__LIT("skill:n"), "the name of its tool");
    CHECK(tool->source == HAFT__TOOL_SKILL && tool->role == HAFT__ROLE_NEUTRAL
              && tool->traits.read_only && tool->traits.idempotent,
          "a neutral tool that reads");
    CHECK_INT(skill->allowed.count, 4, "allowed tools");
    haft_str source = source_of(&f);
    CHECK(haft__str_starts_with(source, HAFT__LIT("[{\"folder\":\"two/a\",\"name\":\"a\","
                                                  "\"description\":\"It helps.\",\"sha256\":")),
          "%s", source.ptr);
    char *stored = test_alloc(source.len + 16);
    (void)snprintf(stored, source.len + 16, "{\"skills\": %s}", source.ptr);
    load_kept(&again, stored); /* a stored spec reads no folder */
    CHECK_INT(again.spec->skill_count, 3, "%s", again.listing.ptr);
    CHECK_STR(source_of(&again), source, "the same source");
    unload(&f);
    unload(&again);
}

TEST(the_last_of_two_skills_with_a_name_counts)
{
    loaded f;
    load_skills(&f, "skills: [two, more]");
    CHECK_STR(f.listing,
              HAFT__LIT("1:15: warning: the skill \"b\" of more/b replaces the one of two/b (of "
                        "skills with the same name, the last one counts)"),
              "problems");
    CHECK_INT(f.spec->skill_count, 3, "skills");
    CHECK_STR(f.spec->skills[1].folder, HAFT__LIT("more/b"), "the last one");
    CHECK_STR(f.spec->skills[1].replaces, HAFT__LIT("two/b"), "the one before");
    CHECK_STR(f.spec->skills[2].name, HAFT__LIT("c"), "the next");
    unload(&f);
}

static const problem_case cases[] = {
    {"skills: [two]", ""},
    {"skills: []", ""},
    {"skills: [gone]",
     "1:10: gone is not a directory that can be read (the path is relative to the spec)"},
    {"skills: [bad]",
     "1:10: bad/x/SKILL.md:2:1: the front matter has no description\n"
     "1:10: bad/y/SKILL.md: is no regular file (the path is relative to the spec)"},
    {"skills: [two]\nmcp: {servers: {skill: {command: [x]}}}",
     "1:9: the spec has skills and an MCP server \"skill\", whose tools would have names of skills "
     "(rename the server)"},
    {"skills: [two]\ntools: [{name: \"skill:a\", description: Weighs a letter and returns its "
     "weight., "
     "command: [x]}]",
     "1:9: a tool has the name \"skill:a\" of a skill (rename one of the two)"},
    {"skills: [full]", ""},
    {"skills: [over]", "1:10: the spec has more than 10000 skills"},
    {"skills: [heavy]", ""},
    {"skills: [wide]",
     "1:10: the names and descriptions of the skills have more than 4194304 bytes"},
};

TEST(unusable_skills_are_reported)
{
    CHECK(HAFT__LIMIT_SKILLS == 10000 && HAFT__LIMIT_SKILLS_BYTES == 4194304,
          "limits of the cases");
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded f;
        load_skills(&f, cases[i].text);
        CHECK_STR(f.listing, haft__str(cases[i].problems), "%s", cases[i].text);
        unload(&f);
    }
}

TEST(skills_leave_the_other_tools_their_limits)
{
    loaded f;
    load_skills(&f, "skills: [full]\ncontext: {tokens: 8000}\n"
                    "tools: [{builtin: [read]}, {name: x, description: Weighs a letter and returns "
                    "its weight., command: [x]}]");
    CHECK(f.spec != NULL, "%s", f.listing.ptr);
    if (f.spec != NULL) {
        CHECK_INT(haft__spec_own_tools(f.spec, &f.spec->tools), 4,
                  "read, x, tool_search and read_result");
        CHECK(f.spec->definition_bytes < 1000, "skills do not count for the share of tools");
    }
    unload(&f);
}

TEST(out_of_memory_is_no_problem_of_the_skills)
{
    haft__spec_options options = {.hash_key = {1, 2},
                                  .path = HAFT__LIT("/here/spec.yaml"),
                                  .visit_skills = visit_skills,
                                  .kept = true};
    haft_str text = HAFT__LIT("skills: [narrow]");
    /* The first allocations are those of the schema and of the document. */
    for (unsigned n = 0;; n += 7) {
        haft__arena arena;
        const haft__spec *spec = NULL;
        haft__spec_report report;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = haft__spec_load(&arena, text, &options, &spec, &report, NULL);
        bool failed = test_allow_allocations();
        CHECK(failed ? status == HAFT_NO_MEMORY || (status == HAFT_OK && spec != NULL)
                     : status == HAFT_OK && spec != NULL,
              "allocation %u: status %d", n, (int)status);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
