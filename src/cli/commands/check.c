/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - `haft check`: loads a spec and prints all of its problems.
 *
 * docs/schemas/check.schema.json describes the object of --json. Tests: tests/cli/check_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/explain/declaration_print.h"
#include "cli/explain/tool_report_print.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "engine/ops/tool_reason.h"
#include "exec/sql/database_check.h"
#include "io/random.h"
#include "run/decide/decide.h"
#include "run/offer/unhinted_tools.h"
#include "json/object.h"

static void write_problem(haft__json_writer *w, const haft__spec_problem *problem)
{
    haft__json_begin_object(w);
    haft__field_number(w, "line", problem->line);
    haft__field_number(w, "column", problem->column);
    haft__field_number(w, "length", problem->extent);
    haft__field_text(w, "from", problem->from);
    haft__field_text(w, "where", problem->pointer);
    haft__field_text(w, "severity", problem->warning ? HAFT__LIT("warning") : HAFT__LIT("error"));
    haft__field_text(w, "message", problem->message);
    haft__field_text(w, "hint", problem->hint);
    haft__json_end_object(w);
}

static haft_status print_object(const haft__spec_file *file, FILE *out, haft_error *err)
{
    const haft__spec_report *report = &file->report;
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__field_string(&w, "file", file->name);
    haft__field_flag(&w, "valid", file->spec != NULL);
    haft__json_key(&w, "hash");
    if (file->spec != NULL) {
        haft__json_add_str(&w, file->spec->hash);
    } else {
        haft__json_add_null(&w);
    }
    haft__field_number(&w, "errors", report->errors);
    haft__field_number(&w, "warnings", report->warnings);
    haft__json_key(&w, "problems");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < report->count; i++) {
        write_problem(&w, &report->problems[i]);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft_status status = haft__print_json_line(out, &text, err);
    haft__buf_finish(&text);
    return status;
}

/* Prints an unreadable file as one problem (--json). */
static haft_status print_unreadable(const char *name, FILE *out, haft_status status,
                                    haft_error *err)
{
    haft_error found = *err;
    haft__spec_problem problem = {.from = HAFT__LIT(""),
                                  .pointer = HAFT__LIT(""),
                                  .message = haft__str(found.message),
                                  .hint = haft__str(found.hint)};
    haft__spec_file file = {.name = name,
                            .report = {.problems = &problem, .count = 1, .errors = 1}};
    *err = (haft_error){.status = HAFT_OK}; /* reported here */
    haft_status printed = print_object(&file, out, err);
    return printed == HAFT_OK ? status : printed;
}

/* Warns that the tool search has no effect: the MCP servers list no tool that can be searched. */
static void print_idle_remark(FILE *out, const haft__first_turn_preview *first)
{
    const haft__spec *spec = first->run.spec;
    for (size_t i = 0; haft__resolve_can_search(spec) && i < first->offer.count; i++) {
        const haft__verdict *verdict = &first->offer.items[i];
        if (verdict->reason == HAFT__REASON_NEEDS_DEFERRED) {
            (void)fprintf(
                out,
                "haft: warning: %.*s is enabled but never offered: the MCP servers have no "
                "usable tools\n",
                HAFT__ARG(verdict->name));
        }
    }
}

/* Warns about tools that run without approval and whose definitions do not say whether they are
 * destructive. */
