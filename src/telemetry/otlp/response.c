/* SPDX-License-Identifier: Apache-2.0 */
/* response.c - reads ExportTraceServiceResponse and ExportMetricsServiceResponse, which have the
 * same fields. Tests: tests/telemetry/otlp_test.c. */
#include "telemetry/otlp/response.h"

#include "base/str.h"
#include "json/object.h"
#include "json/read.h"

/* ---- protobuf ---- */

static bool read_varint(haft_str *rest, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && rest->len > 0; shift += 7) {
        unsigned char byte = (unsigned char)rest->ptr[0];
        *rest = haft__str_skip(*rest, 1);
        number |= (uint64_t)(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) {
            *ret_number = number;
            return true;
        }
    }
    return false;
}

/* A field of a message: a number, or bytes. */
typedef struct field {
    uint64_t number, value;
    haft_str bytes; /* .ptr is NULL for a number */
} field;

static bool skip_fixed(haft_str *rest, size_t size)
{
    bool fits = rest->len >= size;
    *rest = haft__str_skip(*rest, size);
    return fits;
}

static bool read_field(haft_str *rest, field *ret_field)
{
    uint64_t tag = 0, size = 0;
    if (!read_varint(rest, &tag)) {
        return false;
    }
    *ret_field = (field){.number = tag >> 3};
    switch (tag & 7) {
    case 0: return read_varint(rest, &ret_field->value);
    case 1: return skip_fixed(rest, 8);
    case 5: return skip_fixed(rest, 4);
    case 2:
        if (!read_varint(rest, &size) || size > rest->len) {
            return false;
        }
        ret_field->bytes = (haft_str){rest->ptr, (size_t)size};
        *rest = haft__str_skip(*rest, (size_t)size);
        return true;
    default: return false;
    }
}

static haft__otlp_rejection read_protobuf(haft_str body)
{
    haft__otlp_rejection found = {0, HAFT__LIT("")};
    field outer, inner;
    while (read_field(&body, &outer)) {
        haft_str partial = outer.number == 1 ? outer.bytes : HAFT__LIT("");
        while (partial.len > 0 && read_field(&partial, &inner)) {
            if (inner.number == 1 && inner.bytes.ptr == NULL && inner.value <= INT64_MAX) {
                found.count = inner.value;
            } else if (inner.number == 2 && inner.bytes.ptr != NULL) {
                found.message = inner.bytes;
            }
        }
    }
    return found;
}

/* ---- JSON ---- */

/* A 64-bit integer is a string in JSON; some collectors send a number. */
static uint64_t read_count(haft__json partial, const char *key)
{
    uint64_t count = 0;
    (void)haft__str_to_u64(haft__object_text(partial, key), &count);
    return count;
}

static haft__otlp_rejection read_json(haft_str body, haft__arena *arena, haft__hash_key hash_key)
{
    haft__otlp_rejection found = {0, HAFT__LIT("")};
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value;
    options.hash_key = hash_key;
    if (haft__json_read(arena, body, &options, &value, NULL, NULL) != HAFT_OK) {
        return found;
    }
    haft__json partial = haft__object_object(value, "partialSuccess");
    found.count = read_count(partial, "rejectedSpans") + read_count(partial, "rejectedDataPoints");
    found.message = haft__object_string(partial, "errorMessage");
    return found;
}

haft__otlp_rejection haft__otlp_read_response(haft_str body, haft__otlp_encoding encoding,
                                              haft__arena *arena, haft__hash_key hash_key)
{
    return encoding == HAFT__OTLP_JSON ? read_json(body, arena, hash_key) : read_protobuf(body);
}
