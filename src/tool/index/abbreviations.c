/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abbreviations.c - a table of abbreviations.
 *
 * An abbreviation is the same word, not a synonym: a tool has a parameter `repo` and creates a
 * repository. Only unambiguous abbreviations are here: "temp" and "spec" are not.
 *
 * Tests: tests/tool/index/abbreviations_test.c.
 */
#include "tool/index/abbreviations.h"

#include <stdlib.h>

#include "base/macros.h"
#include "base/str.h"

#define LONGEST 6U

typedef struct row {
    const char *stem, *whole;
} row;

/* In alphabetical order. */
static const row rows[] = {
    {"addr", "address"},
    {"amt", "amount"},
    {"app", "application"},
    {"arg", "argument"},
    {"attr", "attribute"},
    {"auth", "authentication"},
    {"calc", "calculate"},
    {"cfg", "configuration"},
    {"cmd", "command"},

    {"config", "configuration"},
    {"db", "database"},
    {"dept", "department"},
    {"desc", "description"},
    {"dest", "destination"},
    {"dir", "directory"},
    {"env", "environment"},
    {"func", "function"},
    {"img", "image"},
    {"info", "information"},
    {"js", "javascript"},
    {"k8s", "kubernetes"},
    {"lang", "language"},
    {"lib", "library"},
    {"msg", "message"},
    {"num", "number"},
    {"org", "organization"},
    {"param", "parameter"},
    {"pkg", "package"},
    {"pr", "pull request"},
    {"pwd", "password"},
    {"py", "python"},
    {"qty", "quantity"},
    {"repo", "repository"},
    {"req", "request"},
    {"src", "source"},
    {"sync", "synchronize"},
    {"tz", "timezone"},
    {"vid", "video"},
};

static int compare(const void *key, const void *item)
{
    return haft__str_compare(*(const haft_str *)key, haft__str(((const row *)item)->stem));
}

haft_str haft__search_abbreviation(haft_str stem)
{
    const row *found =
        stem.len <= LONGEST ? bsearch(&stem, rows, COUNT(rows), sizeof(rows[0]), compare) : NULL;
    return haft__str(found != NULL ? found->whole : "");
}
