/* SPDX-License-Identifier: Apache-2.0 */
/* Every combination of the switches of the decision tree, compared with an oracle that was written
 * from the text of the design: it gets booleans, and knows neither specs nor patterns. */
#include "run/offer/resolve.h"
#include "run_help.h"

/* ---- built-ins ---- */

typedef struct builtin_switches {
    bool enabled, in_allow, allow_given, in_deny;
    bool code, server, database;
} builtin_switches;

/* "Built-in: enabled? allowed by the filter? format fits (python_execution needs the code format
 * enabled; tool_search needs deferred tools; search_schemas and execute_sql need a database)?"
 * The search can always be called where there are deferred tools, unless the filter forbids it. */
static const char *expect_builtin(const char *name, const builtin_switches *s)
{
    bool allowed = (!s->allow_given || s->in_allow) && !s->in_deny;
    bool is_search = strcmp(name, "tool_search") == 0;
    bool is_python = strcmp(name, "python_execution") == 0;
    bool is_sql = strcmp(name, "execute_sql") == 0 || strcmp(name, "search_schemas") == 0;
    if (!s->enabled) {
        return is_search && s->server && allowed ? "callable undeclared" : "out not_enabled";
    }
    if (!allowed) {
        return "out builtin_denied";
    }
    if (is_search) {
        return s->server ? "declared enabled" : "out needs_deferred";
    }
    if (is_python) {
        return s->code ? "declared enabled" : "out needs_code";
    }
    if (is_sql) {
        return s->database ? "declared enabled" : "out needs_database";
    }
    return "declared enabled";
}

static void check_builtin(const char *name, unsigned bits)
{
    builtin_switches s = {.enabled = bits & 1,
                          .in_allow = bits & 2,
                          .allow_given = bits & 4,
                          .in_deny = bits & 8,
                          .code = bits & 16,
                          .server = bits & 32,
                          .database = bits & 64};
    haft__arena arena;
    help_spec h;
    haft__offer offer;
    char words[256], found[64];
    haft__arena_init(&arena, 0);
    (void)snprintf(words, sizeof(words), "agent; no_search%s%s%s%s%s%s%s%s%s",
                   s.enabled ? "; tools=" : "", s.enabled ? name : "",
                   s.allow_given ? "; builtin_allow=nothing" : "",
                   s.allow_given && s.in_allow ? "+" : "", s.allow_given && s.in_allow ? name : "",
                   s.in_deny ? "; builtin_deny=other+*" : "", s.code ? "; format=codemode" : "",
                   s.server ? "; server=docs,a" : "", s.database ? "; database" : "");
    help_spec_init(&h, &arena, haft__str(words));
    CHECK_INT(
        haft__resolve(&h.spec, NULL, h.servers.listings, h.servers.count, &arena, &offer, NULL),
        HAFT_OK, "%s", words);
    size_t times = 0;
    for (size_t i = 0; i < offer.count; i++) {
        const haft__verdict *verdict = &offer.items[i];
        if (haft__str_equal(verdict->name, haft__str(name))) {
            (void)snprintf(found, sizeof(found), "%s %s",
                           haft__visibility_name(verdict->visibility),
                           haft__reason_word(verdict->reason));
            CHECK_STR(haft__str(found), haft__str(expect_builtin(name, &s)), "%s in %s", name,
                      words);
            times++;
        }
    }
    CHECK_INT(times, 1, "%s is there once in %s", name, words);
    haft__arena_finish(&arena);
}

TEST(built_ins_are_resolved_in_every_combination)
{
    static const char *const names[] = {"glob",
                                        "grep",
                                        "read",
                                        "search_schemas",
                                        "execute_sql",
                                        "tool_search",
                                        "read_result",
                                        "store_artifact",
                                        "request_user_input",
                                        "complete_workflow",
                                        "python_execution"};
    for (size_t i = 0; i < COUNT(names); i++) {
        for (unsigned bits = 0; bits < 128; bits++) {
            check_builtin(names[i], bits);
        }
    }
}

