/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/uri.c: the examples of RFC 3986, section 5.4, and cases from schemas. */
#include "schema/uri.h"

#include "test.h"

#define BASE "http://a/b/c/d;p?q"

static const struct {
    const char *base, *reference, *wanted;
} cases[] = {
    /* 5.4.1, normal examples */
    {BASE, "g:h", "g:h"},
    {BASE, "g", "http://a/b/c/g"},
    {BASE, "./g", "http://a/b/c/g"},
    {BASE, "g/", "http://a/b/c/g/"},
    {BASE, "/g", "http://a/g"},
    {BASE, "//g", "http://g"},
    {BASE, "?y", "http://a/b/c/d;p?y"},
    {BASE, "g?y", "http://a/b/c/g?y"},
    {BASE, "#s", "http://a/b/c/d;p?q#s"},
    {BASE, "g#s", "http://a/b/c/g#s"},
    {BASE, "g?y#s", "http://a/b/c/g?y#s"},
    {BASE, ";x", "http://a/b/c/;x"},
    {BASE, "g;x", "http://a/b/c/g;x"},
    {BASE, "g;x?y#s", "http://a/b/c/g;x?y#s"},
    {BASE, "", "http://a/b/c/d;p?q"},
    {BASE, ".", "http://a/b/c/"},
    {BASE, "./", "http://a/b/c/"},
    {BASE, "..", "http://a/b/"},
    {BASE, "../", "http://a/b/"},
    {BASE, "../g", "http://a/b/g"},
    {BASE, "../..", "http://a/"},
    {BASE, "../../", "http://a/"},
    {BASE, "../../g", "http://a/g"},
    /* 5.4.2, abnormal examples */
    {BASE, "../../../g", "http://a/g"},
    {BASE, "../../../../g", "http://a/g"},
    {BASE, "/./g", "http://a/g"},
    {BASE, "/../g", "http://a/g"},
    {BASE, "g.", "http://a/b/c/g."},
    {BASE, ".g", "http://a/b/c/.g"},
    {BASE, "g..", "http://a/b/c/g.."},
    {BASE, "..g", "http://a/b/c/..g"},
    {BASE, "./../g", "http://a/b/g"},
    {BASE, "./g/.", "http://a/b/c/g/"},
    {BASE, "g/./h", "http://a/b/c/g/h"},
    {BASE, "g/../h", "http://a/b/c/h"},
    {BASE, "g;x=1/./y", "http://a/b/c/g;x=1/y"},
    {BASE, "g;x=1/../y", "http://a/b/c/y"},
    {BASE, "g?y/./x", "http://a/b/c/g?y/./x"},
    {BASE, "g?y/../x", "http://a/b/c/g?y/../x"},
    {BASE, "g#s/./x", "http://a/b/c/g#s/./x"},
    {BASE, "g#s/../x", "http://a/b/c/g#s/../x"},
    {BASE, "http:g", "http:g"},
    /* other bases */
    {"http://a", "b", "http://a/b"},
    {"http://a", "#", "http://a#"},
    {"http://a/b", "?", "http://a/b?"},
    {"urn:x:y", "#/a", "urn:x:y#/a"},
    {"urn:x:y", "z", "urn:z"},
    {"urn:x:y", "..", "urn:"},
    {"urn:x:y", "../z", "urn:z"},
    {"urn:x:y", "./z", "urn:z"},
    {"", "../x", "../x"},
    {"a/b", "c", "a/c"},
    {"a/b", "./c/..", "a/"},
    {"file:///c:/x/y.json", "z.json", "file:///c:/x/z.json"},
};

TEST(references_resolve_as_the_rfc_says)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str uri =
            haft__uri_resolve(&arena, haft__str(cases[i].base), haft__str(cases[i].reference));
        CHECK_STR(uri, haft__str(cases[i].wanted), "%s in %s", cases[i].reference, cases[i].base);
    }
    haft__arena_finish(&arena);
}

TEST(empty_parts_differ_from_absent_ones)
{
    haft__uri uri = haft__uri_split(HAFT__LIT("http://?#"));
    CHECK_STR(uri.scheme, HAFT__LIT("http"), "scheme");
    CHECK(uri.authority.ptr != NULL && uri.authority.len == 0, "an empty authority");
    CHECK(uri.query.ptr != NULL && uri.query.len == 0, "an empty query");
    CHECK(uri.fragment.ptr != NULL && uri.fragment.len == 0, "an empty fragment");
    uri = haft__uri_split(HAFT__LIT("1a:b"));
    CHECK(uri.scheme.ptr == NULL, "a scheme begins with a letter");
    CHECK_STR(uri.path, HAFT__LIT("1a:b"), "without a scheme, all of it is the path");
    CHECK(uri.authority.ptr == NULL && uri.query.ptr == NULL && uri.fragment.ptr == NULL,
          "authority, query and fragment are absent");
}

TEST(fragments_are_cut_off_and_decoded)
{
    static const struct {
        const char *text, *before, *fragment, *decoded;
    } fragments[] = {
        {"a#b", "a", "b", "b"},
        {"a#", "a", "", ""},
        {"a", "a", "", ""},
        {"#/a%25b", "", "/a%25b", "/a%b"},
        {"#%C3%a9", "", "%C3%a9", "\xC3\xA9"},
        {"#%4", "", "%4", "%4"},
        {"#%zz%", "", "%zz%", "%zz%"},
        {"#a#b", "", "a#b", "a#b"},
        {"#%4g%g4", "", "%4g%g4", "%4g%g4"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(fragments); i++) {
        haft_str text = haft__str(fragments[i].text);
        CHECK_STR(haft__uri_without_fragment(text), haft__str(fragments[i].before), "%s", text.ptr);
        haft_str fragment = haft__uri_fragment(text);
        CHECK_STR(fragment, haft__str(fragments[i].fragment), "%s", text.ptr);
        CHECK_STR(haft__uri_decode(&arena, fragment), haft__str(fragments[i].decoded), "%s",
                  text.ptr);
    }
    haft__arena_finish(&arena);
}

TEST(resolving_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        /* Larger than a chunk of the arena, so that both allocations reach malloc. */
        char *path = test_alloc(8000);
        memset(path, 'x', 8000);
        haft_str long_path = {path, 8000};
        test_fail_allocation(n);
        haft_str uri = haft__uri_resolve(&arena, HAFT__LIT(BASE), long_path);
        haft_str decoded = haft__uri_decode(&arena, long_path);
        haft_str copy = haft__uri_resolve(&arena, HAFT__LIT(""), long_path);
        bool failed = test_allow_allocations();
        CHECK((uri.ptr == NULL || decoded.ptr == NULL || copy.ptr == NULL) == failed,
              "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
