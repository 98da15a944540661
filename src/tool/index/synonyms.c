/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synonyms.c - a table of synonyms in the vocabulary of tools, as stems. Users write "folder", but
 * tools write "directory". Abbreviations are in abbreviations.c.
 *
 * Tests: tests/tool/index/synonyms_test.c.
 */
#include "tool/index/synonyms.h"

#include "base/macros.h"
#include "base/str.h"

/* A row of synonyms. */
static const char *const rows[] = {
    /* nouns */
    "folder directori",
    "file document doc",
    "issu ticket bug",
    "imag pictur photo",
    "email mail inbox",
    "messag chat",
    "repli answer respond",
    "comment note remark",
    "meet event appoint",
    "calendar agenda schedul",
    "webpag websit page site",
    "url link",
    "column field",
    "row record",
    "user peopl person member",
    "bill invoic",
    "refund monei",
    "set configur prefer",
    "log histori",
    "script code",
    "task todo",
    "pod contain",
    "address locat place",
    "direct rout",
    "high height elev altitud",
    "timezon time",
    "weather forecast",
    "news headlin articl",
    "movi film",
    "song music track",
    "vehicl car automobil",
    "price cost",
    "compani busi firm",
    "job career",
    "recip cook",
    "stock share",
    /* verbs */
    "creat make new",
    "delet remov eras forget",
    "search find look",
    "get fetch retriev read",
    "download fetch",
    "show displai view list",
    "write save store",
    "edit modifi chang updat",
    "renam move",
    "copi duplic fork",
    "send post publish",
    "run execut",
    "click press",
    "fill type enter",
    "switch checkout",
    "undo reset revert",
    "compar diff differ",
    "close resolv",
    "open launch",
    "start begin",
    "stop cancel termin",
    "add sum plu",
    "calcul comput",
    "convert transform",
    "bui purchas",
    "book reserv",
    "approv review",
    "react reaction",
    "navig browser brows",
    "join merg combin",
};

/* Whether a row contains the word. Each word of a query is compared with all rows, so the row is
 * read only once and not split. */
static bool has_word(const char *row, haft_str word)
{
    for (const char *at = row; *at != '\0'; at += *at == ' ') {
        size_t same = 0;
        while (same < word.len && at[same] != '\0' && at[same] == word.ptr[same]) {
            same++;
        }
        at += same;
        if (same == word.len && (*at == ' ' || *at == '\0')) {
            return true;
        }
        while (*at != ' ' && *at != '\0') {
            at++;
        }
    }
    return false;
}

haft_str haft__search_synonyms(haft_str stem, size_t *at)
{
    while (*at < COUNT(rows)) {
        const char *row = rows[(*at)++];
        if (has_word(row, stem)) {
            return haft__str(row);
        }
    }
    return (haft_str){NULL, 0};
}
