/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/server_config.h - configuration of a spec's MCP servers, and import from other programs'
 * files.
 *
 * ${VAR} is expanded only when a server is started, so that the configuration contains no secret.
 */
#ifndef HAFT_MCP_SERVER_CONFIG_H
#define HAFT_MCP_SERVER_CONFIG_H

#include "base/sha256.h"
#include "json/value.h"

/* Bytes of a server's name: letters, digits and _ . - */
#define HAFT__MCP_SERVER_NAME_BYTES 64

typedef struct haft__mcp_name_value {
    haft_str name, value; /* the host expands ${VAR} in the value */
} haft__mcp_name_value;

typedef struct haft__mcp_server_config {
    haft_str name; /* "docs", of "docs:search" */
    bool enabled;
    bool trusted;            /* its hints about its tools are used */
    bool imported;           /* from a file: ${VAR} is expanded in `command` and `cwd` too */
    const haft_str *command; /* the program and its arguments; empty for a server with a URL */
    size_t command_count;
    haft_str cwd; /* relative to the spec file; "" for the spec's directory */
    const haft__mcp_name_value *env;
    size_t env_count;
    haft_str url; /* "" for a server with a command */
    const haft__mcp_name_value *headers;
    size_t header_count;
    uint32_t timeout_ms;   /* of one call; 0: the default of tools */
    const haft_str *roots; /* root directories for the server, relative to the spec file */
    size_t root_count;
    const haft_str *polls; /* patterns for names of its tools that have the trait `polls` */
    size_t poll_count;
    char hash[HAFT__SHA256_HEX + 1]; /* of its configuration, see below; NUL-terminated */
} haft__mcp_server_config;

typedef struct haft__mcp_server_configs {
    const haft__mcp_server_config *items; /* in the order of the spec, including disabled ones */
    size_t count;
    const haft_str *allow, *deny; /* patterns for "server:tool" */
    size_t allow_count, deny_count;
} haft__mcp_server_configs;

/* Reads `mcp` of a spec (haft__spec.mcp, with imported servers); null means no servers. The result
 * points into `arena` or the memory of `mcp`. A loaded spec is always valid; otherwise BAD_INPUT,
 * err->where is a JSON Pointer into `mcp`.
 *
 * The hash of a server is the SHA-256 of its start parameters: command, cwd, url without query and
 * password, names and values of env. The value of a header, or of a variable with a secret-sounding
 * name, is hashed only if it is written with ${VAR}. If such a value is literal, only its name is
 * hashed, so that nobody can find the value by trying hashes. */
HAFT_MUST_USE haft_status haft__mcp_server_configs_read(haft__arena *arena, haft__json mcp,
                                                        haft__mcp_server_configs *ret_servers,
                                                        haft_error *err);

/* Whether a variable or header of this name may contain a secret. */
bool haft__mcp_is_secret_name(haft_str name);

/* NULL if no server has that name. */
const haft__mcp_server_config *
haft__mcp_server_configs_find(const haft__mcp_server_configs *servers, haft_str name);

/* Whether `allow` and `deny` of `mcp` permit a tool ("docs:search"). */
bool haft__mcp_server_configs_allow(const haft__mcp_server_configs *servers, haft_str name);

/* ---- files of other programs ---- */

/* An unusable server of a file, with the name it would have in haft. */
typedef struct haft__mcp_skipped_server {
    haft_str name;
    haft_str why; /* "the server 'docs': it has no command and no url" */
} haft__mcp_skipped_server;

/* The servers of a file that haft can use, and those that it skipped. */
typedef struct haft__mcp_import {
    haft__json servers;    /* an object in the form of `mcp.servers`, each with "imported": true */
    const haft_str *notes; /* for people: "docs: envFile is not read" */
    size_t note_count;
    const haft__mcp_skipped_server *skipped; /* unusable servers; the others are imported */
    size_t skipped_count;
} haft__mcp_import;

/* Reads the servers of a file in the format of Claude Desktop and Claude Code
 * ({"mcpServers":{..}}), Cursor (the same), or VS Code ({"servers":{..},"inputs":[..]}, also below
 * "mcp"); comments and trailing commas are allowed. ${env:NAME} becomes ${NAME}, ${userHome}
 * ${HOME}, ${workspaceFolder} a dot, and ${input:some-id} ${HAFT_INPUT_SOME_ID}: haft reads the
 * environment and does not ask a person. Characters that haft's server names cannot have become
 * '-'. An invalid server is skipped and reported. BAD_INPUT if it is not such a file, TOO_BIG above
 * HAFT__LIMIT_MCP_SERVERS or the limits of specs; err->where is a position in the text or a JSON
 * Pointer. Everything lives in `arena`, but texts may point into `text`. No error or note contains
 * a value of `env` or `headers`. */
HAFT_MUST_USE haft_status haft__mcp_import_read(haft__arena *arena, haft_str text,
                                                haft__hash_key hash_key,
                                                haft__mcp_import *ret_import, haft_error *err);

#endif
