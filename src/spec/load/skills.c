/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skills.c - `skills: [DIR...]`: each skill becomes a tool skill:NAME, which is deferred.
 *
 * The directories in the source of the spec are replaced by what is known of their skills: {folder,
 * name, description, sha256, allowed_tools, replaces}. Every run stores its source, so a run that
 * is resumed, replayed or forked has the same tools, even if a folder has changed or no longer
 * exists. The instructions are read when the skill is called. Tests: tests/spec/load/skills_test.c.
 */
#include "base/error.h"
#include "base/escape.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/vec.h"
#include "run/offer/narrowing.h"
#include "spec/load/load_int.h"
#include "spec/load/skill/skill_text.h"
#include "tool/traits.h"
#include "json/object.h"
#include "json/read.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"file\":{\"type\":\"string\",\"minLength\":1,"          \
    "\"description\":\"A file of the skill that its instructions name, such as "                   \
    "references/forms.md. Leave it out to read the instructions.\"}},"                             \
    "\"additionalProperties\":false}"

/* ---- reading ---- */

typedef struct collector {
    haft__loader *l;
    haft_str pointer;    /* of the directory that is read */
    haft__arena scratch; /* for one SKILL.md */
    haft__map by_name;   /* name -> haft__json, an item */
    haft__json **items;  /* what the source will have */
    size_t count, capacity, bytes;
    bool stopped; /* a limit of all skills together is reached */
} collector;

static haft__json_member member(const char *key, haft__json value)
{
    return (haft__json_member){haft__json_string(haft__str(key)), value};
}

static bool is_full(collector *c, bool failed)
{
    if (failed) {
        (void)haft__loader_failed(c->l, haft__arena_fail(c->l->arena, NULL));
    }
    return failed;
}

static bool add_item(collector *c, haft__json item)
{
    haft__json *kept = haft__loader_alloc(c->l, 1, sizeof(haft__json));
    haft__json **items = haft__vec_reserve_in(c->l->arena, c->items, c->count, &c->capacity,
                                              c->count + 1, sizeof(haft__json *));
    if (is_full(c, kept == NULL || items == NULL)) {
        return false;
    }
    *kept = item;
    c->items = items;
    c->items[c->count++] = kept;
    return !is_full(c, haft__map_put(&c->by_name, haft__object_string(item, "name"), kept, NULL)
                           != HAFT_OK);
}

/* Replaces the skill of the same name in an earlier directory. */
static void replace_item(collector *c, haft__json *earlier, haft__json item)
{
    haft_str name = haft__object_string(item, "name");
    haft__json before = haft__object_get(*earlier, "folder");
    haft__spec_problem *problem = haft__loader_warning(
        c->l, c->pointer, HAFT__SUBJECT_VALUE,
        "the skill \"%.*s\" of %.*s replaces the one of %.*s", HAFT__ARG(name),
        HAFT__ARG(haft__object_string(item, "folder")), HAFT__ARG(haft__json_text(before)));
    haft__loader_hint(c->l, problem, "of skills with the same name, the last one counts");
    (void)is_full(c, !haft__edit_put(c->l->arena, &item, HAFT__LIT("replaces"), before));
    *earlier = item;
}

/* Whether one more skill, with so many bytes, is allowed. */
static bool has_room(collector *c, size_t bytes)
{
    c->bytes += bytes;
    if (c->count == HAFT__LIMIT_SKILLS) {
        (void)haft__loader_error(c->l, c->pointer, HAFT__SUBJECT_VALUE,
                                 "the spec has more than %d skills", HAFT__LIMIT_SKILLS);
        c->stopped = true;
    } else if (c->bytes > HAFT__LIMIT_SKILLS_BYTES) {
        (void)haft__loader_error(c->l, c->pointer, HAFT__SUBJECT_VALUE,
                                 "the names and descriptions of the skills have more than %d bytes",
                                 HAFT__LIMIT_SKILLS_BYTES);
        c->stopped = true;
    }
    return !c->stopped;
}

/* The text in the arena of the spec, with hidden characters escaped: they could be instructions
 * that only a model sees. */
static haft_str copy_visible(haft__arena *arena, haft_str text)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_SKILL_BYTES * HAFT__ESCAPE_BYTES);
    haft__escape_add_lines(&buf, text);
    bool whole = haft__buf_check(&buf, NULL) == HAFT_OK;
    haft_str copy = whole ? haft__arena_copy(arena, haft__buf_str(&buf)) : (haft_str){NULL, 0};
    haft__buf_finish(&buf);
    return copy;
}

