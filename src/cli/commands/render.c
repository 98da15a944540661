/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - `haft render`: prints the prompt text and the constraint for a set of tools.
 *
 * docs/schemas/render.schema.json describes the object it prints with --json. Tests:
 * tests/cli/render_test.py.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "cli/command.h"
#include "cli/commands/parse_text.h"
#include "cli/input/tools_file.h"
#include "cli/input/turns.h"
#include "cli/terminal/print.h"
#include "format/formats.h"
#include "format/grammar/grammar.h"
#include "format/render.h"
#include "io/random.h"
#include "json/object.h"
#include "json/read.h"

/* The options and the results. */
typedef struct render_command {
    haft__cli *cli;
    const haft__args *args;
    haft__hash_key hash_key;
    const haft__format *format; /* NULL: native */
    haft__tools_list tools;
    bool *allowed; /* NULL: all */
    haft__format_choice choice;
    haft__relax_report relaxed;
    haft__buf prompt, words, grammar, schema;
    haft__turns turns;
} render_command;

/* ---- tools ---- */

static haft_status find_tool(const render_command *r, haft_str name, const char *option,
                             size_t *ret_index, haft_error *err)
{
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < r->tools.count; i++) {
        if (haft__str_equal(r->tools.tools[i].name, name)) {
            *ret_index = i;
            return HAFT_OK;
        }
        haft__suggestion_offer(&near, r->tools.tools[i].name);
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, option, "no tool is named '%.*s'", HAFT__ARG(name));
    return near.best.ptr != NULL
               ? haft__hint(err, status, "did you mean '%.*s'?", HAFT__ARG(near.best))
               : status;
}

static bool is_name(haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool word = haft__ascii_is_alphanumeric(c);
        if (!word && (c == '\0' || strchr("_.:/-", c) == NULL)) {
            return false;
        }
    }
    return name.len > 0 && name.len <= HAFT__LIMIT_FORMAT_NAME_BYTES;
}

/* Rejects names that cannot be parsed again: prompts and grammars contain them unchanged. */
static haft_status check_tools(const render_command *r, const char *path, haft_error *err)
{
    for (size_t i = 0; i < r->tools.count; i++) {
        haft_str name = r->tools.tools[i].name;
        if (!is_name(name)) {
            haft_status status = haft__fail(err, HAFT_BAD_INPUT, path,
                                            "'%.*s' is not a valid tool name", HAFT__ARG(name));
            return haft__hint(err, status, "a name has up to %d letters, digits and _ . : / -",
                              HAFT__LIMIT_FORMAT_NAME_BYTES);
        }
        for (size_t k = 0; k < i; k++) {
            if (haft__str_equal(r->tools.tools[k].name, name)) {
                return haft__fail(err, HAFT_BAD_INPUT, path, "two tools are named '%.*s'",
                                  HAFT__ARG(name));
            }
        }
    }
    if (r->tools.count == 0) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, path, "expected tools, found none");
        return haft__hint(err, status, "a tool is {\"name\", \"description\", \"parameters\"}");
    }
    return HAFT_OK;
}

