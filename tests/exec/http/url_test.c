/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/http/url.c. */
#include "exec/web_help.h"
#include "test.h"

static const struct {
    const char *url, *arguments, *wanted;
} fine[] = {
    {"https://h/", "{}", "https://h/"},
    {"https://h", "{}", "https://h"},
    {"https://h/w?city={a}", "{\"a\":\"Paris\"}", "https://h/w?city=Paris"},
    {"https://h/{a}/x", "{\"a\":\"b\"}", "https://h/b/x"},
    {"https://h?{a}", "{\"a\":\"b\"}", "https://h?b"},
    {"https://h#{a}", "{\"a\":\"b\"}", "https://h#b"},
    {"https://h/p{a}s{b}", "{\"a\":\"1\",\"b\":2}", "https://h/p1s2"},
    /* No character of a value has a meaning in the URL. */
    {"https://h/?q={a}", "{\"a\":\"a b&c=d#e?f/g:h@i;j,k+l%m\"}",
     "https://h/?q=a%20b%26c%3Dd%23e%3Ff%2Fg%3Ah%40i%3Bj%2Ck%2Bl%25m"},
    {"https://h/?q={a}", "{\"a\":\"-._~azAZ09\"}", "https://h/?q=-._~azAZ09"},
    {"https://h/?q={a}", "{\"a\":\"!$'()*[]{}|\\\\^`<>\\\"\"}",
     "https://h/?q=%21%24%27%28%29%2A%5B%5D%7B%7D%7C%5C%5E%60%3C%3E%22"},
    {"https://h/?q={a}", "{\"a\":\"\\u00e4\\u20ac\"}", "https://h/?q=%C3%A4%E2%82%AC"},
    {"https://h/?q={a}", "{\"a\":\"x\\r\\nHost: y\\u0000z\"}",
     "https://h/?q=x%0D%0AHost%3A%20y%00z"},
    {"https://h/{a}", "{\"a\":\"../../etc\"}", "https://h/..%2F..%2Fetc"},
    {"https://h/{a}", "{\"a\":\"%2e%2e\"}", "https://h/%252e%252e"},
    {"https://h/{a}", "{\"a\":\"...\"}", "https://h/..."},
    {"https://h/?q={a}", "{\"a\":\"..\"}", "https://h/?q=.."},
    {"https://h/?q={a}", "{\"a\":\"${TOKEN}\"}", "https://h/?q=%24%7BTOKEN%7D"},
    {"https://h/?q={a}", "{\"a\":\"{b}\",\"b\":\"x\"}", "https://h/?q=%7Bb%7D"},
    /* Other kinds of values. */
    {"https://h/?q={a}", "{\"a\":1.50}", "https://h/?q=1.50"},
    {"https://h/?q={a}", "{\"a\":true}", "https://h/?q=true"},
    {"https://h/?q={a}", "{\"a\":null}", "https://h/?q=null"},
    {"https://h/?q={a}", "{\"a\":[1,\"x\"]}", "https://h/?q=%5B1%2C%22x%22%5D"},
    {"https://h/?q={a}", "{\"a\":{\"k\":1}}", "https://h/?q=%7B%22k%22%3A1%7D"},
    {"https://h/?q={a}&r={b}", "{}", "https://h/?q=&r="},
    {"https://h/x{a}", "{}", "https://h/x"},
    {"https://h/?q={more}", "{\"more\":\"not in the schema\"}",
     "https://h/?q=not%20in%20the%20schema"},
    /* Braces that are not arguments, and variables. */
    {"https://h/?q={}&{ a }", "{}", "https://h/?q={}&{ a }"},
    {"https://h/${TOKEN}/{a}", "{\"a\":\"b\"}", "https://h/s3cret/b"},
    {"https://${HOST}/{a}", "{\"a\":\"b\"}", "https://api.example/v1/b"},
    {"https://${HOST}{a}", "{\"a\":\"b\"}", "https://api.example/v1b"},
    {"https://h/${BRACES}", "{\"a\":\"b\"}", "https://h/{a}"},
    {"https://h/${EMPTY}/..", "{}", "https://h//.."},
};

