/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/optional_member.c and the tables of the wire formats. */
#include "model/optional_member.h"

#include "model/provider.h"
#include "test.h"

#define BIT(name) HAFT__MEMBER_BIT(HAFT__MEMBER_##name)

static const haft__optional_member table[] = {
    {"allowed_tools", HAFT__MEMBER_ALLOWED_TOOLS, {"tool_choice"}},
    {"tool_choice", HAFT__MEMBER_TOOL_CHOICE, {NULL}},
    {"parallel_tool_calls", HAFT__MEMBER_PARALLEL, {NULL}},
    {"stream_options", HAFT__MEMBER_STREAM_OPTIONS, {"include_usage"}},
    {"grammar", HAFT__MEMBER_GRAMMAR, {NULL}},
    {"response_format", HAFT__MEMBER_SCHEMA, {"json_schema", "strict"}},
    {NULL, HAFT__MEMBER_COUNT, {NULL}},
};

static const struct {
    const char *name;
    haft__member_set sent, accepted;
    uint32_t status;
    haft__failure_kind kind;
    const char *param, *body;
    const char *refused; /* NULL: none */
} rows[] = {
    {"named", BIT(STREAM_OPTIONS) | BIT(PARALLEL), 0, 400, HAFT__FAILURE_OTHER, "",
     "Unrecognized request argument supplied: parallel_tool_calls", "parallel_tool_calls"},
    {"named by another word", BIT(STREAM_OPTIONS) | BIT(PARALLEL), 0, 422, HAFT__FAILURE_OTHER, "",
     "{\"detail\":[{\"loc\":[\"body\",\"include_usage\"]}]}", "stream_options"},
    {"named in param", BIT(TOOL_CHOICE) | BIT(PARALLEL), 0, 400, HAFT__FAILURE_OTHER, "tool_choice",
     "{\"error\":{\"message\":\"no\",\"param\":\"tool_choice\"}}", "tool_choice"},
    {"the first row counts", BIT(ALLOWED_TOOLS) | BIT(TOOL_CHOICE), 0, 400, HAFT__FAILURE_OTHER,
     "tool_choice.type", "\"tool_choice.type\": expected none, auto or required", "allowed_tools"},
    {"a part of a longer word does not count", BIT(PARALLEL) | BIT(STREAM_OPTIONS), 0, 400,
     HAFT__FAILURE_OTHER, "", "my_stream_options, stream_options2", NULL},
    {"named, but not sent", BIT(PARALLEL) | BIT(STREAM_OPTIONS), 0, 400, HAFT__FAILURE_OTHER,
     "tool_choice", "tool_choice is bad", NULL},
    {"the only optional member", BIT(STREAM_OPTIONS), 0, 400, HAFT__FAILURE_OTHER, "",
     "bad request", "stream_options"},
    {"the only optional member, but the server names another", BIT(STREAM_OPTIONS), 0, 400,
     HAFT__FAILURE_OTHER, "model", "no such model", NULL},
    {"the only optional member, but the message names another", BIT(STREAM_OPTIONS), 0, 400,
     HAFT__FAILURE_OTHER, "", "The parameter temperature is not supported.", NULL},
    {"the message names a nested option", BIT(STREAM_OPTIONS), 0, 400, HAFT__FAILURE_OTHER, "",
     "Unknown name \"top_k\" at 'generation_config'", NULL},
    {"the message names no option of the spec", BIT(STREAM_OPTIONS), 0, 400, HAFT__FAILURE_OTHER,
     "", "The parameter seed is not supported.", "stream_options"},
    {"the message names a part of the conversation", BIT(STREAM_OPTIONS), 0, 400,
     HAFT__FAILURE_OTHER, "", "messages[1].role: expected user", NULL},
    {"the same as a path", BIT(STREAM_OPTIONS), 0, 400, HAFT__FAILURE_OTHER, "",
     "messages.1.role: expected user", NULL},
    {"the same in quotes", BIT(STREAM_OPTIONS), 0, 422, HAFT__FAILURE_OTHER, "",
     "{\"detail\":[{\"loc\":[\"body\",\"messages\",1]}]}", NULL},
    {"common words are not names", BIT(STREAM_OPTIONS), 0, 400, HAFT__FAILURE_OTHER, "",
     "The model rejects these messages. Try 'a model'", "stream_options"},
    {"two members may be the cause", BIT(STREAM_OPTIONS) | BIT(TOOL_CHOICE), 0, 400,
     HAFT__FAILURE_OTHER, "", "bad request", NULL},
    {"one of two was accepted before", BIT(STREAM_OPTIONS) | BIT(TOOL_CHOICE), BIT(STREAM_OPTIONS),
     400, HAFT__FAILURE_OTHER, "", "bad request", "tool_choice"},
    {"an accepted choice may have had another value", BIT(TOOL_CHOICE), BIT(TOOL_CHOICE), 400,
     HAFT__FAILURE_OTHER, "", "bad request", "tool_choice"},
    {"all were accepted before", BIT(STREAM_OPTIONS), BIT(STREAM_OPTIONS), 400, HAFT__FAILURE_OTHER,
     "", "bad request", NULL},
    {"not found", BIT(STREAM_OPTIONS), 0, 404, HAFT__FAILURE_OTHER, "", "no such page", NULL},
    {"a grammar is tried first", BIT(GRAMMAR) | BIT(STREAM_OPTIONS), 0, 400, HAFT__FAILURE_OTHER,
     "", "no", "grammar"},
    {"a schema", BIT(SCHEMA), 0, 422, HAFT__FAILURE_OTHER, "", "no", "response_format"},
    {"a schema, but another member is named", BIT(SCHEMA) | BIT(STREAM_OPTIONS), 0, 400,
     HAFT__FAILURE_OTHER, "", "stream_options", "stream_options"},
    {"a server error with a constraint", BIT(GRAMMAR), 0, 500, HAFT__FAILURE_TRANSIENT, "", "no",
     "grammar"},
    {"a server without grammars", BIT(GRAMMAR), 0, 501, HAFT__FAILURE_TRANSIENT, "", "no",
     "grammar"},
    {"a server error without a constraint", BIT(STREAM_OPTIONS), 0, 500, HAFT__FAILURE_TRANSIENT,
     "", "stream_options", NULL},
    {"busy", BIT(GRAMMAR), 0, 503, HAFT__FAILURE_TRANSIENT, "", "grammar", NULL},
    {"too many requests", BIT(GRAMMAR), 0, 429, HAFT__FAILURE_TRANSIENT, "", "grammar", NULL},
    {"a wrong key", BIT(GRAMMAR), 0, 401, HAFT__FAILURE_AUTH, "", "grammar", NULL},
    {"the context is too long", BIT(GRAMMAR), 0, 413, HAFT__FAILURE_CONTEXT, "", "grammar", NULL},
    {"no response", BIT(GRAMMAR), 0, 0, HAFT__FAILURE_OTHER, "", "grammar", NULL},
    {"no optional member was sent", 0, 0, 400, HAFT__FAILURE_OTHER, "", "grammar", NULL},
};