static haft_status read_tools(render_command *r, haft_error *err)
{
    const char *path = haft__args_text(r->args, "tools", NULL);
    if (path == NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__tools_file_read(&r->cli->arena, path, r->hash_key, &r->tools, err);
    return status == HAFT_OK ? check_tools(r, strcmp(path, "-") == 0 ? "standard input" : path, err)
                             : status;
}

static haft_status read_allowed(render_command *r, haft_error *err)
{
    const char *given = haft__args_text(r->args, "allow", NULL);
    if (given == NULL) {
        return HAFT_OK;
    }
    haft_str rest = haft__str(given);
    haft_str *names = haft__arena_array(&r->cli->arena, r->tools.count, sizeof(*names));
    r->allowed = haft__arena_array(&r->cli->arena, r->tools.count, sizeof(*r->allowed));
    if (names == NULL || r->allowed == NULL) {
        return haft__arena_fail(&r->cli->arena, err);
    }
    memset(r->allowed, 0, r->tools.count * sizeof(*r->allowed));
    do {
        size_t index = 0;
        haft_str name = haft__str_trim(haft__str_split(&rest, ','));
        haft_status status = find_tool(r, name, "--allow", &index, err);
        if (status != HAFT_OK) {
            return status;
        }
        if (!r->allowed[index]) {
            r->allowed[index] = true;
            names[r->choice.allowed_count++] = name;
        }
    } while (rest.len > 0);
    r->choice.allowed = r->choice.allowed_count < r->tools.count ? names : NULL;
    return HAFT_OK;
}

static haft_status choose_tool(render_command *r, haft_str name, haft_error *err)
{
    size_t index = 0;
    haft_status status = find_tool(r, name, "--choice", &index, err);
    if (status == HAFT_OK && r->allowed != NULL && !r->allowed[index]) {
        status = haft__fail(err, HAFT_BAD_INPUT, "--choice",
                            "--allow does not name the tool '%.*s'", HAFT__ARG(name));
    }
    r->choice.mode = HAFT__MODE_TOOL;
    r->choice.tool = name;
    return status;
}

static haft_status read_choice(render_command *r, haft_error *err)
{
    static const struct {
        const char *word;
        haft__choice_mode mode;
    } words[] = {{"auto", HAFT__MODE_AUTO},
                 {"any", HAFT__MODE_ANY},
                 {"required", HAFT__MODE_ANY}, /* the name that specs and providers use for `any` */
                 {"none", HAFT__MODE_NONE}};
    bool constrained = haft__args_has(r->args, "grammar") || haft__args_has(r->args, "schema");
    haft_str text = haft__str(haft__args_text(r->args, "choice", constrained ? "any" : "auto"));
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_equal(text, haft__str(words[i].word))) {
            r->choice.mode = words[i].mode;
            return HAFT_OK;
        }
    }
    if (haft__str_starts_with(text, HAFT__LIT("tool:"))
        || haft__str_starts_with(text, HAFT__LIT("tool "))) {
        return choose_tool(r, haft__str_trim(haft__str_skip(text, strlen("tool:"))), err);
    }
    return haft__fail(err, HAFT_BAD_INPUT, "--choice",
                      "expected auto, any, none or tool:NAME, found '%.*s'", HAFT__ARG(text));
}

/* ---- rendering ---- */

