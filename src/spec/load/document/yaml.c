/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml.c - feeds the events of libfyaml to the builder.
 *
 * libfyaml's own documents are not used: they resolve aliases by copying, and their nodes have less
 * precise locations. libfyaml owns its memory and frees it when the parser ends; scalars are copied
 * into the arena. Its messages are collected, never printed. Tests:
 * tests/spec/load/document/yaml_test.c. Fuzzer: fuzz/spec.c.
 */
#include "spec/load/document/yaml.h"

#include <string.h>

#include <libfyaml.h>

#include "base/str.h"
#include "base/utf8.h"
#include "spec/load/document/scalar.h"

#define CORE "tag:yaml.org,2002:"

typedef struct reader {
    haft__spec_builder *tree;
    haft_str text;
    struct fy_parser *parser;
    struct fy_diag *diag;
    size_t base; /* offset of the YAML in the text of the tree */
    unsigned documents;
    size_t last_at; /* offset of the last event that had a location */
} reader;

static haft_str text_of(struct fy_token *token)
{
    haft_str text = {NULL, 0};
    if (token != NULL) {
        text.ptr = fy_token_get_text(token, &text.len);
    }
    return text;
}

/* ---- errors of libfyaml ---- */

/* Suppresses all output: errors are collected instead. */
static void discard_output(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag;
    (void)user;
    (void)text;
    (void)length;
}

#define UNCLOSED                                                                                   \
    "is the closing quote missing? Otherwise indent the lines in quotes more than their key"

/* Hints for messages of libfyaml that are hard to understand, by a word in them. */
static const struct {
    const char *word, *hint;
} advice[] = {
    {"nested block mapping", "quote text that has \": \" in it"},
    {"multiline plain key",
     "indent all keys of a mapping the same; quote text that has \": \" in it"},
    {"closing quote", "close the quotes"},
    {"closing bracket", "close every [ with ] and every { with }"},
    {"cannot start with", "quote text that starts with one of @ ` % & * ! | > ' \" # [ ] { } ,"},
    {"same line as a mapping key", "start the list on a new line"},
    {"wrongly indented double-quoted", UNCLOSED},
    {"wrongly indented single-quoted", UNCLOSED},
    {"wrongly indented", "indent text inside brackets more than the key before them"},
};

static bool has_word(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* The column of the first tab in the indentation of the line; 0 without a tab. */
static uint32_t find_tab(haft_str line)
{
    size_t at = 0;
    while (at < line.len && line.ptr[at] == ' ') {
        at++;
    }
    return at < line.len && line.ptr[at] == '\t' ? (uint32_t)at + 1 : 0;
}

static void report_syntax(reader *r, const struct fy_diag_error *error)
{
    haft__spec_problems *problems = r->tree->problems;
    uint32_t line = (uint32_t)(error->line > 0 ? error->line : 1);
    uint32_t column = (uint32_t)(error->column > 0 ? error->column : 1);
    uint32_t last, end;
    haft__spec_locate(r->tree->text, r->tree->text.len, &last, &end);
    if (line > last) { /* after the last line, which has no line end */
        line = last;
        column = end;
    }
    haft_str shown = haft__spec_line_text(r->tree->text, line);
    size_t max = haft__utf8_length(shown) + 1; /* libfyaml may count other characters as line
                                                * ends */
    column = column > max ? (uint32_t)max : column;
    uint32_t tab = find_tab(shown);
    if (tab == 0 && line < last) { /* the text may continue in the next line, with a tab */
        haft_str next = haft__spec_line_text(r->tree->text, line + 1);
        tab = haft__str_trim(next).len > 0 ? find_tab(next) : 0;
        line += tab > 0;
    }
    haft__spec_problem *problem =
        tab > 0 ? haft__spec_problem_add(problems, false, "the line is indented with a tab")
                : haft__spec_problem_add(problems, false, "this is not YAML: %s", error->msg);
    if (problem != NULL) {
        problem->line = line;
        problem->column = tab > 0 ? tab : column;
    }
    if (tab > 0) {
        haft__spec_problem_hint(problems, problem, "YAML is indented with spaces only");
        return;
    }
    for (size_t i = 0; i < COUNT(advice); i++) {
        if (has_word(error->msg, advice[i].word)) {
            haft__spec_problem_hint(problems, problem, "%s", advice[i].hint);
            return;
        }
    }
}

/* Reports only the first error, because it causes the later errors. */
static bool fail_syntax(reader *r)
{
    void *at = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(r->diag, &at);
    if (error != NULL && error->msg != NULL) {
        report_syntax(r, error);
    } else { /* libfyaml has no message for some errors */
        (void)haft__spec_builder_problem(r->tree, r->last_at, "this is not YAML from here on");
    }
    return false;
}

/* ---- events ---- */

static size_t place_of(reader *r, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (mark != NULL && mark->input_pos <= r->text.len) {
        r->last_at = r->base + mark->input_pos;
    }
    return r->last_at;
}

/* The offset of a scalar. libfyaml's location of a quoted scalar is after its quote, so the offset
 * is corrected. For an empty scalar, which has no location, and for a block, the offset of the key
 * is used. */
static size_t place_of_scalar(reader *r, struct fy_event *event, enum fy_scalar_style style)
{
    size_t at = place_of(r, event), key = haft__spec_builder_key_offset(r->tree);
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) {
        return at > 0 ? at - 1 : at;
    }
    bool block = style == FYSS_LITERAL || style == FYSS_FOLDED;
    bool none = fy_event_start_mark(event) == NULL;
    return (block || none) && key != SIZE_MAX ? key : at;
}

