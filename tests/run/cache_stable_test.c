/* SPDX-License-Identifier: Apache-2.0 */
/* Standard runs against the encoder of every provider: each request begins with the bytes of the
 * one before, except where a change is declared (src/model/cache_audit.h). */
#include "model/cache_audit.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "run_help.h"

/* The requests of a run, as one provider gets them. */
typedef struct wire {
    const haft__provider *provider;
    haft__provider_conversation *conversation;
    haft__cache_audit audit;
    haft__buf body, causes;
} wire;

/* A run that goes on in another process has no kept text. */
static void check_fresh(const wire *w, const haft__request *request,
                        const haft__provider_request_options *options)
{
    haft__provider_conversation *fresh = NULL;
    haft__buf body;
    haft__buf_init(&body, 1 << 22);
    CHECK_INT(haft__conversation_create(w->provider, &fresh, NULL), HAFT_OK, "%s",
              w->provider->name);
    CHECK_INT(haft__conversation_write(fresh, request, options, &body, NULL), HAFT_OK, "%s",
              w->provider->name);
    CHECK_STR(haft__buf_str(&body), haft__buf_str(&w->body), "%s", w->provider->name);
    haft__conversation_destroy(fresh);
    haft__buf_finish(&body);
}

static void on_request(void *context, const haft__request *request)
{
    wire *w = context;
    haft__provider_request_options options = {.stream = true};
    haft__cache_finding found;
    haft__buf_clear(&w->body);
    CHECK_INT(haft__conversation_write(w->conversation, request, &options, &w->body, NULL), HAFT_OK,
              "%s", w->provider->name);
    check_fresh(w, request, &options);
    haft__cache_request sent = {.request = request,
                                .body = haft__buf_str(&w->body),
                                .stable = w->conversation->stable,
                                .apart = w->conversation->apart};
    CHECK(sent.stable > 0 && sent.stable < sent.body.len, "%s", w->provider->name);
    CHECK_INT(haft__cache_audit_compare(&w->audit, &sent, &found, NULL), HAFT_OK,
              "compare the requests");
    haft__buf_addf(&w->causes, "%s%s", w->causes.len > 0 ? " " : "",
                   haft__cache_cause_name(found.cause));
}

/* The causes of the requests of a run with this provider, separated by spaces. */
static haft_str play(const haft__provider *provider, const char *words, const char *script, wire *w)
{
    char spec[512];
    help_run r;
    *w = (wire){.provider = provider};
    haft__buf_init(&w->body, 1 << 22);
    haft__buf_init(&w->causes, 1 << 16);
    haft__cache_audit_init(&w->audit);
    CHECK_INT(haft__conversation_create(provider, &w->conversation, NULL), HAFT_OK, "%s",
              provider->name);
    (void)snprintf(spec, sizeof(spec), "%s; provider=%s", words, provider->name);
    help_run_init(&r, spec, script);
    r.drive.options.on_request = on_request;
    r.drive.options.request_context = w;
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s: %s", provider->name, r.err.message);
    CHECK(r.drive.run.stage == HAFT__RUN_ENDED, "%s: the run has not ended", provider->name);
    help_run_finish(&r);
    return haft__buf_str(&w->causes);
}

static void finish(wire *w)
{
    haft__conversation_destroy(w->conversation);
    haft__cache_audit_finish(&w->audit);
    haft__buf_finish(&w->body);
    haft__buf_finish(&w->causes);
}

/* Rows whose name can be written into a spec. */
static bool is_named(const haft__provider *provider)
{
    return strchr(provider->name, ' ') == NULL;
}

#define WORKFLOW                                                                                   \
    "workflow; tools=glob,grep,read,store_artifact,complete_workflow; min_tools=3; turns=9"

static const char workflow_script[] =
    "{\"replies\":[{\"calls\":[{\"name\":\"glob\",\"arguments\":{\"pattern\":\"*\"}}]},"
    "{\"calls\":[{\"name\":\"grep\",\"arguments\":{\"pattern\":\"a\"}},"
    "{\"name\":\"nothing\",\"arguments\":{}}]},"
    "{\"calls\":[{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}]},"
    "{\"calls\":[{\"name\":\"store_artifact\",\"arguments\":{\"name\":\"r\",\"content\":\"c\"}}]},"
    "{\"calls\":[{\"name\":\"complete_workflow\",\"arguments\":{\"summary\":\"s\"}}]},"
    "{\"text\":\"Done.\"}],"
    "\"results\":{\"glob\":[\"a\"],\"grep\":[\"a:1\"],\"read\":[\"b\"]}}";

