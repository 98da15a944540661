/* SPDX-License-Identifier: Apache-2.0 */
/* name_list.c - lists of tools in texts for a model. Tests: tests/choice/name_list_test.c. */
#include "base/limits.h"
#include "choice/choice_int.h"
#include "tool/wire_name.h"

void haft__name_list_add(haft__name_list *names, haft_str name)
{
    if (names->shown == HAFT__LIMIT_CHOICE_NAMES) {
        names->left++;
        return;
    }
    if (names->shown > 0) {
        haft__buf_add_str(names->buf, HAFT__LIT(", "));
    }
    haft__wire_name_add(names->buf, name);
    names->shown++;
}

void haft__name_list_end(haft__name_list *names)
{
    if (names->left > 0) {
        haft__buf_addf(names->buf, " and %zu more", names->left);
    }
}

void haft__name_list_add_uncalled(haft__buf *buf, uint32_t missing, const haft__choice_tool *tools,
                                  size_t tool_count)
{
    haft__name_list names = {buf, 0, 0};
    for (size_t i = 0; i < tool_count; i++) {
        if (haft__choice_is_uncalled(&tools[i])) {
            if (names.shown == 0) {
                haft__buf_addf(buf, "call %u more of: ", missing);
            }
            haft__name_list_add(&names, tools[i].name);
        }
    }
    if (names.shown == 0) {
        haft__buf_addf(buf, "call %u more tool%s that you have not called yet", missing,
                       missing == 1 ? "" : "s");
    }
    haft__name_list_end(&names);
}