/* ---- tools of servers ---- */

typedef enum allow_filter {
    ALLOW_NONE,
    ALLOW_SERVER,
    ALLOW_TOOL,
    ALLOW_OTHER_TOOL,
    ALLOW_OTHERS
} allow_filter;
typedef enum deny_filter { DENY_NONE, DENY_SERVER, DENY_TOOL, DENY_OTHERS } deny_filter;
typedef enum search_state { NEVER, SHOWN, LISTED, HIDDEN } search_state;

typedef struct server_switches {
    bool enabled, error, searches, changed;
    allow_filter allow;
    deny_filter deny;
    search_state state;
} server_switches;

/* "MCP: server enabled? server allowed? tool allowed? then always deferred, visible only once
 * revealed by a search." A listed or hidden tool stays callable. */
static const char *expect_mcp_tool(const server_switches *s)
{
    bool server_allowed = s->allow != ALLOW_OTHERS && s->deny != DENY_SERVER;
    bool tool_allowed = s->allow != ALLOW_OTHER_TOOL && s->deny != DENY_TOOL;
    static const char *const after[] = {"", "declared revealed", "callable listed",
                                        "callable hidden"};
    if (!s->enabled) {
        return "out server_disabled";
    }
    if (!server_allowed) {
        return "out server_denied";
    }
    if (!tool_allowed) {
        return "out tool_denied";
    }
    if (s->state != NEVER) {
        return after[s->state];
    }
    if (s->error) {
        return "out server_error";
    }
    if (s->changed) {
        return "out tool_changed";
    }
    return s->searches ? "out deferred" : "out search_denied";
}

#define HASH64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define STARTED                                                                                    \
    "\"kind\":\"run_started\",\"version\":1,\"spec\":\"" HASH64                                    \
    "\",\"name\":\"n\",\"task\":\"t\",\"thread\":\"" HELP_THREAD "\",\"parent\":null,"             \
    "\"user\":null}"
#define TOOL                                                                                       \
    "{\"name\":\"docs:a\",\"score\":1,\"server\":\"docs\",\"description\":\"Does.\","              \
    "\"input_schema\":{\"type\":\"object\"},\"output_schema\":null,\"traits\":{},\"hash\":\"h\"}"

static void fold(haft__run *run, const char *body)
{
    haft__buf line;
    haft_error err = {0};
    haft__buf_init(&line, 1 << 20);
    haft__event_write(&line, run->seq + 1, 1000, HAFT__LIT(HELP_RUN), haft__str(body));
    CHECK_INT(haft__run_fold(run, haft__buf_str(&line), &err), HAFT_OK, "%s: %s", body,
              err.message);
    haft__buf_finish(&line);
}

/* Brings the run into the state after its searches. */
static void fold_searches(haft__run *run, search_state state)
{
    fold(run, STARTED);
    if (state == SHOWN || state == HIDDEN) {
        fold(run, "\"kind\":\"tools_revealed\",\"tools\":[" TOOL "],\"call\":null}");
    }
    if (state == LISTED) {
        fold(run, "\"kind\":\"tools_revealed\",\"tools\":[],\"listed\":[" TOOL "],\"call\":null}");
    }
    if (state == HIDDEN) {
        fold(run, "\"kind\":\"tools_hidden\",\"tools\":[\"docs:a\"],\"cap\":1}");
    }
}

