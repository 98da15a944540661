/* SPDX-License-Identifier: Apache-2.0 */
/* call_arguments.c - see call_arguments.h. Tests: tests/model/call_arguments_test.c. */
#include "model/call_arguments.h"

#include "base/error.h"
#include "base/str.h"
#include "json/stream.h"
#include "json/write.h"

haft_status haft__call_arguments_check(haft_str text, bool *ret_object, haft_error *err)
{
    haft__json_stream stream;
    haft__json_event event = {.kind = HAFT__JSON_EVENT_MORE};
    haft__json_stream_init(&stream, NULL);
    haft_status status = haft__json_stream_next(&stream, &text, &event, NULL);
    bool object = status == HAFT_OK && event.kind == HAFT__JSON_EVENT_BEGIN
                  && event.value.kind == HAFT__JSON_OBJECT;
    bool done = false;
    while (object && status == HAFT_OK && event.kind != HAFT__JSON_EVENT_MORE) {
        status = haft__json_stream_next(&stream, &text, &event, NULL);
        done = done || event.kind == HAFT__JSON_EVENT_DONE;
    }
    haft__json_stream_finish(&stream);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    *ret_object = object && done && status == HAFT_OK;
    return HAFT_OK;
}

void haft__call_arguments_write(haft__buf *buf, haft_str text)
{
    bool object = false;
    if (haft__str_trim(text).len == 0) {
        haft__buf_add_str(buf, HAFT__LIT("{}"));
        return;
    }
    if (haft__call_arguments_check(text, &object, NULL) != HAFT_OK) {
        haft__buf_fail(buf, HAFT_NO_MEMORY, "out of memory");
    }
    if (object) {
        haft__buf_add_str(buf, text);
        return;
    }
    haft__buf_add_str(buf, HAFT__LIT("{\"not_an_object\":"));
    haft__json_write_string(buf, text);
    haft__buf_add_char(buf, '}');
}
