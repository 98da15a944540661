/* SPDX-License-Identifier: Apache-2.0 */
/* sim_fold_help.c - the state of a stored run, as every process reads it. */
#include "sim_help.h"

static haft_status load(void *context, haft__json source, uint64_t seq, const haft__spec **ret_spec,
                        haft_error *err)
{
    sim *s = context;
    (void)source;
    (void)seq;
    (void)err;
    *ret_spec = &s->specs[SIM_NEXT].help.spec;
    return HAFT_OK;
}

haft__run_specs sim_specs(sim *s)
{
    return (haft__run_specs){.load = load, .context = s};
}

/* The tasks and answers of the runs before this one in its thread. */
bool sim_earlier(sim *s, const sim_record *r, haft__arena *arena, haft__messages *ret_earlier)
{
    haft_status status = HAFT_OK;
    haft__messages_init(ret_earlier, arena);
    for (const sim_record *before = s->records; status == HAFT_OK && before < r; before++) {
        if (before->exists && strcmp(before->thread, r->thread) == 0) {
            status = haft__run_append_exchange(HAFT__LIT("do it"), before->answer, before->end,
                                               ret_earlier, NULL);
        }
    }
    return status == HAFT_OK;
}

/* A run that has not begun gets the earlier messages when it is the first of its thread. */
bool sim_fold(sim *s, const sim_record *r, uint64_t last, haft__arena *arena,
              haft__messages *earlier, haft__run *run, haft_error *err)
{
    haft_status status = haft__run_init(run, arena, &r->spec, HELP_KEY, err);
    bool good = !r->begun || sim_earlier(s, r, arena, earlier);
    run->specs = sim_specs(s);
    if (r->begun) {
        haft__run_set_earlier(run, earlier);
    }
    haft_str rest = haft__buf_str(&r->log);
    while (good && status == HAFT_OK && rest.len > 0 && run->seq < last) {
        status = haft__run_fold(run, haft__str_split(&rest, '\n'), err);
    }
    return good && status == HAFT_OK;
}
