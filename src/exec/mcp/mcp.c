/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp.c - all connections to MCP servers, and what tools the servers of a spec have.
 *
 * Two runs share a connection when their specs say the same about the server and lie in the same
 * directory. Tests: tests/exec/mcp/mcp_test.c.
 */
#include "exec/mcp/mcp.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "exec/secrets.h"
#include "exec/state_file.h"
#include "io/clock.h"
#include "io/random.h"
#include "run/offer/resolve.h"
#include "json/read.h"
#include "json/write.h"

/* ---- the hub ---- */

static haft_status make_hub(haft__exec *exec, haft_error *err)
{
    if (exec->hub != NULL) {
        return HAFT_OK;
    }
    haft__mcp_hub *hub = calloc(1, sizeof(*hub));
    if (hub == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__arena_init(&hub->arena, 0);
    hub->hash_key = haft__random_hash_key();
    const char *given = exec->options.state;
    if (given == NULL) {
        hub->place = haft__own_file_place(&hub->arena);
    } else if (given[0] != '\0') {
        hub->place = haft__arena_format(&hub->arena, "%s", given);
    }
    exec->hub = hub;
    return HAFT_OK;
}

/* Goodbyes that are on their way have a little time. */
static void wait_for_goodbyes(haft__exec *exec)
{
    haft__loop *loop = exec->options.loop;
    uint64_t begun = haft__loop_now(loop);
    haft_status status = HAFT_OK;
    for (haft__mcp_link *link = exec->hub->links; link != NULL; link = link->next) {
        while (link->exchanges != NULL && status == HAFT_OK
               && haft__loop_now(loop) - begun < HAFT__LIMIT_MCP_PATIENCE_MS) {
            status = haft__loop_step(loop, 50, NULL);
        }
    }
}

static void free_catalogue(haft__catalogue *catalogue);

void haft__mcp_hub_destroy(haft__exec *exec)
{
    haft__mcp_hub *hub = exec->hub;
    if (hub == NULL) {
        return;
    }
    while (hub->catalogues != NULL) { /* cancelled, and not yet given back */
        haft__loop_withdraw(exec->options.loop, &hub->catalogues->task);
        free_catalogue(hub->catalogues);
    }
    for (haft__mcp_link *link = hub->links; link != NULL; link = link->next) {
        haft__mcp_link_leave(link);
    }
    wait_for_goodbyes(exec);
    while (hub->links != NULL) {
        haft__mcp_link *link = hub->links;
        hub->links = link->next;
        haft__mcp_link_destroy(link);
    }
    haft__mcp_pins_leave(hub);
    haft__arena_finish(&hub->arena);
    free(hub);
    exec->hub = NULL;
}

/* ---- connections ---- */

/* The server as the spec has it, alone in an `mcp`. */
static haft_status write_server(haft__arena *arena, const haft__spec *spec, haft_str name,
                                haft_str *ret_text, haft_error *err)
{
    const haft__json *servers = haft__json_get(spec->mcp, HAFT__LIT("servers"));
    const haft__json *server = servers != NULL ? haft__json_get(*servers, name) : NULL;
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "servers");
    haft__json_begin_object(&w);
    haft__json_key_str(&w, name);
    haft__json_add(&w, server != NULL ? *server : haft__json_null());
    haft__json_end_object(&w);
    haft__json_end_object(&w);
    haft_status status = haft__buf_check(&text, err);
    *ret_text = haft__arena_copy(arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    return status != HAFT_OK || ret_text->ptr != NULL ? status : haft__arena_fail(arena, err);
}

/* Everything it needs to know, in its own arena. */
static haft_status fill_link(haft__mcp_link *link, const haft__spec *spec, haft_str name,
                             haft_error *err)
{
    haft__json mcp;
    haft__mcp_servers servers;
    haft_status status =
        haft__mcp_record_directory(&link->arena, spec->path, &link->directory, err);
    status = status == HAFT_OK ? write_server(&link->arena, spec, name, &link->key, err) : status;
    if (status == HAFT_OK) {
        status = haft__json_read(&link->arena, link->key, NULL, &mcp, NULL, err);
    }
    if (status == HAFT_OK) {
        status = haft__mcp_servers_read(&link->arena, mcp, &servers, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    link->server = servers.items[0];
    if (link->exec->hub->place.ptr != NULL) {
        haft_str path = haft__mcp_record_path(&link->arena, link->exec->hub->place, &link->server,
                                              link->directory);
        link->path = path.ptr;
        status = path.ptr != NULL ? HAFT_OK : haft__arena_fail(&link->arena, err);
    }
    return status;
}

static haft__mcp_link *find_link(const haft__mcp_hub *hub, const haft__mcp_link *like)
{
    for (haft__mcp_link *link = hub->links; link != NULL; link = link->next) {
        if (haft__str_equal(link->key, like->key)
            && haft__str_equal(link->directory, like->directory)) {
            return link;
        }
    }
    return NULL;
}

haft_status haft__mcp_hub_link(haft__exec *exec, const haft__spec *spec,
                               const haft__mcp_server *server, haft__mcp_link **ret_link,
                               haft_error *err)
{
    haft__mcp_link *link = NULL;
    haft_status status = make_hub(exec, err);
    status = status == HAFT_OK ? haft__mcp_link_create(exec, &link, err) : status;
    if (status != HAFT_OK) {
        return status;
    }
    status = fill_link(link, spec, server->name, err);
    haft__mcp_link *known = status == HAFT_OK ? find_link(exec->hub, link) : NULL;
    if (status != HAFT_OK || known != NULL) {
        haft__mcp_link_destroy(link);
        *ret_link = known;
        return status;
    }
    status = haft__secrets_collect(spec, &exec->options.env, &link->arena, &link->redactor, err);
    status = status == HAFT_OK ? haft__redactor_seal(link->redactor, err) : status;
    if (status != HAFT_OK) {
        haft__mcp_link_destroy(link);
        return status;
    }
    haft__mcp_link_recall(link, true);
    link->next = exec->hub->links;
    exec->hub->links = link;
    *ret_link = link;
    return HAFT_OK;
}

/* ---- what tools there are ---- */

static void free_catalogue(haft__catalogue *catalogue)
{
    haft__catalogue **at = &catalogue->exec->hub->catalogues;
    while (*at != NULL && *at != catalogue) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = catalogue->next;
    }
    haft__timer_stop(catalogue->exec->options.loop, &catalogue->timer);
    haft__arena_finish(&catalogue->arena);
    free(catalogue);
}

/* What is wrong, and what to do about it. */
static haft_str error_of(haft__arena *arena, const haft__mcp_link *link)
{
    const haft_error *error = &link->error;
    if (error->status == HAFT_OK) {
        return HAFT__LIT("the server did not list its tools in time");
    }
    haft_str both = error->hint[0] != '\0'
                        ? haft__arena_format(arena, "%s (%s)", error->message, error->hint)
                        : (haft_str){NULL, 0};
    return both.ptr != NULL ? both : haft__str(error->message);
}

/* Tools that may not be called are marked; without memory for that there are none. */
static void judge_listing(const haft__mcp_link *link, haft_str spec, haft__arena *arena,
                          haft__mcp_listing *listing)
{
    haft__mcp_hub *hub = link->exec->hub;
    haft__mcp_pins *here = NULL;
    haft_status status = haft__mcp_pins_here(hub, &link->server, spec, false, &here, NULL);
    if (status == HAFT_OK) {
        status =
            haft__mcp_memory_judge(arena, hub->place, &link->server, spec, here, listing, NULL);
    }
    if (status != HAFT_OK) {
        listing->tool_count = 0;
        listing->error = HAFT__LIT("there is no memory to look at its tools");
    }
}

static haft__mcp_listing listing_of(const haft__mcp_link *link, haft_str spec, haft_str warning,
                                    haft__arena *arena)
{
    haft__mcp_listing listing = {.server = link->server.name,
                                 .state = haft__mcp_link_state(link),
                                 .error = HAFT__LIT(""),
                                 .hash = haft__str(link->server.hash),
                                 .number = link->number,
                                 .warning = warning,
                                 .left_out = link->record.left_out,
                                 .left_out_all = link->record.left_out_all};
    if (link->listed) {
        listing.tools = link->tools;
        listing.tool_count = link->tool_count;
        judge_listing(link, spec, arena, &listing);
        if (link->record.too_long && listing.warning.len == 0) {
            listing.warning = HAFT__MCP_TOO_LONG;
        }
    } else {
        listing.error = error_of(arena, link);
    }
    return listing;
}

haft_status haft__exec_listing(haft__exec *exec, const haft__spec *spec, haft_str server,
                               haft__arena *arena, haft__mcp_listing *ret_listing, haft_error *err)
{
    haft__mcp_servers servers;
    haft__mcp_link *link = NULL;
    haft_str warning = HAFT__LIT("");
    haft_status status = make_hub(exec, err);
    status = status == HAFT_OK ? haft__mcp_servers_read(arena, spec->mcp, &servers, err) : status;
    const haft__mcp_server *one =
        status == HAFT_OK ? haft__mcp_servers_find(&servers, server) : NULL;
    if (status == HAFT_OK && one == NULL) {
        return haft__fail(err, HAFT_NOT_FOUND, "", "the spec has no server '%.*s'",
                          HAFT__ARG(server));
    }
    status = status == HAFT_OK ? haft__mcp_hub_link(exec, spec, one, &link, err) : status;
    if (status == HAFT_OK) {
        status = haft__mcp_memory_look(arena, exec->hub->place, one, spec->path, &warning, err);
    }
    if (status == HAFT_OK) {
        *ret_listing = listing_of(link, spec->path, warning, arena);
    }
    return status;
}

static void hand_on(haft__task *task)
{
    haft__catalogue *catalogue = HAFT__CONTAINER(task, haft__catalogue, task);
    haft__mcp_listing *listings =
        haft__arena_array(&catalogue->arena, catalogue->count, sizeof(*listings));
    size_t count = listings != NULL ? catalogue->count : 0; /* without memory: none */
    for (size_t i = 0; i < count; i++) {
        listings[i] = listing_of(catalogue->links[i], catalogue->spec, catalogue->warnings[i],
                                 &catalogue->arena);
    }
    if (catalogue->done != NULL) {
        catalogue->done(catalogue->context, listings, count);
    }
    free_catalogue(catalogue);
}

static void post(haft__catalogue *catalogue)
{
    if (!catalogue->posted) {
        catalogue->posted = true;
        catalogue->task.run = hand_on;
        haft__loop_post(catalogue->exec->options.loop, &catalogue->task);
    }
}

static void on_deadline(void *context)
{
    post(context);
}

static bool is_settled(const haft__catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        if (!haft__mcp_link_is_settled(catalogue->links[i])) {
            return false;
        }
    }
    return true;
}

void haft__mcp_hub_settled(haft__exec *exec)
{
    for (haft__catalogue *it = exec->hub->catalogues; it != NULL; it = it->next) {
        if (is_settled(it)) {
            post(it);
        }
    }
}

static haft_status find_links(haft__catalogue *catalogue, const haft__spec *spec, haft_error *err)
{
    haft__mcp_servers servers;
    haft_status status = haft__mcp_servers_read(&catalogue->arena, spec->mcp, &servers, err);
    if (status != HAFT_OK) {
        return status;
    }
    catalogue->links =
        haft__arena_array(&catalogue->arena, servers.count, sizeof(haft__mcp_link *));
    catalogue->warnings = haft__arena_array(&catalogue->arena, servers.count, sizeof(haft_str));
    if (catalogue->links == NULL || catalogue->warnings == NULL) {
        return haft__arena_fail(&catalogue->arena, err);
    }
    catalogue->spec = haft__arena_copy(&catalogue->arena, spec->path);
    status = catalogue->spec.ptr != NULL ? HAFT_OK : haft__arena_fail(&catalogue->arena, err);
    for (size_t i = 0; i < servers.count && status == HAFT_OK; i++) {
        if (haft__resolve_server(spec, servers.items[i].name) == HAFT__REASON_DEFERRED) {
            status = haft__mcp_hub_link(catalogue->exec, spec, &servers.items[i],
                                        &catalogue->links[catalogue->count], err);
            if (status == HAFT_OK) {
                status = haft__mcp_memory_look(&catalogue->arena, catalogue->exec->hub->place,
                                               &servers.items[i], spec->path,
                                               &catalogue->warnings[catalogue->count], err);
            }
            catalogue->count += status == HAFT_OK;
        }
    }
    return status;
}

/* Those whose tools are not known, or not any more, begin, or are asked. */
static void begin_links(haft__catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        haft__mcp_link *link = catalogue->links[i];
        if (link->listed && haft__mcp_record_is_good(&link->record, haft__clock_now())) {
            continue;
        }
        link->listed = false;
        if (link->state == HAFT__LINK_OPEN) {
            haft__mcp_link_list(link);
        } else {
            haft__mcp_link_begin(link);
        }
    }
}

