/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_pin.c - a tool is called only as long as it is what it was: when it was first used, or when
 * somebody accepted that it has changed; at first, what the run was shown.
 * Tests: tests/exec/mcp_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "exec/mcp_int.h"

/* HAFT_OK when it is the same; BAD_STATE with the difference else. */
static haft_status compare(haft__json before, const haft__mcp_tool *tool, haft__buf *diff,
                           haft_error *err)
{
    bool same = false;
    haft_status status = haft__json_equal(before, tool->definition, &same, err);
    if (status != HAFT_OK || same) {
        return status;
    }
    status = haft__mcp_tool_diff(diff, before, tool->definition, err);
    return status == HAFT_OK ? HAFT_BAD_STATE : status;
}

/* Nobody has used it yet: it must be what the run was shown. */
static haft_status check_first(haft__mcp_link *link, const haft__mcp_tool *tool, haft_str hash,
                               haft__buf *diff, haft_error *err)
{
    if (hash.len == 0 || haft__str_equal(hash, haft__str(tool->hash))) {
        haft__mcp_change change = {.server = link->server.name, .pin = tool};
        haft_status status = haft__mcp_record_change(&link->record, link->path, &change,
                                                     link->exec->hub->hash_key, err);
        return status == HAFT_NO_MEMORY ? status : HAFT_OK; /* a file that cannot be written */
    }
    haft__buf_add_str(diff, HAFT__LIT("(what it was is not known any more)\n"));
    return haft__buf_check(diff, err) == HAFT_OK ? HAFT_BAD_STATE : HAFT_NO_MEMORY;
}

haft_status haft__mcp_pin_check(haft__mcp_link *link, const haft__mcp_tool *tool, haft_str hash,
                                haft__buf *ret_diff, haft_error *err)
{
    const haft__json *pin = haft__mcp_record_pin(&link->record, tool->remote);
    if (pin == NULL) {
        return check_first(link, tool, hash, ret_diff, err);
    }
    haft_status status = compare(*pin, tool, ret_diff, err);
    if (status != HAFT_BAD_STATE || link->path == NULL) {
        return status;
    }
    /* Somebody may have accepted it meanwhile. */
    haft__mcp_record now;
    haft__mcp_record_init(&now);
    if (haft__mcp_record_read(&now, link->path, link->exec->hub->hash_key, NULL) == HAFT_OK
        && haft__mcp_record_pin(&now, tool->remote) != NULL) {
        haft__mcp_record_finish(&link->record);
        link->record = now;
        haft__buf_clear(ret_diff);
        return compare(*haft__mcp_record_pin(&link->record, tool->remote), tool, ret_diff, err);
    }
    haft__mcp_record_finish(&now);
    return status;
}
