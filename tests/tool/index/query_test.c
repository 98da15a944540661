/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/query.c, score.c, names.c and fuzzy.c: the hits of a query, their
 * order and reasons. */
#include <strings.h>

#include "base/limits.h"
#include "test.h"
#include "tool/index/search_int.h"
#include "tool/search_help.h"

static const search_tool tools[] = {
    {"github:create_issue", "create_issue", "github", "Create a new issue in a repository.",
     "{\"properties\":{\"title\":{\"description\":\"Heading of the ticket\"},"
     "\"labels\":{\"items\":{\"enum\":[\"bug\",\"wontfix\"]}}}}"},
    {"github:list_issues", "list_issues", "github", "List issues of a repository.", NULL},
    {"github:search_repositories", "search_repositories", "github", "Search for repositories.",
     NULL},
    {"slack:post_message", "post_message", "slack", "Post a message to a channel.", NULL},
    {"slack:list_channels", "list_channels", "slack", "List the channels of a workspace.", NULL},
    {"fs:read_file", "read_file", "fs", "Read a file from disk.",
     "{\"properties\":{\"path\":{\"type\":\"string\"},\"encoding\":{\"const\":\"utf8\"}}}"},
    {"fs:write_file", "write_file", "fs", "Write text to a file.", NULL},
    {"weather", "getWeatherForecast", "", "Forecast for a city: rain, wind, sun.", NULL},
    {"calendar", "calendar_events", "", "Appointments of a day.", NULL},
    {"search", "search", "", "Look things up on the web.", NULL},
};

TEST(queries_find_the_expected_tools)
{
    static const struct {
        const char *query, *hits;
        size_t k;
    } cases[] = {
        /* words in other forms and places */
        {"creating issues", "github:create_issue:name", 1},
        {"post messages on a channel", "slack:post_message:name", 1},
        {"will it rain in the city?", "weather:text", 1},
        {"wontfix", "github:create_issue:parameters", 1},
        {"ticket heading", "github:create_issue:parameters", 1},
        {"utf8", "fs:read_file:parameters", 1},
        {"slack", "slack:list_channels:server name slack:post_message:server name", 2},
        /* exact names come first, however common the words are */
        {"search", "search:exact name", 1},
        {"list_issues", "github:list_issues:exact name", 1},
        {"List Issues", "github:list_issues:exact name", 1},
        {"github:list_issues", "github:list_issues:exact name", 1},
        {"please read a file with `fs.write_file`, read it", "fs:write_file:exact name", 1},
        {"getweatherforecast", "weather:exact name", 1},
        {"call getWeatherForecast now", "weather:exact name", 1},
        {"how do I search repositories", "github:search_repositories:name", 1},
        /* parts of names, typing errors, joined words */
        {"repo", "github:search_repositories:name", 1},
        {"forec", "weather:name", 1},
        {"eather", "weather:name", 1},
        {"readfile", "fs:read_file:exact name", 1},
        {"a readfile thing", "fs:read_file:name", 1},
        {"calender appointments", "calendar:name", 1},
        {"look for reposiotries", "github:search_repositories:name", 1},
        {"qurey", "", 1},
        {"serach the web", "search:text", 1},
        {"slakc", "slack:list_channels:server", 1},
        {"calendare", "calendar:name", 1},
        {"list_isseus", "github:list_issues:name", 1},
        {"listisseus", "github:list_issues:name", 1},
        {"create_iss", "github:create_issue:name", 1},
        {"create iss", "github:create_issue:name", 1},
        {"github:create_i", "github:create_issue:name", 1},
        {"eate_issu", "github:create_issue:name", 1},
        {"ad", "fs:read_file:name", 1},
        {"slac", "slack:post_message:name slack:list_channels:name", 2},
        {"write_fi", "fs:write_file:name", 1},
        /* pieces of words in a sentence do not match: "com" is not "comment", "end" not "send" */
        {"po in the end", "", 5},
        {"is us at", "", 5},
        {"the reading writingly of it", "fs:read_file:name", 1},
        {"foreca for a trip", "weather:name", 1},
        /* several clauses: the best tool of each */
        {"post a message to the channel, then read the file",
         "slack:post_message:name "
         "fs:read_file:name",
         2},
        /* nothing */
        {"", "", 5},
        {"the of and", "", 5},
        {"zzzzzz", "", 5},
        {"\xff\xfe", "", 5},
        {"create issue", "", 0},
    };
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(search_ids(search, haft__str(cases[i].query), cases[i].k),
                  haft__str(cases[i].hits), "%s", cases[i].query);
    }
    haft__search_destroy(search);
}

