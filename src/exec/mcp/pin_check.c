/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_pin.c - whether a tool may be called: only as long as it is what it was when it was first
 * used or approved, or when somebody accepted that it has changed. Tests:
 * tests/exec/mcp/pin_check_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"

/* One look at one tool. */
typedef struct look {
    haft__mcp_use *use;
    const haft__mcp_tool *tool;
    haft__arena *arena;   /* of the job */
    const char *path;     /* of the pins; NULL: there is no place for them */
    haft__mcp_pins *here; /* of this process */
    haft__mcp_pins file;
    haft__buf *why;
    haft__mcp_verdict verdict;
    haft_error *err;
} look;

static haft_str configuration_of(const look *l)
{
    return haft__str(l->use->link->server.hash);
}

static void refuse(look *l, const char *why)
{
    haft__buf_addf(l->why, "the tool '%.*s' %s, so it was not called\n", HAFT__ARG(l->tool->name),
                   why);
    l->verdict = HAFT__MCP_REFUSED;
}

/* ---- what this process knows ---- */

static haft_status make_here(haft__mcp_hub *hub, haft_str path, haft__mcp_here **ret,
                             haft_error *err)
{
    haft__mcp_here *here = haft__arena_array(&hub->arena, 1, sizeof(*here));
    haft_str kept = haft__arena_copy(&hub->arena, path);
    if (here == NULL || kept.ptr == NULL) {
        return haft__arena_fail(&hub->arena, err);
    }
    *here = (haft__mcp_here){.path = kept, .next = hub->here};
    haft__mcp_pins_init(&here->pins);
    hub->here = *ret = here;
    return HAFT_OK;
}

haft_status haft__mcp_pins_here(haft__mcp_hub *hub, const haft__mcp_server *server, haft_str spec,
                                bool make, haft__mcp_pins **ret_pins, haft_error *err)
{
    haft__arena scratch;
    haft_status status = HAFT_OK;
    haft__mcp_here *here = hub->here;
    haft_str place = hub->place.ptr != NULL ? hub->place : HAFT__LIT("");
    haft__arena_init(&scratch, 0);
    haft_str path = haft__mcp_pins_path(&scratch, place, server, spec);
    while (path.ptr != NULL && here != NULL && !haft__str_equal(here->path, path)) {
        here = here->next;
    }
    if (path.ptr == NULL) {
        status = haft__arena_fail(&scratch, err);
    } else if (here == NULL && make) {
        status = make_here(hub, path, &here, err);
    }
    *ret_pins = status == HAFT_OK && here != NULL ? &here->pins : NULL;
    haft__arena_finish(&scratch);
    return status;
}

void haft__mcp_pins_leave(haft__mcp_hub *hub)
{
    for (haft__mcp_here *here = hub->here; here != NULL; here = here->next) {
        haft__mcp_pins_finish(&here->pins);
    }
    hub->here = NULL;
}

/* ---- pins ---- */

static haft_status compare(look *l, haft__json pin)
{
    haft__json now;
    bool same = false;
    haft_status status =
        haft__mcp_pin_now(l->arena, pin, l->tool, configuration_of(l), &now, l->err);
    status = status == HAFT_OK ? haft__json_equal(pin, now, &same, l->err) : status;
    if (status != HAFT_OK || same) {
        return status;
    }
    refuse(l, "is not what it was when it was first used or accepted");
    return haft__mcp_tool_diff(l->why, pin, now, l->err);
}

/* ---- what cannot be remembered ---- */

static void tell_unwritten(look *l, const haft_error *error)
{
    haft_str text = haft__arena_format(
        l->arena,
        "what '%.*s' is now is not remembered, so that no other run will see if it changes: %s: %s",
        HAFT__ARG(l->tool->name), l->path, error->message);
    haft__mcp_use_warn(l->use, text.ptr != NULL ? text : HAFT__LIT("a tool is not remembered"));
}

/* Pins it, unless somebody else has meanwhile: what is there then counts. A file that cannot be
 * written is told, and the pin holds for this process. */
