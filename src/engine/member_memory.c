/* SPDX-License-Identifier: Apache-2.0 */
/* member_memory.c - see member_memory.h. Tests: tests/engine/member_memory_test.c. */
#include "engine/member_memory.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"

static bool is_for(const haft__member_memory *memory, haft_str url, haft_str model)
{
    haft_str own_url = {memory->key, memory->url_length};
    return haft__str_equal(own_url, url)
           && haft__str_equal(haft__str(memory->key + memory->url_length), model);
}

static void copy(char *to, haft_str from)
{
    if (from.len > 0) {
        memcpy(to, from.ptr, from.len);
    }
}

haft_status haft__member_memory_find(haft__member_memory **list, haft_str url, haft_str model,
                                     haft__member_memory **ret_memory, haft_error *err)
{
    haft__member_memory *memory = *list;
    while (memory != NULL && !is_for(memory, url, model)) {
        memory = memory->next;
    }
    if (memory == NULL) {
        memory = calloc(1, sizeof(*memory) + url.len + model.len + 1);
        if (memory == NULL) {
            return haft__fail_no_memory(err);
        }
        copy(memory->key, url);
        copy(memory->key + url.len, model);
        memory->url_length = url.len;
        memory->next = *list;
        *list = memory;
    }
    *ret_memory = memory;
    return HAFT_OK;
}

bool haft__member_memory_learn(haft__member_memory *memory, haft__member_set sent,
                               haft__member_set refused,
                               const uint16_t statuses[HAFT__MEMBER_COUNT])
{
    haft__member_set before = memory->refused;
    memory->accepted |= sent;
    for (size_t i = 0; i < HAFT__MEMBER_COUNT; i++) {
        /* A server error may be over already: only the run itself leaves the member out. */
        if ((refused & ~sent & HAFT__MEMBER_BIT(i)) != 0 && statuses[i] < 500) {
            memory->refused |= HAFT__MEMBER_BIT(i);
            memory->statuses[i] = statuses[i];
        }
    }
    return memory->refused != before;
}

void haft__member_memory_free(haft__member_memory *list)
{
    while (list != NULL) {
        haft__member_memory *next = list->next;
        free(list);
        list = next;
    }
}
