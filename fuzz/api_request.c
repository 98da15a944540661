/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_request.c - paths, queries and token files of `haft serve`. The first byte chooses.
 *
 * An accepted path has no segment that leads elsewhere, and a decoded value is UTF-8 without NUL.
 */
#include <string.h>

#include "base/arena.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/access/token.h"
#include "fuzz.h"
#include "serve/api/path.h"

static void check_text(haft_str text)
{
    REQUIRE(haft__utf8_valid(text) && (text.len == 0 || memchr(text.ptr, '\0', text.len) == NULL));
}

static void check_path(haft_str path, haft__arena *arena)
{
    static const char *const patterns[] = {"/{a}", "/{a}/{b}", "/{a}/x/{b}", "/{a}/{b...}"};
    if (haft__path_problem(path) != NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(patterns); i++) {
        haft__path_params params = {.count = 0};
        bool found = haft__path_match(patterns[i], path, arena, &params);
        REQUIRE(!found || haft__path_match(patterns[i], path, NULL, NULL));
        for (size_t k = 0; found && k < params.count; k++) {
            haft_str value = params.values[k];
            bool rest = i == 3 && k == 1;
            check_text(value);
            REQUIRE(rest || memchr(value.ptr, '/', value.len) == NULL);
            REQUIRE(!haft__str_equal(value, HAFT__LIT(".."))
                    && !haft__str_equal(value, HAFT__LIT(".")));
        }
    }
}

static bool visit(void *context, haft_str name)
{
    (void)context;
    check_text(name);
    return true;
}

static void check_query(haft_str query, haft__arena *arena)
{
    haft_str value = {NULL, 0};
    (void)haft__query_each(query, arena, visit, NULL);
    if (haft__query_find(query, "a", arena, &value) && value.ptr != NULL) {
        check_text(value);
    }
}

static void check_tokens(haft_str text, haft__arena *arena)
{
    haft__token_set set = {.count = 0};
    haft__hash_key key = {1, 2};
    if (haft__token_read(arena, text, key, &set, NULL) == HAFT_OK) {
        for (size_t i = 0; i < set.count; i++) {
            REQUIRE(set.items[i].principal.name.len > 0 && set.items[i].principal.roles != 0);
        }
        REQUIRE(haft__token_find(&set, HAFT__LIT(""), 1) == NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft__arena arena;
    haft_str text = {(const char *)data + (size > 0), size - (size > 0)};
    haft__arena_init(&arena, 0);
    switch (size > 0 ? data[0] % 3 : 0) {
    case 0: check_path(text, &arena); break;
    case 1: check_query(text, &arena); break;
    default: check_tokens(text, &arena); break;
    }
    haft__arena_finish(&arena);
    return 0;
}
