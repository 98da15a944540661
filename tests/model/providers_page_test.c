/* SPDX-License-Identifier: Apache-2.0 */
/* docs/providers.md shows the tables of src/model/providers.c, tool_schema.c and model_rules.c.
 * `HAFT_RENEW=1 make test T=providers_page` writes the page; otherwise the tests compare it. */
#include "model/model_rules.h"
#include "model/provider.h"
#include "model/providers/openai_chat/openai_chat.h"

#include "base/str.h"
#include "run/scenario_help.h"
#include "test.h"
#include "tool/wire_name.h"

#define PAGE "docs/providers.md"

static void add_flag(haft__buf *page, bool flag)
{
    haft__buf_addf(page, " %s |", flag ? "yes" : "");
}

static void add_code(haft__buf *page, const char *text)
{
    haft__buf_addf(page, text[0] != '\0' ? " `%s` |" : " %s |", text);
}

static void add_count(haft__buf *page, unsigned count)
{
    if (count > 0) {
        haft__buf_addf(page, " %u |", count);
    } else {
        haft__buf_addf(page, " |");
    }
}

static void add_words(haft__buf *page, const char *const *words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        haft__buf_addf(page, "%s`%s`", i > 0 ? ", " : "", words[i]);
    }
}

/* ---- cells ---- */

static void add_server(haft__buf *page, const haft__provider *p)
{
    add_code(page, p->base_url);
    add_code(page, p->base_url_env);
    add_code(page, p->key_env);
    add_flag(page, p->needs_key);
}

static void add_choice(haft__buf *page, const haft__provider *p)
{
    const haft__provider_capabilities *capabilities = &p->capabilities;
    add_code(page, p->chat.must_call);
    add_flag(page, capabilities->named_choice);
    add_flag(page, capabilities->allowed_tools);
    add_flag(page, capabilities->parallel);
    add_flag(page, !capabilities->no_forced_thinking);
}

static const char *constraint_field(const haft__provider *p)
{
    switch (p->capabilities.constraint) {
    case HAFT__CONSTRAINT_GBNF: return "grammar";
    case HAFT__CONSTRAINT_JSON_SCHEMA: return p->api->schema_field;
    case HAFT__CONSTRAINT_NONE: return "";
    }
    return "";
}

static const char *schema_name(const haft__tool_schema_rules *rules)
{
    return rules == NULL                           ? "any"
           : rules == &haft__tool_schema_openai    ? "[openai](#schemas-of-tools)"
           : rules == &haft__tool_schema_anthropic ? "[anthropic](#schemas-of-tools)"
           : rules == &haft__tool_schema_gemini    ? "[gemini](#schemas-of-tools)"
                                                   : "[ollama](#schemas-of-tools)";
}

static void add_tools(haft__buf *page, const haft__provider *p)
{
    const haft__provider_capabilities *capabilities = &p->capabilities;
    add_code(page, capabilities->name_chars != NULL ? capabilities->name_chars : "");
    add_count(page, capabilities->name_bytes);
    add_count(page, capabilities->max_tools);
    haft__buf_addf(page, " %s |", schema_name(capabilities->tool_schema));
    add_flag(page, capabilities->strict_tools);
    add_code(page, constraint_field(p));
}

static void add_cache_price(haft__buf *page, const haft__provider_capabilities *c)
{
    if (c->cache_write_percent > 0) {
        haft__buf_addf(page, " %u %%, for an hour %u %% |", c->cache_write_percent,
                       c->cache_write_1h_percent);
    } else {
        haft__buf_addf(page, " |");
    }
}

static void add_cache(haft__buf *page, const haft__provider *p)
{
    const haft__provider_capabilities *capabilities = &p->capabilities;
    haft__buf_addf(page, " %s |",
                   capabilities->cache == HAFT__CACHE_MARKS ? "up to marks that haft sets"
                                                            : "automatic");
    add_flag(page, !capabilities->choice_breaks_cache);
    haft__buf_addf(page, p->chat.reasoning[0] != '\0' ? " `%s`%s |" : " %s%s |", p->chat.reasoning,
                   p->chat.needs_reasoning ? ", always" : "");
    add_code(page, p->chat.max_tokens);
    add_cache_price(page, capabilities);
    static const char *const forms[] = {[HAFT__DEFERRAL_NONE] = "",
                                        [HAFT__DEFERRAL_DECLARED] = "declared from the start",
                                        [HAFT__DEFERRAL_APPENDED] = "follow the result"};
    haft__buf_addf(page, " %s |", forms[capabilities->deferred_tools]);
}

static void add_chat(haft__buf *page, const haft__provider *p)
{
    add_flag(page, p->chat.stream_usage);
    add_flag(page, p->chat.any_arguments);
    add_flag(page, p->chat.short_ids);
    add_flag(page, p->chat.strict_order);
    add_flag(page, p->chat.limits_tools);
}

/* ---- tables ---- */

