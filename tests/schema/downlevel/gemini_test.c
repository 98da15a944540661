/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/downlevel/gemini.c, and for the keywords of Gemini. */
#include "model/reply_help.h"
#include "schema/downlevel/downlevel.h"
#include "json/read.h"
#include "json/write.h"

static const struct {
    const char *name, *schema, *wanted, *reported;
} schemas[] = {
    {"what Gemini knows",
     "{'type':'object','properties':{'q':{'type':'string','description':'d','enum':['a','b']},"
     "'n':{'type':['integer','null'],'minimum':1,'maximum':9},'l':{'type':'array','items':"
     "{'type':'number'},'minItems':1,'maxItems':3},'d':{'type':'string','format':'date'}},"
     "'required':['q'],'additionalProperties':false}",
     "{'type':'object','properties':{'q':{'type':'string','description':'d','enum':['a','b']},"
     "'n':{'type':['integer','null'],'minimum':1,'maximum':9},'l':{'type':'array','items':"
     "{'type':'number'},'minItems':1,'maxItems':3},'d':{'type':'string','format':'date'}},"
     "'required':['q'],'additionalProperties':false}",
     ""},
    {"keywords that Gemini does not know",
     "{'type':'object','properties':{'q':{'type':'string','pattern':'^a','minLength':2,"
     "'format':'uuid'},'n':{'type':'number','exclusiveMinimum':0,'multipleOf':2}}}",
     "{'type':'object','properties':{'q':{'type':'string'},'n':{'type':'number'}}}",
     "/t/properties/q: pattern \"^a\" became nothing: not supported by the server\n"
     "/t/properties/q: minLength 2 became nothing: not supported by the server\n"
     "/t/properties/q: format \"uuid\" became any string: not supported by the server\n"
     "/t/properties/n: exclusiveMinimum 0 became nothing: not supported by the server\n"
     "/t/properties/n: multipleOf 2 became nothing: not supported by the server\n"},
    {"a constant", "{'type':'object','properties':{'k':{'const':'x'},'b':{'const':true}}}",
     "{'type':'object','properties':{'k':{'enum':['x']},'b':{}}}",
     "/properties/b: const true became any value: the server supports strings and numbers only"},
    {"values of several types", "{'type':'object','properties':{'k':{'enum':['x',null]}}}",
     "{'type':'object','properties':{'k':{}}}", "/properties/k: enum"},
    {"names of properties",
     "{'type':'object','properties':{'a-b':{'type':'string'},'c':{'type':'string'}},"
     "'required':['a-b','c'],'additionalProperties':false}",
     "{'type':'object','properties':{'c':{'type':'string'}},'required':['c']}",
     "/properties/a-b: a property with this name became nothing"},
    {"a reference",
     "{'type':'object','properties':{'p':{'$ref':'#/$defs/x','title':'t'}},"
     "'$defs':{'x':{'type':'string','pattern':'a'}}}",
     "{'type':'object','properties':{'p':{'$ref':'#/$defs/d0'}}}{'d0':{'type':'string'}}",
     "pattern"},
    {"recursion",
     "{'type':'object','properties':{'t':{'$ref':'#/$defs/n'}},'$defs':{'n':{'type':'object',"
     "'properties':{'next':{'$ref':'#/$defs/n'}}}}}",
     "{'type':'object','properties':{'t':{'$ref':'#/$defs/d0'}}}{'d0':{'type':'object',"
     "'properties':{'next':{}}}}",
     "any value: the server supports no recursion"},
    {"a root that is a reference",
     "{'$ref':'#/$defs/x','$defs':{'x':{'type':'object','properties':{'a':{'type':'string'}}}}}",
     "{'$ref':'#/$defs/d0'}{'d0':{'type':'object','properties':{'a':{'type':'string'}}}}", ""},
    {"alternatives",
     "{'type':'object','properties':{'a':{'oneOf':[{'type':'string'},{'type':'null'}]}}}",
     "{'type':'object','properties':{'a':{'anyOf':[{'type':'string'},{'type':'null'}]}}}", "oneOf"},
};

static void check_schema(size_t i, haft__json schema, haft__arena *arena)
{
    haft__downlevel d;
    haft__relax_report report;
    haft__buf found, lines;
    haft__buf_init(&found, 1 << 20);
    haft__buf_init(&lines, 1 << 20);
    haft__relax_report_init(&report, arena);
    haft__downlevel_init(&d, HAFT__TARGET_GEMINI, &report);
    haft__json made = haft__downlevel_translate(&d, HAFT__LIT("/t"), schema);
    CHECK_INT(haft__downlevel_check(&d, NULL), HAFT_OK, "%s", schemas[i].name);
    haft__json_write(&found, made);
    if (haft__downlevel_defs(&d).count > 0) {
        haft__json_write(&found, haft__downlevel_defs(&d));
    }
    CHECK_STR(haft__buf_str(&found), help_quotes(schemas[i].wanted), "%s", schemas[i].name);
    haft__relax_report_write(&lines, &report);
    bool reported =
        lines.len > 0
        && memmem(lines.ptr, lines.len, schemas[i].reported, strlen(schemas[i].reported)) != NULL;
    CHECK_INT(reported, schemas[i].reported[0] != '\0', "%s: %.*s", schemas[i].name,
              HAFT__ARG(haft__buf_str(&lines)));
    haft__downlevel_finish(&d);
    haft__buf_finish(&found);
    haft__buf_finish(&lines);
}

TEST(keywords_unknown_to_gemini_are_left_out_and_reported)
{
    for (size_t i = 0; i < COUNT(schemas); i++) {
        haft__arena arena;
        haft__json schema = haft__json_null();
        haft__arena_init(&arena, 0);
        CHECK_INT(
            haft__json_read(&arena, help_quotes(schemas[i].schema), NULL, &schema, NULL, NULL),
            HAFT_OK, "%s", schemas[i].name);
        check_schema(i, schema, &arena);
        haft__arena_finish(&arena);
    }
}
