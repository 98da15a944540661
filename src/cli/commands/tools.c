/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - `haft tools`: prints the tools of a spec as text, as JSON, or in a provider's wire
 * format.
 *
 * docs/schemas/tools.schema.json describes the object it prints. Tests: tests/cli/tools_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/explain/declaration_print.h"
#include "cli/explain/mcp_changes_print.h"
#include "cli/explain/tool_report_print.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "engine/ops/tool_list.h"
#include "tool/duration.h"
#include "tool/traits.h"
#include "json/write.h"

/* ---- text ---- */

/* Prints a list such as "read_only, idempotent, light, 10s". */
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
        bool is_required = false;
        for (uint32_t j = 0; required != NULL && j < required->count; j++) {
            is_required |= haft__str_equal(haft__json_text(required->items[j]), name);
        }
        (void)fprintf(out, "%s%.*s%s", i > 0 ? ", " : "", HAFT__ARG(name), is_required ? "" : "?");
    }
    (void)fputc(')', out);
}

static void print_tool(FILE *out, const haft__tool *tool)
{
    haft_str rest = haft__str_trim(tool->description);
    (void)fprintf(out, "%.*s", HAFT__ARG(tool->name));
    print_arguments(out, tool->input_schema);
    do { /* print all lines of a server's text, because the model reads them all */
        (void)fputs("\n    ", out);
        haft__print_escaped(out, haft__str_split(&rest, '\n'));
    } while (rest.len > 0 && tool->source == HAFT__TOOL_MCP);
    (void)fprintf(out, "\n    %s, %s: ", haft__tool_source_name(tool->source),
                  haft__tool_role_name(tool->role));
    print_traits(out, &tool->traits);
    (void)fputc('\n', out);
}

/* ---- the command ---- */

static haft_status print_json(haft__cli *cli, const haft__tool_list *list, const char *wire,
                              haft_error *err)
{
    haft_status status;
    haft__buf text;
    haft__json_writer w;
    haft__relax_report left_out;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__relax_report_init(&left_out, &cli->arena);
    if (wire != NULL) {
        const haft__tool_definition_format *format = haft__tool_definition_find(wire);
        status = haft__tool_list_write_wire(&w, list, format, &left_out, err);
    } else {
        status = haft__tool_list_write(&w, &cli->arena, list, err);
    }
    if (status == HAFT_OK) {
        status = haft__print_json_line(cli->out, &text, err);
    }
    if (status == HAFT_OK && wire != NULL) {
        haft__declaration_print_left_out(cli->errors, wire, &left_out);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status print_text(haft__cli *cli, const haft__tool_list *list, haft_error *err)
{
    const haft__tools *tools = &list->spec->tools;
    for (size_t i = 0; i < tools->count; i++) {
        print_tool(cli->out, tools->items[i]);
    }
    for (size_t at = 0, i = 0; haft__tool_list_next_server_tool(list, &at) != NULL; i++) {
        print_tool(cli->out, &list->server_tools[i]);
    }
    if (list->preview.listing_count == 0) {
        return HAFT_OK;
    }
    (void)fputs("\nMCP servers\n", cli->out);
    haft__tool_report_print_servers(cli->out, &list->preview);
    haft__tool_report_print_limit(cli->out, &list->preview);
    (void)haft__tool_report_print_mcp(cli->out, &list->preview, HAFT__LIT(""));
    return haft__mcp_changes_print(cli, list->spec, err);
}

static void print_failure(FILE *out, const haft__mcp_refresh_failure *failure)
{
    haft_str rest = failure->stderr_lines;
    (void)fprintf(out, "server %.*s: ", HAFT__ARG(failure->server));
    haft__print_escaped(out, failure->error);
    (void)fputc('\n', out);
    while (rest.len > 0) {
        (void)fputs("  | ", out);
        haft__print_escaped(out, haft__str_split(&rest, '\n'));
        (void)fputc('\n', out);
    }
}

/* Queries the MCP servers, and prints the failures. */
static haft_status refresh(haft__cli *cli, const haft__spec *spec,
                           haft__mcp_refresh_result *ret_refreshed, haft_error *err)
{
    haft_status status =
        haft__mcp_refresh(&cli->arena, spec, haft__config_env(cli).env, ret_refreshed, err);
    for (size_t i = 0; status == HAFT_OK && i < ret_refreshed->count; i++) {
        print_failure(cli->errors, &ret_refreshed->failures[i]);
    }
    return status;
}

static haft__exit_status accept_tools(haft__cli *cli, const haft__spec *spec, const char *name,
                                      haft_error *err)
{
    haft_status status = haft__mcp_changes_print_accepted(cli, spec, haft__str(name), err);
    return status == HAFT_OK          ? HAFT__EXIT_DONE
           : status == HAFT_NOT_FOUND ? HAFT__EXIT_USAGE
                                      : HAFT__EXIT_FAILED;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    haft__tool_list list;
    haft__mcp_refresh_result refreshed = {.count = 0};
    const char *wire = haft__args_text(args, "wire", NULL);
    const char *accept = haft__args_text(args, "accept", NULL);
    haft_status status = haft__spec_file_read(cli, args->words[0], args, &file, err);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    if (!haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    if (haft__args_has(args, "refresh")) {
        status = refresh(cli, file.spec, &refreshed, err);
    }
    if (status == HAFT_OK && accept != NULL) {
        return accept_tools(cli, file.spec, accept, err);
    }
    if (status == HAFT_OK) {
        status = haft__tool_list_read(&cli->arena, file.spec, &refreshed, &list, err);
    }
    if (status == HAFT_OK) {
        status = wire != NULL || haft__args_has(args, "json") ? print_json(cli, &list, wire, err)
                                                              : print_text(cli, &list, err);
    }
    return status == HAFT_OK && refreshed.count == 0 ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE",
     "override a part of the spec: limits.turns=5; may be repeated"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    HAFT__OPTION_NO_CONFIG,
    {"wire", 0, HAFT__OPTION_CHOICE, HAFT__TOOL_DEFINITION_FORMATS,
     "print the tools as that provider gets them"},
    {"refresh", 0, HAFT__OPTION_FLAG, NULL, "first start the MCP servers and list their tools"},
    {"accept", 0, HAFT__OPTION_TEXT, "NAME",
     "accept the changed definition of an MCP tool: docs:search, or of all: docs:*"},
    {0},
};

static const haft__example examples[] = {
    {"haft tools agent.yaml", "list the tools with their traits"},
    {"haft tools agent.yaml --wire openai", "print them as a provider gets them"},
    {0},
};

const haft__command haft__cmd_tools = {
    .name = "tools",
    .usage = "SPEC",
    .summary = "list the tools of a spec with their traits",
    .help =
        "Without --refresh no server is queried: the tools of a server are listed if an earlier\n"
        "command has stored them. With --refresh the exit status is 1 when a server did not list\n"
        "its tools.\n"
        "An MCP tool that has changed since its first use is not called until --accept. A\n"
        "server is configured (the spec names it), known (its tools are remembered), started\n"
        "(it runs) or used (one of its tools has been called).\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
    .object = true,
};
