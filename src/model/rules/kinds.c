/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.c - what kinds of files there are, to judge by the endings of their names.
 *
 * Tests: tests/model/rules/rank_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/rank.h"

/* So many endings are searched at once. */
#define GLOB_ENDINGS 8U

bool haft__offline_is_among(haft_str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(word, haft__str(words[i]))) {
            return true;
        }
    }
    return false;
}

static haft_str name_of(haft_str path)
{
    for (size_t i = path.len; i > 0; i--) {
        if (path.ptr[i - 1] == '/') {
            return haft__str_skip(path, i);
        }
    }
    return path;
}

/* Behind the last dot of the name, if it is short and not the first character. */
static haft_str ending_of(haft_str path)
{
    haft_str name = name_of(path);
    for (size_t i = name.len; i > 1; i--) {
        if (name.ptr[i - 1] == '.') {
            haft_str ending = haft__str_skip(name, i);
            return ending.len <= 8 ? ending : HAFT__LIT("");
        }
    }
    return HAFT__LIT("");
}

static const char *const docs[] = {"md", "rst", "txt", "adoc", "org", "html", "tex"};
static const char *const code[] = {
    "c",   "h",   "cc",   "cpp", "hpp", "cxx", "rs", "go",    "py",    "js", "mjs", "ts",
    "tsx", "jsx", "java", "kt",  "rb",  "php", "cs", "swift", "scala", "sh", "pl",  "lua",
    "zig", "hs",  "ml",   "ex",  "erl", "sql", "el", "jl",    "r",     "m",  "vue", "dart",
};

static haft__offline_class class_of_ending(haft_str ending)
{
    if (haft__offline_is_among(ending, docs, COUNT(docs))) {
        return HAFT__OFFLINE_DOCS;
    }
    return haft__offline_is_among(ending, code, COUNT(code)) ? HAFT__OFFLINE_CODE
                                                             : HAFT__OFFLINE_OTHER;
}

/* Files without an ending that people read. */
static const char *const papers[] = {"README",    "FAQ",       "NEWS",    "LICENSE",
                                     "COPYING",   "THANKS",    "INSTALL", "AUTHORS",
                                     "ChangeLog", "changelog", "HISTORY", "copyright"};

haft__offline_class haft__offline_class_of(haft_str path)
{
    bool paper = haft__offline_is_among(name_of(path), papers, COUNT(papers));
    return paper ? HAFT__OFFLINE_DOCS : class_of_ending(ending_of(path));
}

static int compare_endings(const void *a, const void *b)
{
    const haft__offline_kind *x = a, *y = b;
    int order = haft__str_compare(x->ending, y->ending);
    return order != 0 ? order : haft__str_compare(x->example, y->example);
}

static int compare_kinds(const void *a, const void *b)
{
    const haft__offline_kind *x = a, *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return haft__str_compare(x->ending, y->ending);
}

haft_status haft__offline_count_kinds(haft__offline_found *found, haft__arena *arena,
                                      haft_error *err)
{
    haft__offline_kind *kinds = haft__arena_array(arena, found->file_count, sizeof(*kinds));
    if (kinds == NULL) {
        return haft__arena_fail(arena, err);
    }
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < found->file_count; i++) {
        haft_str path = found->files[i].path;
        if (found->files[i].listed) {
            kinds[count++] = (haft__offline_kind){ending_of(path), path, 1};
        }
    }
    qsort(kinds, count, sizeof(*kinds), compare_endings);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && haft__str_equal(kinds[kept - 1].ending, kinds[i].ending)) {
            kinds[kept - 1].count++;
        } else {
            kinds[kept++] = kinds[i];
        }
    }
    qsort(kinds, kept, sizeof(*kinds), compare_kinds);
    found->kinds = kinds;
    found->kind_count = kept;
    return HAFT_OK;
}

/* The next kind of that class from `at` on; kind_count when there is none. */
static size_t next_kind(const haft__offline_found *found, haft__offline_class wanted, size_t at)
{
    while (at < found->kind_count && class_of_ending(found->kinds[at].ending) != wanted) {
        at++;
    }
    return at;
}

/* "*.c", or "*.{c,h}" where there are several. */
static void add_glob(haft__buf *buf, const haft__offline_found *found, haft__offline_class wanted)
{
    size_t at = next_kind(found, wanted, 0), shown = 0;
    bool several = next_kind(found, wanted, at + 1) < found->kind_count;
    for (; at < found->kind_count && shown < GLOB_ENDINGS;
         at = next_kind(found, wanted, at + 1), shown++) {
        haft__buf_addf(buf, "%s%.*s",
                       shown > 0 ? ","
                       : several ? "*.{"
                                 : "*.",
                       HAFT__ARG(found->kinds[at].ending));
    }
    haft__buf_add_str(buf, shown > 0 && several ? HAFT__LIT("}") : HAFT__LIT(""));
}

haft_status haft__offline_kind_glob(const haft__offline_found *found, haft__offline_class wanted,
                                    haft__arena *arena, haft_str *ret_glob, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_FILES_GLOB_BYTES);
    add_glob(&text, found, wanted);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_glob = haft__arena_copy(arena, haft__buf_str(&text));
        status = ret_glob->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}
