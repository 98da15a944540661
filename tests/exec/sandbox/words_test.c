/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sandbox/words.c. */
#include "base/limits.h"
#include "base/str.h"
#include "exec/sandbox/sandbox.h"
#include "test.h"

static const char *library[] = {"/usr/lib/python3"};

static haft__sandbox example(void)
{
    return (haft__sandbox){.helper = "/helper",
                           .interpreter = "/usr/bin/python3.11",
                           .loader = "/lib/ld.so",
                           .libraries = library,
                           .library_count = 1,
                           .profile = HAFT__SANDBOX_NAMESPACES,
                           .uid = HAFT__LIMIT_SANDBOX_UID};
}

/* The value after a word; NULL if the word is missing. */
static const char *value_of(const char *const *words, const char *word)
{
    for (; words[0] != NULL; words++) {
        if (strcmp(words[0], word) == 0) {
            return words[1];
        }
    }
    return NULL;
}

TEST(the_helper_gets_every_limit)
{
    static const struct {
        const char *word;
        uint64_t value;
    } rows[] = {{"--memory", (uint64_t)HAFT__LIMIT_SANDBOX_MEMORY_MIB << 20},
                {"--cpu", HAFT__LIMIT_SANDBOX_CPU_S},
                {"--files", HAFT__LIMIT_SANDBOX_OPEN_FILES},
                {"--output", HAFT__LIMIT_SANDBOX_OUTPUT_BYTES},
                {"--file", HAFT__LIMIT_SANDBOX_SCRATCH_BYTES / 2},
                {"--scratch-bytes", HAFT__LIMIT_SANDBOX_SCRATCH_BYTES},
                {"--scratch-files", HAFT__LIMIT_SANDBOX_SCRATCH_FILES},
                {"--kept-files", HAFT__LIMIT_SANDBOX_KEPT_FILES},
                {"--kept-bytes", HAFT__LIMIT_SANDBOX_KEPT_BYTES},
                {"--uid", HAFT__LIMIT_SANDBOX_UID}};
    haft__arena arena;
    haft__sandbox sandbox = example();
    haft__sandbox_limits limits;
    const char *const *words = NULL;
    haft__arena_init(&arena, 1 << 20);
    haft__sandbox_limits_init(&limits);
    CHECK_INT(haft__sandbox_python_words(&sandbox, &limits, "code", &arena, &words, NULL), HAFT_OK,
              "words");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char wanted[32];
        const char *found = value_of(words, rows[i].word);
        (void)snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)rows[i].value);
        CHECK_STR(haft__str(found != NULL ? found : "missing"), haft__str(wanted), "%s",
                  rows[i].word);
    }
    CHECK(value_of(words, "--namespaces") != NULL, "no --namespaces");
    CHECK_STR(haft__str(value_of(words, "--read")), HAFT__LIT("/usr/lib/python3"), "--read");
    CHECK_STR(haft__str(value_of(words, "-c")), HAFT__LIT("code"), "-c");
    sandbox.profile = HAFT__SANDBOX_LANDLOCK;
    CHECK_INT(haft__sandbox_python_words(&sandbox, &limits, "code", &arena, &words, NULL), HAFT_OK,
              "words");
    CHECK(value_of(words, "--namespaces") == NULL, "--namespaces in the other profile");
    haft__arena_finish(&arena);
}

TEST(paths_have_a_limit)
{
    static const char *reads[HAFT__LIMIT_SANDBOX_PATHS];
    haft__arena arena;
    haft_error err = {0};
    haft__sandbox sandbox = example();
    haft__sandbox_limits limits;
    const char *const *words = NULL;
    haft__arena_init(&arena, 1 << 20);
    haft__sandbox_limits_init(&limits);
    for (size_t i = 0; i < COUNT(reads); i++) {
        reads[i] = "/data";
    }
    limits.reads = reads;
    limits.read_count = HAFT__LIMIT_SANDBOX_PATHS - 3; /* library, interpreter, loader */
    CHECK_INT(haft__sandbox_python_words(&sandbox, &limits, "", &arena, &words, &err), HAFT_OK,
              "%s", err.message);
    limits.read_count++;
    CHECK_INT(haft__sandbox_python_words(&sandbox, &limits, "", &arena, &words, &err), HAFT_TOO_BIG,
              "%s", err.message);
    haft__arena_finish(&arena);
}

TEST(the_user_of_the_sandbox_is_never_root)
{
    static const struct {
        const char *text;
        haft_status status;
        uint32_t uid;
    } rows[] = {{"", HAFT_OK, HAFT__LIMIT_SANDBOX_UID},
                {"1000", HAFT_OK, 1000},
                {"0", HAFT_BAD_INPUT, 7},
                {"00", HAFT_BAD_INPUT, 7},
                {"-1", HAFT_BAD_INPUT, 7},
                {"nobody", HAFT_BAD_INPUT, 7},
                {"4294967295", HAFT_BAD_INPUT, 7},
                {"4294967296", HAFT_BAD_INPUT, 7},
                {"4294967294", HAFT_OK, 4294967294}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t uid = 7;
        CHECK_INT(haft__sandbox_parse_uid(haft__str(rows[i].text), &uid, NULL), rows[i].status,
                  "'%s'", rows[i].text);
        CHECK_INT(uid, rows[i].uid, "'%s'", rows[i].text);
    }
}
