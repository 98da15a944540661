/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_choice.c - reads the choice policy and the formats; both have several notations. Tests:
 * tests/spec/load/build_choice_test.c.
 */
#include "base/ascii.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "format/format.h"
#include "spec/load/build_int.h"
#include "json/object.h"

/* ---- wishes ---- */

static const struct {
    const char *word;
    haft__tool_choice wish;
} words[] = {
    {"auto", {.mode = HAFT__MODE_AUTO}},
    {"any", {.mode = HAFT__MODE_ANY}},
    {"required", {.mode = HAFT__MODE_ANY}},
    {"none", {.mode = HAFT__MODE_NONE}},
    {"gate", {.mode = HAFT__MODE_AUTO, .fall_through = true}},
};

static bool is_word(haft_str text, haft__tool_choice *ret_wish)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_equal(text, haft__str(words[i].word))) {
            *ret_wish = words[i].wish;
            return true;
        }
    }
    return false;
}

static haft__tool_choice refuse_object(haft__loader *l, haft_str pointer, const char *why)
{
    haft__spec_problem *problem = haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "%s", why);
    haft__loader_hint(l, problem, "write auto, required, none, or {tool: NAME}");
    return (haft__tool_choice){.mode = HAFT__MODE_AUTO};
}

/* Reads {tool: x}, {type: auto}, {type: tool, name: x} or {type: function, function: {name: x}}. If
 * an object has several names, they must be equal. */
static haft__tool_choice read_object(haft__loader *l, haft__json object, haft_str pointer)
{
    const haft_str names[] = {
        haft__object_string(object, "tool"),
        haft__object_string(object, "name"),
        haft__object_string(haft__object_object(object, "function"), "name"),
    };
    haft__tool_choice wish = {.mode = HAFT__MODE_TOOL};
    haft_str name = HAFT__LIT("");
    for (size_t i = 0; i < COUNT(names); i++) {
        if (name.len > 0 && names[i].len > 0 && !haft__str_equal(name, names[i])) {
            return refuse_object(l, pointer, "the choice names two tools");
        }
        name = names[i].len > 0 ? names[i] : name;
    }
    if (is_word(haft__object_string(object, "type"), &wish)) {
        return name.len == 0 ? wish
                             : refuse_object(l, pointer, "the choice names both a mode and a tool");
    }
    if (name.len == 0) {
        return refuse_object(l, pointer, "the choice names neither a mode nor a tool");
    }
    wish.tool = name;
    return wish;
}

static haft__tool_choice read_wish(haft__loader *l, haft__json value, haft_str pointer)
{
    haft__tool_choice wish = {.mode = HAFT__MODE_AUTO};
    if (value.kind == HAFT__JSON_OBJECT) {
        return read_object(l, value, pointer);
    }
    haft_str text = haft__json_text(value);
    if (value.kind == HAFT__JSON_STRING && !is_word(text, &wish)) {
        wish = (haft__tool_choice){.mode = HAFT__MODE_TOOL, .tool = text};
    }
    return wish;
}

static void build_schedule(haft__loader *l, haft__json source)
{
    haft__tool_choice *schedule = haft__loader_alloc(l, source.count, sizeof(*schedule));
    if (schedule == NULL) {
        return;
    }
    for (uint32_t i = 0; i < source.count; i++) {
        schedule[i] =
            read_wish(l, source.items[i], haft__loader_pointer(l, "/choice/schedule/%u", i));
    }
    l->spec->choice.schedule = schedule;
    l->spec->choice.schedule_count = source.count;
}

/* Reads the default. Rejects `gate`, because the default already applies only after the gate. */
static void build_default(haft__loader *l, haft__json source)
{
    haft_str pointer = HAFT__LIT("/choice/default");
    haft__tool_choice wish = read_wish(l, source, pointer);
    if (wish.fall_through) {
        haft__spec_problem *problem = haft__loader_error(
            l, pointer, HAFT__SUBJECT_VALUE, "found gate, expected auto, required, none or a tool");
        haft__loader_hint(l, problem, "gate is allowed in choice.schedule only");
        wish = (haft__tool_choice){.mode = HAFT__MODE_AUTO};
    }
    l->spec->choice.default_choice = wish;
}

/* ---- formats ---- */

static bool same_word(haft_str a, const char *b)
{
    if (b == NULL || a.len != strlen(b)) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        char lower = haft__ascii_lower(a.ptr[i]);
        if (lower != b[i]) {
            return false;
        }
    }
    return true;
}

#define NATIVE "native" /* the only format that is not text */

