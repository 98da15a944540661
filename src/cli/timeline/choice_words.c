/* SPDX-License-Identifier: Apache-2.0 */
/* choice_words.c - see cli/timeline/choice_words.h. Tests: tests/cli/timeline/choice_words_test.c.
 */
#include "cli/timeline/choice_words.h"

#include "base/str.h"
#include "json/object.h"

/* Adds ": 1 of 3 done", unless the gate is open or the turn has no gate. */
static void add_gate(haft__buf *buf, const haft__event *turn)
{
    haft__json gate = haft__object_get(turn->object, "gate");
    if (!haft__object_flag(gate, "open", true)) {
        haft__buf_addf(buf, ": %u of %llu done", haft__object_array(gate, "called").count,
                       (unsigned long long)haft__object_number(gate, "threshold", 0));
    }
}

void haft__choice_words_add(haft__buf *buf, const haft__event *turn)
{
    haft_str mode = haft__object_text(turn->object, "mode");
    if (haft__str_equal(mode, HAFT__LIT("any"))) {
        haft__buf_add_str(buf, HAFT__LIT("must use a tool"));
        add_gate(buf, turn);
    } else if (haft__str_equal(mode, HAFT__LIT("tool"))) {
        haft__buf_add_str(buf, HAFT__LIT("must use "));
        haft__buf_add_str(buf, haft__object_text(turn->object, "tool"));
        add_gate(buf, turn);
    } else if (haft__str_equal(mode, HAFT__LIT("auto"))) {
        haft__buf_add_str(buf, HAFT__LIT("free to answer"));
    } else if (haft__str_equal(mode, HAFT__LIT("none"))) {
        haft__buf_add_str(buf, HAFT__LIT("must answer"));
        if (haft__event_flag(turn, "final")) {
            haft__buf_add_str(buf, HAFT__LIT(": "));
            haft__buf_add_str(buf, haft__object_text(turn->object, "reason"));
        }
    }
}
