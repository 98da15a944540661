/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - the words that start libexec/haft/sandbox. Tests: tests/exec/sandbox/words_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "exec/sandbox/sandbox.h"

#define MIB UINT64_C(1048576)

const char *haft__sandbox_profile_name(haft__sandbox_profile profile)
{
    switch (profile) {
    case HAFT__SANDBOX_LANDLOCK: return "landlock";
    case HAFT__SANDBOX_NAMESPACES: return "namespaces";
    }
    HAFT__UNREACHABLE();
}

void haft__sandbox_limits_init(haft__sandbox_limits *limits)
{
    *limits = (haft__sandbox_limits){.memory_mib = HAFT__LIMIT_SANDBOX_MEMORY_MIB,
                                     .cpu_seconds = HAFT__LIMIT_SANDBOX_CPU_S};
}

/* The words while they are collected. */
typedef struct words {
    haft__arena *arena;
    const char **items;
    size_t count;
    bool failed; /* out of memory */
} words;

static void add(words *w, const char *word)
{
    w->items[w->count++] = word;
}

static void add_number(words *w, const char *option, uint64_t value)
{
    haft_str text = haft__arena_format(w->arena, "%llu", (unsigned long long)value);
    w->failed = w->failed || text.ptr == NULL;
    add(w, option);
    add(w, text.ptr);
}

static void add_path(words *w, const char *option, const char *path)
{
    if (path != NULL) {
        add(w, option);
        add(w, path);
    }
}

static void add_limits(words *w, const haft__sandbox *sandbox, const haft__sandbox_limits *limits)
{
    const struct {
        const char *option;
        uint64_t value;
    } rows[] = {{"--memory", limits->memory_mib * MIB},
                {"--cpu", limits->cpu_seconds},
                {"--file", HAFT__LIMIT_SANDBOX_SCRATCH_BYTES / 2},
                {"--files", HAFT__LIMIT_SANDBOX_OPEN_FILES},
                {"--output", HAFT__LIMIT_SANDBOX_OUTPUT_BYTES},
                {"--scratch-bytes", HAFT__LIMIT_SANDBOX_SCRATCH_BYTES},
                {"--scratch-files", HAFT__LIMIT_SANDBOX_SCRATCH_FILES},
                {"--kept-files", HAFT__LIMIT_SANDBOX_KEPT_FILES},
                {"--kept-bytes", HAFT__LIMIT_SANDBOX_KEPT_BYTES},
                {"--uid", sandbox->uid}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        add_number(w, rows[i].option, rows[i].value);
    }
}

haft_status haft__sandbox_python_words(const haft__sandbox *sandbox,
                                       const haft__sandbox_limits *limits, const char *code,
                                       haft__arena *arena, const char *const **ret_words,
                                       haft_error *err)
{
    size_t most = 64 + 2 * (sandbox->library_count + limits->read_count);
    words w = {.arena = arena, .items = haft__arena_array(arena, most, sizeof(*w.items))};
    if (w.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (sandbox->library_count + limits->read_count + 2 > HAFT__LIMIT_SANDBOX_PATHS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "more than %d paths for one sandbox",
                          HAFT__LIMIT_SANDBOX_PATHS);
    }
    add(&w, sandbox->helper);
    add(&w, "--framed");
    if (sandbox->profile == HAFT__SANDBOX_NAMESPACES) {
        add(&w, "--namespaces");
    }
    add_limits(&w, sandbox, limits);
    for (size_t i = 0; i < sandbox->library_count; i++) {
        add_path(&w, "--read", sandbox->libraries[i]);
    }
    for (size_t i = 0; i < limits->read_count; i++) {
        add_path(&w, "--read", limits->reads[i]);
    }
    add_path(&w, "--run", sandbox->interpreter);
    add_path(&w, "--run", sandbox->loader);
    /* The seed of hashes is fixed, so that the same code iterates over sets in the same order. */
    const char *const rest[] = {"--set", "LANG=C.UTF-8",
                                "--set", "PYTHONHASHSEED=0",
                                "--",    sandbox->interpreter,
                                "-s",    "-S",
                                "-B",    "-c",
                                code,    NULL};
    for (size_t i = 0; i < COUNT(rest); i++) {
        add(&w, rest[i]);
    }
    *ret_words = w.items;
    return w.failed ? haft__arena_fail(arena, err) : HAFT_OK;
}