/* The canonical name of a format; "" if it is unknown. */
static haft_str find_format(haft_str name)
{
    static const struct {
        const char *also, *name;
    } others[] = {{"json", "purejson"}, {"code", "codemode"}, {NATIVE, NATIVE}};
    for (size_t i = 0; i < COUNT(others); i++) {
        if (same_word(name, others[i].also)) {
            return haft__str(others[i].name);
        }
    }
    const haft__format *format = haft__format_find(name);
    return format != NULL ? haft__str(format->name) : HAFT__LIT("");
}

/* Like find_format; reports a problem if the format is unknown. */
static haft_str read_format(haft__loader *l, haft_str name, haft_str pointer)
{
    haft_str known = find_format(name);
    if (known.len > 0) {
        return known;
    }
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    haft__suggestion_offer(&near, HAFT__LIT(NATIVE));
    for (size_t i = 0; i < count; i++) {
        haft__suggestion_offer(&near, haft__str(formats[i]->name));
    }
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE, "there is no format \"%.*s\"", HAFT__ARG(name));
    if (near.best.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(near.best));
    }
    return HAFT__LIT("");
}

static bool has_format(const haft_str *list, size_t count, haft_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(list[i], name)) {
            return true;
        }
    }
    return false;
}

/* Adds formats after the preferred format, each once. */
static void add_formats(haft__loader *l, haft__json names, haft_str outer, haft_str *list)
{
    for (uint32_t i = 0; i < names.count; i++) {
        if (names.items[i].kind != HAFT__JSON_STRING) {
            continue;
        }
        haft_str pointer = haft__loader_pointer(l, "%.*s/%u", HAFT__ARG(outer), i);
        haft_str name = read_format(l, haft__json_text(names.items[i]), pointer);
        if (name.len > 0 && !has_format(list, l->spec->format_count, name)) {
            list[l->spec->format_count++] = name;
        }
    }
}

static void check_primary(haft__loader *l, haft__json enabled, haft_str primary)
{
    for (uint32_t i = 0; i < enabled.count; i++) {
        if (haft__str_equal(find_format(haft__json_text(enabled.items[i])), primary)) {
            return;
        }
    }
    haft__spec_problem *problem =
        haft__loader_error(l, HAFT__LIT("/formats/primary"), HAFT__SUBJECT_VALUE,
                           "the primary format %.*s is not enabled", HAFT__ARG(primary));
    haft__loader_hint(l, problem, "add it to formats.enabled");
}

/* Adds the default formats: native calls, if the model supports them at its server; else the text
 * format of the model's family. */
static void add_default_formats(haft__loader *l, haft_str *list)
{
    haft__model_spec *model = &l->spec->model;
    haft_str json = HAFT__LIT("purejson"), text = model->family.format;
    bool known = text.len > 0;
    model->family.gave_format = known && !model->native_tools;
    if (!model->family.gave_format) {
        list[l->spec->format_count++] = HAFT__LIT(NATIVE);
    }
    list[l->spec->format_count++] = known ? text : json;
    if (model->family.gave_format && !haft__str_equal(text, json)) {
        list[l->spec->format_count++] = json;
    }
}

static void build_formats(haft__loader *l)
{
    haft__json source = haft__object_get(l->source, "formats");
    bool list = source.kind == HAFT__JSON_ARRAY;
    haft__json enabled = list ? source : haft__object_array(source, "enabled");
    haft_str primary = haft__object_string(source, "primary");
    haft_str *names = haft__loader_alloc(l, enabled.count + 2, sizeof(*names));
    if (names == NULL) {
        return;
    }
    l->spec->formats = names;
    if (primary.len > 0) {
        primary = read_format(l, primary, HAFT__LIT("/formats/primary"));
    }
    if (primary.len > 0) {
        names[l->spec->format_count++] = primary;
        if (enabled.count > 0) {
            check_primary(l, enabled, primary);
        }
    }
    add_formats(l, enabled, list ? HAFT__LIT("/formats") : HAFT__LIT("/formats/enabled"), names);
    if (l->spec->format_count == 0) {
        add_default_formats(l, names);
    }
}

void haft__loader_build_choice(haft__loader *l)
{
    haft__json source = haft__object_object(l->source, "choice");
    haft__choice_spec *choice = &l->spec->choice;
    bool set = haft__object_get(source, "min_tools_for_auto").kind == HAFT__JSON_NUMBER;
    choice->gate = l->spec->kind == HAFT__SPEC_WORKFLOW || set;
    choice->min_tools_for_auto = (uint32_t)haft__object_number(source, "min_tools_for_auto", 5);
    choice->schedule_overrides_gate =
        haft__object_get(source, "schedule_overrides_gate").kind == HAFT__JSON_TRUE;
    choice->evidence_first = haft__object_flag(source, "evidence_first", false);
    choice->cost_budget = (uint32_t)haft__object_number(source, "cost_budget", 40);
    build_schedule(l, haft__object_array(source, "schedule"));
    build_default(l, haft__object_get(source, "default"));
    build_formats(l);
}