static haft_status read_form(const render_command *r, uint8_t *ret_form, haft_error *err)
{
    size_t forms = r->format != NULL ? haft__grammar_forms(r->format) : 1;
    uint64_t form = haft__args_number(r->args, "form", 1);
    if (form == 0 || (form > forms && haft__args_has(r->args, "form"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "--form", "%s has %zu form%s, found %llu",
                          r->format != NULL ? r->format->name : "native", forms,
                          forms == 1 ? "" : "s", (unsigned long long)form);
    }
    *ret_form = (uint8_t)(form - 1);
    return HAFT_OK;
}

static haft_status make_constraints(render_command *r, haft_error *err)
{
    haft__grammar_options o = {
        .several = haft__args_has(r->args, "several"),
        .answer = haft__args_has(r->args, "answer"),
        .reasoning = haft__args_has(r->args, "reasoning"),
    };
    haft__schema_target target = HAFT__TARGET_OPENAI;
    haft_str server = haft__str(haft__args_text(r->args, "schema", ""));
    haft_status status = read_form(r, &o.form, err);
    if (status == HAFT_OK && haft__args_has(r->args, "grammar")) {
        status =
            haft__grammar_gbnf(&r->grammar, r->format, r->tools.tools, r->tools.count, r->allowed,
                               r->choice.mode, r->choice.tool, &o, &r->relaxed, err);
    }
    if (status == HAFT_OK && haft__schema_target_find(server, &target)) {
        status =
            haft__grammar_schema(&r->schema, target, r->format, r->tools.tools, r->tools.count,
                                 r->allowed, r->choice.mode, r->choice.tool, &o, &r->relaxed, err);
    }
    return status == HAFT_OK && r->relaxed.status != HAFT_OK ? haft__arena_fail(&r->cli->arena, err)
                                                             : status;
}

static haft_status make_prompt(render_command *r, haft_error *err)
{
    if (r->format == NULL) {
        return HAFT_OK;
    }
    haft__format_write_tools(&r->prompt, r->format, HAFT__HISTORY_NATIVE, r->tools.tools,
                             r->tools.count);
    if (haft__args_has(r->args, "choice") || r->choice.allowed != NULL) {
        haft__format_write_choice(&r->words, &r->choice);
    }
    haft_status status = haft__buf_check(&r->prompt, err);
    return status == HAFT_OK ? haft__buf_check(&r->words, err) : status;
}

static haft_status make_all(render_command *r, haft_error *err)
{
    const char *calls = haft__args_text(r->args, "calls", NULL);
    haft_status status = read_tools(r, err);
    if (status == HAFT_OK) {
        status = read_allowed(r, err);
    }
    if (status == HAFT_OK) {
        status = read_choice(r, err);
    }
    if (status == HAFT_OK) {
        status = make_prompt(r, err);
    }
    if (status == HAFT_OK) {
        status = make_constraints(r, err);
    }
    return status == HAFT_OK && calls != NULL
               ? haft__turns_read(&r->cli->arena, calls, r->hash_key, r->format, &r->turns, err)
               : status;
}

/* ---- output ---- */

static void print_turns(const render_command *r)
{
    for (size_t i = 0; i < r->turns.count; i++) {
        (void)fprintf(r->cli->out, "%s[%s]\n", i > 0 ? "\n" : "", r->turns.items[i].role);
        haft__print_answer(r->cli->out, r->turns.items[i].content);
    }
}

static void print_relaxed(const render_command *r)
{
    for (size_t i = 0; i < r->relaxed.count; i++) {
        const haft__relaxation *item = &r->relaxed.items[i];
        (void)fputs("relaxed: ", r->cli->errors);
        haft__print_escaped(r->cli->errors, item->where);
        (void)fputs(item->where.len > 0 ? ": " : "", r->cli->errors);
        haft__print_escaped(r->cli->errors, item->what);
        (void)fputs(" became ", r->cli->errors);
        haft__print_escaped(r->cli->errors, item->became);
        (void)fputc('\n', r->cli->errors);
    }
    if (r->relaxed.left_off > 0) {
        (void)fprintf(r->cli->errors, "relaxed: and %zu more\n", r->relaxed.left_off);
    }
}

static void print_text(const render_command *r)
{
    FILE *out = r->cli->out;
    if (haft__args_has(r->args, "calls")) {
        print_turns(r);
    } else if (haft__args_has(r->args, "grammar")) {
        haft__print_content(out, haft__buf_str(&r->grammar)); /* ends with a line feed */
    } else if (haft__args_has(r->args, "schema")) {
        haft__print_json(out, haft__buf_str(&r->schema));
        (void)fputc('\n', out);
    } else if (r->format == NULL) {
        (void)fputs("native: no prompt text: the provider gets the tools and the choice as "
                    "members of the request ('haft explain SPEC' shows it)\n",
                    r->cli->errors);
    } else {
        haft__print_answer(out, haft__buf_str(&r->prompt));
        if (r->words.len > 0) {
            (void)fputc('\n', out);
            haft__print_answer(out, haft__buf_str(&r->words));
        }
    }
}

/* ---- output as JSON ---- */

static void add_text_if(haft__json_writer *w, const char *key, bool present, const haft__buf *text)
{
    haft__json_key(w, key);
    if (present) {
        haft__json_add_str(w, haft__buf_str(text));
    } else {
        haft__json_add_null(w);
    }
}

static haft_status add_schema(haft__json_writer *w, render_command *r, haft_error *err)
{
    haft__json schema = haft__json_null();
    haft_status status = HAFT_OK;
    if (haft__args_has(r->args, "schema")) {
        status =
            haft__json_read(&r->cli->arena, haft__buf_str(&r->schema), NULL, &schema, NULL, err);
    }
    haft__field_value(w, "schema", schema);
    return status;
}

static void add_relaxed(haft__json_writer *w, const render_command *r)
{
    haft__json_key(w, "relaxed");
    haft__json_begin_array(w);
    for (size_t i = 0; i < r->relaxed.count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "where", r->relaxed.items[i].where);
        haft__field_text(w, "what", r->relaxed.items[i].what);
        haft__field_text(w, "became", r->relaxed.items[i].became);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__field_number(w, "relaxed_left_off", r->relaxed.left_off);
}

static void add_turns(haft__json_writer *w, const render_command *r)
{
    haft__json_key(w, "history");
    if (!haft__args_has(r->args, "calls")) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_array(w);
    for (size_t i = 0; i < r->turns.count; i++) {
        haft__json_begin_object(w);
        haft__field_string(w, "role", r->turns.items[i].role);
        haft__field_text(w, "content", r->turns.items[i].content);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static haft_status print_object(render_command *r, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, 8 * (size_t)HAFT__LIMIT_FORMAT_BYTES);
    haft__json_writer w;
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__field_string(&w, "format", r->format != NULL ? r->format->name : "native");
    add_text_if(&w, "prompt", r->tools.count > 0, &r->prompt);
    add_text_if(&w, "choice", r->tools.count > 0, &r->words);
    add_text_if(&w, "grammar", haft__args_has(r->args, "grammar"), &r->grammar);
    haft_status status = add_schema(&w, r, err);
    add_relaxed(&w, r);
    add_turns(&w, r);
    haft__json_end_object(&w);
    if (status == HAFT_OK) {
        status = haft__print_json_line(r->cli->out, &text, err);
        r->cli->answered = status == HAFT_OK;
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- the command ---- */

static haft_status require_format(render_command *r, haft_error *err)
{
    const char *given = haft__args_text(r->args, "format", NULL);
    if (given == NULL) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "expected --format F, found none");
        return haft__hint(err, status, "'haft help render' lists the formats");
    }
    r->format = haft__format_find(haft__str(given));
    if (r->format == NULL && !haft__str_equal_ignore_case(haft__str(given), HAFT__LIT("native"))) {
        return haft__parsed_fail_unknown_format(haft__str(given), "render", err);
    }
    return HAFT_OK;
}

/* Checks for options that exclude or require each other. */
static haft_status check_words(const render_command *r, haft_error *err)
{
    const haft__args *args = r->args;
    bool constrained = haft__args_has(args, "grammar") || haft__args_has(args, "schema");
    bool calls = haft__args_has(args, "calls");
    int parts = haft__args_has(args, "grammar") + haft__args_has(args, "schema") + calls;
    bool tools = haft__args_has(args, "tools");
    if (!tools
        && (!calls || constrained || haft__args_has(args, "choice")
            || haft__args_has(args, "allow"))) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "expected --tools FILE, found none");
        return haft__hint(err, status,
                          "the file is an array of {\"name\", \"description\", "
                          "\"parameters\"}");
    }
    if (parts > 1 && !haft__args_has(args, "json")) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                        "--grammar, --schema and --calls cannot be combined");
        return haft__hint(err, status, "with --json they can be combined");
    }
    if (calls && r->format == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "--calls",
                          "calls in the format native are members of messages, not text");
    }
    if (tools && calls && strcmp(haft__args_text(args, "tools", ""), "-") == 0
        && strcmp(haft__args_text(args, "calls", ""), "-") == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "only one of --tools and --calls can be standard input");
    }
    return HAFT_OK;
}