/* Reads a tag: *ret_name is the name after CORE, or .ptr is NULL without a tag. Reports other tags
 * and returns false. */
static bool core_tag(reader *r, haft_str tag, size_t at, haft_str *ret_name)
{
    static const char *const known[] = {"str", "int", "float", "bool", "null", "map", "seq"};
    *ret_name = (haft_str){NULL, 0};
    if (tag.ptr == NULL) {
        return true;
    }
    if (haft__str_equal(tag, HAFT__LIT("!"))) {
        *ret_name = HAFT__LIT("str");
        return true;
    }
    if (haft__str_starts_with(tag, HAFT__LIT(CORE))) {
        *ret_name = haft__str_skip(tag, strlen(CORE));
        for (size_t i = 0; i < COUNT(known); i++) {
            if (haft__str_equal(*ret_name, haft__str(known[i]))) {
                return true;
            }
        }
    }
    haft__spec_problem *problem = haft__spec_builder_problem(
        r->tree, at, "the tag %.*s is not allowed in a spec", HAFT__ARG(tag));
    haft__spec_problem_hint(r->tree->problems, problem,
                            "leave it out; !!str turns a number into text");
    return false;
}

/* Whether the value has the type of its tag. */
static bool fits_tag(haft__json value, haft_str tag)
{
    static const struct {
        const char *tag;
        haft__json_kind kinds[2];
    } wanted[] = {
        {"int", {HAFT__JSON_NUMBER, HAFT__JSON_NUMBER}},
        {"float", {HAFT__JSON_NUMBER, HAFT__JSON_NUMBER}},
        {"bool", {HAFT__JSON_TRUE, HAFT__JSON_FALSE}},
        {"null", {HAFT__JSON_NULL, HAFT__JSON_NULL}},
    };
    for (size_t i = 0; i < COUNT(wanted); i++) {
        if (haft__str_equal(tag, haft__str(wanted[i].tag))) {
            return value.kind == wanted[i].kinds[0] || value.kind == wanted[i].kinds[1];
        }
    }
    return false;
}

