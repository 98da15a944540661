/* SPDX-License-Identifier: Apache-2.0 */
/* queued.c - tools without callbacks. The program takes the calls of its tool from a queue, works
 * on them in its own time, and ends each with a reply. Programs in other languages do the same.
 * Build it: cc queued.c $(pkg-config --cflags --libs haft)
 * Run it:   ./a.out queued.yaml */
#include <haft.h>
#include <stdio.h>

enum { ROOM = 8 };

/* A call that the program works on. */
typedef struct job {
    haft_call *call;
    unsigned left; /* rounds of work */
} job;

typedef struct program {
    haft_runtime *runtime;
    haft_agent *agent;
    haft_run *run;
    job jobs[ROOM];
    size_t count;
    haft_error err;
} program;

/* The first call needs the most work, so the calls end in another order than they began. */
static void take_calls(program *p)
{
    while (p->count < ROOM) {
        haft_call *call = haft_runtime_next_call(p->runtime);
        if (call == NULL) {
            return;
        }
        const haft_call_facts *facts = haft_call_info(call);
        printf("%s: %s %.*s\n", facts->call, facts->tool, HAFT_STR(facts->arguments));
        p->jobs[p->count] = (job){call, ROOM - (unsigned)p->count};
        p->count++;
    }
}

/* Ends a call and forgets it. If its run was cancelled or it timed out, the reply is dropped. */
static haft_status end_job(program *p, size_t at)
{
    haft_call *call = p->jobs[at].call;
    printf("%s is done\n", haft_call_info(call)->call);
    p->jobs[at] = p->jobs[--p->count];
    return haft_call_finish(call, HAFT_REPLY_JSON, "{\"days\":2}", &p->err);
}

static haft_status work_a_bit(program *p)
{
    haft_status status = HAFT_OK;
    for (size_t i = p->count; i > 0 && status == HAFT_OK; i--) {
        job *it = &p->jobs[i - 1];
        if (haft_cancelled(it->call) || --it->left == 0) {
            status = end_job(p, i - 1);
        }
    }
    return status;
}

/* Waits for the runtime only if there is no other work. */
static haft_status loop(program *p)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && haft_run_state(p->run) == HAFT_RUNNING) {
        status = haft_runtime_step(p->runtime, p->count > 0 ? 0 : -1, &p->err);
        take_calls(p);
        if (status == HAFT_OK) {
            status = work_a_bit(p);
        }
    }
    return status;
}

static haft_status run(program *p, const char *spec)
{
    haft_tool tool = HAFT_TOOL_INIT;
    tool.name = "delivery_time";
    tool.description = "How many days a parcel to a country takes.";
    tool.input_schema = "{\"type\":\"object\",\"required\":[\"country\"],"
                        "\"properties\":{\"country\":{\"type\":\"string\"}}}";
    tool.traits = HAFT_QUEUED | HAFT_READ_ONLY;
    haft_status status = haft_tool_add(p->runtime, &tool, &p->err);
    if (status == HAFT_OK) {
        status = haft_agent_load(p->runtime, spec, &p->agent, &p->err);
    }
    if (status == HAFT_OK) {
        status = haft_run_start(p->agent, "When do the parcels arrive?", NULL, &p->run, &p->err);
    }
    return status == HAFT_OK ? loop(p) : status;
}

int main(int argc, char **argv)
{
    program p = {.count = 0};
    haft_status status = haft_runtime_create(NULL, &p.runtime, &p.err);
    if (status == HAFT_OK) {
        status = run(&p, argc > 1 ? argv[1] : "queued.yaml");
    }
    if (status == HAFT_OK) {
        printf("%s: %.*s\n", haft_run_end(p.run), HAFT_STR(haft_run_answer_text(p.run)));
    } else {
        (void)fprintf(stderr, "%s: %s\n", p.err.where, p.err.message);
    }
    haft_run_release(p.run);
    haft_agent_release(p.agent);
    haft_runtime_destroy(p.runtime);
    return status == HAFT_OK ? 0 : 1;
}