static haft_status render(render_command *r, haft_error *err)
{
    haft_status status = require_format(r, err);
    if (status == HAFT_OK) {
        status = check_words(r, err);
    }
    if (status == HAFT_OK) {
        status = make_all(r, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (haft__args_has(r->args, "json")) {
        return print_object(r, err);
    }
    print_text(r);
    print_relaxed(r);
    return HAFT_OK;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    render_command r = {.cli = cli, .args = args, .hash_key = haft__random_hash_key()};
    haft__buf *bufs[] = {&r.prompt, &r.words, &r.grammar, &r.schema};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_init(bufs[i], HAFT__LIMIT_FORMAT_BYTES);
    }
    haft__relax_report_init(&r.relaxed, &cli->arena);
    haft_status status = render(&r, err);
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_finish(bufs[i]);
    }
    return status == HAFT_OK          ? HAFT__EXIT_DONE
           : status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED
                                      : HAFT__EXIT_USAGE;
}

static const haft__option options[] = {
    {"format", 'f', HAFT__OPTION_TEXT, "FORMAT", "the text format of calls"},
    {"tools", 0, HAFT__OPTION_TEXT, "FILE", "the tools, as JSON"},
    {"choice", 0, HAFT__OPTION_TEXT, "MODE",
     "which calls are allowed now; adds this as text at the end"},
    {"allow", 0, HAFT__OPTION_TEXT, "NAMES", "only these tools may be called now"},
    {"grammar", 0, HAFT__OPTION_FLAG, NULL, "print a GBNF grammar that accepts only such calls"},
    {"schema", 0, HAFT__OPTION_CHOICE, "openai|vllm|ollama",
     "print a JSON Schema that accepts only such calls"},
    {"form", 0, HAFT__OPTION_NUMBER, "N", "--grammar: the Nth form of calls that the format has"},
    {"several", 0, HAFT__OPTION_FLAG, NULL, "--grammar, --schema: allow several calls"},
    {"answer", 0, HAFT__OPTION_FLAG, NULL,
     "--grammar, --schema: allow {\"answer\": ...} instead of a call"},
    {"reasoning", 0, HAFT__OPTION_FLAG, NULL, "--grammar: allow reasoning before the calls"},
    {"calls", 0, HAFT__OPTION_TEXT, "FILE", "print calls and results as messages of a history"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print everything as one JSON object"},
    {0},
};

static const haft__example examples[] = {
    {"haft render --format hermes --tools tools.json", "the prompt that explains the format"},
    {"haft render --format hermes --tools tools.json --grammar", "the grammar of a call"},
    {"haft render --format qwen3coder --calls calls.jsonl", "calls and results as messages"},
    {0},
};

const haft__command haft__cmd_render = {
    .name = "render",
    .usage = "",
    .summary = "print tools, calls and results as a model reads them",
    .help =
        "Prints the section of a system prompt that explains the format: the tools, how to call\n"
        "them, and how results come back. With --choice or --allow, a text follows that tells\n"
        "the model what it may call now, as at the end of the last message. MODE is auto, any\n"
        "(or required), none or tool:NAME; NAMES are separated by commas.\n\n"
        "--grammar prints a grammar for llama.cpp, --schema a JSON Schema for response_format.\n"
        "Each accepts nothing but such a call; without --choice, the mode is any. If the target\n"
        "cannot express a part of a tool's schema, standard error has a line with that part and\n"
        "its replacement.\n\n"
        "--calls reads an array, or one object a line: {\"text\", \"calls\": [{\"id\", \"name\",\n"
        "\"arguments\"}]} is a turn of the model, {\"results\": [{\"id\", \"name\", \"text\"}]} "
        "answers\n"
        "it. Ids, and names of results, may be omitted. It prints each turn after a line with\n"
        "its role; --json prints only the bytes. It needs no --tools.\n\n"
        "--json prints one object: {\"format\", \"prompt\", \"choice\", \"grammar\", \"schema\",\n"
        "\"relaxed\": [{\"where\", \"what\", \"became\"}], \"relaxed_left_off\": N, \"history\": "
        "[{\"role\",\n"
        "\"content\"}]}. A member that was not requested is null, and N is how many lines of\n"
        "\"relaxed\" were left off.\n\n"
        "Tools are an array, or an object with \"tools\", of {\"name\", \"description\",\n"
        "\"parameters\"}, plain or in the wrappers of OpenAI, Anthropic and MCP.\n\n"
        "The formats, in lower or upper case (json is purejson, code is "
        "codemode):\n\n" HAFT__FORMATS(
            HAFT__FORMATS_LINE) "\n"
                                "native is the provider's own format: it needs no prompt, and "
                                "--grammar and --schema\n"
                                "describe {\"name\", \"arguments\"}.\n",
    .options = options,
    .examples = examples,
    .object = true,
    .run = run,
};