/* Resolves a scalar that might not be a text. Reports an invalid scalar; its value is then null. */
static bool resolve(reader *r, haft_str text, haft_str tag, size_t at, haft__json *ret_value)
{
    haft__spec_problem *problem = NULL;
    *ret_value = haft__json_null();
    switch (haft__scalar_resolve(r->tree->arena, text, ret_value)) {
    case HAFT__SCALAR_OK:
        if (tag.ptr != NULL && !fits_tag(*ret_value, tag)) {
            (void)haft__spec_builder_problem(r->tree, at, "\"%.*s\" is not a !!%.*s",
                                             HAFT__ARG(text), HAFT__ARG(tag));
        }
        return true;
    case HAFT__SCALAR_NOT_FINITE:
        problem = haft__spec_builder_problem(
            r->tree, at, "found %.*s, expected a number that JSON can represent", HAFT__ARG(text));
        haft__spec_problem_hint(r->tree->problems, problem, "quote it if it is text");
        return true;
    case HAFT__SCALAR_TOO_LONG:
        (void)haft__spec_builder_problem(r->tree, at, "the number %.16s... is too long", text.ptr);
        return true;
    case HAFT__SCALAR_NO_MEMORY:
        return haft__spec_builder_fail(r->tree, haft__arena_fail(r->tree->arena, NULL));
    }
    HAFT__UNREACHABLE();
}

/* Adds a scalar as a key. */
static bool add_key(reader *r, haft__json value, haft_str text, bool plain, size_t at)
{
    haft__spec_builder *tree = r->tree;
    bool merge = plain && haft__str_equal(text, HAFT__LIT("<<"));
    if (merge) {
        haft__spec_problem *problem = haft__spec_builder_problem(
            tree, at, "found the merge key <<, which YAML 1.2 does not have");
        haft__spec_problem_hint(tree->problems, problem,
                                "write the keys out, or use an alias for the whole value");
    } else if (value.kind != HAFT__JSON_STRING) {
        haft__spec_problem *problem = haft__spec_builder_problem(
            tree, at, "the key %.*s is %s, expected text", HAFT__ARG(text),
            value.kind == HAFT__JSON_NULL     ? "null"
            : value.kind == HAFT__JSON_NUMBER ? "a number"
                                              : "a boolean");
        haft__spec_problem_hint(tree->problems, problem, "quote it: \"%.*s\"", HAFT__ARG(text));
    }
    return haft__spec_builder_add_key(tree, haft__json_string(text), at, merge);
}

static bool add_scalar(reader *r, struct fy_event *event)
{
    haft__spec_builder *tree = r->tree;
    struct fy_token *token = event->scalar.value;
    enum fy_scalar_style style = fy_token_scalar_style(token);
    bool plain = style == FYSS_PLAIN || style == FYSS_ANY;
    size_t at = place_of_scalar(r, event, style);
    haft_str tag, anchor = text_of(event->scalar.anchor);
    haft_str text = haft__arena_copy(tree->arena, text_of(token));
    if (text.ptr == NULL) {
        return haft__spec_builder_fail(tree, haft__arena_fail(tree->arena, NULL));
    }
    haft__json value = haft__json_string(text);
    bool known = core_tag(r, text_of(event->scalar.tag), at, &tag);
    bool is_text = !known || (tag.ptr == NULL ? !plain : haft__str_equal(tag, HAFT__LIT("str")));
    if (!is_text && !resolve(r, text, tag, at, &value)) {
        return false;
    }
    if (!haft__spec_builder_expects_key(tree)) {
        return haft__spec_builder_add_value(tree, value, at, anchor);
    }
    haft__spec_builder_entry entry = {.value = value, .spot = {.at = (uint32_t)at}, .size = 1};
    return haft__spec_builder_add_anchor(tree, anchor, &entry)
           && add_key(r, value, text, plain, at);
}

static bool add_alias(reader *r, struct fy_event *event)
{
    haft__spec_builder *tree = r->tree;
    haft_str name = text_of(event->alias.anchor);
    size_t at = place_of(r, event);
    at -= at > 0;
    if (!haft__spec_builder_expects_key(tree)) {
        return haft__spec_builder_add_alias(tree, name, at);
    }
    const haft__spec_builder_entry *found = haft__spec_builder_find_anchor(tree, name, at);
    if (found == NULL) {
        return false;
    }
    if (found->value.kind != HAFT__JSON_STRING) {
        (void)haft__spec_builder_problem(tree, at, "the key *%.*s is %s, expected text",
                                         HAFT__ARG(name), haft__json_kind_name(found->value));
        return false;
    }
    return haft__spec_builder_add_key(tree, found->value, at, false);
}

