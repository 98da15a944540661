/* SPDX-License-Identifier: Apache-2.0 */
/* spec/load/load_int.h - shared by the parts of the loader. */
#ifndef HAFT_SPEC_LOAD_LOAD_INT_H
#define HAFT_SPEC_LOAD_LOAD_INT_H

#include "spec/load/document/builder.h"
#include "spec/load/document/edit.h"
#include "spec/load/load.h"

/* The origin of a part of the translated source. */
typedef struct haft__origin {
    haft_str pointer;  /* pointer into the source */
    haft_str document; /* the corresponding pointer into the document */
    haft_str from;     /* an origin outside the document: "OPENAI_TOOL_CHOICE"; else "" */
} haft__origin;

typedef struct haft__loader {
    haft__arena *arena;
    const haft__spec_options *options;
    haft__spec_problems problems;
    haft__spec_document document; /* the spec in the file */
    haft__json raw;               /* the document with overrides */
    haft__json source;            /* `raw` after the translation */
    haft__origin *origins;
    size_t origin_count, origin_capacity;
    const haft_str *tainted; /* top-level keys of the document with errors of the schema */
    size_t tainted_count;
    bool all_tainted;    /* an unknown key exists, which may be a misspelling of any key */
    size_t schema_count; /* number of problems that the schema reported */
    bool broken; /* tools or names of tools have errors: checks of their combination are skipped */
    haft__agent_tool *agent_tools; /* memory for all tools; spec->agent_tools has the added tools */
    haft__agent_spec *agents;      /* memory for all agents; spec->agents has the added agents */
    haft__skill *skills;           /* spec->skills has those whose tools were added */
    size_t skill_count;
    size_t agent_count; /* agents that were loaded for it, and for its agents */
    haft_str schema;    /* the schema to check with; .ptr NULL: haft.schema.json */
    haft__spec *spec;
    haft_status status; /* NO_MEMORY or TOO_BIG (of the arena) */
} haft__loader;

/* ---- load.c ---- */

/* The subject of a problem at a JSON Pointer into the source: the value or its key. */
typedef enum haft__problem_subject {
    HAFT__SUBJECT_VALUE,
    HAFT__SUBJECT_KEY,
} haft__problem_subject;

haft__spec_problem *haft__loader_error(haft__loader *l, haft_str pointer,
                                       haft__problem_subject about, const char *format, ...)
    HAFT__PRINTF(4, 5);
haft__spec_problem *haft__loader_warning(haft__loader *l, haft_str pointer,
                                         haft__problem_subject about, const char *format, ...)
    HAFT__PRINTF(4, 5);

/* Hides the value of the problem, also the value of --set NAME=VALUE. */
void haft__loader_hide_value(haft__spec_problem *problem);

/* Adds a hint; `problem` may be NULL. */
void haft__loader_hint(haft__loader *l, haft__spec_problem *problem, const char *format, ...)
    HAFT__PRINTF(3, 4);

/* Formats a JSON Pointer from numbers and fixed words. If out of memory, sets the status and
 * returns "". */
haft_str haft__loader_pointer(haft__loader *l, const char *format, ...) HAFT__PRINTF(2, 3);

/* Appends one key, escaped, to `pointer`. */
haft_str haft__loader_pointer_to_key(haft__loader *l, haft_str pointer, haft_str key);

/* Allocates `count` zeroed items of `size` bytes. If out of memory, sets the status and returns
 * NULL. */
void *haft__loader_alloc(haft__loader *l, size_t count, size_t size);

/* Sets a member of the source of the spec. False when out of memory. */
bool haft__loader_put_source(haft__loader *l, const char *key, haft__json value);

/* Writes the value as JSON text, to load it as a separate spec; "" if out of memory. */
haft_str haft__loader_write_text(haft__loader *l, haft__json value);

/* Records the status of a failed operation. Returns true if the failure is about memory, so that
 * the caller need not report a problem. */
bool haft__loader_failed(haft__loader *l, haft_status status);

/* Whether the schema accepted all of these top-level keys, separated by spaces. */
bool haft__loader_keys_are_valid(const haft__loader *l, const char *keys);

/* ---- origin.c ---- */

/* Records that `pointer` of the source comes from `document` of the document. */
void haft__origin_add(haft__loader *l, haft_str pointer, haft_str document);
/* Records that `pointer` of the source comes from outside the document. */
void haft__origin_add_external(haft__loader *l, haft_str pointer, const char *from);

