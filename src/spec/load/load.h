/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/load.h - loads the text of a spec into a checked spec, and reports every problem with
 * its location.
 *
 *     text -> value with locations -> --set -> haft.schema.json -> translation of the planner shape
 *          -> struct -> checks beyond the schema: names, the choice policy, money, reachability
 *
 * Pure: the text, the environment and the overrides are arguments.
 */
#ifndef HAFT_SPEC_LOAD_LOAD_H
#define HAFT_SPEC_LOAD_LOAD_H

#include "spec/load/document/problem.h"
#include "spec/spec.h"

/* The environment that a spec may read. */
typedef struct haft__spec_env {
    /* Returns the value of a variable; .ptr is NULL if it is not set. The text must live as long as
     * the spec. If `get` is NULL, variables are not checked. */
    haft_str (*get)(void *context, haft_str name);
    void *context;
} haft__spec_env;

/* Whether a program can be started on this machine. */
typedef enum haft__program_state {
    HAFT__PROGRAM_FOUND,
    HAFT__PROGRAM_MISSING,
    HAFT__PROGRAM_NOT_EXECUTABLE,
} haft__program_state;

/* The outer specs of an agent: the spec that names this spec as an agent, and its outer specs. */
typedef struct haft__spec_scope {
    haft__json agents;                      /* `agents` of the outer spec */
    haft_str name;                          /* name of the outer spec */
    haft__json handoffs;                    /* `handoffs` of the outer spec */
    haft_str path;                          /* path of the outer spec's file */
    const haft__json_member *agent_members; /* identifies the agent that is being loaded; or NULL */
    haft_str agent_file;                    /* the file of that agent, if it has a file */
    size_t *agent_count;                    /* agents that were loaded for the outermost spec */
    const struct haft__spec_scope *outer;   /* or NULL */
} haft__spec_scope;

/* A folder with a SKILL.md. All of it is borrowed until the visit ends. */
typedef struct haft__skill_folder {
    haft_str folder;         /* its path, relative to the spec */
    haft_str name;           /* the last part of the path */
    haft_str text;           /* SKILL.md */
    const haft_error *error; /* why the folder cannot be used; NULL if it can */
} haft__skill_folder;

/* Returns false to end the visits. */
typedef bool haft__skill_visit(void *context, const haft__skill_folder *found);

typedef struct haft__spec_options {
    haft_str path;                 /* path of the file, for spec->path */
    const haft__spec_scope *scope; /* the outer specs of an agent; else NULL */
    haft__spec_env env;
    const char *const *sets; /* "limits.turns=5": overrides, in order; may be NULL */
    size_t set_count;
    const char *model;                  /* the model for a spec without a model; may be NULL */
    bool model_always;                  /* `model` also replaces the model in the spec */
    const char *model_from;             /* the origin of `model`: "--model", "haft.config.yaml" */
    const haft__tool *const *functions; /* tools that the program registers; may be NULL */
    size_t function_count;
    /* Functions of the program for graphs (graph/run/function.h); may be NULL. */
    const haft__tool *const *graph_functions;
    size_t graph_function_count;
    /* Finds the price of a model whose spec has no price; false if the price is unknown. May be
     * NULL. */
    bool (*find_price)(const void *context, const haft__model_spec *model, haft__price *ret_price);
    const void *price_context;
    /* Reads a file that the spec names (mcp.import), relative to the spec at `spec`, into `arena`.
     * If NULL, the file is not read. */
    haft_status (*read_file)(void *context, haft__arena *arena, haft_str spec, haft_str path,
                             haft_str *ret_text, haft_error *err);
    void *read_context;
    /* Reads a file of `memory`, relative to the spec at `spec`. If NULL, such files are not
     * read. */
    haft_status (*read_memory)(haft__arena *arena, haft_str spec, haft_str path, haft_str *ret_text,
                               haft_error *err);
    /* Finds and reads the AGENTS.md that is nearest to the directory `root`, which is relative to
     * the spec at `spec`. ret_path->ptr is NULL if there is none. If NULL, none is searched. */
    haft_status (*read_agents_md)(haft__arena *arena, haft_str spec, haft_str root,
                                  haft_str *ret_path, haft_str *ret_text, haft_error *err);
    /* Calls `visit` for each skill of a directory of `skills`, which is relative to the spec at
     * `spec`. Fails if the directory cannot be read or has no skill. If NULL, directories are not
     * read. */
    haft_status (*visit_skills)(haft_str spec, haft_str directory, haft__skill_visit *visit,
                                void *context, haft_error *err);
    /* Finds the program of a command: a path relative to the spec at `spec`, or a name in
     * `search_path` (.ptr NULL: the default). If NULL, programs are not checked. */
    haft__program_state (*find_program)(haft_str spec, haft_str program, haft_str search_path);
    /* Whether `path`, relative to the spec at `spec`, is a directory. If NULL, directories are not
     * checked. */
    bool (*has_directory)(haft_str spec, haft_str path);
    /* Checks whether a run on this machine could ask the model or the server of embeddings: the
     * file is readable, the URL is valid, the key is set. Sends no request. If NULL, this is not
     * checked. */
    haft_status (*check_model)(void *context, haft__arena *arena, const haft__spec *spec,
                               bool embeddings, haft_error *err);
    void *model_context;
    bool kept;       /* the spec of a run that has begun: probable mistakes are not errors */
    bool check_only; /* no run starts, so functions of the program may be missing */
    haft__hash_key hash_key;
    /* From haft__spec_schema_compile, with the same hash key. If NULL, each load compiles the
     * schema, which takes longer than the other stages. */
    const struct haft__schema *schema;
} haft__spec_options;

