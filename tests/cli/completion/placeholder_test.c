/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/completion/placeholder.c, and that the command table uses its words. */
#include "cli/completion/placeholder.h"

#include "base/buf.h"
#include "cli/command.h"
#include "test.h"

TEST(usage_is_split_into_words)
{
    static const struct {
        const char *usage, *words; /* by spaces */
    } cases[] = {
        {"", ""},
        {"SPEC [TASK]", "SPEC TASK"},
        {"ID [CALL] VALUE", "ID CALL VALUE"},
        {"ID | --all", "ID"},
        {"once|load KEY=VALUE...", "once|load KEY=VALUE"},
        {"[FILE]...", "FILE"},
        {"[[A] | [B]]", "A B"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf found;
        haft__buf_init(&found, 256);
        haft_str rest = haft__str(cases[i].usage), word;
        while (haft__placeholder_next(&rest, &word)) {
            haft__buf_addf(&found, "%s%.*s", found.len > 0 ? " " : "", HAFT__ARG(word));
        }
        CHECK_STR(haft__buf_str(&found), haft__str(cases[i].words), "case %zu", i);
        haft__buf_finish(&found);
    }
}

TEST(word_is_a_placeholder_a_choice_or_unknown)
{
    CHECK_INT(haft__placeholder_find(HAFT__LIT("SPEC"))->kind, HAFT__PLACEHOLDER_FILE, "SPEC");
    CHECK_INT(haft__placeholder_find(HAFT__LIT("7|2020-12"))->kind, HAFT__PLACEHOLDER_CHOICE,
              "a choice");
    CHECK(haft__placeholder_find(HAFT__LIT("SPECS")) == NULL, "SPECS is a placeholder");
    CHECK(haft__placeholder_find(HAFT__LIT("")) == NULL, "an empty word is a placeholder");
}

static void check_usage(const char *command, const char *usage)
{
    haft_str rest = haft__str(usage), word;
    while (haft__placeholder_next(&rest, &word)) {
        CHECK(haft__placeholder_find(word) != NULL,
              "%s: add %.*s to src/cli/completion/placeholder.c", command, HAFT__ARG(word));
    }
}

TEST(every_word_of_the_command_table_is_known)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__command *c = commands[i];
        for (const haft__option *o = c->options; o != NULL && o->name != NULL; o++) {
            CHECK(o->value == NULL || haft__placeholder_find(haft__str(o->value)) != NULL,
                  "%s --%s: add %s to src/cli/completion/placeholder.c", c->name, o->name,
                  o->value);
        }
        for (const haft__subcommand *s = c->subcommands; s != NULL && s->name != NULL; s++) {
            check_usage(s->name, s->usage);
        }
        if (c->subcommands == NULL) {
            check_usage(c->name, c->usage);
        }
        CHECK(c->examples != NULL || c->hidden || c->max_words == 0, "%s has no example", c->name);
    }
}
