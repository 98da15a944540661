/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_link.c - the life of one connection: begun when it is needed, ended by a deadline or a break,
 * begun again a few times and ever later, then given up for a while.
 *
 * Tests: tests/exec/mcp/connection_test.c.
 */
#include <stdarg.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "io/clock.h"

/* Why a call was not made. */
#define UNCHECKED ", so that nobody knows what they are now, and nothing was called"

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

bool haft__mcp_link_clean(const void *context, haft_str text, haft__buf *out)
{
    const haft__mcp_link *link = context;
    if (link->redactor == NULL) {
        haft__buf_add_str(out, text);
        return false;
    }
    return haft__redact(link->redactor, text, out);
}

/* Errors go where no event does (`haft tools`, `haft mcp`), so secrets are taken out here, before
 * the text is cut: of half a secret nobody can tell that it is one. */
haft_status haft__mcp_link_fail(const haft__mcp_link *link, haft_error *err, haft_status status,
                                const char *format, ...)
{
    haft__buf text, clean;
    va_list args, again;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args); /* however long it is */
    char *to = haft__buf_reserve(&text, length > 0 ? (size_t)length + 1 : 1);
    if (to != NULL && length > 0) {
        (void)vsnprintf(to, (size_t)length + 1, format, again);
        haft__buf_advance(&text, (size_t)length);
    }
    va_end(args);
    va_end(again);
    (void)haft__mcp_link_clean(link, haft__buf_str(&text), &clean);
    bool whole =
        haft__buf_check(&text, NULL) == HAFT_OK && haft__buf_check(&clean, NULL) == HAFT_OK;
    haft_str shown = whole ? haft__buf_str(&clean) : HAFT__LIT("has an error that cannot be told");
    haft_status told = haft__fail(err, status, "", "the MCP server '%.*s' %.*s",
                                  HAFT__ARG(link->server.name), HAFT__ARG(shown));
    haft__buf_finish(&clean);
    haft__buf_finish(&text);
    return told;
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
    link->listed = !link->exec->options.refresh
                   && haft__mcp_record_is_good(&link->record, haft__clock_now()) && tools != NULL;
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
    link->fresh = link->listing = link->outdated = false;
    link->relists = 0;
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
    bool open = link->state == HAFT__LINK_OPEN, renewing = open && link->renewing;
    haft__buf said; /* without memory it says nothing */
    haft__buf_init(&said, HAFT__LIMIT_MCP_LOG_BYTES);
    haft__mcp_stdio_errors(link, &said);
    haft_status status = haft__mcp_link_fail(
        link, &err, HAFT_IO, "%s within %d ms%.*s%s",
        open ? "did not list its tools" : "was not ready", HAFT__LIMIT_MCP_READY_MS,
        HAFT__ARG(haft__buf_str(&said)), renewing ? UNCHECKED : "");
    haft__buf_finish(&said);
    (void)!haft__hint(&err, status, "see whether it runs by itself, and what it waits for");
    link->slow = true;
    if (renewing) {
        haft__mcp_use_fail(link, &err);
    }
    haft__mcp_link_broke(link, &err, false);
}

static void on_probe(void *context)
{
    haft__mcp_link *link = context;
    haft__mcp_link_pump(link, haft__mcp_client_give_up_probe(link->client, NULL));
}

static const haft_str eras[] = {
    [HAFT__MCP_ERA_UNKNOWN] = {"", 0},
    [HAFT__MCP_ERA_LEGACY] = {"initialize", 10},
    [HAFT__MCP_ERA_MODERN] = {"discover", 8},
};

static haft__mcp_era era_of(haft_str name)
{
    return haft__str_equal(name, eras[HAFT__MCP_ERA_LEGACY])   ? HAFT__MCP_ERA_LEGACY
           : haft__str_equal(name, eras[HAFT__MCP_ERA_MODERN]) ? HAFT__MCP_ERA_MODERN
                                                               : HAFT__MCP_ERA_UNKNOWN;
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
                                        .era = era_of(link->record.era),
                                        .version = HAFT__LIT(HAFT_VERSION),
                                        .elicitation = true,
                                        .listen = true,
                                        .log_level = HAFT__LIT("info"),
                                        .clean = haft__mcp_link_clean,
                                        .clean_context = link};
    link->believed = options.era != HAFT__MCP_ERA_UNKNOWN;
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
        status = haft__timer_start(loop_of(link), &link->deadline, HAFT__LIMIT_MCP_READY_MS,
                                   on_deadline, link, err);
    }
    if (status == HAFT_OK) {
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
    haft__timer_stop(loop_of(link), &link->probe);
    link->state = HAFT__LINK_OPEN;
    link->fresh = false; /* another session may have other tools */
    haft__mcp_link_list(link);
}

