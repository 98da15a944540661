/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/ops/service.h - the servers that commands run, as a table of functions.
 *
 * src/serve implements them and src/cli runs them; neither includes the other. src/main.c passes
 * the table (serve/services.h) to the command line.
 */
#ifndef HAFT_ENGINE_OPS_SERVICE_H
#define HAFT_ENGINE_OPS_SERVICE_H

#include "engine/runtime.h"
#include "model/script/script.h"

/* The caller of a server. */
typedef struct haft__service_host {
    /* Called when the server listens at ADDR:PORT. If this fails, the server ends. */
    haft_status (*on_listening)(void *context, haft_str address, haft_error *err);
    void (*warn)(void *context, haft_str text);
    bool (*stop)(void *context); /* called after each step of the loop; returns whether to stop */
    void *context;
} haft__service_host;

/* Options of an MCP server with the tools of a spec. All pointers are borrowed. */
typedef struct haft__mcp_service_options {
    haft__service_host host;
    haft_runtime *runtime;
    haft__arena *arena;
    const haft__spec *spec;
    const char *store;       /* URL for commands in messages; NULL: the default store */
    const char *listen;      /* ADDR:PORT for HTTP; NULL: standard input and output */
    const char *listen_name; /* the name of the address in errors */
    const char *token_file; /* file whose first line clients must send as a token; NULL: no token */
    const char *const *allow_hosts; /* names of this host that clients may use */
    size_t allow_host_count;
} haft__mcp_service_options;

/* Options of `haft serve`. All pointers are borrowed. */
typedef struct haft__serve_service_options {
    haft__service_host host;
    haft_runtime *runtime;
    haft__arena *arena;
    const char *const *specs; /* files and directories */
    size_t spec_count;
    const char *store;       /* URL for messages; NULL: the default store */
    const char *listen;      /* ADDR:PORT or unix:PATH */
    const char *listen_name; /* the name of the address in errors */
    const char *token_file;  /* NULL: no tokens */
    const char *const *allow_hosts;
    size_t allow_host_count;
    const char *const *allow_origins; /* whose pages may use the server */
    size_t allow_origin_count;
    uint64_t rate;      /* requests a second of a client; 0: the default */
    size_t concurrency; /* runs at once; 0: runs are left to workers */
} haft__serve_service_options;

/* The server that a mock model imitates. */
typedef enum haft__mock_service_kind {
    HAFT__MOCK_SERVICE_OPENAI,
    HAFT__MOCK_SERVICE_LLAMACPP,
    HAFT__MOCK_SERVICE_OLLAMA,
    HAFT__MOCK_SERVICE_OTHER,
} haft__mock_service_kind;

/* Options of a model server that plays a script. All pointers are borrowed. */
typedef struct haft__mock_service_options {
    haft__service_host host;
    haft__loop *loop;
    haft__script *script;
    haft__hash_key hash_key;
    const char *listen; /* ADDR:PORT */
    haft__mock_service_kind like;
    bool repeat_script; /* start over after the last reply */
    bool require_key;   /* reject requests without an API key */
    size_t dimensions;  /* of the vectors of /v1/embeddings; 0: this path does not exist */
    const char *fault;  /* fault of these vectors: "error", "slow", "garbage", "sizes"; or NULL */
} haft__mock_service_options;

/* Each function runs a server until its host stops it, or the server fails. BAD_INPUT for an
 * address, a token or a spec that cannot be used. */
typedef struct haft__services {
    haft_status (*run_mcp)(const haft__mcp_service_options *options, haft_error *err);
    haft_status (*run_serve)(const haft__serve_service_options *options, haft_error *err);
    haft_status (*run_mock_model)(const haft__mock_service_options *options, haft_error *err);
} haft__services;

#endif
