/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - `haft tools`: the tools of a spec, for people, as JSON, or as a provider gets them.
 *
 * The object it prints is described by docs/schemas/tools.schema.json. Tests:
 * tests/cli/tools_test.py.
 */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/config/config.h"
#include "cli/explain/mcp_changes.h"
#include "cli/explain/mcp_refresh.h"
#include "cli/explain/tool_report.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "io/random.h"
#include "tool/traits.h"
#include "tool/wire_name.h"
#include "json/write.h"

/* ---- for people ---- */

/* "read_only, idempotent, light, 10s" */
static void print_traits(FILE *out, const haft__traits *traits)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__traits_describe(&text, traits);
    if (haft__buf_check(&text, NULL) == HAFT_OK) {
        (void)fwrite(text.ptr, 1, text.len, out);
    }
    haft__buf_finish(&text);
}

static void print_arguments(FILE *out, haft__json schema)
{
    const haft__json *properties = haft__json_get(schema, HAFT__LIT("properties"));
    const haft__json *required = haft__json_get(schema, HAFT__LIT("required"));
    (void)fputc('(', out);
    for (uint32_t i = 0; properties != NULL && i < properties->count; i++) {
        haft_str name = haft__json_text(properties->members[i].key);
        bool wanted = false;
        for (uint32_t j = 0; required != NULL && j < required->count; j++) {
            wanted |= haft__str_equal(haft__json_text(required->items[j]), name);
        }
        (void)fprintf(out, "%s%.*s%s", i > 0 ? ", " : "", HAFT__ARG(name), wanted ? "" : "?");
    }
    (void)fputc(')', out);
}

/* What a spec has: its own tools, and those of its servers as far as they are known. */
typedef struct listed {
    const haft__spec *spec;
    const haft__mcp_refresh_failure
        *unlisted; /* servers that were asked and did not list anything */
    size_t unlisted_count;
    haft__first_turn_preview first;
    const haft__tool *served; /* for each verdict on a tool that a server lists */
} listed;

/* The next verdict on such a tool, from *at on; NULL when there is none. */
static const haft__verdict *next_served(const listed *l, size_t *at)
{
    while (*at < l->first.offer.count) {
        const haft__verdict *verdict = &l->first.offer.items[(*at)++];
        if (verdict->listed != NULL) {
            return verdict;
        }
    }
    return NULL;
}

/* What came of asking a server: its error, or, where tools are known from before, a warning. */
static haft_status note_refresh_failure(haft__arena *arena, const haft__mcp_refresh_failure *it,
                                        haft__mcp_listing *listing, haft_error *err)
{
    if (listing->tool_count == 0) {
        listing->error = it->error;
        return HAFT_OK;
    }
    haft_str both = haft__arena_format(
        arena, "its tools are those from before, for it did not list any now: %.*s%s%.*s",
        HAFT__ARG(it->error), listing->warning.len > 0 ? "; " : "", HAFT__ARG(listing->warning));
    listing->warning = both;
    return both.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status read_known_listings(haft__cli *cli, const listed *l,
                                       haft__mcp_listing **ret_listings, size_t *ret_count,
                                       haft_error *err)
{
    const haft__mcp_listing *known = NULL;
    haft_status status = haft__exec_offline_listings(l->spec, &cli->arena, &known, ret_count, err);
    haft__mcp_listing *listings =
        status == HAFT_OK ? haft__arena_array(&cli->arena, *ret_count, sizeof(*listings)) : NULL;
    if (listings == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(&cli->arena, err);
    }
    for (size_t i = 0; i < *ret_count && status == HAFT_OK; i++) {
        listings[i] = known[i];
        for (size_t k = 0; k < l->unlisted_count && status == HAFT_OK; k++) {
            if (haft__str_equal(l->unlisted[k].server, listings[i].server)) {
                status = note_refresh_failure(&cli->arena, &l->unlisted[k], &listings[i], err);
            }
        }
    }
    *ret_listings = listings;
    return status;
}

static haft_status inspect_tools(haft__cli *cli, listed *l, haft_error *err)
{
    haft__mcp_listing *listings = NULL;
    size_t count = 0;
    haft_status status = read_known_listings(cli, l, &listings, &count, err);
    if (status == HAFT_OK) {
        status =
            haft__first_turn_decide_with(&cli->arena, l->spec, HAFT__LIT(""),
                                         haft__random_hash_key(), listings, count, &l->first, err);
    }
    haft__tool *served = status == HAFT_OK
                             ? haft__arena_array(&cli->arena, l->first.offer.count, sizeof(*served))
                             : NULL;
    if (status == HAFT_OK && served == NULL) {
        status = haft__arena_fail(&cli->arena, err);
    }
    const haft__verdict *verdict;
    for (size_t at = 0, i = 0; status == HAFT_OK && (verdict = next_served(l, &at)) != NULL; i++) {
        status = haft__mcp_tool_to_registry(&cli->arena, verdict->listed, &served[i], err);
    }
    l->served = served;
    return status;
}

static void print_tool(FILE *out, const haft__tool *tool)
{
    haft_str rest = haft__str_trim(tool->description);
    (void)fprintf(out, "%.*s", HAFT__ARG(tool->name));
    print_arguments(out, tool->input_schema);
    do { /* of a server's all: what a model reads of strangers, a person must be able to see */
        (void)fputs("\n    ", out);
        haft__print_escaped(out, haft__str_split(&rest, '\n'));
    } while (rest.len > 0 && tool->source == HAFT__TOOL_MCP);
    (void)fprintf(out, "\n    %s, %s: ", haft__tool_source_name(tool->source),
                  haft__tool_role_name(tool->role));
    print_traits(out, &tool->traits);
    (void)fputc('\n', out);
}

/* ---- as JSON ---- */

static void write_value(haft__json_writer *w, const char *key, haft__json value)
{
    haft__json_key(w, key);
    haft__json_add(w, value);
}

static void write_text(haft__json_writer *w, const char *key, haft_str value)
{
    haft__json_key(w, key);
    haft__json_add_str(w, value);
}

/* With its verdict, if it is a server's. */
static void write_tool(haft__json_writer *w, const haft__tool *tool, const haft__verdict *verdict)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    haft__json_begin_object(w);
    write_text(w, "name", tool->name);
    write_text(w, "wire_name", haft__wire_name_str(&wire));
    write_text(w, "description", tool->description);
    write_text(w, "source", haft__str(haft__tool_source_name(tool->source)));
    write_text(w, "role", haft__str(haft__tool_role_name(tool->role)));
    haft__json_key(w, "typed");
    haft__json_add_bool(w, tool->typed);
    haft__json_key(w, "traits");
    haft__traits_write(w, &tool->traits);
    write_value(w, "input_schema", tool->input_schema);
    write_value(w, "output_schema", tool->output_schema);
    if (verdict != NULL) {
        haft__json_key(w, "offered");
        haft__json_add_bool(w, verdict->visibility == HAFT__VISIBILITY_DECLARED);
        write_text(w, "code", haft__str(haft__reason_word(verdict->reason)));
        write_text(w, "reason", haft__str(haft__reason_text(verdict->reason)));
    }
    haft__json_end_object(w);
}

