/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c - the reducers of channels. Tests: tests/channel/value_test.c. */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "channel/value_int.h"
#include "json/number.h"
#include "json/object.h"

/* ---- checking writes ---- */

static bool is_list(haft__channel_reducer reducer)
{
    return reducer == HAFT__REDUCE_APPEND || reducer == HAFT__REDUCE_UNION
           || reducer == HAFT__REDUCE_MESSAGES;
}

static bool all_objects(haft__json value)
{
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        if (value.items[i].kind != HAFT__JSON_OBJECT) {
            return false;
        }
    }
    return value.kind == HAFT__JSON_ARRAY || value.kind == HAFT__JSON_OBJECT;
}

/* The type that the reducer requires; NULL if the value has it. */
static const char *required_type(haft__channel_reducer reducer, haft__json value)
{
    switch (reducer) {
    case HAFT__REDUCE_ADD: return value.kind == HAFT__JSON_NUMBER ? NULL : "a number";
    case HAFT__REDUCE_MERGE: return value.kind == HAFT__JSON_OBJECT ? NULL : "an object";
    case HAFT__REDUCE_MESSAGES: return all_objects(value) ? NULL : "a message or an array of them";
    case HAFT__REDUCE_MIN:
    case HAFT__REDUCE_MAX:
        return value.kind == HAFT__JSON_NUMBER || value.kind == HAFT__JSON_STRING
                   ? NULL
                   : "a number or a string";
    case HAFT__REDUCE_REPLACE:
    case HAFT__REDUCE_LAST:
    case HAFT__REDUCE_APPEND:
    case HAFT__REDUCE_UNION:
    case HAFT__REDUCE_CUSTOM: return NULL;
    }
    return NULL;
}

bool haft__channel_is_change(const haft__channel *channel, haft__json change)
{
    switch (channel->reducer) {
    case HAFT__REDUCE_APPEND:
    case HAFT__REDUCE_UNION: return change.kind == HAFT__JSON_ARRAY;
    case HAFT__REDUCE_MERGE: return change.kind == HAFT__JSON_OBJECT;
    case HAFT__REDUCE_MESSAGES: return change.kind == HAFT__JSON_ARRAY && all_objects(change);
    case HAFT__REDUCE_REPLACE:
    case HAFT__REDUCE_LAST:
    case HAFT__REDUCE_ADD:
    case HAFT__REDUCE_MIN:
    case HAFT__REDUCE_MAX:
    case HAFT__REDUCE_CUSTOM: return true;
    }
    return true;
}

