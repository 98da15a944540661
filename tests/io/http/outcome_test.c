/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/http/outcome.c. */
#include "io/http_help.h"
#include "test.h"

static const haft__http_client_options anywhere = {.public_only = false};

/* ---- secrets ---- */

TEST(messages_contain_no_secrets)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/s3cret", WEB_CLOSE);
    char dead[128], secure[128], broken_url[128];
    (void)snprintf(dead, sizeof(dead), "http://u-s3cret:p-s3cret@127.0.0.1:%u/s3cret?s3cret#s3cret",
                   web_dead_port());
    (void)snprintf(secure, sizeof(secure), "https://u-s3cret:p-s3cret@127.0.0.1:%u/s3cret?s3cret",
                   web_port(b.web));
    (void)snprintf(broken_url, sizeof(broken_url), "http://a-s3cret@127.0.0.1:%u/s3cret?s3cret",
                   web_port(b.web));
    const char *const urls[] = {dead,
                                secure,
                                broken_url,
                                "http://a-s3cret@gone.test/s3cret?s3cret",
                                "nohttp://s3cret/s3cret",
                                "http://ok:s3cret/s3cret"};
    haft_str header = HAFT__LIT("Authorization: Bearer s3cret");
    for (size_t i = 0; i < COUNT(urls); i++) {
        haft__http_request request = web_get(urls[i]);
        request.headers = &header;
        request.header_count = 1;
        request.connect_ms = 100;
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        CHECK(record.end != HAFT__HTTP_OK && record.message[0] != '\0', "%s: %s", urls[i],
              record.message);
        CHECK(strstr(record.message, "s3cret") == NULL, "%s", record.message);
    }
    web_tear_down(&b);
}

/* A host is shown whole, so that a secret in it can be recognised, or not at all. */
TEST(a_host_in_a_message_is_never_cut)
{
    static const char secret[] = "s3cret0123456789";
    web_fixture b = web_set_up(&anywhere);
    for (size_t before = 280; before < 340; before++) {
        char url[512], filler[400];
        memset(filler, 'a', sizeof(filler));
        (void)snprintf(url, sizeof(url), "http://%.*s%s%.*s/", (int)before, filler, secret,
                       (int)(400 - before), filler);
        haft__http_request request = web_get(url);
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        CHECK(record.end != HAFT__HTTP_OK && record.message[0] != '\0',
              "%zu bytes before the secret: no message", before);
        CHECK(strstr(record.message, "s3c") == NULL, "%zu: %s", before, record.message);
        CHECK(strstr(record.message, "a host of ") != NULL, "%zu: %s", before, record.message);
    }
    web_tear_down(&b);
}

TEST(every_outcome_has_a_name)
{
    CHECK_STR(haft__str(haft__http_outcome_name(HAFT__HTTP_OK)), HAFT__LIT("ok"),
              "the first outcome");
    CHECK_STR(haft__str(haft__http_outcome_name(HAFT__HTTP_OTHER)), HAFT__LIT("other"),
              "the last outcome");
}
