/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_link.c - the life of one connection: begun when it is needed, ended by a deadline or a break,
 * begun again a few times and ever later, then given up for a while.
 *
 * Tests: tests/exec/mcp_link_test.c.
 */
#include <stdarg.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp_int.h"

static haft__loop *loop_of(const haft__mcp_link *link)
{
    return link->exec->options.loop;
}

static bool is_web(const haft__mcp_link *link)
{
    return link->server.url.len > 0;
}

/* ---- looking ---- */

haft_str haft__mcp_link_state(const haft__mcp_link *link)
{
    if (link->state == HAFT__LINK_OPEN) {
        return link->used ? HAFT__LIT("used") : HAFT__LIT("started");
    }
    return link->listed ? HAFT__LIT("known") : HAFT__LIT("configured");
}

const haft__mcp_tool *haft__mcp_link_tool(const haft__mcp_link *link, haft_str name)
{
    for (size_t i = 0; i < link->tool_count; i++) {
        if (haft__str_equal(link->tools[i].remote, name)) {
            return &link->tools[i];
        }
    }
    return NULL;
}

bool haft__mcp_link_is_settled(const haft__mcp_link *link)
{
    bool trying = link->state == HAFT__LINK_OPENING || link->state == HAFT__LINK_WAITING
                  || (link->state == HAFT__LINK_OPEN && link->listing);
    return link->listed || (link->error.status != HAFT_OK && (!trying || link->slow));
}

haft_status haft__mcp_link_fail(const haft__mcp_link *link, haft_error *err, haft_status status,
                                const char *format, ...)
{
    char text[sizeof(((haft_error *)0)->message)];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return haft__fail(err, status, "", "the MCP server '%.*s' %s", HAFT__ARG(link->server.name),
                      text);
}

/* ---- memory ---- */

