/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - see history.h. Tests: tests/model/history_test.c. */
#include "prompt/history.h"

#include "base/str.h"

/* The number of results from `first` on. */
static size_t count_results(const haft__messages *messages, size_t first)
{
    size_t end = first;
    while (end < messages->count && messages->items[end].role == HAFT__MESSAGE_TOOL) {
        end++;
    }
    return end - first;
}

static size_t count_calls(const haft__message *message)
{
    return message->role == HAFT__MESSAGE_ASSISTANT ? message->call_count : 0;
}

bool haft__history_is_valid(const haft__messages *messages)
{
    bool valid = true;
    for (size_t i = 0; valid && i < messages->count;) {
        const haft__message *turn = &messages->items[i++];
        size_t calls = count_calls(turn);
        valid = turn->role != HAFT__MESSAGE_TOOL && count_results(messages, i) == calls;
        for (size_t k = 0; valid && k < calls; k++) {
            valid = haft__str_equal(messages->items[i + k].call_id, turn->calls[k].id);
        }
        i += calls;
    }
    return valid;
}

static const haft__message *find_result(const haft__message *results, size_t count, haft_str id)
{
    size_t i = 0;
    while (i < count && !haft__str_equal(results[i].call_id, id)) {
        i++;
    }
    return i < count ? &results[i] : NULL;
}

static bool has_call(const haft__message *turn, haft_str id)
{
    bool found = false;
    for (size_t i = 0; turn != NULL && i < turn->call_count && !found; i++) {
        found = haft__str_equal(turn->calls[i].id, id);
    }
    return found;
}

/* Adds the results of the calls of a turn (which may be NULL), and then the results of other
 * calls. */
static haft_status add_results(const haft__message *turn, const haft__message *results,
                               size_t count, haft__messages *to, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; turn != NULL && i < turn->call_count && status == HAFT_OK; i++) {
        const haft__message *found = find_result(results, count, turn->calls[i].id);
        haft__message none = {.role = HAFT__MESSAGE_TOOL,
                              .text = HAFT__LIT(HAFT__HISTORY_NO_RESULT),
                              .call_id = turn->calls[i].id,
                              .call_name = turn->calls[i].name,
                              .is_error = true};
        status = haft__messages_add(to, found != NULL ? *found : none, err);
    }
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        if (!has_call(turn, results[i].call_id)) {
            haft__message text = {.role = HAFT__MESSAGE_USER, .text = results[i].text};
            status = haft__messages_add(to, text, err);
        }
    }
    return status;
}

haft_status haft__history_repair(const haft__messages *messages, haft__arena *arena,
                                 haft__messages *ret_messages, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__messages_init(ret_messages, arena);
    for (size_t i = 0; status == HAFT_OK && i < messages->count;) {
        const haft__message *turn = &messages->items[i];
        bool is_result = turn->role == HAFT__MESSAGE_TOOL;
        if (!is_result) {
            status = haft__messages_add(ret_messages, *turn, err);
            i++;
        }
        size_t results = count_results(messages, i);
        bool calls = !is_result && count_calls(turn) > 0;
        if (status == HAFT_OK && (results > 0 || calls)) {
            status =
                add_results(calls ? turn : NULL, &messages->items[i], results, ret_messages, err);
        }
        i += results;
    }
    return status;
}