static const char *const required[] = {"model", "messages", NULL};

/* {"temperature": 1, "generationConfig": {"top_k": 1}} */
static haft__json options_of_spec(void)
{
    static haft__json_member nested[1], all[2];
    nested[0] = (haft__json_member){.key = haft__json_string(HAFT__LIT("top_k"))};
    all[0] = (haft__json_member){.key = haft__json_string(HAFT__LIT("temperature"))};
    all[1] = (haft__json_member){.key = haft__json_string(HAFT__LIT("generationConfig")),
                                 .value = haft__json_object(nested, COUNT(nested))};
    return haft__json_object(all, COUNT(all));
}

TEST(a_rejected_member_is_named_or_the_only_one)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__model_failure failure = {
            .status = rows[i].status, .kind = rows[i].kind, .param = haft__str(rows[i].param)};
        haft__member_refusal refusal = {.failure = &failure,
                                        .body = haft__str(rows[i].body),
                                        .sent = rows[i].sent,
                                        .accepted = rows[i].accepted,
                                        .options = options_of_spec(),
                                        .required = required};
        const haft__optional_member *found = haft__member_find_refused(table, &refusal);
        CHECK_STR(haft__str(found != NULL ? found->name : ""),
                  haft__str(rows[i].refused != NULL ? rows[i].refused : ""), "%s", rows[i].name);
    }
}

TEST(members_with_several_rows_are_listed_once)
{
    static const haft__optional_member rows_of_two[] = {
        {"a", HAFT__MEMBER_EFFORT, {NULL}},
        {"b", HAFT__MEMBER_SCHEMA, {NULL}},
        {"a", HAFT__MEMBER_EFFORT, {"c"}},
        {NULL, HAFT__MEMBER_COUNT, {NULL}},
    };
    const haft__optional_member *row =
        haft__member_next_row(rows_of_two, rows_of_two, BIT(EFFORT) | BIT(SCHEMA));
    CHECK(row == &rows_of_two[1], "the other member follows");
    CHECK(haft__member_next_row(rows_of_two, row, BIT(EFFORT) | BIT(SCHEMA)) == NULL, "the end");
    CHECK(haft__member_next_row(rows_of_two, rows_of_two, BIT(EFFORT)) == NULL, "no other member");
}

