/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/constraint.c: the constraints of replies in which a tool must be called.
 */
#include "run/offer/constraint.h"

#include "base/limits.h"
#include "format/gbnf_help.h"
#include "run/decide/decide.h"
#include "run/run_help.h"
#include "json/read.h"

/* ---- the support of servers ---- */

static const struct {
    const char *provider, *base_url, *options;
    haft__constraint_setting says;
    haft__constraint_kind kind;
    haft__schema_target target;
    const char *why;
} servers[] = {
    {"llamacpp", "", "null", HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_GBNF, 0,
     "its provider accepts a grammar"},
    {"openai", "", "null", HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_JSON_SCHEMA, HAFT__TARGET_OPENAI,
     "its provider accepts a JSON Schema"},
    {"vllm", "http://x", "{\"temperature\":0}", HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_JSON_SCHEMA,
     HAFT__TARGET_VLLM, "its provider accepts a JSON Schema"},
    {"ollama", "", "null", HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_JSON_SCHEMA, HAFT__TARGET_OLLAMA,
     "its provider accepts a JSON Schema"},
    {"openai", "http://x/v1", "null", HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_NONE, 0,
     "its server is unknown; model.constraint can name the constraint"},
    {"mistral", "", "null", HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_NONE, 0,
     "its server is unknown; model.constraint can name the constraint"},
    {"openai", "http://x/v1", "null", HAFT__CONSTRAIN_GRAMMAR, HAFT__CONSTRAINT_GBNF, 0,
     "model.constraint is grammar"},
    {"openai", "http://x/v1", "null", HAFT__CONSTRAIN_SCHEMA, HAFT__CONSTRAINT_JSON_SCHEMA,
     HAFT__TARGET_OPENAI, "model.constraint is schema"},
    {"llamacpp", "", "null", HAFT__CONSTRAIN_SCHEMA, HAFT__CONSTRAINT_JSON_SCHEMA,
     HAFT__TARGET_OLLAMA, "model.constraint is schema"},
    {"llamacpp", "", "null", HAFT__CONSTRAIN_NONE, HAFT__CONSTRAINT_NONE, 0,
     "model.constraint is none"},
    {"openai-responses", "", "{\"text\":{\"format\":{\"type\":\"text\"}}}", HAFT__CONSTRAIN_AUTO,
     HAFT__CONSTRAINT_NONE, 0, "model.options set a constraint of their own"},
    {"openai-responses", "", "{\"text\":{\"verbosity\":\"low\"}}", HAFT__CONSTRAIN_AUTO,
     HAFT__CONSTRAINT_JSON_SCHEMA, HAFT__TARGET_OPENAI, "its provider accepts a JSON Schema"},
    {"gemini", "", "{\"generationConfig\":{\"responseMimeType\":\"text/plain\"}}",
     HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_NONE, 0, "model.options set a constraint of their own"},
    {"gemini", "", "{\"generationConfig\":{\"topK\":1}}", HAFT__CONSTRAIN_AUTO,
     HAFT__CONSTRAINT_JSON_SCHEMA, HAFT__TARGET_GEMINI, "its provider accepts a JSON Schema"},
    {"openai", "", "{\"response_format\":{\"type\":\"text\"}}", HAFT__CONSTRAIN_AUTO,
     HAFT__CONSTRAINT_NONE, 0, "model.options set a constraint of their own"},
    {"llamacpp", "", "{\"grammar\":\"\"}", HAFT__CONSTRAIN_GRAMMAR, HAFT__CONSTRAINT_NONE, 0,
     "model.options set a constraint of their own"},
    {"offline", "", "null", HAFT__CONSTRAIN_GRAMMAR, HAFT__CONSTRAINT_NONE, 0,
     "the model has no server"},
    {"script", "", "null", HAFT__CONSTRAIN_AUTO, HAFT__CONSTRAINT_NONE, 0,
     "the model has no server"},
};

TEST(each_server_gets_a_constraint_that_it_supports)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(servers); i++) {
        haft__spec spec = {.model = {.provider = haft__str(servers[i].provider),
                                     .base_url = haft__str(servers[i].base_url),
                                     .options = help_json(&arena, servers[i].options),
                                     .constraint = servers[i].says}};
        haft__constraint_support force = haft__constraint_detect(&spec);
        CHECK_INT(force.kind, servers[i].kind, "case %zu", i);
        CHECK(force.kind != HAFT__CONSTRAINT_JSON_SCHEMA || force.target == servers[i].target,
              "case %zu", i);
        CHECK_STR(haft__str(force.why), haft__str(servers[i].why), "case %zu", i);
    }
    haft__arena_finish(&arena);
}

/* ---- runs ---- */

