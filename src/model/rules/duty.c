/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duty.c - agents without tools whose instructions ask for something that rules can do: split a
 * question, write a plan, choose the next phase, merge findings.
 *
 * The instructions say which, and which shape the JSON has; a language model reads the same ones.
 * Tests: tests/model/rules/duty_test.c.
 */
#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

/* How many sub-queries a plan has in its first and its second phase. */
#define FIRST_GOALS  2U
#define SECOND_GOALS 2U
#define MAX_QUERIES  16U

/* ---- which duty ---- */

static haft_str instructions_of(const haft__request *request)
{
    const haft__messages *messages = request->messages;
    bool any = messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM;
    return any ? messages->items[0].text : HAFT__LIT("");
}

static const struct {
    haft__offline_duty duty;
    const char *words; /* in the instructions */
} duties[] = {
    {HAFT__OFFLINE_DUTY_SPLIT, "sub-queries"},
    {HAFT__OFFLINE_DUTY_NEXT, "next phase"},
    {HAFT__OFFLINE_DUTY_PLAN, "phases"},
    {HAFT__OFFLINE_DUTY_MERGE, "findings"},
};

haft__offline_duty haft__offline_duty_of(const haft__request *request)
{
    haft_str instructions = instructions_of(request);
    for (size_t i = 0; request->tool_count == 0 && i < COUNT(duties); i++) {
        haft_str words = haft__str(duties[i].words);
        for (size_t at = 0; at + words.len <= instructions.len; at++) {
            haft_str part = {instructions.ptr + at, words.len};
            if (haft__str_equal_ignore_case(part, words)) {
                return duties[i].duty;
            }
        }
    }
    return HAFT__OFFLINE_DUTY_NONE;
}

/* ---- reading a task ---- */

haft_str haft__offline_duty_field(haft_str task, const char *name, bool to_end)
{
    haft_str key = haft__str(name);
    for (haft_str rest = task; rest.len > 0;) {
        haft_str at = rest;
        haft_str line = haft__str_split(&rest, '\n');
        if (haft__str_starts_with(line, key)) {
            haft_str value = to_end ? at : line;
            return haft__str_trim(haft__str_skip(value, key.len));
        }
    }
    return HAFT__LIT("");
}

/* The question or goal: the field, or the first line. */
static haft_str subject_of(haft_str task, const char *name)
{
    haft_str subject = haft__offline_duty_field(task, name, false);
    haft_str rest = haft__str_trim(task);
    return subject.len > 0 ? subject : haft__str_trim(haft__str_split(&rest, '\n'));
}

static haft__json read_json(const haft__offline *o, haft_str text)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = HAFT__OFFLINE_KEY;
    haft__json value = haft__json_null();
    haft_status status = haft__json_read(o->arena, text, &options, &value, NULL, NULL);
    return status == HAFT_OK ? value : haft__json_null();
}

/* The number after the field; `fallback` without one. At most MAX_QUERIES, at least 1. */
static size_t number_of(haft_str task, const char *name, size_t fallback)
{
    uint64_t number = 0;
    bool good = haft__str_to_u64(haft__offline_duty_field(task, name, false), &number);
    number = good && number > 0 ? number : fallback;
    return number < MAX_QUERIES ? (size_t)number : MAX_QUERIES;
}

/* ---- splitting a question ---- */

static void write_query(haft__json_writer *w, haft_str text, haft__offline_angle angle)
{
    haft__json_begin_object(w);
    haft__field_text(w, "text", text);
    haft__field_string(w, "angle", haft__offline_angle_name(angle));
    haft__json_end_object(w);
}

static void write_queries(haft__json_writer *w, const haft__offline *o)
{
    haft_str question = subject_of(o->history.task, "Question:");
    size_t count = number_of(o->history.task, "At most:", HAFT__OFFLINE_ANGLES - 1);
    haft__offline_question kind = haft__offline_question_of(question);
    count = count < HAFT__OFFLINE_ANGLES ? count : HAFT__OFFLINE_ANGLES;
    haft__json_begin_object(w);
    haft__json_key(w, "queries");
    haft__json_begin_array(w);
    for (size_t i = 0; i < count && question.len > 0; i++) {
        write_query(w, question, haft__offline_angle_nth(kind, i));
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

/* ---- a plan ---- */

static void write_phase(haft__json_writer *w, const char *name, haft_str goal, size_t from,
                        size_t count)
{
    haft__offline_question kind = haft__offline_question_of(goal);
    haft__json_begin_object(w);
    haft__field_string(w, "name", name);
    haft__field_string(w, "worker", "searcher");
    haft__json_key(w, "goals");
    haft__json_begin_array(w);
    for (size_t i = from; i < from + count; i++) {
        const char *angle = haft__offline_angle_name(haft__offline_angle_nth(kind, i));
        haft__buf text;
        haft__buf_init(&text, HAFT__LIMIT_REPLY_BYTES);
        haft__buf_addf(&text, "%.*s (angle: %s)", HAFT__ARG(goal), angle);
        haft__json_add_str(w, haft__buf_str(&text));
        w->buf->status = text.status != HAFT_OK ? text.status : w->buf->status;
        haft__buf_finish(&text);
    }
    haft__json_end_array(w);
    haft__field_string(w, "done", "each goal has a reference, or a search that found nothing");
    haft__json_end_object(w);
}

static void write_plan(haft__json_writer *w, const haft__offline *o)
{
    haft_str goal = subject_of(o->history.task, "Goal:");
    haft__json_begin_object(w);
    haft__json_key(w, "phases");
    haft__json_begin_array(w);
    if (goal.len > 0) {
        write_phase(w, "survey", goal, 0, FIRST_GOALS);
        write_phase(w, "detail", goal, FIRST_GOALS, SECOND_GOALS);
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

/* ---- the next phase ---- */

static bool is_done(haft__json done, haft_str name)
{
    for (uint32_t i = 0; done.kind == HAFT__JSON_ARRAY && i < done.count; i++) {
        if (haft__str_equal(haft__json_text(done.items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* The plan stays as it is: rules cannot judge results. */
static void write_next(haft__json_writer *w, const haft__offline *o)
{
    haft__json plan = read_json(o, haft__offline_duty_field(o->history.task, "Plan:", false));
    haft__json done = read_json(o, haft__offline_duty_field(o->history.task, "Done:", false));
    haft__json phases = haft__object_array(plan, "phases");
    uint32_t at = 0;
    while (at < phases.count && is_done(done, haft__object_string(phases.items[at], "name"))) {
        at++;
    }
    haft__json_begin_object(w);
    haft__json_key(w, "plan");
    haft__json_add(w, plan);
    haft__json_key(w, "next");
    haft__json_add(w, at < phases.count ? phases.items[at] : haft__json_null());
    haft__field_flag(w, "finished", at >= phases.count);
    haft__field_string(w, "reason",
                       at < phases.count ? "the first phase that is not done; rules keep a plan"
                                         : "all phases are done");
    haft__json_end_object(w);
}

/* ---- all of them ---- */

void haft__offline_write_duty(haft__buf *buf, const haft__offline *o)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    switch (haft__offline_duty_of(o->request)) {
    case HAFT__OFFLINE_DUTY_NONE: return;
    case HAFT__OFFLINE_DUTY_SPLIT: write_queries(&w, o); return;
    case HAFT__OFFLINE_DUTY_PLAN: write_plan(&w, o); return;
    case HAFT__OFFLINE_DUTY_NEXT: write_next(&w, o); return;
    case HAFT__OFFLINE_DUTY_MERGE: haft__offline_write_merged(buf, o); return;
    }
    HAFT__UNREACHABLE();
}
