/* SPDX-License-Identifier: Apache-2.0 */
/* preview_help.c - see preview_help.h. */
#include "engine/ops/preview_help.h"

#include <string.h>

#include "base/str.h"

void help_preview(const char *words, const char *task, haft__arena *arena, help_spec *s,
                  haft__first_turn_preview *ret_first)
{
    help_spec_init(s, arena, haft__str(words));
    CHECK_INT(haft__first_turn_decide_with(arena, &s->spec, haft__str(task), HELP_KEY,
                                           s->servers.listings, s->servers.count, ret_first, NULL),
              HAFT_OK, "%s", words);
}

haft_str help_without_scores(haft_str text)
{
    haft__buf made;
    haft__buf_init(&made, 1 << 16);
    for (size_t i = 0; i < text.len; i++) {
        haft_str rest = haft__str_skip(text, i);
        haft_str mark = haft__str_starts_with(rest, HAFT__LIT("score ")) ? HAFT__LIT("score ")
                                                                         : HAFT__LIT("\"score\":");
        if (!haft__str_starts_with(rest, mark)) {
            haft__buf_add_char(&made, text.ptr[i]);
            continue;
        }
        haft__buf_addf(&made, "%sN", mark.ptr);
        for (i += mark.len; i < text.len && strchr("0123456789.", text.ptr[i]) != NULL; i++) {
        }
        i--;
    }
    haft_str kept = help_keep(haft__buf_str(&made));
    haft__buf_finish(&made);
    return kept;
}
