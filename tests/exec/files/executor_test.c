/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "exec/exec_help.h"
#include "exec/files_help.h"

/* A call of a built-in below the directory. */
static void make(help_exec *e, help_call *c, const files *f, const char *tool,
                 const char *arguments)
{
    help_init_call(e, c, HAFT__TOOL_BUILTIN, "{}", arguments);
    c->tool.name = haft__str(tool);
    e->spec.path = haft__str(files_path(f, "agent.yaml"));
    e->spec.root = HAFT__LIT("root");
}

static void call(help_exec *e, help_call *c, const files *f, const char *tool,
                 const char *arguments)
{
    make(e, c, f, tool, arguments);
    help_start(e, c);
    help_wait(e, c);
}

static files make_tree(void)
{
    files f = files_make();
    files_add(&f, "secret", "x\n");
    files_add(&f, "root/a.md", "one\ntwo\nthree\n");
    files_add(&f, "root/b/c.md", "two\n");
    return f;
}

FILES_TEST(glob_grep_and_read_run_as_tools)
{
    files f = make_tree();
    help_exec e;
    help_begin(&e);
    static const struct {
        const char *tool, *arguments, *wanted;
    } cases[] = {
        {"glob", "{\"pattern\":\"*.md\"}", "a.md\nb/c.md"},
        {"glob", "{\"pattern\":\"*.md\",\"path\":\"b\"}", "b/c.md"},
        {"grep", "{\"pattern\":\"t.*\"}", "a.md:2:two\na.md:3:three\nb/c.md:1:two"},
        {"grep", "{\"pattern\":\"t\",\"glob\":\"b/*\",\"path\":\"\"}", "b/c.md:1:two"},
        {"grep", "{\"pattern\":\"t\",\"limit\":1}",
         "a.md:2:two\n(there are more matching lines: narrow the search or raise `limit`)"},
        {"read", "{\"path\":\"a.md\"}", "     1\tone\n     2\ttwo\n     3\tthree"},
        {"read", "{\"path\":\"a.md\",\"offset\":2,\"limit\":1}",
         "     2\ttwo\n(lines 2 to 2 of 3; continue with offset 3)"},
        {"read", "{\"path\":\"a.md\",\"offset\":1e0,\"limit\":123456789012345678901234567890}",
         "     1\tone\n     2\ttwo\n     3\tthree"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_call c;
        call(&e, &c, &f, cases[i].tool, cases[i].arguments);
        CHECK(c.result.ok && c.result.started, "%s: %.*s", cases[i].arguments,
              HAFT__ARG(c.result.text));
        CHECK_STR(c.result.text, haft__str(cases[i].wanted), "%s %s", cases[i].tool,
                  cases[i].arguments);
    }
    help_end(&e);
    files_remove(&f);
}

FILES_TEST(errors_of_a_search_become_results)
{
    files f = make_tree();
    help_exec e;
    help_begin(&e);
    static const struct {
        const char *tool, *arguments, *text, *where, *hint;
        bool transient;
    } cases[] = {
        {"read", "{\"path\":\"a.mb\"}", "there is no 'a.mb'", "/path", "did you mean 'a.md'?",
         false},
        {"read", "{\"path\":\"../secret\"}", "the path is outside the root: it has '..'", "/path",
         "paths are relative to the root, such as 'docs/a.md'", false},
        {"read", "{\"path\":\"a.md\",\"offset\":1e40}",
         "line 9223372036854775807 does not exist: the file has 3 lines", "/offset",
         "the lines are 1 to 3", false},
        {"grep", "{\"pattern\":\"[\"}",
         "the pattern is not a valid regular expression: missing terminating ] for character class "
         "(character 2)",
         "/pattern", "put a \\ before a literal ( [ { * + ? . | or \\", false},
        {"glob", "{\"pattern\":\"{\"}", "the braces in '{' are unbalanced", "/pattern",
         "{a,b} means a or b; write \\{ for a literal brace", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_call c;
        call(&e, &c, &f, cases[i].tool, cases[i].arguments);
        CHECK(!c.result.ok && c.result.started, "%s", cases[i].arguments);
        CHECK_STR(c.result.text, haft__str(cases[i].text), "%s", cases[i].arguments);
        CHECK_STR(c.result.where, haft__str(cases[i].where), "%s", cases[i].arguments);
        CHECK_STR(c.result.hint, haft__str(cases[i].hint), "%s", cases[i].arguments);
        CHECK_INT(c.result.transient, cases[i].transient, "%s", cases[i].arguments);
    }
    help_call c;
    make(&e, &c, &f, "read", "{\"path\":\"a.md\"}");
    e.spec.root = HAFT__LIT("nowhere");
    help_start(&e, &c);
    help_wait(&e, &c);
    CHECK(!c.result.ok && c.result.transient, "a root that is not there: %.*s",
          HAFT__ARG(c.result.text));
    help_end(&e);
    files_remove(&f);
}

/* Makes files for a search that runs until it is stopped. */
static files make_endless(void)
{
    files f = files_make();
    size_t length = 600000;
    char *text = test_alloc(length);
    memset(text, 'a', length); /* one line: each place costs as much as the line is long */
    files_add_bytes(&f, "root/a", (haft_str){text, length});
    return f;
}

static const char endless[] = "{\"pattern\":\"(?=a)[a-z]*[0-9]\"}";

FILES_TEST(a_search_ends_at_its_deadline)
{
    files f = make_endless();
    help_exec e;
    help_begin(&e);
    help_call c;
    make(&e, &c, &f, "grep", endless);
    c.call.timeout_ms = 50;
    help_start(&e, &c);
    help_wait(&e, &c);
    CHECK(!c.result.ok && c.result.timed_out, "%.*s", HAFT__ARG(c.result.text));
    help_call next;
    call(&e, &next, &f, "glob", "{\"pattern\":\"*\"}");
    CHECK_STR(next.result.text, HAFT__LIT("a"), "the next call");
    help_end(&e); /* waits for the thread, which has been cancelled */
    files_remove(&f);
}

FILES_TEST(a_search_is_cancelled_while_running_and_while_queued)
{
    files f = make_endless();
    help_exec e;
    help_begin_with(&e, NULL, 1);
    help_call first, second;
    make(&e, &first, &f, "grep", endless);
    make(&e, &second, &f, "grep", endless);
    help_start(&e, &first);
    help_start(&e, &second);
    help_step(&e, 20);
    haft__exec_cancel(second.job); /* has not started: there is one thread */
    haft__exec_cancel(first.job);
    help_call next;
    call(&e, &next, &f, "glob", "{\"pattern\":\"*\"}");
    CHECK_STR(next.result.text, HAFT__LIT("a"), "the next call");
    CHECK_INT(first.result_count + second.result_count, 0, "reports of cancelled calls");
    help_end(&e);
    files_remove(&f);
}

FILES_TEST(a_search_that_timed_out_in_the_queue_did_not_start)
{
    files f = make_endless();
    help_exec e;
    help_begin_with(&e, NULL, 1);
    help_call first, second;
    make(&e, &first, &f, "grep", endless);
    make(&e, &second, &f, "grep", endless);
    help_start(&e, &first);
    second.call.timeout_ms = 30;
    help_start(&e, &second);
    help_wait(&e, &second);
    CHECK(second.result.timed_out && !second.result.started,
          "the result says that the call started");
    haft__exec_cancel(first.job);
    help_end(&e);
    files_remove(&f);
}

FILES_TEST(many_searches_run_at_the_same_time)
{
    files f = make_tree();
    help_exec e;
    help_begin(&e);
    static help_call calls[60];
    static const struct {
        const char *tool, *arguments;
    } kinds[] = {{"glob", "{\"pattern\":\"*\"}"},
                 {"grep", "{\"pattern\":\"t\\\\w+\"}"},
                 {"read", "{\"path\":\"b/c.md\"}"}};
    for (size_t i = 0; i < COUNT(calls); i++) {
        make(&e, &calls[i], &f, kinds[i % 3].tool, kinds[i % 3].arguments);
        help_start(&e, &calls[i]);
    }
    for (size_t i = 0; i < COUNT(calls); i++) {
        help_wait(&e, &calls[i]);
        CHECK(calls[i].result.ok, "call %zu: %.*s", i, HAFT__ARG(calls[i].result.text));
        CHECK_STR(calls[i].result.text, calls[i % 3].result.text, "call %zu", i);
    }
    help_end(&e);
    files_remove(&f);
}

/* The arguments are copied: the caller may free them once the call is cancelled. */
FILES_TEST(a_search_keeps_its_arguments)
{
    files f = make_endless();
    help_exec e;
    help_begin(&e);
    char *root = strdup("root");
    help_call c;
    make(&e, &c, &f, "grep", endless);
    e.spec.root = haft__str(root);
    help_start(&e, &c);
    help_step(&e, 20);
    haft__exec_cancel(c.job);
    free(root);
    haft__arena_reset(&e.arena);
    help_end(&e);
    files_remove(&f);
}

FILES_TEST(starting_a_search_reports_a_failed_allocation)
{
    files f = make_tree();
    help_exec e;
    help_begin(&e);
    for (unsigned n = 0; n < 100; n++) {
        help_call c;
        make(&e, &c, &f, "glob", "{\"pattern\":\"*\"}");
        test_fail_allocation(n);
        haft_status status = haft__exec_start(e.exec, &c.call, help_keep_result, &c, &c.job, NULL);
        if (status == HAFT_OK) {
            help_wait(&e, &c);
        }
        bool failed = test_allow_allocations();
        CHECK(failed || c.result.ok, "the call if no allocation fails");
        CHECK(status == HAFT_NO_MEMORY || c.result.ok || c.result.transient, "allocation %u: %.*s",
              n, HAFT__ARG(c.result.text));
        if (!failed) {
            break;
        }
    }
    help_end(&e);
    files_remove(&f);
}