static void check_mcp_tool(const server_switches *s)
{
    static const char *const allows[] = {"", "; mcp_allow=docs:*", "; mcp_allow=mail:*+docs:a",
                                         "; mcp_allow=docs:b", "; mcp_allow=mail:*"};
    static const char *const denials[] = {"", "; mcp_deny=mail:*+docs:*", "; mcp_deny=*:a",
                                          "; mcp_deny=*:b+mail:*"};
    haft__arena arena;
    help_spec h;
    haft__offer offer;
    haft__run run;
    char words[256], got[64];
    haft__arena_init(&arena, 0);
    (void)snprintf(words, sizeof(words), "agent%s%s%s; server=docs%s,a%s", allows[s->allow],
                   denials[s->deny], s->searches ? "" : "; builtin_deny=tool_search",
                   s->enabled ? "" : "!disabled", s->changed ? "!changed" : "");
    help_spec_init(&h, &arena, haft__str(words));
    h.servers.listings[0].error = s->error ? HAFT__LIT("it is dead") : HAFT__LIT("");
    CHECK_INT(haft__run_init(&run, &arena, &h.spec, HELP_KEY, NULL), HAFT_OK, "init");
    fold_searches(&run, s->state);
    CHECK_INT(haft__resolve(&h.spec, &run, h.servers.listings, 1, &arena, &offer, NULL), HAFT_OK,
              "%s", words);
    size_t times = 0;
    for (size_t i = 0; i < offer.count; i++) {
        if (haft__str_equal(offer.items[i].name, HAFT__LIT("docs:a"))) {
            (void)snprintf(got, sizeof(got), "%s %s",
                           haft__visibility_name(offer.items[i].visibility),
                           haft__reason_word(offer.items[i].reason));
            CHECK_STR(haft__str(got), haft__str(expect_mcp_tool(s)), "%s, error %d, found %d",
                      words, s->error, s->state);
            times++;
        }
    }
    CHECK_INT(times, 1, "%s", words);
    haft__arena_finish(&arena);
}

TEST(tools_of_servers_are_resolved_in_every_combination)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        for (int allow = ALLOW_NONE; allow <= ALLOW_OTHERS; allow++) {
            for (int deny = DENY_NONE; deny <= DENY_OTHERS; deny++) {
                for (int state = NEVER; state <= HIDDEN; state++) {
                    server_switches s = {.enabled = bits & 1,
                                         .error = bits & 2,
                                         .searches = bits & 4,
                                         .changed = bits & 8,
                                         .allow = (allow_filter)allow,
                                         .deny = (deny_filter)deny,
                                         .state = (search_state)state};
                    check_mcp_tool(&s);
                }
            }
        }
    }
}

/* ---- the spec's own tools ---- */

/* "When the definitions of other tools exceed a share of the context they are deferred as well."
 * A tool that the spec names is not deferred. If the context size is unknown, no tool is deferred.
 * `exceeds_share`: 404 bytes are just above 10 % of 1000 tokens, 400 bytes are not. */
static const char *expect_own(bool context, bool exceeds_share, bool named, bool searches,
                              search_state state)
{
    static const char *const after[] = {"out share", "declared revealed", "callable listed",
                                        "callable hidden"};
    if (!context || !exceeds_share) {
        return "declared declared";
    }
    if (named) {
        return "declared named";
    }
    return state == NEVER && !searches ? "out search_denied" : after[state];
}

