/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_tools.c - checks of single tools that a schema cannot express: an empty description, a
 * dangerous tool without approval, arguments that could choose a host. check_command.c checks
 * commands. Tests: tests/spec/load/check_test.c.
 */
#include <string.h>

#include "base/str.h"
#include "run/pause/approval.h"
#include "spec/load/load_int.h"
#include "tool/description.h"
#include "tool/template.h"
#include "json/object.h"

/* ---- description and approval ---- */

static bool needs_approval(const haft__loader *l, const haft__tool *tool)
{
    bool covered = tool->traits.needs_approval;
    for (size_t i = 0; i < l->spec->approval_count && !covered; i++) {
        covered = haft__approval_matches(&l->spec->approvals[i], tool);
    }
    return covered;
}

/* Whether the spec allows the format. */
static bool allows_format(const haft__spec *spec, haft_str format)
{
    bool found = false;
    for (size_t i = 0; i < spec->format_count; i++) {
        found = found || haft__str_equal(spec->formats[i], format);
    }
    return found;
}

static void check_tool(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    bool hosted = tool->source == HAFT__TOOL_PROVIDER; /* the model does not read its description */
    haft__description_flaw flaw =
        hosted ? HAFT__DESCRIPTION_OK : haft__description_check(tool->name, tool->description);
    if (flaw != HAFT__DESCRIPTION_OK) {
        (void)haft__loader_warning(l,
                                   haft__loader_pointer(l, "%.*s/description", HAFT__ARG(pointer)),
                                   HAFT__SUBJECT_VALUE, "%s", haft__description_flaw_text(flaw));
    }
    if (haft__str_equal(tool->name, HAFT__LIT("all"))
        && allows_format(l->spec, HAFT__LIT("functionary_v32"))) {
        haft__spec_problem *problem = haft__loader_warning(
            l, haft__loader_pointer(l, "%.*s/name", HAFT__ARG(pointer)), HAFT__SUBJECT_VALUE,
            "\"all\" cannot be called in functionary_v32");
        haft__loader_hint(l, problem, "the format uses this name for the user; rename the tool");
    }
    if (tool->traits.destructive && !needs_approval(l, tool)) {
        haft__spec_problem *problem = haft__loader_warning(
            l, haft__loader_pointer(l, "%.*s/traits/destructive", HAFT__ARG(pointer)),
            HAFT__SUBJECT_VALUE, "\"%.*s\" is destructive, but its calls need no approval",
            HAFT__ARG(tool->name));
        haft__loader_hint(l, problem, "add approvals: [{traits: [destructive]}]");
    }
    if (tool->traits.return_direct && l->spec->choice.gate) {
        haft__spec_problem *problem = haft__loader_warning(
            l, haft__loader_pointer(l, "%.*s/traits/return_direct", HAFT__ARG(pointer)),
            HAFT__SUBJECT_VALUE, "\"%.*s\" does not return directly while the gate is closed",
            HAFT__ARG(tool->name));
        haft__loader_hint(l, problem, "the gate is on for a workflow, and with min_tools_for_auto");
    }
}

/* ---- arguments in a URL ---- */

/* Whether an argument after this text of a URL would choose the host. If the text contains a
 * variable, the value may include a path, so the answer is no. */
static bool is_before_path(haft_str text)
{
    haft_str rest = text;
    (void)haft__str_split(&rest, ':');
    rest = haft__str_skip(rest, strlen("//"));
    for (size_t i = 0; i < rest.len; i++) {
        if (strchr("/?#$", rest.ptr[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static void check_url(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft_str url = haft__object_string(haft__object_object(tool->definition, "http"), "url"),
             rest = url;
    haft_str at = haft__loader_pointer(l, "%.*s/http/url", HAFT__ARG(pointer));
    haft__template_piece piece;
    while (haft__template_next(&rest, &piece)) {
        haft_str before = {url.ptr, (size_t)(piece.text.ptr - url.ptr)};
        if (piece.name.ptr != NULL && is_before_path(before)) {
            haft__spec_problem *problem = haft__loader_error(
                l, at, HAFT__SUBJECT_VALUE, "the argument \"%.*s\" would choose the host",
                HAFT__ARG(piece.name));
            haft__loader_hint(l, problem, "arguments are allowed only in the path and after it");
        }
        if (piece.name.ptr != NULL
            && !haft__template_has_argument(tool->input_schema, piece.name)) {
            (void)haft__loader_warning(l, at, HAFT__SUBJECT_VALUE,
                                       "the tool has no argument \"%.*s\"", HAFT__ARG(piece.name));
        }
    }
}

/* ---- all tools ---- */

void haft__loader_check_tools(haft__loader *l)
{
    haft__json entries = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < entries.count; i++) {
        haft_str name = haft__object_string(entries.items[i], "name");
        const haft__tool *tool = haft__tools_find(&l->spec->tools, name);
        if (tool != NULL && tool->source != HAFT__TOOL_BUILTIN) {
            check_tool(l, tool, haft__loader_pointer(l, "/tools/%u", i));
            check_url(l, tool, haft__loader_pointer(l, "/tools/%u", i));
            haft__loader_check_command(l, tool, haft__loader_pointer(l, "/tools/%u", i));
        }
    }
}