static const haft__optional_member *table_of(const char *name)
{
    haft__model_spec model = {.provider = haft__str(name)};
    return haft__provider_for_model(&model)->api->optional_members;
}

TEST(errors_about_output_config_name_the_effort_or_the_schema)
{
    static const struct {
        haft__member_set sent;
        const char *body, *refused;
    } errors[] = {
        {BIT(EFFORT) | BIT(SCHEMA), "output_config.effort: not supported", "output_config.effort"},
        {BIT(EFFORT) | BIT(SCHEMA), "output_config.format.schema: bad", "output_config.format"},
        {BIT(EFFORT) | BIT(SCHEMA), "output_config: Extra inputs", "output_config.format"},
        {BIT(EFFORT) | BIT(CACHE), "output_config: Extra inputs", "output_config.effort"},
    };
    for (size_t i = 0; i < COUNT(errors); i++) {
        haft__model_failure failure = {
            .status = 400, .kind = HAFT__FAILURE_OTHER, .param = HAFT__LIT("")};
        haft__member_refusal refusal = {
            .failure = &failure, .body = haft__str(errors[i].body), .sent = errors[i].sent};
        const haft__optional_member *found =
            haft__member_find_refused(table_of("anthropic"), &refusal);
        CHECK_STR(haft__str(found != NULL ? found->name : ""), haft__str(errors[i].refused),
                  "case %zu", i);
    }
}

TEST(haft_guesses_once_for_a_request)
{
    haft__model_failure failure = {
        .status = 400, .kind = HAFT__FAILURE_OTHER, .param = HAFT__LIT("")};
    haft__member_refusal refusal = {.failure = &failure,
                                    .body = HAFT__LIT("no"),
                                    .sent = BIT(STREAM_OPTIONS) | BIT(GRAMMAR),
                                    .again = true};
    CHECK(haft__member_find_refused(table, &refusal) == NULL, "haft does not guess twice");
    refusal.body = HAFT__LIT("stream_options");
    const haft__optional_member *found = haft__member_find_refused(table, &refusal);
    CHECK_STR(haft__str(found != NULL ? found->name : ""), HAFT__LIT("stream_options"),
              "a member that the error names");
}

TEST(a_request_says_which_constraint_it_has)
{
    haft__request request = {.constraint = {.kind = HAFT__CONSTRAINT_NONE}};
    CHECK_INT(haft__member_of_constraint(&request), 0, "a request without a constraint");
    request.constraint.kind = HAFT__CONSTRAINT_GBNF;
    CHECK_INT(haft__member_of_constraint(&request), BIT(GRAMMAR), "a request with a grammar");
    request.constraint.kind = HAFT__CONSTRAINT_JSON_SCHEMA;
    CHECK_INT(haft__member_of_constraint(&request), BIT(SCHEMA), "a request with a schema");
}

/* An event has only the name: it must mean the same member in every wire format. */
TEST(a_name_means_one_member_in_all_wire_formats)
{
    size_t count = 0;
    const haft__provider *providers = haft__providers(&count);
    haft__member found = HAFT__MEMBER_COUNT;
    for (size_t i = 0; i < count; i++) {
        const haft__optional_member *row = providers[i].api->optional_members;
        for (; row->name != NULL; row++) {
            CHECK(haft__provider_find_member(haft__str(row->name), &found), "%s", row->name);
            CHECK_INT(found, row->member, "%s of %s", row->name, providers[i].name);
        }
    }
    CHECK(!haft__provider_find_member(HAFT__LIT("messages"), &found),
          "a required member is not optional");
    CHECK(!haft__provider_find_member(HAFT__LIT(""), &found), "an empty name");
}

TEST(a_member_that_is_left_out_is_not_sent)
{
    haft__member_set sent = 0;
    haft__provider_request_options options = {.without = BIT(PARALLEL), .sent = &sent};
    CHECK(!haft__provider_use_member(&options, HAFT__MEMBER_PARALLEL), "the member is left out");
    CHECK(haft__provider_use_member(&options, HAFT__MEMBER_STRICT), "the member is sent");
    CHECK_INT(sent, BIT(STRICT), "the sent members are reported");
    options.sent = NULL;
    CHECK(haft__provider_use_member(&options, HAFT__MEMBER_STRICT),
          "the member is sent without a report");
}

