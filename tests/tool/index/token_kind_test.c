/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/token_kind.c. */
#include "tool/index/token_kind.h"

#include "test.h"
#include "tool/search_help.h"

TEST(kinds_of_tokens_are_recognized)
{
    static const struct {
        const char *token, *words;
    } rows[] = {
        {"https://example.com/a?b=c", "url"},
        {"(http://x)", "url"},
        {"www.example.com,", "url"},
        {"www.", ""},
        {"ftp://x", ""},
        {"report.pdf", "file"},
        {"\"OUT.MD\".", "file"},
        {"src/main.c:", "file"},
        {"a.parquet", "file"},
        {".env", ""}, /* there is no name before the dot */
        {"example.com", ""},
        {"done.then", ""},
        {"e.g.", ""},
        {"file.", ""},
        {"pdf", ""},
        {"a.toolongending", ""},
        {"bob@example.com", "email"},
        {"@bob.c", "file"},
        {"a@b", ""},
        {"#general", "channel"},
        {"#12", ""},
        {"#", ""},
        {"word", ""},
        {"", ""},
        {"()", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(haft__search_token_kind(haft__str(rows[i].token)), haft__str(rows[i].words), "%s",
                  rows[i].token);
    }
}

TEST(tools_are_found_by_the_kind_of_a_token)
{
    static const char url[] = "{\"properties\":{\"url\":{}}}";
    static const search_tool tools[] = {
        {"a", "navigate", "web", "Goes somewhere.", url},
        {"b", "post_page", "wiki", "Says what it says.", NULL},
        {"c", "write_file", "disk", "Puts text there.", NULL},
        {"d", "send_email", "mail", "Writes to somebody.", NULL},
    };
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("show https://example.com please"), 1),
              HAFT__LIT("a:parameters"), "a URL");
    CHECK_STR(search_ids(search, HAFT__LIT("how big is report.pdf"), 1), HAFT__LIT("c:name"),
              "a file name");
    CHECK_STR(search_ids(search, HAFT__LIT("tell bob@example.com about it"), 1),
              HAFT__LIT("d:name"), "a mail address");
    haft__search_destroy(search);
}
