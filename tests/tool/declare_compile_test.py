#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Declarations with HAFT_TOOL: compilers accept valid ones without a warning in C11 and
C++20, and reject invalid ones with an error that says what is wrong."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check_none, skip  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]
COMPILERS = [["gcc", "-x", "c", "-std=c11"], ["clang", "-x", "c", "-std=c11"],
             ["g++", "-x", "c++", "-std=c++20"], ["clang++", "-x", "c++", "-std=c++20"]]
BODY = '{ return haft_replyf(call, "%d", args != NULL); }\n'


def fields(count):
    return ", ".join(f'HAFT_STRING(f{i}, "A text")' for i in range(count))


def tool(*arguments):
    return f"HAFT_TOOL({', '.join(['search', *arguments])}) {BODY}" \
        "const haft_tool *use(void);\nconst haft_tool *use(void) { return &search_tool; }\n"


TEXT = '"Search the archive."'

# The example of the header and of the documents.
EXAMPLE = r"""
HAFT_TOOL(search_database, "Search the customer database for records matching the query.",
          HAFT_STRING(query, "Search terms to look for"),
          HAFT_INTEGER_OR(limit, 10, "Maximum number of results"))
{   return haft_replyf(call, "Found %lld results for '%.*s'", args->limit, HAFT_STR(args->query)); }
extern const haft_tool *used;
const haft_tool *used = &search_database_tool;
"""
OBJECTS = r"""
HAFT_OBJECT(point, HAFT_NUMBER(x, "To the right"), HAFT_NUMBER_OR(y, 1, "Upwards"));
HAFT_OBJECT(place, HAFT_NESTED(at, point, "Where"), HAFT_NESTED_LIST(path, point, "The way"));
HAFT_OBJECT(void_of_fields);
"""
EVERY_SORT = OBJECTS + tool(
    TEXT, 'HAFT_NESTED(a, place, "A")', 'HAFT_OPTIONAL_NESTED(b, point, "B")',
    'HAFT_ENUM(c, "C", "x")', 'HAFT_ENUM_OR(d, "x", "D", "x", "y")', 'HAFT_ENUMS(e, "E", "x", "y")',
    'HAFT_BOOLEAN_OR(f, true, "F")', 'HAFT_NUMBER_OR(g, -0.5, "G")',
    'HAFT_INTEGER_OR(h, -1, "H")', 'HAFT_INTEGER_OR(i, 1ULL, "I")', 'HAFT_STRING_OR(j, "", "J")',
    'HAFT_OPTIONAL_INTEGER(k, "K")', 'HAFT_OPTIONAL_NESTED_LIST(l, point, "L")',
    'HAFT_NESTED(m, void_of_fields, "M")', 'HAFT_BOOLEANS(n, "N")', 'HAFT_NUMBER_OR(o, 3, "O")',
    'HAFT_OPTIONAL_ENUM(p, "P", "x")')
BY_HAND = r"""
static haft_reply run(haft_call *call, const void *args)
{
    const haft_str *json = (const haft_str *)args;
    return haft_reply_error(call, "%.*s", HAFT_STR(*json));
}
haft_tool make(void);
haft_tool make(void)
{
    haft_tool tool = HAFT_TOOL_INIT;
    tool.name = "a:b";
    tool.run = run;
    tool.traits = HAFT_READ_ONLY;
    return tool;
}
"""

GOOD = {
    "the_example": EXAMPLE,
    "no_fields": tool(TEXT),
    "sixteen_fields": tool(TEXT, fields(16)),
    "every_sort": EVERY_SORT,
    "with_traits": tool(TEXT).replace("HAFT_TOOL(", "HAFT_TOOL_WITH(HAFT_READ_ONLY | "
                                      "HAFT_COST_FREE, "),
    "by_hand": BY_HAND,
}

MANY = r"HAFT_TOOL\(search\): a tool has at most 16 fields; put some of them into a HAFT_OBJECT " \
       r"and use HAFT_NESTED"
