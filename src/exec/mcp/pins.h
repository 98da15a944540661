/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/pins.h - which tools of a server may be called: a pin for each tool that was used or
 * accepted.
 *
 * A pin records the definition of the tool and the hash of its server's configuration. A tool with
 * another definition, or from another program, is not called. Each server of a spec has one file,
 * whose path depends only on the spec and the name of the server: so a new command under the same
 * name is compared with the pins of the old command. If the file is damaged, a tool must not be
 * called until a person accepts it.
 */
#ifndef HAFT_EXEC_MCP_PINS_H
#define HAFT_EXEC_MCP_PINS_H

#include "mcp/definition.h"
#include "mcp/server_config.h"

typedef struct haft__mcp_pins {
    haft__arena arena;
    haft__json pins; /* by the server's tool names; an object, or null */
    bool doubt;      /* an earlier file was damaged: a tool without a pin may have changed */
} haft__mcp_pins;

void haft__mcp_pins_init(haft__mcp_pins *pins);
void haft__mcp_pins_finish(haft__mcp_pins *pins);

/* The file for a server of the spec at `spec`, in `state_dir` (haft__state_file_directory). If the
 * spec has no file (""), the pins belong to the server's configuration. .ptr is NULL when out of
 * memory. */
haft_str haft__mcp_pins_path(haft__arena *arena, haft_str state_dir,
                             const haft__mcp_server_config *server, haft_str spec);

/* Reads the file. NOT_FOUND if it does not exist, BAD_INPUT or TOO_BIG if it is damaged, IO if it
 * cannot be read or others can write it; `pins` is then empty. err->where is the path. */
HAFT_MUST_USE haft_status haft__mcp_pins_read(haft__mcp_pins *pins, const char *path,
                                              haft__hash_key hash_key, haft_error *err);

/* The pin of a tool, or NULL. */
const haft__json *haft__mcp_pins_find(const haft__mcp_pins *pins, haft_str tool);

/* Makes the pin of a tool from its definition and the hash of its server's configuration. All
 * members are borrowed; only the object is new. */
HAFT_MUST_USE haft_status haft__mcp_pin_make(haft__arena *arena, haft__json definition,
                                             haft_str configuration, haft__json *ret_pin,
                                             haft_error *err);

/* A tool that somebody approved; only the facts that a run shows are known. */
typedef struct haft__mcp_approved_tool {
    haft_str remote, description;
    haft__json input_schema, output_schema;
} haft__mcp_approved_tool;

HAFT_MUST_USE haft_status haft__mcp_pin_make_approved(haft__arena *arena,
                                                      const haft__mcp_approved_tool *shown,
                                                      haft_str configuration, haft__json *ret_pin,
                                                      haft_error *err);

/* The current tool in the same form as its `pin`, for comparison. */
HAFT_MUST_USE haft_status haft__mcp_pin_of_tool(haft__arena *arena, haft__json pin,
                                                const haft__mcp_tool *tool, haft_str configuration,
                                                haft__json *ret_now, haft_error *err);

/* Whether a tool differs from its pin. */
HAFT_MUST_USE haft_status haft__mcp_pin_compare(haft__arena *arena, haft__json pin,
                                                const haft__mcp_tool *tool, haft_str configuration,
                                                bool *ret_changed, haft_error *err);

typedef struct haft__mcp_pins_update {
    haft_str server;               /* its name, for messages */
    const haft__json_member *pins; /* tools with their pins */
    size_t count;
    enum {
        HAFT__PIN_KEEP_EXISTING, /* keep existing pins, and a damaged file */
        HAFT__PIN_REPLACE,       /* replace pins; a damaged file is renamed, and `doubt` is set */
        HAFT__PIN_REPLACE_ALL,   /* replace pins and clear `doubt`: the list is complete */
    } how;
} haft__mcp_pins_update;

/* Takes the lock of the file, reads its current content and changes it; without a `path` changes
 * only `pins`. If the file cannot be written, returns IO, but `pins` are changed. Other failures
 * are those of haft__mcp_pins_read; then nothing has changed. */
HAFT_MUST_USE haft_status haft__mcp_pins_add(haft__mcp_pins *pins, const char *path,
                                             const haft__mcp_pins_update *pinning,
                                             haft__hash_key hash_key, haft_error *err);

#endif
