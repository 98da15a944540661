/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide/builtin.c: the built-ins that need only the run. */
#include "prompt/observation.h"
#include "run/decide/decide_int.h"
#include "run/run_help.h"
#include "tool/builtin.h"

/* Runs one call of a built-in after a call with `result`; returns the observation of the model. */
static haft_str shown_by(const char *words, const char *result, const char *tool,
                         const char *arguments, help_run *r)
{
    haft__buf script;
    haft__buf_init(&script, 1 << 20);
    haft__buf_addf(&script,
                   "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"find\"}]},"
                   "{\"calls\":[{\"name\":\"%s\",\"arguments\":%s}]},{\"text\":\"ok\"}],"
                   "\"results\":{\"look\":%s,\"find\":\"f\"}}",
                   tool, arguments, result);
    help_run_init_str(r, haft__str(words), help_keep(haft__buf_str(&script)));
    haft__buf_finish(&script);
    CHECK_INT(help_run_go(r), HAFT_OK, "%s", r->err.message);
    const haft__run_call *call = haft__run_find_call(&r->drive.run, HAFT__LIT("c2.1"));
    CHECK(call != NULL, "the call is not there");
    return call != NULL ? call->shown : HAFT__LIT("");
}

/* The result that is paged is äöü, €€, zwölf and ende, a line each: 17 characters. */
#define RESULT "\"\xC3\xA4\xC3\xB6\xC3\xBC\\n\xE2\x82\xAC\xE2\x82\xAC\\nzw\xC3\xB6lf\\nende\""

#define MORE(what, offset)                                                                         \
    HAFT__OBSERVATION_MARK "\nThese are " what                                                     \
                           " of the result of call c1.1. read_result with call "                   \
                           "\"c1.1\" and offset " offset " returns more."

static const struct {
    const char *arguments, *shown;
} pages[] = {
    {"{\"call\":\"c1.1\"}", "\xC3\xA4\xC3\xB6\xC3\xBC\n\xE2\x82\xAC\xE2\x82\xAC\nzw\xC3\xB6" MORE(
                                "the first 10 of 17 characters", "10")}, /* observation_chars */
    {"{\"call\":\"c1.1\",\"offset\":0,\"limit\":2}",
     "\xC3\xA4\xC3\xB6" MORE("the first 2 of 17 characters", "2")},
    {"{\"call\":\"c1.1\",\"offset\":2,\"limit\":3}",
     "\xC3\xBC\n\xE2\x82\xAC" MORE("3 of 17 characters, from offset 2,", "5")},
    {"{\"call\":\"c1.1\",\"offset\":12}", "\nende"},
    {"{\"call\":\"c1.1\",\"offset\":16,\"limit\":1}", "e"},
    {"{\"call\":\"c1.1\",\"offset\":17}",
     "The result of call c1.1 has 17 characters: nothing follows offset 17."},
    {"{\"call\":\"c1.1\",\"offset\":100000}",
     "The result of call c1.1 has 17 characters: nothing follows offset 100000."},
    {"{\"call\":\"c1.1\",\"limit\":100000}",
     "\xC3\xA4\xC3\xB6\xC3\xBC\n\xE2\x82\xAC\xE2\x82\xAC\nzw\xC3\xB6" MORE(
         "the first 10 of 17 characters", "10")},
    {"{\"call\":\"c1.1\",\"grep\":\"\xE2\x82\xAC\"}", "\xE2\x82\xAC\xE2\x82\xAC\n"},
    {"{\"call\":\"c1.1\",\"grep\":\"e\"}", "ende\n"},
    {"{\"call\":\"c1.1\",\"grep\":\"\xC3\xB6\",\"offset\":4,\"limit\":4}",
     "zw\xC3\xB6l" HAFT__OBSERVATION_MARK
     "\nThese are 4 of 10 characters, from offset 4, of the result of call c1.1 after grep. "
     "read_result with call \"c1.1\", the same grep and offset 8 returns more."},
    {"{\"call\":\"c1.1\",\"offset\":9223372036854775808}",
     "The result of call c1.1 has 17 characters: nothing follows offset 9223372036854775807."},
    {"{\"call\":\"c1.1\",\"grep\":\"none\"}", "No line of this result contains \"none\"."},
    {"{\"call\":\"c1.1\",\"grep\":\"a longer text than any of the lines\"}",
     "No line of this result contains \"a longer text than any of the lines\"."},
    {"{\"call\":\"c1.2\"}", "f"},
    {"{\"call\":\"c2.1\"}", "Error: there is no finished call \"c2.1\" (at /call)\n… (observation"
                            " truncated)"},
    {"{\"call\":\"c7.7\"}", NULL},
    {"{\"call\":\"\xC3\xA4\"}", NULL},
};

TEST(results_are_read_again_in_pages)
{
    for (size_t i = 0; i < COUNT(pages); i++) {
        help_run r;
        haft_str shown = shown_by("agent; observation_chars=10; tools=look,find,read_result",
                                  RESULT, "read_result", pages[i].arguments, &r);
        const haft__run_call *call = haft__run_find_call(&r.drive.run, HAFT__LIT("c2.1"));
        bool found = strstr(pages[i].arguments, "c1.") != NULL;
        CHECK_INT(call->ok, found, "%s", pages[i].arguments);
        if (found) {
            CHECK_STR(shown, haft__str(pages[i].shown), "%s", pages[i].arguments);
        } else {
            CHECK(haft__str_starts_with(call->result,
                                        HAFT__LIT("Error: there is no finished call \"")),
                  "%s: %.*s", pages[i].arguments, HAFT__ARG(call->result));
            CHECK(haft__str_ends_with(
                      call->result,
                      HAFT__LIT("\nHint: a call is named like c3.1: turn 3, first call")),
                  "%s: %.*s", pages[i].arguments, HAFT__ARG(call->result));
        }
        help_run_finish(&r);
    }
}

