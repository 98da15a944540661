/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_bench.c - the cost of a turn without I/O: fold, decide and building the request, in runs of
 * 8 to 4,096 turns with five tools and results of 1 KB. The cost of a turn must not grow, also if
 * the context is full and its history has to be shortened.
 */
#include "run_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "bench.h"
#include "model/conversation.h"
#include "run/decide/decide.h"
#include "json/read.h"

static const char *const names[] = {"search", "fetch", "count", "list_files", "summarise"};

typedef struct state {
    haft__arena setup, arena;
    haft__spec spec;
    uint32_t turns;
    char result[1024];
    uint64_t event_bytes; /* bytes of the events of the last run */
    uint64_t planned;     /* messages that its plans of the context have read */
    uint32_t changes;     /* of its context */
    uint32_t last_turn;
    bool may_fail; /* the run may end because a request does not fit */
} state;

/* One run in progress. */
typedef struct making {
    haft__run run;
    haft__decider decider;
    haft__provider_conversation *chat;
    haft__buf line, body, sent;
    haft__arena scratch;
    uint64_t bytes;
} making;

static bool append(making *m, haft_str body)
{
    static const char id[] = "01jcq9v7k2m4n6p8r0s2t4v6w8";
    haft__buf_clear(&m->line);
    haft__event_write(&m->line, m->run.seq + 1, 1000 + m->run.seq, (haft_str){id, 26}, body);
    m->bytes += m->line.len;
    return haft__run_fold(&m->run, haft__buf_str(&m->line), NULL) == HAFT_OK;
}

/* The model: calls one tool after the other, with different arguments. */
static bool reply(making *m, const state *s)
{
    haft__request request;
    haft__arena_reset(&m->scratch);
    haft__buf_clear(&m->body);
    haft__buf_clear(&m->sent);
    if (haft__decide_request(&m->run, &m->scratch, &request, NULL) != HAFT_OK
        || haft__conversation_write(m->chat, &request, &(haft__provider_request_options){0},
                                    &m->sent, NULL)
               != HAFT_OK) {
        return false;
    }
    char arguments[64];
    (void)snprintf(arguments, sizeof(arguments), "{\"query\":\"number %u\"}", m->run.turn);
    haft__message_call call = {.id = HAFT__LIT(""),
                               .name = haft__str(names[m->run.turn % COUNT(names)]),
                               .arguments = haft__str(arguments)};
    haft__reply answer = {.content = HAFT__LIT(""),
                          .reasoning = HAFT__LIT(""),
                          .calls = &call,
                          .call_count = m->run.turn < s->turns ? 1 : 0,
                          .stop = HAFT__STOP_CALLS,
                          .model = HAFT__LIT("bench")};
    if (answer.call_count == 0) {
        answer.content = HAFT__LIT("done");
    }
    haft__input_model_replied(&m->body, &m->run, &answer, 1);
    return append(m, haft__buf_str(&m->body));
}

static bool finish_call(making *m, const state *s)
{
    const haft__run_call *call = &m->run.calls[m->run.call_count - 1];
    haft__outcome outcome = {.ok = true, .text = {s->result, sizeof(s->result)}, .ms = 1};
    haft__buf_clear(&m->body);
    haft__input_call_finished(&m->body, &m->run, call, &outcome);
    return append(m, haft__buf_str(&m->body));
}

static bool continue_run(making *m, const state *s)
{
    for (;;) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        bool good = haft__decide(&m->decider, &m->run, 2000, &effect, NULL) == HAFT_OK;
        if (!good || effect.kind == HAFT__EFFECT_WAIT) {
            return false;
        }
        if (effect.kind == HAFT__EFFECT_END) {
            if (!s->may_fail && m->run.end != HAFT__END_DONE) {
                (void)fprintf(stderr, "bench: turn %u: %.*s\n", m->run.turn,
                              HAFT__ARG(m->run.end_reason));
                return false;
            }
            return true;
        }
        good = effect.kind == HAFT__EFFECT_EVENT        ? append(m, effect.body)
               : effect.kind == HAFT__EFFECT_CALL_MODEL ? reply(m, s)
                                                        : finish_call(m, s);
        if (!good) {
            return false;
        }
    }
}

static bool do_run(void *context)
{
    state *s = context;
    making m = {0};
    haft_str none = {NULL, 0};
    haft__arena_reset(&s->arena);
    haft__arena_init(&m.scratch, 0);
    haft__buf_init(&m.line, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&m.body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&m.sent, HAFT__LIMIT_RUN_BYTES);
    bool good =
        haft__conversation_create(haft__provider_compatible(), &m.chat, NULL) == HAFT_OK
        && haft__decider_init(&m.decider, NULL) == HAFT_OK
        && haft__run_init(&m.run, &s->arena, &s->spec, (haft__hash_key){1, 2}, NULL) == HAFT_OK;
    haft__input_run_started(&m.body, &s->spec, HAFT__LIT("work"), HAFT__LIT("thread"), none, none);
    good = good && append(&m, haft__buf_str(&m.body)) && continue_run(&m, s);
    s->event_bytes = m.bytes;
    s->planned = m.decider.planned;
    s->changes = m.run.context.rewrites;
    s->last_turn = m.run.turn;
    haft__decider_finish(&m.decider);
    haft__conversation_destroy(m.chat);
    haft__buf_finish(&m.line);
    haft__buf_finish(&m.body);
    haft__buf_finish(&m.sent);
    haft__arena_finish(&m.scratch);
    return good;
}

