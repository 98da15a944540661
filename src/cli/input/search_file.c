/* SPDX-License-Identifier: Apache-2.0 */
/* search_file.c - see search_file.h. Tests: tests/cli/search_test.py. */
#include "cli/input/search_file.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/input/line_reader.h"
#include "json/read.h"

static haft_status read_text(haft__json object, const char *key, haft_str *ret_text,
                             haft_error *err)
{
    const haft__json *found = haft__json_get(object, haft__str(key));
    *ret_text = (haft_str){NULL, 0};
    if (found == NULL || found->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (found->kind != HAFT__JSON_STRING) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a string for \"%s\", found %s", key,
                          haft__json_kind_name(*found));
    }
    *ret_text = haft__json_text(*found);
    return HAFT_OK;
}

/* Converts an item of "params", a name or an object with a name, to a member of "properties". */
static haft_status read_param(haft__json param, haft__json_member *ret_member, haft_error *err)
{
    const haft__json *name = haft__json_get(param, HAFT__LIT("name"));
    haft__json key = name != NULL ? *name : param;
    if (key.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(key, "", "a name or an object with \"name\" in \"params\"",
                                    err);
    }
    *ret_member = (haft__json_member){.key = key, .value = param};
    return HAFT_OK;
}

/* Converts the list "params" to a schema with a property for each parameter. */
static haft_status read_params(haft__arena *arena, haft__json list, haft__json *ret_schema,
                               haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, list.count + 1, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < list.count && status == HAFT_OK; i++) {
        status = read_param(list.items[i], &members[i + 1], err);
    }
    if (status == HAFT_OK) {
        members[0] = (haft__json_member){haft__json_string(HAFT__LIT("properties")),
                                         haft__json_object(members + 1, list.count)};
        *ret_schema = haft__json_object(members, 1);
    }
    return status;
}

static haft_status read_schema(haft__arena *arena, haft__json object, haft__json *ret_schema,
                               haft_error *err)
{
    static const char *const keys[] = {"input_schema", "inputSchema", "parameters", "params"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const haft__json *found = haft__json_get(object, haft__str(keys[i]));
        if (found == NULL || found->kind == HAFT__JSON_NULL) {
            continue;
        }
        if (found->kind == HAFT__JSON_ARRAY) {
            return read_params(arena, *found, ret_schema, err);
        }
        if (found->kind != HAFT__JSON_OBJECT) {
            return haft__fail(err, HAFT_BAD_INPUT, "",
                              "expected an object or an array for \"%s\", found %s", keys[i],
                              haft__json_kind_name(*found));
        }
        *ret_schema = *found;
        return HAFT_OK;
    }
    return HAFT_OK;
}

static haft_status read_id(haft__arena *arena, haft__search_doc *doc, haft_error *err)
{
    if (doc->name.len == 0) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "expected a string for \"name\", found none");
        return haft__hint(err, status,
                          "a line is {\"id\", \"name\", \"server\", \"description\", "
                          "\"input_schema\"}");
    }
    if (doc->id.len > 0) {
        return HAFT_OK;
    }
    doc->id = doc->name;
    if (doc->group.len > 0) {
        doc->id =
            haft__arena_format(arena, "%.*s:%.*s", HAFT__ARG(doc->group), HAFT__ARG(doc->name));
    }
    return doc->id.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status make_room(haft__search_docs *docs, haft_error *err)
{
    haft__search_doc *items = haft__vec_reserve_in(
        docs->arena, docs->items, docs->count, &docs->capacity, docs->count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__arena_fail(docs->arena, err);
    }
    docs->items = items;
    return HAFT_OK;
}

static haft_status copy_doc(haft__search_docs *docs, const haft__search_doc *doc, haft_error *err)
{
    haft_status status = make_room(docs, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__search_doc *kept = &docs->items[docs->count];
    haft__json *schema = haft__arena_alloc(docs->arena, sizeof(*schema));
    *kept = (haft__search_doc){.id = haft__arena_copy(docs->arena, doc->id),
                               .name = haft__arena_copy(docs->arena, doc->name),
                               .group = haft__arena_copy(docs->arena, doc->group),
                               .text = haft__arena_copy(docs->arena, doc->text),
                               .schema = schema};
    if (schema == NULL || kept->id.ptr == NULL || kept->name.ptr == NULL || kept->group.ptr == NULL
        || kept->text.ptr == NULL) {
        return haft__arena_fail(docs->arena, err);
    }
    docs->count++;
    return haft__json_copy_deep(docs->arena, *doc->schema, schema, err);
}

static haft_status add_line(haft_str line, haft__hash_key hash_key, haft__arena *arena,
                            haft__search_index *search, haft__search_docs *docs, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    haft__json object, schema = haft__json_null();
    haft__search_doc doc = {.schema = &schema};
    haft_status status = haft__json_read(arena, line, &options, &object, NULL, err);
    if (status == HAFT_OK && object.kind != HAFT__JSON_OBJECT) {
        status = haft__json_fail_type(object, "", "an object", err);
    }
    const struct {
        const char *key;
        haft_str *text;
    } texts[] = {
        {"id", &doc.id}, {"name", &doc.name}, {"server", &doc.group}, {"description", &doc.text}};
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        status = read_text(object, texts[i].key, texts[i].text, err);
    }
    if (status == HAFT_OK) {
        status = read_id(arena, &doc, err);
    }
    if (status == HAFT_OK) {
        status = read_schema(arena, object, &schema, err);
    }
    status = status == HAFT_OK ? haft__search_add(search, &doc, err) : status;
    return status == HAFT_OK && docs != NULL ? copy_doc(docs, &doc, err) : status;
}

static haft_status add_lines(haft__line_reader *lines, haft__hash_key hash_key,
                             haft__arena *scratch, haft__search_index *search,
                             haft__search_docs *docs, haft__search_duplicates *again,
                             haft_error *err)
{
    bool more = true;
    while (more) {
        haft_str line = {NULL, 0};
        haft_status status = haft__line_reader_next(lines, &line, &more, err);
        if (status != HAFT_OK) {
            return status;
        }
        if (!more || haft__str_trim(line).len == 0) {
            continue;
        }
        haft__arena_reset(scratch);
        size_t before = haft__search_count(search);
        status = add_line(line, hash_key, scratch, search, docs, err);
        if (status != HAFT_OK) {
            char place[256];
            (void)snprintf(place, sizeof(place), "%s:%zu", lines->name, lines->number);
            err->where[0] = '\0'; /* print only the line: a column could be mistaken for it */
            haft__error_prepend_location(err, place);
            return status;
        }
        if (haft__search_count(search) == before) {
            again->first = again->count++ > 0 ? again->first : lines->number;
        }
    }
    return HAFT_OK;
}

haft_status haft__search_file_read(const char *path, haft__hash_key hash_key, haft__arena *scratch,
                                   haft__search_index *search, haft__search_docs *docs,
                                   haft__search_duplicates *ret_duplicates, haft_error *err)
{
    haft__line_reader lines;
    *ret_duplicates = (haft__search_duplicates){0};
    haft_status status = haft__line_reader_open(&lines, path, HAFT__LIMIT_JSON_BYTES, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = add_lines(&lines, hash_key, scratch, search, docs, ret_duplicates, err);
    haft__line_reader_close(&lines);
    return status;
}