static void print_unhinted(FILE *out, const haft__spec *spec, const haft__mcp_listing *listing)
{
    haft__buf names, text;
    haft__buf_init(&names, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    size_t count = haft__unhinted_tools_add(&names, spec, listing);
    haft__buf_addf(&text,
                   "haft: warning: %zu tool%s of the MCP server %.*s %s not say whether %s "
                   "destructive and need%s no approval: ",
                   count, count == 1 ? "" : "s", HAFT__ARG(listing->server),
                   count == 1 ? "does" : "do", count == 1 ? "it is" : "they are",
                   count == 1 ? "s" : "");
    haft__buf_add_str(&text, haft__buf_str(&names));
    if (count > 0 && names.status == HAFT_OK && text.status == HAFT_OK) {
        haft__print_wrapped(out, 0, 0, haft__buf_str(&text));
        (void)fputs("  hint: add a rule to approvals for the tools that change things\n", out);
    }
    haft__buf_finish(&text);
    haft__buf_finish(&names);
}

/* Prints the keywords of the tools' schemas that are not sent to the model's server. */
static haft_status print_declared(haft__cli *cli, haft__first_turn_preview *first, haft_error *err)
{
    haft__request request;
    haft__declaration_report report;
    haft_status status = haft__decide_request(&first->run, &cli->arena, &request, err);
    if (status == HAFT_OK) {
        status =
            haft__declaration_report_read(first->run.spec, &request, &cli->arena, &report, err);
    }
    if (status == HAFT_OK) {
        haft__declaration_print_notes(cli->errors, &report);
    }
    return status;
}

/* Warns that the tools of a server are unknown, because no run and no command has listed them. */
static void print_unlisted(FILE *out, const haft__spec *spec, const haft__mcp_listing *listing)
{
    if (!haft__tool_reason_is_unlisted(spec, listing)) {
        return;
    }
    (void)fprintf(out,
                  "haft: warning: the tools of the MCP server %.*s are not known yet, so they are "
                  "not checked\n",
                  HAFT__ARG(listing->server));
    (void)fputs("  hint: `haft tools SPEC --refresh` starts the server and lists them; then check "
                "again\n",
                out);
}

/* Prints known problems of the spec's MCP servers. No server is queried. */
static haft_status print_remarks(haft__cli *cli, const haft__spec *spec, haft_error *err)
{
    haft__first_turn_preview first;
    if (spec->kind == HAFT__SPEC_GRAPH) {
        return HAFT_OK; /* a graph has no turns of its own */
    }
    haft_status status = haft__first_turn_decide(&cli->arena, spec, HAFT__LIT(""),
                                                 haft__random_hash_key(), &first, err);
    if (status == HAFT_OK) {
        haft__tool_report_print_warnings(cli->errors, first.listings, first.listing_count);
        for (size_t i = 0; i < first.listing_count; i++) {
            print_unlisted(cli->errors, spec, &first.listings[i]);
            print_unhinted(cli->errors, spec, &first.listings[i]);
        }
        print_idle_remark(cli->errors, &first);
        status = print_declared(cli, &first, err);
    }
    return status;
}

/* Warns about databases that cannot be read, and roles that may do more than read. */
static haft_status print_databases(haft__cli *cli, const haft__spec *spec, haft_error *err)
{
    const haft__database_finding *findings = NULL;
    haft__spec_env env = haft__config_env(cli).env;
    haft_status status = haft__database_check(&cli->arena, spec, &env, &findings, err);
    for (size_t i = 0; status == HAFT_OK && i < spec->database_count; i++) {
        if (findings[i].good) {
            continue;
        }
        (void)fprintf(cli->errors,
                      "haft: warning: the database %.*s: ", HAFT__ARG(findings[i].name));
        haft__print_escaped(cli->errors, findings[i].text);
        (void)fputs(findings[i].hint.len > 0 ? "\n  hint: " : "", cli->errors);
        haft__print_escaped(cli->errors, findings[i].hint);
        (void)fputc('\n', cli->errors);
    }
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    haft_status status = haft__spec_file_check(cli, args->words[0], args, &file, err);
    if (status != HAFT_OK) {
        if (haft__args_has(args, "json")) {
            status = print_unreadable(args->words[0], cli->out, status, err);
        }
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    if (!haft__args_has(args, "json")) {
        haft__spec_file_print(&file, cli->out);
    } else if (print_object(&file, cli->out, err) != HAFT_OK) {
        return HAFT__EXIT_FAILED;
    }
    if (file.spec == NULL) {
        return HAFT__EXIT_USAGE;
    }
    status = print_remarks(cli, file.spec, err);
    if (status == HAFT_OK) {
        status = print_databases(cli, file.spec, err);
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE",
     "override a part of the spec: limits.turns=5; may be repeated"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    HAFT__OPTION_NO_CONFIG,
    {0},
};

static const haft__example examples[] = {
    {"haft check agent.yaml", "print every problem of the spec"},
    {"haft check agent.yaml --set limits.turns=5 --json", "check a changed spec; print JSON"},
    {0},
};

const haft__command haft__cmd_check = {
    .name = "check",
    .usage = "SPEC",
    .summary = "load a spec and print every problem",
    .help =
        "Each problem has its line and column, what was found, what was expected and what to\n"
        "do. A spec that could never end is a problem, too. The exit status is 0 when the spec\n"
        "can be used, also with warnings, and 2 when it cannot.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