/* Fills in the location of a problem at a pointer into the source. */
void haft__origin_locate(haft__loader *l, haft__spec_problem *problem, haft_str pointer,
                         haft__problem_subject about);
/* Like haft__origin_locate, for a pointer into the document with overrides (`raw`). */
void haft__origin_locate_raw(haft__loader *l, haft__spec_problem *problem, haft_str pointer,
                             haft__problem_subject about);

/* Fills in the location of a problem at an override whose path does not exist: `where` is the path
 * up to the missing part, "" for the whole path. `problem` may be NULL. */
void haft__origin_locate_override(haft__loader *l, haft__spec_problem *problem, const char *set,
                                  haft_str path, const char *where);

/* ---- import.c ---- */

/* Reports that a server of the imported file is unusable: a warning, or an error if the spec names
 * it in `allow`. */
void haft__loader_report_skipped_server(haft__loader *l, haft_str server, haft_str why,
                                        haft_str hint);
/* Marks the server so that it is not started. */
void haft__loader_disable_server(haft__loader *l, haft_str server);

/* ---- agents.c ---- */

/* The agent that a tool starts; NULL if the entry is not a tool of an agent, or its agent has
 * errors. */
const haft__spec *haft__loader_agent_of(const haft__loader *l, haft__json entry);
/* Adds a tool whose calls are child runs to the spec. */
void haft__loader_add_agent_tool(haft__loader *l, haft__json entry, const haft__tool *tool,
                                 haft_str pointer);

/* The spec that a node with `agent`, or with `graph: FILE`, starts; NULL if the node has neither
 * key, or the spec has errors. `pointer` is the location of the node. */
const haft__spec *haft__loader_node_agent(const haft__loader *l, haft__json node, haft_str pointer);
/* A model of the spec, or of an agent that its runs use, whose price is not known; NULL without
 * one. */
const haft__model_spec *haft__loader_find_unpriced(const haft__spec *spec);
/* Reports a model with an unknown price that the agent can ask, itself or through the agents that
 * it uses, if the cost is limited, by the spec or by `limited`. `pointer` is the location of the
 * name of the agent. */
void haft__loader_check_agent_money(haft__loader *l, const haft__spec *agent, bool limited,
                                    haft_str pointer);
/* Whether a name is the name of a file: NAME.yaml, .yml or .json. */
bool haft__loader_is_spec_file(haft_str name);

/* Reads `limits` of a tool or node that starts an agent. In a node, `timeout` also limits the
 * time. */
haft__agent_limits haft__loader_read_agent_limits(haft__loader *l, haft__json owner,
                                                  haft_str pointer);

/* ---- node_tools.c ---- */

/* The first function adds the tools that nodes of `graph` need in addition to the tools of the spec
 * (graph/run/graph_run.h). The second returns the maximum number of these tools that start runs. */
void haft__loader_add_node_tools(haft__loader *l);
size_t haft__loader_count_node_tools(const haft__loader *l);

/* The function of the program with that name (graph/run/function.h); NULL if the program has no
 * such function. */
const haft__tool *haft__loader_find_function(const haft__loader *l, const char *prefix,
                                             haft_str name);
/* Report functions that the program does not have: the function of a node, and the reducers of
 * channels. */
void haft__loader_check_function(haft__loader *l, haft__json node, haft_str pointer);
void haft__loader_check_reducers(haft__loader *l, haft__json graph, haft_str pointer);

/* ---- graphs.c ---- */

/* Calls `visit` for each node of `graph` and of `graphs`. */
typedef void haft__loader_visit_node(void *context, haft__json node, haft_str name,
                                     haft_str pointer);
void haft__loader_visit_nodes(haft__loader *l, haft__loader_visit_node *visit, void *context);

/* ---- check_nodes.c ---- */

/* Compares a node with the tools, agents and graphs of the spec. `context` is the loader. */
void haft__loader_check_node(void *context, haft__json node, haft_str name, haft_str pointer);

/* ---- check_nesting.c ---- */

/* Reports a graph that would run itself, and too many levels of graphs. */
void haft__loader_check_nesting(haft__loader *l);

/* ---- check_conditions.c ---- */

/* Reports a condition whose value does not fit its operator. `pointer` is the location of the
 * condition. */
