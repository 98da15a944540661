/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - the initial state of a run, and small queries. Tests: tests/run/run_test.c. */
#include "run/run.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "prompt/observation.h"
#include "run/context/context_size.h"
#include "tool/builtin.h"
#include "json/canonical.h"

const char *haft__end_name(haft__end end)
{
    static const char *const names[] = {
#define X(name, text) text,
        HAFT__ENDS(X)
#undef X
    };
    return names[end];
}

haft_status haft__run_init(haft__run *run, haft__arena *arena, const haft__spec *spec,
                           haft__hash_key hash_key, haft_error *err)
{
    *run = (haft__run){.arena = arena,
                       .spec = spec,
                       .first_spec = spec,
                       .agent = HAFT__LIT(""),
                       .handoff_call = HAFT__LIT(""),
                       .tools = &spec->tools,
                       .hash_key = hash_key};
    haft__messages_init(&run->messages, arena);
    haft__map_init(&run->results, arena, hash_key);
    run->allowed = haft__arena_array(arena, spec->tools.count, sizeof(*run->allowed));
    run->past = haft__arena_array(arena, spec->tools.count, sizeof(*run->past));
    if (run->allowed == NULL || run->past == NULL) {
        return haft__arena_fail(arena, err);
    }
    return HAFT_OK;
}

void haft__run_set_earlier(haft__run *run, const haft__messages *earlier)
{
    run->earlier = earlier;
}

haft_status haft__run_insert_earlier(haft__run *run, haft_error *err)
{
    haft__messages *messages = &run->messages;
    if (haft__run_is_graph(run)) {
        return HAFT_OK; /* the run has no conversation */
    }
    size_t own = run->initial_count, first = messages->count - own;
    haft__message *initial = haft__arena_array(messages->arena, own, sizeof(*initial));
    if (initial == NULL) {
        return haft__arena_fail(messages->arena, err);
    }
    memcpy(initial, messages->items + first, own * sizeof(*initial));
    messages->count = first;
    haft_status status = HAFT_OK;
    haft__context_restart_history(run);
    for (size_t i = 0; status == HAFT_OK && i < run->earlier->count; i++) {
        status = haft__messages_add(messages, run->earlier->items[i], err);
    }
    for (size_t i = 0; status == HAFT_OK && i < own; i++) {
        status = haft__messages_add(messages, initial[i], err);
    }
    return status;
}

haft_status haft__run_append_exchange(haft_str task, haft_str answer, haft_str end,
                                      haft__messages *to, haft_error *err)
{
    bool cancelled = haft__str_equal(end, haft__str(haft__end_name(HAFT__END_CANCELLED)));
    answer = answer.len == 0 && cancelled ? HAFT__LIT("[interrupted before the answer]") : answer;
    haft__message asked = {.role = HAFT__MESSAGE_USER, .text = task};
    haft__message answered = {.role = HAFT__MESSAGE_ASSISTANT, .text = answer};
    haft_status status = haft__messages_add(to, asked, err);
    return status == HAFT_OK && answer.len > 0 ? haft__messages_add(to, answered, err) : status;
}

/* Writes the digits of a number so that they end at position `end` of `to`. Returns the position of
 * the first digit. */
