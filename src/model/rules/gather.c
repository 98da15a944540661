/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.c - finding something in files: list what there is, search for the words of the
 * task, read around the best of what was found.
 *
 * Each step is made from what is known now, so the plan goes on from wherever it was interrupted.
 * Tests: tests/model/rules/gather_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* Lines with several words that are enough to go on with. */
#define ENOUGH_LINES 6U
/* The best so many files are read. */
#define BEST_FILES   3U
#define SEARCH_LINES 400

static haft__json number_value(haft__offline *o, int64_t number)
{
    haft__json value = haft__json_int(o->arena, number);
    if (value.kind == HAFT__JSON_NULL) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    return value;
}

static haft_str keep(haft__offline *o, haft_str made)
{
    if (made.ptr == NULL) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    return made.ptr != NULL ? made : HAFT__LIT("");
}

/* The key, if the tool knows an argument of that name. */
static const char *known(const haft__offline *o, size_t tool, const char *key)
{
    const haft__json *properties =
        haft__json_get(o->request->tools[tool]->input_schema, HAFT__LIT("properties"));
    return haft__json_get(*properties, haft__str(key)) != NULL ? key : NULL;
}

/* ---- listing ---- */

static bool list(haft__offline *o, size_t tool, haft_str pattern, haft__offline_zeal zeal)
{
    haft__offline_pair pairs[] = {{"pattern", haft__json_string(pattern)}};
    o->says = "Listing files, to see what there is.";
    return haft__offline_propose(o, tool, haft__offline_object(o, pairs, COUNT(pairs)), zeal);
}

static bool is_known_file(const haft__offline *o, haft_str hint)
{
    for (size_t i = 0; i < o->found.file_count; i++) {
        if (haft__str_ends_with(o->found.files[i].path, hint)) {
            return true;
        }
    }
    return false;
}

static haft_str below(haft__offline *o, haft_str place)
{
    return keep(o, haft__arena_format(o->arena, "%.*s/**/*", HAFT__ARG(place)));
}

/* All files first; then those the task names and the list does not have. */
static bool gather_list(haft__offline *o, size_t tool)
{
    haft_str counted = haft__offline_counted_files(&o->words);
    if (counted.len > 0 && list(o, tool, counted, HAFT__OFFLINE_WILLING)) {
        return true;
    }
    if (o->words.scope.place.len > 0 && counted.len == 0
        && list(o, tool, below(o, o->words.scope.place), HAFT__OFFLINE_WILLING)) {
        return true;
    }
    if (o->tallies[tool].good == 0) {
        return list(o, tool, HAFT__LIT("**/*"), HAFT__OFFLINE_WILLING)
               || list(o, tool, HAFT__LIT("*"), HAFT__OFFLINE_WILLING);
    }
    haft_str maybe = o->words.scope.place.len == 0 ? o->words.scope.hint : HAFT__LIT("");
    bool any = maybe.len > 0 && list(o, tool, below(o, maybe), HAFT__OFFLINE_WILLING);
    for (size_t i = 0; i < o->words.path_count; i++) {
        haft_str hint = o->words.paths[i];
        if (memchr(hint.ptr, '/', hint.len) == NULL && !is_known_file(o, hint)) {
            haft_str pattern = keep(o, haft__arena_format(o->arena, "**/%.*s", HAFT__ARG(hint)));
            any = list(o, tool, pattern, HAFT__OFFLINE_WILLING) || any;
        }
    }
    return any;
}

/* Letters, digits and what stands in names: nothing that means something in a pattern. */
static bool is_plain(haft_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (strchr("*?[]{}!/\\ ", word.ptr[i]) != NULL) {
            return false;
        }
    }
    return word.len > 0;
}

