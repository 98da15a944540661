/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/runs/agents.h - the specs that a server serves. A changed file is read again before its
 * next use; runs that have started keep their spec.
 */
#ifndef HAFT_SERVE_RUNS_AGENTS_H
#define HAFT_SERVE_RUNS_AGENTS_H

#include "engine/agent.h"
#include "engine/ops/service.h"

typedef struct haft__served_agent {
    char *path;
    haft_str name; /* in `agent`, or the file's name */
    char *own_name;
    haft_agent *agent; /* NULL: it cannot be used, see `error` */
    haft_error error;
    uint64_t stamp; /* of the file when it was read */
    bool in_directory, seen;
    struct haft__served_agent *next;
} haft__served_agent;

typedef struct haft__served_agents {
    haft_runtime *runtime;
    const haft__service_host *host;
    const char *const *specs;
    size_t spec_count;
    haft__served_agent *first; /* in order of their names */
    uint64_t checked_ms;
    size_t version; /* grows with each change */
} haft__served_agents;

/* Reads all specs. BAD_INPUT if a named file cannot be used or a name occurs twice; files of
 * directories are reported and skipped. */
HAFT_MUST_USE haft_status haft__served_agents_load(haft__served_agents *agents, haft_error *err);
void haft__served_agents_finish(haft__served_agents *agents);

/* Reads changed and new files, at most once in a while. */
void haft__served_agents_refresh(haft__served_agents *agents);

/* Finds an agent. NOT_FOUND, or the error of its spec. */
HAFT_MUST_USE haft_status haft__served_agents_find(haft__served_agents *agents, haft_str name,
                                                   const haft__served_agent **ret_agent,
                                                   haft_error *err);

#endif