haft_status haft__exec_catalogue(haft__exec *exec, const haft__spec *spec,
                                 haft__catalogue_done *done, void *context,
                                 haft__catalogue **ret_catalogue, haft_error *err)
{
    haft_status status = make_hub(exec, err);
    haft__catalogue *catalogue = status == HAFT_OK ? calloc(1, sizeof(*catalogue)) : NULL;
    if (catalogue == NULL) {
        return haft__fail_no_memory(err);
    }
    *catalogue = (haft__catalogue){.exec = exec, .done = done, .context = context};
    haft__arena_init(&catalogue->arena, HAFT__LIMIT_ARENA_BYTES);
    catalogue->next = exec->hub->catalogues;
    exec->hub->catalogues = catalogue;
    status = find_links(catalogue, spec, err);
    if (status == HAFT_OK) {
        begin_links(catalogue); /* before its own timer, so that they tell first what is wrong */
        status = haft__timer_start(exec->options.loop, &catalogue->timer, HAFT__LIMIT_MCP_READY_MS,
                                   on_deadline, catalogue, err);
    }
    if (status != HAFT_OK) {
        haft__loop_withdraw(exec->options.loop, &catalogue->task);
        free_catalogue(catalogue);
        return status;
    }
    if (is_settled(catalogue)) {
        post(catalogue);
    }
    *ret_catalogue = catalogue;
    return HAFT_OK;
}

void haft__catalogue_cancel(haft__catalogue *catalogue)
{
    catalogue->done = NULL; /* the task that would call it gives it back */
    post(catalogue);
}
