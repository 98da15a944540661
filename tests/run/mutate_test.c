/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged logs: lines removed, duplicated, moved and copied from other logs, fields removed and
 * changed. If a damaged log can be folded, the run can still decide, and its decisions can be
 * folded. fuzz/run_fold.c changes bytes; here the lines stay JSON, so that more of them pass the
 * reader.
 */
#include "scenario_help.h"
#include "json/read.h"
#include "json/write.h"

#define ROUNDS    20000
#define MAX_LINES 400
#define POOL      4000

typedef struct tamperer {
    uint64_t random;
    haft__json pool[POOL]; /* bodies of events, of all logs */
    size_t pool_count;
    haft__arena arena;
} tamperer;

static uint32_t draw(tamperer *t, size_t below)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return below > 0 ? (uint32_t)(t->random >> 11) % (uint32_t)below : 0;
}

/* A random value for a field; often it is not valid there. */
static haft__json odd_value(tamperer *t)
{
    static const char *const values[] = {
        "null",
        "true",
        "false",
        "0",
        "1",
        "2",
        "-1",
        "1e3",
        "0.5",
        "4294967297",
        "\"\"",
        "\"c1.1\"",
        "\"c1.2\"",
        "\"c2.1\"",
        "\"look\"",
        "\"send\"",
        "\"none\"",
        "\"auto\"",
        "\"any\"",
        "[]",
        "{}",
        "[\"look\"]",
        "{\"q\":\"x\"}",
        "\"approve\"",
        "\"reject\"",
        "\"edit\"",
        "\"retry\"",
        "\"answer\"",
        "\"expire\"",
        "\"approval\"",
        "\"headless\"",
        "\"unknown_outcome\"",
        "\"question\"",
        "\"denied\"",
        "\"repeated\"",
        "\"invalid\"",
        "\"1970-01-01T00:16:41.000Z\"",
        "{\"answer\":1}",
        "\"refusal\"",
        "\"stop\"",
        "[[]]",
    };
    return help_json(&t->arena, values[draw(t, COUNT(values))]);
}

/* The object with one member removed or changed. */
static haft__json with_odd_member(tamperer *t, haft__json object)
{
    haft__json_member *members =
        haft__arena_array(&t->arena, (size_t)object.count + 1, sizeof(*members));
    uint32_t chosen = draw(t, object.count), count = 0;
    bool lost = draw(t, 4) == 0;
    for (uint32_t i = 0; i < object.count; i++) {
        if (i == chosen && lost) {
            continue;
        }
        members[count] = object.members[i];
        bool deeper = members[count].value.kind == HAFT__JSON_OBJECT && draw(t, 2) == 0;
        if (i == chosen) {
            members[count].value = deeper ? with_odd_member(t, members[count].value) : odd_value(t);
        }
        count++;
    }
    return haft__json_object(members, count);
}

static void tamper(tamperer *t, haft__json *lines, size_t *io_count)
{
    size_t count = *io_count, at = draw(t, count), other = draw(t, count);
    switch (draw(t, 6)) {
    case 0: /* removed */
        memmove(lines + at, lines + at + 1, (count - at - 1) * sizeof(*lines));
        *io_count = count > 1 ? count - 1 : count;
        return;
    case 1: /* duplicated */
        memmove(lines + at + 1, lines + at, (count - at) * sizeof(*lines));
        *io_count = count + 1;
        return;
    case 2: { /* two lines are swapped */
        haft__json kept = lines[at];
        lines[at] = lines[other];
        lines[other] = kept;
        return;
    }
    case 3: lines[at] = t->pool[draw(t, t->pool_count)]; return; /* from another log */
    default: lines[at] = with_odd_member(t, lines[at]); return;
    }
}

/* The body of an event as an object, without seq, at and run. */
static haft__json body_of(tamperer *t, haft_str line)
{
    haft__json object = haft__json_null();
    CHECK_INT(haft__json_read(&t->arena, line, NULL, &object, NULL, NULL), HAFT_OK,
              "the event is JSON");
    return haft__json_object(object.members + 3, object.count - 3);
}

static void write_line(haft__buf *buf, uint64_t seq, haft__json body)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__json_write(&text, body);
    haft__event_write(buf, seq, 1000000 + 10 * seq, HAFT__LIT(HELP_RUN),
                      haft__str_skip(haft__buf_str(&text), 1));
    haft__buf_finish(&text);
}