static haft_status pin_first(look *l, haft__json pin)
{
    haft__mcp_link *link = l->use->link;
    haft_error error = {0};
    const haft__json_member member = {haft__json_string(l->tool->remote), pin};
    haft__mcp_pinning pinning = {
        .server = link->server.name, .pins = &member, .count = 1, .how = HAFT__PIN_FIRST};
    haft_status status =
        haft__mcp_pins_add(l->here, l->path, &pinning, link->exec->hub->hash_key, &error);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(l->err);
    }
    if (status != HAFT_OK) {
        tell_unwritten(l, &error);
    }
    const haft__json *now = haft__mcp_pins_find(l->here, l->tool->remote);
    return now != NULL ? compare(l, *now) : HAFT_OK;
}

/* ---- the first time ---- */

/* A person has approved what the run was shown, and that is something else: it is pinned as it was
 * shown, so that nobody is asked to trust the new one unawares. */
static haft_status check_approved(look *l)
{
    const haft__tool *tool = &l->use->shown;
    const haft__mcp_shown shown = {l->tool->remote, tool->description, tool->input_schema,
                                   tool->output_schema};
    haft__json pin;
    haft_status status =
        haft__mcp_pin_make_shown(l->arena, &shown, configuration_of(l), &pin, l->err);
    return status == HAFT_OK ? pin_first(l, pin) : status;
}

static haft_status check_first(look *l)
{
    haft__json pin;
    haft_str hash = l->use->hash;
    if (l->file.doubt) {
        refuse(l, "may have been another one: the file that knew what was accepted is damaged");
        return HAFT_OK;
    }
    if (hash.len > 0 && !haft__str_equal(hash, haft__str(l->tool->hash))) {
        if (l->use->job->call.approved) {
            return check_approved(l);
        }
        l->verdict = HAFT__MCP_STALE;
        return HAFT_OK;
    }
    haft_status status =
        haft__mcp_pin_make(l->arena, l->tool->definition, configuration_of(l), &pin, l->err);
    return status == HAFT_OK ? pin_first(l, pin) : status;
}

/* ---- all of it ---- */

static haft_status find_path(look *l)
{
    const haft__mcp_link *link = l->use->link;
    haft_str place = link->exec->hub->place;
    if (place.ptr == NULL) {
        return HAFT_OK;
    }
    haft_str path =
        haft__mcp_pins_path(l->arena, place, &link->server, l->use->job->call.spec->path);
    l->path = path.ptr;
    return path.ptr != NULL ? HAFT_OK : haft__arena_fail(l->arena, l->err);
}

static haft_status check(look *l)
{
    const haft__mcp_link *link = l->use->link;
    haft_error error = {0};
    haft_status status = find_path(l);
    if (status == HAFT_OK) {
        status = haft__mcp_pins_here(link->exec->hub, &link->server, l->use->job->call.spec->path,
                                     true, &l->here, l->err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = l->path != NULL
                 ? haft__mcp_pins_read(&l->file, l->path, link->exec->hub->hash_key, &error)
                 : HAFT_NOT_FOUND;
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(l->err);
    }
    if (status != HAFT_OK && status != HAFT_NOT_FOUND) {
        refuse(l, "may have been another one: the file that knows what was accepted is damaged");
        haft__buf_addf(l->why, "%s: %s\n", l->path, error.message);
        return HAFT_OK;
    }
    const haft__json *pin = haft__mcp_pins_find(&l->file, l->tool->remote);
    pin = pin != NULL ? pin : haft__mcp_pins_find(l->here, l->tool->remote);
    return pin != NULL ? compare(l, *pin) : check_first(l);
}

haft_status haft__mcp_pin_check(haft__mcp_use *use, const haft__mcp_tool *tool,
                                haft__mcp_verdict *ret_verdict, haft__buf *why, haft_error *err)
{
    look l = {.use = use,
              .tool = tool,
              .arena = &use->job->arena,
              .why = why,
              .verdict = HAFT__MCP_FINE,
              .err = err};
    haft__mcp_pins_init(&l.file);
    haft_status status = check(&l);
    status = status == HAFT_OK ? haft__buf_check(why, err) : status;
    haft__mcp_pins_finish(&l.file);
    *ret_verdict = l.verdict;
    return status;
}