haft_status haft__channel_check_write(const haft__channel *channel, haft__checker *checker,
                                      haft__json value, bool overwrite, haft__arena *arena,
                                      bool *ret_valid, haft_str *ret_why, haft_error *err)
{
    const char *required = overwrite ? NULL : required_type(channel->reducer, value);
    haft__schema_report report = {.valid = true};
    *ret_valid = true;
    *ret_why = (haft_str){NULL, 0};
    if (haft__channel_is_deeper(value, HAFT__LIMIT_GRAPH_DEPTH)) {
        return haft__fail(err, HAFT_TOO_BIG, "",
                          "channel '%.*s': the value nests more than %d levels deep",
                          HAFT__ARG(channel->name), HAFT__LIMIT_GRAPH_DEPTH);
    }
    /* The schema describes the value of the channel, not the updates that a function of the program
     * reduces. */
    bool update = channel->reducer == HAFT__REDUCE_CUSTOM && !overwrite;
    if (required == NULL && (channel->schema == NULL || update)) {
        return HAFT_OK;
    }
    if (required == NULL) {
        /* For the same reason, a single item is checked as a list. */
        haft__json whole = is_list(channel->reducer) && value.kind != HAFT__JSON_ARRAY
                               ? haft__json_array(&value, 1)
                               : value;
        haft_status status =
            haft__schema_check(channel->schema, checker, whole, arena, &report, err);
        if (status != HAFT_OK || report.valid) {
            return status;
        }
    }
    *ret_valid = false;
    haft_str reason = required != NULL ? (haft_str){NULL, 0} : report.errors[0].message;
    *ret_why = required != NULL ? haft__arena_format(arena, "channel '%.*s': expected %s, found %s",
                                                     HAFT__ARG(channel->name), required,
                                                     haft__json_kind_name(value))
                                : haft__arena_format(arena, "channel '%.*s': %.*s",
                                                     HAFT__ARG(channel->name), HAFT__ARG(reason));
    return ret_why->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

haft_status haft__channel_check_value(const haft__channel *channel, haft__checker *checker,
                                      haft__json value, haft__arena *arena, bool *ret_valid,
                                      haft_str *ret_why, haft_error *err)
{
    if (!is_list(channel->reducer) || value.kind == HAFT__JSON_ARRAY) {
        return haft__channel_check_write(channel, checker, value, false, arena, ret_valid, ret_why,
                                         err);
    }
    *ret_valid = false;
    *ret_why = haft__arena_format(arena, "channel '%.*s': expected a list, found %s",
                                  HAFT__ARG(channel->name), haft__json_kind_name(value));
    return ret_why->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* ---- lists ---- */

typedef struct item_list {
    haft__arena *arena;
    haft__json *items;
    size_t count, capacity;
    bool out_of_memory;
} item_list;

static void add_item(item_list *list, haft__json item)
{
    haft__json *items = haft__vec_reserve_in(list->arena, list->items, list->count, &list->capacity,
                                             list->count + 1, sizeof(*items));
    if (items == NULL) {
        list->out_of_memory = true;
        return;
    }
    list->items = items;
    list->items[list->count++] = item;
}

static bool has_item(haft__json list, haft__json item)
{
    for (uint32_t i = 0; list.kind == HAFT__JSON_ARRAY && i < list.count; i++) {
        bool same = false;
        if (haft__json_equal(list.items[i], item, &same, NULL) == HAFT_OK && same) {
            return true;
        }
    }
    return false;
}

/* Collects the items to add to a list: for a union, only items that the list does not have. */
static haft_status collect_items(const haft__channel_reduction *r, bool distinct,
                                 haft__json *ret_items, haft_error *err)
{
    item_list list = {.arena = r->arena};
    for (size_t w = 0; w < r->count; w++) {
        const haft__json *written = &r->writes[w].value;
        bool many = written->kind == HAFT__JSON_ARRAY;
        for (uint32_t i = 0; i < (many ? written->count : 1); i++) {
            haft__json item = many ? written->items[i] : *written;
            bool known = distinct
                         && (has_item(haft__json_array(list.items, list.count), item)
                             || (r->current->present && has_item(r->current->value, item)));
            if (!known) {
                add_item(&list, item);
            }
        }
    }
    *ret_items = haft__json_array(list.items, list.count);
    return list.out_of_memory ? haft__arena_fail(r->arena, err) : HAFT_OK;
}

/* ---- messages ---- */

static haft_str message_id(haft__json message)
{
    return haft__object_string(message, "id");
}

static bool is_removal(haft__json message)
{
    return haft__object_flag(message, "remove", false);
}

/* Adds a message. A message without an id gets an id from the step and its position in the step. */
static haft_status add_message(const haft__channel_reduction *r, item_list *list,
                               haft__json message, haft_error *err)
{
    if (haft__object_find(message, "id") == NULL) {
        haft__json_member *members =
            haft__arena_array(r->arena, message.count + 1, sizeof(*members));
        haft_str id = haft__arena_format(r->arena, HAFT__CHANNEL_MADE_ID "%llu-%zu",
                                         (unsigned long long)r->step, list->count);
        if (members == NULL || id.ptr == NULL) {
            return haft__arena_fail(r->arena, err);
        }
        if (message.count > 0) {
            memcpy(members, message.members, message.count * sizeof(*members));
        }
        members[message.count] = (haft__json_member){.key = haft__json_string(HAFT__LIT("id")),
                                                     .value = haft__json_string(id)};
        message = haft__json_object(members, message.count + 1);
    }
    add_item(list, message);
    return list->out_of_memory ? haft__arena_fail(r->arena, err) : HAFT_OK;
}

/* Whether a removal is followed, in the same write, by a message with its id. Then it is omitted:
 * the message replaces the old one in place. */
static bool is_superseded(haft__json written, uint32_t at)
{
    haft__json message = written.items[at];
    for (uint32_t i = at + 1; is_removal(message) && i < written.count; i++) {
        if (!is_removal(written.items[i])
            && haft__str_equal(message_id(written.items[i]), message_id(message))) {
            return true;
        }
    }
    return false;
}

static haft_status collect_messages(const haft__channel_reduction *r, haft__json *ret_items,
                                    haft_error *err)
{
    item_list list = {.arena = r->arena};
    haft_status status = HAFT_OK;
    for (size_t w = 0; w < r->count && status == HAFT_OK; w++) {
        const haft__json *given = &r->writes[w].value;
        haft__json written = given->kind == HAFT__JSON_ARRAY ? *given : haft__json_array(given, 1);
        for (uint32_t i = 0; i < written.count && status == HAFT_OK; i++) {
            if (!is_superseded(written, i)) {
                status = add_message(r, &list, written.items[i], err);
            }
        }
    }
    *ret_items = haft__json_array(list.items, list.count);
    return status;
}

static size_t find_message(const item_list *list, haft_str id)
{
    size_t at = 0;
    while (at < list->count && !haft__str_equal(message_id(list->items[at]), id)) {
        at++;
    }
    return at;
}

static void remove_message(item_list *list, size_t at)
{
    memmove(&list->items[at], &list->items[at + 1], (list->count - at - 1) * sizeof(*list->items));
    list->count--;
}

/* Merges messages by id: a message with a known id replaces the old message in place; a message
 * with a new id is appended. `remove` removes a message; the id __remove_all__ removes all earlier
 * messages. */
static haft_status merge_messages(haft__json current, haft__json change, haft__arena *arena,
                                  haft__json *ret_value, haft_error *err)
{
    item_list list = {.arena = arena};
    for (uint32_t i = 0; i < current.count; i++) {
        add_item(&list, current.items[i]);
    }
    for (uint32_t i = 0; i < change.count && !list.out_of_memory; i++) {
        haft__json message = change.items[i];
        size_t at = find_message(&list, message_id(message));
        if (is_removal(message)
            && haft__str_equal(message_id(message), HAFT__LIT("__remove_all__"))) {
            list.count = 0;
        } else if (is_removal(message)) {
            if (at < list.count) {
                remove_message(&list, at);
            }
        } else if (at < list.count) {
            list.items[at] = message;
        } else {
            add_item(&list, message);
        }
    }
    *ret_value = haft__json_array(list.items, list.count);
    return list.out_of_memory ? haft__arena_fail(arena, err) : HAFT_OK;
}

/* ---- objects ---- */

/* Merges members: a later member replaces an earlier member in place; new members are appended. */
static haft_status merge_objects(haft__json current, haft__json change, haft__arena *arena,
                                 haft__json *ret_value, haft_error *err)
{
    size_t count = current.count;
    haft__json_member *members =
        haft__arena_array(arena, (size_t)current.count + change.count + 1, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (current.count > 0) {
        memcpy(members, current.members, current.count * sizeof(*members));
    }
    for (uint32_t i = 0; i < change.count; i++) {
        haft_str key = haft__json_text(change.members[i].key);
        size_t at = 0;
        while (at < count && !haft__str_equal(haft__json_text(members[at].key), key)) {
            at++;
        }
        members[at] = change.members[i];
        count += at == count;
    }
    *ret_value = haft__json_object(members, count);
    return HAFT_OK;
}

/* ---- numbers ---- */

haft_status haft__channel_add_numbers(haft__json a, haft__json b, haft__arena *arena,
                                      haft__json *ret_sum, haft_error *err)
{
    int64_t left, right, sum;
    if (haft__number_to_int64(haft__json_text(a), &left)
        && haft__number_to_int64(haft__json_text(b), &right)
        && !__builtin_add_overflow(left, right, &sum)) {
        *ret_sum = haft__json_int(arena, sum);
        return ret_sum->kind == HAFT__JSON_NUMBER ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf buf;
    haft__buf_init(&buf, 64);
    haft__number_add_double(&buf, haft__number_to_double(haft__json_text(a))
                                      + haft__number_to_double(haft__json_text(b)));
    haft_str text = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    if (text.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    /* A sum that is not a finite number is null. */
    *ret_sum = haft__str_equal(text, HAFT__LIT("null"))
                   ? haft__json_null()
                   : (haft__json){.kind = HAFT__JSON_NUMBER,
                                  .integer = memchr(text.ptr, '.', text.len) == NULL
                                             && memchr(text.ptr, 'e', text.len) == NULL,
                                  .count = (uint32_t)text.len,
                                  .text = text.ptr};
    return HAFT_OK;
}

static haft_status add_all(const haft__channel_reduction *r, haft__json *ret_sum, haft_error *err)
{
    bool numeric = r->current->present && r->current->value.kind == HAFT__JSON_NUMBER;
    haft__json sum = numeric ? r->current->value : r->writes[0].value;
    for (size_t w = numeric ? 0 : 1; w < r->count; w++) {
        haft_status status =
            haft__channel_add_numbers(sum, r->writes[w].value, r->arena, &sum, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    *ret_sum = sum;
    return HAFT_OK;
}

/* Numbers are less than texts, so that the result does not depend on the order of writers. */
static int compare(haft__json a, haft__json b)
{
    if (a.kind != b.kind) {
        return a.kind == HAFT__JSON_NUMBER ? -1 : 1;
    }
    return a.kind == HAFT__JSON_NUMBER
               ? haft__number_compare(haft__json_text(a), haft__json_text(b))
               : haft__str_compare(haft__json_text(a), haft__json_text(b));
}

static haft__json extreme(const haft__channel_reduction *r, int sign)
{
    haft__json best = r->current->present ? r->current->value : r->writes[0].value;
    for (size_t w = 0; w < r->count; w++) {
        best = compare(r->writes[w].value, best) * sign > 0 ? r->writes[w].value : best;
    }
    return best;
}

/* ---- a step ---- */

static bool two_writers(const haft__channel_reduction *r)
{
    for (size_t w = 1; w < r->count; w++) {
        if (r->writes[w].task != r->writes[0].task) {
            return true;
        }
    }
    return false;
}

/* Reduces a channel with `lifetime: step`. Its old value is ignored. */
static haft_status reduce_step(const haft__channel_reduction *r, haft__channel_delta *ret_delta,
                               bool *ret_conflict, haft_error *err)
{
    *ret_delta =
        (haft__channel_delta){.changed = r->count > 0, .dropped = r->count == 0, .replaced = true};
    *ret_conflict = r->channel->reducer == HAFT__REDUCE_REPLACE && two_writers(r);
    if (r->count == 0 || *ret_conflict) {
        return HAFT_OK;
    }
    ret_delta->value = r->custom != NULL ? *r->custom : r->writes[r->count - 1].value;
    return is_list(r->channel->reducer) ? collect_items(r, false, &ret_delta->value, err) : HAFT_OK;
}

static const haft__channel_write *find_overwrite(const haft__channel_reduction *r,
                                                 bool *ret_conflict)
{
    const haft__channel_write *found = NULL;
    for (size_t w = 0; w < r->count; w++) {
        if (r->writes[w].overwrite) {
            *ret_conflict = found != NULL;
            found = &r->writes[w];
        }
    }
    return found;
}

static haft_status merge_all(const haft__channel_reduction *r, haft__json *ret_value,
                             haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__json merged = haft__json_object(NULL, 0);
    for (size_t w = 0; w < r->count && status == HAFT_OK; w++) {
        status = merge_objects(merged, r->writes[w].value, r->arena, &merged, err);
    }
    *ret_value = merged;
    return status;
}

haft_status haft__channel_reduce(const haft__channel_reduction *r, haft__channel_delta *ret_delta,
                                 bool *ret_conflict, haft_error *err)
{
    *ret_delta = (haft__channel_delta){.changed = r->count > 0};
    *ret_conflict = false;
    if (r->channel->lifetime == HAFT__LIFETIME_STEP) {
        return reduce_step(r, ret_delta, ret_conflict, err);
    }
    if (r->count == 0) {
        return HAFT_OK;
    }
    const haft__channel_write *overwrite = find_overwrite(r, ret_conflict);
    ret_delta->replaced = overwrite != NULL;
    if (overwrite != NULL) {
        ret_delta->value = overwrite->value;
        return HAFT_OK;
    }
    switch (r->channel->reducer) {
    case HAFT__REDUCE_APPEND: return collect_items(r, false, &ret_delta->value, err);
    case HAFT__REDUCE_UNION: return collect_items(r, true, &ret_delta->value, err);
    case HAFT__REDUCE_MESSAGES: return collect_messages(r, &ret_delta->value, err);
    case HAFT__REDUCE_MERGE: return merge_all(r, &ret_delta->value, err);
    case HAFT__REDUCE_ADD: ret_delta->replaced = true; return add_all(r, &ret_delta->value, err);
    case HAFT__REDUCE_MIN: ret_delta->value = extreme(r, -1); break;
    case HAFT__REDUCE_MAX: ret_delta->value = extreme(r, 1); break;
    case HAFT__REDUCE_REPLACE:
        *ret_conflict = two_writers(r);
        ret_delta->value = r->writes[r->count - 1].value;
        break;
    case HAFT__REDUCE_LAST: ret_delta->value = r->writes[r->count - 1].value; break;
    case HAFT__REDUCE_CUSTOM:
        ret_delta->value = r->custom != NULL ? *r->custom : r->writes[r->count - 1].value;
        break;
    }
    ret_delta->replaced = true;
    return HAFT_OK;
}

haft_status haft__channel_combine(const haft__channel *channel, haft__json current,
                                  haft__json change, haft__arena *arena, haft__json *ret_value,
                                  haft_error *err)
{
    switch (channel->reducer) {
    case HAFT__REDUCE_MERGE:
        if (current.kind == HAFT__JSON_OBJECT) {
            return merge_objects(current, change, arena, ret_value, err);
        }
        break;
    case HAFT__REDUCE_MESSAGES:
        if (current.kind == HAFT__JSON_ARRAY) {
            return merge_messages(current, change, arena, ret_value, err);
        }
        break;
    case HAFT__REDUCE_APPEND:
    case HAFT__REDUCE_UNION:
        if (current.kind == HAFT__JSON_ARRAY) {
            item_list list = {.arena = arena};
            for (uint32_t i = 0; i < current.count; i++) {
                add_item(&list, current.items[i]);
            }
            for (uint32_t i = 0; i < change.count; i++) {
                add_item(&list, change.items[i]);
            }
            *ret_value = haft__json_array(list.items, list.count);
            return list.out_of_memory ? haft__arena_fail(arena, err) : HAFT_OK;
        }
        break;
    case HAFT__REDUCE_REPLACE:
    case HAFT__REDUCE_LAST:
    case HAFT__REDUCE_ADD:
    case HAFT__REDUCE_MIN:
    case HAFT__REDUCE_MAX:
    case HAFT__REDUCE_CUSTOM: break;
    }
    *ret_value = change;
    return HAFT_OK;
}