/* A run of a spec whose server is of a certain kind, up to its first request. */
typedef struct forced {
    help_run run;
    haft_str formats[1];
} forced;

static haft__spec *spec_of(forced *f)
{
    return &f->run.spec.spec;
}

static void begin(forced *f, const char *provider, const char *format, const char *spec,
                  const char *script)
{
    help_run_init(&f->run, spec, script);
    f->formats[0] = haft__str(format);
    spec_of(f)->model.provider = haft__str(provider);
    spec_of(f)->model.options = haft__json_null();
    spec_of(f)->formats = f->formats;
    spec_of(f)->format_count = 1;
}

static haft__request request_of(forced *f)
{
    haft__request request = {0};
    CHECK_INT(haft__decide_request(&f->run.drive.run, &f->run.arena, &request, NULL), HAFT_OK, "%s",
              "the request");
    return request;
}

static const struct {
    const char *name, *provider, *format, *spec;
    const char *request_format, *reply_format, *constraint;
    bool strict;
} turns[] = {
    {"a grammar in the dialect", "llamacpp", "hermes", "agent; default=any; tools=look,find",
     "hermes", "hermes", "gbnf", false},
    {"a grammar of one tool", "llamacpp", "mistral", "agent; default=look; tools=look,find",
     "mistral", "mistral", "gbnf", false},
    {"a schema", "vllm", "hermes", "agent; default=any; tools=look,find", "hermes", "purejson",
     "json_schema", false},
    {"OpenAI's rules", "openai", "pythonic", "agent; default=any; tools=look,find", "pythonic",
     "purejson", "json_schema", true},
    {"arguments that strict mode cannot express", "openai", "purejson",
     "agent; default=any; tools=look,find!open", "purejson", "purejson", "json_schema", false},
    {"arguments of a tool that is not forced", "openai", "purejson",
     "agent; default=look; tools=look,find!open", "purejson", "purejson", "json_schema", true},
    {"nothing is forced", "openai", "hermes", "agent; tools=look,find", "hermes", "", "none",
     false},
    {"nothing may be called", "openai", "hermes", "agent; turns=1; tools=look", "hermes", "",
     "none", false},
    {"native comes first", "openai", "native", "agent; default=any; tools=look", "native", "",
     "none", false},
    {"a server that is not known", "mistral", "hermes", "agent; default=any; tools=look", "hermes",
     "", "none", false},
};

TEST(forced_turns_in_a_text_format_are_constrained)
{
    for (size_t i = 0; i < COUNT(turns); i++) {
        forced f;
        begin(&f, turns[i].provider, turns[i].format, turns[i].spec,
              "{\"replies\":[{\"error\":{}}]}");
        /* the failure ends the run; the request is that of the turn */
        CHECK_INT(help_run_go(&f.run), HAFT_OK, "%s: %s", turns[i].name, f.run.err.message);
        haft__request request = request_of(&f);
        CHECK_STR(request.format, haft__str(turns[i].request_format), "%s", turns[i].name);
        CHECK_STR(request.reply_format, haft__str(turns[i].reply_format), "%s", turns[i].name);
        CHECK_STR(haft__str(haft__constraint_name(request.constraint.kind)),
                  haft__str(turns[i].constraint), "%s", turns[i].name);
        CHECK_INT(request.constraint.strict, turns[i].strict, "%s", turns[i].name);
        if (request.constraint.kind == HAFT__CONSTRAINT_GBNF) {
            const char *why = NULL;
            gbnf *grammar = gbnf_read(request.constraint.text, &why);
            CHECK(grammar != NULL, "%s: %s", turns[i].name, why);
            gbnf_free(grammar);
        }
        help_run_finish(&f.run);
    }
}

/* If a tool accepts any arguments, the constraint allows any; the report names what is relaxed. */
TEST(open_arguments_are_not_constrained)
{
    forced f;
    haft__relax_report report;
    haft__buf notes;
    begin(&f, "openai", "purejson", "agent; default=any; tools=look,find!open",
          "{\"replies\":[{\"error\":{}}]}");
    CHECK_INT(help_run_go(&f.run), HAFT_OK, "%s", f.run.err.message);
    haft__request request = request_of(&f);
    haft_str open = HAFT__LIT("\"args\":{\"type\":\"object\"}");
    CHECK(memmem(request.constraint.text.ptr, request.constraint.text.len, open.ptr, open.len)
              != NULL,
          "%.*s", HAFT__ARG(request.constraint.text));
    haft__relax_report_init(&report, &f.run.arena);
    haft__buf_init(&notes, 1 << 16);
    CHECK_INT(haft__constraint_apply(spec_of(&f), HAFT__LIT("purejson"), false, &request,
                                     &f.run.arena, &report, NULL),
              HAFT_OK, "%s", "the report");
    haft__relax_report_write(&notes, &report);
    CHECK_STR(haft__str_trim(haft__buf_str(&notes)),
              HAFT__LIT("/find: strict mode became off: the mode cannot express an object with "
                        "any members"),
              "%s", "the report");
    haft__buf_finish(&notes);
    help_run_finish(&f.run);
}

