/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/programs.c. */
#include "tool/programs.h"

#include "base/str.h"
#include "test.h"

static const haft__program *find(const char *word)
{
    const haft__program *row = NULL;
    for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
        if (haft__program_has_name(row, haft__str(word))) {
            return row;
        }
    }
    return NULL;
}

TEST(programs_are_found_by_name_path_and_version)
{
    static const struct {
        const char *word, *first; /* first: the first name of its row */
    } rows[] = {
        {"bash", "sh"},
        {"/bin/bash", "sh"},
        {"bash-5.2", "sh"},
        {"python3.11", "python"},
        {"./bin/python", "python"},
        {"sqlite3", "sqlite"},
        {"timeout", "timeout"},
        {"my-sh", NULL},
        {"shx", NULL},
        {"", NULL},
        {"/", NULL},
        {"3", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const haft__program *row = find(rows[i].word);
        haft_str names = haft__str(row != NULL ? row->names : "");
        CHECK_STR(haft__str_split(&names, ' '),
                  haft__str(rows[i].first != NULL ? rows[i].first : ""), "%s", rows[i].word);
    }
}

TEST(effects_of_options_are_recognized)
{
    static const struct {
        const char *program, *word;
        haft__option_effect effect;
        bool next;
    } rows[] = {
        {"timeout", "-k", HAFT__OPTION_VALUE, true},
        {"timeout", "-k5", HAFT__OPTION_VALUE, false},
        {"timeout", "-vk", HAFT__OPTION_VALUE, true},
        {"timeout", "--signal", HAFT__OPTION_VALUE, true},
        {"timeout", "--sig", HAFT__OPTION_VALUE, true},
        {"timeout", "--signal=9", HAFT__OPTION_VALUE, false},
        {"timeout", "--foreground", HAFT__OPTION_FLAG, false},
        {"timeout", "--no-such", HAFT__OPTION_UNKNOWN, false},
        {"timeout", "-Z", HAFT__OPTION_UNKNOWN, false},
        {"nice", "-15", HAFT__OPTION_FLAG, false},
        {"timeout", "-15", HAFT__OPTION_UNKNOWN, false},
        {"bash", "-ec", HAFT__OPTION_OPERAND, false},
        {"bash", "-s", HAFT__OPTION_STDIN, false},
        {"perl", "-lne", HAFT__OPTION_CODE, true},
        {"perl", "-eprint", HAFT__OPTION_CODE, false},
        {"sqlite3", "-cmd", HAFT__OPTION_CODE, true},
        {"sqlite3", "--separator", HAFT__OPTION_DATA, true},
        {"gcc", "-wrapper", HAFT__OPTION_CODE, true},
        {"gcc", "-fplugin=x", HAFT__OPTION_CODE, false},
        {"zip", "-TT", HAFT__OPTION_CODE, true},
        {"zip", "-T", HAFT__OPTION_FLAG, false},
        {"wget", "-nv", HAFT__OPTION_FLAG, false},
        {"jq", "--arg", HAFT__OPTION_PAIR, true},
        {"bash", "+x", HAFT__OPTION_FLAG, false},
        {"bash", "+o", HAFT__OPTION_VALUE, true},
        {"watch", "-x", HAFT__OPTION_DIRECT, false},
        {"python3", "-m", HAFT__OPTION_SCRIPT, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool next = !rows[i].next;
        CHECK_INT(haft__program_option(find(rows[i].program), haft__str(rows[i].word), &next),
                  rows[i].effect, "%s %s", rows[i].program, rows[i].word);
        CHECK_INT(next, rows[i].next, "%s %s", rows[i].program, rows[i].word);
    }
}

/* docs/spec.md states this number. */
TEST(more_than_200_launchers_and_interpreters_are_known)
{
    size_t count = 0;
    const haft__program *row = NULL;
    for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
        for (haft_str rest = haft__str(row->names); rest.len > 0 && row->kind != HAFT__PROGRAM_TEXT;
             count++) {
            (void)haft__str_split(&rest, ' ');
        }
    }
    CHECK(count > 200, "only %zu programs", count);
}

TEST(the_table_is_well_formed)
{
    const haft__program *row = NULL;
    for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
        for (haft_str rest = haft__str(row->options); rest.len > 0;) {
            haft_str entry = haft__str_split(&rest, ' ');
            CHECK(entry.len > 0 && (entry.ptr[0] != '-' || entry.len > 2), "%s: '%.*s'", row->names,
                  HAFT__ARG(entry));
        }
        for (haft_str rest = haft__str(row->names); rest.len > 0;) {
            haft_str name = haft__str_split(&rest, ' ');
            CHECK(name.len > 0 && haft__program_has_name(row, name), "%s", row->names);
        }
    }
}