typedef struct haft__spec_report {
    const haft__spec_problem *problems; /* sorted by location */
    size_t count;                       /* number of items in `problems` */
    size_t errors, warnings;            /* total numbers, including problems that were not stored */
} haft__spec_report;

/* Compiles the JSON Schema of specs, for many loads. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__spec_schema_compile(haft__arena *arena, haft__hash_key hash_key,
                                                    const struct haft__schema **ret_schema,
                                                    haft_error *err);

/* Loads a spec. The spec and the report live in `arena`; `text` must live as long. *ret_spec is
 * NULL if there are errors; warnings do not prevent loading. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__spec_load(haft__arena *arena, haft_str text,
                                          const haft__spec_options *options,
                                          const haft__spec **ret_spec,
                                          haft__spec_report *ret_report, haft_error *err);

/* Sets `path` of *io_value to `value`: "limits.turns", "tools.0.name", or a JSON Pointer
 * ("/tools/0/name"). A value that is not JSON is a text. Creates missing objects on the path; items
 * of a list must exist. Converts a model that is a text to an object. BAD_INPUT if the path does
 * not exist; err->where is the path up to the missing part. New parts live in `arena`. */
HAFT_MUST_USE haft_status haft__spec_set(haft__arena *arena, haft__json *io_value, haft_str path,
                                         haft_str value, haft_error *err);

/* Like haft__spec_set, with a value that lives in `arena` or longer. */
HAFT_MUST_USE haft_status haft__spec_put(haft__arena *arena, haft__json *io_value, haft_str path,
                                         haft__json made, haft_error *err);

/* Replaces ${NAME} by variables of the environment. NOT_FOUND if a variable is not set, unless it
 * has a default, ${NAME:-default}; BAD_INPUT if a ${ has no name or no }. Returns `text` itself if
 * it contains no variable. */
HAFT_MUST_USE haft_status haft__spec_expand(haft__arena *arena, haft_str text,
                                            const haft__spec_env *env, haft_str *ret_text,
                                            haft_error *err);

/* Writes the spec `after` as JSON, and restores the variables of `before`: where `before` has a
 * text with ${NAME} and `after` has the text with the variable's value, writes the text of
 * `before`. If a variable is not set, its first value in `after` is used as its value. Fails only
 * when out of memory. */
HAFT_MUST_USE haft_status haft__spec_restore_variables(haft__buf *buf, haft__json before,
                                                       haft__json after, const haft__spec_env *env,
                                                       haft_error *err);

/* Checks a document that is not a spec against a built-in JSON Schema. Problems have the same form
 * as problems of specs. Fails only when out of memory. */
struct haft__spec_document;
HAFT_MUST_USE haft_status haft__spec_check_with(haft__arena *arena, haft_str schema,
                                                const struct haft__spec_document *document,
                                                haft__hash_key hash_key,
                                                haft__spec_problems *problems, haft_error *err);

/* The text of haft.schema.json. */
haft_str haft__spec_schema_text(void);

#endif