static const struct {
    const char *title, *head, *line;
    void (*add)(haft__buf *page, const haft__provider *provider);
    const haft__provider_api *api; /* rows of this wire format only; NULL: all rows */
} tables[] = {
    {"Servers", "| provider | base_url | variable for it | key | key is required |\n",
     "|---|---|---|---|---|\n", add_server, NULL},
    {"Choice",
     "| provider | some tool | one named tool | a subset | parallel calls can be switched off | "
     "forced "
     "together with thinking |\n",
     "|---|---|---|---|---|---|\n", add_choice, NULL},
    {"Tools",
     "| provider | characters of names | bytes of names | most tools | schemas | strict schemas | "
     "field for a constraint |\n",
     "|---|---|---:|---:|---|---|---|\n", add_tools, NULL},
    {"Cache and reasoning",
     "| provider | cache of prompts | a changed choice keeps it | reasoning is sent back as | "
     "token limit "
     "of a reply | price of a token written to the cache | tools that a search reveals |\n",
     "|---|---|---|---|---|---|---|\n", add_cache, NULL},
    {"Chat Completions",
     "| provider | `stream_options` | arguments may be any text | ids of 9 characters | no user "
     "message "
     "after a tool message | tools [depend on the model](#models-with-their-own-rules) |\n",
     "|---|---|---|---|---|---|\n", add_chat, &haft__openai_chat_api},
};

static const char *const intro =
    "# Providers\n"
    "\n"
    "The rules of each provider as haft applies them. This page is generated from "
    "`src/model/providers.c`,\n"
    "`src/model/tool_schema.c` and `src/model/model_rules.c`: `HAFT_RENEW=1 make "
    "test\n"
    "T=providers_page` writes it, and a test compares it. [Models](models.md) explains the rules;\n"
    "[adding a provider](adding-a-provider.md) adds a row.\n"
    "\n"
    "An empty cell means: no, none, or not documented. `openai, own base_url` is `openai` with "
    "another server.\n";

static const char *const notes[] = {
    "",
    "\nIf a choice cannot name one tool, haft declares only that tool. If it cannot name "
    "several, haft rejects a\n"
    "call of another tool. If a forced choice is rejected, haft sends `auto`, checks the reply "
    "and asks again.\n",
    "\nhaft sends names of at most 64 bytes with a letter or `_` first (`src/tool/wire_name.h`), "
    "which every provider\n"
    "accepts. `haft check` warns if the first request has more tools than the provider accepts.\n",
    "\nRequests begin with the bytes of the request before, so that both kinds of cache hit. The "
    "last "
    "column holds for\n"
    "models to which it applies, [below](#models-with-their-own-rules): anthropic's with bound "
    "thinking, openai's that take tools\n"
    "later. An empty cell: the declared tools grow ([models](models.md#tools-that-are-revealed-"
    "later)).\n",
    "\nThe differences between servers with OpenAI's Chat Completions API.\n",
};

static void add_schema_rules(haft__buf *page)
{
    static const struct {
        const char *name;
        const haft__tool_schema_rules *rules;
    } rows[] = {
        {"openai", &haft__tool_schema_openai},
        {"anthropic", &haft__tool_schema_anthropic},
        {"gemini", &haft__tool_schema_gemini},
        {"ollama", &haft__tool_schema_ollama},
    };
    haft__buf_addf(page, "\n## Schemas of tools\n\n"
                         "haft leaves out other keywords of a declared tool's schema. `haft "
                         "check`, `haft "
                         "explain` and\n`haft tools --wire` list them, and calls are checked "
                         "with the whole "
                         "schema.\n\n"
                         "| rules | keywords | not at the root |\n|---|---|---|\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf_addf(page, "| %s | ", rows[i].name);
        if (rows[i].rules->keywords == NULL) {
            haft__buf_addf(page, "all");
        }
        add_words(page, rows[i].rules->keywords);
        haft__buf_addf(page, " | ");
        add_words(page, rows[i].rules->not_at_root);
        haft__buf_addf(page, " |\n");
    }
}

static void add_models(haft__buf *page)
{
    size_t count;
    const haft__model_rules *models = haft__model_rules_all(&count);
    haft__buf_addf(page, "\n## Models with their own rules\n\n"
                         "| model | accepts a forced choice | thinking is bound to everything "
                         "before it | calls in the history need a signature | takes tools later "
                         "| rejects `temperature` and `top_p` | thinks by budget "
                         "| restricts tools at `openai-chat` |\n"
                         "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(page, "| `%s` |", models[i].pattern);
        add_flag(page, !models[i].no_force);
        add_flag(page, models[i].binds_reasoning);
        add_flag(page, models[i].needs_signatures);
        add_flag(page, models[i].takes_late_tools);
        add_flag(page, models[i].fixed_sampling);
        add_flag(page, models[i].thinks_by_budget);
        haft__buf_addf(page, " %s |", haft__chat_tools_text(models[i].chat_tools));
        haft__buf_addf(page, "\n");
    }
    haft__buf_addf(
        page,
        "\nA model that rejects `temperature` accepts it with `reasoning_effort: "
        "none`. One that thinks by budget gets a\nnumber of tokens in place of a "
        "level. With tools, `openai-chat` sends `reasoning_effort: none` to models that take tools "
        "only without reasoning.\n`haft check` refuses a spec with tools for a "
        "model that takes none there, or that would reason.\n");
}

