/* SPDX-License-Identifier: Apache-2.0 */
/* aho_corasick.c - see aho_corasick.h. Tests: tests/format/aho_corasick_test.c. */
#include "format/aho_corasick.h"

#include <assert.h>

#include "base/error.h"

static uint16_t find_child(const haft__aho_corasick *marks, uint16_t node, char byte)
{
    uint16_t depth = marks->nodes[node].depth;
    for (uint16_t at = marks->nodes[node].child; at != 0; at = marks->nodes[at].sibling) {
        if (marks->nodes[at].text[depth] == byte) {
            return at;
        }
    }
    return 0;
}

static void add_text(haft__aho_corasick *marks, const char *text, uint16_t number)
{
    uint16_t node = 0;
    for (uint16_t depth = 0; text[depth] != '\0'; depth++) {
        uint16_t next = find_child(marks, node, text[depth]);
        if (next == 0) {
            next = marks->count++;
            marks->nodes[next] = (haft__aho_corasick_node){
                .text = text, .depth = depth + 1U, .sibling = marks->nodes[node].child};
            marks->nodes[node].child = next;
        }
        node = next;
    }
    marks->nodes[node].mark = number + 1U;
}

/* Visits the nodes by depth: a parent has a lower number than its child only within one text. */
static void link_failures(haft__aho_corasick *marks, uint16_t deepest)
{
    for (uint16_t depth = 1; depth < deepest; depth++) {
        for (uint16_t node = 1; node < marks->count; node++) {
            if (marks->nodes[node].depth != depth) {
                continue;
            }
            for (uint16_t at = marks->nodes[node].child; at != 0; at = marks->nodes[at].sibling) {
                char byte = marks->nodes[at].text[depth];
                marks->nodes[at].fail =
                    haft__aho_corasick_step(marks, marks->nodes[node].fail, byte);
            }
        }
    }
}

static void set_starts(haft__aho_corasick *marks, const char *const *texts, size_t count)
{
    marks->first_byte = (unsigned char)texts[0][0];
    for (size_t i = 0; i < count; i++) {
        unsigned char first = (unsigned char)texts[i][0];
        marks->starts[first] = true;
        if (first != marks->first_byte) {
            marks->first_byte = -1;
        }
    }
}

haft_status haft__aho_corasick_build(haft__aho_corasick *marks, haft__arena *arena,
                                     const char *const *texts, size_t count, haft_error *err)
{
    size_t nodes = 1, deepest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);
        nodes += length;
        deepest = length > deepest ? length : deepest;
    }
    assert(count > 0 && nodes < UINT16_MAX);
    *marks = (haft__aho_corasick){.nodes = haft__arena_alloc(arena, nodes * sizeof(*marks->nodes))};
    if (marks->nodes == NULL) {
        return haft__arena_fail(arena, err);
    }
    marks->nodes[0] = (haft__aho_corasick_node){.text = ""};
    marks->count = 1;
    set_starts(marks, texts, count);
    for (size_t i = 0; i < count; i++) {
        add_text(marks, texts[i], (uint16_t)i);
    }
    link_failures(marks, (uint16_t)deepest);
    return HAFT_OK;
}

size_t haft__aho_corasick_skip(const haft__aho_corasick *marks, haft_str bytes)
{
    if (marks->first_byte >= 0) {
        const char *at = bytes.len > 0 ? memchr(bytes.ptr, marks->first_byte, bytes.len) : NULL;
        return at != NULL ? (size_t)(at - bytes.ptr) : bytes.len;
    }
    size_t i = 0;
    while (i < bytes.len && !marks->starts[(unsigned char)bytes.ptr[i]]) {
        i++;
    }
    return i;
}

uint16_t haft__aho_corasick_step(const haft__aho_corasick *marks, uint16_t state, char byte)
{
    for (;;) {
        uint16_t next = find_child(marks, state, byte);
        if (next != 0 || state == 0) {
            return next;
        }
        state = marks->nodes[state].fail;
    }
}
