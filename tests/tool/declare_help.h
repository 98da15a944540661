/* SPDX-License-Identifier: Apache-2.0 */
/* declare_help.h - a tool with a field of every type, for the tests of declarations. */
#ifndef HAFT_TESTS_DECLARE_HELP_H
#define HAFT_TESTS_DECLARE_HELP_H

#include "haft.h"
#include "tool/declare.h"
#include "tool_help.h"

HAFT_OBJECT(point, HAFT_NUMBER(x, "To the right"), HAFT_NUMBER_OR(y, 2.5, "Upwards"));

HAFT_OBJECT(place, HAFT_STRING(label, "What it is called"), HAFT_NESTED(at, point, "Where it is"),
            HAFT_NESTED_LIST(path, point, ""), HAFT_OPTIONAL_STRINGS(tags, "Words for it"));

/* Every type, required or with a default: 16 fields, which is the maximum. */
HAFT_TOOL_WITH(HAFT_READ_ONLY | HAFT_COST_FREE, sixteen, "Take a field of every sort.",
               HAFT_STRING(text, "Any text"), HAFT_INTEGER(count, "How many"),
               HAFT_NUMBER(ratio, "How much"), HAFT_BOOLEAN(flag, "Whether"),
               HAFT_ENUM(unit, "Of what", "metre", "mile"), HAFT_STRINGS(words, "Words"),
               HAFT_INTEGERS(counts, "Counts"), HAFT_NUMBERS(ratios, "Ratios"),
               HAFT_BOOLEANS(flags, "Flags"), HAFT_ENUMS(units, "Units", "metre", "mile"),
               HAFT_NESTED(where, place, "A place"), HAFT_STRING_OR(name, "none", "A name"),
               HAFT_INTEGER_OR(limit, 10, "Most of them"), HAFT_NUMBER_OR(scale, 1, "A factor"),
               HAFT_BOOLEAN_OR(strict, true, "Whether strictly"),
               HAFT_ENUM_OR(order, "up", "Which way", "up", "down"))
{
    return haft_replyf(call, "%.*s %lld %s", HAFT_STR(args->text), args->limit,
                       args->strict ? "strict" : "lax");
}

HAFT_TOOL(optional, "Take fields that may be left out.", HAFT_OPTIONAL_STRING(text, "Any text"),
          HAFT_OPTIONAL_INTEGER(count, "How many"), HAFT_OPTIONAL_NUMBER(ratio, "How much"),
          HAFT_OPTIONAL_BOOLEAN(flag, "Whether"),
          HAFT_OPTIONAL_ENUM(unit, "Of what", "metre", "mile"),
          HAFT_OPTIONAL_NESTED(at, point, "Where"), HAFT_OPTIONAL_STRINGS(words, "Words"),
          HAFT_OPTIONAL_INTEGERS(counts, "Counts"), HAFT_OPTIONAL_NUMBERS(ratios, "Ratios"),
          HAFT_OPTIONAL_BOOLEANS(flags, "Flags"),
          HAFT_OPTIONAL_ENUMS(units, "Units", "metre", "mile"),
          HAFT_OPTIONAL_NESTED_LIST(path, point, "A way"))
{
    return haft_replyf(call, "%s", args->text.ptr != NULL ? "given" : "not given");
}

HAFT_TOOL(nothing, "Take nothing at all.")
{
    return haft_replyf(call, "%s", args != NULL ? "nothing" : "NULL");
}

static inline const haft_tool *const *help_tools(void)
{
    static const haft_tool *const tools[] = {&sixteen_tool, &optional_tool, &nothing_tool, NULL};
    return tools;
}

#endif
