/* SPDX-License-Identifier: Apache-2.0 */
/* question.c - see run/pause/question.h. Tests: tests/run/pause/question_test.c. */
#include "run/pause/question.h"

#include "base/error.h"
#include "base/str.h"
#include "json/number.h"

static haft__json argument(const haft__run_call *call, const char *key)
{
    const haft__json *value = haft__json_get(call->arguments, haft__str(key));
    return value != NULL ? *value : haft__json_null();
}

/* Whether the text equals one of the choices. */
static bool is_choice(haft__json choices, haft_str text)
{
    for (uint32_t i = 0; i < choices.count; i++) {
        if (haft__str_equal(haft__json_text(choices.items[i]), text)) {
            return true;
        }
    }
    return false;
}

static haft_status choose(haft__json choices, haft__json value, haft__json *ret_answer,
                          haft_error *err)
{
    haft_str text = haft__json_text(value);
    int64_t number = 0;
    if (is_choice(choices, text)) {
        *ret_answer = haft__json_string(text);
        return HAFT_OK;
    }
    if (haft__number_to_int64(text, &number) && number >= 1 && number <= choices.count) {
        *ret_answer = choices.items[number - 1];
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "there is no choice %.*s: expected 1 to %u, or a text",
                   HAFT__ARG(text), choices.count);
    return haft__hint(err, status, "to give a number as a text, quote it: '\"%.*s\"'",
                      HAFT__ARG(text));
}

/* Chooses for a graph: because a graph branches on the answer, the answer must be one of the
 * choices, or the number of a choice. */
static haft_status choose_value(haft__json choices, haft__json value, haft__json *ret_answer,
                                haft_error *err)
{
    int64_t number = 0;
    for (uint32_t i = 0; i < choices.count; i++) {
        bool same = false;
        haft_status status = haft__json_equal(choices.items[i], value, &same, err);
        if (status != HAFT_OK || same) {
            return status;
        }
    }
    if (value.kind == HAFT__JSON_NUMBER && haft__number_to_int64(haft__json_text(value), &number)
        && number >= 1 && number <= choices.count) {
        *ret_answer = choices.items[number - 1];
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                    "the answer is not one of the %u choices", choices.count);
    return haft__hint(err, status, "answer with a choice, or with its number: 1 to %u",
                      choices.count);
}

/* A replay computes these messages again for an answer of on_expire. */
haft_status haft__question_answer(const haft__run_call *call, haft__json value,
                                  haft__json *ret_answer, haft_error *err)
{
    haft__json choices = argument(call, "choices"), default_answer = argument(call, "default");
    bool is_empty = value.kind == HAFT__JSON_NULL
                    || (value.kind == HAFT__JSON_STRING && haft__json_text(value).len == 0);
    *ret_answer = value;
    if (is_empty && default_answer.kind == HAFT__JSON_STRING) {
        *ret_answer = default_answer;
        return HAFT_OK;
    }
    if (is_empty && call->node == NULL) { /* a graph may accept any value */
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "the question of %.*s needs an answer, and has no default",
                          HAFT__ARG(call->id));
    }
    bool choice = choices.kind == HAFT__JSON_ARRAY && choices.count > 0;
    if (choice && call->node != NULL) {
        return choose_value(choices, value, ret_answer, err);
    }
    return choice && value.kind == HAFT__JSON_NUMBER ? choose(choices, value, ret_answer, err)
                                                     : HAFT_OK;
}
