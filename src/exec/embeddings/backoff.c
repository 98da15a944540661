/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.c - see backoff.h. Tests: tests/exec/embeddings/backoff_test.c. */
#include "exec/embeddings/backoff.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/str.h"
#include "exec/state_file.h"
#include "io/file.h"

#define MAGIC     "haft-slow 1"
#define MAX_BYTES 4096U

haft_str haft__embedding_backoff_path(haft__arena *arena, haft_str name)
{
    haft_str place = haft__state_file_directory(arena);
    if (place.ptr == NULL) {
        return HAFT__LIT("");
    }
    haft_str path = haft__arena_format(arena, "%.*s/slow-%.*s", HAFT__ARG(place), HAFT__ARG(name));
    return path.ptr != NULL ? path : HAFT__LIT("");
}

bool haft__embedding_backoff_read(haft__arena *arena, haft_str path, uint64_t now,
                                  haft__embedding_backoff *ret_slow)
{
    haft_str text = {NULL, 0};
    uint64_t until = 0, batch = 0;
    if (path.len == 0 || haft__state_file_read(arena, path.ptr, MAX_BYTES, &text, NULL) != HAFT_OK
        || !haft__str_equal(haft__str_split(&text, '\n'), HAFT__LIT(MAGIC))
        || !haft__str_to_u64(haft__str_split(&text, '\n'), &until)
        || !haft__str_to_u64(haft__str_split(&text, '\n'), &batch) || batch == 0
        || batch > HAFT__LIMIT_EMBED_BATCH) {
        return false;
    }
    /* An end too far in the future means that the clock was set back: no backoff. */
    bool active = until > now && until - now <= HAFT__LIMIT_EMBED_COOLDOWN_MS;
    *ret_slow = (haft__embedding_backoff){active ? until - now : 0, (size_t)batch, text};
    return true;
}

bool haft__embedding_backoff_write(haft_str path, uint64_t now, const haft__embedding_backoff *slow)
{
    haft__buf text;
    if (path.len == 0) {
        return false;
    }
    haft__buf_init(&text, MAX_BYTES);
    haft__buf_addf(&text, MAGIC "\n%" PRIu64 "\n%zu\n%.*s", now + slow->remaining_ms, slow->batch,
                   HAFT__ARG(slow->reason));
    haft__state_file_create_directory(path.ptr);
    bool written = haft__buf_check(&text, NULL) == HAFT_OK
                   && haft__file_replace(path.ptr, haft__buf_str(&text), NULL) == HAFT_OK;
    haft__buf_finish(&text);
    return written;
}
