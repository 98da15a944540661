/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/code_arguments.c: code in a command that may use arguments as code. */
#include "tool/code_arguments.h"

#include "base/str.h"
#include "test.h"
#include "json/read.h"

typedef struct row {
    const char *command; /* words, separated by "~"; t and u are texts, n is a number */
    const char *wanted;  /* the argument that is reported */
} row;

static const row rows[] = {
    /* arguments that are only data */
    {"sh~-c~ls \"$1\"~sh~{t}", ""},
    {"sh~-ec~ls -- \"$@\"~sh~{t}~{u}", ""},
    {"env~A=1~bash~-c~grep -c x \"$1\" | sort~bash~{t}", ""},
    {"busybox~sh~-c~wc -l \"$1\"~sh~{t}", ""},
    {"sh~-c~awk \"{print}\" \"$1\"; sed s/a/b/ \"$1\"; jq .a \"$1\"~sh~{t}", ""},
    {"sh~-c~./tool.sh \"$1\"~sh~{t}", ""},
    {"sh~do.sh~{t}", ""},
    {"sh~-c~eval \"$1\"~sh~{n}", ""},
    {"sh~-c~eval \"$1\"~sh", ""},
    {"python3~-c~import re, sys; print(re.compile('a').sub('', sys.argv[1]))~{t}", ""},
    {"node~-e~console.log(require('fs').readFileSync(process.argv[1]))~{t}", ""},
    {"awk~{print $1 || 0}~{t}", ""},
    {"sed~s/system/x/~{t}", ""},
    {"jq~.eval~{t}", ""},
    /* arguments that may be more than data */
    {"sh~-c~eval \"$1\"~sh~{t}", "t"},
    {"sh~-c~$0~{t}", "t"},
    {"bash~-c~$1~x~{t}", "t"},
    {"bash~-c~\"$@\"~x~{t}", "t"},
    {"bash~-c~\"$1\" \"$2\"~x~{n}~{u}", "u"},
    {"/bin/bash~-c~ls $1~x~{t}", "t"},
    {"timeout~5~sh~-c~. \"$1\"~x~{t}", "t"},
    {"busybox~sh~-c~eval \"$1\"~sh~{t}", "t"},
    {"docker~exec~c~sh~-c~eval \"$1\"~sh~{t}", "t"},
    {"./wrap~sh~-c~eval \"$1\"~x~{t}", "t"},
    {"find~.~-exec~sh~-c~eval \"$1\"~sh~{t}~;", "t"},
    {"sh~-c~sh -c \"$1\"~sh~{t}", "t"},
    {"sh~-c~sh -c \"ls $1\"~sh~{t}", "t"},
    {"sh~-c~sh -c 'ls \"$1\"' sh \"$1\"~sh~{t}", "t"},
    {"sh~-c~timeout 5 \"$1\"~sh~{t}", "t"},
    {"sh~-c~env \"$1\" ls~sh~{t}", "t"},
    {"sh~-c~awk \"$1\" file~sh~{t}", "t"},
    {"sh~-c~python3 -c 'exec(1)' \"$1\"~sh~{t}", "t"},
    {"sh~-c~echo \"$1\" | sh~sh~{t}", "t"},
    {"sh~-c~echo \"$1\" | xargs ls~sh~{t}", "t"},
    {"sh~-c~git \"$1\"~sh~{t}", "t"},
    {"python3~-c~import os,sys;os.system(sys.argv[1])~{t}", "t"},
    {"python3.11~-c~exec(__import__('sys').argv[1])~{t}", "t"},
    {"perl~-e~`$ARGV[0]`~{t}", "t"},
    {"perl~-e~system @ARGV~{t}", "t"},
    {"ruby~-e~exec ARGV[0]~{t}", "t"},
    {"node~-e~require('child_process').execSync(process.argv[1])~{t}", "t"},
    {"node~-e~eval(process.argv[1])~{t}", "t"},
    {"php~-r~system($argv[1]);~{t}", "t"},
    {"lua~-e~os.execute(arg[1])~{t}", "t"},
    {"awk~-v~c={t}~BEGIN { system(c) }", "t"},
    {"awk~BEGIN { print 1 | ARGV[1] }~{t}", "t"},
    {"fish~-c~ls~{t}", "t"},
};

TEST(code_that_may_use_an_argument_as_more_than_data_is_found)
{
    static const char schema_text[] = "{\"properties\":{\"t\":{},\"u\":{},\"n\":{\"type\":"
                                      "\"integer\"}},\"required\":[\"t\",\"u\",\"n\"]}";
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = {0}, items[16];
        size_t count = 0;
        haft__command_words words;
        haft__code_argument found;
        CHECK_INT(haft__json_read(&arena, haft__str(schema_text), NULL, &schema, NULL, NULL),
                  HAFT_OK, "the schema is JSON");
        for (haft_str rest = haft__str(rows[i].command); rest.len > 0 && count < COUNT(items);) {
            items[count++] = haft__json_string(haft__str_split(&rest, '~'));
        }
        CHECK_INT(
            haft__command_words_read(&arena, haft__json_array(items, count), schema, &words, NULL),
            HAFT_OK, "read the words");
        CHECK_INT(haft__code_arguments_find(&arena, &words, &found, NULL), HAFT_OK,
                  "search the code");
        CHECK_STR(found.argument, haft__str(rows[i].wanted), "%s", rows[i].command);
        haft__arena_finish(&arena);
    }
}