static void check_own(unsigned bits, search_state state)
{
    bool context = bits & 1, exceeds_share = bits & 2, named = bits & 4, searches = bits & 8;
    bool deferred = context && exceeds_share && !named;
    haft__arena arena;
    help_spec h;
    haft__run run;
    char words[256], got[64];
    haft__arena_init(&arena, 0);
    (void)snprintf(words, sizeof(words), "agent; tools=look; own_bytes=%d%s%s%s",
                   exceeds_share ? 404 : 400, context ? "; context=1000" : "",
                   named ? "; schedule=look" : "", searches ? "" : "; builtin_deny=tool_search");
    help_spec_init(&h, &arena, haft__str(words));
    CHECK_INT(haft__run_init(&run, &arena, &h.spec, HELP_KEY, NULL), HAFT_OK, "init");
    fold(&run, STARTED);
#define LOOK "{\"name\":\"look\",\"server\":null,\"input_schema\":null,\"hash\":null}"
    if (deferred && (state == SHOWN || state == HIDDEN)) {
        fold(&run, "\"kind\":\"tools_revealed\",\"tools\":[" LOOK "],\"call\":null}");
    } else if (deferred && state == LISTED) {
        fold(&run, "\"kind\":\"tools_revealed\",\"tools\":[],\"listed\":[" LOOK "],\"call\":null}");
    }
    if (deferred && state == HIDDEN) {
        fold(&run, "\"kind\":\"tools_hidden\",\"tools\":[\"look\"],\"cap\":1}");
    }
    haft__verdict verdict = haft__resolve_index(&run, 0);
    (void)snprintf(got, sizeof(got), "%s %s", haft__visibility_name(verdict.visibility),
                   haft__reason_word(verdict.reason));
    CHECK_STR(haft__str(got), haft__str(expect_own(context, exceeds_share, named, searches, state)),
              "%s, found %d", words, state);
    haft__arena_finish(&arena);
}

TEST(tools_of_the_spec_are_resolved_in_every_combination)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        for (int state = NEVER; state <= HIDDEN; state++) {
            check_own(bits, (search_state)state);
        }
    }
}

/* ---- number of visible tools ---- */

typedef struct cap_switches {
    const char *size; /* size of the model as in a spec, or "" */
    double billions;
    unsigned max;   /* max_mcp_tools; 0: not given */
    unsigned tools; /* deferred tools */
    unsigned hits;  /* of them, those that the search finds */
    unsigned limit; /* of the call; 0: none */
    bool call;      /* else the search before the first turn */
} cap_switches;

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* "Cap by model size (2 under 7B, 5 up to 30B, 10 above; else 2; max_mcp_tools overrides)." */
static unsigned expect_cap(const cap_switches *s)
{
    return s->max > 0 ? s->max : s->billions < 7 ? 2 : s->billions <= 30 ? 5 : 10;
}

/* "Full schemas for the top k and names with one line for the next ten." Before the first turn,
 * only hits are shown, and none is only listed. */
static void expect_shown(const cap_switches *s, unsigned *ret_shown, unsigned *ret_listed)
{
    unsigned wanted = s->call && s->limit > 0 ? min(s->hits, s->limit) : s->hits;
    *ret_shown = min(wanted, expect_cap(s));
    *ret_listed = s->call ? min(wanted - *ret_shown, 10) : 0;
}

static void check_cap(const cap_switches *s)
{
    haft__arena arena;
    help_spec h;
    haft__offer offer;
    haft__reveal reveal;
    haft__reveal_hit hits[32];
    char words[512];
    const char *why = NULL;
    unsigned shown, listed;
    haft__arena_init(&arena, 0);
    int at = snprintf(words, sizeof(words), "agent%s%s; max_mcp=%u; server=docs",
                      s->size[0] != '\0' ? "; size_b=" : "", s->size, s->max);
    for (unsigned i = 0; i < s->tools; i++) {
        at += snprintf(words + at, sizeof(words) - (size_t)at, ",t%u", i);
    }
    help_spec_init(&h, &arena, haft__str(words));
    CHECK_INT(haft__resolve(&h.spec, NULL, h.servers.listings, 1, &arena, &offer, NULL), HAFT_OK,
              "%s", words);
    for (unsigned i = 0; i < s->hits; i++) { /* the last one in the list is the best */
        hits[i] = (haft__reveal_hit){h.servers.tools[s->tools - 1 - i].name, 1, HAFT__LIT("text")};
    }
    haft__reveal_request ask = {.spec = &h.spec,
                                .listings = h.servers.listings,
                                .listing_count = 1,
                                .offer = &offer,
                                .hits = hits,
                                .hit_count = s->hits,
                                .query = HAFT__LIT("t"),
                                .call = s->call ? HAFT__LIT("c1.1") : HAFT__LIT(""),
                                .limit = s->call ? s->limit : 0};
    CHECK_INT(haft__reveal_decide(&ask, &arena, HELP_KEY, &reveal, NULL), HAFT_OK, "%s", words);
    expect_shown(s, &shown, &listed);
    CHECK_INT(haft__resolve_cap(&h.spec, &why), expect_cap(s), "%s", words);
    CHECK_INT(offer.cap, expect_cap(s), "%s", words);
    CHECK_INT(offer.deferred, s->tools, "%s", words);
    CHECK_INT(reveal.shown, shown, "%s, %u hits, limit %u", words, s->hits, s->limit);
    CHECK_INT(reveal.count - reveal.shown, listed, "%s, %u hits, limit %u", words, s->hits,
              s->limit);
    for (size_t i = 0; i < reveal.shown && i < s->hits; i++) {
        CHECK_STR(reveal.items[i].tool->name, hits[i].name, "%s: place %zu", words, i);
    }
    haft__arena_finish(&arena);
}

