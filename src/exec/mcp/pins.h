/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/pins.h - which tools of a server may be called: a pin for each that was used or
 * accepted.
 *
 * A pin is what a tool was then, and what its server was started or asked with (the hash of its
 * configuration): a tool whose definition is another one, or that comes from another program, is
 * not called. One file for each server of a spec, by the names of both, so that another command
 * under the same name finds what was accepted of the one before. A file that is damaged takes
 * nothing back: nothing may be called until somebody accepts it.
 */
#ifndef HAFT_EXEC_MCP_PINS_H
#define HAFT_EXEC_MCP_PINS_H

#include "mcp/definition.h"
#include "mcp/server_config.h"

typedef struct haft__mcp_pins {
    haft__arena arena;
    haft__json pins; /* by the names of the tools at the server; an object, or null */
    bool doubt; /* a file before it was damaged: a tool without a pin may have been another one */
} haft__mcp_pins;

void haft__mcp_pins_init(haft__mcp_pins *pins);
void haft__mcp_pins_finish(haft__mcp_pins *pins);

/* The file for a server of the spec at `spec`, in `place` (haft__state_file_directory). A spec that
 * is in no file ("") has pins for the server's configuration. .ptr is NULL for want of memory. */
haft_str haft__mcp_pins_path(haft__arena *arena, haft_str place,
                             const haft__mcp_server_config *server, haft_str spec);

/* Reads the file. NOT_FOUND when there is none, BAD_INPUT or TOO_BIG when it is damaged, IO when it
 * cannot be read or is not ours alone to write: then there are no pins. err->where is the path. */
HAFT_MUST_USE haft_status haft__mcp_pins_read(haft__mcp_pins *pins, const char *path,
                                              haft__hash_key hash_key, haft_error *err);

/* The pin of a tool, or NULL. */
const haft__json *haft__mcp_pins_find(const haft__mcp_pins *pins, haft_str tool);

/* The pin of a tool from its definition and the hash of its server's configuration. Everything is
 * borrowed but the object itself. */
HAFT_MUST_USE haft_status haft__mcp_pin_make(haft__arena *arena, haft__json definition,
                                             haft_str configuration, haft__json *ret_pin,
                                             haft_error *err);

/* What somebody approved of a tool, of which only that is known which a run shows. */
typedef struct haft__mcp_approved_tool {
    haft_str remote, description;
    haft__json input_schema, output_schema;
} haft__mcp_approved_tool;

HAFT_MUST_USE haft_status haft__mcp_pin_make_approved(haft__arena *arena,
                                                      const haft__mcp_approved_tool *shown,
                                                      haft_str configuration, haft__json *ret_pin,
                                                      haft_error *err);

/* A tool as it is now, to be held against its pin: of the same kind as that is. */
HAFT_MUST_USE haft_status haft__mcp_pin_of_tool(haft__arena *arena, haft__json pin,
                                                const haft__mcp_tool *tool, haft_str configuration,
                                                haft__json *ret_now, haft_error *err);

/* Whether a tool is another one than its pin says. */
HAFT_MUST_USE haft_status haft__mcp_pin_compare(haft__arena *arena, haft__json pin,
                                                const haft__mcp_tool *tool, haft_str configuration,
                                                bool *ret_changed, haft_error *err);

typedef struct haft__mcp_pins_update {
    haft_str server;               /* its name, for people */
    const haft__json_member *pins; /* tools with their pins */
    size_t count;
    enum {
        HAFT__PIN_KEEP_EXISTING, /* a pin that is there stays; a damaged file too */
        HAFT__PIN_REPLACE, /* they are replaced; a damaged file is put aside, and leaves a doubt */
        HAFT__PIN_REPLACE_ALL, /* the same, and ends the doubt: these are all there are */
    } how;
} haft__mcp_pins_update;

/* Changes the file, alone at it, and takes what is in it then; without a `path` only `pins` change.
 * When it cannot be written, IO, they are changed here all the same. Fails as
 * haft__mcp_pins_read does, and then nothing is changed. */
HAFT_MUST_USE haft_status haft__mcp_pins_add(haft__mcp_pins *pins, const char *path,
                                             const haft__mcp_pins_update *pinning,
                                             haft__hash_key hash_key, haft_error *err);

#endif