/* An exact word counts more than any similar one, even if that is rare. */
TEST(similar_words_rank_lower)
{
    static const search_tool near[] = {
        {"a", "comment_add", "", "Adds a remark.", NULL},
        {"b", "page_open", "", "Opens a page in a browser.", NULL},
        {"c", "page_close", "", "Closes a page in a browser.", NULL},
        {"d", "browserless", "", "Something else.", NULL},
    };
    haft__search_index *search = search_make(near, COUNT(near), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("open example.com in the browser"), 2),
              HAFT__LIT("b:name c:text"), "exact words before similar ones");
    CHECK_STR(search_ids(search, HAFT__LIT("a comme about pages"), 5),
              HAFT__LIT("b:name c:name a:name"), "a prefix of a word");
    haft__search_destroy(search);
}

/* All words of the prefix are words of the index, but the name with this prefix is not one of those
 * that have all these words. */
TEST(one_token_in_camel_case_is_a_prefix_of_a_name)
{
    static const search_tool camel[] = {
        {"a", "checkCopyright", "", "Looks whether a work is protected.", NULL},
        {"b", "checkAvailableCopies", "", "Check the copies of a book.", NULL},
        {"c", "calculateForce", "", "Newton's second law.", NULL},
        {"d", "calculateSum", "", "Calculate a sum, calculate it again.", NULL},
        {"e", "getAge", "", "How old somebody is.", NULL},
        {"f", "targetAgency", "", "Get an agency.", NULL},
        {"g", "parseHTTPServerLog", "", "Reads lines.", NULL},
        {"h", "http_server", "", "Parse what an HTTP server says.", NULL},
        {"i", "s3Buckets", "", "Lists.", NULL},
        {"j", "storage", "", "An S3 bucket, a bucket of S3.", NULL},
        {"k", "github_user_find", "", "Finds one.", NULL},
        {"l", "hub", "", "Git hub git hub.", NULL},
    };
    static const struct {
        const char *query, *first;
    } cases[] = {
        {"checkCopy", "a:name"},
        {"check_copy", "a:name"},
        {"CheckCopy", "a:name"},
        {"calculateFor", "c:name"},
        {"getAg", "e:name"},
        {"parseHTTPServ", "g:name"},
        {"parseHTTPServer", "g:name"},
        {"s3Bucket", "i:name"},
        {"GitHub", "k:name"},
        /* several words are words, not a name */
        {"check copies", "b:name"},
        {"check the Copies", "b:name"},
        /* and so is one that is not joined from others */
        {"Check", "b:name"},
        {"CALCULATE", "d:name"},
    };
    haft__search_index *search = search_make(camel, COUNT(camel), NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(search_ids(search, haft__str(cases[i].query), 1), haft__str(cases[i].first), "%s",
                  cases[i].query);
    }
    haft__search_destroy(search);
}

