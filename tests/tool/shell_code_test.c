/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/shell_code.c: whether the parameters of shell code stay data. */
#include "tool/shell_code.h"

#include "base/buf.h"
#include "base/str.h"
#include "test.h"
#include "json/write.h"

static haft__buf seen;

/* The words of every program are data, except those of `bad`. */
static haft_status note_command(haft__arena *arena, haft__json words, bool *ret_plain,
                                haft_error *err)
{
    (void)arena;
    (void)err;
    haft__json_write(&seen, words);
    *ret_plain = !haft__str_equal(haft__json_text(words.items[0]), HAFT__LIT("bad"));
    return HAFT_OK;
}

typedef struct row {
    const char *code, *commands; /* commands: NULL if the code is not plain */
} row;

static bool read_code(haft_str code)
{
    haft__arena arena;
    bool plain = false;
    haft__buf_clear(&seen);
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__shell_code_read(&arena, code, note_command, &plain, NULL), HAFT_OK,
              "read the code");
    haft__arena_finish(&arena);
    return plain;
}

static void check_rows(const row *rows, size_t count)
{
    haft__buf_init(&seen, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        bool plain = read_code(haft__str(rows[i].code));
        CHECK(plain == (rows[i].commands != NULL), "%s", rows[i].code);
        if (plain && rows[i].commands != NULL) {
            CHECK_STR(haft__buf_str(&seen), haft__str(rows[i].commands), "%s", rows[i].code);
        }
    }
    haft__buf_finish(&seen);
}

TEST(parameters_in_quotes_of_simple_commands_are_data)
{
    static const row rows[] = {
        {"", ""},
        {"ls", "[\"ls\"]"},
        {"ls \"$1\"", "[\"ls\",\"{x}\"]"},
        {"  ls -l -- \"$@\"\n", "[\"ls\",\"-l\",\"--\",\"{x}\"]"},
        {"ls a\"b$1\"'c d'\\ e", "[\"ls\",\"ab{x}c d e\"]"},
        {"ls \"${1}\" \"${2:-a b}\" \"${name%.c}\" \"${1/a/b}\"",
         "[\"ls\",\"{x}\",\"{x}\",\"{x}\",\"{x}\"]"},
        {"ls \"$10\"", "[\"ls\",\"{x}0\"]"},
        {"ls '$1' \\$1 \"\\$1\"", "[\"ls\",\"$1\",\"$1\",\"$1\"]"},
        {"ls $# $? \"$#\" \"cost $\"", "[\"ls\",\"0\",\"0\",\"0\",\"cost $\"]"},
        {"cat \"$1\" | sort -u && wc \"$2\"; head \"$3\" &",
         "[\"cat\",\"{x}\"][\"sort\",\"-u\"][\"wc\",\"{x}\"][\"head\",\"{x}\"]"},
        {"cat < \"$1\" 2>/dev/null >>out 2>&1", "[\"cat\"]"},
        {"cat <\"$1\" \"$2\"", "[\"cat\",\"{x}\"]"},
        {"if [ -f \"$1\" ]; then cat \"$1\"; else echo \"$1\"; fi", "[\"cat\",\"{x}\"]"},
        {"for f in \"$@\"; do wc -l \"$f\"; done", "[\"wc\",\"-l\",\"{x}\"]"},
        {"while ! test -e \"$1\"; do sleep 1; done", "[\"sleep\",\"1\"]"},
        {"x=$1 y=\"$2\"; ls \"$x\"", "[\"ls\",\"{x}\"]"},
        {"LANG=C FILE=\"$1\" ls \"$1\"", "[\"ls\",\"{x}\"]"},
        {"export FILE=\"$1\"; exec ls \"$FILE\"", "[\"ls\",\"{x}\"]"},
        {"(cd \"$1\" && ls \"$2\")", "[\"ls\",\"{x}\"]"},
        {"set -e; set -- \"$1\" b; cat \"$1\" # eval \"$1\"", "[\"cat\",\"{x}\"]"},
        {"ls \\\n \"$1\"", "[\"ls\",\"{x}\"]"},
        {"eval ls; . ./lib; trap 'rm x' EXIT; lib_do \"$1\"", "[\"lib_do\",\"{x}\"]"},
        {"[ $# -eq 1 ] && [ \"$1\" = a ]", ""},
        {"printf '%s\\n' \"$1\"", ""},
    };
    check_rows(rows, COUNT(rows));
}

