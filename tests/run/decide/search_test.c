/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide/search.c: which tools are evicted, the cost of that, and the text that
 * the model reads. Whole runs are in tests/run/scenarios/. */
#include "base/limits.h"
#include "model/conversation.h"
#include "run/offer/offer.h"
#include "run/run_help.h"

#define SEARCH(query)                                                                              \
    "{\"calls\":[{\"name\":\"tool_search\",\"arguments\":{\"query\":\"" query "\"}}]}"
#define CALL(name) "{\"calls\":[{\"name\":\"" name "\"}]}"

/* The log of a run, and the result of its call `id`. */
static haft_str play(const char *spec, const char *script, const char *id, haft_str *ret_shown)
{
    help_run r;
    help_run_init(&r, spec, script);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s %s", r.err.where, r.err.message);
    const haft__run_call *call = haft__run_find_call(&r.drive.run, haft__str(id));
    CHECK(call != NULL, "no call %s", id);
    *ret_shown = help_keep(call != NULL ? call->shown : HAFT__LIT(""));
    haft_str log = help_keep(haft__buf_str(&r.log));
    help_run_finish(&r);
    return log;
}

TEST(the_model_reads_what_was_found)
{
    haft_str shown;
    (void)play("agent; max_mcp=1; server=docs,send,sent,take; server=dead!error",
               "{\"replies\":[" SEARCH("sen") ",{\"text\":\"good\"}]}", "c1.1", &shown);
    CHECK_STR(shown,
              HAFT__LIT("Found 2. You can call:\n"
                        "- docs_-_send: Does what the server wants it to do.\n\n"
                        "Also there, and can be called; search for one by its name to see its "
                        "parameters:\n"
                        "- docs_-_sent: Does what the server wants it to do.\n"
                        "The server dead cannot be used: it does not answer\n\n"
                        "{\"name\":\"docs_-_send\",\"description\":\"Does what the server wants it "
                        "to do.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"q\":{"
                        "\"type\":\"string\"}}}}"),
              "text for two tools");
    (void)play("agent; server=docs,send", "{\"replies\":[" SEARCH("no") ",{\"text\":\"good\"}]}",
               "c1.1", &shown);
    CHECK_STR(shown,
              HAFT__LIT("No tool was found. Search in other words, with a verb and an object, or "
                        "for the name of a tool."),
              "text if no tool is found");
}

