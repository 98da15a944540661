/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: whatever a server answers, the failure is one line of UTF-8 of bounded length, and the
 * same bytes give the same failure.
 *
 * The first two bytes choose the status and the length of the request's id, the rest is the body.
 */
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "model/providers/openai_chat/stream.h"

/* Space for haft's words around the message of the server. */
#define OURS 600

static haft__model_failure read_failure(haft__arena *arena, uint32_t status, haft_str body,
                                        haft_str id)
{
    haft__model_failure failure;
    REQUIRE(haft__server_error_read_failure(status, body, id, (haft__hash_key){1, 2},
                                            (haft__cleaner){0}, arena, &failure, NULL)
            == HAFT_OK);
    return failure;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    uint32_t status = 300U + data[0];
    haft_str body = {(const char *)data + 2, size - 2};
    haft_str id = {body.ptr, data[1] < body.len ? data[1] : body.len};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__model_failure failure = read_failure(&arena, status, body, id);
    haft__model_failure again = read_failure(&arena, status, body, id);
    REQUIRE(failure.status == status);
    REQUIRE(haft__utf8_valid(failure.message));
    REQUIREF(haft__utf8_length(failure.message) <= HAFT__LIMIT_MODEL_ERROR_CHARS + OURS, "%zu",
             haft__utf8_length(failure.message));
    for (size_t i = 0; i < failure.message.len; i++) {
        unsigned char c = (unsigned char)failure.message.ptr[i];
        REQUIREF(c >= ' ' && c != 0x7F, "a control character at %zu", i);
    }
    REQUIRE(haft__str_equal(failure.message, again.message) && failure.kind == again.kind);
    haft__arena_finish(&arena);
    return 0;
}
