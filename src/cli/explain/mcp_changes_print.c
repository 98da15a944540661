/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_changes_print.c - see mcp_changes_print.h. Tests: tests/mcp/changes_test.py. */
#include "cli/explain/mcp_changes_print.h"

#include "base/error.h"
#include "base/str.h"
#include "cli/terminal/print.h"
#include "engine/ops/mcp_changes.h"

static void print_lines(FILE *out, const char *before, haft_str text)
{
    while (text.len > 0) {
        (void)fputs(before, out);
        haft__print_escaped(out, haft__str_split(&text, '\n'));
        (void)fputc('\n', out);
    }
}

static void print_change(void *context, haft_str server, haft_str tool, haft_str diff)
{
    FILE *out = context;
    (void)fprintf(out, "  ! %.*s:", HAFT__ARG(server));
    haft__print_escaped(out, tool);
    (void)fputs(" has changed since it was first used or accepted; it is not called until "
                "--accept\n",
                out);
    print_lines(out, "      ", diff);
}

haft_status haft__mcp_changes_print(haft__cli *cli, const haft__spec *spec, haft_error *err)
{
    return haft__mcp_changes_visit(&cli->arena, spec, print_change, cli->out, err);
}

static void print_accepted(void *context, haft_str server, haft_str tool, haft_str diff)
{
    FILE *out = context;
    (void)fprintf(out, "%.*s:", HAFT__ARG(server));
    haft__print_escaped(out, tool);
    (void)fprintf(out, " is accepted%s\n", diff.len > 0 ? ":" : " unchanged");
    print_lines(out, "", diff);
}

haft_status haft__mcp_changes_print_accepted(haft__cli *cli, const haft__spec *spec, haft_str name,
                                             haft_error *err)
{
    haft_status status =
        haft__mcp_changes_accept(&cli->arena, spec, name, print_accepted, cli->out, err);
    if (status == HAFT_NOT_FOUND) {
        haft__error_prepend_location(err, "--accept");
        return haft__hint(err, status, "`haft tools SPEC` lists the known tools");
    }
    return status;
}
