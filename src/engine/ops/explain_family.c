/* SPDX-License-Identifier: Apache-2.0 */
/* explain_family.c - see explain_family.h. Tests: tests/cli/families_test.py. */
#include "engine/ops/explain_family.h"

#include "base/str.h"
#include "json/object.h"

static void add_size(haft__json_writer *w, haft_str billions)
{
    haft__json size = haft__json_string(billions);
    size.kind = HAFT__JSON_NUMBER;
    haft__json_add(w, size);
}

static void add_defaults(haft__json_writer *w, const haft__spec *spec)
{
    const haft__model_spec *model = &spec->model;
    haft__json_key(w, "taken");
    haft__json_begin_object(w);
    if (model->family.gave_format) {
        haft__field_text(w, "format", model->family.format);
    }
    if (model->family.gave_native) {
        haft__field_flag(w, "native_tools", model->native_tools);
    }
    if (model->family.gave_context) {
        haft__field_number(w, "context_tokens", model->context_tokens);
    }
    if (model->family.gave_size) {
        haft__json_key(w, "size_b");
        add_size(w, model->size_b);
    }
    if (model->family.gave_opened) {
        haft__field_flag(w, "starts_in_reasoning", true);
    }
    if (model->family.reasoning_open != NULL) {
        haft__field_text(w, "thinks_behind", haft__str(model->family.reasoning_open));
    }
    haft__json_end_object(w);
}

void haft__explain_family_write(haft__json_writer *w, const haft__spec *spec)
{
    const haft__model_family *family = &spec->model.family;
    haft__json_key(w, "size_in_name");
    if (family->size_in_name) {
        add_size(w, spec->model.size_b);
    } else {
        haft__json_add_null(w);
    }
    if (family->name.len == 0) {
        return;
    }
    haft__json_key(w, "family");
    haft__json_begin_object(w);
    haft__field_text(w, "name", family->name);
    haft__field_text(w, "found_by", family->found_by);
    haft__field_text(w, "pattern", family->pattern);
    add_defaults(w, spec);
    haft__json_end_object(w);
}