TEST(a_known_word_also_matches_inside_names)
{
    static const search_tool docs[] = {
        {"a", "copilot", "", "Writes code.", NULL},
        {"b", "glide", "", "Books a flight and its pilot.", NULL},
        {"c", "portfoliopilot", "", "Gives advice.", NULL},
        {"d", "age", "", "How old somebody is.", NULL},
        {"e", "manage", "", "Leads people.", NULL},
    };
    static const struct {
        const char *query, *found;
    } cases[] = {
        {"pilot", "b:text a:name c:name"},
        {"pilots", "b:text"},    /* no name contains it */
        {"a pilot", "b:text"},   /* several words are words */
        {"age", "d:exact name"}, /* too short to be a part of a name */
    };
    haft__search_index *search = search_make(docs, COUNT(docs), NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(search_ids(search, haft__str(cases[i].query), 5), haft__str(cases[i].found), "%s",
                  cases[i].query);
    }
    haft__search_destroy(search);
}

TEST(deprecated_tools_rank_lower)
{
    static const struct {
        const char *text;
        bool after;
    } cases[] = {
        {"DEPRECATED: use make_note instead. Makes a note.", true},
        {"**[Deprecated]** use make_note instead. Makes a note.", true},
        {"Deprecated use make_note instead. Makes a note.", true},
        {"Makes a note. DEPRECATED: Use make_note instead.", true},
        {"Makes a note. Deprecated.", true},
        {"Makes a note!  deprecated, use make_note", true},
        {"Makes a note.\n\n**Deprecated** - use make_note.", true},
        {"Makes a note.\n[DEPRECATED]", true},
        {"Makes a note\nDeprecated in favour of make_note.", true},
        {"Makes a note. Deprecated since 2.1", true},
        {"Makes a note. Deprecated; use make_note", true},
        {"Makes a note (deprecated).", true},
        {"Makes a note. Deprecated \xe2\x80\x94 use make_note.", true},
        /* the text is about something else that is deprecated */
        {"Makes a note. Deprecated notes are kept.", false},
        {"Makes a note that is deprecated.", false},
        {"Makes a note, deprecated or not.", false},
        {"Makes a note (deprecated ones too).", false},
        {"Makes a note. Deprecat", false},
        {"Makes a note. Deprecatedness: none.", false},
        {"Makes a note. Undeprecated.", false},
        {"Makes a note.deprecated: a field", false},
        {"Makes a note with a status: deprecated, active.", false},
        {"Makes a note (deprecated, active or new).", false},
    };
    /* Compares the tool with one that has another word instead of "deprecated". */
    for (size_t i = 0; i < COUNT(cases); i++) {
        char other[128];
        (void)snprintf(other, sizeof(other), "%s", cases[i].text);
        for (char *at = other; *at != '\0'; at++) {
            *at = (char)(strncasecmp(at, "precat", 6) == 0 ? 'z' : *at);
        }
        search_tool pair[] = {{"a", "make_note", "", cases[i].text, NULL},
                              {"b", "make_note", "", other, NULL}};
        haft__search_index *search = search_make(pair, COUNT(pair), NULL);
        haft_str found = search_ids(search, HAFT__LIT("it makes some note now"), 1);
        CHECK_STR(found, haft__str(cases[i].after ? "b:name" : "a:name"), "%s", cases[i].text);
        haft__search_destroy(search);
    }
}

/* Unknown words, and then one that is similar to a known one. */
TEST(the_number_of_similar_words_is_limited)
{
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    char text[HAFT__LIMIT_SEARCH_NEAR_WORDS * 8 + 16];
    for (size_t more = 0; more < 2; more++) {
        size_t length = 0, count = HAFT__LIMIT_SEARCH_NEAR_WORDS - 1 + more;
        for (size_t i = 0; i < count; i++) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "qz%c%c ",
                                       (char)('a' + i / 26), (char)('a' + i % 26));
        }
        (void)snprintf(text + length, sizeof(text) - length, "foreca");
        CHECK_STR(search_ids(search, haft__str(text), 1), haft__str(more ? "" : "weather:name"),
                  "%zu unknown words before", count);
    }
    haft__search_destroy(search);
}

