/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.c - where a task wants to have something looked for, and what kind of files it asks
 * for: "how many headers are in linux/netfilter" is linux/netfilter and *.h.
 *
 * The words that say so are taken: nobody looks for "file" and "mention" in "list all files that
 * mention X". Tests: tests/model/rules/scope_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

#define LONGEST      16U
#define LONGEST_WORD 128U

typedef struct token {
    haft_str text;       /* as it was written, without marks around it */
    char lower[LONGEST]; /* "" when it is longer */
} token;

typedef struct scan {
    haft__offline_scope *scope;
    token before, now, next; /* `before` is not an article */
    haft__offline_aim aim;
} scan;

/* ---- tokens ---- */

static bool is_one_of(const token *t, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(t->lower, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

#define IS(t, ...)                                                                                 \
    is_one_of((t), (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

/* The next word of the task, cut off from it; an empty one at its end. */
static token take_token(haft_str *rest)
{
    token t = {.text = HAFT__LIT("")};
    while (rest->len > 0 && t.text.len == 0) {
        size_t length = 0;
        while (length < rest->len && !is_space(rest->ptr[length])) {
            length++;
        }
        t.text = (haft_str){rest->ptr, length};
        while (t.text.len > 0 && strchr("([{<\"'`*", t.text.ptr[0]) != NULL) {
            t.text = haft__str_skip(t.text, 1);
        }
        while (t.text.len > 0 && strchr(")]}>\"'`*.,;:!?", t.text.ptr[t.text.len - 1]) != NULL) {
            t.text.len--;
        }
        *rest = haft__str_skip(*rest, length < rest->len ? length + 1 : length);
    }
    for (size_t i = 0; t.text.len < LONGEST && i < t.text.len; i++) {
        t.lower[i] = to_lower(t.text.ptr[i]);
    }
    return t;
}

static void take(scan *s)
{
    haft__offline_scope *scope = s->scope;
    if (scope->taken_count < COUNT(scope->taken)) {
        scope->taken[scope->taken_count++] = s->now.text.ptr;
    }
}

bool haft__offline_is_taken(const haft__offline_scope *scope, haft_str word)
{
    for (size_t i = 0; i < scope->taken_count; i++) {
        if (scope->taken[i] == word.ptr) {
            return true;
        }
    }
    return false;
}

/* ---- directories ---- */

/* A directory stands behind it, or a kind of things that something is in. */
static bool is_within(const token *t)
{
    return IS(t, "in", "under", "below", "beneath", "within", "inside", "from", "directory",
              "folder");
}

/* What a directory stands behind. */
static bool leads_to_place(const token *t)
{
    return is_within(t) || IS(t, "of", "list", "summarise", "summarize", "overview");
}

/* A relative path, and nothing that means something in a pattern. */
static bool is_place(haft_str text)
{
    bool good = text.len > 0 && text.len <= LONGEST_WORD && text.ptr[0] != '/';
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool up = c == '.' && i > 0 && text.ptr[i - 1] == '.';
        good = good && !up && (is_of_name(c) || strchr("/.-+", c) != NULL);
    }
    return good;
}

static void look_for_place(scan *s)
{
    haft_str text = s->now.text;
    text = haft__str_starts_with(text, HAFT__LIT("./")) ? haft__str_skip(text, 2) : text;
    bool ends = haft__str_ends_with(text, HAFT__LIT("/"));
    bool slash = text.len > 0 && memchr(text.ptr, '/', text.len) != NULL;
    bool led = leads_to_place(&s->before);
    bool article = IS(&s->now, "the", "a", "all", "this", "these", "each", "every", "my", "our");
    if (article || !is_place(text) || haft__offline_is_path(text) || (!ends && !led)) {
        return;
    }
    text.len -= ends ? 1 : 0;
    if (slash && s->scope->place.len == 0) {
        s->scope->place = text;
        take(s);
    } else if (!slash && s->scope->hint.len == 0 && !haft__offline_is_taken(s->scope, text)) {
        s->scope->hint = text;
    }
}

/* Whether a listing has a file below the directory: from the root on, or anywhere. */
static bool is_listed(const haft__offline_past *past, haft_str place)
{
    for (size_t i = 0; i < past->count; i++) {
        const haft__offline_call *call = &past->calls[i];
        bool listing = haft__str_equal(call->name, HAFT__LIT("glob")) && !call->failed;
        haft_str rest = listing ? call->result : HAFT__LIT("");
        while (rest.len > 0) {
            if (haft__offline_is_below(haft__str_split(&rest, '\n'), place)) {
                return true;
            }
        }
    }
    return false;
}

bool haft__offline_is_below(haft_str path, haft_str place)
{
    bool anywhere = haft__str_starts_with(place, HAFT__LIT("**/"));
    place = anywhere ? haft__str_skip(place, 3) : place;
    for (size_t i = 0; i + place.len < path.len; i++) {
        bool starts = i == 0 || path.ptr[i - 1] == '/';
        if (starts && path.ptr[i + place.len] == '/'
            && memcmp(path.ptr + i, place.ptr, place.len) == 0) {
            return true;
        }
        if (!anywhere) {
            return place.len == 0;
        }
    }
    return place.len == 0;
}

/* The word is a directory, and not looked for. */
static void drop_word(haft__offline_words *words, haft_str hint)
{
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        if (words->items[i].shown.ptr != hint.ptr) {
            words->items[kept++] = words->items[i];
        }
    }
    words->count = kept;
}

haft_status haft__offline_scope_settle(const haft__offline_past *past, haft__offline_words *words,
                                       haft__arena *arena, haft_error *err)
{
    haft__offline_scope *scope = &words->scope;
    if (scope->place.len == 0 && scope->hint.len > 0) {
        haft_str deep = haft__arena_format(arena, "**/%.*s", HAFT__ARG(scope->hint));
        if (deep.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        bool top = is_listed(past, scope->hint);
        scope->place = top ? scope->hint : is_listed(past, deep) ? deep : scope->place;
        if (scope->place.len > 0) {
            drop_word(words, scope->hint);
        }
    }
    haft_str ending = scope->ending.len > 0 ? scope->ending : HAFT__LIT("*");
    scope->glob = haft__arena_format(arena, "%.*s%s**/%.*s", HAFT__ARG(scope->place),
                                     scope->place.len > 0 ? "/" : "", HAFT__ARG(ending));
    return scope->glob.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* ---- kinds of files ---- */

static const struct {
    const char *word, *ending;
    bool alone; /* it needs no "files" behind it */
} kinds[] = {
    {"headers", "*.h", true},     {"header", "*.h", false},         {"c", "*.c", false},
    {"markdown", "*.md", false},  {"python", "*.py", false},        {"shell", "*.sh", false},
    {"yaml", "*.yaml", false},    {"json", "*.json", false},        {"javascript", "*.js", false},
    {"documents", "*.md", true},  {"tests", "*test*", true},        {"test", "*test*", false},
    {"readmes", "README*", true}, {"makefiles", "Makefile*", true},
};

static bool is_files(const token *t)
{
    return IS(t, "file", "files", "sources", "headers", "documents", "scripts");
}

/* .c and .yaml; the star of *.c is gone already. */
static bool is_ending(haft_str text)
{
    bool good = text.len >= 2 && text.len <= 6 && text.ptr[0] == '.';
    for (size_t i = 1; i < text.len; i++) {
        good = good && (is_lower(text.ptr[i]) || is_digit(text.ptr[i]));
    }
    return good;
}

static haft_status look_for_kind(scan *s, haft__arena *arena, haft_error *err)
{
    haft__offline_scope *scope = s->scope;
    if (scope->ending.len > 0) {
        return HAFT_OK;
    }
    if (is_ending(s->now.text)) {
        take(s);
        scope->ending = haft__arena_format(arena, "*%.*s", HAFT__ARG(s->now.text));
        return scope->ending.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    bool source = IS(&s->next, "source");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        /* "the files in tests" are in a directory */
        bool meant = (kinds[i].alone && !is_within(&s->before)) || is_files(&s->next) || source;
        if (meant && strcmp(s->now.lower, kinds[i].word) == 0) {
            bool headers = strcmp(kinds[i].word, "c") == 0 && IS(&s->next, "headers", "header");
            scope->ending = headers ? HAFT__LIT("*.h") : haft__str(kinds[i].ending);
            scope->tests = kinds[i].ending[1] == 't';
            take(s);
            return HAFT_OK;
        }
    }
    return HAFT_OK;
}

bool haft__offline_is_of_kind(haft_str path, const haft__offline_scope *scope)
{
    haft_str ending = scope->ending, name = path;
    for (size_t i = path.len; i > 0 && name.len == path.len; i--) {
        name = path.ptr[i - 1] == '/' ? haft__str_skip(path, i) : name;
    }
    if (ending.len == 0) {
        return true;
    }
    bool starts = ending.ptr[0] != '*', ends = ending.ptr[ending.len - 1] != '*';
    haft_str part = {ending.ptr + (starts ? 0 : 1), ending.len - 1U - (starts || ends ? 0 : 1)};
    for (size_t i = 0; i + part.len <= name.len; i++) {
        bool fits = (!starts || i == 0) && (!ends || i + part.len == name.len);
        if (fits && memcmp(name.ptr + i, part.ptr, part.len) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- what is asked for ---- */

static bool is_verb(const token *t)
{
    return IS(t, "mention", "mentions", "mentioning", "contain", "contains", "containing",
              "include", "includes", "including", "reference", "references", "match", "matching");
}

static void look_for_words(scan *s)
{
    haft__offline_scope *scope = s->scope;
    const token *t = &s->now;
    if (IS(t, "file", "files", "sources", "headers", "header", "documents")) {
        scope->files = true;
        take(s);
    } else if (is_verb(t)) {
        scope->holds = true;
        scope->includes = scope->includes || haft__str_starts_with(t->text, HAFT__LIT("includ"));
        take(s);
    } else if (IS(t, "total", "altogether", "repository", "repo", "tree", "project", "directory",
                  "folder", "exist", "exists", "source", "number", "line", "lines", "have")) {
        scope->lines = scope->lines || IS(t, "line", "lines");
        scope->source = scope->source || IS(t, "source");
        take(s);
    }
    scope->other = scope->other
                   || IS(t, "function", "functions", "macro", "macros", "struct", "structs",
                         "class", "classes", "declare", "declares", "define", "defines");
}

static bool asks_for_files(const token *t)
{
    return IS(t, "files", "headers", "documents", "tests", "makefiles", "readmes", "scripts");
}

/* How many, and which files have something: found before anything else, because it decides which
 * words are taken. */
static haft__offline_aim look_for_aim(haft_str task, haft__offline_aim aim,
                                      haft__offline_scope *scope)
{
    bool which = false, holds = false, files = false;
    token before = {.text = HAFT__LIT("")};
    while (task.len > 0) {
        token now = take_token(&task);
        scope->how_many = scope->how_many || (IS(&before, "how") && IS(&now, "many"));
        files = files || asks_for_files(&now);
        which = which || (IS(&before, "which", "what") && asks_for_files(&now));
        holds = holds || is_verb(&now);
        before = now;
    }
    if (which && holds) {
        return HAFT__OFFLINE_AIM_LIST;
    }
    return scope->how_many && files && aim == HAFT__OFFLINE_AIM_VALUE ? HAFT__OFFLINE_AIM_COUNT
                                                                      : aim;
}

bool haft__offline_counts(haft__offline_aim aim)
{
    return aim == HAFT__OFFLINE_AIM_COUNT || aim == HAFT__OFFLINE_AIM_LIST;
}

haft_status haft__offline_scope_read(haft_str task, haft__offline_aim *aim, haft__arena *arena,
                                     haft__offline_scope *ret_scope, haft_error *err)
{
    *ret_scope = (haft__offline_scope){.place = HAFT__LIT("")};
    *aim = look_for_aim(task, *aim, ret_scope);
    scan s = {.scope = ret_scope, .aim = *aim};
    bool counts = haft__offline_counts(*aim), sums = *aim == HAFT__OFFLINE_AIM_SUMMARY;
    haft_status status = HAFT_OK;
    s.next = take_token(&task);
    while (s.next.text.len > 0 && status == HAFT_OK) {
        s.now = s.next;
        s.next = take_token(&task);
        if (counts) {
            status = look_for_kind(&s, arena, err);
            look_for_words(&s);
        }
        look_for_place(&s);
        s.before = IS(&s.now, "the", "directory", "folder", "a") ? s.before : s.now;
    }
    ret_scope->hint = counts || sums ? ret_scope->hint : HAFT__LIT("");
    return status;
}

bool haft__offline_counts_files(const haft__offline_words *words)
{
    const haft__offline_scope *scope = &words->scope;
    bool files = scope->files || scope->ending.len > 0;
    bool unclear =
        scope->holds || scope->other || scope->lines || (scope->source && scope->ending.len == 0);
    bool all = haft__offline_counts(words->aim) && words->count == 0 && words->path_count == 0;
    /* "List src/cli" */
    bool place = words->aim == HAFT__OFFLINE_AIM_LIST && scope->place.len > 0;
    return all && (files || place) && !unclear;
}

haft_str haft__offline_counted_files(const haft__offline_words *words)
{
    return haft__offline_counts_files(words) ? words->scope.glob : HAFT__LIT("");
}

bool haft__offline_wants_files(const haft__offline_words *words)
{
    const haft__offline_scope *scope = &words->scope;
    return haft__offline_counts(words->aim) && (scope->files || scope->ending.len > 0)
           && words->count > 0 && !words->only_cues && !scope->other && !scope->lines;
}