/* ---- strings that would use up the reply ---- */

TEST(a_bounded_reply_bounds_strings_in_its_grammar)
{
    static const struct {
        const char *options, *found; /* NULL: no bound */
    } rows[] = {
        {"{\"max_tokens\":200}", "{0,100}"},
        {"{\"max_completion_tokens\":64}", "{0,32}"},
        {"{\"num_predict\":1001}", "{0,500}"},
        {"{\"num_predict\":1002}", NULL}, /* 501 is above the limit of repetitions */
        {"{\"max_tokens\":1}", NULL},
        {"{\"max_tokens\":-1}", NULL},
        {"{\"max_tokens\":null,\"num_predict\":64}", "{0,32}"},
        {"{\"max_tokens\":1e99}", NULL},
        {"{\"temperature\":0}", NULL},
        {"null", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        forced f;
        begin(&f, "llamacpp", "hermes", "agent; default=any; tools=look",
              "{\"replies\":[{\"error\":{}}]}");
        haft__tool one = *spec_of(&f)->tools.items[0];
        one.input_schema = help_json(&f.run.arena, "{\"type\":\"object\",\"properties\":{\"q\":"
                                                   "{\"type\":\"string\"}}}");
        const haft__tool *tools[] = {&one};
        static const bool allowed[] = {true};
        haft__request request = {.mode = HAFT__MODE_ANY,
                                 .tools = tools,
                                 .allowed = allowed,
                                 .tool_count = 1,
                                 .format = HAFT__LIT("hermes")};
        spec_of(&f)->model.options = help_json(&f.run.arena, rows[i].options);
        CHECK_INT(haft__constraint_apply(spec_of(&f), HAFT__LIT("hermes"), false, &request,
                                         &f.run.arena, NULL, NULL),
                  HAFT_OK, "%s", rows[i].options);
        haft_str text = request.constraint.text;
        const char *wanted = rows[i].found != NULL ? rows[i].found : "char{";
        bool has = memmem(text.ptr, text.len, wanted, strlen(wanted)) != NULL;
        CHECK(has == (rows[i].found != NULL), "%s: %.*s", rows[i].options, HAFT__ARG(text));
        help_run_finish(&f.run);
    }
}

/* ---- reasoning ---- */

TEST(only_a_model_that_is_known_to_reason_may_do_so)
{
    static const struct {
        const char *family, *think;
        bool inside, may;
    } rows[] = {
        {"", NULL, false, false},
        {"SmolLM2", NULL, false, false},
        {"Qwen 3", "<think>", false, true},
        {"QwQ", "<think>", true, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        forced f;
        begin(&f, "llamacpp", "hermes", "agent; default=any; tools=look",
              "{\"replies\":[{\"error\":{}}]}");
        const haft__tool *tools[] = {spec_of(&f)->tools.items[0]};
        static const bool allowed[] = {true};
        haft__request request = {.mode = HAFT__MODE_ANY,
                                 .tools = tools,
                                 .allowed = allowed,
                                 .tool_count = 1,
                                 .format = HAFT__LIT("hermes")};
        haft__model_spec *model = &spec_of(&f)->model;
        model->family.name = haft__str(rows[i].family);
        model->family.reasoning_open = rows[i].think;
        model->starts_in_reasoning = rows[i].inside;
        CHECK_INT(haft__constraint_apply(spec_of(&f), HAFT__LIT("hermes"), false, &request,
                                         &f.run.arena, NULL, NULL),
                  HAFT_OK, "%s", rows[i].family);
        haft_str text = request.constraint.text;
        CHECK((memmem(text.ptr, text.len, "</think>", 8) != NULL) == rows[i].may, "%s: %.*s",
              rows[i].family, HAFT__ARG(text));
        help_run_finish(&f.run);
    }
}

/* ---- tools that cannot be expressed ---- */

TEST(tools_that_cannot_be_expressed_are_requested_without_a_constraint)
{
    forced f;
    begin(&f, "llamacpp", "hermes", "agent; default=any; tools=look", "{\"replies\":[{}]}");
    haft__request request = {.mode = HAFT__MODE_ANY, .format = HAFT__LIT("hermes")};
    CHECK_INT(haft__constraint_apply(spec_of(&f), HAFT__LIT("hermes"), false, &request,
                                     &f.run.arena, NULL, NULL),
              HAFT_OK, "apply without tools");
    CHECK_INT(request.constraint.kind, HAFT__CONSTRAINT_NONE, "no constraint without tools");
    CHECK_INT(haft__constraint_apply(spec_of(&f), HAFT__LIT("native"), false, &request,
                                     &f.run.arena, NULL, NULL),
              HAFT_OK, "apply to the native format");
    spec_of(&f)->model.constraint = HAFT__CONSTRAIN_NONE;
    CHECK_INT(haft__constraint_apply(spec_of(&f), HAFT__LIT("hermes"), false, &request,
                                     &f.run.arena, NULL, NULL),
              HAFT_OK, "apply without a supported constraint");
    CHECK_INT(request.constraint.kind, HAFT__CONSTRAINT_NONE, "the request has no constraint");
    help_run_finish(&f.run);
}

/* A tool whose names alone exceed the size of a grammar. */
TEST(a_grammar_that_would_be_too_large_is_left_out)
{
    forced f;
    begin(
        &f, "vllm", "hermes", "agent; default=any; tools=look",
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"ok\"}],\"results\":{\"look\":"
        "\"r\"}}");
    haft__buf schema;
    haft__buf_init(&schema, 1 << 20);
    haft__buf_addf(&schema, "{\"type\":\"object\",\"properties\":{\"q\":{\"enum\":[");
    for (int i = 0; schema.len < HAFT__LIMIT_GRAMMAR_BYTES + 100; i++) {
        haft__buf_addf(&schema, "%s\"value %d\"", i > 0 ? "," : "", i);
    }
    haft__buf_addf(&schema, "]}}}");
    haft__tool large = *spec_of(&f)->tools.items[0];
    haft__json value = haft__json_null();
    CHECK_INT(
        haft__json_read(&f.run.arena, help_keep(haft__buf_str(&schema)), NULL, &value, NULL, NULL),
        HAFT_OK, "the schema is JSON");
    large.input_schema = value;
    const haft__tool *tools[] = {&large};
    static const bool allowed[] = {true};
    haft__request request = {.mode = HAFT__MODE_ANY,
                             .tools = tools,
                             .allowed = allowed,
                             .tool_count = 1,
                             .format = HAFT__LIT("hermes")};
    CHECK_INT(haft__constraint_apply(spec_of(&f), HAFT__LIT("hermes"), false, &request,
                                     &f.run.arena, NULL, NULL),
              HAFT_OK, "apply a grammar that is too large");
    CHECK_INT(request.constraint.kind, HAFT__CONSTRAINT_NONE, "the constraint is left out");
    haft__buf_finish(&schema);
    help_run_finish(&f.run);
}

/* ---- the limit of an event ---- */

TEST(an_event_lists_some_relaxations_and_counts_all)
{
    for (size_t count = HAFT__LIMIT_EVENT_RELAXED; count <= HAFT__LIMIT_EVENT_RELAXED + 1;
         count++) {
        /* each tool has two optional arguments, except one, which has none */
        char words[256] = "agent; default=any; provider=openai; format=hermes; tools=";
        for (size_t i = 0; i < (count + 1) / 2; i++) {
            size_t used = strlen(words);
            (void)snprintf(words + used, sizeof(words) - used, "%st%zu", i > 0 ? "," : "", i);
        }
        help_run r;
        help_run_init(&r, words, "{\"replies\":[{\"error\":{}}]}");
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
        size_t lines = 0, total = (count + 1) / 2 * 2;
        haft_str log = haft__buf_str(&r.log);
        for (size_t i = 0; i + 12 < log.len; i++) {
            lines += memcmp(log.ptr + i, "may be null\"", 12) == 0;
        }
        char wanted[40];
        (void)snprintf(wanted, sizeof(wanted), "\"relaxed_count\":%zu}", total);
        CHECK_INT(lines, total < HAFT__LIMIT_EVENT_RELAXED ? total : HAFT__LIMIT_EVENT_RELAXED,
                  "listed of %zu relaxations", total);
        CHECK(memmem(log.ptr, log.len, wanted, strlen(wanted)) != NULL, "%.*s", HAFT__ARG(log));
        help_run_finish(&r);
    }
}

TEST(constraints_survive_failed_allocations)
{
    for (size_t i = 0; i < 4; i++) {
        forced f;
        begin(&f, turns[i].provider, turns[i].format, turns[i].spec,
              "{\"replies\":[{\"error\":{}}]}");
        CHECK_INT(help_run_go(&f.run), HAFT_OK, "%s", f.run.err.message);
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__request request;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__decide_request(&f.run.drive.run, &arena, &request, NULL);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", turns[i].name,
                      n);
            haft__arena_finish(&arena);
            if (!failed) {
                break;
            }
        }
        help_run_finish(&f.run);
    }
}
