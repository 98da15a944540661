/* SPDX-License-Identifier: Apache-2.0 */
/* choice/choice_int.h - declarations shared by the files of src/choice. */
#ifndef HAFT_CHOICE_CHOICE_INT_H
#define HAFT_CHOICE_CHOICE_INT_H

#include "base/str.h"
#include "choice/choice.h"

/* A list of names in a text for a model: "glob, grep and 3 more". The number of shown names is
 * limited. */
typedef struct haft__name_list {
    haft__buf *buf;
    size_t shown, left; /* number of written names; number of other names */
} haft__name_list;

void haft__name_list_add(haft__name_list *names, haft_str name);
void haft__name_list_end(haft__name_list *names);

/* Appends "call 2 more of: grep, read", with the data tools that do not count for the gate yet. If
 * there are no such tools, appends a general text. */
void haft__name_list_add_uncalled(haft__buf *buf, uint32_t missing, const haft__choice_tool *tools,
                                  size_t tool_count);

/* Whether a finished call of the tool would increase the count of the gate. */
static inline bool haft__choice_is_uncalled(const haft__choice_tool *tool)
{
    return tool->role == HAFT__ROLE_DATA && !tool->finished && !tool->rejected;
}

#endif
