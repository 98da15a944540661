/* SPDX-License-Identifier: Apache-2.0 */
/* Templates, and programs that stop and continue. */
#include "graph/program.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "json/read.h"

static haft__json read_json(haft__arena *arena, const char *text)
{
    haft__json value = {.kind = HAFT__JSON_NULL};
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

TEST(a_template_takes_its_values_from_the_view)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"{/t}", "text"},
        {"<{/n}>", "<1.50>"},
        {"{/o}", "{\"a\":[1,null],\"b\":2}"},
        {"{/o/a/0}{/o/b}", "12"},
        {"{/missing}", "null"},
        {"{t} {} {/t", "{t} {} {/t"},
        {"{{/t}}", "{text}"},
        {"{/~1~0}", "odd"},
        {"<{/l/*}>", "<a\"b\n\n{\"c\":1}\n\nd\n>"}, /* the items of a list */
        {"{/e/*}{/o/a/0/*}", "null"},
        {"{/s/*}", "star"}, /* a member of an object with this name */
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json view = read_json(&arena, "{\"t\":\"text\",\"n\":1.50,\"o\":{\"b\":2,\"a\":[1,null]},"
                                        "\"/~\":\"odd\",\"l\":[\"a\\\"b\",{\"c\":1},"
                                        "\"d\\n\"],\"e\":[],\"s\":{\"*\":\"star\"}}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str text = {NULL, 0};
        CHECK_INT(haft__graph_template(&arena, haft__str(rows[i].text), view, &text, NULL), HAFT_OK,
                  "%s", rows[i].text);
        const char *wanted = i == 3 ? "<1.5>" : rows[i].wanted;
        CHECK_STR(text, haft__str(wanted), "%s", rows[i].text);
    }
    haft__arena_finish(&arena);
}

TEST(a_text_of_a_template_past_its_maximum_is_rejected)
{
    haft__arena arena;
    haft_str text;
    haft__arena_init(&arena, 0);
    char *long_text = test_alloc(HAFT__LIMIT_GRAPH_TEXT_BYTES + 1);
    memset(long_text, 'x', HAFT__LIMIT_GRAPH_TEXT_BYTES + 1);
    for (size_t past = 0; past < 2; past++) {
        haft_str given = {long_text, HAFT__LIMIT_GRAPH_TEXT_BYTES + past};
        CHECK_INT(haft__graph_template(&arena, given, haft__json_null(), &text, NULL),
                  past == 0 ? HAFT_OK : HAFT_TOO_BIG, "past the limit: %zu", past);
    }
    haft__arena_finish(&arena);
}

TEST(a_program_continues_with_the_operation_that_failed)
{
    haft__arena arena;
    haft__graph_problems problems;
    const haft__graph *graph;
    haft__graph_program program;
    haft__graph_program_state state;
    haft__graph_request request;
    haft__graph_failure failure;
    haft__arena_init(&arena, 0);
    haft__json source = read_json(
        &arena, "{\"channels\":{\"l\":{\"reducer\":\"append\"}},\"nodes\":{\"a\":{\"do\":[]}},"
                "\"edges\":[{\"from\":\"start\",\"to\":\"a\"}]}");
    CHECK_INT(haft__graph_compile(&arena, source, haft__json_null(), &graph, &problems, NULL),
              HAFT_OK, "compiling the graph");
    haft__json ops = read_json(&arena, "[{\"set\":{\"l\":1}},{\"if\":{\"at\":\"/x\",\"op\":"
                                       "\"exists\"},\"then\":[{\"effect\":\"e {/x}\"},{\"fail\":"
                                       "\"no\",\"times\":1}]},{\"set\":{\"l\":2}}]");
    haft__json view = read_json(&arena, "{\"x\":7,\"$\":{\"node\":\"a\"}}");
    haft__json zero = read_json(&arena, "0"), one = read_json(&arena, "1");
    CHECK_INT(haft__graph_program_start(&program, &arena, graph, ops, view, NULL), HAFT_OK,
              "starting the program");
    const struct {
        const haft__json *result;
        haft__graph_program_state state;
        haft__graph_request_kind kind;
    } steps[] = {
        {NULL, HAFT__PROGRAM_REQUEST, HAFT__REQUEST_EFFECT},
        {&zero, HAFT__PROGRAM_REQUEST, HAFT__REQUEST_COUNT},
        {&zero, HAFT__PROGRAM_FAILED, HAFT__REQUEST_COUNT},
        {NULL, HAFT__PROGRAM_REQUEST, HAFT__REQUEST_COUNT},
        {&one, HAFT__PROGRAM_DONE, HAFT__REQUEST_COUNT},
    };
    for (size_t i = 0; i < COUNT(steps); i++) {
        CHECK_INT(
            haft__graph_program_run(&program, steps[i].result, &state, &request, &failure, NULL),
            HAFT_OK, "step %zu: status", i);
        CHECK_INT(state, steps[i].state, "step %zu: state", i);
        if (state == HAFT__PROGRAM_REQUEST) {
            CHECK_INT(request.kind, steps[i].kind, "step %zu: kind of the request", i);
        }
    }
    CHECK_INT(program.output.write_count, 2, "number of writes");
    haft__arena_finish(&arena);
}