/* The n-th pattern of a series that does not end. */
static haft_str pattern_at(haft__offline *o, size_t n)
{
    const haft__offline_words *words = &o->words;
    if (n == 0) {
        return HAFT__LIT("**/*");
    }
    n--;
    if (n < words->count) {
        haft_str word = words->items[n].text;
        return is_plain(word) ? keep(o, haft__arena_format(o->arena, "**/*%.*s*", HAFT__ARG(word)))
                              : HAFT__LIT("**/*");
    }
    n -= words->count;
    if (n < o->found.kind_count) {
        haft_str ending = o->found.kinds[n].ending;
        return keep(o, haft__arena_format(o->arena, "**/*.%.*s", HAFT__ARG(ending)));
    }
    n -= o->found.kind_count;
    char *deep = haft__arena_alloc(o->arena, 2 * n + 1);
    for (size_t i = 0; deep != NULL && i < 2 * n + 1; i++) {
        deep[i] = i % 2 == 0 ? '*' : '/';
    }
    return keep(o, (haft_str){deep, 2 * n + 1});
}

static bool list_more(haft__offline *o, size_t tool)
{
    size_t most = o->past.count + o->words.count + o->found.kind_count + 2;
    for (size_t n = 0; n < most && o->status == HAFT_OK; n++) {
        if (list(o, tool, pattern_at(o, n), HAFT__OFFLINE_FORCED)) {
            return true;
        }
    }
    return false;
}

/* ---- searching ---- */

/* The pattern of the files that are searched, where the task says which. */
static haft_str narrow(haft__offline *o, haft_str glob)
{
    const haft__offline_scope *scope = &o->words.scope;
    if (scope->ending.len > 0 || (scope->place.len > 0 && glob.len == 0)) {
        return scope->glob;
    }
    bool deep = haft__str_starts_with(glob, HAFT__LIT("**/"));
    return scope->place.len == 0
               ? glob
               : keep(o, haft__arena_format(o->arena, "%.*s/%s%.*s", HAFT__ARG(scope->place),
                                            deep ? "" : "**/", HAFT__ARG(glob)));
}

static bool search(haft__offline *o, size_t tool, haft__offline_search wanted, int64_t limit,
                   haft__offline_zeal zeal)
{
    wanted.glob = narrow(o, wanted.glob);
    haft__offline_pair pairs[] = {
        {"pattern", haft__json_string(wanted.pattern)},
        {wanted.glob.len > 0 ? known(o, tool, "glob") : NULL, haft__json_string(wanted.glob)},
        {known(o, tool, "limit"), number_value(o, limit)},
    };
    o->says = "Searching for lines with words of the task.";
    return haft__offline_propose(o, tool, haft__offline_object(o, pairs, COUNT(pairs)), zeal);
}

/* One round after the other, until one has something that is new. */
static bool search_rounds(haft__offline *o, size_t tool, haft__offline_zeal zeal)
{
    haft_str docs = HAFT__LIT(""), code = HAFT__LIT("");
    bool last = false, any = false;
    haft_status status =
        haft__offline_kind_glob(&o->found, HAFT__OFFLINE_DOCS, o->arena, &docs, o->err);
    if (status == HAFT_OK) {
        status = haft__offline_kind_glob(&o->found, HAFT__OFFLINE_CODE, o->arena, &code, o->err);
    }
    for (size_t round = 0; haft__offline_ok(o, status) && !last && !any; round++) {
        haft__offline_search searches[2];
        size_t count = 0;
        status = haft__offline_round(&o->words, docs, code, round, o->arena, searches, &count,
                                     &last, o->err);
        for (size_t i = 0; haft__offline_ok(o, status) && i < count; i++) {
            size_t made = o->tallies[tool].made + o->call_count;
            bool room = zeal != HAFT__OFFLINE_WILLING || made < HAFT__LIMIT_OFFLINE_SEARCHES;
            any = (room && search(o, tool, searches[i], SEARCH_LINES, zeal)) || any;
        }
    }
    return any;
}

static bool has_name(const haft__offline_words *words)
{
    return words->count > 0 && haft__offline_is_name(&words->items[0]);
}