bool haft__loader_check_condition(haft__loader *l, haft__json when, haft_str pointer);

/* ---- check_names.c ---- */

/* Reports a tool that does not exist. Returns the tool, or NULL if it is unknown or a tool of a
 * server. */
const haft__tool *haft__loader_check_tool_name(haft__loader *l, haft_str name, haft_str pointer);

/* ---- handoffs.c ---- */

/* Whether `name` in `handoffs` of an agent is an agent of the outer spec, or the outer spec
 * itself. */
bool haft__loader_is_outer_agent(const haft__loader *l, haft_str name);
/* Adds the tools transfer_to_NAME. */
void haft__loader_add_handoffs(haft__loader *l);
/* Reports an agent of a tool that hands off to agents of the outer spec. */
void haft__loader_check_child_handoffs(haft__loader *l, const haft__spec *agent, haft_str pointer);

/* ---- skills.c ---- */

/* Adds the tools skill:NAME. */
void haft__loader_add_skills(haft__loader *l);

/* ---- databases.c ---- */

/* Fills in spec->databases. */
void haft__loader_build_databases(haft__loader *l);
/* Adapts the argument `database` of a built-in to the databases of the spec. */
void haft__loader_name_databases(haft__loader *l, haft__tool *tool);
/* ---- middleware.c ---- */

/* Sets the traits that entries `retry` and `cache` of `middleware` give the tool. */
void haft__loader_apply_middleware(haft__loader *l, haft__tool *tool);
/* The models of the entry `fallback`, and where they are; null without such an entry. */
haft__json haft__loader_find_fallback(haft__loader *l, haft_str *ret_pointer);
/* Reports tools in `middleware` that do not exist. */
void haft__loader_check_middleware(haft__loader *l);
/* Whether `middleware` has an entry of this kind. */
bool haft__loader_has_middleware(const haft__loader *l, haft__middleware_kind kind);

/* ---- build_tools.c ---- */

/* Adds a tool to the spec, or reports why it cannot be added. */
void haft__loader_add_tool(haft__loader *l, const haft__tool *tool, haft_str pointer);

/* ---- the stages, in their order ---- */

void haft__loader_check_schema(haft__loader *l); /* check_schema.c: raw against haft.schema.json */
void haft__loader_translate(haft__loader *l);    /* translate.c: raw to source */
void haft__loader_build(haft__loader *l);        /* build.c: source to spec, without tools */
void haft__loader_import(haft__loader *l);       /* import.c: servers from a file */
void haft__loader_build_memory(haft__loader *l); /* memory.c: files of `memory`, and AGENTS.md */
void haft__loader_build_skills(haft__loader *l); /* skills.c: folders of `skills` */
void haft__loader_build_choice(haft__loader *l); /* build_choice.c */
void haft__loader_build_agents(haft__loader *l); /* agents.c: agents that tools start */
void haft__loader_build_tools(haft__loader *l);  /* build_tools.c */
void haft__loader_build_middleware(haft__loader *l); /* middleware.c */
void haft__loader_check_names(haft__loader *l);      /* check_names.c: named tools exist */
void haft__loader_check_graphs(haft__loader *l);     /* graphs.c: graphs can be used */
void haft__loader_check(haft__loader *l);            /* check.c: all other checks */
void haft__loader_check_tools(haft__loader *l);      /* check_tools.c: checks of single tools */
/* check_command.c: checks the words of a tool's command. `pointer` is the location of the tool. */
void haft__loader_check_command(haft__loader *l, const haft__tool *tool, haft_str pointer);
void haft__loader_check_conditions(haft__loader *l); /* check_conditions.c: `when` of a rule */
void haft__loader_check_support(haft__loader *l);    /* check_support.c: this version can run it */
void haft__loader_check_idle_keys(haft__loader *l);  /* check_idle.c: keys without effect */
/* check_idle.c: arguments without effect */
void haft__loader_check_idle_arguments(haft__loader *l);
void haft__loader_check_variables(haft__loader *l);    /* variables.c: ${VAR} */
void haft__loader_check_reachability(haft__loader *l); /* check_reachability.c: a run can end */
void haft__loader_build_summariser(haft__loader *l); /* build_provider.c: the model of `context` */
void haft__loader_build_fallbacks(haft__loader *l);  /* build_provider.c: further `models` */

#endif
