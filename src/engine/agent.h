/* SPDX-License-Identifier: Apache-2.0 */
/* engine/agent.h - an agent: a spec, and the model, script and secrets that its runs share. */
#ifndef HAFT_ENGINE_AGENT_H
#define HAFT_ENGINE_AGENT_H

#include "base/arena.h"
#include "base/sha256.h"
#include "engine/endpoint.h"
#include "exec/embeddings/embedder.h"
#include "model/provider.h"
#include "model/script/script.h"
#include "run/decide/decide.h"
#include "spec/load/load.h"

/* Names of environment variables, each once. They live as long as the agent. */
typedef struct haft__agent_variables {
    haft_str *names;
    size_t count, capacity;
} haft__agent_variables;

/* Keys of models, and passwords in the URLs of their servers. */
typedef struct haft__agent_secrets {
    haft_str *items;
    size_t count, capacity;
} haft__agent_secrets;

struct haft_agent {
    haft_runtime *runtime;
    haft__arena arena;
    haft__arena spec_arena; /* the spec, if it was loaded for this agent alone */
    const haft__spec *spec;
    haft__script script;                /* the replies, if `scripted` */
    bool scripted;                      /* the model is script:FILE or replay:FILE */
    haft_str spec_text;                 /* the spec as JSON, for the store */
    const haft__provider *provider;     /* NULL: script:, replay:, offline, or READ_ONLY */
    haft_str url;                       /* the URL of the model server */
    haft_str endpoint;                  /* the id of the model server; "" without a server */
    char refusal_key[HAFT__SHA256_HEX]; /* key of its refusals (engine/members/refusal_file.h) */
    haft__provider_headers headers;
    haft__agent_variables variables;     /* variables that determine the servers and keys of its
                                          * models; also of the agents of its handoffs */
    haft_str embed_url, embed_key;       /* the server of tool_search.embeddings */
    haft__embedder *embedder;            /* created at the first search */
    haft__declared_tools declared_tools; /* shared by its runs */
    struct haft__redactor *redactor;     /* the secrets that must not be stored */
    haft__agent_secrets model_secrets;   /* the secrets of all models that its runs, their child
                                          * runs and the runs above them can ask */
    size_t reference_count;              /* one for each run, one for the creator */
    haft__spec_origin origin;            /* the source of the spec, for its runs */
    char file_sha256[HAFT__SHA256_HEX];  /* the text of origin.file, if the spec has a file */
    haft_agent *fallback;                /* the agent with the next model of the spec; or NULL */
    haft_agent *summariser;            /* the agent with the model of context.summarise; or NULL */
    haft_agent *previous;              /* the agent of the run's earlier spec; or NULL */
    haft_agent *children, *next_child; /* agents of its child runs, each with its budgets, and of
                                          handoffs */
    haft_str child_key;                /* for the agent of a child run: its name and budgets; else
                                        * "" */
    bool read_only;                    /* an agent of a handoff without key and script */
};

/* Options to load the spec at `path` in this runtime. */
haft__spec_options haft__agent_spec_options(const haft_runtime *runtime, haft_str path);

/* Makes the input to resolve the endpoint of a server that a spec names. */
struct haft__endpoint haft__agent_endpoint(haft_agent *agent, const haft__model_spec *model);

/* Creates an agent for `spec`, which must outlive the agent. */
HAFT_MUST_USE haft_status haft__agent_create(haft_runtime *runtime, const haft__spec *spec,
                                             haft_agent **ret_agent, haft_error *err);

typedef enum haft__spec_use {
    HAFT__SPEC_NEW,    /* for a new run */
    HAFT__SPEC_BUILT,  /* for a new run, with a spec that a C program made through haft.h: locations
                          of problems are JSON Pointers */
    HAFT__SPEC_STORED, /* for a run that has begun. Skips some checks, because an earlier version of
                        * haft may have accepted the spec without them */
    HAFT__SPEC_READ_ONLY, /* for reading a run, without key and script */
} haft__spec_use;

/* Loads a spec from text. Fails with BAD_INPUT and the first problem of the spec. */
HAFT_MUST_USE haft_status haft__agent_load_text(haft_runtime *runtime, haft_str text, haft_str path,
                                                haft__spec_use use, haft_agent **ret_agent,
                                                haft_error *err);

/* Loads the spec file at `path` for new runs, with overrides PATH=VALUE that its runs record.
 * Errors name the file. */
HAFT_MUST_USE haft_status haft__agent_load_file(haft_runtime *runtime, const char *path,
                                                const char *const *sets, size_t set_count,
                                                haft_agent **ret_agent, haft_error *err);
void haft__agent_retain(haft_agent *agent);

/* The agent of a child run, with the budgets of the child as its limits. It lives as long as
 * `agent`. */
HAFT_MUST_USE haft_status haft__agent_for_child(haft_agent *agent, const haft__child *child,
                                                haft_agent **ret_agent, haft_error *err);

/* The agent with that name in the spec of `agent`, for a handoff. It lives as long as `agent`.
 * `read_only`: the agent needs neither a key nor a script. */
HAFT_MUST_USE haft_status haft__agent_for_handoff(haft_agent *agent, haft_str name, bool read_only,
                                                  haft_agent **ret_agent, haft_error *err);

/* Adds a name to agent->variables. */
HAFT_MUST_USE haft_status haft__agent_add_variable(haft_agent *agent, haft_str name,
                                                   haft_error *err);

/* Collects the secrets of the spec and the environment for an agent that was loaded READ_ONLY. Must
 * be called before a command is compared or sent, so that the command is redacted. */
HAFT_MUST_USE haft_status haft__agent_load_secrets(haft_agent *agent, haft_error *err);

/* Adds the secrets of the models of `above` to those of `agent`. `agent` is the agent of a child
 * run, `above` of the run that started it or of one further up: a tool of the child run may find
 * these secrets. */
HAFT_MUST_USE haft_status haft__agent_share_secrets(haft_agent *agent, const haft_agent *above,
                                                    haft_error *err);

/* Resolves the endpoint of the model. BAD_INPUT if the spec's model cannot be called. */
HAFT_MUST_USE haft_status haft__agent_prepare_model(haft_agent *agent, haft_error *err);

#endif