TEST(the_cap_is_computed_in_every_combination)
{
    static const struct {
        const char *text;
        double billions;
    } sizes[] = {{"", 0},    {"0.5", 0.5}, {"3", 3},     {"6.99", 6.99},   {"7", 7},
                 {"7.0", 7}, {"30", 30},   {"30.0", 30}, {"30.01", 30.01}, {"405", 405}};
    static const unsigned mosts[] = {0, 1, 2, 5, 11}, tools[] = {0, 1, 2, 6, 24};
    static const unsigned limits[] = {0, 1, 3, 20};
    for (size_t i = 0; i < COUNT(sizes) * COUNT(mosts) * COUNT(tools) * 3; i++) {
        cap_switches s = {.size = sizes[i % COUNT(sizes)].text,
                          .billions = sizes[i % COUNT(sizes)].billions,
                          .max = mosts[i / COUNT(sizes) % COUNT(mosts)],
                          .tools = tools[i / COUNT(sizes) / COUNT(mosts) % COUNT(tools)]};
        size_t part = i / COUNT(sizes) / COUNT(mosts) / COUNT(tools); /* none, half, all */
        s.hits = (unsigned)(s.tools * part / 2);
        check_cap(&s);
        s.call = true;
        for (size_t k = 0; k < COUNT(limits); k++) {
            s.limit = limits[k];
            check_cap(&s);
        }
    }
}

/* A tool of the provider is declared in the provider's form, apart from the others: it is never
 * deferred and does not count for the share. */
TEST(tools_of_the_provider_are_never_deferred)
{
    static const struct {
        const char *spec, *provider, *own;
        bool searches;
    } rows[] = {
        {"agent; tools=web!provider,look; context=1000; own_bytes=404", "out at_provider",
         "out share", true},
        {"agent; tools=web!provider,look; context=1000; own_bytes=400", "out at_provider",
         "declared declared", false},
        {"agent; tools=web!provider,look; context=1000; own_bytes=404; schedule=look+web",
         "out at_provider", "declared named", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec h;
        haft__arena_init(&arena, 0);
        help_spec_init(&h, &arena, haft__str(rows[i].spec));
        for (size_t k = 0; k < 2; k++) {
            char got[64];
            haft__verdict verdict = haft__resolve_tool(&h.spec, NULL, h.spec.tools.items[k]);
            (void)snprintf(got, sizeof(got), "%s %s", haft__visibility_name(verdict.visibility),
                           haft__reason_word(verdict.reason));
            CHECK_STR(haft__str(got), haft__str(k == 0 ? rows[i].provider : rows[i].own), "%s: %zu",
                      rows[i].spec, k);
        }
        CHECK_INT(haft__resolve_can_search(&h.spec), rows[i].searches, "%s", rows[i].spec);
        haft__arena_finish(&arena);
    }
}
