/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/server/head.c: targets, and gaps between the texts of a head. */
#include "base/str.h"
#include "io/server/head.h"
#include "test.h"

TEST(targets_are_split)
{
    static const struct {
        const char *target, *authority, *path, *query;
    } cases[] = {
        {"/", "", "/", ""},
        {"/a%2Fb?q=1?r", "", "/a%2Fb", "q=1?r"},
        {"/?", "", "/", ""},
        {"//x/a", "", "//x/a", ""},
        {"*", "", "*", ""},
        {"/\xc3\xa4", "", "/\xc3\xa4", ""},
        {"http://x/a?b", "x", "/a", "b"},
        {"HTTP://x:80/a", "x", "/a", ""},
        {"http://x:443", "x:443", "/", ""},
        {"https://x:443?q", "x", "/", "q"},
        {"https://[::1]:8080/", "[::1]:8080", "/", ""},
        {"http://a@b/", "a@b", "/", ""},
        {"http:///a", "", "/a", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__http_target target;
        CHECK(haft__http_target_read(haft__str(cases[i].target), &target), "%s", cases[i].target);
        CHECK_STR(target.authority, haft__str(cases[i].authority), "%s", cases[i].target);
        CHECK_STR(target.path, haft__str(cases[i].path), "%s", cases[i].target);
        CHECK_STR(target.query, haft__str(cases[i].query), "%s", cases[i].target);
    }
}

TEST(invalid_targets_are_rejected)
{
    static const haft_str cases[] = {
        HAFT__LIT(""),          HAFT__LIT("a"),        HAFT__LIT("x:80"),    HAFT__LIT("?q"),
        HAFT__LIT("**"),        HAFT__LIT("ftp://x/"), HAFT__LIT("http:/x"), HAFT__LIT("/a\0b"),
        HAFT__LIT("/a\x01"),    HAFT__LIT("/a b"),     HAFT__LIT("/a\x7f"),  HAFT__LIT("/\r"),
        HAFT__LIT("http://\t"), HAFT__LIT("http:"),
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__http_target target;
        CHECK(!haft__http_target_read(cases[i], &target), "case %zu", i);
        CHECK(target.path.len == 0 && target.query.len == 0, "case %zu has a path", i);
    }
}

TEST(an_absolute_target_is_for_the_host_of_its_authority)
{
    static const struct {
        const char *target, *host;
        bool same;
    } cases[] = {
        {"/", "x", true},
        {"/", NULL, true},
        {"*", "x", true},
        {"http://x/", "x", true},
        {"http://x/", "X:80", true},
        {"http://X:80/", "x", true},
        {"https://x/", "x:443", true},
        {"http://x:81/", "x:81", true},
        {"http://[::1]/", "[::1]:80", true},
        {"http://x/", "x:443", false},
        {"https://x/", "x:80", false},
        {"http://x/", "y", false},
        {"http://x/", "xy", false},
        {"http://xy/", "x", false},
        {"http://x@y/", "x", false},
        {"http://x/", "", false},
        {"http://x/", NULL, false},
        {"http:///", "", false},
        {"http://:80/", ":80", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__http_target target;
        haft_str host = cases[i].host != NULL ? haft__str(cases[i].host) : (haft_str){NULL, 0};
        CHECK(haft__http_target_read(haft__str(cases[i].target), &target), "%s", cases[i].target);
        CHECK_INT(haft__http_target_is_for(&target, host), cases[i].same, "case %zu", i);
    }
}

/* The head is as libmicrohttpd leaves it in its buffer: separators and line ends are NULs. */
static bool is_whole(haft_str head, size_t method, size_t target, size_t version, size_t name,
                     size_t value)
{
    const char *at = head.ptr;
    haft__http_layout layout =
        haft__http_layout_begin(at + method, at + target, strlen(at + target), at + version);
    haft__http_layout_add(&layout, at + name, strlen(at + name), at + value, strlen(at + value));
    return haft__http_layout_is_whole(&layout, head.len - method);
}

TEST(a_gap_in_a_head_is_found)
{
    static const struct {
        haft_str head;
        size_t method, target, version, name, value;
        bool whole;
    } cases[] = {
        {HAFT__LIT("GET\0/\0HTTP/1.1\0\0Host\0 x\0\0\0\0"), 0, 4, 6, 16, 22, true},
        {HAFT__LIT("\0\0GET\0/\0HTTP/1.1\0\0Host\0 x\0\0\0\0"), 2, 6, 8, 18, 24, true},
        {HAFT__LIT("GET\0/\0HTTP/1.1\0Host\0x\0\0"), 0, 4, 6, 15, 20,
         true}, /* a line end without CR */
        {HAFT__LIT("GET\0\0/\0HTTP/1.1\0\0Host\0 x\0\0\0\0"), 0, 5, 7, 17, 23,
         false}, /* a gap before the target */
        {HAFT__LIT("GET\0/\0a\0HTTP/1.1\0\0Host\0 x\0\0\0\0"), 0, 4, 8, 18, 24, false},
        {HAFT__LIT("GET\0/\0HTTP/1.1\0\0\0Host\0 x\0\0\0\0"), 0, 4, 6, 17, 23,
         false}, /* a gap before the name */
        {HAFT__LIT("GET\0/\0HTTP/1.1\0\0Host\0 x\0y\0\0\0\0"), 0, 4, 6, 16, 22,
         false}, /* a gap in the value */
        {HAFT__LIT("GET\0/\0HTTP/1.1\0\0Host\0 x\0\0\0\0\0"), 0, 4, 6, 16, 22, false},
        {HAFT__LIT("GET\0/\0HTTP/1.1\0\0Host\0 x"), 0, 4, 6, 16, 22, false},
        {HAFT__LIT("x\0Host\0GET\0/\0HTTP/1.1\0\0\0\0"), 7, 11, 13, 2, 0,
         false}, /* the name is before the method */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(is_whole(cases[i].head, cases[i].method, cases[i].target, cases[i].version,
                           cases[i].name, cases[i].value),
                  cases[i].whole, "case %zu", i);
    }
}
