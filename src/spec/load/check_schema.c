/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_schema.c - checks a spec against haft.schema.json, with haft's own validator. Tests:
 * tests/spec/load/check_schema_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "schema/schema.h"
#include "spec/load/load_int.h"
#include "tool/traits.h"
#include "json/pointer.h"
#include "json/read.h"

/* Generated at build time from haft.schema.json. */
extern const char haft__spec_schema[];
extern const size_t haft__spec_schema_size;

haft_str haft__spec_schema_text(void)
{
    return (haft_str){haft__spec_schema, haft__spec_schema_size};
}

/* The messages of the validator are for models and speak of arguments; a spec has keys. Each row
 * has the text before the name, and its replacement. */
static const struct {
    const char *validator_text, *before, *after;
    haft__problem_subject about;
} wordings[] = {
    {"Unknown argument: ", "there is no key \"", "\" here", HAFT__SUBJECT_KEY},
    {"Missing required argument: ", "the key \"", "\" is missing", HAFT__SUBJECT_VALUE},
    {"Argument not allowed: ", "the key \"", "\" is not allowed here", HAFT__SUBJECT_KEY},
};

#define SUGGESTION ". Did you mean "
#define BECAUSE    " (needed with "
#define BAD_NAME   "Bad argument name "

/* The last position of `word` in `text`, or the length. */
static size_t find_last(haft_str text, haft_str word)
{
    for (size_t at = text.len; at-- > 0;) {
        if (haft__str_starts_with(haft__str_skip(text, at), word)) {
            return at;
        }
    }
    return text.len;
}

/* Additional hints, selected by the beginning of the pointer and by a part of the schema's
 * message. */
static const struct {
    const char *pointer, *part, *hint;
} advice[] = {
    {"/haft", "", "this version of haft reads version 1"},
    {"/spec/planner/type", "", "write the spec in haft's own shape"},
    {"", "(ms|s|m|h|d)", "write it like 250ms, 10s, 5m, 2h or 1d"},
    {"", "^[A-Za-z0-9_./-]+(:", "use letters, digits and _ . / - or server:tool"},
    {"", "^[A-Za-z0-9_.-]{1,64}$", "use at most 64 letters, digits and _ . -"},
    {"", "^[A-Za-z_][A-Za-z0-9_", "use letters, digits and _, no digit first"},
    {"", "^[^\\s?", "* is the only wildcard; write a pattern for each name"},
    {"", "^https?://", "write the full URL, such as https://example.org/"},
};

/* Hints do not show longer commands. */
#define COMMAND_BYTES 200

/* The alternative that was probably meant by a value. The message quotes the alternatives. */
static haft_str find_meant(const haft__loader *l, const haft__schema_error *error)
{
    const haft__json *found = haft__pointer_get(&l->raw, error->where);
    haft_str rest = error->message;
    haft__suggestion near;
    haft__suggestion_init(&near, found != NULL ? haft__json_text(*found) : HAFT__LIT(""));
    rest.len = find_last(rest, HAFT__LIT(", found "));
    (void)haft__str_split(&rest, '"');
    while (rest.len > 0) {
        haft__suggestion_offer(&near, haft__str_split(&rest, '"'));
        (void)haft__str_split(&rest, '"');
    }
    return near.best;
}

/* Adds a hint for a command that is a text: shows the text as a list of words. */
static bool advise_command(haft__loader *l, haft__spec_problem *problem,
                           const haft__schema_error *error)
{
    const haft__json *found = haft__pointer_get(&l->raw, error->where);
    haft_str text = found != NULL ? haft__str_trim(haft__json_text(*found)) : HAFT__LIT("");
    if (!haft__str_ends_with(error->where, HAFT__LIT("/command")) || text.len == 0
        || text.len > COMMAND_BYTES || memchr(text.ptr, '\n', text.len) != NULL) {
        return false;
    }
    haft__buf words;
    haft__buf_init(&words, 4 * COMMAND_BYTES);
    while (text.len > 0) {
        haft_str word = haft__str_split(&text, ' ');
        if (word.len > 0) {
            haft__buf_addf(&words, "%s%.*s", words.len > 0 ? ", " : "", HAFT__ARG(word));
        }
    }
    if (haft__buf_check(&words, NULL) == HAFT_OK) {
        haft__loader_hint(l, problem, "a command runs without a shell; write [%.*s]",
                          HAFT__ARG(haft__buf_str(&words)));
    }
    haft__buf_finish(&words);
    return true;
}