TEST(parameters_that_may_be_more_than_data_are_found)
{
    static const row rows[] = {
        {"$0", NULL},
        {"$1", NULL},
        {"\"$1\"", NULL},
        {"\"$@\"", NULL},
        {"x\"$1\"", NULL},
        {"eval \"$1\"", NULL},
        {"command eval \"$1\"", NULL},
        {"X=1 command eval \"$1\"", NULL},
        {"ls; eval \"ls $1\"", NULL},
        {"if true; then eval \"$1\"; fi", NULL},
        {"{ . \"$1\"; }", NULL},
        {"exec \"$@\"", NULL},
        {"source \"$1\"", NULL},
        {"trap \"$1\" EXIT", NULL},
        {"ls $1", NULL},
        {"ls ${1}", NULL},
        {"ls $x", NULL},
        {"for f in $1; do ls \"$f\"; done", NULL},
        {"x=\"$1\"; $x", NULL},
        {"bad \"$1\"", NULL},
        {"ls | bad \"$1\"", NULL},
        {"echo \"$1\" | bad", NULL},
        {"PATH=\"$1\" ls", NULL},
        {"export \"$1\"", NULL},
        {"export PATH=\"$1\"", NULL},
        {"read \"$1\"", NULL},
        {"unset \"$1\"", NULL},
        {"printf -v \"$1\" x", NULL},
        {"test -v \"$1\"", NULL},
        {"[ \"$1\" -eq 1 ]", NULL},
        {"[[ -n \"$1\" ]]", NULL},
        {"let \"$1\"", NULL},
        {"declare -i x; x=\"$1\"", NULL},
        {"set \"$1\"", NULL},
    };
    check_rows(rows, COUNT(rows));
}

TEST(code_that_is_not_understood_is_not_plain)
{
    static const row rows[] = {
        {"ls $(cat)", NULL},
        {"ls \"$(cat)\"", NULL},
        {"ls `cat`", NULL},
        {"ls \"`cat`\"", NULL},
        {"ls $((1))", NULL},
        {"((x = 1))", NULL},
        {"ls $'a'", NULL},
        {"ls $[1]", NULL},
        {"ls \"${!1}\"", NULL},
        {"ls \"${x@P}\"", NULL},
        {"ls \"${x[1]}\"", NULL},
        {"ls \"${x:$1}\"", NULL},
        {"ls \"${x:-`id`}\"", NULL},
        {"ls \"${\"", NULL},
        {"ls \"${}\"", NULL},
        {"f() { ls; }", NULL},
        {"x=(a)", NULL},
        {"case a in a) ls;; esac", NULL},
        {"cat <<E\n$1\nE\n", NULL},
        {"cat <(ls)", NULL},
        {"cat <<<\"$1\"", NULL},
        {"cat > ", NULL},
        {"ls 'a", NULL},
        {"ls \"a", NULL},
    };
    check_rows(rows, COUNT(rows));
    haft__buf_init(&seen, 1 << 20);
    CHECK(!read_code((haft_str){"ls \0", 4}), "code with a NUL byte");
    haft__buf_finish(&seen);
}

TEST(the_number_of_words_of_a_command_is_limited)
{
    haft__buf code;
    haft__buf_init(&code, 1 << 20);
    haft__buf_init(&seen, 1 << 20);
    for (size_t i = 0; i < 1024; i++) {
        haft__buf_add_str(&code, HAFT__LIT("a "));
    }
    CHECK(read_code(haft__buf_str(&code)), "1024 words are accepted");
    haft__buf_add_char(&code, 'a');
    CHECK(!read_code(haft__buf_str(&code)), "1025 words are rejected");
    haft__buf_finish(&seen);
    haft__buf_finish(&code);
}