TEST(artifacts_are_recorded_with_their_digest)
{
    static const struct {
        const char *arguments, *media_type, *sha256, *shown;
        uint64_t bytes;
    } artifacts[] = {
        {"{\"name\":\"a.txt\",\"content\":\"abc\"}", "text/plain",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
         "Stored a.txt (3 bytes).", 3},
        {"{\"name\":\"b.md\",\"content\":\"\",\"media_type\":\"text/markdown\"}", "text/markdown",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         "Stored b.md (0 bytes).", 0},
    };
    for (size_t i = 0; i < COUNT(artifacts); i++) {
        help_run r;
        haft_str shown = shown_by("agent; tools=look,find,store_artifact", "1", "store_artifact",
                                  artifacts[i].arguments, &r);
        CHECK_STR(shown, haft__str(artifacts[i].shown), "%s", artifacts[i].arguments);
        CHECK_INT(r.drive.run.artifact_count, 1, "%s", artifacts[i].arguments);
        const haft__artifact *artifact = r.drive.run.artifacts[0];
        CHECK_STR(artifact->media_type, haft__str(artifacts[i].media_type), "media type");
        CHECK_STR(artifact->sha256, haft__str(artifacts[i].sha256), "digest");
        CHECK_INT(artifact->bytes, artifacts[i].bytes, "size");
        CHECK_STR(artifact->call, HAFT__LIT("c2.1"), "call");
        help_run_finish(&r);
    }
}

TEST(many_artifacts_are_kept_in_order)
{
    haft__buf script;
    haft__buf_init(&script, 1 << 16);
    haft__buf_addf(&script, "{\"replies\":[{\"calls\":[");
    for (int i = 0; i < 20; i++) {
        haft__buf_addf(&script,
                       "%s{\"name\":\"store_artifact\",\"arguments\":{\"name\":\"f%d\",\"content\":"
                       "\"x\"}}",
                       i > 0 ? "," : "", i);
    }
    haft__buf_addf(&script, "]},{\"text\":\"ok\"}]}");
    help_run r;
    help_run_init_str(&r, HAFT__LIT("agent; tools=store_artifact"), haft__buf_str(&script));
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.artifact_count, 20, "number of artifacts");
    for (size_t i = 0; i < r.drive.run.artifact_count; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "f%zu", i);
        CHECK_STR(r.drive.run.artifacts[i]->name, haft__str(name), "case %zu", i);
    }
    help_run_finish(&r);
    haft__buf_finish(&script);
}

TEST(a_question_contains_its_arguments)
{
    help_run r;
    (void)shown_by("agent; tools=look,find,request_user_input", "1", "request_user_input",
                   "{\"question\":\"Which \\\"one\\\"?\",\"choices\":[\"a\",\"b\"]}", &r);
    const char *log = help_keep(haft__buf_str(&r.log)).ptr;
    CHECK(strstr(log, "\"pause\":\"question\",\"tool\":\"request_user_input\",\"arguments\":{"
                      "\"question\":\"Which \\\"one\\\"?\",\"choices\":[\"a\",\"b\"]},\"question\":"
                      "\"Which \\\"one\\\"?\",\"deadline\":null,\"on_expire\":null}")
              != NULL,
          "%s", log);
    CHECK_INT(r.drive.run.stage, HAFT__RUN_CALLING, "the run waits for the answer");
    help_run_finish(&r);
}

TEST(complete_workflow_completes_the_run)
{
    help_run r;
    haft_str shown = shown_by("workflow; tools=look,find,complete_workflow", "1",
                              "complete_workflow", "{\"summary\":\"done\"}", &r);
    CHECK_STR(shown, HAFT__LIT("The workflow is complete. Give your final answer."),
              "the observation of the model");
    CHECK(r.drive.run.completed, "the workflow is not complete");
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "the end of the run");
    help_run_finish(&r);
}

/* Tools of the spec may have the name of a built-in: their source decides. */
TEST(only_built_ins_are_pure)
{
    static const char *const pure[] = {"request_user_input", "complete_workflow", "store_artifact",
                                       "read_result"};
    for (size_t i = 0; i < COUNT(pure); i++) {
        haft__tool tool = {.name = haft__str(pure[i]), .source = HAFT__TOOL_BUILTIN};
        CHECK(haft__builtin_is_pure(&tool), "%s", pure[i]);
        tool.source = HAFT__TOOL_COMMAND;
        CHECK(!haft__builtin_is_pure(&tool), "a command named %s", pure[i]);
    }
    haft__tool grep = {.name = HAFT__LIT("grep"), .source = HAFT__TOOL_BUILTIN};
    CHECK(!haft__builtin_is_pure(&grep), "grep needs files");
}

TEST(every_pure_built_in_is_implemented)
{
    size_t count;
    const haft__builtin *builtins = haft__builtins(&count);
    for (size_t i = 0; i < count; i++) {
        haft__tool tool = {.name = haft__str(builtins[i].name), .source = HAFT__TOOL_BUILTIN};
        CHECK_INT(haft__builtin_is_pure(&tool), builtins[i].host == HAFT__BUILTIN_IN_RUN, "%s",
                  builtins[i].name);
    }
}
