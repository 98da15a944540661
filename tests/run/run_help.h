/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_help.h - runs in tests: a spec from a few words, a script, and what happened as lines.
 *
 *     haft_str log = help_play("workflow; tools=glob,grep,read,complete_workflow; turns=5",
 *                              "{\"replies\":[{\"text\":\"hello\"}]}");
 *
 * A line for each event: its kind, and what matters of it.
 */
#ifndef HAFT_TESTS_RUN_HELP_H
#define HAFT_TESTS_RUN_HELP_H

#include "engine/drive.h"
#include "test.h"

/* A run that is being driven, with all it needs. */
typedef struct help_run {
    haft__arena arena;
    haft__spec spec;
    haft__script script;
    haft__drive drive;
    haft__buf log;     /* the events, a line each, as they were written */
    haft__buf summary; /* ... in short */
    uint64_t now_ms;   /* goes on by 10 with each look at the clock */
    haft_error err;
} help_run;

/* Words, separated by ';': agent | workflow, tools=a,b,c (names of built-ins, or any others: those
 * take one optional text `q`), and numbers or words: turns, calls, parallel, observation_chars,
 * invalid_calls, reminders, violations, tokens, wall_ms, truncate, transcript, min_tools,
 * default=any, on_unknown=tell. A tool may have traits: "send!destructive!approval". */
void help_run_init(help_run *r, const char *spec, const char *script);
void help_run_finish(help_run *r);

/* Starts it with the task "do it" and goes on to its end or until it waits. */
haft_status help_run_go(help_run *r);

/* Answers a call and goes on. `value` is JSON. */
haft_status help_run_answer(help_run *r, const char *call, const char *verdict, const char *value);

/* Both in one: the summary, kept until the test ends. */
haft_str help_play(const char *spec, const char *script);

/* The summary of a log, as help_run has it. */
void help_summarise(haft__buf *buf, haft_str line);

#endif