static size_t put_digits(char *to, size_t end, uint64_t number)
{
    do {
        to[--end] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

haft_str haft__run_call_id(char to[HAFT__CALL_ID_SIZE], uint32_t turn, uint64_t number)
{
    size_t at = put_digits(to, HAFT__CALL_ID_SIZE, number); /* 20 and 10 digits at most */
    to[--at] = '.';
    at = put_digits(to, at, turn);
    to[at - 1] = 'c';
    return (haft_str){to + at - 1, HAFT__CALL_ID_SIZE - (at - 1)};
}

bool haft__call_waits_for_nested(const haft__run *run, const haft__run_call *call)
{
    size_t index = (size_t)(call - run->calls);
    for (size_t i = run->batch; call->nested > 0 && i < run->call_count; i++) {
        const haft__run_call *nested = &run->calls[i];
        bool over = nested->stage == HAFT__CALL_FINISHED || nested->stage == HAFT__CALL_REFUSED;
        if (nested->parent.len > 0 && nested->parent_index == index && !over) {
            return call->stage == HAFT__CALL_STARTED;
        }
    }
    return false;
}

bool haft__run_batch_done(const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__call_stage stage = run->calls[i].stage;
        if (stage != HAFT__CALL_FINISHED && stage != HAFT__CALL_REFUSED) {
            return false;
        }
    }
    return true;
}

uint32_t haft__run_observation_chars(const haft__run *run, const haft__run_call *call)
{
    bool page = call->tool != NULL && call->tool->source == HAFT__TOOL_BUILTIN
                && haft__str_equal(call->tool->name, HAFT__LIT(HAFT__READ_RESULT));
    bool skill = call->tool != NULL && call->tool->source == HAFT__TOOL_SKILL;
    uint32_t chars = run->spec->limits.observation_chars;
    if (skill && chars < HAFT__LIMIT_SKILL_CHARS) {
        chars = HAFT__LIMIT_SKILL_CHARS; /* its instructions must be whole */
    }
    return chars + (page ? HAFT__OBSERVATION_LINE_CHARS : 0);
}

/* The search begins with the newest call, because the caller most likely means that call. */
const haft__run_call *haft__run_find_call(const haft__run *run, haft_str id)
{
    for (size_t i = run->call_count; i-- > 0;) {
        if (haft__str_equal(run->calls[i].id, id)
            || haft__str_equal(run->calls[i].model_call, id)) {
            return &run->calls[i];
        }
    }
    return NULL;
}

size_t haft__run_tool_index(const haft__run *run, const haft__tool *tool)
{
    /* The registry returns pointers to items of one list. Its map finds tools by name and has no
     * indices. */
    for (size_t i = 0; i < run->tools->count; i++) {
        if (run->tools->items[i] == tool) {
            return i;
        }
    }
    return run->tools->count;
}

uint64_t haft__run_hash(haft_str text)
{
    return haft__hash((haft__hash_key){0x68616674, 0x72756e}, text);
}

haft_status haft__run_call_key(haft__buf *buf, haft_str tool, haft__json arguments, haft_error *err)
{
    haft__buf_add_str(buf, tool);
    haft__buf_add_char(buf, '\n');
    haft_status status = haft__json_write_canonical(buf, arguments, err);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}

#define DOLLAR          1000000000000U /* in cost parts */
#define FRACTION_DIGITS 12

void haft__run_add_cost(haft__buf *buf, const haft__run *run)
{
    haft__cost_write(buf, run->cost_parts);
}

void haft__cost_write(haft__buf *buf, uint64_t cost_parts)
{
    char fraction[16];
    int length =
        snprintf(fraction, sizeof(fraction), "%012llu", (unsigned long long)(cost_parts % DOLLAR));
    while (length > 1 && fraction[length - 1] == '0') {
        length--;
    }
    haft__buf_addf(buf, "%llu.%.*s", (unsigned long long)(cost_parts / DOLLAR), length, fraction);
}

bool haft__cost_read(haft_str text, uint64_t *ret_cost_parts)
{
    haft_str fraction = text, whole = haft__str_split(&fraction, '.');
    uint64_t dollars = 0, parts = 0;
    if (whole.len == 0 || !haft__str_to_u64(whole, &dollars) || fraction.len > FRACTION_DIGITS
        || (fraction.len > 0 && !haft__str_to_u64(fraction, &parts))
        || dollars > UINT64_MAX / DOLLAR - 1) {
        return false;
    }
    for (size_t i = fraction.len; i < FRACTION_DIGITS; i++) {
        parts *= 10;
    }
    *ret_cost_parts = dollars * DOLLAR + parts;
    return true;
}
