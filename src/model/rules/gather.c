/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.c - the plan for files: list them, search for the words of the task, read around the best
 * matches.
 *
 * Each step depends on the findings only, so the plan continues after an interruption.
 * Tests: tests/model/rules/gather_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* Strong matches, and files with some, that are enough to stop searching. */
#define ENOUGH_LINES 6U
#define BEST_FILES   3U
#define SEARCH_LINES 400

/* Returns the key if the tool has an argument of that name; NULL otherwise. */
static const char *known_key(const haft__offline *o, size_t tool, const char *key)
{
    const haft__json *properties =
        haft__json_get(o->request->tools[tool]->input_schema, HAFT__LIT("properties"));
    return haft__json_get(*properties, haft__str(key)) != NULL ? key : NULL;
}

/* ---- listing ---- */

static bool list(haft__offline *o, size_t tool, haft_str pattern, haft__offline_need need)
{
    haft__offline_member members[] = {{"pattern", haft__json_string(pattern)}};
    o->text = "Listing the files.";
    return haft__offline_propose(o, tool, haft__offline_object(o, members, COUNT(members)), need);
}

static bool is_found(const haft__offline *o, haft_str path)
{
    for (size_t i = 0; i < o->findings.file_count; i++) {
        if (haft__str_ends_with(o->findings.files[i].path, path)) {
            return true;
        }
    }
    return false;
}

/* Lists all files, then those that the task names and the listing lacks. */
static bool gather_list(haft__offline *o, size_t tool)
{
    if (o->tallies[tool].succeeded == 0) {
        return list(o, tool, HAFT__LIT("**/*"), HAFT__OFFLINE_OPTIONAL)
               || list(o, tool, HAFT__LIT("*"), HAFT__OFFLINE_OPTIONAL);
    }
    bool any = false;
    for (size_t i = 0; i < o->words.path_count; i++) {
        haft_str path = o->words.paths[i];
        if (memchr(path.ptr, '/', path.len) == NULL && !is_found(o, path)) {
            haft_str pattern = haft__arena_format(o->arena, "**/%.*s", HAFT__ARG(path));
            any =
                list(o, tool, haft__offline_check_text(o, pattern), HAFT__OFFLINE_OPTIONAL) || any;
        }
    }
    return any;
}

/* A forced listing: all files, then the files of each depth, which never ends. */
static bool list_more(haft__offline *o, size_t tool)
{
    bool any = list(o, tool, HAFT__LIT("**/*"), HAFT__OFFLINE_FORCED);
    for (size_t n = 0; !any && n <= o->history.count && o->status == HAFT_OK; n++) {
        char *deep = haft__arena_alloc(o->arena, 2 * n + 1);
        for (size_t i = 0; deep != NULL && i < 2 * n + 1; i++) {
            deep[i] = i % 2 == 0 ? '*' : '/';
        }
        haft_str pattern = haft__offline_check_text(o, (haft_str){deep, 2 * n + 1});
        any = list(o, tool, pattern, HAFT__OFFLINE_FORCED);
    }
    return any;
}

/* ---- searching ---- */

static bool search(haft__offline *o, size_t tool, haft__offline_search wanted, int64_t limit,
                   haft__offline_need need)
{
    haft__offline_member members[] = {
        {"pattern", haft__json_string(wanted.pattern)},
        {wanted.glob.len > 0 ? known_key(o, tool, "glob") : NULL, haft__json_string(wanted.glob)},
        {known_key(o, tool, "limit"), haft__offline_number(o, limit)},
    };
    o->text = "Searching for lines with words of the task.";
    return haft__offline_propose(o, tool, haft__offline_object(o, members, COUNT(members)), need);
}

/* Proposes the first round that is new. */
static bool search_rounds(haft__offline *o, size_t tool, haft__offline_need need)
{
    bool last = false, any = false;
    bool room =
        need != HAFT__OFFLINE_OPTIONAL || o->tallies[tool].made < HAFT__LIMIT_OFFLINE_SEARCHES;
    for (size_t round = 0; room && o->status == HAFT_OK && !last && !any; round++) {
        haft__offline_search wanted;
        haft_status status =
            haft__offline_round(&o->words, round, o->arena, &wanted, &last, o->err);
        any = haft__offline_ok(o, status) && wanted.pattern.len > 0
              && search(o, tool, wanted, SEARCH_LINES, need);
    }
    return any;
}

/* Whether no search was truncated, or there were two. */
static bool is_complete(const haft__offline *o)
{
    size_t searches = 0;
    bool cut = false;
    for (size_t i = 0; i < o->history.count; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        if (haft__offline_is_call_of(call, "grep") && call->answered && !call->failed) {
            searches++;
            cut = cut || haft__offline_is_partial(call);
        }
    }
    return searches >= 2 || !cut;
}

/* If the task has a name: its definition or a call of it, as asked for. Otherwise enough strong
 * matches. */
static bool has_enough(const haft__offline *o)
{
    const haft__offline_findings *findings = &o->findings;
    bool enough = findings->strong >= ENOUGH_LINES && findings->strong_files >= BEST_FILES;
    if (o->words.count == 0 || !haft__offline_is_name(&o->words.items[0])) {
        return enough;
    }
    haft__offline_question question = o->words.question;
    if (question == HAFT__OFFLINE_QUESTION_CALLERS) {
        enough = findings->called > 0;
    } else if (question == HAFT__OFFLINE_QUESTION_DEFINITION
               || question == HAFT__OFFLINE_QUESTION_DECLARATION
               || question == HAFT__OFFLINE_QUESTION_MEANING
               || question == HAFT__OFFLINE_QUESTION_VALUE) {
        enough = findings->defined > 0;
    }
    return enough && is_complete(o);
}