/* There are so many similar words and names that comparing all of them would take too long. */
TEST(the_number_of_compared_words_is_limited)
{
    haft__search_index *search = search_make(NULL, 0, NULL);
    for (uint32_t i = 0; i <= HAFT__LIMIT_SEARCH_NEAR_TERMS; i++) {
        char name[32];
        size_t length = 0;
        name[length++] = 'q'; /* always the same letters, in another order */
        for (uint32_t bit = 0; bit < 13; bit++) {
            name[length++] = i >> bit & 1 ? 'x' : 'z';
        }
        (void)snprintf(name + length, sizeof(name) - length, "xz");
        search_tool tool = {name, name, "", "", NULL};
        bool last = i == HAFT__LIMIT_SEARCH_NEAR_TERMS;
        if (last) {
            CHECK(search_ids(search, HAFT__LIT("one qzzzzzzzzzzzzzxzk"), 1).len > 0,
                  "a typo, below the limit");
            CHECK(search_ids(search, HAFT__LIT("one qzzzz"), 1).len > 0,
                  "a prefix, below the limit");
            CHECK(search_ids(search, HAFT__LIT("qzzzzzzzzzzzzzxzk"), 1).len > 0,
                  "a name, below the limit");
        }
        CHECK(search_add(search, &tool) == HAFT_OK, "add the document");
    }
    CHECK_STR(search_ids(search, HAFT__LIT("one qzzzzzzzzzzzzzxzk"), 1), HAFT__LIT(""),
              "a typo, past the limit");
    CHECK_STR(search_ids(search, HAFT__LIT("qzzzzzzzzzzzzzxzk"), 1), HAFT__LIT(""),
              "a name, past the limit");
    CHECK_STR(search_ids(search, HAFT__LIT("one qxzzz"), 1), HAFT__LIT(""),
              "a prefix, past the limit");
    haft__search_destroy(search);
}

TEST(equal_hits_are_ordered_by_id)
{
    static const search_tool alike[] = {{"c", "look", "", "", NULL},
                                        {"a", "look", "", "", NULL},
                                        {"b", "look", "", "", NULL},
                                        {"aa", "look", "", "", NULL}};
    haft__search_index *search = search_make(alike, COUNT(alike), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("to look around"), 3),
              HAFT__LIT("a:name aa:name b:name"), "three of four equal hits");
    haft__search_destroy(search);
}

/* Many documents, every k: the first k are always the same. */
TEST(fewer_hits_are_a_prefix_of_more_hits)
{
    haft__search_index *search = search_make(NULL, 0, NULL);
    for (uint32_t i = 0; i < 300; i++) {
        char id[16], text[64];
        (void)snprintf(id, sizeof(id), "t%03u", i * 7 % 300);
        (void)snprintf(text, sizeof(text), "file %s %s", i % 3 ? "read" : "x",
                       i % 7 ? "y" : "list");
        search_tool tool = {id, "tool", "", text, NULL};
        CHECK(search_add(search, &tool) == HAFT_OK, "add the document");
    }
    haft_str all = search_scores(search, HAFT__LIT("list and read files"), 1000);
    for (size_t k = 1; k < 300; k += 13) {
        haft_str some = search_scores(search, HAFT__LIT("list and read files"), k);
        CHECK(haft__str_starts_with(all, some), "%zu hits", k);
    }
    haft__search_destroy(search);
}

TEST(hits_have_a_limit)
{
    haft__search_index *search = search_make(NULL, 0, NULL);
    haft__arena arena;
    haft__search_hit *hits = NULL;
    size_t count = 0;
    haft__arena_init(&arena, 0);
    for (uint32_t i = 0; i <= HAFT__LIMIT_SEARCH_HITS; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "%u", i);
        search_tool tool = {id, "file", "", "", NULL};
        CHECK(search_add(search, &tool) == HAFT_OK, "add the document");
    }
    CHECK(haft__search_query(search, HAFT__LIT("file"), SIZE_MAX, &arena, &hits, &count, NULL)
              == HAFT_OK,
          "query with a limit that is too large");
    CHECK_INT(count, HAFT__LIMIT_SEARCH_HITS, "number of hits");
    haft__arena_finish(&arena);
    haft__search_destroy(search);
}