/* ---- members that a server has rejected ---- */

static haft__refusal refusal(haft__member member, uint64_t text, uint64_t at_ms)
{
    return (haft__refusal){.member = member, .status = 400, .text = text, .at_ms = at_ms};
}

TEST(a_refused_schema_says_nothing_about_another_one)
{
    haft__request request = {.constraint = {.kind = HAFT__CONSTRAINT_JSON_SCHEMA,
                                            .text = HAFT__LIT("{\"type\":\"object\"}")}};
    haft__member_texts one = haft__member_texts_of(&request, HAFT__LIT("[1]"));
    request.constraint.text = HAFT__LIT("{\"type\":\"string\"}");
    haft__member_texts other = haft__member_texts_of(&request, HAFT__LIT("[2]"));
    haft__refusals known = {.count = 0};
    haft__member_set texts = HAFT__MEMBER_BIT(HAFT__MEMBER_SCHEMA)
                             | HAFT__MEMBER_BIT(HAFT__MEMBER_STRICT),
                     parallel = HAFT__MEMBER_BIT(HAFT__MEMBER_PARALLEL);
    haft__refusals_add(&known, refusal(HAFT__MEMBER_SCHEMA, one.hash[HAFT__MEMBER_SCHEMA], 5));
    haft__refusals_add(&known, refusal(HAFT__MEMBER_STRICT, one.hash[HAFT__MEMBER_STRICT], 5));
    haft__refusals_add(&known, refusal(HAFT__MEMBER_PARALLEL, one.hash[HAFT__MEMBER_PARALLEL], 5));
    CHECK_INT(haft__refusals_of(&known, &one, 5), texts | parallel, "the same texts");
    CHECK_INT(haft__refusals_of(&known, &other, 5), parallel, "other texts");
}

TEST(a_refusal_is_forgotten_after_a_day)
{
    const haft__member_texts texts = {.hash = {0}};
    haft__refusals known = {.count = 0};
    haft__refusals_add(&known, refusal(HAFT__MEMBER_PARALLEL, 0, 1000));
    CHECK(haft__refusals_find(&known, HAFT__MEMBER_PARALLEL, &texts,
                              1000 + HAFT__LIMIT_MODEL_REFUSAL_MS - 1)
              != NULL,
          "just before");
    CHECK(haft__refusals_find(&known, HAFT__MEMBER_PARALLEL, &texts,
                              1000 + HAFT__LIMIT_MODEL_REFUSAL_MS)
              == NULL,
          "a day later");
    CHECK(haft__refusals_find(&known, HAFT__MEMBER_PARALLEL, &texts, 999) == NULL,
          "a time in the future");
    haft__refusals_add(&known, refusal(HAFT__MEMBER_PARALLEL, 0, 2000));
    CHECK_INT(known.count, 1, "a newer refusal replaces the older one");
    CHECK(haft__refusals_find(&known, HAFT__MEMBER_PARALLEL, &texts,
                              1000 + HAFT__LIMIT_MODEL_REFUSAL_MS)
              != NULL,
          "the newer one counts");
}

TEST(the_oldest_of_too_many_refusals_is_forgotten)
{
    haft__refusals known = {.count = 0};
    haft__member_texts texts = {.hash = {0}};
    for (size_t i = 0; i < HAFT__LIMIT_MODEL_REFUSALS; i++) {
        haft__refusals_add(&known, refusal(HAFT__MEMBER_SCHEMA, i + 1, i == 3 ? 1 : 10 + i));
    }
    texts.hash[HAFT__MEMBER_SCHEMA] = 4;
    CHECK_INT(known.count, HAFT__LIMIT_MODEL_REFUSALS, "as many as the limit");
    CHECK(haft__refusals_find(&known, HAFT__MEMBER_SCHEMA, &texts, 100) != NULL, "the oldest");
    haft__refusals_add(&known, refusal(HAFT__MEMBER_SCHEMA, 999, 100));
    CHECK_INT(known.count, HAFT__LIMIT_MODEL_REFUSALS, "one more");
    CHECK(haft__refusals_find(&known, HAFT__MEMBER_SCHEMA, &texts, 100) == NULL,
          "the oldest is kept");
    texts.hash[HAFT__MEMBER_SCHEMA] = 999;
    CHECK(haft__refusals_find(&known, HAFT__MEMBER_SCHEMA, &texts, 100) != NULL,
          "the new one is lost");
}
