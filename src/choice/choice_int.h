/* SPDX-License-Identifier: Apache-2.0 */
/* choice/choice_int.h - what the files of this directory share. */
#ifndef HAFT_CHOICE_CHOICE_INT_H
#define HAFT_CHOICE_CHOICE_INT_H

#include "base/str.h"
#include "choice/choice.h"

/* A list of names in a text for a model: "glob, grep and 3 more", so that no offer makes it long.
 */
typedef struct haft__name_list {
    haft__buf *buf;
    size_t shown, left; /* written, and only counted */
} haft__name_list;

void haft__name_list_add(haft__name_list *names, haft_str name);
void haft__name_list_end(haft__name_list *names);

/* Appends "call 2 more of: grep, read": data tools that a call of would count for the first time.
 * Without tools to name, says so in general. */
void haft__name_list_add_uncalled(haft__buf *buf, uint32_t missing, const haft__choice_tool *tools,
                                  size_t tool_count);

/* Counting a call of it would bring the gate nearer to opening. */
static inline bool haft__choice_is_uncalled(const haft__choice_tool *tool)
{
    return tool->role == HAFT__ROLE_DATA && !tool->finished && !tool->rejected;
}

#endif