static void advise(haft__loader *l, haft__spec_problem *problem, const haft__schema_error *error)
{
    bool choice = haft__str_starts_with(error->message, HAFT__LIT("Expected one of "));
    haft_str meant = choice ? find_meant(l, error) : (haft_str){NULL, 0};
    if (meant.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(meant));
        return;
    }
    if (haft__str_starts_with(error->message, HAFT__LIT("Expected array, found string"))
        && advise_command(l, problem, error)) {
        return;
    }
    for (size_t i = 0; i < COUNT(advice); i++) {
        if (haft__str_starts_with(error->where, haft__str(advice[i].pointer))
            && strstr(error->message.ptr, advice[i].part) != NULL) {
            haft__loader_hint(l, problem, "%s", advice[i].hint);
            return;
        }
    }
}

/* Whether an unknown key is a trait that was written among the keys of its tool. */
static bool is_trait(haft_str where)
{
    haft_str rest = haft__str_skip(where, strlen("/tools/"));
    (void)haft__str_split(&rest, '/');
    return haft__str_starts_with(where, HAFT__LIT("/tools/")) && haft__trait_find(rest) != NULL;
}

/* Reports a failure about a key: its name, and the key that was probably meant. */
static void report_key(haft__loader *l, const haft__schema_error *error, size_t wording)
{
    haft_str name = haft__str_skip(error->message, strlen(wordings[wording].validator_text));
    size_t cut = find_last(name, HAFT__LIT(SUGGESTION));
    haft_str meant = haft__str_skip(name, cut + strlen(SUGGESTION));
    size_t because = find_last(name, HAFT__LIT(BECAUSE));
    haft_str reason = haft__str_skip(name, because + strlen(BECAUSE));
    name.len = cut < because ? cut : because;
    haft__spec_problem *problem =
        haft__spec_problem_add(&l->problems, false, "%s%.*s%s", wordings[wording].before,
                               HAFT__ARG(name), wordings[wording].after);
    haft__origin_locate_raw(l, problem, error->where, wordings[wording].about);
    if (meant.len > 0) {
        haft__loader_hint(l, problem, "did you mean %.*s", HAFT__ARG(meant));
    } else if (reason.len > 1) {
        reason.len--;
        haft__loader_hint(l, problem, "it is required with %.*s", HAFT__ARG(reason));
    } else if (is_trait(error->where)) {
        haft__loader_hint(l, problem, "it is a trait: write traits: {%.*s: ...}", HAFT__ARG(name));
    }
}

static void report_error(haft__loader *l, const haft__schema_error *error)
{
    for (size_t i = 0; i < COUNT(wordings); i++) {
        if (haft__str_starts_with(error->message, haft__str(wordings[i].validator_text))) {
            report_key(l, error, i);
            return;
        }
    }
    bool name = haft__str_starts_with(error->message, HAFT__LIT(BAD_NAME));
    haft_str rest = haft__str_skip(error->message, name ? strlen(BAD_NAME) : 1);
    char first = (char)(error->message.ptr[0] | 0x20);
    haft__spec_problem *problem =
        name ? haft__spec_problem_add(&l->problems, false, "bad key %.*s", HAFT__ARG(rest))
             : haft__spec_problem_add(&l->problems, false, "%c%.*s", first, HAFT__ARG(rest));
    haft__origin_locate_raw(l, problem, error->where, HAFT__SUBJECT_VALUE);
    advise(l, problem, error);
}

