/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pcre2.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "test.h"

static haft__regex *make(const char *pattern)
{
    haft__regex *regex = NULL;
    haft_error err = {0};
    CHECK_INT(haft__regex_create(haft__str(pattern), &regex, &err), HAFT_OK, "%s: %s", pattern,
              err.message);
    return regex;
}

/* A copy with the required slack. */
static haft_str with_slack(haft_str text)
{
    char *copy = test_alloc(text.len + 2 * HAFT__REGEX_SLACK);
    memset(copy, 0, text.len + 2 * HAFT__REGEX_SLACK);
    memcpy(copy + HAFT__REGEX_SLACK, text.ptr, text.len);
    return (haft_str){copy + HAFT__REGEX_SLACK, text.len};
}

TEST(the_position_of_a_match_is_returned)
{
    static const struct {
        const char *pattern;
        haft_str text;
        size_t from;
        haft__regex_result result;
        size_t at;
    } cases[] = {
        {"b", HAFT__LIT("a\nb\nab"), 0, HAFT__REGEX_YES, 2},
        {"b", HAFT__LIT("a\nb\nab"), 4, HAFT__REGEX_YES, 5},
        {"b", HAFT__LIT("a\nb\nab"), 2, HAFT__REGEX_YES, 2},
        {"c", HAFT__LIT("a\nb\nab"), 0, HAFT__REGEX_NO, 0},
        {"^$", HAFT__LIT("a\n"), 0, HAFT__REGEX_YES, 2},
        {"^$", HAFT__LIT(""), 0, HAFT__REGEX_YES, 0},
        {"^", HAFT__LIT("a\nb"), 2, HAFT__REGEX_YES, 2},
        {"a", HAFT__LIT(""), 0, HAFT__REGEX_NO, 0},
        {"(?i)\xc3\x89", HAFT__LIT("x\xc3\xa9"), 0, HAFT__REGEX_YES, 1},
        {"^.$", HAFT__LIT("\xc3\xa9"), 0, HAFT__REGEX_YES, 0},
        {"\\w", HAFT__LIT("-\xc3\xa9"), 0, HAFT__REGEX_YES, 1},
        {"b",
         HAFT__LIT("\xff\xc3"
                   "b"),
         0, HAFT__REGEX_YES, 2},
        {".", HAFT__LIT("\xff"), 0, HAFT__REGEX_NO, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__regex *regex = make(cases[i].pattern);
        size_t at = 0;
        CHECK_INT(haft__regex_find(regex, with_slack(cases[i].text), cases[i].from, NULL, &at),
                  cases[i].result, "case %zu", i);
        CHECK_INT(at, cases[i].at, "case %zu", i);
        haft__regex_destroy(regex);
    }
}

TEST(bad_patterns_are_reported_with_their_place)
{
    static const struct {
        const char *pattern;
        haft_status status;
        const char *message;
    } cases[] = {
        {"foo(", HAFT_BAD_INPUT,
         "the pattern is not a valid regular expression: missing closing parenthesis (character "
         "5)"},
        {"\xc3\xa9[a", HAFT_BAD_INPUT,
         "the pattern is not a valid regular expression: missing terminating ] for character class "
         "(character 4)"},
        {"*a", HAFT_BAD_INPUT,
         "the pattern is not a valid regular expression: quantifier does not follow a repeatable "
         "item "
         "(character 1)"},
        {"a\\nb", HAFT_BAD_INPUT,
         "the pattern contains a line feed (character 2), but each line is matched by itself"},
        {"(?:a{1,60000}){1,60000}", HAFT_TOO_BIG,
         "the pattern grows too large when it is compiled"},
        {"\\C", HAFT_BAD_INPUT, NULL},
        {"\\X", HAFT_UNSUPPORTED, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__regex *regex = NULL;
        haft_error err = {0};
        CHECK_INT(haft__regex_create(haft__str(cases[i].pattern), &regex, &err), cases[i].status,
                  "%s", cases[i].pattern);
        CHECK(regex == NULL && err.hint[0] != '\0', "%s", cases[i].pattern);
        if (cases[i].message != NULL) {
            CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].pattern);
        }
    }
}

TEST(the_size_of_a_pattern_is_bounded)
{
    char text[HAFT__LIMIT_PATTERN_BYTES + 1];
    memset(text, 'a', sizeof(text));
    haft__regex *regex = NULL;
    CHECK_INT(haft__regex_create((haft_str){text, sizeof(text) - 1}, &regex, NULL), HAFT_OK,
              "at the limit");
    haft__regex_destroy(regex);
    CHECK_INT(haft__regex_create((haft_str){text, sizeof(text)}, &regex, NULL), HAFT_TOO_BIG,
              "one past the limit");
    for (int extra = 0; extra < 2; extra++) { /* groups inside each other, the last one guarded */
        size_t depth = HAFT__LIMIT_PATTERN_NESTING + (size_t)extra;
        memset(text, '(', depth);
        memcpy(text + depth, "\\v", 2);
        memset(text + depth + 2, ')', depth);
        regex = NULL;
        CHECK_INT(haft__regex_create((haft_str){text, 2 * depth + 2}, &regex, NULL),
                  extra == 0 ? HAFT_OK : HAFT_BAD_INPUT, "%zu groups", depth);
        haft__regex_destroy(regex);
    }
}

