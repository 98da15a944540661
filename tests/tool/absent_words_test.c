/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/absent_words.c: words of a command whose argument is missing. */
#include "tool/absent_words.h"

#include "base/buf.h"
#include "test.h"
#include "json/read.h"

/* n is a number, and d has a default. */
#define SCHEMA                                                                                     \
    "{\"properties\":{\"t\":{},\"u\":{},\"n\":{\"type\":\"integer\"},"                             \
    "\"d\":{\"default\":\"x\"}},\"required\":[\"u\"]}"

typedef struct row {
    const char *command; /* a JSON array with ' for " */
    const char *wanted;  /* for each word with an argument; "!" if the argument may be missing */
} row;

static const row rows[] = {
    {"['ls','{t}']", "word!"},
    {"['ls','{u}','{d}']", "word word"},
    {"['rg','-e','{t}','--','{u}']", "option! word"},
    {"['rg','-e{t}','--','{u}']", "option! word"},
    {"['rg','--regexp','{t}','{u}']", "option! word"},
    {"['rg','--reg','{t}','{u}']", "option! word"},
    {"['rg','-m','{n}','{u}']", "option! word"},
    {"['rg','--regexp={t}','{u}']", "word! word"},
    {"['rg','-i','{t}','{u}']", "word! word"},
    {"['rg','-ie','{t}','{u}']", "unsure! word"},
    {"['rg','--strange','{t}','{u}']", "unsure! word"},
    {"['rg','--strange=1','{t}','{u}']", "word! word"},
    {"['rg','-e{u}','{t}']", "option word!"},
    {"['rg','-{n}','{t}']", "word! unsure!"},
    {"['nice','rg','-e','{t}','{u}']", "option! word"},
    {"['nice','./x','-e','{t}','{u}']", "unsure! word"},
    {"['./x','-e','{t}']", "unsure!"},
    {"['./x','-e','{d}','{u}']", "unsure word"},
    {"['./x','-e{t}','{u}']", "unsure! unsure"},
    {"['./x','-e=1','{t}']", "unsure!"},
    {"['./x','-','{t}']", "word!"},
    {"['./x','--','-o','{t}']", "unsure!"}, /* ./x may start a program */
    {"['ls','--','-o','{t}']", "word!"},
    {"['ls','-l','{t}','{u}']", "word! word"},
    {"['ls','-I','{t}','--','{u}']", "unsure! word"},
    {"['ls','-I','{t}','{n}','--','{u}']", "unsure! word! word"},
    {"['head','-c','{n}','{u}']", "option! word"},
    {"['tar','xf','{t}','{u}']", "unsure! word"},
    {"['tar','xfC','a.tar','{t}','{u}']", "unsure! word"},
    {"['tar','-x','-f','{t}','{u}']", "option! word"},
    {"['jq','--arg','x','{t}','.','{u}']", "unsure! word"},
    {"['sqlite3','-separator','{t}','a.db','select 1']", "option!"},
    {"['find','.','-name','{t}','-type','f']", "unsure!"},
    {"['sh','x.sh','-o','{t}','{u}']", "unsure! word"},
};

static const char *describe(haft__word_absence absence)
{
    switch (absence) {
    case HAFT__ABSENT_WORD: return "word";
    case HAFT__ABSENT_OPTION: return "option";
    case HAFT__ABSENT_UNSURE: return "unsure";
    }
    return "?";
}

static haft__json read_json(haft__arena *arena, const char *text)
{
    haft__json value = {0};
    char copy[512];
    (void)snprintf(copy, sizeof(copy), "%s", text);
    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    haft_str kept = haft__arena_copy(arena, haft__str(copy));
    CHECK_INT(haft__json_read(arena, kept, NULL, &value, NULL, NULL), HAFT_OK, "%s", text);
    return value;
}

TEST(an_option_without_its_value_is_left_out_or_comes_last)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf shown;
    haft__buf_init(&shown, 4096);
    haft__json schema = read_json(&arena, SCHEMA);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__command_words words;
        CHECK_INT(haft__command_words_read(&arena, read_json(&arena, rows[i].command), schema,
                                           &words, NULL),
                  HAFT_OK, "read the words");
        haft__buf_clear(&shown);
        for (size_t k = 0; k < words.count; k++) {
            if (words.items[k].argument.ptr != NULL) {
                haft__buf_addf(&shown, "%s%s%s", shown.len > 0 ? " " : "",
                               describe(words.items[k].absence),
                               words.items[k].missable ? "!" : "");
            }
        }
        CHECK_STR(haft__buf_str(&shown), haft__str(rows[i].wanted), "%s", rows[i].command);
    }
    haft__buf_finish(&shown);
    haft__arena_finish(&arena);
}
