/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/offer.c: the tools of a turn in order, the format, and the facts. */
#include "run/offer/offer.h"

#include "format/render.h"
#include "run/decide/decide.h"
#include "run/run_help.h"

static const struct {
    const char *formats[3];
    bool native;
    const char *format, *reason;
} formats[] = {
    {{"native", "hermes"}, true, "native", "the preferred format"},
    {{"native", "hermes"},
     false,
     "hermes",
     "the first enabled format that is available: the model has no native calls"},
    {{"hermes", "native"}, true, "hermes", "the preferred format"},
    {{"native"}, false, "native", "no other format is enabled"},
    {{NULL}, true, "native", "no other format is enabled"},
    {{"codemode", "native"}, true, "native", "the first enabled format that is available"},
    {{"codemode", "purejson"}, false, "purejson", "the first enabled format that is available"},
    {{"codemode"}, true, "native", "python_execution is not enabled, and no other format is"},
};

TEST(the_format_is_the_first_that_is_available)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        haft_str names[3];
        haft__spec spec = {.formats = names, .model = {.native_tools = formats[i].native}};
        for (; formats[i].formats[spec.format_count] != NULL; spec.format_count++) {
            names[spec.format_count] = haft__str(formats[i].formats[spec.format_count]);
        }
        const char *reason = NULL;
        CHECK_STR(haft__offer_format(&spec, &reason), haft__str(formats[i].format), "case %zu", i);
        CHECK_STR(haft__str(reason), haft__str(formats[i].reason), "case %zu", i);
    }
}

/* The names of the server's tools in the order in which the prompt of the next turn lists them,
 * separated by spaces. */
static void list_prompted(help_run *r, haft__buf *names)
{
    haft__request request;
    haft__format_tool *tools;
    haft__buf prompt;
    haft__buf_init(&prompt, 1 << 16);
    CHECK_INT(haft__decide_request(&r->drive.run, &r->arena, &request, &r->err), HAFT_OK, "%s",
              r->err.message);
    CHECK_INT(haft__request_format_tools(&request, &r->arena, &tools, &r->err), HAFT_OK, "%s",
              r->err.message);
    haft__format_write_tools(&prompt, haft__format_find(request.format), HAFT__HISTORY_NATIVE,
                             tools, request.tool_count);
    haft_str text = help_keep(haft__buf_str(&prompt));
    for (const char *at = text.ptr; (at = strstr(at, "mail_-_")) != NULL;) {
        at += strlen("mail_-_");
        haft__buf_addf(names, "%s%.*s", names->len > 0 ? " " : "",
                       (int)strspn(at, "abcdefghijklmnopqrstuvwxyz"), at);
    }
    haft__buf_finish(&prompt);
}

/* The search with the task ("do it") finds names with "it" first, then the others in the order
 * listed, but none that begins with "far". Each word of `searches` is a later search, which finds
 * the names with it in the order listed. */
TEST(the_prompt_lists_tools_by_relevance_and_appends_later_ones)
{
    static const struct {
        const char *name, *server, *cap, *searches, *prompted;
    } rows[] = {
        {"by relevance, not as listed", "mail,add,edit,cut,visit", "9", "", "edit visit add cut"},
        {"a tool of a later search is appended", "mail,far,add,edit", "9", "far", "edit add far"},
        {"tools of a later search by relevance", "mail,farb,fara,edit", "9", "far",
         "edit farb fara"},
        {"each search appends", "mail,farb,fara,edit", "9", "fara farb", "edit fara farb"},
        {"a tool that is found again stays", "mail,far,add,edit", "9", "add far edit",
         "edit add far"},
        {"a tool that was hidden is appended", "mail,far,add,edit", "2", "far edit", "far edit"},
    };
    static const char *const texts[] = {"hermes", "mistral", "purejson", "pythonic"};
    for (size_t i = 0; i < COUNT(rows) * COUNT(texts); i++) {
        const char *format = texts[i % COUNT(texts)];
        size_t row = i / COUNT(texts);
        char spec[256], script[1024];
        size_t length = (size_t)snprintf(script, sizeof(script), "{\"replies\":[");
        for (haft_str rest = haft__str(rows[row].searches); rest.len > 0;) {
            haft_str word = haft__str_split(&rest, ' ');
            length += (size_t)snprintf(script + length, sizeof(script) - length,
                                       "{\"calls\":[{\"name\":\"tool_search\",\"arguments\":"
                                       "{\"query\":\"%.*s\"}}]},",
                                       HAFT__ARG(word));
        }
        (void)snprintf(script + length, sizeof(script) - length, "{\"text\":\"good\"}]}");
        (void)snprintf(spec, sizeof(spec),
                       "agent; format=%s; max_mcp=%s; tools=tool_search; server=%s", format,
                       rows[row].cap, rows[row].server);
        help_run r;
        haft__buf names;
        haft__buf_init(&names, 1 << 12);
        help_run_init(&r, spec, script);
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s: %s", rows[row].name, r.err.message);
        list_prompted(&r, &names);
        CHECK_STR(haft__buf_str(&names), haft__str(rows[row].prompted), "%s: %s", format,
                  rows[row].name);
        haft__buf_finish(&names);
        help_run_finish(&r);
    }
}

