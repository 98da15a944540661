/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs and trees of runs in a simulated world with faults (sim_help.h), each world from one seed.
 *
 *     HAFT_SIM_SEED=17 build/tests/haft-tests --file sim/simulation_test.c   one seed, with a trace
 *     HAFT_SIM_SEEDS=5000 make test T=simulation                             so many seeds
 */
#include "sim_help.h"

enum { SEEDS = 400, LONG_SEEDS = 20000, SHOWN = 3 };

static uint64_t number_of(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    uint64_t number = 0;
    return text != NULL && haft__str_to_u64(haft__str(text), &number) ? number : fallback;
}

static void report(const sim *s)
{
    printf(
        "# %llu seeds, %llu runs, of them %llu children and %llu forks, %llu waits in a thread, "
        "%llu specs changed, %llu handoffs, %llu graphs with %llu steps and %llu changes, %llu of "
        "them inside a step; %llu steps, %llu events, %llu effects; %llu "
        "crashes, %llu stops, "
        "%llu writes refused, %llu with no answer, %llu calls recovered; people sent %llu "
        "commands, %llu of them repeated, %llu without a call, %llu cancels, %llu runs out of "
        "time; ends:",
        (unsigned long long)s->sum.seeds, (unsigned long long)s->sum.runs,
        (unsigned long long)s->sum.children, (unsigned long long)s->sum.forks,
        (unsigned long long)s->sum.queued, (unsigned long long)s->sum.changed,
        (unsigned long long)s->sum.handoffs, (unsigned long long)s->sum.graphs,
        (unsigned long long)s->sum.graph_steps, (unsigned long long)s->sum.graph_changes,
        (unsigned long long)s->sum.graph_edits_inside, (unsigned long long)s->sum.steps,
        (unsigned long long)s->sum.events, (unsigned long long)s->sum.effects,
        (unsigned long long)s->sum.crashes, (unsigned long long)s->sum.freezes,
        (unsigned long long)s->sum.refused, (unsigned long long)s->sum.unknown,
        (unsigned long long)s->sum.recoveries, (unsigned long long)s->sum.answers,
        (unsigned long long)s->sum.seconds, (unsigned long long)s->sum.unnamed,
        (unsigned long long)s->sum.cancels, (unsigned long long)s->sum.walls);
    for (int i = 0; i <= HAFT__END_EXPIRED; i++) {
        printf(" %s %llu", haft__end_name((haft__end)i), (unsigned long long)s->sum.ends[i]);
    }
    printf("\n");
}

static void print_lines(haft_str text)
{
    while (text.len > 0) {
        haft_str line = haft__str_split(&text, '\n');
        printf("# %.*s\n", HAFT__ARG(line));
    }
}

TEST(no_seed_breaks_a_guarantee)
{
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    uint64_t only = number_of("HAFT_SIM_SEED", 0), failed = 0;
    uint64_t count = number_of("HAFT_SIM_SEEDS", getenv("HAFT_LONG") != NULL ? LONG_SEEDS : SEEDS);
    s->tracing = only != 0;
    for (uint64_t seed = only != 0 ? only : 1; seed <= (only != 0 ? only : count); seed++) {
        bool good = sim_run(s, seed, SIM_SOUND);
        if (!good && failed++ < SHOWN) {
            CHECK(good,
                  "seed %llu: %s\n#   HAFT_SIM_SEED=%llu build/tests/haft-tests --file "
                  "sim/simulation_test.c nothing    shows all of it",
                  (unsigned long long)seed, s->failure, (unsigned long long)seed);
        }
        print_lines(haft__buf_str(&s->trace));
    }
    report(s);
    CHECK_INT(failed, 0, "seeds that failed");
    sim_finish(s);
}

/* ---- the simulation itself ---- */

/* Every rule is needed: for each, there is a defect that no other rule detects. */
TEST(every_injected_defect_is_detected)
{
    enum { MOST = 1000 };
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    for (int i = SIM_SOUND + 1; i < SIM_BREAK_COUNT; i++) {
        sim_break broken = (sim_break)i;
        uint64_t seed = 1;
        bool found = false;
        while (!found && seed <= MOST) {
            found = !sim_run(s, seed, broken) && strstr(s->failure, sim_break_rule(broken)) != NULL;
            seed += !found;
        }
        CHECK(found, "%s: not found in %d seeds by the rule \"%s\"; the last was: %s",
              sim_break_text(broken), MOST, sim_break_rule(broken), s->failure);
        printf("# found in seed %llu: %s (%s)\n", (unsigned long long)seed, sim_break_text(broken),
               s->failure);
    }
    sim_finish(s);
}

/* Two simulations of one seed are equal byte for byte, regardless of earlier seeds. */
TEST(a_seed_determines_the_whole_simulation)
{
    enum { WORLDS = 40 };
    sim *a = test_alloc(sizeof(*a)), *b = test_alloc(sizeof(*b));
    sim_init(a);
    sim_init(b);
    a->tracing = b->tracing = true;
    uint64_t different = 0;
    haft_str last = HAFT__LIT("");
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        bool good = sim_run(a, seed, SIM_SOUND);
        (void)sim_run(b, WORLDS - seed + 1, SIM_SOUND);
        CHECK_INT(sim_run(b, seed, SIM_SOUND), good, "seed %llu: success",
                  (unsigned long long)seed);
        CHECK_STR(haft__buf_str(&b->trace), haft__buf_str(&a->trace), "seed %llu: the trace",
                  (unsigned long long)seed);
        CHECK_INT(b->record_count, a->record_count, "seed %llu: the runs",
                  (unsigned long long)seed);
        for (size_t i = 0; i < a->record_count && i < b->record_count; i++) {
            CHECK_STR(haft__buf_str(&b->records[i].log), haft__buf_str(&a->records[i].log),
                      "seed %llu: the log of run %zu", (unsigned long long)seed, i);
        }
        different += !haft__str_equal(last, haft__buf_str(&a->trace));
        last = help_keep(haft__buf_str(&a->trace));
    }
    CHECK_INT(different, WORLDS, "number of different traces");
    sim_finish(a);
    sim_finish(b);
}
