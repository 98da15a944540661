/* SPDX-License-Identifier: Apache-2.0 */
/* member_memory.c - see member_memory.h. Tests: tests/engine/member_memory_test.c. */
#include "engine/member_memory.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"

haft_status haft__member_memory_find(haft__member_memory **list, haft_str key,
                                     haft__member_memory **ret_memory, haft_error *err)
{
    haft__member_memory *memory = *list;
    while (memory != NULL && !haft__str_equal((haft_str){memory->key, sizeof(memory->key)}, key)) {
        memory = memory->next;
    }
    if (memory == NULL) {
        memory = calloc(1, sizeof(*memory));
        if (memory == NULL) {
            return haft__fail_no_memory(err);
        }
        memcpy(memory->key, key.ptr, sizeof(memory->key));
        memory->next = *list;
        *list = memory;
    }
    *ret_memory = memory;
    return HAFT_OK;
}

bool haft__member_memory_learn(haft__member_memory *memory, haft__member_set sent,
                               const haft__left_out *left_out, uint64_t now_ms)
{
    bool is_new = false;
    memory->accepted |= sent;
    for (size_t i = 0; i < HAFT__MEMBER_COUNT; i++) {
        bool known =
            (HAFT__MEMBER_WITH_TEXT & HAFT__MEMBER_BIT(i)) == 0 || left_out->texts->hash[i] != 0;
        haft__refusal refusal = {.member = (haft__member)i,
                                 .status = left_out->statuses[i],
                                 .text = left_out->texts->hash[i],
                                 .at_ms = now_ms};
        /* A server error may be temporary: only this run omits the member. */
        if ((left_out->members & ~sent & HAFT__MEMBER_BIT(i)) != 0 && known && refusal.status < 500
            && haft__refusals_find(&memory->refused, refusal.member, left_out->texts, now_ms)
                   == NULL) {
            haft__refusals_add(&memory->refused, refusal);
            is_new = true;
        }
    }
    return is_new;
}

void haft__member_memory_free(haft__member_memory *list)
{
    while (list != NULL) {
        haft__member_memory *next = list->next;
        free(list);
        list = next;
    }
}
