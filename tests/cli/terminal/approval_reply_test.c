/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/approval_reply.c. */
#include "cli/terminal/approval_reply.h"

#include "test.h"

TEST(only_listed_words_approve)
{
    static const struct {
        const char *line;
        haft__approval_reply_kind kind;
        const char *text;
    } cases[] = {
        {"y", HAFT__APPROVAL_REPLY_YES, ""},
        {"YES", HAFT__APPROVAL_REPLY_YES, ""},
        {"yes please", HAFT__APPROVAL_REPLY_MESSAGE, "yes please"},
        {"", HAFT__APPROVAL_REPLY_NO, ""},
        {"n", HAFT__APPROVAL_REPLY_NO, ""},
        {"no thanks, not him", HAFT__APPROVAL_REPLY_NO, "thanks, not him"},
        {"not him", HAFT__APPROVAL_REPLY_MESSAGE, "not him"},
        {"a", HAFT__APPROVAL_REPLY_ALWAYS_IN_RUN, ""},
        {"A", HAFT__APPROVAL_REPLY_ALWAYS, ""},
        {"always", HAFT__APPROVAL_REPLY_MESSAGE, "always"},
        {"a b", HAFT__APPROVAL_REPLY_MESSAGE, "a b"},
        {"e", HAFT__APPROVAL_REPLY_EDIT, ""},
        {"E", HAFT__APPROVAL_REPLY_MESSAGE, "E"},
        {"{\"q\":1}", HAFT__APPROVAL_REPLY_ARGUMENTS, "{\"q\":1}"},
        {"?", HAFT__APPROVAL_REPLY_HELP, ""},
        {"??", HAFT__APPROVAL_REPLY_MESSAGE, "??"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__approval_reply reply = haft__approval_reply_read(haft__str(cases[i].line));
        CHECK_INT(reply.kind, cases[i].kind, "kind of '%s'", cases[i].line);
        CHECK_STR(reply.text, haft__str(cases[i].text), "text of '%s'", cases[i].line);
        CHECK(haft__approval_reply_is_yes(haft__str(cases[i].line))
                  == (cases[i].kind == HAFT__APPROVAL_REPLY_YES),
              "whether '%s' is a yes", cases[i].line);
    }
}