static void keep_skill(collector *c, const haft__skill_folder *found, const haft__skill_text *text)
{
    haft__arena *arena = c->l->arena;
    haft__json_member *members = haft__loader_alloc(c->l, 5, sizeof(*members));
    char *hex = haft__loader_alloc(c->l, HAFT__SHA256_HEX, 1);
    haft__json *earlier = haft__map_get(&c->by_name, text->name);
    haft_str folder = haft__arena_copy(arena, found->folder);
    haft__json allowed = haft__json_null();
    bool failed = members == NULL || hex == NULL || folder.ptr == NULL
                  || (text->allowed.kind == HAFT__JSON_ARRAY
                      && haft__json_copy_deep(arena, text->allowed, &allowed, NULL) != HAFT_OK);
    haft_str name = haft__arena_copy(arena, text->name);
    haft_str description = copy_visible(arena, text->description);
    if (is_full(c, failed || name.ptr == NULL || description.ptr == NULL)
        || (earlier == NULL && !has_room(c, name.len + description.len))) {
        return;
    }
    haft__sha256_hex(found->text, hex);
    members[0] = member("folder", haft__json_string(folder));
    members[1] = member("name", haft__json_string(name));
    members[2] = member("description", haft__json_string(description));
    members[3] = member("sha256", haft__json_string((haft_str){hex, HAFT__SHA256_HEX}));
    members[4] = member("allowed_tools", allowed);
    haft__json item = haft__json_object(members, allowed.kind == HAFT__JSON_ARRAY ? 5 : 4);
    if (earlier != NULL) {
        replace_item(c, earlier, item);
    } else {
        (void)add_item(c, item);
    }
}

/* Reports the problems of a SKILL.md, with line and column. */
static void report_problems(collector *c, const haft__skill_folder *found,
                            const haft__spec_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        const haft__spec_problem *p = &problems->items[i];
        haft__spec_problem *problem = (p->warning ? haft__loader_warning : haft__loader_error)(
            c->l, c->pointer, HAFT__SUBJECT_VALUE, "%.*s/SKILL.md:%u:%u: %.*s",
            HAFT__ARG(found->folder), p->line, p->column, HAFT__ARG(p->message));
        if (p->hint.len > 0) {
            haft__loader_hint(c->l, problem, "%.*s", HAFT__ARG(p->hint));
        }
    }
}

static void report_error(collector *c, const haft_error *err)
{
    haft__spec_problem *problem =
        haft__loader_error(c->l, c->pointer, HAFT__SUBJECT_VALUE, "%s%s%s", err->where,
                           err->where[0] != '\0' ? ": " : "", err->message);
    haft__loader_hint(c->l, problem, "%s",
                      err->hint[0] != '\0' ? err->hint : "the path is relative to the spec");
}

static bool visit(void *context, const haft__skill_folder *found)
{
    collector *c = context;
    haft__spec_problems problems;
    haft__skill_text text;
    if (found->error != NULL) {
        report_error(c, found->error);
        return c->l->status == HAFT_OK;
    }
    haft__spec_problems_init(&problems, &c->scratch);
    haft_status status = haft__skill_text_read(&c->scratch, found->text, found->name,
                                               c->l->options->hash_key, &problems, &text, NULL);
    if (status != HAFT_OK) {
        c->l->status = status;
    } else {
        report_problems(c, found, &problems);
        if (problems.errors == 0) {
            keep_skill(c, found, &text);
        }
    }
    haft__arena_reset(&c->scratch);
    return c->l->status == HAFT_OK && !c->stopped;
}

static void read_directory(collector *c, haft_str directory)
{
    const haft__spec_options *options = c->l->options;
    haft_error err = {.status = HAFT_OK};
    if (options->visit_skills == NULL) {
        return;
    }
    haft_status status = options->visit_skills(options->path, directory, visit, c, &err);
    if (status != HAFT_OK && c->l->status == HAFT_OK && !haft__loader_failed(c->l, status)) {
        report_error(c, &err);
    }
}

static bool is_complete(haft__json entry)
{
    return haft__object_string(entry, "name").len > 0
           && haft__object_string(entry, "description").len > 0
           && haft__object_string(entry, "sha256").len == HAFT__SHA256_HEX;
}

static void collect(collector *c, haft__json list)
{
    for (uint32_t i = 0; i < list.count && c->l->status == HAFT_OK && !c->stopped; i++) {
        haft__json entry = list.items[i];
        c->pointer = haft__loader_pointer(c->l, "/skills/%u", i);
        if (entry.kind == HAFT__JSON_STRING) {
            read_directory(c, haft__json_text(entry));
        } else if (is_complete(entry)
                   && haft__map_get(&c->by_name, haft__object_string(entry, "name")) == NULL
                   && has_room(c, haft__object_string(entry, "name").len
                                      + haft__object_string(entry, "description").len)) {
            (void)add_item(c, entry);
        }
    }
}

static void build(collector *c)
{
    haft__loader *l = c->l;
    haft__json *items = haft__loader_alloc(l, c->count, sizeof(*items));
    l->skills = haft__loader_alloc(l, c->count, sizeof(*l->skills));
    if (items == NULL || l->skills == NULL) {
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        items[i] = *c->items[i];
        l->skills[i] = (haft__skill){.name = haft__object_string(items[i], "name"),
                                     .folder = haft__object_string(items[i], "folder"),
                                     .sha256 = haft__object_string(items[i], "sha256"),
                                     .replaces = haft__object_string(items[i], "replaces"),
                                     .allowed = haft__object_get(items[i], "allowed_tools")};
    }
    l->skill_count = c->count;
    (void)haft__loader_put_source(l, "skills", haft__json_array(items, c->count));
}

