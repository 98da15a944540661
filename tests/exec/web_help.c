/* SPDX-License-Identifier: Apache-2.0 */
/* web_help.c - see web_help.h. */
#include "web_help.h"

#include "base/buf.h"
#include "base/limits.h"
#include "test.h"
#include "json/read.h"

static haft_str get_variable(void *context, haft_str name)
{
    static const struct {
        const char *name, *value;
    } variables[] = {{"TOKEN", "s3cret"},
                     {"HOST", "api.example/v1"},
                     {"BAD", "s3cret\r\nX-Evil: 1"},
                     {"BRACES", "{a}"},
                     {"EMPTY", ""}};
    (void)context;
    for (size_t i = 0; i < COUNT(variables); i++) {
        if (haft__str_equal(name, haft__str(variables[i].name))) {
            return haft__str(variables[i].value);
        }
    }
    return (haft_str){NULL, 0};
}

const haft__spec_env web_env = {.get = get_variable};

static haft__json read(web_job *j, const char *text)
{
    haft__json value = haft__json_null();
    haft_error err = {.status = HAFT_OK};
    haft_str kept = haft__arena_copy(&j->arena, haft__str(text));
    CHECK_INT(haft__json_read(&j->arena, kept, NULL, &value, NULL, &err), HAFT_OK, "%s: %s", text,
              err.message);
    return value;
}

void web_job_init(web_job *j, const char *http, const char *arguments, const char *more)
{
    haft__buf buf;
    memset(j, 0, sizeof(*j));
    haft__arena_init(&j->arena, 0);
    haft__arena_init(&j->job.arena, 0);
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"http\":%s}%c", http, 0);
    j->tool = (haft__tool){.name = HAFT__LIT("web"), .source = HAFT__TOOL_HTTP};
    j->tool.definition = read(j, buf.ptr);
    j->job.call.arguments = read(j, arguments);
    haft__buf_clear(&buf);
    haft__buf_add_str(&buf, HAFT__LIT("{\"properties\":{\"\":{}"));
    for (haft_str rest = haft__str(more); rest.len > 0;) {
        haft_str name = haft__str_split(&rest, ' ');
        haft__buf_addf(&buf, ",\"%.*s\":{}", HAFT__ARG(name));
    }
    haft__buf_addf(&buf, "}}%c", 0);
    j->tool.input_schema = read(j, buf.ptr);
    haft__buf_finish(&buf);
    j->exec.options.env = web_env;
    j->job.exec = &j->exec;
    j->job.call.tool = &j->tool;
    j->job.call.facts.idempotency_key = "run.c1.1";
    j->job.call.facts.epoch = 3;
}

void web_job_finish(web_job *j)
{
    haft__arena_finish(&j->job.arena);
    haft__arena_finish(&j->arena);
}
