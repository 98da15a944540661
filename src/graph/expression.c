/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - templates, pointers and lists of operations and edges. Tests:
 * tests/graph/program_test.c. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "graph/program.h"
#include "json/canonical.h"
#include "json/number.h"
#include "json/object.h"
#include "json/pointer.h"

/* Appends a text unchanged, any other value as canonical JSON. */
static haft_status add_value(haft__buf *buf, haft__json value, haft_error *err)
{
    if (value.kind == HAFT__JSON_STRING) {
        haft__buf_add_str(buf, haft__json_text(value));
        return HAFT_OK;
    }
    return haft__json_write_canonical(buf, value, err);
}

/* Appends the value at a pointer. If the pointer to a list is followed by a slash and an asterisk,
 * appends its items, with an empty line between two items. */
static haft_status add_pointer(haft__buf *buf, haft__json view, haft_str pointer, haft_error *err)
{
    haft_str items = HAFT__LIT("/*");
    const haft__json *found = haft__pointer_get(&view, pointer), *list = NULL;
    haft_status status = HAFT_OK;
    if (haft__str_ends_with(pointer, items)) {
        list = haft__pointer_get(&view, (haft_str){pointer.ptr, pointer.len - items.len});
    }
    if (list == NULL || list->kind != HAFT__JSON_ARRAY) {
        return add_value(buf, found != NULL ? *found : haft__json_null(), err);
    }
    for (uint32_t i = 0; i < list->count && status == HAFT_OK; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT("\n\n") : HAFT__LIT(""));
        status = add_value(buf, list->items[i], err);
    }
    return status;
}

haft_status haft__graph_template(haft__arena *arena, haft_str text, haft__json view,
                                 haft_str *ret_text, haft_error *err)
{
    haft__buf buf;
    haft_status status = HAFT_OK;
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    while (text.len > 0 && status == HAFT_OK) {
        const char *open = memchr(text.ptr, '{', text.len);
        size_t before = open != NULL ? (size_t)(open - text.ptr) : text.len;
        haft__buf_add(&buf, text.ptr, before);
        text = haft__str_skip(text, before);
        const char *close =
            text.len > 1 && text.ptr[1] == '/' ? memchr(text.ptr, '}', text.len) : NULL;
        if (close != NULL) {
            haft_str pointer = {text.ptr + 1, (size_t)(close - text.ptr) - 1};
            status = add_pointer(&buf, view, pointer, err);
            text = haft__str_skip(text, pointer.len + 2);
        } else if (text.len > 0) {
            haft__buf_add_char(&buf, '{');
            text = haft__str_skip(text, 1);
        }
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&buf, err);
    }
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(&buf));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&buf);
    return status;
}