/* ---- as providers get them ---- */

static void write_openai(haft__json_writer *w, const haft__tool *tool, haft_str name)
{
    haft__json_begin_object(w);
    write_text(w, "type", HAFT__LIT("function"));
    haft__json_key(w, "function");
    haft__json_begin_object(w);
    write_text(w, "name", name);
    write_text(w, "description", tool->description);
    write_value(w, "parameters", tool->input_schema);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void write_anthropic(haft__json_writer *w, const haft__tool *tool, haft_str name)
{
    haft__json_begin_object(w);
    write_text(w, "name", name);
    write_text(w, "description", tool->description);
    write_value(w, "input_schema", tool->input_schema);
    haft__json_end_object(w);
}

static void write_gemini(haft__json_writer *w, const haft__tool *tool, haft_str name)
{
    haft__json_begin_object(w);
    write_text(w, "name", name);
    write_text(w, "description", tool->description);
    write_value(w, "parametersJsonSchema", tool->input_schema);
    haft__json_end_object(w);
}

typedef struct wire_form {
    const char *name;
    const char *group; /* the key of the one object around all of them; NULL: an array of tools */
    void (*write)(haft__json_writer *w, const haft__tool *tool, haft_str name);
} wire_form;

static const wire_form wire_forms[] = {
    {"openai", NULL, write_openai},
    {"anthropic", NULL, write_anthropic},
    {"gemini", "functionDeclarations", write_gemini},
};

static const wire_form *find_form(const char *name)
{
    for (size_t i = 0; name != NULL && i < COUNT(wire_forms); i++) {
        if (strcmp(wire_forms[i].name, name) == 0) {
            return &wire_forms[i];
        }
    }
    return NULL;
}

static void write_as(haft__json_writer *w, const haft__tool *tool, const wire_form *form)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    form->write(w, tool, haft__wire_name_str(&wire));
}

/* Of servers only those that a run would see. */
static void write_wire(haft__json_writer *w, const listed *l, const wire_form *form)
{
    const haft__tools *tools = &l->spec->tools;
    if (form->group != NULL) {
        haft__json_begin_object(w);
        haft__json_key(w, form->group);
    }
    haft__json_begin_array(w);
    for (size_t i = 0; i < tools->count; i++) {
        write_as(w, tools->items[i], form);
    }
    const haft__verdict *verdict;
    for (size_t at = 0, i = 0; (verdict = next_served(l, &at)) != NULL; i++) {
        if (verdict->visibility == HAFT__VISIBILITY_DECLARED) {
            write_as(w, &l->served[i], form);
        }
    }
    haft__json_end_array(w);
    if (form->group != NULL) {
        haft__json_end_object(w);
    }
}