/* Records the top-level keys that have errors, so that later stages skip them. */
static void taint(haft__loader *l, const haft__schema_report *report)
{
    haft_str *keys = haft__loader_alloc(l, report->count, sizeof(*keys));
    if (keys == NULL) {
        return;
    }
    l->tainted = keys;
    l->all_tainted = report->more;
    for (size_t i = 0; i < report->count; i++) {
        haft_str rest = haft__str_skip(report->errors[i].where, 1);
        keys[l->tainted_count] = haft__str_split(&rest, '/');
        bool unknown =
            haft__str_starts_with(report->errors[i].message, haft__str(wordings[0].validator_text));
        bool planner = haft__str_equal(keys[l->tainted_count], HAFT__LIT("spec"))
                       || haft__str_equal(keys[l->tainted_count], HAFT__LIT("resources"));
        l->all_tainted |= planner || (unknown && rest.len == 0);
        l->tainted_count++;
    }
}

static haft_status compile_text(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                const haft__schema **ret_schema, haft_error *err)
{
    haft__schema_options options = {.hash_key = hash_key};
    haft__json_options reading = HAFT__JSON_OPTIONS_INIT;
    haft__json value;
    haft_status status = haft__json_read(arena, text, &reading, &value, NULL, err);
    return status == HAFT_OK ? haft__schema_compile(arena, value, &options, ret_schema, err)
                             : status;
}

haft_status haft__spec_schema_compile(haft__arena *arena, haft__hash_key hash_key,
                                      const haft__schema **ret_schema, haft_error *err)
{
    return compile_text(arena, haft__spec_schema_text(), hash_key, ret_schema, err);
}

static haft_status check(haft__loader *l, haft__checker *checker, haft__schema_report *ret_report)
{
    bool is_spec = l->schema.ptr == NULL;
    const haft__schema *schema = is_spec ? l->options->schema : NULL;
    haft_status status = HAFT_OK;
    if (schema == NULL) {
        status = compile_text(l->arena, is_spec ? haft__spec_schema_text() : l->schema,
                              l->options->hash_key, &schema, NULL);
    }
    if (status == HAFT_OK) {
        status = haft__schema_check(schema, checker, l->raw, l->arena, ret_report, NULL);
    }
    return status;
}

void haft__loader_check_schema(haft__loader *l)
{
    haft__checker *checker = haft__checker_create();
    haft__schema_report report = {.valid = true};
    haft_status status = checker != NULL ? check(l, checker, &report) : HAFT_NO_MEMORY;
    haft__checker_destroy(checker);
    if (status != HAFT_OK) {
        l->status = status; /* the only possible error: the schema is built in */
        return;
    }
    for (size_t i = 0; i < report.count; i++) {
        report_error(l, &report.errors[i]);
    }
    if (report.more) {
        (void)haft__spec_problem_add(&l->problems, false, "... and more problems of this kind");
    }
    l->schema_count = l->problems.count;
    if (!report.valid) {
        taint(l, &report);
    }
    if (l->raw.kind != HAFT__JSON_OBJECT && l->problems.count > 0 && l->schema.ptr == NULL) {
        haft__loader_hint(l, &l->problems.items[l->problems.count - 1],
                          "a spec is keys and values; the smallest is: model: offline");
    }
}

haft_status haft__spec_check_with(haft__arena *arena, haft_str schema,
                                  const haft__spec_document *document, haft__hash_key hash_key,
                                  haft__spec_problems *problems, haft_error *err)
{
    haft__spec_options options = {.hash_key = hash_key};
    haft__loader l = {.arena = arena,
                      .options = &options,
                      .problems = *problems,
                      .document = *document,
                      .raw = document->value,
                      .schema = schema,
                      .status = HAFT_OK};
    haft__loader_check_schema(&l);
    *problems = l.problems;
    haft_status status = l.status != HAFT_OK ? l.status : problems->status;
    return status == HAFT_OK ? HAFT_OK
                             : haft__fail(err, status, "", "%s", haft_status_text(status));
}
