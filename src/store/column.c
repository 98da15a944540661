/* SPDX-License-Identifier: Apache-2.0 */
/* column.c - column checks. Tests: tests/store/column_test.c. */
#include "store/column.h"

#include "base/sha256.h"
#include "base/str.h"
#include "base/utf8.h"

haft_str haft__column_text(haft__column_checks *checks, haft_str bytes)
{
    if (!haft__utf8_valid(bytes)) {
        checks->invalid = true;
        return HAFT__LIT("");
    }
    return bytes;
}

haft_str haft__column_copy(haft__column_checks *checks, haft_str text, haft__arena *arena)
{
    haft_str copied = haft__arena_copy(arena, text);
    if (copied.ptr == NULL) {
        checks->failed_arena = arena;
        return HAFT__LIT("");
    }
    return copied;
}

haft_str haft__column_content(haft__column_checks *checks, haft_str sum, haft_str content,
                              haft__arena *arena, haft_str *ret_sha256)
{
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(content, digest);
    checks->invalid = checks->invalid || !haft__str_equal(sum, (haft_str){digest, sizeof(digest)});
    if (ret_sha256 != NULL) {
        *ret_sha256 = haft__column_copy(checks, sum, arena);
    }
    return haft__column_copy(checks, content, arena);
}