/* Whether all searches had room for more than the first of many lines; a second one is enough. */
static bool is_whole(const haft__offline *o)
{
    size_t searches = 0;
    bool cut = false;
    for (size_t i = 0; i < o->past.count; i++) {
        const haft__offline_call *call = &o->past.calls[i];
        if (haft__str_equal(call->name, HAFT__LIT("grep")) && call->answered && !call->failed) {
            searches++;
            cut = cut || haft__offline_is_partial(call);
        }
    }
    return searches >= 2 || !cut;
}

/* Where a name is asked for, the line that defines or calls it; or else some lines that have most
 * of the words, in some files. */
static bool has_enough(const haft__offline *o)
{
    const haft__offline_found *found = &o->found;
    bool enough = found->strong >= ENOUGH_LINES && found->strong_files >= BEST_FILES;
    if (!has_name(&o->words)) {
        return enough;
    }
    switch (o->words.aim) {
    case HAFT__OFFLINE_AIM_DEFINED:
    case HAFT__OFFLINE_AIM_DECLARED:
    case HAFT__OFFLINE_AIM_SIGNATURE:
    case HAFT__OFFLINE_AIM_MEANING:
    case HAFT__OFFLINE_AIM_VALUE: return found->defined > 0 && is_whole(o);
    case HAFT__OFFLINE_AIM_CALLED: return found->called > 0 && is_whole(o);
    case HAFT__OFFLINE_AIM_PLACE:
    case HAFT__OFFLINE_AIM_DOCUMENTED:
    case HAFT__OFFLINE_AIM_REASON:
    case HAFT__OFFLINE_AIM_COUNT:
    case HAFT__OFFLINE_AIM_LIST:
    case HAFT__OFFLINE_AIM_COMPARE:
    case HAFT__OFFLINE_AIM_SUMMARY: return enough && is_whole(o);
    }
    HAFT__UNREACHABLE();
}

static bool gather_search(haft__offline *o, size_t tool)
{
    return !has_enough(o) && search_rounds(o, tool, HAFT__OFFLINE_WILLING);
}

/* When the words are used up: lines that begin like headings, more of them each time. */
static bool search_more(haft__offline *o, size_t tool)
{
    if (search_rounds(o, tool, HAFT__OFFLINE_FORCED)) {
        return true;
    }
    haft_str word = o->words.count > 0 ? o->words.items[0].text : HAFT__LIT("");
    haft__offline_search any = {is_plain(word) ? word : HAFT__LIT("^#"), HAFT__LIT("")};
    for (size_t n = 0; n <= o->past.count && o->status == HAFT_OK; n++) {
        if (search(o, tool, any, SEARCH_LINES + 1 + (int64_t)n, HAFT__OFFLINE_FORCED)) {
            return true;
        }
    }
    return false;
}

/* ---- reading ---- */

/* Whether a file that the task names is read from its first line on, and not around something. */
static bool wants_whole(const haft__offline_words *words)
{
    bool about_all =
        words->aim == HAFT__OFFLINE_AIM_SUMMARY || words->aim == HAFT__OFFLINE_AIM_COMPARE
        || words->aim == HAFT__OFFLINE_AIM_COUNT || words->aim == HAFT__OFFLINE_AIM_LIST;
    return about_all && (words->path_count > 0 || words->count == 0);
}

static bool read_at(haft__offline *o, size_t tool, haft_str path, uint32_t line,
                    haft__offline_zeal zeal)
{
    bool whole = line == 1 && wants_whole(&o->words);
    uint32_t lines = whole ? HAFT__LIMIT_OFFLINE_WHOLE_LINES : HAFT__OFFLINE_READ_LINES;
    haft__offline_pair pairs[] = {
        {"path", haft__json_string(path)},
        {known(o, tool, "offset"), number_value(o, line)},
        {known(o, tool, "limit"), number_value(o, lines)},
    };
    o->says = "Reading around the best of what was found.";
    return haft__offline_propose(o, tool, haft__offline_object(o, pairs, COUNT(pairs)), zeal);
}

