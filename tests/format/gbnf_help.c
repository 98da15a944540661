/* SPDX-License-Identifier: Apache-2.0 */
/* gbnf_help.c - see gbnf_help.h. A test ends if it is out of memory. */
#include "gbnf_help.h"

#include <stdlib.h>
#include <string.h>

#include "format/grammar/gbnf_reader.h"

struct gbnf {
    haft__arena arena;
    const haft__gbnf_grammar *rules;
};

gbnf *gbnf_read(haft_str text, const char **ret_why)
{
    static char why[sizeof(((haft_error *)0)->message)];
    haft_error err = {0};
    gbnf *g = calloc(1, sizeof *g);
    if (g == NULL) {
        abort();
    }
    haft__arena_init(&g->arena, 0);
    haft_str kept = haft__arena_copy(&g->arena, text); /* names point into it */
    haft_status status = haft__gbnf_read(&g->arena, kept, &g->rules, &err);
    if (status == HAFT_NO_MEMORY) {
        abort();
    }
    memcpy(why, err.message, sizeof why);
    *ret_why = status == HAFT_OK ? NULL : why;
    if (status != HAFT_OK) {
        gbnf_free(g);
        return NULL;
    }
    return g;
}

void gbnf_free(gbnf *grammar)
{
    if (grammar != NULL) {
        haft__arena_finish(&grammar->arena);
        free(grammar);
    }
}

static bool match(const gbnf *grammar, haft_str text, bool begins)
{
    bool matches = false;
    if (haft__gbnf_match(grammar->rules, text, begins, &matches, NULL) != HAFT_OK) {
        abort();
    }
    return matches;
}

bool gbnf_accepts(const gbnf *grammar, haft_str text)
{
    return match(grammar, text, false);
}

bool gbnf_begins(const gbnf *grammar, haft_str text)
{
    return match(grammar, text, true);
}