/* A query of `count` unknown words and one known word. */
static haft_str long_query(size_t count, const char *last)
{
    size_t size = count * 8 + strlen(last), length = 0;
    char *text = test_alloc(size + 1);
    for (size_t i = 0; i < count; i++) {
        length += (size_t)snprintf(text + length, size + 1 - length, "q%c%c%c ",
                                   (char)('a' + i / 676 % 26), (char)('a' + i / 26 % 26),
                                   (char)('a' + i % 26));
    }
    length += (size_t)snprintf(text + length, size + 1 - length, "%s", last);
    return (haft_str){text, length};
}

TEST(queries_have_limits)
{
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    haft_str max = long_query(HAFT__LIMIT_SEARCH_QUERY_WORDS - 1, "forecast");
    haft_str more = long_query(HAFT__LIMIT_SEARCH_QUERY_WORDS, "forecast");
    CHECK_STR(search_ids(search, max, 1), HAFT__LIT("weather:name"),
              "the last word within the limit");
    CHECK_STR(search_ids(search, more, 1), HAFT__LIT(""), "one word past the limit");
    size_t size = HAFT__LIMIT_SEARCH_QUERY_BYTES;
    char *text = test_alloc(size + 16);
    memset(text, ' ', size + 16);
    memcpy(text + size - 7, "weather", 7);
    CHECK_STR(search_ids(search, (haft_str){text, size + 16}, 1), HAFT__LIT("weather:exact name"),
              "bytes within the limit");
    memcpy(text + size - 7, " weather", 8);
    CHECK_STR(search_ids(search, (haft_str){text, size + 16}, 1), HAFT__LIT("weather:name"),
              "a byte is past the limit: only a part of the name");
    memset(text, 'x', size + 16);
    CHECK_STR(search_ids(search, (haft_str){text, size + 16}, 1), HAFT__LIT(""), "one long word");
    haft__search_destroy(search);
}

