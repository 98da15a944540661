/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/server_config.h - the MCP servers of a spec, as data; and those of other programs' files.
 *
 * Nothing is expanded here: ${VAR} stays as it is written until a server is started, so that no
 * secret is kept.
 */
#ifndef HAFT_MCP_SERVER_CONFIG_H
#define HAFT_MCP_SERVER_CONFIG_H

#include "base/sha256.h"
#include "json/value.h"

/* Bytes of a server's name: letters, digits and _ . - */
#define HAFT__MCP_SERVER_NAME_BYTES 64

typedef struct haft__mcp_name_value {
    haft_str name, value; /* ${VAR} in the value is the host's to expand */
} haft__mcp_name_value;

typedef struct haft__mcp_server_config {
    haft_str name; /* "docs", of "docs:search" */
    bool enabled;
    bool trusted;            /* its hints about its tools count */
    bool imported;           /* from a file: ${VAR} is expanded in `command` and `cwd` too */
    const haft_str *command; /* the program and its words; none for a server with a URL */
    size_t command_count;
    haft_str cwd; /* relative to the spec; "" for the spec's directory */
    const haft__mcp_name_value *env;
    size_t env_count;
    haft_str url; /* "" for a server with a command */
    const haft__mcp_name_value *headers;
    size_t header_count;
    uint32_t timeout_ms;   /* of one call; 0: as for every tool */
    const haft_str *roots; /* directories it is told of, relative to the spec */
    size_t root_count;
    char hash[HAFT__SHA256_HEX + 1]; /* of its configuration, see below; a NUL behind it */
} haft__mcp_server_config;

typedef struct haft__mcp_server_configs {
    const haft__mcp_server_config *items; /* in the order of the spec, the disabled ones too */
    size_t count;
    const haft_str *allow, *deny; /* patterns for "server:tool" */
    size_t allow_count, deny_count;
} haft__mcp_server_configs;

/* Reads `mcp` of a spec (haft__spec.mcp, imported servers already in it), which may be null: then
 * there are none. What it points to lives in `arena` or where `mcp` does. A spec that was loaded
 * has nothing wrong in it; else BAD_INPUT, err->where a JSON Pointer into `mcp`.
 *
 * A server's hash is the SHA-256 of what it is started or asked with: command, cwd, url without its
 * query and password, names and values of env. A value of a header, or of a variable whose name
 * sounds like a secret, counts only as it is written with ${VAR}; one written out counts by its
 * name alone, so that nobody can find it by trying hashes. */
HAFT_MUST_USE haft_status haft__mcp_server_configs_read(haft__arena *arena, haft__json mcp,
                                                        haft__mcp_server_configs *ret_servers,
                                                        haft_error *err);

/* Whether a variable or header of this name may hold a secret. */
bool haft__mcp_is_secret_name(haft_str name);

/* NULL when there is none of that name. */
const haft__mcp_server_config *
haft__mcp_server_configs_find(const haft__mcp_server_configs *servers, haft_str name);

/* Whether the spec lets a tool ("docs:search") pass: allow and deny of `mcp`. */
bool haft__mcp_server_configs_allow(const haft__mcp_server_configs *servers, haft_str name);

/* ---- files of other programs ---- */

/* A server of a file that cannot be used, under the name it would have here. */
typedef struct haft__mcp_skipped_server {
    haft_str name;
    haft_str why; /* "the server 'docs': it has no command and no url" */
} haft__mcp_skipped_server;

/* What a file had, and what of it is not used. */
typedef struct haft__mcp_import {
    haft__json servers;    /* an object as `mcp.servers` of a spec has it, each with
                              "imported": true */
    const haft_str *notes; /* for people: "docs: envFile is not read" */
    size_t note_count;
    const haft__mcp_skipped_server
        *left; /* out: what is wrong with one is no reason to refuse the others */
    size_t left_count;
} haft__mcp_import;

/* The servers of a file in the shape of Claude Desktop and Claude Code ({"mcpServers":{..}}),
 * Cursor (the same), or VS Code ({"servers":{..},"inputs":[..]}, also below "mcp"); comments and
 * trailing commas are fine. ${env:NAME} becomes ${NAME}, ${userHome} ${HOME}, ${workspaceFolder} a
 * dot, and ${input:some-id} ${HAFT_INPUT_SOME_ID}: haft asks the environment, not a person. Names
 * of servers that haft's names cannot have get '-' for each such character. A server that
 * is wrong is left out, and told of. BAD_INPUT when it is no such file, TOO_BIG past
 * HAFT__LIMIT_MCP_SERVERS or the limits of specs; err->where is a place in the text or a JSON
 * Pointer. Everything lives in `arena`, but texts may point into `text`. No value of `env` and
 * `headers` is in any error or note. */
HAFT_MUST_USE haft_status haft__mcp_import_read(haft__arena *arena, haft_str text,
                                                haft__hash_key hash_key,
                                                haft__mcp_import *ret_import, haft_error *err);

#endif
