/* SPDX-License-Identifier: Apache-2.0 */
/* servers_help.c - see servers_help.h. */
#include "servers_help.h"

#include <string.h>

#include "base/str.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

static bool is(haft_str name, const char *word)
{
    return haft__str_equal(name, haft__str(word));
}

static haft__json parse(haft__arena *arena, haft_str text)
{
    haft__json value = haft__json_null();
    haft_str kept = haft__arena_copy(arena, text);
    CHECK_INT(haft__json_read(arena, kept, NULL, &value, NULL, NULL), HAFT_OK, "%.*s",
              HAFT__ARG(text));
    return value;
}

haft__mcp_tool help_server_tool(haft__arena *arena, haft_str server, haft_str words)
{
    haft_str remote = haft__str_split(&words, '!');
    haft__mcp_tool tool = {
        .server = server,
        .remote = remote,
        .name = haft__arena_format(arena, "%.*s:%.*s", HAFT__ARG(server), HAFT__ARG(remote)),
        .description = HAFT__LIT("Does what the server wants it to do."),
        .input_schema = parse(arena, HAFT__LIT("{\"type\":\"object\",\"properties\":{\"q\":{"
                                               "\"type\":\"string\"}}}")),
    };
    haft__sha256_hex(tool.name, tool.hash);
    haft__traits_init(&tool.traits);
    while (words.len > 0) {
        haft_str trait = haft__str_split(&words, '!');
        tool.traits.read_only |= is(trait, "read_only");
        tool.traits.idempotent |= is(trait, "idempotent");
        tool.traits.destructive |= is(trait, "destructive");
        tool.traits.needs_approval |= is(trait, "approval");
    }
    return tool;
}

static void add_server(help_servers *s, haft__arena *arena, haft_str words)
{
    haft_str word = haft__str_split(&words, ','), name = haft__str_split(&word, '!');
    haft__mcp_listing *listing = &s->listings[s->count];
    s->disabled[s->count++] = is(word, "disabled");
    *listing = (haft__mcp_listing){.server = name,
                                   .state = HAFT__LIT("started"),
                                   .error = HAFT__LIT(""),
                                   .tools = &s->tools[s->tool_count]};
    if (is(word, "error")) {
        listing->state = HAFT__LIT("configured");
        listing->error = HAFT__LIT("it does not answer");
    }
    const bool *changed = &s->changed[s->tool_count];
    while (words.len > 0) {
        haft_str tool = haft__str_split(&words, ',');
        if (haft__str_ends_with(tool, HAFT__LIT("!changed"))) {
            s->changed[s->tool_count] = true;
            listing->changed = changed;
        }
        s->tools[s->tool_count++] = help_server_tool(arena, name, tool);
        listing->tool_count++;
    }
}

bool help_servers_word(help_servers *s, haft__arena *arena, haft_str name, haft_str value)
{
    if (is(name, "server")) {
        add_server(s, arena, value);
    } else if (is(name, "asks")) {
        s->asks = haft__str_split(&value, '!');
        s->durable = is(value, "durable");
    } else if (is(name, "mcp_allow")) {
        s->allow = value;
    } else if (is(name, "mcp_deny")) {
        s->deny = value;
    } else {
        return false;
    }
    return true;
}

static void add_patterns(haft__json_writer *w, const char *key, haft_str words)
{
    haft__json_key(w, key);
    haft__json_begin_array(w);
    while (words.len > 0) {
        haft__json_add_str(w, haft__str_split(&words, '+'));
    }
    haft__json_end_array(w);
}

haft__json help_servers_spec(const help_servers *s, haft__arena *arena)
{
    if (s->count == 0) {
        return haft__json_null();
    }
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, 1 << 20);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "servers");
    haft__json_begin_object(&w);
    for (size_t i = 0; i < s->count; i++) {
        haft__json_key_str(&w, s->listings[i].server);
        haft__json_begin_object(&w);
        haft__json_key(&w, "command");
        haft__json_begin_array(&w);
        haft__json_add_str(&w, s->listings[i].server);
        haft__json_end_array(&w);
        haft__json_key(&w, "enabled");
        haft__json_add_bool(&w, !s->disabled[i]);
        haft__json_end_object(&w);
    }
    haft__json_end_object(&w);
    add_patterns(&w, "allow", s->allow);
    add_patterns(&w, "deny", s->deny);
    haft__json_end_object(&w);
    haft__json mcp = parse(arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    return mcp;
}

/* ---- searching ---- */

/* Whether a word of the query is part of the name. */
static bool fits(haft_str name, haft_str query)
{
    while (query.len > 0) {
        haft_str word = haft__str_split(&query, ' ');
        for (size_t i = 0; word.len > 0 && i + word.len <= name.len; i++) {
            if (memcmp(name.ptr + i, word.ptr, word.len) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The task finds every tool whose name does not begin with "far". */
static bool fits_task(haft_str name)
{
    haft_str local = name;
    (void)haft__str_split(&local, ':');
    return !haft__str_starts_with(local, HAFT__LIT("far"));
}

/* The tools with a word of the query, in the order listed; then the others that the task finds. */
static haft_status find(haft__reveal_request *ask, haft__arena *scratch, haft_error *err)
{
    haft__reveal_hit *hits = haft__arena_array(scratch, ask->offer->count, sizeof(*hits));
    if (hits == NULL) {
        return haft__arena_fail(scratch, err);
    }
    for (int pass = 0; pass < (ask->call.len == 0 ? 2 : 1); pass++) {
        for (size_t i = 0; i < ask->offer->count; i++) {
            const haft__verdict *verdict = &ask->offer->items[i];
            bool fit = fits(verdict->name, ask->query);
            bool found = fit == (pass == 0) && (ask->call.len > 0 || fits_task(verdict->name));
            if (haft__reason_is_deferred(verdict->reason) && found) {
                hits[ask->hit_count++] = (haft__reveal_hit){verdict->name, 1.5, HAFT__LIT("name")};
            }
        }
    }
    ask->hits = hits;
    return HAFT_OK;
}

static haft_str argument(const haft__run_call *call, const char *key)
{
    const haft__json *value = haft__json_get(call->arguments, haft__str(key));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

haft_status help_search(const haft__run *run, const haft__run_call *call,
                        const haft__mcp_listing *listings, size_t count, haft__arena *scratch,
                        haft__hash_key hash_key, haft__buf *body, haft_error *err)
{
    haft__reveal reveal;
    haft__offer offer;
    uint64_t limit = 0;
    haft__reveal_request ask = {.spec = run->spec,
                                .run = run,
                                .listings = listings,
                                .listing_count = count,
                                .offer = &offer,
                                .query = call != NULL ? argument(call, "query") : run->task,
                                .call = call != NULL ? call->id : HAFT__LIT("")};
    if (call != NULL && haft__str_to_u64(argument(call, "limit"), &limit)) {
        ask.limit = (uint32_t)limit;
    }
    haft_status status = haft__resolve(ask.spec, run, listings, count, scratch, &offer, err);
    status = status == HAFT_OK ? find(&ask, scratch, err) : status;
    if (status == HAFT_OK) {
        status = haft__reveal_decide(&ask, scratch, hash_key, &reveal, err);
    }
    if (status == HAFT_OK) {
        haft__input_tools_revealed(body, &reveal);
    }
    return status;
}
