/* SPDX-License-Identifier: Apache-2.0 */
/* resource.c - see otlp/resource.h. The field numbers are those of opentelemetry-proto:
 * common/v1/common.proto and resource/v1/resource.proto. Tests: tests/telemetry/otlp_test.c. */
#include "telemetry/otlp/resource.h"

#include "base/str.h"

/* AnyValue */
static void add_value(haft__otlp_writer *w, const haft__attribute *value)
{
    switch (value->kind) {
    case HAFT__ATTRIBUTE_UNSET: return;
    case HAFT__ATTRIBUTE_TEXT: haft__otlp_add_text(w, 1, "stringValue", value->text); return;
    case HAFT__ATTRIBUTE_FLAG: haft__otlp_add_bool(w, 2, "boolValue", value->number != 0); return;
    case HAFT__ATTRIBUTE_INT: haft__otlp_add_number(w, 3, "intValue", value->number); return;
    case HAFT__ATTRIBUTE_MICROS: haft__otlp_add_micros(w, 4, "doubleValue", value->number); return;
    case HAFT__ATTRIBUTE_LIST:
        haft__otlp_begin_message(w, 5, "arrayValue");
        haft__otlp_begin_list(w, "values");
        haft__otlp_begin_item(w, 1);
        haft__otlp_add_text(w, 1, "stringValue", value->text);
        haft__otlp_end_item(w);
        haft__otlp_end_list(w);
        haft__otlp_end_message(w);
        return;
    }
}

void haft__otlp_add_attribute(haft__otlp_writer *w, uint32_t field, haft_str key,
                              const haft__attribute *value)
{
    haft__otlp_begin_item(w, field);
    haft__otlp_add_text(w, 1, "key", key);
    haft__otlp_begin_message(w, 2, "value");
    add_value(w, value);
    haft__otlp_end_message(w);
    haft__otlp_end_item(w);
}

void haft__otlp_add_resource(haft__otlp_writer *w, const haft__resource *resource)
{
    haft__otlp_begin_message(w, 1, "resource");
    haft__otlp_begin_list(w, "attributes");
    for (size_t i = 0; i < resource->count; i++) {
        haft__attribute value = {HAFT__ATTRIBUTE_TEXT, resource->attributes[i].value, 0};
        haft__otlp_add_attribute(w, 1, resource->attributes[i].key, &value);
    }
    haft__otlp_end_list(w);
    haft__otlp_end_message(w);
}

void haft__otlp_add_scope(haft__otlp_writer *w, const haft__resource *resource)
{
    haft__otlp_begin_message(w, 1, "scope");
    haft__otlp_add_text(w, 1, "name", HAFT__LIT("haft"));
    haft__otlp_add_text(w, 2, "version", resource->version);
    haft__otlp_end_message(w);
}