TEST(arguments_are_encoded_where_they_stand)
{
    for (size_t i = 0; i < COUNT(fine); i++) {
        char http[256];
        web_job j;
        haft_str url = HAFT__LIT("");
        haft_error err = {.status = HAFT_OK};
        (void)snprintf(http, sizeof(http), "{\"url\":\"%s\"}", fine[i].url);
        web_job_init(&j, http, fine[i].arguments, "a b");
        CHECK_INT(haft__http_tool_url(&j.job, &url, &err), HAFT_OK, "%s: %s", fine[i].url,
                  err.message);
        CHECK_STR(url, haft__str(fine[i].wanted), "%s", fine[i].url);
        web_job_finish(&j);
    }
}

static const struct {
    const char *url, *arguments, *where, *message;
} refused[] = {
    /* An argument cannot choose the host. */
    {"https://{a}/", "{\"a\":\"h\"}", "http.url", "the argument 'a' would choose the host"},
    {"https://h.{a}/", "{\"a\":\"h\"}", "http.url", "the argument 'a' would choose the host"},
    {"https://h{a}", "{\"a\":\"/x\"}", "http.url", "the argument 'a' would choose the host"},
    {"https://h:{a}/", "{\"a\":80}", "http.url", "the argument 'a' would choose the host"},
    {"https://u:{a}@h/", "{\"a\":\"x\"}", "http.url", "the argument 'a' would choose the host"},
    {"{a}", "{\"a\":\"https://h/\"}", "http.url", "the argument 'a' would choose the host"},
    {"{a}://h/", "{\"a\":\"file\"}", "http.url", "the argument 'a' would choose the host"},
    {"https:/{a}", "{\"a\":\"x\"}", "http.url", "the argument 'a' would choose the host"},
    /* An argument cannot lead to another path. */
    {"https://h/{a}", "{\"a\":\"\"}", "/a", "it is part of a path and must not be empty"},
    {"https://h/{a}", "{}", "/a", "it is part of a path and must not be empty"},
    {"https://h/{a}/x", "{\"a\":\"\"}", "/a", "it is part of a path and must not be empty"},
    {"https://h/{a}?q", "{\"a\":\"\"}", "/a", "it is part of a path and must not be empty"},
    {"https://h/x/{a}/y", "{\"a\":\"..\"}", "/a",
     "found only dots, which would lead to another path"},
    {"https://h/{a}", "{\"a\":\".\"}", "/a", "found only dots, which would lead to another path"},
    {"https://h/{a}{b}#x", "{\"a\":\".\",\"b\":\".\"}", "/b",
     "found only dots, which would lead to another path"},
    {"https://h/{a}${EMPTY}", "{\"a\":\"..\"}", "/a",
     "found only dots, which would lead to another path"},
    {"https://h/.{a}/", "{\"a\":\"\"}", "/a", "found only dots, which would lead to another path"},
    /* Missing arguments. */
    {"https://h/{citty}", "{}", "http.url", "there is no argument 'citty'"},
    {"https://h/${NOBODY}", "{}", "", "the variable NOBODY is not set"},
    {"https://h/${TOKEN", "{}", "", "found ${ without a variable name and }"},
};

TEST(arguments_cannot_change_the_host_or_the_path)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        char http[256];
        web_job j;
        haft_str url;
        haft_error err = {.status = HAFT_OK};
        (void)snprintf(http, sizeof(http), "{\"url\":\"%s\"}", refused[i].url);
        web_job_init(&j, http, refused[i].arguments, "a b");
        CHECK(haft__http_tool_url(&j.job, &url, &err) != HAFT_OK, "%s was accepted",
              refused[i].url);
        CHECK_STR(haft__str(err.message), haft__str(refused[i].message), "%s", refused[i].url);
        CHECK_STR(haft__str(err.where), haft__str(refused[i].where), "%s", refused[i].url);
        web_job_finish(&j);
    }
}

TEST(making_a_url_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        web_job j;
        haft_str url = HAFT__LIT("");
        web_job_init(&j, "{\"url\":\"https://h/${TOKEN}/{a}?q={b}\"}",
                     "{\"a\":\"x\",\"b\":[1,2,3]}", "a b");
        test_fail_allocation(n);
        haft_status status = haft__http_tool_url(&j.job, &url, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        web_job_finish(&j);
        if (!failed) {
            break;
        }
    }
}
