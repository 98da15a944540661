/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_help.h - runs in tests: a spec from a few words, a script, and a summary of the events.
 *
 *     haft_str log = help_play("workflow; tools=glob,grep,read,complete_workflow; turns=5",
 *                              "{\"replies\":[{\"text\":\"hello\"}]}");
 *
 * A line for each event: its kind and its important fields. Whole runs with their expected events
 * are the files of tests/run/scenarios/ (scenario_help.h).
 */
#ifndef HAFT_TESTS_RUN_HELP_H
#define HAFT_TESTS_RUN_HELP_H

#include "drive_help.h"
#include "servers_help.h"
#include "test.h"

/* The hash key of all helpers. */
#define HELP_KEY ((haft__hash_key){3, 4})

#define HELP_RUN    "00000000000000000000000001"
#define HELP_THREAD "00000000000000000000000002"

/* A spec made of words. */
typedef struct help_spec {
    haft__arena *arena;
    haft__spec spec;
    haft__approval_rule rules[4];
    haft__phase phases[4];
    haft__tool_choice schedule[8];
    help_servers servers;
    bool no_search; /* tool_search is not enabled although tools are deferred */
    haft_str next_models;
} help_spec;

/* Makes a spec from words that are separated by ';'. The first is agent or workflow. tools=a,b,c
 * names tools: built-ins, or tools with two optional arguments, the text `q` and the number `n`
 * (default 7). The other words are flags or have a value after '=': turns, calls,
 * parallel, observation_chars, invalid_calls, reminders, violations, tokens, wall_ms, usd_micros,
 * price=INPUT/OUTPUT/CACHED, truncate, transcript, min_tools, evidence_first=BUDGET, default=any,
 * default=TOOL, on_unknown=tell, provider=NAME, next=PROVIDER:MODEL,..., format=NAME,
 * schedule=TOOL+auto+gate+none, phase=NAME+TOOL+TOOL,
 * instructions=TEXT, plan=JSON, approve=PATTERN, approve_trait=WORD, and after one of these
 * deadline_ms and on_expire=JSON; max_mcp, size_b, hosted, context, own_bytes,
 * builtin_allow=PATTERN, builtin_deny=PATTERN, no_search, database, and the words of
 * servers_help.h. A tool may have traits: "send!destructive!approval". The text must outlive the
 * spec. */
void help_spec_init(help_spec *s, haft__arena *arena, haft_str words);

/* A run that is being driven, with everything it needs. */
typedef struct help_run {
    haft__arena arena;
    help_spec spec;
    haft__script script;
    haft__drive drive;
    haft__buf log;     /* the events, a line each, as they were written */
    haft__buf summary; /* a short line for each event */
    uint64_t now_ms;   /* advances by 10 with each read, and by delays */
    haft_error err;
} help_run;

/* The script is YAML or JSON. */
void help_run_init(help_run *r, const char *spec, const char *script);
void help_run_init_str(help_run *r, haft_str spec, haft_str script);
void help_run_finish(help_run *r);

/* Starts it with the task "do it" and continues to its end or until it is paused. */
haft_status help_run_go(help_run *r);

/* Answers a call and continues. `value` is JSON. */
haft_status help_run_answer(help_run *r, const char *call, const char *verdict, const char *value);

/* Folds the first events of a log, and restores the position in the script and the time. */
haft_status help_run_restore(help_run *r, haft_str lines);

/* Makes and plays a run; returns its summary, which lives until the test ends. */
haft_str help_play(const char *spec, const char *script);

/* The summary of one event, as help_run has it. */
void help_summarise(haft__buf *buf, haft_str line);

/* JSON text to a value in `arena`; the text must outlive it. */
haft__json help_json(haft__arena *arena, const char *text);

/* A copy that lives until the test ends, NUL-terminated. */
haft_str help_keep(haft_str text);

/* The state of a run as text: two runs with the same text decide the same. */
void help_state(haft__buf *buf, const haft__run *run);

#endif
