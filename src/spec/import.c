/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.c - `mcp: {import: FILE}`: servers from a file of another program become servers of the
 * spec, and so of its hash: a run is not resumed with others. A server of the spec itself comes
 * before one of the same name in the file. Tests: tests/spec/import_test.c.
 */
#include "base/str.h"
#include "mcp/servers.h"
#include "spec/load_int.h"

#define AT HAFT__LIT("/mcp/import")

static void tell(haft__loader *l, haft_str file, const haft_error *err)
{
    haft__spec_problem *problem =
        haft__loader_error(l, AT, HAFT__ABOUT_VALUE, "%.*s: %s%s%s", HAFT__ARG(file), err->where,
                           err->where[0] != '\0' ? ": " : "", err->message);
    if (err->hint[0] != '\0') {
        haft__loader_hint(l, problem, "%s", err->hint);
    }
}

static bool put(haft__loader *l, haft__json *object, haft_str key, haft__json value)
{
    bool done = haft__edit_put(l->arena, object, key, value);
    if (!done) {
        (void)haft__loader_failed(l, haft__arena_fail(l->arena, NULL));
    }
    return done;
}

/* Those of the file first, then the spec's own, which replace them. */
static void join(haft__loader *l, haft__json imported)
{
    haft__json mcp = haft__edit_object(l->source, "mcp");
    haft__json own = haft__edit_object(mcp, "servers"), joined = imported;
    for (uint32_t i = 0; i < imported.count; i++) {
        haft_str name = haft__json_text(imported.members[i].key);
        if (haft__json_get(own, name) == NULL) {
            haft__origin_add(l, haft__loader_at_key(l, HAFT__LIT("/mcp/servers"), name), AT);
        }
    }
    for (uint32_t i = 0; i < own.count && l->status == HAFT_OK; i++) {
        (void)put(l, &joined, haft__json_text(own.members[i].key), own.members[i].value);
    }
    (void)(l->status == HAFT_OK && put(l, &mcp, HAFT__LIT("servers"), joined)
           && put(l, &l->source, HAFT__LIT("mcp"), mcp));
}

void haft__loader_import(haft__loader *l)
{
    const haft__spec_options *options = l->options;
    haft_str file = haft__edit_text(haft__edit_object(l->source, "mcp"), "import"), text;
    haft_error err = {.status = HAFT_OK};
    haft__mcp_import import;
    if (file.len == 0 || options->read_file == NULL || !haft__loader_clean(l, "mcp")) {
        return;
    }
    haft_status status =
        options->read_file(options->read_context, l->arena, options->path, file, &text, &err);
    if (status == HAFT_OK) {
        status = haft__mcp_import_read(l->arena, text, options->hash_key, &import, &err);
    }
    if (status != HAFT_OK) {
        if (!haft__loader_failed(l, status)) {
            tell(l, file, &err);
        }
        return;
    }
    for (size_t i = 0; i < import.note_count; i++) {
        (void)haft__loader_warning(l, AT, HAFT__ABOUT_VALUE, "%.*s: %.*s", HAFT__ARG(file),
                                   HAFT__ARG(import.notes[i]));
    }
    join(l, import.servers);
}
