/* SPDX-License-Identifier: Apache-2.0 */
/* tree_help.c - see tree_help.h. */
#include "tree_help.h"

#include "base/str.h"

#define MIDDLE                                                                                     \
    "\"middle\":{\"haft\":1,\"name\":\"middle\",\"description\":\"Asks a picker.\","               \
    "\"model\":\"script:2.json\",\"agents\":{" HELP_PICKER "},"                                    \
    "\"tools\":[{\"name\":\"ask_picker\",\"agent\":\"picker\"}]}"
#define ROOT                                                                                       \
    "\"agents\":{" HELP_PICKER "," MIDDLE "},\"limits\":{\"turns\":40},"                           \
    "\"tools\":[{\"name\":\"ask_picker\",\"agent\":\"picker\"},"                                   \
    "{\"name\":\"ask_middle\",\"agent\":\"middle\"}]"

haft_run *help_tree_start(help_host *h)
{
    /* Only the scripts of these two are used. */
    haft_agent_release(help_host_agent(h, HELP_PICK, HELP_PICKS));
    haft_agent_release(help_host_agent(
        h, HELP_PICK, "{\"replies\":[{\"calls\":[" HELP_ASK("picker") "]},{\"text\":\"half\"}]}"));
    haft_run *root = help_host_start(h, ROOT,
                                     "{\"replies\":[{\"calls\":[" HELP_ASK("picker") "," HELP_ASK(
                                         "middle") "]},{\"text\":\"good\"}]}",
                                     "go");
    help_host_settle(h, root);
    CHECK_INT(haft_run_state(root), HAFT_WAITING, "%s", haft_run_error(root)->message);
    return root;
}

haft_str help_tree_child(const haft__run *run, const char *call)
{
    const haft__child *child = haft__child_find(run, haft__str(call));
    return child != NULL ? child->run : HAFT__LIT("");
}
