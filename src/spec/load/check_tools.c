/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_tools.c - checks of one tool that a schema cannot express: an empty description, a
 * dangerous tool without approval, arguments where they could choose a host or a program, or be
 * code. Tests: tests/spec/load/check_test.c.
 */
#include <string.h>

#include "base/str.h"
#include "run/pause/approval.h"
#include "spec/load/load_int.h"
#include "tool/description.h"
#include "tool/template.h"
#include "json/object.h"

/* ---- description and approval ---- */

static bool is_approved(const haft__loader *l, const haft__tool *tool)
{
    bool covered = tool->traits.needs_approval;
    for (size_t i = 0; i < l->spec->approval_count && !covered; i++) {
        covered = haft__approval_matches(&l->spec->approvals[i], tool);
    }
    return covered;
}

/* Whether the spec allows the format. */
static bool speaks(const haft__spec *spec, haft_str format)
{
    bool found = false;
    for (size_t i = 0; i < spec->format_count; i++) {
        found = found || haft__str_equal(spec->formats[i], format);
    }
    return found;
}

static void check_tool(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft__description_flaw vague = haft__description_check(tool->name, tool->description);
    if (vague != HAFT__DESCRIPTION_OK) {
        (void)haft__loader_warning(l,
                                   haft__loader_pointer(l, "%.*s/description", HAFT__ARG(pointer)),
                                   HAFT__SUBJECT_VALUE, "%s", haft__description_flaw_text(vague));
    }
    if (haft__str_equal(tool->name, HAFT__LIT("all"))
        && speaks(l->spec, HAFT__LIT("functionary_v32"))) {
        haft__spec_problem *problem = haft__loader_warning(
            l, haft__loader_pointer(l, "%.*s/name", HAFT__ARG(pointer)), HAFT__SUBJECT_VALUE,
            "\"all\" cannot be called in functionary_v32");
        haft__loader_hint(l, problem, "the format uses this name for the user; rename the tool");
    }
    if (tool->traits.destructive && !is_approved(l, tool)) {
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

/* ---- where its arguments go ---- */

/* Whether an argument after this text of a URL would choose the host. A variable may include a
 * path; its value is not examined here. */
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

/* How a program interprets its words. */
typedef enum reads {
    READS_TEXT,
    READS_CODE,   /* a word may be code */
    READS_REMOTE, /* they pass through a shell at the other end */
} reads;

static reads find_reads(haft_str program)
{
    static const char *const names[] = {"sh",  "bash", "dash", "ash",   "zsh",  "ksh",  "fish",
                                        "awk", "gawk", "mawk", "sed",   "perl", "ruby", "node",
                                        "php", "lua",  "env",  "xargs", "sudo"};
    for (haft_str rest = program; rest.len > 0;) {
        program = haft__str_split(&rest, '/');
    }
    bool code = haft__str_starts_with(program, HAFT__LIT("python"));
    for (size_t i = 0; i < COUNT(names) && !code; i++) {
        code = haft__str_equal(program, haft__str(names[i]));
    }
    return haft__str_equal(program, HAFT__LIT("ssh")) ? READS_REMOTE
           : code                                     ? READS_CODE
                                                      : READS_TEXT;
}

static void reject_word(haft__loader *l, haft_str at, haft_str name, const char *what)
{
    haft__spec_problem *problem = haft__loader_error(
        l, at, HAFT__SUBJECT_VALUE, "the argument \"%.*s\" would %s", HAFT__ARG(name), what);
    haft__loader_hint(l, problem, "make it a separate word, or use stdin");
}

/* Checks the arguments in one word of a command. */
static void check_word(haft__loader *l, const haft__tool *tool, haft_str at, haft_str word,
                       bool program, reads what)
{
    haft__template_piece piece;
    haft_str rest = word;
    while (haft__template_next(&rest, &piece)) {
        if (piece.name.ptr == NULL) {
            continue;
        }
        bool known = haft__template_has_argument(tool->input_schema, piece.name);
        bool inside = piece.text.len < word.len;
        if (known && program) {
            reject_word(l, at, piece.name, "choose the program");
        } else if (known && (what == READS_REMOTE || (what == READS_CODE && inside))) {
            reject_word(l, at, piece.name, "become part of code");
        } else if (!known && what == READS_TEXT) {
            (void)haft__loader_warning(l, at, HAFT__SUBJECT_VALUE,
                                       "the tool has no argument \"%.*s\"", HAFT__ARG(piece.name));
        }
    }
}

static void check_words(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft__json words = haft__object_array(tool->definition, "command");
    reads what = words.count > 0 ? find_reads(haft__json_text(words.items[0])) : READS_TEXT;
    for (uint32_t i = 0; i < words.count; i++) {
        check_word(l, tool, haft__loader_pointer(l, "%.*s/command/%u", HAFT__ARG(pointer), i),
                   haft__json_text(words.items[i]), i == 0, what);
    }
}

/* ---- all of them ---- */

void haft__loader_check_tools(haft__loader *l)
{
    haft__json entries = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < entries.count; i++) {
        haft_str name = haft__object_string(entries.items[i], "name");
        const haft__tool *tool = haft__tools_find(&l->spec->tools, name);
        if (tool != NULL && tool->source != HAFT__TOOL_BUILTIN) {
            check_tool(l, tool, haft__loader_pointer(l, "/tools/%u", i));
            check_url(l, tool, haft__loader_pointer(l, "/tools/%u", i));
            check_words(l, tool, haft__loader_pointer(l, "/tools/%u", i));
        }
    }
}
