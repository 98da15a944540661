/* SPDX-License-Identifier: Apache-2.0 */
/* search_help.c - see search_help.h. */
#include "search_help.h"

#include "base/buf.h"
#include "test.h"
#include "json/read.h"

haft_status search_add(haft__search_index *search, const search_tool *tool)
{
    haft__arena arena;
    haft__json schema = haft__json_null();
    haft__arena_init(&arena, 0);
    haft_status status = HAFT_OK;
    if (tool->schema != NULL) {
        status = haft__json_read(&arena, haft__str(tool->schema), NULL, &schema, NULL, NULL);
    }
    haft__search_doc doc = {.id = haft__str(tool->id),
                            .name = haft__str(tool->name),
                            .group = haft__str(tool->group),
                            .text = haft__str(tool->text),
                            .schema = tool->schema != NULL ? &schema : NULL};
    if (status == HAFT_OK) {
        status = haft__search_add(search, &doc, NULL);
    }
    haft__arena_finish(&arena);
    return status;
}

haft__search_index *search_make(const search_tool *tools, size_t count,
                                const haft__search_word_vectors *vectors)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *search = NULL;
    options.hash_key = (haft__hash_key){1, 2};
    options.vectors = vectors;
    bool made = haft__search_create(&options, &search, NULL) == HAFT_OK;
    for (size_t i = 0; i < count && made; i++) {
        made = search_add(search, &tools[i]) == HAFT_OK;
    }
    if (!made) {
        abort();
    }
    return search;
}

static haft_str show(const haft__search_index *search, haft_str query, size_t k, bool scores)
{
    haft__arena arena;
    haft__buf text;
    haft__search_hit *hits = NULL;
    size_t count = 0;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, 1 << 20);
    haft_status status = haft__search_query(search, query, k, &arena, &hits, &count, &err);
    CHECK_INT(status, HAFT_OK, "%s", err.message);
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&text, "%s%.*s:%s", i > 0 ? " " : "", HAFT__ARG(hits[i].id), hits[i].why);
        if (scores) {
            uint64_t bits = 0;
            memcpy(&bits, &hits[i].score, sizeof(bits));
            haft__buf_addf(&text, "=%llx", (unsigned long long)bits);
        }
    }
    char *copy = test_alloc(text.len + 1);
    memcpy(copy, text.len > 0 ? text.ptr : "", text.len);
    haft_str result = {copy, text.len};
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
    return result;
}

haft_str search_ids(const haft__search_index *search, haft_str query, size_t k)
{
    return show(search, query, k, false);
}

haft_str search_scores(const haft__search_index *search, haft_str query, size_t k)
{
    return show(search, query, k, true);
}

static void put_u32(char *at, uint32_t number)
{
    for (size_t i = 0; i < 4; i++) {
        at[i] = (char)(number >> 8 * i);
    }
}

static uint64_t get_u64(const char *at)
{
    uint64_t number = 0;
    for (size_t i = 8; i-- > 0;) {
        number = number << 8 | (uint8_t)at[i];
    }
    return number;
}

void search_sum(haft_str file)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): a text that was made here */
    char *bytes = (char *)(uintptr_t)file.ptr;
    uint64_t sum = 0xcbf29ce484222325U;
    for (size_t i = 32; i + 8 <= file.len; i += 8) {
        sum = (sum ^ get_u64(bytes + i)) * 0x100000001b3U;
    }
    put_u32(bytes + 24, (uint32_t)sum);
    put_u32(bytes + 28, (uint32_t)(sum >> 32));
}

haft_str search_table(const char *const *words, const int8_t *rows, size_t count,
                      uint32_t dimensions)
{
    size_t text = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        text += strlen(words[i]);
    }
    size_t vectors_at = 32 + (((count + 1) * 4 + text + 7) & ~(size_t)7);
    size = vectors_at + ((count * dimensions + 7) & ~(size_t)7);
    char *file = test_alloc(size);
    memset(file, 0, size);
    memcpy(file, "haftvec1", 8);
    put_u32(file + 8, (uint32_t)count);
    put_u32(file + 12, dimensions);
    put_u32(file + 16, (uint32_t)text);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(file + 32 + (count + 1) * 4 + at, words[i], strlen(words[i]));
        at += strlen(words[i]);
        put_u32(file + 32 + (i + 1) * 4, (uint32_t)at);
    }
    memcpy(file + vectors_at, rows, count * dimensions);
    haft_str made = {file, size};
    search_sum(made);
    return made;
}
