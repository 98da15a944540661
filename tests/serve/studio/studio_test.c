/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/studio/studio.c. */
#include "serve/studio/studio.h"

#include "base/macros.h"
#include "base/str.h"
#include "test.h"

#define MAX_BYTES ((size_t)200 << 10) /* of all files, not compressed */

static haft__studio_response response;

static haft_str text_or_null(const char *text)
{
    return text != NULL ? haft__str(text) : (haft_str){NULL, 0};
}

static void get(const char *path, const char *encoding, const char *known)
{
    haft__studio_request request = {.path = haft__str(path),
                                    .accept_encoding = text_or_null(encoding),
                                    .if_none_match = text_or_null(known)};
    haft__studio_respond(&request, &response);
}

/* The value of a field of the response; "" without it. */
static const char *field_text(const char *name)
{
    for (size_t i = 0; i < response.head.field_count; i++) {
        if (haft__str_equal(response.head.fields[i].name, haft__str(name))) {
            return response.head.fields[i].value.ptr;
        }
    }
    return "";
}

static haft_str field(const char *name)
{
    return haft__str(field_text(name));
}

TEST(views_give_the_page_and_other_addresses_do_not)
{
    static const struct {
        const char *path;
        uint32_t status;
        const char *type;
    } cases[] = {
        {"", 200, "text/html; charset=utf-8"},
        {"inbox", 200, "text/html; charset=utf-8"},
        {"runs/00000000000000000000000001", 200, "text/html; charset=utf-8"},
        {"agents/a name", 200, "text/html; charset=utf-8"},
        {"inboxes", 404, "text/html; charset=utf-8"},
        {"app", 404, "text/html; charset=utf-8"},
        {"app/main.js", 200, "text/javascript; charset=utf-8"},
        {"app/views/run.js", 200, "text/javascript; charset=utf-8"},
        {"app/haft.js", 200, "text/javascript; charset=utf-8"},
        {"app/studio.css", 200, "text/css; charset=utf-8"},
        {"app/icon.svg", 200, "image/svg+xml"},
        {"app/", 404, "text/plain; charset=utf-8"},
        {"app/main.j", 404, "text/plain; charset=utf-8"},
        {"app/../main.js", 404, "text/plain; charset=utf-8"},
        {"app/views", 404, "text/plain; charset=utf-8"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        get(cases[i].path, NULL, NULL);
        CHECK_INT(response.head.status, cases[i].status, "%s", cases[i].path);
        CHECK(haft__str_equal(response.head.content_type, haft__str(cases[i].type)), "%s: %.*s",
              cases[i].path, HAFT__ARG(response.head.content_type));
    }
}

TEST(gzip_is_sent_only_if_it_is_accepted)
{
    static const struct {
        const char *accepted;
        bool gzip;
    } cases[] = {
        {NULL, false},
        {"", false},
        {"gzip", true},
        {"br, gzip", true},
        {"GZip", true},
        {"gzip;q=0.5", true},
        {"gzip; q=0", false},
        {"gzip;q=0.000", false},
        {"*", true},
        {"*;q=0", false},
        {"*, gzip;q=0", false},
        {"gzipped", false},
        {"br", false},
        {" br ,\tgzip ; q=1", true},
        {",,;,", false},
        {"identity", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        get("app/store.js", cases[i].accepted, NULL);
        bool packed = response.body.len > 2 && (unsigned char)response.body.ptr[0] == 0x1F
                      && (unsigned char)response.body.ptr[1] == 0x8B;
        const char *name = cases[i].accepted != NULL ? cases[i].accepted : "none";
        CHECK(packed == cases[i].gzip, "%s", name);
        CHECK_STR(field("Content-Encoding"), haft__str(cases[i].gzip ? "gzip" : ""), "%s", name);
        CHECK_STR(field("Vary"), HAFT__LIT("Accept-Encoding"), "%s", name);
    }
}

TEST(a_known_tag_gets_304)
{
    get("app/store.js", NULL, NULL);
    const char *plain = field_text("ETag");
    get("app/store.js", "gzip", NULL);
    const char *gzip = field_text("ETag");
    CHECK(strcmp(plain, gzip) != 0, "%s", plain);
    CHECK(plain[0] == '"' && strlen(plain) == 34, "%s", plain);
    char weak[64], list[128];
    (void)snprintf(weak, sizeof(weak), "W/%s", plain);
    (void)snprintf(list, sizeof(list), "\"other\", %s", plain);
    const struct {
        const char *known, *encoding;
        uint32_t status;
    } cases[] = {
        {plain, NULL, 304},         {weak, NULL, 304},        {list, NULL, 304},
        {"*", NULL, 304},           {gzip, NULL, 200},        {plain, "gzip", 200},
        {gzip, "gzip", 304},        {"\"other\"", NULL, 200}, {"", NULL, 200},
        {"W/\"other\"", NULL, 200},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        get("app/store.js", cases[i].encoding, cases[i].known);
        CHECK_INT(response.head.status, cases[i].status, "%s", cases[i].known);
        CHECK(response.body.len > 0, "%s: its length is sent", cases[i].known);
    }
    get("nowhere", NULL, "*");
    CHECK_INT(response.head.status, 404, "a page that does not exist");
}

TEST(every_response_forbids_inline_code_and_other_origins)
{
    static const char *const paths[] = {"", "app/main.js", "app/none", "nowhere"};
    for (size_t i = 0; i < COUNT(paths); i++) {
        get(paths[i], NULL, NULL);
        const char *policy = field_text("Content-Security-Policy");
        CHECK(strstr(policy, "default-src 'none'; script-src 'self'; style-src 'self'; "
                             "img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'")
                  == policy,
              "%s: %s", paths[i], policy);
        CHECK(strstr(policy, "require-trusted-types-for 'script'; trusted-types 'none'") != NULL,
              "%s: %s", paths[i], policy);
        CHECK(strstr(policy, "unsafe") == NULL, "%s: %s", paths[i], policy);
        CHECK_STR(field("Referrer-Policy"), HAFT__LIT("no-referrer"), "%s", paths[i]);
    }
}

TEST(the_whole_page_is_small)
{
    size_t plain = 0, gzip = 0;
    for (size_t i = 0; i < haft__studio_file_count; i++) {
        plain += haft__studio_files[i].body.len;
        gzip += haft__studio_files[i].gzip.len;
        CHECK(i == 0 || strcmp(haft__studio_files[i - 1].name, haft__studio_files[i].name) < 0,
              "%s", haft__studio_files[i].name);
    }
    CHECK(plain <= MAX_BYTES, "%zu bytes", plain);
    CHECK(gzip < plain / 2, "%zu of %zu bytes", gzip, plain);
}