static bool open_container(reader *r, struct fy_event *event, bool object)
{
    struct fy_token *tag = object ? event->mapping_start.tag : event->sequence_start.tag;
    struct fy_token *anchor = object ? event->mapping_start.anchor : event->sequence_start.anchor;
    size_t at = place_of(r, event);
    haft_str name;
    if (haft__spec_builder_expects_key(r->tree)) {
        (void)haft__spec_builder_problem(r->tree, at,
                                         "found %s where a key is expected, which must be text",
                                         object ? "a mapping" : "a list");
        return false;
    }
    if (core_tag(r, text_of(tag), at, &name) && name.ptr != NULL
        && !haft__str_equal(name, object ? HAFT__LIT("map") : HAFT__LIT("seq"))) {
        (void)haft__spec_builder_problem(r->tree, at, "%s is not a !!%.*s",
                                         object ? "a mapping" : "a list", HAFT__ARG(name));
    }
    return haft__spec_builder_open(r->tree, object, at, text_of(anchor));
}

static bool open_document(reader *r, struct fy_event *event)
{
    size_t at = place_of(r, event);
    if (r->documents++ > 0) {
        haft__spec_problem *problem =
            haft__spec_builder_problem(r->tree, at, "found a second document, expected one spec");
        haft__spec_problem_hint(r->tree->problems, problem, "put each spec into its own file");
        return false;
    }
    const struct fy_version *version =
        fy_document_state_version(event->document_start.document_state);
    if (version != NULL && version->major == 1 && version->minor >= 2) {
        return true;
    }
    (void)haft__spec_builder_problem(r->tree, at, "found YAML %d.%d, expected YAML 1.2",
                                     version != NULL ? version->major : 0,
                                     version != NULL ? version->minor : 0);
    return false;
}

static bool add_event(reader *r, struct fy_event *event)
{
    switch (event->type) {
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
    case FYET_DOCUMENT_END: return true;
    case FYET_DOCUMENT_START: return open_document(r, event);
    case FYET_MAPPING_START: return open_container(r, event, true);
    case FYET_SEQUENCE_START: return open_container(r, event, false);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return haft__spec_builder_close(r->tree);
    case FYET_SCALAR: return add_scalar(r, event);
    case FYET_ALIAS: return add_alias(r, event);
    }
    HAFT__UNREACHABLE();
}

static bool read_events(reader *r)
{
    for (;;) {
        struct fy_event *event = fy_parser_parse(r->parser);
        if (event == NULL) {
            return fy_parser_get_stream_error(r->parser) ? fail_syntax(r) : true;
        }
        bool added = add_event(r, event);
        fy_parser_event_free(r->parser, event);
        if (!added) {
            return false;
        }
    }
}

bool haft__yaml_read(haft__spec_builder *tree, haft_str text)
{
    reader r = {.tree = tree, .text = text, .base = tree->text.len - text.len};
    struct fy_diag_cfg quiet = {
        .output_fn = discard_output, .level = FYET_ERROR, .module_mask = ~0U};
    r.diag = fy_diag_create(&quiet);
    if (r.diag == NULL) {
        return haft__spec_builder_fail(tree, HAFT_NO_MEMORY);
    }
    fy_diag_set_collect_errors(r.diag, true);
    struct fy_parse_cfg config = {.search_path = "",
                                  .flags = FYPCF_QUIET | FYPCF_DISABLE_MMAP_OPT
                                           | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
                                  .diag = r.diag};
    r.parser = fy_parser_create(&config);
    bool done = false;
    if (r.parser == NULL || fy_parser_set_string(r.parser, text.ptr, text.len) != 0) {
        (void)haft__spec_builder_fail(tree, HAFT_NO_MEMORY);
    } else {
        done = read_events(&r);
    }
    fy_parser_destroy(r.parser);
    fy_diag_destroy(r.diag);
    return done;
}