haft_status haft__mcp_link_create(haft__exec *exec, haft__mcp_link **ret_link, haft_error *err)
{
    haft__mcp_link *link = calloc(1, sizeof(*link));
    if (link == NULL) {
        return haft__fail_no_memory(err);
    }
    link->exec = exec;
    haft__arena_init(&link->arena, 0);
    haft__arena_init(&link->known, 0);
    haft__arena_init(&link->setup, 0);
    haft__arena_init(&link->session_arena, 0);
    haft__mcp_record_init(&link->record);
    haft__splitter_init(&link->lines, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    *ret_link = link;
    return HAFT_OK;
}

static void stop_timers(haft__mcp_link *link)
{
    haft__timer_stop(loop_of(link), &link->deadline);
    haft__timer_stop(loop_of(link), &link->probe);
    haft__timer_stop(loop_of(link), &link->list_time);
    haft__timer_stop(loop_of(link), &link->wake);
    haft__timer_stop(loop_of(link), &link->refresh);
}

static void close_transport(haft__mcp_link *link, bool goodbye)
{
    if (is_web(link)) {
        haft__mcp_web_close(link, goodbye);
    } else {
        haft__mcp_stdio_close(link);
    }
}

void haft__mcp_link_destroy(haft__mcp_link *link)
{
    link->closing = true;
    stop_timers(link);
    close_transport(link, false);
    haft__mcp_client_destroy(link->client);
    haft__mcp_record_finish(&link->record);
    haft__splitter_finish(&link->lines);
    haft__arena_finish(&link->session_arena);
    haft__arena_finish(&link->setup);
    haft__arena_finish(&link->known);
    haft__arena_finish(&link->arena);
    free(link);
}

void haft__mcp_link_leave(haft__mcp_link *link)
{
    link->closing = true;
    stop_timers(link);
    close_transport(link, true);
}

/* What is wrong with a definition was told when it was listed. */
void haft__mcp_link_recall(haft__mcp_link *link, bool read)
{
    haft__mcp_origin origin = {.server = link->server.name,
                               .trusted = link->server.trusted,
                               .timeout_ms = link->server.timeout_ms,
                               .hash_key = link->exec->hub->hash_key};
    if (read && link->path != NULL) {
        (void)!haft__mcp_record_read(&link->record, link->path, origin.hash_key, NULL);
    }
    haft__arena_reset(&link->known);
    haft__json known = link->record.tools;
    haft__mcp_tool *tools = haft__arena_array(&link->known, known.count, sizeof(*tools));
    link->listed = known.kind == HAFT__JSON_ARRAY && tools != NULL;
    link->fresh = false;
    link->tools = tools;
    link->tool_count = 0;
    for (uint32_t i = 0; link->listed && i < known.count; i++) {
        haft_status status = haft__mcp_tool_read(&link->known, known.items[i], &origin,
                                                 &tools[link->tool_count], NULL);
        link->tool_count += status == HAFT_OK;
    }
}

/* ---- its end, and another beginning ---- */

static bool is_wanted(const haft__mcp_link *link)
{
    return link->uses != NULL || !link->listed;
}

static void on_wake(void *context)
{
    haft__mcp_link *link = context;
    link->state = HAFT__LINK_IDLE;
    haft__mcp_link_begin(link);
}

static uint64_t backoff_of(const haft__mcp_link *link)
{
    uint32_t doublings = link->breaks > 0 ? link->breaks - 1 : 0;
    return (uint64_t)HAFT__LIMIT_MCP_BACKOFF_MS << (doublings < 8 ? doublings : 8);
}

/* Given up, for a while: everything that waits ends. */
static void give_up(haft__mcp_link *link)
{
    link->state = HAFT__LINK_OFF;
    link->not_before = haft__loop_now(loop_of(link)) + HAFT__LIMIT_MCP_REST_MS;
    if (link->client != NULL) {
        haft_status status =
            haft__mcp_client_fail(link->client, haft__str(link->error.message), NULL);
        haft__mcp_link_pump(link, status == HAFT_NO_MEMORY ? HAFT_OK : status);
    }
    haft__mcp_use_fail(link, &link->error);
}

/* Later, if somebody still needs it then. */
static void try_later(haft__mcp_link *link)
{
    uint64_t wait = backoff_of(link);
    link->not_before = haft__loop_now(loop_of(link)) + wait;
    link->state = HAFT__LINK_IDLE;
    if (is_wanted(link)) {
        link->state = HAFT__LINK_WAITING;
        if (haft__timer_start(loop_of(link), &link->wake, wait, on_wake, link, NULL) != HAFT_OK) {
            give_up(link);
        }
    }
}

void haft__mcp_link_broke(haft__mcp_link *link, const haft_error *why, bool lasting)
{
    if (link->closing || link->state == HAFT__LINK_OFF || link->state == HAFT__LINK_WAITING) {
        return;
    }
    link->error = *why;
    link->state = HAFT__LINK_WAITING; /* until it is decided below: nothing else ends it again */
    link->fresh = link->listing = false;
    link->breaks++;
    stop_timers(link);
    close_transport(link, false);
    if (link->client != NULL) {
        haft_status status = haft__mcp_client_lost(link->client, haft__str(why->message), NULL);
        haft__mcp_link_pump(link, status == HAFT_NO_MEMORY ? HAFT_OK : status);
    }
    if (lasting || link->breaks > HAFT__LIMIT_MCP_RESTARTS) {
        give_up(link);
    } else {
        try_later(link);
    }
    haft__mcp_hub_settled(link->exec);
}

void haft__mcp_link_works(haft__mcp_link *link)
{
    link->breaks = 0;
    link->slow = false;
    link->error = (haft_error){.status = HAFT_OK};
}

/* ---- beginning ---- */

static void on_deadline(void *context)
{
    haft__mcp_link *link = context;
    haft_error err = {0};
    haft_status status = haft__mcp_link_fail(link, &err, HAFT_IO, "was not ready within %d ms",
                                             HAFT__LIMIT_MCP_CONNECT_MS);
    (void)!haft__hint(&err, status, "see whether it runs by itself, and what it waits for");
    link->slow = true;
    haft__mcp_link_broke(link, &err, false);
}

static void on_probe(void *context)
{
    haft__mcp_link *link = context;
    haft__mcp_link_pump(link, haft__mcp_client_give_up_probe(link->client, NULL));
}

static haft_status make_client(haft__mcp_link *link, haft_error *err)
{
    if (link->client != NULL) {
        return HAFT_OK;
    }
    haft__mcp_client_options options = {.transport =
                                            is_web(link) ? HAFT__MCP_HTTP : HAFT__MCP_STDIO,
                                        .origin = {.server = link->server.name,
                                                   .trusted = link->server.trusted,
                                                   .timeout_ms = link->server.timeout_ms,
                                                   .hash_key = link->exec->hub->hash_key},
                                        .version = HAFT__LIT(HAFT_VERSION),
                                        .elicitation = true,
                                        .listen = true,
                                        .log_level = HAFT__LIT("info")};
    haft_status status = haft__mcp_setup_roots(link, &options.roots, &options.root_count, err);
    return status == HAFT_OK ? haft__mcp_client_create(&options, &link->client, err) : status;
}

static haft_status open_transport(haft__mcp_link *link, haft_error *err)
{
    haft__arena_reset(&link->setup);
    haft_status status = make_client(link, err);
    if (status == HAFT_OK) {
        status = is_web(link) ? haft__mcp_web_open(link, err) : haft__mcp_stdio_open(link, err);
    }
    if (status == HAFT_OK) {
        status = haft__timer_start(loop_of(link), &link->deadline, HAFT__LIMIT_MCP_CONNECT_MS,
                                   on_deadline, link, err);
    }
    if (status == HAFT_OK && !is_web(link)) {
        status = haft__timer_start(loop_of(link), &link->probe, HAFT__LIMIT_MCP_PROBE_MS, on_probe,
                                   link, err);
    }
    return status;
}

/* What was left out or is wrong in the configuration does not mend itself. */
static bool is_lasting(haft_status status)
{
    return status == HAFT_NOT_FOUND || status == HAFT_BAD_INPUT || status == HAFT_UNSUPPORTED;
}

void haft__mcp_link_begin(haft__mcp_link *link)
{
    haft_error err = {0};
    uint64_t now = haft__loop_now(loop_of(link));
    if (link->state == HAFT__LINK_OFF && now >= link->not_before) {
        link->breaks = HAFT__LIMIT_MCP_RESTARTS; /* once, and then another rest */
        link->state = HAFT__LINK_IDLE;
    }
    if (link->state == HAFT__LINK_OFF) {
        haft__mcp_use_fail(link, &link->error);
        return;
    }
    if (link->state != HAFT__LINK_IDLE || link->closing) {
        return;
    }
    if (now < link->not_before) {
        try_later(link);
        return;
    }
    link->state = HAFT__LINK_OPENING;
    haft_status status = open_transport(link, &err);
    if (status != HAFT_OK) {
        haft_error told = {0};
        (void)!haft__mcp_link_fail(link, &told, status, "cannot be started: %s", err.message);
        (void)!haft__hint(&told, status, "%s", err.hint);
        haft__mcp_link_broke(link, &told, is_lasting(status));
        return;
    }
    haft__mcp_link_pump(link, haft__mcp_client_start(link->client, NULL));
}

/* ---- open ---- */

void haft__mcp_link_opened(haft__mcp_link *link)
{
    haft__timer_stop(loop_of(link), &link->deadline);
    haft__timer_stop(loop_of(link), &link->probe);
    link->state = HAFT__LINK_OPEN;
    if (!link->fresh) { /* a session that was begun anew keeps its list */
        haft__mcp_link_list(link);
    }
}

static void on_list_time(void *context)
{
    haft__mcp_link *link = context;
    haft_error err = {0};
    (void)!haft__mcp_link_fail(link, &err, HAFT_IO, "did not list its tools within %d ms",
                               HAFT__LIMIT_MCP_LIST_MS);
    link->slow = true;
    haft__mcp_link_broke(link, &err, false);
}

void haft__mcp_link_list(haft__mcp_link *link)
{
    haft_error err = {0};
    if (link->state != HAFT__LINK_OPEN || link->listing) {
        return;
    }
    link->listing = true;
    haft_status status = haft__timer_start(loop_of(link), &link->list_time, HAFT__LIMIT_MCP_LIST_MS,
                                           on_list_time, link, &err);
    haft__mcp_link_pump(link,
                        status == HAFT_OK ? haft__mcp_client_list(link->client, NULL) : status);
}

/* What cannot be written down is known here all the same. */
static void remember(haft__mcp_link *link)
{
    haft__mcp_change change = {.server = link->server.name,
                               .listed = true,
                               .tools = link->tools,
                               .tool_count = link->tool_count};
    (void)!haft__mcp_record_change(&link->record, link->path, &change, link->exec->hub->hash_key,
                                   NULL);
}

void haft__mcp_link_listed(haft__mcp_link *link, const haft__mcp_tools *tools)
{
    haft__timer_stop(loop_of(link), &link->list_time);
    link->listing = false;
    if (link->state != HAFT__LINK_OPEN) {
        return; /* it broke meanwhile, and that says more */
    }
    if (tools->error.status != HAFT_OK) {
        (void)!haft__mcp_link_fail(link, &link->error, tools->error.status,
                                   "did not list its tools: %s", tools->error.message);
        haft__mcp_link_recall(link, false); /* what the session had is gone */
        haft__mcp_use_fail(link, &link->error);
    } else {
        haft__mcp_link_works(link);
        link->tools = tools->items;
        link->tool_count = tools->count;
        link->listed = link->fresh = true;
        remember(link);
        haft__mcp_use_go(link);
    }
    haft__mcp_hub_settled(link->exec);
}