/* A provider without subsets gets artifact tools when the gate opens: one declared break. */
TEST(a_workflow_breaks_the_prefix_only_where_the_gate_opens)
{
    size_t count;
    const haft__provider *all = haft__providers(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_named(&all[i])) {
            wire w;
            haft_str causes = play(&all[i], WORKFLOW, workflow_script, &w);
            CHECK_STR(causes,
                      all[i].capabilities.allowed_tools
                          ? HAFT__LIT("first none none none none none")
                          : HAFT__LIT("first none none gate_opened none none"),
                      "%s", all[i].name);
            finish(&w);
        }
    }
}

/* The second request is in another format where the provider accepts a constraint; the next one
 * continues the first. A correction is never a break. */
TEST(a_violation_does_not_break_the_prefix_of_later_requests)
{
    static const char script[] =
        "{\"replies\":[{\"calls\":[{\"name\":\"glob\",\"arguments\":{\"pattern\":\"*\"}}]},"
        "{\"text\":\"No.\"},{\"calls\":[{\"name\":\"grep\",\"arguments\":{\"pattern\":\"a\"}}]},"
        "{\"calls\":[{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}]},{\"text\":\"Done.\"}],"
        "\"results\":{\"glob\":[\"a\"],\"grep\":[\"a:1\"],\"read\":[\"b\"]}}";
    size_t count;
    const haft__provider *all = haft__providers(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_named(&all[i])) {
            wire w;
            bool constrains = all[i].capabilities.constraint != HAFT__CONSTRAINT_NONE;
            haft_str causes =
                play(&all[i], "agent; tools=glob,grep,read; min_tools=3; turns=9", script, &w);
            CHECK_STR(causes,
                      constrains ? HAFT__LIT("first none format none none")
                                 : HAFT__LIT("first none none none none"),
                      "%s", all[i].name);
            finish(&w);
        }
    }
}

static const char search_script[] =
    "{\"replies\":[{\"calls\":[{\"name\":\"tool_search\",\"arguments\":{\"query\":\"far\"}}]},"
    "{\"calls\":[{\"name\":\"docs:far_one\",\"arguments\":{}}]},{\"text\":\"Done.\"}],"
    "\"results\":{\"docs:far_one\":[\"a\"]}}";

TEST(a_search_that_reveals_tools_is_a_declared_break)
{
    size_t count;
    const haft__provider *all = haft__providers(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_named(&all[i])) {
            wire w;
            haft_str causes = play(&all[i],
                                   "agent; tools=tool_search,read; turns=9; "
                                   "server=docs,far_one",
                                   search_script, &w);
            CHECK_STR(causes, HAFT__LIT("first tools_revealed none"), "%s", all[i].name);
            finish(&w);
        }
    }
}

/* Models whose provider has a form for tools that come later. */
TEST(a_search_does_not_break_the_prefix_of_models_with_deferred_tools)
{
    static const struct {
        const char *provider, *model;
    } rows[] = {{"anthropic", "claude-opus-5-5"},
                {"anthropic", "claude-haiku-5-5"},
                {"openai", "gpt-5.5"},
                {"openai-responses", "gpt-6.1-sol"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char spec[256];
        wire w;
        haft__model_spec model = {.provider = haft__str(rows[i].provider)};
        (void)snprintf(spec, sizeof(spec),
                       "agent; tools=tool_search,read; turns=9; server=docs,far_one,other; "
                       "model=%s",
                       rows[i].model);
        haft_str causes = play(haft__provider_for_model(&model), spec, search_script, &w);
        CHECK_STR(causes, HAFT__LIT("first none none"), "%s", rows[i].model);
        haft_str last = help_keep(haft__buf_str(&w.body));
        const char *form =
            strcmp(rows[i].provider, "anthropic") == 0 ? "tool_reference" : "additional_tools";
        CHECK(strstr(last.ptr, form) != NULL, "%s: %s", rows[i].model, last.ptr);
        finish(&w);
    }
}
