/* SPDX-License-Identifier: Apache-2.0 */
#include "io/gzip.h"
#include "test.h"

#include "io/http_help.h"

/* The server of the tests sends the compressed bytes, and libcurl decompresses them. */
static void check_round_trip(size_t size)
{
    char *bytes = test_alloc(size + 1);
    uint64_t random = 7;
    haft__buf out;
    haft_error err = {0};
    for (size_t i = 0; i < size; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        bytes[i] = (char)('a' + (random >> 33) % 4);
    }
    haft_str text = {bytes, size};
    haft__buf_init(&out, (size_t)16 << 20);
    CHECK_INT(haft__gzip(text, &out, &err), HAFT_OK, "%s", err.message);
    CHECK(out.len >= 18 && memcmp(out.ptr, "\x1f\x8b\x08", 3) == 0, "%zu bytes: no gzip", size);
    CHECK(size < 1000 || out.len < size / 2, "%zu bytes became %zu", size, out.len);
    haft__http_client_options options = {0};
    web_fixture f = web_set_up(&options);
    web_record found = {0};
    web_route_bytes(f.web, "/", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n",
                    haft__buf_str(&out));
    haft__http_request request = web_get(web_url(f.web, "/"));
    CHECK(web_fetch(f.loop, f.http, &request, &found), "the request did not end");
    CHECK_INT(found.body_bytes, size, "bytes");
    size_t kept = size < sizeof(found.body) ? size : sizeof(found.body) - 1;
    CHECK(memcmp(found.body, bytes, kept) == 0, "%zu bytes: another text", size);
    web_tear_down(&f);
    haft__buf_finish(&out);
}

TEST(compressed_bytes_are_read_by_others)
{
    static const size_t sizes[] = {0, 1, 100, 65536, 1 << 20};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        check_round_trip(sizes[i]);
    }
}

TEST(a_result_that_is_too_long_is_an_error)
{
    haft__buf out;
    haft_error err = {0};
    haft__buf_init(&out, 1000);
    CHECK_INT(haft__gzip(HAFT__LIT("text"), &out, &err), HAFT_TOO_BIG, "%s", err.message);
    haft__buf_finish(&out);
}