/* The longest line about a tool, one character more, and a text of two lines. */
TEST(a_tool_is_described_in_one_line)
{
    static const struct {
        size_t chars;
        const char *after;
        bool cut;
    } rows[] = {{HAFT__LIMIT_SEARCH_LINE_CHARS, "", false},
                {HAFT__LIMIT_SEARCH_LINE_CHARS + 1, "", true},
                {10, "\nmore", true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        haft__buf text, line;
        haft__buf_init(&text, 1 << 16);
        haft__buf_init(&line, 1 << 16);
        for (size_t k = 0; k < rows[i].chars; k++) {
            haft__buf_add_char(&text, 'x');
        }
        haft__buf_addf(&line, "\n- docs_-_send: %.*s%s\n",
                       (int)(rows[i].chars < HAFT__LIMIT_SEARCH_LINE_CHARS
                                 ? rows[i].chars
                                 : HAFT__LIMIT_SEARCH_LINE_CHARS),
                       text.ptr, rows[i].cut ? " ..." : "");
        haft__buf_add_str(&text, haft__str(rows[i].after));
        help_run_init(&r, "agent; max_mcp=1; server=docs,take,send",
                      "{\"replies\":[" SEARCH("send") ",{\"text\":\"good\"}]}");
        r.spec.servers.tools[1].description = haft__buf_str(&text);
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
        haft_str shown = help_keep(r.drive.run.calls[0].shown);
        haft_str wanted = help_keep(haft__buf_str(&line));
        CHECK(strstr(shown.ptr, wanted.ptr) != NULL, "row %zu: %s", i, shown.ptr);
        help_run_finish(&r);
        haft__buf_finish(&text);
        haft__buf_finish(&line);
    }
}

TEST(the_least_recently_called_tool_is_evicted)
{
    static const struct {
        const char *spec, *calls, *hidden;
    } rows[] = {
        /* if none was called: the tool that was revealed first */
        {"agent; max_mcp=2; server=docs,aa,bb,cc", "", "[\"docs:aa\"]"},
        {"agent; max_mcp=2; server=docs,aa,bb,cc", CALL("docs:aa") ",", "[\"docs:bb\"]"},
        {"agent; max_mcp=2; server=docs,aa,bb,cc", CALL("docs:bb") "," CALL("docs:aa") ",",
         "[\"docs:bb\"]"},
        /* tools that the spec names are evicted last */
        {"agent; max_mcp=2; schedule=gate+gate+gate+gate+docs:aa; server=docs,aa,bb,cc", "",
         "[\"docs:bb\"]"},
        {"agent; max_mcp=2; phase=one+docs:aa; server=docs,aa,bb,cc", CALL("docs:bb") ",",
         "[\"docs:bb\"]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char script[1024], wanted[128], id[16];
        haft_str shown;
        size_t turns = 1;
        for (const char *at = rows[i].calls; (at = strstr(at, "calls")) != NULL; at++) {
            turns++;
        }
        (void)snprintf(id, sizeof(id), "c%zu.1", turns);
        (void)snprintf(wanted, sizeof(wanted), "\"kind\":\"tools_hidden\",\"tools\":%s,\"cap\":2,",
                       rows[i].hidden);
        (void)snprintf(script, sizeof(script),
                       "{\"replies\":[%s" SEARCH("cc") ",{\"text\":\"good\"}],\"results\":{"
                                                       "\"docs:aa\":[\"a\"],\"docs:bb\":[\"b\"]}}",
                       rows[i].calls);
        haft_str log = play(rows[i].spec, script, id, &shown);
        CHECK(strstr(log.ptr, wanted) != NULL, "row %zu: %s in %s", i, wanted, log.ptr);
    }
}

/* The search before the first turn reveals the tools with "it" in their names ("do it"). The search
 * of the model finds all tools in the listed order: it reveals some of them again and only lists
 * the others, which may be evicted, whether they were called or not. */
TEST(tools_that_a_search_reveals_stay_and_listed_ones_do_not)
{
    static const struct {
        const char *spec, *calls, *hidden, *declared;
    } rows[] = {
        {"agent; max_mcp=2; server=mail,aa,bit,cit", "", "[\"mail:cit\"]",
         "tool_search mail:bit mail:aa"},
        {"agent; max_mcp=2; server=mail,aa,bit,cit", CALL("mail:cit") ",", "[\"mail:cit\"]",
         "tool_search mail:bit mail:aa"},
        {"agent; max_mcp=2; server=mail,aa,ab,bit,cit", CALL("mail:cit") ",",
         "[\"mail:bit\",\"mail:cit\"]", "tool_search mail:aa mail:ab"},
        {"agent; max_mcp=4; server=mail,aa,ab,bit,cit,dit,fit", "", "[\"mail:dit\",\"mail:fit\"]",
         "tool_search mail:bit mail:cit mail:aa mail:ab"},
        {"agent; max_mcp=4; server=mail,aa,ab,bit,cit,dit,fit",
         CALL("mail:dit") "," CALL("mail:fit") ",", "[\"mail:dit\",\"mail:fit\"]",
         "tool_search mail:bit mail:cit mail:aa mail:ab"},
        {"agent; max_mcp=4; server=mail,aa,bit,cit,dit,fit", CALL("mail:fit") ",", "[\"mail:fit\"]",
         "tool_search mail:bit mail:cit mail:dit mail:aa"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char script[1024], wanted[128];
        help_run r;
        haft__offered offered;
        haft__buf declared;
        haft__buf_init(&declared, 1 << 12);
        (void)snprintf(wanted, sizeof(wanted), "\"kind\":\"tools_hidden\",\"tools\":%s,",
                       rows[i].hidden);
        (void)snprintf(script, sizeof(script),
                       "{\"replies\":[%s" SEARCH("mail") ",{\"text\":\"good\"}],\"results\":{"
                                                         "\"mail:cit\":[\"c\"],\"mail:dit\":["
                                                         "\"d\"],\"mail:fit\":[\"f\"]}}",
                       rows[i].calls);
        help_run_init(&r, rows[i].spec, script);
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s %s", r.err.where, r.err.message);
        haft_str log = help_keep(haft__buf_str(&r.log));
        CHECK(strstr(log.ptr, wanted) != NULL, "row %zu: %s in %s", i, wanted, log.ptr);
        CHECK_INT(haft__offer_tools(&r.drive.run, &r.arena, &offered, NULL), HAFT_OK,
                  "make the offer");
        for (size_t k = 0; k < offered.declared; k++) {
            haft__buf_addf(&declared, "%s%.*s", k > 0 ? " " : "",
                           HAFT__ARG(r.drive.run.tools->items[offered.items[k]]->name));
        }
        CHECK_STR(haft__buf_str(&declared), haft__str(rows[i].declared), "row %zu", i);
        haft__buf_finish(&declared);
        help_run_finish(&r);
    }
}

/* The bytes after the first evicted definition: that definition, the one after it, and the
 * messages. Each definition has 103 bytes, the task 5, the call 11 and 14. */
TEST(evicting_costs_the_tokens_of_the_bytes_that_follow)
{
    haft_str shown, log;
    log = play("agent; max_mcp=2; server=docs,aa,bb,cc",
               "{\"replies\":[" SEARCH("cc") ",{\"text\":\"good\"}]}", "c1.1", &shown);
    CHECK(strstr(log.ptr, "\"cap\":2,\"cache_tokens\":") != NULL, "the event has no cache_tokens");
    const char *found = strstr(log.ptr, "\"cache_tokens\":");
    unsigned long cost = found != NULL ? strtoul(found + 15, NULL, 10) : 0;
    size_t one = strlen("docs:aa") + strlen("Does what the server wants it to do.")
                 + strlen("{\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"string\"}}}");
    size_t messages = strlen("do it") + strlen("tool_search") + strlen("{\"query\":\"cc\"}");
    CHECK_INT(cost, (2 * one + messages) / 4, "tokens after the first definition");
    /* The second definition is evicted: only it and the messages follow. */
    log =
        play("agent; max_mcp=2; server=docs,aa,bb,cc",
             "{\"replies\":[" CALL("docs:aa") "," SEARCH("cc") ",{\"text\":\"good\"}],"
                                                               "\"results\":{\"docs:aa\":[\"a\"]}}",
             "c2.1", &shown);
    found = strstr(log.ptr, "\"cache_tokens\":");
    cost = found != NULL ? strtoul(found + 15, NULL, 10) : 0;
    messages += strlen("docs:aa") + strlen("{}") + strlen("a");
    CHECK_INT(cost, (one + messages) / 4, "tokens after the second definition");
}

#define TWO_SEARCHES(first, second)                                                                \
    "{\"calls\":[{\"name\":\"tool_search\",\"arguments\":{\"query\":\"" first                      \
    "\"}},{\"name\":\"tool_search\",\"arguments\":{\"query\":\"" second "\"}}]}"

/* The search before the first turn reveals the tools that are listed first. The results of the
 * searches of one reply evict only each other, the best of each last; and being found counts as
 * being called. */
TEST(results_of_the_searches_of_one_reply_stay)
{
    static const struct {
        const char *server, *turns, *hidden;
    } rows[] = {
        {"docs,x,y,aab,aac,bbd,bbe", TWO_SEARCHES("aa", "bb"),
         "\"tools\":[\"docs:aac\",\"docs:bbe\"],\"cap\":2,\"cache_tokens\":0}"},
        {"docs,x,y,aab,bbd", TWO_SEARCHES("aa", "bb"), "\"tools\":[\"docs:y\"]"},
        {"docs,x,y,aab,bbd,ccf", TWO_SEARCHES("aa", "bb") "," CALL("docs:bbd") "," SEARCH("cc"),
         "\"tools\":[\"docs:aab\"]"},
        {"docs,x,y,aab,bbd", CALL("docs:x") "," SEARCH("aa") "," SEARCH("bb"),
         "\"tools\":[\"docs:x\"]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char spec[128], script[1024];
        haft_str shown;
        (void)snprintf(spec, sizeof(spec), "agent; max_mcp=2; server=%s", rows[i].server);
        (void)snprintf(script, sizeof(script),
                       "{\"replies\":[%s,{\"text\":\"good\"}],\"results\":{\"docs:x\":[\"x\"],"
                       "\"docs:bbd\":[\"b\"]}}",
                       rows[i].turns);
        haft_str log = play(spec, script, "c1.1", &shown);
        const char *last = NULL;
        for (const char *at = log.ptr; (at = strstr(at, "\"kind\":\"tools_hidden\"")) != NULL;) {
            last = ++at;
        }
        const char *end = last != NULL ? strchr(last, '\n') : NULL;
        haft_str line = help_keep((haft_str){last, end != NULL ? (size_t)(end - last) : 0});
        CHECK(line.len > 0 && strstr(line.ptr, rows[i].hidden) != NULL, "row %zu: %s", i, log.ptr);
    }
}

/* ---- in every format ---- */

/* The request of the current turn, as a provider gets it. */
static haft_str request_text(help_run *r)
{
    haft__request request;
    haft__provider_conversation *chat = NULL;
    haft__buf text;
    haft__provider_request_options options = {.stream = false};
    haft__buf_init(&text, 1 << 22);
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    CHECK_INT(haft__decide_request(&r->drive.run, &r->arena, &request, NULL), HAFT_OK, "request");
    CHECK_INT(request.tool_count, 2, "declared");
    CHECK_INT(request.callable_count, 3, "can be called");
    CHECK_INT(haft__conversation_write(chat, &request, &options, &text, NULL), HAFT_OK, "sync");
    haft_str made = help_keep(haft__buf_str(&text));
    haft__conversation_destroy(chat);
    haft__buf_finish(&text);
    return made;
}

static size_t times(haft_str text, const char *part)
{
    size_t count = 0;
    for (const char *at = text.ptr; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

/* In every format, the prompt has the tools that were found, and not those that were hidden. */
TEST(every_format_shows_the_tools_that_were_found)
{
    size_t formats = 0;
    size_t count = 0;
    const haft__format *const *all = haft__formats(&count);
    for (size_t i = 0; i <= count; i++) {
        const char *name = i == 0 ? "native" : all[i - 1]->name;
        char words[256];
        help_run r;
        if (strcmp(name, "codemode") == 0) {
            continue; /* tests do not run code */
        }
        (void)snprintf(words, sizeof(words),
                       "agent; max_mcp=1; tools=tool_search; format=%s; server=docs,aa,bb", name);
        help_run_init(
            &r, words,
            "{\"replies\":[" SEARCH("bb") ",{\"error\":{\"status\":500,\"body\":\"x\"}}]}");
        r.spec.servers.tools[0].description = HAFT__LIT("Weighs an apple.");
        r.spec.servers.tools[1].description = HAFT__LIT("Paints a fence.\nIn any colour.");
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s: %s", name, r.err.message);
        haft_str text = request_text(&r);
        /* Once in the result of the search, and once in the list of tools. */
        CHECK_INT(times(text, "In any colour"), 2, "%s: %s", name, text.ptr);
        CHECK_INT(times(text, "Weighs an apple"), 0, "%s: %s", name, text.ptr);
        formats++;
        help_run_finish(&r);
    }
    CHECK(formats > 5, "%zu formats", formats);
}