BAD = {
    "seventeen_fields": (tool(TEXT, fields(17)), MANY),
    "thirty_eight_fields": (tool(TEXT, fields(38)), MANY),
    "seventeen_fields_of_an_object": (
        f"HAFT_OBJECT(much, {fields(17)});\n",
        r"HAFT_OBJECT\(much\): an object has at most 16 fields; put some of them into an object "
        r"of their own and use HAFT_NESTED"),
    "no_description": (tool(), r"HAFT_TOOL\(search\): a tool needs a description"),
    "a_text_for_an_integer": (tool(TEXT, 'HAFT_INTEGER_OR(limit, "ten", "Most")'),
                              r"HAFT_INTEGER_OR\(limit\): the default must be an integer"),
    "a_fraction_for_an_integer": (tool(TEXT, 'HAFT_INTEGER_OR(limit, 1.5, "Most")'),
                                  r"HAFT_INTEGER_OR\(limit\): the default must be an integer"),
    "a_text_for_a_number": (tool(TEXT, 'HAFT_NUMBER_OR(scale, "1", "Scale")'),
                            r"HAFT_NUMBER_OR\(scale\): the default must be a number"),
    "a_text_for_a_boolean": (tool(TEXT, 'HAFT_BOOLEAN_OR(all, "yes", "All")'),
                             r"HAFT_BOOLEAN_OR\(all\): the default must be true or false"),
    "a_number_for_a_text": (tool(TEXT, 'HAFT_STRING_OR(name, 7, "Name")'),
                            r"HAFT_STRING_OR\(name\): the default must be a string"),
    "null_for_a_text": (tool(TEXT, 'HAFT_STRING_OR(name, NULL, "Name")'),
                        r"HAFT_STRING_OR\(name\): the default must be a string"),
    "a_number_for_an_enum": (tool(TEXT, 'HAFT_ENUM_OR(unit, 1, "Unit", "a", "b")'),
                             r"HAFT_ENUM_OR\(unit\): the default must be one of its strings"),
    # Errors of the compilers themselves.
    "an_object_nobody_declared": (tool(TEXT, 'HAFT_NESTED(where, adress, "Where")'),
                                  r"unknown type name .adress|.adress. does not name a type"),
    "a_field_twice": (tool(TEXT, 'HAFT_STRING(name, "A")', 'HAFT_STRING(name, "B")'),
                      r"duplicate member .name|redeclaration of .*name"),
    "an_argument_that_is_not_there": (
        f'HAFT_TOOL(search, {TEXT}, HAFT_STRING(name, "A")) '
        '{ return haft_replyf(call, "%.*s", HAFT_STR(args->nme)); }\n', r"no member named .nme"),
}


def compile_text(compiler, text):
    done = subprocess.run([*compiler, *FLAGS, "-Iinclude", "-"], cwd=ROOT, text=True,
                          input='#include "haft.h"\n' + text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=dict(os.environ, LC_ALL="C"))
    return done.returncode, done.stdout


def first_error(output):
    """The first error line; notes and snippets follow it."""
    return next((line for line in output.splitlines() if "error:" in line), "")


def main():
    compilers = [compiler for compiler in COMPILERS if shutil.which(compiler[0])]
    if not compilers:
        skip("all", "no compiler that is known here is installed")
        return
    for name, text in GOOD.items():
        problems = []
        for compiler in compilers:
            status, output = compile_text(compiler, text)
            if status != 0 or output:
                problems += [" ".join(compiler), *output.splitlines()[:8]]
        check_none(name, problems)
    for name, (text, sentence) in BAD.items():
        problems = []
        for compiler in compilers:
            status, output = compile_text(compiler, text)
            if status == 0:
                problems.append(f"{' '.join(compiler)} took it")
            elif not re.search(sentence, first_error(output)):
                problems += [f"{' '.join(compiler)} does not say: {sentence}",
                             *output.splitlines()[:8]]
        check_none(name, problems)


if __name__ == "__main__":
    main()