void haft__mcp_link_unwatched(haft__mcp_link *link)
{
    link->fresh = false;
}

/* Whether somebody tells when the tools change. */
static bool is_watched(const haft__mcp_link *link)
{
    return haft__mcp_client_watches(link->client) && (!link->pushes || haft__mcp_web_pushes(link));
}

void haft__mcp_link_list(haft__mcp_link *link)
{
    haft_error err = {0};
    if (link->state != HAFT__LINK_OPEN || link->listing) {
        return;
    }
    link->listing = true;
    link->fresh = link->outdated = false;
    link->renewing = link->deadline.slot == 0;
    haft__timer_stop(loop_of(link), &link->refresh);
    if (link->pushes && !link->no_push) { /* before the list: what changes behind it is told */
        haft__mcp_web_push(link);
    }
    haft_status status = HAFT_OK;
    if (link->renewing) { /* else it has just been started, and this is part of that */
        status = haft__timer_start(loop_of(link), &link->deadline, HAFT__LIMIT_MCP_READY_MS,
                                   on_deadline, link, &err);
    }
    haft__mcp_link_pump(link,
                        status == HAFT_OK ? haft__mcp_client_list(link->client, NULL) : status);
}

/* What cannot be written down is known here all the same. */
static void remember(haft__mcp_link *link, const haft__mcp_tools *tools)
{
    bool less = tools->has_ttl && tools->ttl_ms < HAFT__LIMIT_MCP_LIST_MS;
    haft__mcp_change change = {.server = link->server.name,
                               .redactor = link->redactor,
                               .era = eras[haft__mcp_client_era(link->client)],
                               .tools = tools->items,
                               .tool_count = tools->count,
                               .left_out = tools->left_out,
                               .left_out_count = tools->left_out_count,
                               .left_out_all = tools->left_out_all,
                               .good_ms = less ? tools->ttl_ms : HAFT__LIMIT_MCP_LIST_MS};
    (void)!haft__mcp_record_change(&link->record, link->path, &change, link->exec->hub->hash_key,
                                   NULL);
}

/* A list that was outdated when it came is asked for again, at once a few times if a call waits for
 * it: a server that never stops changing keeps nobody busy. */
static void look_again(haft__mcp_link *link)
{
    if (link->fresh) {
        link->relists = 0;
        haft__mcp_use_go(link);
    } else if (haft__mcp_use_waits(link) && link->relists < HAFT__LIMIT_MCP_RELISTS) {
        link->relists++;
        haft__mcp_link_list(link);
    } else {
        haft_error err = {0};
        haft_status status = haft__mcp_link_fail(
            link, &err, HAFT_IO, "says over and over that its tools have changed%s", UNCHECKED);
        (void)!haft__hint(&err, status, "do without it, or try again later");
        link->relists = 0;
        haft__mcp_use_fail(link, &err);
        haft__mcp_link_changed(link);
    }
}

void haft__mcp_link_listed(haft__mcp_link *link, const haft__mcp_tools *tools)
{
    haft__timer_stop(loop_of(link), &link->deadline);
    link->listing = false;
    if (link->state != HAFT__LINK_OPEN) {
        return; /* it broke meanwhile, and that says more */
    }
    if (tools->error.status != HAFT_OK) {
        (void)!haft__mcp_link_fail(link, &link->error, tools->error.status,
                                   "did not list its tools%s: %s", link->renewing ? UNCHECKED : "",
                                   tools->error.message);
        (void)!haft__hint(&link->error, tools->error.status, "%s", tools->error.hint);
        haft__mcp_link_recall(link, false); /* what the session had is gone */
        haft__mcp_use_fail(link, &link->error);
    } else {
        haft__mcp_link_works(link);
        link->tools = tools->items;
        link->tool_count = tools->count;
        link->number++;
        link->listed = true;
        link->fresh = !link->outdated;
        remember(link, tools);
        look_again(link);
        link->fresh = link->fresh && is_watched(link); /* else for what has waited, and no more */
    }
    haft__mcp_hub_settled(link->exec);
}