/* The words of results: a line of a log, again and again. */
static void fill_result(state *s)
{
    static const char words[] = "2026-11-19 12:00:01 order 4711 was sent to the customer; ";
    for (size_t i = 0; i < sizeof(s->result); i++) {
        s->result[i] = words[i % (sizeof(words) - 1)];
    }
}

static void open_state(state *s, uint32_t turns)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\",\"minLength\":1},"
        "\"limit\":{\"type\":\"integer\",\"default\":10}},\"required\":[\"query\"]}";
    static const haft_str formats[] = {{"native", 6}};
    haft__arena_init(&s->setup, 0);
    haft__arena_init(&s->arena, 0);
    haft__tools_init(&s->spec.tools, &s->setup, (haft__hash_key){1, 2});
    haft__tool tool = {.description = HAFT__LIT("Finds records that match the query."),
                       .source = HAFT__TOOL_COMMAND,
                       .typed = true};
    bool good = haft__json_read(&s->setup, haft__str(schema), NULL, &tool.input_schema, NULL, NULL)
                == HAFT_OK;
    for (size_t i = 0; good && i < COUNT(names); i++) {
        tool.name = haft__str(names[i]);
        good = haft__tools_add(&s->spec.tools, &tool, NULL) == HAFT_OK;
    }
    s->spec.name = s->spec.hash = HAFT__LIT("bench");
    s->spec.formats = formats;
    s->spec.format_count = 1;
    s->spec.model.native_tools = true;
    s->spec.limits = (haft__spec_limits){.turns = turns + 1,
                                         .calls = turns + 1,
                                         .parallel = 3,
                                         .observation_chars = 8000,
                                         .tokens = UINT64_MAX / 2,
                                         .wall_ms = UINT64_MAX / 2,
                                         .repeats = {.hint = 3, .refuse = 6, .end = 10}};
    fill_result(s);
    s->turns = turns;
    if (!good || !do_run(s)) {
        (void)fprintf(stderr, "bench: the run did not end as expected\n");
        exit(1);
    }
}

void bench_runs(void)
{
    static state states[4];
    bench_contender work[4];
    for (size_t i = 0; i < 4; i++) {
        open_state(&states[i], 8U << 3 * i);
        work[i] = (bench_contender){"run", do_run, &states[i], 0};
    }
    bench_compare(work, 4, 0.05);
    printf("### A turn without I/O: fold, decide, request (5 tools, results of 1 KB)\n\n"
           "| turns | us/turn | bytes of events a turn beyond the result |\n|---:|---:|---:|\n");
    for (size_t i = 0; i < 4; i++) {
        printf("| %u | %.2f | %.0f |\n", states[i].turns, work[i].seconds * 1e6 / states[i].turns,
               (double)states[i].event_bytes / states[i].turns - (double)sizeof(states[i].result));
        haft__arena_finish(&states[i].arena);
        haft__arena_finish(&states[i].setup);
    }
    printf("\n");
}

/* ---- the context ---- */

/* Sets the size of the context; 0: unknown, so there is no budget. */
static void open_context(state *s, uint32_t turns, uint64_t tokens, bool shortens)
{
    s->may_fail = !shortens;
    s->spec.model.context_tokens = tokens;
    s->spec.context = (haft__context_spec){.reserve = 4096,
                                           .clear = shortens,
                                           .clear_at = 75,
                                           .clear_keep = 3,
                                           .summarise = shortens,
                                           .summarise_at = 90,
                                           .summarise_keep = 4};
    open_state(s, turns);
}

static void close_state(state *s)
{
    haft__arena_finish(&s->arena);
    haft__arena_finish(&s->setup);
}

static void print_full(void)
{
    static state without, with;
    open_context(&without, 5000, 32768, false);
    open_context(&with, 5000, 32768, true);
    printf("### Turns until a context of 32,768 tokens is full (results of 1 KB)\n\n"
           "| | turns | changes of the context |\n|---|---:|---:|\n"
           "| nothing is shortened | %u | %u |\n| defaults | %u, done | %u |\n\n",
           without.last_turn, without.changes, with.last_turn, with.changes);
    close_state(&without);
    close_state(&with);
}

void bench_context(void)
{
    static const uint32_t turns[] = {5, 500, 5000}; /* two messages for each */
    static const uint64_t sizes[] = {0, 100000000, 32768};
    static state states[9];
    bench_contender work[9];
    for (size_t i = 0; i < 9; i++) {
        open_context(&states[i], turns[i / 3], sizes[i % 3], true);
        work[i] = (bench_contender){"run", do_run, &states[i], 0};
    }
    bench_compare(work, 9, 0.05);
    printf("### The budget of the context: a turn without I/O, in us (5 tools, results of 1 KB)\n\n"
           "| messages | no budget | nothing is shortened | 32,768 tokens | bytes of events a "
           "turn, no "
           "no budget | 32,768 tokens | changes | messages read by plans, a turn |\n"
           "|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < 9; i += 3) {
        const state *s = &states[i + 2];
        double all = s->turns;
        printf("| %u | %.1f | %.1f | %.1f | %.0f | %.0f | %u | %.1f |\n", 2 * s->turns,
               work[i].seconds * 1e6 / all, work[i + 1].seconds * 1e6 / all,
               work[i + 2].seconds * 1e6 / all, (double)states[i].event_bytes / all,
               (double)s->event_bytes / all, s->changes, (double)s->planned / all);
    }
    printf("\n");
    for (size_t i = 0; i < 9; i++) {
        close_state(&states[i]);
    }
    print_full();
}
