/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.c - see schema/lookup.h. Tests: tests/schema/lookup_test.c. */
#include "schema/lookup.h"

#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"
#include "json/pointer.h"

bool haft__schema_type_accepts(haft__json type, haft__json kind)
{
    for (uint32_t i = 0; type.kind == HAFT__JSON_ARRAY && i < type.count; i++) {
        if (haft__schema_type_accepts(type.items[i], kind)) {
            return true;
        }
    }
    haft_str name = haft__json_text(type);
    return type.kind == HAFT__JSON_STRING
           && (haft__str_equal(name, haft__str(haft__json_kind_name(kind)))
               || (kind.kind == HAFT__JSON_NUMBER && haft__str_equal(name, HAFT__LIT("integer"))));
}

bool haft__schema_has_other_keywords(haft__json schema)
{
    static const char *const keys[] = {
        "$ref", "$dynamicRef",       "allOf",           "anyOf", "oneOf", "not",
        "if",   "patternProperties", "dependentSchemas"};
    bool found = schema.kind != HAFT__JSON_OBJECT;
    for (size_t i = 0; i < COUNT(keys) && !found; i++) {
        found = haft__json_get(schema, haft__str(keys[i])) != NULL;
    }
    return found;
}

static haft__schema_lookup_result step_into_object(haft__json schema, haft_str token,
                                                   haft__json *ret_schema)
{
    const haft__json *properties = haft__json_get(schema, HAFT__LIT("properties"));
    bool named = properties != NULL && properties->kind == HAFT__JSON_OBJECT;
    const haft__json *found = named ? haft__pointer_member(*properties, token) : NULL;
    haft__json others = haft__object_get(schema, "additionalProperties");
    if (found != NULL) {
        *ret_schema = *found;
        return HAFT__LOOKUP_KNOWN;
    }
    bool closed = others.kind == HAFT__JSON_FALSE || (others.kind == HAFT__JSON_NULL && named);
    return closed ? HAFT__LOOKUP_IMPOSSIBLE : HAFT__LOOKUP_UNRESTRICTED;
}

static haft__schema_lookup_result step_into_list(haft__json schema, haft_str token,
                                                 haft__json *ret_schema)
{
    haft__json items = haft__object_get(schema, "items");
    haft__json first = haft__object_get(schema, "prefixItems");
    uint64_t index;
    if (!haft__str_to_u64(token, &index)) {
        return HAFT__LOOKUP_IMPOSSIBLE;
    }
    const haft__json *own =
        first.kind == HAFT__JSON_ARRAY ? haft__pointer_item(first, token) : NULL;
    *ret_schema = own != NULL ? *own : items;
    return ret_schema->kind == HAFT__JSON_OBJECT ? HAFT__LOOKUP_KNOWN : HAFT__LOOKUP_UNRESTRICTED;
}

static haft__schema_lookup_result step(haft__json schema, haft_str token, haft__json *ret_schema)
{
    haft__json type = haft__object_get(schema, "type");
    if (haft__schema_has_other_keywords(schema) || type.kind == HAFT__JSON_NULL) {
        return HAFT__LOOKUP_UNRESTRICTED;
    }
    if (haft__schema_type_accepts(type, haft__json_object(NULL, 0))) {
        return step_into_object(schema, token, ret_schema);
    }
    return haft__schema_type_accepts(type, haft__json_array(NULL, 0))
               ? step_into_list(schema, token, ret_schema)
               : HAFT__LOOKUP_IMPOSSIBLE;
}

haft__schema_lookup_result haft__schema_lookup(haft__json schema, haft_str at, haft_str *ret_until,
                                               haft__json *ret_schema)
{
    haft_str rest = at, token;
    haft__schema_lookup_result found = HAFT__LOOKUP_KNOWN;
    *ret_schema = schema;
    *ret_until = (haft_str){at.ptr, 0};
    while (found == HAFT__LOOKUP_KNOWN && haft__pointer_next(&rest, &token)) {
        found = step(*ret_schema, token, ret_schema);
        ret_until->len = found == HAFT__LOOKUP_KNOWN ? at.len - rest.len : ret_until->len;
    }
    return found == HAFT__LOOKUP_KNOWN && haft__schema_has_other_keywords(*ret_schema)
               ? HAFT__LOOKUP_UNRESTRICTED
               : found;
}
