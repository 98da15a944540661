/* SPDX-License-Identifier: Apache-2.0 */
/* Texts with and without personal data. */
#include "run/personal/detect.h"

#include "base/str.h"
#include "test.h"

#define ALL                                                                                        \
    {                                                                                              \
        true, true, true, true, true                                                               \
    }

/* "email:a@b.org credit_card:4111..." for each finding. */
static void find_all(const char *text, char *out, size_t size)
{
    static const bool all[HAFT__PERSONAL_KIND_COUNT] = ALL;
    haft__personal_finding found;
    size_t at = 0, used = 0;
    out[0] = '\0';
    while (haft__personal_find(haft__str(text), at, all, &found)) {
        used += (size_t)snprintf(out + used, size - used, "%s%s:%.*s", used > 0 ? " " : "",
                                 haft__personal_kind_name(found.kind),
                                 (int)(found.end - found.start), text + found.start);
        at = found.end;
    }
}

TEST(personal_data_is_found_and_other_text_is_not)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"nothing here", ""},
        /* email addresses */
        {"bob@example.com", "email:bob@example.com"},
        {"<bob.o'neil+tag@mail.example.co.uk>, eve@x.org.",
         "email:neil+tag@mail.example.co.uk email:eve@x.org"},
        {"mailto:bob@example.com?subject=x", "email:bob@example.com"},
        {"+bob@example.com", "email:bob@example.com"},
        {"bob@example.com-based", "email:bob@example.com"},
        {"bob@localhost", ""},
        {"bob@example.c0m", ""},
        {"@example.com bob@ b@.com", ""},
        {"bj\xC3\xB6rn@b\xC3\xBC"
         "cher.example",
         "email:bj\xC3\xB6rn@b\xC3\xBC"
         "cher.example"},
        /* credit cards */
        {"4111 1111 1111 1111", "credit_card:4111 1111 1111 1111"},
        {"4111-1111-1111-1111.", "credit_card:4111-1111-1111-1111"},
        {"378282246310005", "credit_card:378282246310005"},
        {"4111 1111 1111 1111 12/30", "credit_card:4111 1111 1111 1111"},
        {"no 12 4111111111111111", "credit_card:4111111111111111"},
        {"4111 1111 1111 1112", ""},
        {"x4111111111111111", ""},
        {"4111111111111111x", ""},
        {"41111111111111111111111", ""},
        {"0000 0000 0000 0000", ""},
        /* IP addresses */
        {"192.168.0.1", "ip:192.168.0.1"},
        {"at 10.0.0.255.", "ip:10.0.0.255"},
        {"256.1.1.1 1.2.3 1.2.3.4.5 01.2.3.4 v1.2.3.4", ""},
        {"::1", "ip:::1"},
        {"2001:db8::ff00:42:8329", "ip:2001:db8::ff00:42:8329"},
        {"[2001:0db8:0000:0000:0000:ff00:0042:8329]:80",
         "ip:2001:0db8:0000:0000:0000:ff00:0042:8329"},
        {"::ffff:192.0.2.128", "ip:::ffff:192.0.2.128"},
        {"std::vector 12:30:45 a::b ::", ""},
        {"1:2:3:4:5:6:7:8:9 1::2::3 12345::", ""},
        /* MAC addresses */
        {"00:1a:2B:3c:4d:5e", "mac:00:1a:2B:3c:4d:5e"},
        {"00-1A-2B-3C-4D-5E,", "mac:00-1A-2B-3C-4D-5E"},
        {"00:1a:2b:3c:4d 00-1a:2b-3c:4d-5e 00:1a:2b:3c:4d:5g", ""},
        /* URLs */
        {"see https://example.org/a?b=bob@example.com.",
         "url:https://example.org/a?b=bob@example.com"},
        {"(HTTP://Example.org)", "url:HTTP://Example.org"},
        {"https:// xhttp://a.b", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char found[256];
        find_all(rows[i].text, found, sizeof(found));
        CHECK_STR(haft__str(found), haft__str(rows[i].wanted), "%s", rows[i].text);
    }
}

TEST(only_the_wanted_kinds_are_found)
{
    static const char text[] = "bob@example.com 10.0.0.1 https://a.b";
    for (int i = 0; i < HAFT__PERSONAL_KIND_COUNT; i++) {
        bool kinds[HAFT__PERSONAL_KIND_COUNT] = {false};
        haft__personal_finding found = {.kind = HAFT__PERSONAL_KIND_COUNT};
        kinds[i] = true;
        bool any = haft__personal_find(haft__str(text), 0, kinds, &found);
        bool in = i == HAFT__PERSONAL_EMAIL || i == HAFT__PERSONAL_IP || i == HAFT__PERSONAL_URL;
        CHECK_INT(any, in, "%s", haft__personal_kind_name((haft__personal_kind)i));
        CHECK(!any || (int)found.kind == i, "kind %d", i);
    }
}

/* Parts that begin like an address, as often as a text allows. */
TEST(the_search_is_linear)
{
    static const char *const parts[] = {"a.", "a@", "a@b.", "4 ", "1:", "aa:", "http://"};
    static const bool all[HAFT__PERSONAL_KIND_COUNT] = ALL;
    static char text[1 << 20];
    for (size_t i = 0; i < COUNT(parts); i++) {
        size_t length = strlen(parts[i]);
        for (size_t k = 0; k < sizeof(text); k++) {
            text[k] = parts[i][k % length];
        }
        haft__personal_finding found;
        size_t at = 0, count = 0;
        while (haft__personal_find((haft_str){text, sizeof(text)}, at, all, &found)) {
            at = found.end;
            count++;
        }
        CHECK(count <= sizeof(text) / 2, "%s: %zu findings", parts[i], count);
    }
}