void haft__loader_build_skills(haft__loader *l)
{
    haft__json list = haft__object_array(l->source, "skills");
    collector c = {.l = l};
    if (list.count == 0 || !haft__loader_keys_are_valid(l, "skills")) {
        return;
    }
    haft__arena_init(&c.scratch, 0);
    haft__map_init(&c.by_name, l->arena, l->options->hash_key);
    collect(&c, list);
    if (l->status == HAFT_OK) {
        build(&c);
    }
    haft__arena_finish(&c.scratch);
}

/* ---- tools ---- */

/* Reports names of `allowed-tools` that no tool has. A name with a colon may be a tool of a server;
 * then it is not known here. */
static void check_allowed(haft__loader *l, const haft__skill *skill)
{
    const haft__tools *tools = &l->spec->tools;
    bool servers = haft__object_object(l->spec->mcp, "servers").count > 0;
    for (uint32_t i = 0; i < skill->allowed.count && !l->options->kept; i++) {
        haft_str pattern = haft__json_text(skill->allowed.items[i]);
        haft__skill one = {.allowed = haft__json_array(&skill->allowed.items[i], 1)};
        bool found =
            servers && pattern.ptr != NULL && memchr(pattern.ptr, ':', pattern.len) != NULL;
        for (size_t k = 0; k < tools->count - l->spec->skill_count && !found; k++) {
            found = haft__skill_allows(&one, tools->items[k]->name);
        }
        if (!found) {
            haft__spec_problem *problem = haft__loader_warning(
                l, HAFT__LIT("/skills"), HAFT__SUBJECT_VALUE,
                "%.*s/SKILL.md: no tool of the spec has the name \"%.*s\" of allowed-tools",
                HAFT__ARG(skill->folder), HAFT__ARG(pattern));
            haft__loader_hint(l, problem,
                              "a skill allows only tools that the spec has; names may have *");
        }
    }
}

static void add_tool(haft__loader *l, haft__skill *skill, haft_str description, haft__json item,
                     haft__json schema)
{
    haft_error err = {.status = HAFT_OK};
    haft__tool tool = {
        .name = haft__arena_format(l->arena, HAFT__SKILL_PREFIX "%.*s", HAFT__ARG(skill->name)),
        .description = description,
        .input_schema = schema,
        .source = HAFT__TOOL_SKILL,
        .role = HAFT__ROLE_NEUTRAL,
        .traits_given = true,
        .typed = true,
        .definition = item};
    haft__traits_init(&tool.traits);
    tool.traits.read_only = tool.traits.idempotent = true;
    tool.traits.cost = HAFT__COST_FREE;
    haft_status status = tool.name.ptr == NULL ? haft__arena_fail(l->arena, NULL)
                         : haft__tools_find(&l->spec->tools, tool.name) != NULL
                             ? haft__fail(&err, HAFT_BAD_INPUT, "",
                                          "a tool has the name \"%.*s\" "
                                          "of a skill",
                                          HAFT__ARG(tool.name))
                             : haft__tools_add(&l->spec->tools, &tool, &err);
    if (status == HAFT_OK) {
        skill->tool = l->spec->tools.count - 1;
        l->skills[l->spec->skill_count++] = *skill;
        l->spec->skill_bytes += tool.name.len + description.len + strlen(SCHEMA);
    } else if (!haft__loader_failed(l, status)) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/skills"), HAFT__SUBJECT_VALUE, "%s", err.message);
        haft__loader_hint(l, problem, "rename one of the two");
    }
}

static void check_server(haft__loader *l)
{
    if (haft__json_get(haft__object_object(l->spec->mcp, "servers"), HAFT__LIT(HAFT__SKILL_SERVER))
        != NULL) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/skills"), HAFT__SUBJECT_VALUE,
                               "the spec has skills and an MCP server \"" HAFT__SKILL_SERVER
                               "\", whose tools would have names of skills");
        haft__loader_hint(l, problem, "rename the server");
    }
}

void haft__loader_add_skills(haft__loader *l)
{
    haft__json items = haft__object_array(l->source, "skills"), schema = haft__json_null();
    if (l->skill_count == 0 || l->status != HAFT_OK
        || haft__loader_failed(
            l, haft__json_read(l->arena, HAFT__LIT(SCHEMA), NULL, &schema, NULL, NULL))) {
        return;
    }
    check_server(l);
    for (size_t i = 0; i < l->skill_count && l->status == HAFT_OK; i++) {
        haft__skill skill = l->skills[i];
        add_tool(l, &skill, haft__object_string(items.items[i], "description"), items.items[i],
                 schema);
    }
    l->spec->skills = l->skills;
    for (size_t i = 0; i < l->spec->skill_count; i++) {
        check_allowed(l, &l->spec->skills[i]);
    }
}
