/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/approval_reply.h - the meaning of a line that a person types at an approval. */
#ifndef HAFT_CLI_TERMINAL_APPROVAL_REPLY_H
#define HAFT_CLI_TERMINAL_APPROVAL_REPLY_H

#include "base/buf.h"

typedef enum haft__approval_reply_kind {
    HAFT__APPROVAL_REPLY_YES,
    HAFT__APPROVAL_REPLY_NO,            /* `text` is the reason, or "" */
    HAFT__APPROVAL_REPLY_ALWAYS_IN_RUN, /* also later calls of the tool in this run */
    HAFT__APPROVAL_REPLY_ALWAYS,        /* also later calls of the tool in all runs of the user */
    HAFT__APPROVAL_REPLY_EDIT,          /* change the arguments in an editor */
    HAFT__APPROVAL_REPLY_ARGUMENTS,     /* `text` is the new arguments: {...} */
    HAFT__APPROVAL_REPLY_HELP,
    HAFT__APPROVAL_REPLY_MESSAGE, /* `text` is sent to the model after the person confirms that */
} haft__approval_reply_kind;

typedef struct haft__approval_reply {
    haft__approval_reply_kind kind;
    haft_str text; /* borrowed from the line */
} haft__approval_reply;

/* Reads a trimmed line. Only the listed words approve anything. */
haft__approval_reply haft__approval_reply_read(haft_str line);

/* Whether the line is a plain yes. */
bool haft__approval_reply_is_yes(haft_str line);

/* Returns the help for a reply, or NULL after the last reply. The explanation begins at
 * HAFT__REPLY_HELP_COLUMN. */
#define HAFT__REPLY_HELP_COLUMN 7
const char *haft__approval_reply_help(size_t index);

#endif
