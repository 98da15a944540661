/* SPDX-License-Identifier: Apache-2.0 */
/* approval_reply.c - the table of replies. Tests: tests/cli/terminal/approval_reply_test.c. */
#include "cli/terminal/approval_reply.h"

#include "base/macros.h"
#include "base/str.h"

static const struct {
    haft__approval_reply_kind kind;
    const char *words[5];
    const char *help;
} rows[] = {
    {HAFT__APPROVAL_REPLY_YES, {"y", "Y", "yes", "Yes", "YES"}, "y      run this call"},
    {HAFT__APPROVAL_REPLY_NO,
     {"n", "N", "no", "No", "NO"},
     "n      do not run it; the model reads the text after n as the reason"},
    {HAFT__APPROVAL_REPLY_ALWAYS_IN_RUN,
     {"a"},
     "a      run it, and all later calls of this tool in this run, whatever their arguments"},
    {HAFT__APPROVAL_REPLY_ALWAYS,
     {"A"},
     "A      the same in all your runs, until the tool or its server changes; `haft approvals` "
     "revokes it"},
    {HAFT__APPROVAL_REPLY_EDIT, {"e"}, "e      edit the arguments in $EDITOR, then run it"},
    {HAFT__APPROVAL_REPLY_ARGUMENTS, {NULL}, "{...}  run it with these arguments"},
    {HAFT__APPROVAL_REPLY_HELP, {"?"}, "?      show this help"},
    {HAFT__APPROVAL_REPLY_MESSAGE,
     {NULL},
     "text   other text is a message to the model: the call does not run, once you confirm that"},
};

static bool is_word(size_t row, haft_str text)
{
    for (size_t i = 0; i < COUNT(rows[row].words) && rows[row].words[i] != NULL; i++) {
        if (haft__str_equal(text, haft__str(rows[row].words[i]))) {
            return true;
        }
    }
    return false;
}

/* Reads a reply. An empty line means no. */
haft__approval_reply haft__approval_reply_read(haft_str line)
{
    haft_str rest = line, first = haft__str_split(&rest, ' ');
    if (line.len == 0) {
        return (haft__approval_reply){HAFT__APPROVAL_REPLY_NO, HAFT__LIT("")};
    }
    if (line.ptr[0] == '{') {
        return (haft__approval_reply){HAFT__APPROVAL_REPLY_ARGUMENTS, line};
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool reason = rows[i].kind == HAFT__APPROVAL_REPLY_NO;
        if (is_word(i, reason ? first : line)) {
            haft_str text = reason ? haft__str_trim(rest) : HAFT__LIT("");
            return (haft__approval_reply){rows[i].kind, text};
        }
    }
    return (haft__approval_reply){HAFT__APPROVAL_REPLY_MESSAGE, line};
}

bool haft__approval_reply_is_yes(haft_str line)
{
    return haft__approval_reply_read(line).kind == HAFT__APPROVAL_REPLY_YES;
}

const char *haft__approval_reply_help(size_t index)
{
    return index < COUNT(rows) ? rows[index].help : NULL;
}
