/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: a value that is read, written (compact or indented) and read again is unchanged, and so
 * is its compact text.
 */
#include <stdint.h>

#include "base/str.h"
#include "fuzz.h"
#include "json/read.h"
#include "json/write.h"

static void check_again(haft_str text, haft_str plain)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft__json_notes notes;
    haft_error err;
    haft_status status = haft__json_read(&arena, text, NULL, &value, &notes, &err);
    REQUIREF(status == HAFT_OK, "the written text is rejected: %s %s", err.where, err.message);
    REQUIREF(notes.duplicate_keys == 0 && notes.lone_surrogates == 0,
             "the written text has duplicate keys or lone surrogates");
    haft__buf again;
    haft__buf_init(&again, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&again, value);
    REQUIREF(haft__str_equal(haft__buf_str(&again), plain), "the value has changed");
    haft__buf_finish(&again);
    haft__arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    if (haft__json_read(&arena, (haft_str){(const char *)data, size}, NULL, &value, NULL, NULL)
        == HAFT_OK) {
        haft__buf plain, pretty;
        haft__buf_init(&plain, HAFT__LIMIT_JSON_BYTES);
        haft__buf_init(&pretty, HAFT__LIMIT_JSON_BYTES);
        haft__json_write(&plain, value);
        haft__json_write_pretty(&pretty, value, 2);
        check_again(haft__buf_str(&plain), haft__buf_str(&plain));
        check_again(haft__buf_str(&pretty), haft__buf_str(&plain));
        haft__buf_finish(&plain);
        haft__buf_finish(&pretty);
    }
    haft__arena_finish(&arena);
    return 0;
}
