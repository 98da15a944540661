/* SPDX-License-Identifier: Apache-2.0 */
/* variables.c - the table of environment variables. Tests: tests/cli/config/variables_test.c,
 * tests/house/variables.py. */
#include "cli/config/variables.h"

#include "base/macros.h"
#include "base/str.h"

static const haft__variable_row rows[] = {
    {"OPENAI_API_KEY", "the key for models of openai", true, true},
    {"OPENAI_BASE_URL", "another server for models of openai", false, true},
    {"OPENAI_TOOL_CHOICE",
     "the choice of tools where the spec has none: auto, none, required or "
     "the name of a tool",
     false, false},
    {"MISTRAL_API_KEY", "the key for models of mistral", true, true},
    {"DEEPSEEK_API_KEY", "the key for models of deepseek", true, true},
    {"HAFT_MODEL", "the model for specs that name none", false, false},
    {"HAFT_STORE", "where runs are kept, as --store has it", false, false},
    {"HAFT_ARTIFACTS", "the directory that artifacts are written into, as --artifacts has it",
     false, false},
    {"HAFT_LEASE", "how long a run stays a process's that is not heard of: 30s if not set", false,
     false},
    {"HAFT_VECTORS", "the file of word vectors of tool search, or none", false, false},
    {"HAFT_PLAIN", "plain lines, as --plain has it, unless it is 0 or empty", false, false},
    {"XDG_STATE_HOME", "the directory of the store: haft/haft.db in it; ~/.local/state if not set",
     false, false},
    {"XDG_CONFIG_HOME",
     "the directory of your settings: haft/config.yaml in it; ~/.config if not "
     "set",
     false, false},
    {"HOME", "your directory; tools are given it, too", false, false},
    {"USER", "who answers and approves, in the log of a run", false, false},
    {"PATH", "where the commands of tools are looked for; tools are given it, too", false, false},
    {"LANG", "tools are given it; C.UTF-8 if not set", false, false},
    {"LC_ALL", "the locale: the timeline has symbols where it names UTF-8", false, false},
    {"LC_CTYPE", "the same, where LC_ALL is not set; then LANG", false, false},
    {"NO_COLOR", "no colours, unless it is empty", false, false},
    {"TERM", "the kind of terminal; there are no colours on one that is dumb", false, false},
};

const haft__variable_row *haft__variable_table(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}

const haft__variable_row *haft__variable_find(haft_str name)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (haft__str_equal(haft__str(rows[i].name), name)) {
            return &rows[i];
        }
    }
    return NULL;
}