/* Makes decisions and folds them, until an input is needed. */
static void check_decisions(haft__run *run, haft__decider *decider, const char *name)
{
    haft__buf line;
    haft__buf_init(&line, 1 << 24);
    haft__effect effect = {.kind = HAFT__EFFECT_EVENT};
    for (int i = 0; run->stage != HAFT__RUN_NEW && effect.kind == HAFT__EFFECT_EVENT; i++) {
        haft_error err = {0};
        haft_status status = haft__decide(decider, run, run->last_ms, &effect, &err);
        CHECK_INT(status, HAFT_OK, "%s: deciding fails: %s", name, err.message);
        if (status == HAFT_OK && effect.kind == HAFT__EFFECT_EVENT) {
            haft__buf_clear(&line);
            haft__event_write(&line, run->seq + 1, run->last_ms, run->id, effect.body);
            status = haft__run_fold(run, haft__buf_str(&line), &err);
            CHECK_INT(status, HAFT_OK, "%s: %.*s: %s", name, HAFT__ARG(haft__buf_str(&line)),
                      err.message);
        }
        CHECK(i < 200, "%s: the run does not end", name);
        if (status != HAFT_OK || i >= 200) {
            break;
        }
    }
    haft__buf_finish(&line);
}

/* Folds up to the first error, then again up to the same event; returns the number of accepted
 * events. */
static size_t check_log(const haft__spec *spec, const haft__json *lines, size_t count,
                        const char *name)
{
    haft__buf line;
    haft__buf_init(&line, 1 << 24);
    size_t good = count;
    for (int round = 0; round < 2; round++) {
        haft__arena arena;
        haft__run run;
        haft__decider decider;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__run_init(&run, &arena, spec, HELP_KEY, NULL), HAFT_OK, "init");
        CHECK_INT(haft__decider_init(&decider, NULL), HAFT_OK, "init");
        for (size_t i = 0; i < good; i++) {
            haft_error err = {0};
            haft__buf_clear(&line);
            write_line(&line, i + 1, lines[i]);
            haft_status status = haft__run_fold(&run, haft__buf_str(&line), &err);
            CHECK(status == HAFT_OK || (round == 0 && err.message[0] != '\0'), "%s: %d %s", name,
                  status, err.message);
            good = status == HAFT_OK ? good : i;
        }
        if (round == 1) {
            check_decisions(&run, &decider, name);
        }
        haft__decider_finish(&decider);
        haft__arena_finish(&arena);
    }
    haft__buf_finish(&line);
    return good;
}

TEST(damaged_logs_are_rejected_or_stay_usable)
{
    size_t count = 0, taken = 0, cut = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    tamperer *t = test_alloc(sizeof(*t));
    haft__json *lines = test_alloc((MAX_LINES + 16) * sizeof(*lines));
    haft__arena kept;
    haft__arena_init(&kept, 0);
    *t = (tamperer){.random = 88172645463325252};
    haft__arena_init(&t->arena, 0);
    haft_str *logs = test_alloc(count * sizeof(*logs));
    help_spec *specs = test_alloc(count * sizeof(*specs));
    for (size_t i = 0; i < count; i++) {
        logs[i] = help_scenario_log(&scenarios[i]);
        help_spec_init(&specs[i], &kept, scenarios[i].spec);
        for (haft_str rest = logs[i]; rest.len > 0 && t->pool_count < POOL;) {
            t->pool[t->pool_count++] = body_of(t, haft__str_split(&rest, '\n'));
        }
    }
    haft__arena_mark mark = haft__arena_save(&t->arena);
    for (size_t i = 0; i < ROUNDS && count > 0; i++) {
        size_t which = i % count, line_count = 0;
        for (haft_str rest = logs[which]; rest.len > 0 && line_count < MAX_LINES;) {
            lines[line_count++] = body_of(t, haft__str_split(&rest, '\n'));
        }
        for (uint32_t changes = 1 + draw(t, 3); changes > 0; changes--) {
            tamper(t, lines, &line_count);
        }
        size_t good = check_log(&specs[which].spec, lines, line_count, scenarios[which].path);
        taken += good;
        cut += good < line_count;
        haft__arena_restore(&t->arena, mark);
    }
    CHECK(taken > ROUNDS && cut > ROUNDS / 4 && cut < ROUNDS,
          "%zu lines accepted, %zu logs rejected", taken, cut);
    haft__arena_finish(&kept);
    haft__arena_finish(&t->arena);
}
