/* SPDX-License-Identifier: Apache-2.0 */
/* placeholder.c - the table of placeholders, and the parser of usage lines. Tests:
 * tests/cli/completion/placeholder_test.c. */
#include "cli/completion/placeholder.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/store.h"

static const haft__placeholder words[] = {
    {"SPEC", HAFT__PLACEHOLDER_FILE,
     "a file with the spec of an agent, YAML or JSON; - is standard input"},
    {"FILE", HAFT__PLACEHOLDER_FILE, "a file; - is standard input"},
    {"SCRIPT", HAFT__PLACEHOLDER_FILE, "a file with the replies of a model, YAML or JSON"},
    {"SCHEMA", HAFT__PLACEHOLDER_FILE, "a file with a JSON Schema; - is standard input"},
    {"INSTANCE", HAFT__PLACEHOLDER_FILE, "a JSON file; - is standard input"},
    {"FORMAT", HAFT__PLACEHOLDER_ANY, "a text format of calls: hermes, mistral, purejson ..."},
    {"DIR", HAFT__PLACEHOLDER_DIRECTORY, "a directory"},
    {"SPEC|DIR", HAFT__PLACEHOLDER_FILE, "a spec, or a directory with specs"},
    {"DIR|FILE", HAFT__PLACEHOLDER_FILE, "a directory or a file"},
    {"ID", HAFT__PLACEHOLDER_RUN, "a run: its id, the beginning of it, or `last`"},
    {"THREAD", HAFT__PLACEHOLDER_THREAD, "a thread: the id that several runs share"},
    {"CALL", HAFT__PLACEHOLDER_ANY, "a call of a run, such as c1.1"},
    {"M", HAFT__PLACEHOLDER_MODEL, "a model: provider:model, offline, script:FILE or replay:FILE"},
    {"COMMAND", HAFT__PLACEHOLDER_COMMAND, "a command of haft"},
    {"TASK", HAFT__PLACEHOLDER_ANY, "the task of the agent"},
    {"QUERY", HAFT__PLACEHOLDER_ANY, "a description of what to find; for `haft sql`, an SQL query"},
    {"QUESTION", HAFT__PLACEHOLDER_ANY, "a question about files"},
    {"TEXT", HAFT__PLACEHOLDER_ANY, "any text"},
    {"NAME", HAFT__PLACEHOLDER_ANY, "a name"},
    {"NODE", HAFT__PLACEHOLDER_ANY, "a node of a graph"},
    {"NAMES", HAFT__PLACEHOLDER_ANY, "names, separated by commas"},
    {"MODE", HAFT__PLACEHOLDER_ANY, "auto, any, none or tool:NAME"},
    {"VALUE", HAFT__PLACEHOLDER_ANY, "a JSON value, or text for a question"},
    {"JSON", HAFT__PLACEHOLDER_ANY, "a JSON value"},
    {"URL", HAFT__PLACEHOLDER_ANY, HAFT__STORE_URLS},
    {"N", HAFT__PLACEHOLDER_ANY, "a whole number"},
    {"MS", HAFT__PLACEHOLDER_ANY, "a number of milliseconds"},
    {"SEQ", HAFT__PLACEHOLDER_ANY, "the number of an event"},
    {"HASH", HAFT__PLACEHOLDER_ANY, "hexadecimal digits of a hash, at least 12"},
    {"END", HAFT__PLACEHOLDER_ANY, "how a run ended: done, failed, cancelled, expired and others"},
    {"TIME", HAFT__PLACEHOLDER_ANY, "a duration: 250ms, 10s, 5m, 2h or 30d"},
    {"PATH=VALUE", HAFT__PLACEHOLDER_ANY, "a part of the spec and its new value: limits.turns=5"},
    {"KEY=VALUE", HAFT__PLACEHOLDER_ANY, "a name and a value"},
    {"ADDR:PORT", HAFT__PLACEHOLDER_ANY, "an address and a port; port 0 is any free port"},
};

static const haft__placeholder choice = {"", HAFT__PLACEHOLDER_CHOICE, "one of these words"};

const haft__placeholder *haft__placeholders(size_t *ret_count)
{
    *ret_count = COUNT(words);
    return words;
}

static bool is_choice(haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (haft__ascii_is_upper(name.ptr[i])) {
            return false;
        }
    }
    return name.len > 0;
}

const haft__placeholder *haft__placeholder_find(haft_str name)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_equal(haft__str(words[i].name), name)) {
            return &words[i];
        }
    }
    return is_choice(name) ? &choice : NULL;
}

bool haft__placeholder_next(haft_str *at, haft_str *ret_word)
{
    while (at->len > 0) {
        haft_str word = haft__str_split(at, ' ');
        while (word.len > 0 && word.ptr[0] == '[') {
            word = haft__str_skip(word, 1);
        }
        while (word.len > 0 && (word.ptr[word.len - 1] == ']' || word.ptr[word.len - 1] == '.')) {
            word.len--;
        }
        bool option = haft__str_starts_with(word, HAFT__LIT("--"));
        if (word.len > 0 && !option && !haft__str_equal(word, HAFT__LIT("|"))) {
            *ret_word = word;
            return true;
        }
    }
    return false;
}