TEST(a_catastrophic_pattern_ends_at_its_limit)
{
    static const char *const patterns[] = {"(a+)+$", "(a|aa)+$", "(a|a)*[?;]$",
                                           "^(([a-z])+.)+[A-Z]([a-z])+$"};
    char text[202];
    memset(text, 'a', sizeof(text));
    text[200] = '!';
    for (size_t i = 0; i < COUNT(patterns); i++) {
        haft__regex *regex = make(patterns[i]);
        size_t at;
        CHECK_INT(haft__regex_find(regex, with_slack((haft_str){text, 201}), 0, NULL, &at),
                  HAFT__REGEX_LIMIT, "%s", patterns[i]);
        CHECK_INT(haft__regex_find(regex, with_slack(HAFT__LIT("bc")), 0, NULL, &at),
                  HAFT__REGEX_NO, "%s: the next text", patterns[i]);
        haft__regex_destroy(regex);
    }
}

/* The steps of a match grow with the text: well below the limit it is found, well above it is
 * not. */
TEST(the_steps_of_a_match_are_bounded)
{
    haft__regex *regex = make("^(?:a|b)*[cd]");
    size_t max = (size_t)4 * HAFT__LIMIT_FILES_MATCH_STEPS, at;
    char *text = test_alloc(max + HAFT__REGEX_SLACK);
    memset(text, 'a', max + HAFT__REGEX_SLACK);
    CHECK_INT(haft__regex_find(regex, (haft_str){text, 1000}, 0, NULL, &at), HAFT__REGEX_NO,
              "a thousand steps");
    CHECK_INT(haft__regex_find(regex, (haft_str){text, max}, 0, NULL, &at), HAFT__REGEX_LIMIT,
              "past HAFT__LIMIT_FILES_MATCH_STEPS");
    haft__regex_destroy(regex);
}

TEST(a_search_stops_when_cancelled)
{
    haft__regex *regex = make("b");
    atomic_bool stop = true;
    size_t at;
    CHECK_INT(haft__regex_find(regex, with_slack(HAFT__LIT("b")), 0, &stop, &at),
              HAFT__REGEX_STOPPED, "a cancelled search");
    atomic_store(&stop, false);
    CHECK_INT(haft__regex_find(regex, with_slack(HAFT__LIT("b")), 0, &stop, &at), HAFT__REGEX_YES,
              "a search that is not cancelled");
    haft__regex_destroy(regex);
}

/* A text is searched in strides. Wherever a stride ends, also inside a character, every match is
 * found. */
TEST(searching_in_strides_finds_every_match)
{
    size_t length = 40000;
    char *text = test_alloc(length + HAFT__REGEX_SLACK);
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'x', length + HAFT__REGEX_SLACK);
        for (size_t i = shift; i + 2 <= length; i += 2) {
            memcpy(text + i, "\xc3\xa9", 2);
        }
        for (size_t place = 100; place + 10 < length; place += 997) {
            size_t at = 0, wanted = place - (place - shift) % 2;
            haft__regex *regex = make("\xc3\xa9!");
            text[wanted + 2] = '!';
            text[wanted + 3] = 'x';
            CHECK_INT(haft__regex_find(regex, (haft_str){text, length}, 0, NULL, &at),
                      HAFT__REGEX_YES, "at %zu", wanted);
            CHECK_INT(at, wanted, "shift %zu", shift);
            memcpy(text + wanted + 2, "\xc3\xa9", 2);
            haft__regex_destroy(regex);
        }
    }
}

/* Makes memory that can be written and run impossible, as hardened systems do. */
static bool forbid_machine_code(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1U),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {COUNT(code), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int search_interpreted(void)
{
    haft__regex *regex = NULL;
    size_t at = 0, length = 30000;
    char *text = test_alloc(length);
    memset(text, 'a', length);
    memcpy(text + 20000, "\n\xc3\xa9!", 4);
    pcre2_jit_free_unused_memory(NULL); /* state of earlier tests */
    if (!forbid_machine_code()) {
        return 2;
    }
    if (haft__regex_create(HAFT__LIT("(a+)+$"), &regex, NULL) != HAFT_OK
        || haft__regex_is_compiled(regex)) {
        return 3;
    }
    bool limited =
        haft__regex_find(regex, HAFT__LIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), 0, NULL, &at)
        == HAFT__REGEX_LIMIT;
    haft__regex_destroy(regex);
    if (haft__regex_create(HAFT__LIT("^\xc3\xa9"), &regex, NULL) != HAFT_OK) {
        return 4;
    }
    bool found = haft__regex_find(regex, (haft_str){text, length}, 0, NULL, &at) == HAFT__REGEX_YES;
    haft__regex_destroy(regex);
    return limited && found && at == 20001 ? 0 : 1;
}

TEST(without_machine_code_expressions_are_interpreted)
{
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL) {
        test_skip("valgrind itself cannot run without machine code");
        return;
    }
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        _exit(search_interpreted());
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status), "no child");
    if (WEXITSTATUS(status) == 2) {
        test_skip("a filter on system calls cannot be set here");
        return;
    }
    CHECK_INT(WEXITSTATUS(status), 0, "exit status of the child");
}

TEST(creating_an_expression_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__regex *regex = NULL;
        test_fail_allocation(n);
        haft_status status = haft__regex_create(HAFT__LIT("(a|b)+\\s[^c]"), &regex, NULL);
        bool failed = test_allow_allocations();
        /* Without memory for machine code the expression is interpreted. */
        CHECK(status == HAFT_NO_MEMORY || status == HAFT_OK, "allocation %u: %d", n, (int)status);
        CHECK(failed || status == HAFT_OK, "the expression if no allocation fails");
        haft__regex_destroy(regex);
        if (!failed) {
            break;
        }
    }
    haft__regex_destroy(NULL);
}
