/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/result.c: every result has the documented shape. */
#include "run/result.h"

#include "run_help.h"
#include "schema/schema.h"
#include "json/read.h"

/* The result of a run, checked against docs/schemas/result.schema.json. */
static haft_str result_with(const char *spec, const char *script, const haft_error *why)
{
    help_run r;
    help_run_init(&r, spec, script);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__result_write(&text, &r.drive.run, why);
    haft__json schema_value, value;
    const haft__schema *schema = NULL;
    haft__schema_report report = {0};
    haft__checker *checker = haft__checker_create();
    haft_str page = test_read_file("docs/schemas/result.schema.json");
    bool good =
        checker != NULL
        && haft__json_read(&r.arena, page, NULL, &schema_value, NULL, &r.err) == HAFT_OK
        && haft__schema_compile(&r.arena, schema_value, NULL, &schema, &r.err) == HAFT_OK
        && haft__json_read(&r.arena, haft__buf_str(&text), NULL, &value, NULL, &r.err) == HAFT_OK
        && haft__schema_check(schema, checker, value, &r.arena, &report, &r.err) == HAFT_OK;
    CHECK(good, "%s %s", r.err.where, r.err.message);
    CHECK(report.valid, "%.*s: %.*s",
          HAFT__ARG(report.count > 0 ? report.errors[0].where : haft__str("")),
          HAFT__ARG(report.count > 0 ? report.errors[0].message : haft__str("")));
    haft__checker_destroy(checker);
    char *kept = test_alloc(text.len);
    memcpy(kept, text.ptr, text.len);
    haft_str result = {kept, text.len};
    haft__buf_finish(&text);
    help_run_finish(&r);
    return result;
}

static haft_str result_of(const char *spec, const char *script)
{
    return result_with(spec, script, NULL);
}

#define IDS "{\"run\":\"00000000000000000000000001\",\"thread\":\"00000000000000000000000002\","

TEST(the_result_of_a_finished_run)
{
    CHECK_STR(
        result_of("agent; tools=store_artifact",
                  "{\"replies\":[{\"calls\":[{\"name\":\"store_artifact\",\"arguments\":{\"name\":"
                  "\"a.txt\",\"content\":\"abc\"}}],\"usage\":{\"input_tokens\":10,"
                  "\"output_tokens\":2,\"cached_tokens\":5}},{\"text\":\"ok\"}]}"),
        HAFT__LIT(IDS "\"end\":\"done\",\"answer\":\"ok\",\"reason\":\"the model "
                      "answered\",\"exhausted\":false,\"forced_final\":"
                      "false,\"turns\":2,\"calls\":1,\"usage\":{\"input_tokens\":10,"
                      "\"output_tokens\":2,\"cached_tokens\":5,\"cost_usd\":0.0},\"artifacts\":[{"
                      "\"name\":\"a.txt\",\"media_type\":\"text/plain\",\"bytes\":3,\"sha256\":"
                      "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}],"
                      "\"pending\":[],\"error\":null}"),
        "the result");
}

TEST(the_result_of_a_paused_run)
{
    CHECK_STR(result_of("agent; tools=pick!headless",
                        "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]}]}"),
              HAFT__LIT(IDS
                        "\"end\":\"waiting\",\"answer\":\"\",\"reason\":null,\"exhausted\":false,"
                        "\"forced_final\":false,\"turns\":1,\"calls\":1,\"usage\":{"
                        "\"input_tokens\":0,\"output_tokens\":0,\"cached_tokens\":0,"
                        "\"cost_usd\":0.0},\"artifacts\":[],\"pending\":[{\"call\":\"c1.1\","
                        "\"kind\":\"headless\",\"tool\":\"pick\",\"arguments\":{\"n\":7},"
                        "\"question\":null,\"deadline\":null,\"binding\":null}],"
                        "\"error\":null}"),
              "the result");
}

/* A rejected command does not make the run fail. */
TEST(a_rejected_command_leaves_the_run_unchanged)
{
    static const struct {
        const char *script, *begin, *end;
    } cases[] = {
        {"{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]}]}",
         IDS "\"end\":\"waiting\",", "}],"},
        {"{\"replies\":[{\"text\":\"ok\"}]}", IDS "\"end\":\"done\",\"answer\":\"ok\",",
         "\"pending\":[],"},
    };
    haft_error why = {.status = HAFT_BAD_STATE, .where = "w", .message = "m", .hint = "h"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = result_with("agent; tools=pick!headless", cases[i].script, &why);
        char end[128];
        (void)snprintf(end, sizeof(end),
                       "%s\"error\":{\"status\":\"BAD_STATE\",\"where\":\"w\",\"message\":\"m\","
                       "\"hint\":\"h\"}}",
                       cases[i].end);
        CHECK(haft__str_starts_with(found, haft__str(cases[i].begin)), "%.*s", HAFT__ARG(found));
        CHECK(haft__str_ends_with(found, haft__str(end)), "%.*s", HAFT__ARG(found));
    }
}

/* Without a run, its fields are null. */
TEST(the_result_of_no_run_has_null_fields)
{
    static const haft__run none;
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__result_write(&text, &none, NULL);
    CHECK(haft__str_starts_with(haft__buf_str(&text),
                                HAFT__LIT("{\"run\":null,\"thread\":null,\"end\":\"failed\",")),
          "%.*s", HAFT__ARG(haft__buf_str(&text)));
    haft__buf_finish(&text);
}

/* One call is pending, and others wait for its lane: the run waits. */
TEST(the_result_lists_calls_that_wait_for_their_lane)
{
    haft_str waits = result_of("agent; tools=pick!headless!lane1,send!lane1",
                               "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}},"
                               "{\"name\":\"send\",\"arguments\":{}}]}]}");
    CHECK(haft__str_starts_with(waits, HAFT__LIT(IDS "\"end\":\"waiting\",")), "%.*s",
          HAFT__ARG(waits));
    CHECK(haft__str_ends_with(waits,
                              HAFT__LIT("],\"held\":[{\"call\":\"c1.2\",\"tool\":\"send\",\"by\":"
                                        "\"lane\",\"lane\":\"lane1\",\"behind\":\"c1.1\"}],"
                                        "\"error\":null}")),
          "%.*s", HAFT__ARG(waits));
}

TEST(the_results_of_a_failed_run_and_of_a_question)
{
    haft_str failed = result_of("agent", "{\"replies\":[{\"error\":{\"status\":503,\"body\":\"busy"
                                         "\"}}]}");
    CHECK(
        haft__str_ends_with(failed, HAFT__LIT("\"error\":{\"status\":\"IO\",\"where\":\"HTTP 503\","
                                              "\"message\":\"the model gave no reply: busy\","
                                              "\"hint\":\"\"}}")),
        "%.*s", HAFT__ARG(failed));
    haft_str asked = result_of("agent; tools=request_user_input",
                               "{\"replies\":[{\"calls\":[{\"name\":\"request_user_input\","
                               "\"arguments\":{\"question\":\"Which?\"}}]}]}");
    CHECK(haft__str_ends_with(asked, HAFT__LIT("\"question\":\"Which?\",\"deadline\":null,"
                                               "\"binding\":null}],\"error\":null}")),
          "%.*s", HAFT__ARG(asked));
}