static bool gather_search(haft__offline *o, size_t tool)
{
    return !has_enough(o) && search_rounds(o, tool, HAFT__OFFLINE_OPTIONAL);
}

/* A forced search: the remaining rounds, then headings with ever higher limits. */
static bool search_more(haft__offline *o, size_t tool)
{
    bool any = search_rounds(o, tool, HAFT__OFFLINE_FORCED);
    haft__offline_search headings = {HAFT__LIT("^#"), HAFT__LIT("")};
    for (size_t n = 0; !any && n <= o->history.count && o->status == HAFT_OK; n++) {
        any = search(o, tool, headings, SEARCH_LINES + (int64_t)n, HAFT__OFFLINE_FORCED);
    }
    return any;
}

/* ---- reading ---- */

static bool read_at(haft__offline *o, size_t tool, haft_str path, uint32_t line,
                    haft__offline_need need)
{
    haft__offline_member members[] = {
        {"path", haft__json_string(path)},
        {known_key(o, tool, "offset"), haft__offline_number(o, line)},
        {known_key(o, tool, "limit"), haft__offline_number(o, HAFT__OFFLINE_READ_LINES)},
    };
    o->text = "Reading around the best matches.";
    return haft__offline_propose(o, tool, haft__offline_object(o, members, COUNT(members)), need);
}

/* The file to read if nothing matched: a README, a document, or the first file. */
static haft_str introduction(const haft__offline *o)
{
    haft_str first = HAFT__LIT("");
    for (size_t i = 0; i < o->findings.file_count; i++) {
        haft_str path = o->findings.files[i].path;
        if (haft__str_starts_with(path, HAFT__LIT("README"))) {
            return path;
        }
        first = first.len == 0 && haft__offline_is_document(path) ? path : first;
    }
    if (first.len > 0) {
        return first;
    }
    return o->findings.file_count > 0 ? o->findings.files[0].path : HAFT__LIT("README.md");
}

/* Reads the best files, and those that the task names. */
static bool gather_read(haft__offline *o, size_t tool)
{
    const haft__offline_findings *findings = &o->findings;
    uint32_t made = o->tallies[tool].made;
    bool any = false;
    for (size_t i = 0; made == 0 && i < o->words.path_count; i++) {
        if (!is_found(o, o->words.paths[i])) {
            any = read_at(o, tool, o->words.paths[i], 1, HAFT__OFFLINE_OPTIONAL) || any;
        }
    }
    for (size_t i = 0, wanted = 0; i < findings->file_count && wanted < BEST_FILES; i++) {
        const haft__offline_file *file = &findings->files[findings->ranked[i]];
        bool promising = file->score > 0 && (file->matches > 0 || findings->matches == 0);
        wanted += file->unread ? 0 : 1;
        if (made + o->call_count < HAFT__LIMIT_OFFLINE_READS && promising && file->read_from == 0
            && !file->unread) {
            uint32_t line = haft__offline_best_start(findings, findings->ranked[i]);
            any = read_at(o, tool, file->path, line, HAFT__OFFLINE_OPTIONAL) || any;
        }
    }
    return any || (made == 0 && read_at(o, tool, introduction(o), 1, HAFT__OFFLINE_OPTIONAL));
}

/* A forced read: each known file, then further and further in one of them. */
static bool read_more(haft__offline *o, size_t tool)
{
    bool any = false;
    for (size_t i = 0; !any && i < o->findings.file_count && o->status == HAFT_OK; i++) {
        size_t file = o->findings.ranked[i];
        uint32_t line = haft__offline_best_start(&o->findings, file);
        any = !o->findings.files[file].unread
              && read_at(o, tool, o->findings.files[file].path, line, HAFT__OFFLINE_FORCED);
    }
    haft_str path = o->words.path_count > 0 ? o->words.paths[0] : introduction(o);
    for (size_t n = 0; !any && n <= o->history.count && o->status == HAFT_OK; n++) {
        uint32_t line = 1 + (uint32_t)n * HAFT__OFFLINE_READ_LINES;
        any = read_at(o, tool, path, line, HAFT__OFFLINE_FORCED);
    }
    return any;
}

/* ---- the steps ---- */

static const struct {
    haft__offline_builtin builtin;
    bool (*gather)(haft__offline *o, size_t tool); /* if the plan wants it */
    bool (*more)(haft__offline *o, size_t tool);   /* if a call is forced */
} steps[] = {
    {HAFT__OFFLINE_GLOB, gather_list, list_more},
    {HAFT__OFFLINE_GREP, gather_search, search_more},
    {HAFT__OFFLINE_READ, gather_read, read_more},
};

bool haft__offline_gather(haft__offline *o, bool only_new)
{
    for (size_t i = 0; i < COUNT(steps) && o->status == HAFT_OK; i++) {
        size_t tool = o->builtins[steps[i].builtin];
        bool wanted = tool != HAFT__OFFLINE_NONE && (!only_new || o->tallies[tool].made == 0);
        if (wanted && steps[i].gather(o, tool)) {
            return true;
        }
    }
    return false;
}

bool haft__offline_gather_with(haft__offline *o, size_t tool)
{
    for (size_t i = 0; i < COUNT(steps); i++) {
        if (o->builtins[steps[i].builtin] == tool) {
            return steps[i].gather(o, tool) || steps[i].more(o, tool);
        }
    }
    return false;
}