static haft_status print_json(haft__cli *cli, const listed *l, const wire_form *form,
                              haft_error *err)
{
    const haft__tools *tools = &l->spec->tools;
    haft_status changed = HAFT_OK;
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    if (form != NULL) {
        write_wire(&w, l, form);
    } else {
        haft__json_begin_object(&w);
        haft__json_key(&w, "tools");
        haft__json_begin_array(&w);
        for (size_t i = 0; i < tools->count; i++) {
            write_tool(&w, tools->items[i], NULL);
        }
        const haft__verdict *verdict;
        for (size_t at = 0, i = 0; (verdict = next_served(l, &at)) != NULL; i++) {
            write_tool(&w, &l->served[i], verdict);
        }
        haft__json_end_array(&w);
        if (l->first.listing_count > 0) {
            haft__json_key(&w, "servers");
            haft__tool_report_write_servers(&w, &l->first);
            haft__json_key(&w, "changed");
            changed = haft__mcp_changes_write(cli, l->spec, &w, err);
        }
        haft__json_end_object(&w);
    }
    haft__buf_add_char(&text, '\n');
    haft_status status = changed == HAFT_OK ? haft__buf_check(&text, err) : changed;
    if (status == HAFT_OK) {
        haft__print_json(cli->out, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    const wire_form *form = find_form(haft__args_text(args, "wire", NULL));
    haft_status status = haft__spec_file_read(cli, args->words[0], args, &file, err);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    if (!haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    listed l = {.spec = file.spec};
    if (haft__args_has(args, "refresh")) {
        status = haft__mcp_refresh(cli, file.spec, &l.unlisted, &l.unlisted_count, err);
        if (status != HAFT_OK) {
            return HAFT__EXIT_FAILED;
        }
    }
    const char *accept = haft__args_text(args, "accept", NULL);
    if (accept != NULL) {
        status = haft__mcp_changes_accept(cli, file.spec, haft__str(accept), err);
        return status == HAFT_OK          ? HAFT__EXIT_DONE
               : status == HAFT_NOT_FOUND ? HAFT__EXIT_USAGE
                                          : HAFT__EXIT_FAILED;
    }
    const haft__tools *tools = &file.spec->tools;
    status = inspect_tools(cli, &l, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_FAILED;
    }
    haft__exit_status done = l.unlisted_count > 0 ? HAFT__EXIT_FAILED : HAFT__EXIT_DONE;
    if (form != NULL || haft__args_has(args, "json")) {
        status = print_json(cli, &l, form, err);
        return status == HAFT_OK ? done : HAFT__EXIT_FAILED;
    }
    for (size_t i = 0; i < tools->count; i++) {
        print_tool(cli->out, tools->items[i]);
    }
    for (size_t at = 0, i = 0; next_served(&l, &at) != NULL; i++) {
        print_tool(cli->out, &l.served[i]);
    }
    if (l.first.listing_count > 0) {
        (void)fputs("\nMCP servers\n", cli->out);
        haft__tool_report_print_servers(cli->out, &l.first);
        haft__tool_report_print_limit(cli->out, &l.first);
        (void)haft__tool_report_print_mcp(cli->out, &l.first, HAFT__LIT(""));
        status = haft__mcp_changes_print(cli, l.spec, err);
    }
    return status == HAFT_OK ? done : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "replace a part of the spec first: limits.turns=5"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    HAFT__OPTION_NO_CONFIG,
    {"wire", 0, HAFT__OPTION_CHOICE, "openai|anthropic|gemini",
     "print them as that provider gets them"},
    {"refresh", 0, HAFT__OPTION_FLAG, NULL, "start the MCP servers and ask them first"},
    {"accept", 0, HAFT__OPTION_TEXT, "NAME",
     "accept what a tool of an MCP server is now: docs:search, or all of them: docs:*"},
    {0},
};

static const haft__example examples[] = {
    {"haft tools agent.yaml", "list them with their traits"},
    {"haft tools agent.yaml --wire openai", "as a provider gets them"},
    {0},
};

const haft__command haft__cmd_tools = {
    .name = "tools",
    .usage = "SPEC",
    .summary = "list the tools of a spec with their traits",
    .help =
        "Without --refresh servers are not asked: their tools are listed when they are known from\n"
        "before.\n"
        "With it the exit status is 1 when one did not list its tools.\n"
        "One that has changed since it was first used is not called until --accept.\n"
        "A server is configured (the spec names it), known (its tools are remembered), started\n"
        "(it runs) or used (a tool of it has been called).\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
    .object = true,
};