TEST(queries_survive_every_failed_allocation)
{
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__search_hit *hits = NULL;
        size_t count = 99;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status =
            haft__search_query(search, HAFT__LIT("post a message"), 5, &arena, &hits, &count, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK(!failed || (hits == NULL && count == 99), "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
    for (size_t max = 64; max < 60000; max += 997) {
        haft__arena arena;
        haft__search_hit *hits = NULL;
        size_t count = 0;
        haft__arena_init(&arena, max);
        haft_status status =
            haft__search_query(search, HAFT__LIT("post a message"), 5, &arena, &hits, &count, NULL);
        CHECK(status == HAFT_OK || status == HAFT_TOO_BIG, "an arena of %zu bytes", max);
        haft__arena_finish(&arena);
    }
    haft__search_destroy(search);
}

/* ---- names in sentences ---- */

/* A server's name may be a common word. A name that occurs in no other tool, after a pointing
 * word or with a capital, is meant; also in small letters. */
TEST(a_sentence_names_a_server)
{
    static const search_tool few[] = {
        {"slack:add_message", "add_message", "slack", "Adds a message to a channel.", NULL},
        {"slack:history", "history", "slack", "Reads a channel.", NULL},
        {"gmail:send_message", "send_message", "gmail", "Sends a message to somebody.", NULL},
        {"notion:post_page", "post_page", "notion", "Posts a page.", NULL},
        {"google-maps:search", "search", "google-maps", "Finds places.", NULL},
        {"web:search", "search", "web", "Finds pizza.", NULL},
        {"time:now", "now", "time", "Tells the time.", NULL},
        {"cal:add_event", "add_event", "cal", "Adds an event at a time.", NULL},
        {"cal:move_event", "move_event", "cal", "Moves an event to another time.", NULL},
    };
    static const struct {
        const char *query, *first;
    } rows[] = {
        {"send a message on slack", "slack:add_message:server name"},
        {"send a message on Slack.", "slack:add_message:server name"},
        {"post to slack", "slack:add_message:server name"},
        {"send slack message", "slack:add_message:server name"},
        {"search pizza in google maps", "google-maps:search:server name"},
        {"move an event in time", "cal:move_event:name"},
    };
    haft__search_index *search = search_make(few, COUNT(few), NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(search_ids(search, haft__str(rows[i].query), 1), haft__str(rows[i].first), "%s",
                  rows[i].query);
    }
    haft__search_destroy(search);
}

/* "mcp" and "server" may be in the name of any server. */
TEST(a_server_is_named_without_mcp_and_server)
{
    static const search_tool few[] = {
        {"github-mcp-server:create_issue", "create_issue", "github-mcp-server", "Creates one.",
         NULL},
        {"mcp_server_fetch:get", "get", "mcp_server_fetch", "Gets a page.", NULL},
        {"GoogleMapsMCP:places", "places", "GoogleMapsMCP", "Finds places.", NULL},
        {"observer:watch", "watch", "observer", "Watches.", NULL},
        {"mcp-server:ping", "ping", "mcp-server", "Pings.", NULL},
        {"hosts:list", "list", "hosts", "Lists each server, server by server.", NULL},
        {"notes:about", "about", "notes", "Says that github exists, github and issue.", NULL},
    };
    static const struct {
        const char *query, *found;
        size_t k;
    } rows[] = {
        {"github", "github-mcp-server:create_issue:server name notes:about:text", 2},
        {"GitHub", "github-mcp-server:create_issue:server name", 1},
        {"github mcp server", "github-mcp-server:create_issue:server name", 1},
        {"github-mcp-server", "github-mcp-server:create_issue:server name", 1},
        {"the github-mcp thing", "github-mcp-server:create_issue:server name", 1},
        {"open an issue on github", "github-mcp-server:create_issue:server name", 1},
        {"fetch", "mcp_server_fetch:get:server name", 1},
        {"server-fetch", "mcp_server_fetch:get:server name", 1},
        {"google maps", "GoogleMapsMCP:places:server name", 1},
        {"pizza in google maps", "GoogleMapsMCP:places:server name", 1},
        {"ob", "observer:watch:name", 1},
        /* these words alone find only servers that have no other words in their names */
        {"server", "hosts:list:text mcp-server:ping:server", 5},
        {"mcp server", "mcp-server:ping:server name hosts:list:text", 5},
    };
    haft__search_index *search = search_make(few, COUNT(few), NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(search_ids(search, haft__str(rows[i].query), rows[i].k), haft__str(rows[i].found),
                  "%s", rows[i].query);
    }
    haft__search_destroy(search);
}

/* If two names differ only in punctuation, the one as written comes first. Capitals mean a name. */
TEST(names_that_match_exactly_come_first)
{
    static const search_tool few[] = {
        {"a:get_time", "get_time", "a", "", NULL},
        {"b:get-time", "get-time", "b", "", NULL},
        {"c:get_me", "get_me", "c", "", NULL},
        {"c:get_messages", "get_messages", "c", "", NULL},
    };
    static const struct {
        const char *query, *first;
    } rows[] = {
        {"get-time", "b:get-time:exact name"},
        {"get_time", "a:get_time:exact name"},
        {"`get-time`", "b:get-time:exact name"},
        {"use get-time() now", "b:get-time:exact name"},
        {"please call GET_ME", "c:get_me:exact name"},
    };
    haft__search_index *search = search_make(few, COUNT(few), NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(search_ids(search, haft__str(rows[i].query), 1), haft__str(rows[i].first), "%s",
                  rows[i].query);
    }
    CHECK_STR(search_ids(search, HAFT__LIT("the API for USA"), 1), HAFT__LIT(""),
              "capitals that are not names");
    haft__search_destroy(search);
}

/* A letter once instead of twice, in a short word; and vice versa. */
TEST(doubled_letters_are_treated_as_typos)
{
    static const search_tool few[] = {
        {"a", "list_issues", "", "", NULL},
        {"b", "delete_file", "", "", NULL},
    };
    haft__search_index *search = search_make(few, COUNT(few), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("isue"), 1), HAFT__LIT("a:name"), "one letter missing");
    CHECK_STR(search_ids(search, HAFT__LIT("show an isue"), 1), HAFT__LIT("a:name"),
              "one letter missing, in a sentence");
    CHECK_STR(search_ids(search, HAFT__LIT("some fille"), 1), HAFT__LIT("b:name"),
              "one letter too many");
    CHECK_STR(search_ids(search, HAFT__LIT("some isu"), 1), HAFT__LIT(""),
              "too short to be corrected");
    haft__search_destroy(search);
}

/* The typo hides the ending or is in it, so that the stems differ more than the words. */
TEST(one_typo_is_corrected_before_the_ending_is_removed)
{
    static const search_tool few[] = {
        {"a", "calculate", "", "Works out an amount.", NULL},
        {"b", "update_page", "", "", NULL},
        {"c", "delete_page", "", "", NULL},
        {"d", "polite", "", "", NULL},
    };
    static const struct {
        const char *query, *certain, *uncertain; /* with word vectors, and without */
    } rows[] = {
        {"caculate this", "a:name", "a:name"},       /* a letter is missing */
        {"callculates this", "a:name", "a:name"},    /* a letter too many */
        {"claculating this", "a:name", "a:name"},    /* letters are swapped */
        {"calkulation of this", "a:name", "a:name"}, /* a wrong letter */
        {"updtae this", "b:name", "b:name"},
        {"deelte this", "c:name", "c:name"},
        {"this calculaton", "a:name", ""}, /* the typo is in the ending */
        {"delte this", "", ""},            /* too short: five letters */
        {"caculat3 this", "", ""},         /* digits are not corrected */
    };
    haft__search_word_vectors vectors;
    CHECK(haft__search_word_vectors_open(test_read_file("share/haft/words.vec"), &vectors, NULL)
              == HAFT_OK,
          "open the word vectors");
    haft__search_index *certain = search_make(few, COUNT(few), &vectors);
    haft__search_index *uncertain = search_make(few, COUNT(few), NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str query = haft__str(rows[i].query);
        CHECK_STR(search_ids(certain, query, 1), haft__str(rows[i].certain), "%s", rows[i].query);
        CHECK_STR(search_ids(uncertain, query, 1), haft__str(rows[i].uncertain),
                  "%s, without word vectors", rows[i].query);
    }
    CHECK_STR(search_ids(uncertain, HAFT__LIT("the position"), 1), HAFT__LIT(""),
              "another word that may be correct");
    haft__search_destroy(certain);
    haft__search_destroy(uncertain);
}

/* ---- weights ---- */

/* The hits when a part of the documents has no weight. */
TEST(each_part_counts)
{
    static const search_tool pair[] = {
        {"n", "alpha_beta", "one", "gamma", NULL},
        {"t", "delta", "two", "alpha alpha beta", NULL},
        {"s", "epsilon", "zeta", "eta", NULL},
    };
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *search = NULL;
    options.weights = (haft__search_weights){.text = 1};
    CHECK(haft__search_create(&options, &search, NULL) == HAFT_OK, "create the index");
    for (size_t i = 0; i < COUNT(pair); i++) {
        CHECK(search_add(search, &pair[i]) == HAFT_OK, "add the document");
    }
    CHECK_STR(search_ids(search, HAFT__LIT("with alpha the"), 5), HAFT__LIT("t:text"),
              "only the text counts");
    CHECK_STR(search_ids(search, HAFT__LIT("in zeta here"), 5), HAFT__LIT(""),
              "the group does not count");
    haft__search_destroy(search);
}