/* Adds the options that have another name, or those that are not sent. */
static void add_option_names(haft__buf *page, const haft__option_rule *rule, bool sent)
{
    const char *between = " ";
    for (; rule->option != NULL; rule++) {
        if ((rule->member != NULL) != sent) {
            continue;
        }
        haft__buf_addf(page, "%s`%s`", between, rule->option);
        if (sent) {
            haft__buf_addf(page, " as `%s`", rule->member);
        }
        between = ", ";
    }
    haft__buf_addf(page, " |");
}

static void add_options(haft__buf *page)
{
    size_t count;
    const haft__provider *all = haft__providers(&count);
    haft__buf_addf(
        page, "\n## Options\n\n"
              "`model.options` has the names of Chat Completions for every provider. Those that "
              "a provider has under another\nname are renamed; those that it rejects are not "
              "sent, and `haft explain` lists them. All others are sent as they are.\n\n"
              "| provider | sent under another name | not sent |\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const haft__option_rule *rules = all[i].capabilities.options;
        if (rules != NULL) {
            haft__buf_addf(page, "| %s |", all[i].name);
            add_option_names(page, rules, true);
            add_option_names(page, rules, false);
            haft__buf_addf(page, "\n");
        }
    }
    haft__buf_addf(page,
                   "\n`reasoning_effort` is translated, too: anthropic gets `low` for `none` and "
                   "`minimal`; gemini the level `MINIMAL` for\n`none`, `HIGH` for `xhigh` and "
                   "`max`; ollama `false` for `none`, `low` for `minimal`, `max` for `xhigh`.\n");
}

static void add_provider_tools(haft__buf *page)
{
    size_t count;
    const haft__provider *all = haft__providers(&count);
    haft__buf_addf(page, "\n## Tools that run at the provider\n\n"
                         "`provider: {type: TYPE}` of a tool. [Models](models.md#tools-that-run-at-"
                         "the-provider) explains them.\n\n"
                         "| provider | types, and their names in requests |\n|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const haft__provider_tool *tool = all[i].capabilities.tools;
        if (tool != NULL) {
            haft__buf_addf(page, "| %s |", all[i].name);
            for (size_t k = 0; tool[k].type != NULL; k++) {
                haft__buf_addf(page, "%s `%s` (`%s`)", k > 0 ? "," : "", tool[k].type,
                               tool[k].wire);
            }
            haft__buf_addf(page, " |\n");
        }
    }
}

static void write_page(haft__buf *page)
{
    size_t count;
    const haft__provider *all = haft__providers(&count);
    haft__buf_addf(page, "%s", intro);
    for (size_t t = 0; t < COUNT(tables); t++) {
        haft__buf_addf(page, "\n## %s\n\n%s%s", tables[t].title, tables[t].head, tables[t].line);
        for (size_t i = 0; i < count; i++) {
            if (tables[t].api == NULL || tables[t].api == all[i].api) {
                haft__buf_addf(page, "| %s |", all[i].name);
                tables[t].add(page, &all[i]);
                haft__buf_addf(page, "\n");
            }
        }
        haft__buf_addf(page, "%s", notes[t]);
    }
    add_schema_rules(page);
    add_provider_tools(page);
    add_options(page);
    add_models(page);
}

TEST(the_providers_page_has_the_tables_of_the_code)
{
    haft__buf page;
    haft__buf_init(&page, 1 << 18);
    write_page(&page);
    CHECK_INT(page.status, HAFT_OK, "write the page");
    if (!help_renew(PAGE, haft__buf_str(&page))) {
        CHECK(haft__str_equal(test_read_file(PAGE), haft__buf_str(&page)),
              PAGE " is not current; run HAFT_RENEW=1 make test T=providers_page");
    }
    haft__buf_finish(&page);
}

TEST(wire_names_fit_every_provider)
{
    static const char *const names[] = {"a", "docs:v1.find", "9lives", "-x", "caf\xc3\xa9"};
    size_t count;
    const haft__provider *all = haft__providers(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__provider_capabilities *capabilities = &all[i].capabilities;
        CHECK(capabilities->name_bytes == 0 || capabilities->name_bytes >= HAFT__WIRE_NAME_BYTES,
              "%s: %u bytes", all[i].name, capabilities->name_bytes);
        CHECK_INT(capabilities->name_bytes == 0, capabilities->name_chars == NULL, "%s",
                  all[i].name);
        CHECK(capabilities->name_chars == NULL
                  || strstr(capabilities->name_chars, "A-Za-z0-9_") != NULL,
              "%s", all[i].name);
        CHECK(capabilities->name_chars == NULL || strchr(capabilities->name_chars + 9, '-') != NULL,
              "%s", all[i].name);
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__wire_name wire = haft__wire_name_encode(haft__str(names[i]));
        CHECK(wire.text[0] == '_' || (wire.text[0] | 32) >= 'a', "%s", wire.text);
        CHECK(strspn(wire.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
                  == wire.len,
              "%s", wire.text);
    }
}