/* The tools of the next request: loaded | deferred | appended | others that can be called. */
static haft_str list_parts(help_run *r)
{
    haft__offered offered;
    haft__buf text;
    haft__buf_init(&text, 1 << 12);
    CHECK_INT(haft__offer_tools(&r->drive.run, &r->arena, &offered, &r->err), HAFT_OK, "%s",
              r->err.message);
    size_t loaded = offered.declared - offered.deferred;
    for (size_t i = 0; i <= offered.count; i++) {
        haft__buf_addf(&text, "%s%s%s", i == loaded ? "| " : "", i == offered.declared ? "| " : "",
                       i == offered.declared + offered.appended ? "| " : "");
        if (i < offered.count) {
            haft__buf_addf(&text, "%.*s ",
                           HAFT__ARG(r->drive.run.tools->items[offered.items[i]]->name));
        }
    }
    haft_str kept = help_keep(haft__str_trim(haft__buf_str(&text)));
    haft__buf_finish(&text);
    return kept;
}

static size_t count_facts(help_run *r)
{
    haft__choice_facts facts;
    CHECK_INT(haft__offer_facts(&r->drive.run, &r->arena, &facts, &r->err), HAFT_OK, "%s",
              r->err.message);
    return facts.tool_count;
}

/* The search with the task finds x:it, the search of the model x:fara and x:farb, of which it shows
 * one. `gone`: what changes if the server lists none of its tools any more. */
TEST(deferred_tools_have_their_part_of_a_request)
{
    static const struct {
        const char *model, *parts, *gone;
    } rows[] = {
        {"provider=anthropic; model=claude-haiku-5-5",
         "tool_search x:it | x:fara x:farb x:other | |",
         "tool_search x:it | x:fara x:farb x:other | |"},
        {"provider=openai-responses; model=gpt-6.1-sol", "tool_search x:it | | x:fara | x:farb",
         "tool_search x:it | | x:fara | x:farb"},
        {"provider=anthropic; model=claude-opus-4-6", "tool_search x:fara | | | x:it x:farb",
         "tool_search | | |"},
        {"provider=openai-responses; model=gpt-4o", "tool_search x:fara | | | x:it x:farb",
         "tool_search | | |"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char spec[256];
        help_run r;
        (void)snprintf(spec, sizeof(spec),
                       "agent; max_mcp=1; tools=tool_search; server=x,it,fara,farb,other; %s",
                       rows[i].model);
        help_run_init(&r, spec,
                      "{\"replies\":[{\"calls\":[{\"name\":\"tool_search\",\"arguments\":"
                      "{\"query\":\"far\"}}]},{\"text\":\"good\"}]}");
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s: %s", rows[i].model, r.err.message);
        CHECK_STR(list_parts(&r), haft__str(rows[i].parts), "%s", rows[i].model);
        CHECK_INT(count_facts(&r), 4, "%s: tools that can be called", rows[i].model);
        for (size_t k = 1; k < r.drive.run.tools->count; k++) {
            r.drive.run.past[k].gone = true;
        }
        CHECK_STR(list_parts(&r), haft__str(rows[i].gone), "%s: gone", rows[i].model);
        CHECK_INT(count_facts(&r), 1, "%s: tools that can be called", rows[i].model);
        for (size_t k = 1; k < r.drive.run.tools->count; k++) {
            r.drive.run.past[k].gone = false;
        }
        r.drive.run.refused = HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER);
        CHECK(strstr(list_parts(&r).ptr, "x:fara | | |") != NULL, "%s: the server rejects the form",
              rows[i].model);
        help_run_finish(&r);
    }
}

TEST(facts_follow_from_the_events_of_the_run)
{
    help_run r;
    help_run_init(&r, "agent; calls=3; tools=look,python_execution,send!approval,find,tally",
                  "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"send\"},{\"name\":"
                  "\"find\",\"raw\":\"{\"}]}],\"results\":{\"look\":{\"error\":\"no\"}}}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(help_run_answer(&r, "c1.2", "reject", "null"), HAFT_OK, "%s", r.err.message);
    haft__choice_facts facts;
    CHECK_INT(haft__offer_facts(&r.drive.run, &r.arena, &facts, &r.err), HAFT_OK, "%s",
              r.err.message);
    static const struct {
        const char *name;
        bool finished, rejected;
    } wanted[] = {{"look", true, false},
                  {"send", false, true},
                  {"find", false, false},
                  {"tally", false, false}};
    CHECK_INT(facts.tool_count, COUNT(wanted), "number of offered tools");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        CHECK_STR(facts.tools[i].name, haft__str(wanted[i].name), "case %zu", i);
        CHECK_INT(facts.tools[i].finished, wanted[i].finished, "%s", wanted[i].name);
        CHECK_INT(facts.tools[i].rejected, wanted[i].rejected, "%s", wanted[i].name);
    }
    CHECK_INT(facts.turn, r.drive.run.turn + 1, "the next turn");
    CHECK(facts.spent.what == NULL, "no budget is used up");
    r.drive.run.worked_ms = 600000;
    CHECK_INT(haft__offer_facts(&r.drive.run, &r.arena, &facts, &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK(facts.spent.what != NULL && strcmp(facts.spent.what, "wall") == 0,
          "the time budget is used up");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    test_fail_allocation(0);
    haft_status status = haft__offer_facts(&r.drive.run, &arena, &facts, &r.err);
    CHECK(test_allow_allocations() && status == HAFT_NO_MEMORY, "out of memory");
    haft__arena_finish(&arena);
    help_run_finish(&r);
}
