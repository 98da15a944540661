/* SPDX-License-Identifier: Apache-2.0 */
/* web_help.h - tools that are HTTP requests, made from JSON, and calls of them. */
#ifndef HAFT_TESTS_EXEC_WEB_HELP_H
#define HAFT_TESTS_EXEC_WEB_HELP_H

#include "exec/http/http.h"

/* A job that is not running, for functions that only read its tool and arguments. */
typedef struct web_job {
    haft__exec exec;
    haft__tool tool;
    haft__arena arena; /* owns the JSON */
    haft__exec_job job;
} web_job;

/* `http` is the tool's definition under that key. `more` has the names of its properties,
 * separated by spaces. The environment is TOKEN=s3cret, HOST=api.example/v1, BAD with a line end,
 * EMPTY. */
void web_job_init(web_job *j, const char *http, const char *arguments, const char *more);
void web_job_finish(web_job *j);

extern const haft__spec_env web_env;

#endif