haft_status haft__graph_set_member(haft__arena *arena, haft__json object, haft_str key,
                                   haft__json value, haft__json *ret_object, haft_error *err)
{
    uint32_t count = object.kind == HAFT__JSON_OBJECT ? object.count : 0, at = 0;
    haft__json_member *members = haft__arena_array(arena, count + 1, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (count > 0) {
        memcpy(members, object.members, count * sizeof(*members));
    }
    while (at < count && !haft__str_equal(haft__json_text(members[at].key), key)) {
        at++;
    }
    members[at] = (haft__json_member){.key = haft__json_string(key), .value = value};
    *ret_object = haft__json_object(members, at == count ? count + 1 : count);
    return HAFT_OK;
}

/* ---- outputs ---- */

haft_status haft__graph_output_write(haft__graph_output *output, haft__arena *arena,
                                     haft__channel_write write, haft_error *err)
{
    haft__channel_write *writes =
        haft__vec_reserve_in(arena, output->writes, output->write_count, &output->write_capacity,
                             output->write_count + 1, sizeof(*writes));
    if (writes == NULL) {
        return haft__arena_fail(arena, err);
    }
    output->writes = writes;
    writes[output->write_count++] = write;
    return HAFT_OK;
}

haft_status haft__graph_output_goto(haft__graph_output *output, haft__arena *arena,
                                    haft__graph_node_id node, haft_error *err)
{
    haft__graph_node_id *gotos =
        haft__vec_reserve_in(arena, output->gotos, output->goto_count, &output->goto_capacity,
                             output->goto_count + 1, sizeof(*gotos));
    if (gotos == NULL) {
        return haft__arena_fail(arena, err);
    }
    output->gotos = gotos;
    gotos[output->goto_count++] = node;
    return HAFT_OK;
}

haft_status haft__graph_output_send(haft__graph_output *output, haft__arena *arena,
                                    haft__graph_send send, haft_error *err)
{
    haft__graph_send *sends =
        haft__vec_reserve_in(arena, output->sends, output->send_count, &output->send_capacity,
                             output->send_count + 1, sizeof(*sends));
    if (sends == NULL) {
        return haft__arena_fail(arena, err);
    }
    output->sends = sends;
    sends[output->send_count++] = send;
    return HAFT_OK;
}

/* The number of items of the list that get a worker. */
static uint32_t count_workers(const haft__graph_map *map, const haft__json *list, haft__json view)
{
    const haft__json *first = map->first.len > 0 ? haft__pointer_get(&view, map->first) : NULL;
    int64_t number = 0;
    bool bounded = first != NULL && first->kind == HAFT__JSON_NUMBER
                   && haft__number_to_int64(haft__json_text(*first), &number);
    number = number > 0 ? number : 0;
    return bounded && (uint64_t)number < list->count ? (uint32_t)number : list->count;
}

haft_status haft__graph_spread(haft__arena *arena, const haft__graph_map *map, haft__json view,
                               haft__graph_output *output, haft_str *ret_why, haft_error *err)
{
    const haft__json *list = haft__pointer_get(&view, map->over);
    haft__json shared = haft__json_object(NULL, 0);
    haft_status status = HAFT_OK;
    *ret_why = (haft_str){NULL, 0};
    bool other =
        list != NULL && (list->kind == HAFT__JSON_STRING || list->kind == HAFT__JSON_OBJECT);
    if (list == NULL || (!other && list->kind != HAFT__JSON_ARRAY)) {
        return HAFT_OK; /* no list: no workers */
    }
    if (other || (map->max > 0 && list->count > map->max)) {
        *ret_why = other ? haft__arena_format(arena, "expected a list at %.*s, found %s",
                                              HAFT__ARG(map->over), haft__json_kind_name(*list))
                         : haft__arena_format(arena, "the list at %.*s has more than %u items",
                                              HAFT__ARG(map->over), map->max);
        return ret_why->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    for (uint32_t i = 0; i < map->with.count && status == HAFT_OK; i++) {
        haft_str name = haft__json_text(map->with.items[i]);
        const haft__json *value = haft__json_get(view, name);
        if (value != NULL) {
            status = haft__graph_set_member(arena, shared, name, *value, &shared, err);
        }
    }
    uint32_t count = count_workers(map, list, view);
    for (uint32_t i = 0; i < count && status == HAFT_OK; i++) {
        haft__graph_send send = {.to = map->to};
        status =
            haft__graph_set_member(arena, shared, map->as, list->items[i], &send.argument, err);
        if (status == HAFT_OK) {
            status = haft__graph_output_send(output, arena, send, err);
        }
    }
    return status;
}

/* Applies one entry of `out` to a result: a pointer, or an object of pointers. */
static haft_status map_result(haft__arena *arena, haft__json source, haft__json result,
                              haft__json *ret_value, haft_error *err)
{
    const haft__json *found;
    *ret_value = haft__json_null();
    if (source.kind == HAFT__JSON_STRING) {
        found = haft__pointer_get(&result, haft__json_text(source));
        *ret_value = found != NULL ? *found : haft__json_null();
        return HAFT_OK;
    }
    haft__json object = haft__json_object(NULL, 0);
    for (uint32_t i = 0; source.kind == HAFT__JSON_OBJECT && i < source.count; i++) {
        found = haft__pointer_get(&result, haft__json_text(source.members[i].value));
        haft_status status =
            haft__graph_set_member(arena, object, haft__json_text(source.members[i].key),
                                   found != NULL ? *found : haft__json_null(), &object, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    *ret_value = object;
    return HAFT_OK;
}

haft_status haft__graph_output_map(haft__graph_output *output, haft__arena *arena,
                                   const haft__graph *graph, haft__json out, haft__json result,
                                   haft_error *err)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; out.kind == HAFT__JSON_OBJECT && i < out.count && status == HAFT_OK; i++) {
        haft__channel_write write = {0};
        if (haft__graph_find_channel(graph, haft__json_text(out.members[i].key), &write.channel)) {
            status = map_result(arena, out.members[i].value, result, &write.value, err);
            if (status == HAFT_OK) {
                status = haft__graph_output_write(output, arena, write, err);
            }
        }
    }
    return status;
}