/* Files that the task names and nothing has listed. */
static bool read_hints(haft__offline *o, size_t tool)
{
    bool any = false;
    for (size_t i = 0; i < o->words.path_count; i++) {
        if (!is_known_file(o, o->words.paths[i])) {
            any = read_at(o, tool, o->words.paths[i], 1, HAFT__OFFLINE_WILLING) || any;
        }
    }
    return any;
}

/* The first file that introduces the others; "README.md" is a guess where nothing is known. */
static haft_str introduction(const haft__offline *o)
{
    haft_str first = HAFT__LIT("README.md");
    bool any = false;
    for (size_t i = 0; i < o->found.file_count; i++) {
        haft_str path = o->found.files[i].path;
        if (haft__str_starts_with(path, HAFT__LIT("README"))) {
            return path;
        }
        if (!any && haft__offline_class_of(path) == HAFT__OFFLINE_DOCS) {
            first = path;
            any = true;
        }
    }
    return any || o->found.file_count == 0 ? first : o->found.files[0].path;
}

static bool gather_read(haft__offline *o, size_t tool)
{
    const haft__offline_tally *tally = &o->tallies[tool];
    bool any = tally->made == 0 && read_hints(o, tool);
    size_t wanted = 0;
    for (size_t i = 0; i < o->found.file_count && wanted < BEST_FILES; i++) {
        size_t rank = o->found.ranked[i];
        const haft__offline_file *file = &o->found.files[rank];
        bool room = tally->made + o->call_count < HAFT__LIMIT_OFFLINE_READS;
        bool promising = file->score > 0 && (file->hits > 0 || o->found.hits == 0);
        wanted += file->unread ? 0 : 1; /* the next one in its place */
        if (room && promising && file->read_from == 0 && !file->unread) {
            bool whole = wants_whole(&o->words);
            uint32_t line = whole ? 1 : haft__offline_best_start(&o->found, rank);
            any = read_at(o, tool, file->path, line, HAFT__OFFLINE_WILLING) || any;
        }
    }
    if (!any && tally->made == 0) {
        any = read_at(o, tool, introduction(o), 1, HAFT__OFFLINE_WILLING);
    }
    return any;
}

/* Every file that is known, then one of them on and on. */
static bool read_more(haft__offline *o, size_t tool)
{
    for (size_t i = 0; i < o->found.file_count && o->status == HAFT_OK; i++) {
        size_t rank = o->found.ranked[i];
        const haft__offline_file *file = &o->found.files[rank];
        if (!file->unread
            && read_at(o, tool, file->path, haft__offline_best_start(&o->found, rank),
                       HAFT__OFFLINE_FORCED)) {
            return true;
        }
    }
    haft_str path = o->words.path_count > 0 ? o->words.paths[0] : introduction(o);
    for (size_t n = 0; n <= o->past.count && o->status == HAFT_OK; n++) {
        uint32_t line = 1 + (uint32_t)n * HAFT__OFFLINE_READ_LINES;
        if (read_at(o, tool, path, line, HAFT__OFFLINE_FORCED)) {
            return true;
        }
    }
    return false;
}

/* ---- all of it ---- */

static const struct {
    haft__offline_tool known;
    bool (*gather)(haft__offline *o, size_t tool);
    bool (*more)(haft__offline *o, size_t tool);
} steps[] = {
    {HAFT__OFFLINE_GLOB, gather_list, list_more},
    {HAFT__OFFLINE_GREP, gather_search, search_more},
    {HAFT__OFFLINE_READ, gather_read, read_more},
};

bool haft__offline_gather(haft__offline *o, bool only_new)
{
    for (size_t i = 0; i < COUNT(steps) && o->status == HAFT_OK; i++) {
        size_t tool = o->known[steps[i].known];
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
        if (o->known[steps[i].known] == tool) {
            return steps[i].gather(o, tool) || steps[i].more(o, tool);
        }
    }
    return false;
}
