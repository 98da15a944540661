/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/command_words.c: the role of an argument in a word of a command. */
#include "tool/command_words.h"

#include "base/buf.h"
#include "base/str.h"
#include "test.h"
#include "tool/programs.h"
#include "json/read.h"

/* o is not required; n is a number, and e is one of two texts. */
#define SCHEMA                                                                                     \
    "{\"properties\":{\"t\":{},\"u\":{},\"o\":{},\"n\":{\"type\":\"integer\"},"                    \
    "\"e\":{\"enum\":[\"a\",\"b\"]}},\"required\":[\"t\",\"u\",\"n\",\"e\"],"                      \
    "\"additionalProperties\":false}"

static haft__json read_json(haft__arena *arena, const char *text)
{
    haft__json value = {0};
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

/* Splits at '|'. */
static haft__json split_words(haft__arena *arena, const char *text)
{
    haft__json items[32];
    size_t count = 0;
    for (haft_str rest = haft__str(text); rest.len > 0 && count < COUNT(items);) {
        items[count++] = haft__json_string(haft__str_split(&rest, '|'));
    }
    haft__json *kept = haft__arena_array(arena, count, sizeof(*kept));
    memcpy(kept, items, count * sizeof(*kept));
    return haft__json_array(kept, count);
}

static const char *risk_name(haft__word_risk risk)
{
    switch (risk) {
    case HAFT__WORD_DATA: return "data";
    case HAFT__WORD_PROGRAM: return "program";
    case HAFT__WORD_OPTION: return "option";
    case HAFT__WORD_CODE: return "code";
    case HAFT__WORD_VALUE: return "value";
    case HAFT__WORD_SUBCOMMAND: return "subcommand";
    }
    return "?";
}

/* "code" for each word with an argument, with "?" if it is unsure and "--" if options are over;
 * "stdin" if a program evaluates standard input, "words" if it makes words of it. */
static void describe(haft__buf *buf, const haft__command_words *words)
{
    haft__buf_clear(buf);
    for (size_t i = 0; i < words->count; i++) {
        const haft__command_word *word = &words->items[i];
        if (word->argument.ptr != NULL) {
            haft__buf_addf(buf, "%s%s%s%s", buf->len > 0 ? " " : "", risk_name(word->risk),
                           word->unsure ? "?" : "", word->after_dashes ? "--" : "");
        }
    }
    if (words->stdin_reader < words->count) {
        haft__buf_addf(buf, "%sstdin", buf->len > 0 ? " " : "");
    } else if (words->stdin_words < words->count) {
        haft__buf_addf(buf, "%swords", buf->len > 0 ? " " : "");
    }
}

typedef struct row {
    const char *command, *wanted;
} row;

static void check_rows(const row *rows, size_t count)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf shown;
    haft__buf_init(&shown, 4096);
    haft__json schema = read_json(&arena, SCHEMA);
    for (size_t i = 0; i < count; i++) {
        haft__command_words words;
        haft__json command = split_words(&arena, rows[i].command);
        CHECK_INT(haft__command_words_read(&arena, command, schema, &words, NULL), HAFT_OK,
                  "read the words");
        describe(&shown, &words);
        CHECK_STR(haft__buf_str(&shown), haft__str(rows[i].wanted), "%s", rows[i].command);
    }
    haft__buf_finish(&shown);
    haft__arena_finish(&arena);
}

TEST(words_of_ordinary_programs_are_data)
{
    static const row rows[] = {
        {"df|-h|{t}", "data"},
        {"./tool|{t}|{u}", "data data"},
        {"./tool|--|{t}|{u}", "data-- data--"},
        {"ls|--|{t}", "data--"},
        {"grep|-e|{t}|--|{u}", "data data--"},
        {"head|-c|{t}", "data"},
        {"git|log|--|{t}", "data--"},
        {"docker|ps|{t}", "data"},
        {"find|{t}|-name|{u}", "data data"},
        {"find|.|--|{t}", "data"}, /* find also reads an expression after "--" */
        {"mkdir|-p|{t}", "data"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(programs_that_run_a_file_or_an_address_of_the_model_are_known)
{
    static const row rows[] = {
        {"setarch|x86_64|{t}", "program"},
        {"setarch|-R|x86_64|sh|-c|{t}", "code"},
        {"setarch|{t}", "option"},
        {"chpst|-u|nobody|{t}", "program"},
        {"envdir|env|{t}", "program"},
        {"wine|{t}", "program"},
        {"qemu-x86_64|-L|/usr|{t}", "program"},
        {"watchexec|ls|{t}", "code"},
        {"socat|{t}|-", "code"},
        {"socat|-|TCP:{t}:80", "code"}, /* "x!!EXEC:id" */
        {"socat|-u|-|OPEN:x|{t}", "code"},
        {"java|{t}", "program"},
        {"java|-cp|lib|-jar|{t}", "program"},
        {"java|-cp|lib|-jar|x.jar|{t}", "data"},
        {"java|-cp|lib|Main|{t}", "data"},
        {"dotnet|{t}", "program"},
        {"dotnet|x.dll|{t}", "data"},
        {"ts-node|{t}", "program"},
        {"swipl|{t}", "code stdin"},
        {"convert|{t}|x.png", "code?"},
        {"mogrify|--|{t}", "code?--"},
        {"pdflatex|{t}", "code?"},
        {"xdg-open|{t}", "code?"},
        {"pytest|{t}", "code?"},
    };
    check_rows(rows, COUNT(rows));
}

/* The "--" of a launcher never protects the words of the program that it starts. */
TEST(dashes_of_a_launcher_are_not_those_of_its_program)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = read_json(&arena, SCHEMA);
    const haft__program *program;
    for (size_t i = 0; (program = haft__program_at(i)) != NULL; i++) {
        haft_str names = haft__str(program->names);
        while (program->kind == HAFT__PROGRAM_LAUNCHER && names.len > 0) {
            haft_str name = haft__str_split(&names, ' ');
            haft__buf text;
            haft__buf_init(&text, 4096);
            haft__buf_add_str(&text, name);
            for (haft_str rest = haft__str(program->subcommand != NULL ? program->subcommand : "");
                 rest.len > 0;) {
                haft_str word = haft__str_split(&rest, ' ');
                haft__buf_add_char(&text, '|');
                haft__buf_add_str(&text, haft__str_split(&word, '|'));
            }
            haft__buf_add_str(&text, HAFT__LIT("|--"));
            for (size_t k = 0; k < program->operands; k++) {
                haft__buf_add_str(&text, HAFT__LIT("|1"));
            }
            haft__buf_add_str(&text, HAFT__LIT("|ls|{t}"));
            haft__buf_add_char(&text, '\0');
            haft__command_words words;
            CHECK_INT(haft__command_words_read(&arena, split_words(&arena, text.ptr), schema,
                                               &words, NULL),
                      HAFT_OK, "read the words");
            CHECK(!words.items[words.count - 1].after_dashes, "%s", text.ptr);
            haft__buf_finish(&text);
        }
    }
    haft__arena_finish(&arena);
}

TEST(dashes_protect_parameters_of_a_shell_only_if_its_commands_read_them)
{
    static const row rows[] = {
        {"sh|-c|ls \"$@\"|--|{t}", "data"},
        {"sh|-c|ls \"$@\"|sh|--|{t}", "data--"},
        {"sh|-c|ls \"$@\"|sh|{t}|--|{u}", "data data--"},
        {"bash|-c|ls \"$1\"|sh|--|{t}", "data"},
        {"bash|-c|ls \"$2\"|sh|--|{t}", "data"},
        {"bash|-c|ls \"$@\"; ls \"$2\"|sh|--|{t}", "data"},
        {"bash|-c|shift; ls \"$@\"|sh|--|{t}", "data"},
        {"bash|-c|find \"$@\"|sh|--|{t}", "data"},
        {"bash|-c|--|ls \"$1\"|sh|{t}", "data"},
        {"sh|-c|ls -- \"$1\"|sh|{t}", "data--"},
        {"sh|-c|ls -l -- \"$1\" \"$2\" > out|sh|{t}|{u}", "data-- data--"},
        {"sh|-c|ls -- \"$1\"; ls \"$2\"|sh|{t}|{u}", "data data"},
        {"sh|-c|ls -- x; ls \"$1\"|sh|{t}", "data"},
        {"sh|-c|nice -- ls \"$1\"|sh|{t}", "data"},
        {"sh|-c|ls -- \"$1\" ; ls -l \"$1\"|sh|{t}", "data"},
        {"sh|-c|ls -- \"$1\" $x|sh|{t}", "data"},
        {"sh|-c|find -- \"$1\"|sh|{t}", "data"},
        {"timeout|5|dash|-c|ls \"$@\"|--|{t}", "data"},
        {"./wrap|sh|-c|ls \"$@\"|--|{t}", "data"},
        {"bash|x.sh|--|{t}", "data--"},
        {"python3|-c|x|--|{t}", "data--"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(dashes_protect_words_only_if_no_option_takes_them)
{
    static const row rows[] = {
        {"rg|-e|--|{t}", "data"},
        {"rg|-e|--|--|{t}", "data--"},
        {"rg|-e|{o}|--|{t}", "data data--"},
        {"grep|-e|--|{t}", "data"},
        {"sed|-e|p|-l|--|{t}", "data"},
        {"sed|-e|p|--|{t}", "data--"},
        {"sort|-t|--|{t}|--|{u}", "data data--"},
        {"./x|-v|--|{t}", "data--"},
        {"./x|--|{o}|{t}", "data-- data--"},
        {"./x|--|{o}", "data--"},
        {"./x|--|{o}|rg|{t}", "data data"}, /* without o, ./x may start rg */
    };
    check_rows(rows, COUNT(rows));
}

TEST(launchers_are_followed_to_their_program)
{
    static const row rows[] = {
        {"{t}|x", "program"},
        {"./{t}|x", "program"},
        {"env|{t}", "program"},
        {"env|A={t}|ls", "option"},
        {"env|-S|ls {t}", "code"},
        {"env|-i|A=1|-u|B|ls|{t}", "data"},
        {"env|A=1|sh|-c|echo {t}", "code"},
        {"nice|{t}|ls", "program"},
        {"nice|-n|{t}|ls", "option"},
        {"nice|-n{t}|ls", "option"},
        {"nice|-5|ls|{t}", "data"},
        {"nice|--|ls|{t}", "data"}, /* this "--" belongs to nice, not to ls */
        {"nice|ls|--|{t}", "data--"},
        {"nice|-n|5|bash|-c|{t}", "code"},
        {"timeout|5|bash|-c|echo {t}", "code"},
        {"timeout|{t}|ls", "option"},
        {"timeout|-k|1|--signal|KILL|5|sh|-c|{t}", "code"},
        {"timeout|--sig=9|5|ls|{t}", "data"},
        {"timeout|5|{t}", "program"},
        {"nohup|sh|-c|{t}", "code"},
        {"runcon|system_u:x|sh|-c|{t}", "code"},
        {"runcon|{t}|ls", "option"},
        {"systemd-cat|-t|x|{t}", "program"},
        {"systemd-cat|ls|--|{t}", "data--"},
        {"ssh-agent|-t|5|sh|-c|{t}", "code"},
        {"run-parts|--verbose|{t}", "program"},
        {"ccache|{t}", "program"},
        {"cpulimit|-l|50|--|sh|-c|{t}", "code"},
        {"irb|{t}", "program"},
        {"irb|x.rb|{t}", "data"},
        {"ocaml|-e|{t}", "code"},
        {"ocaml|{t}", "program"},
        {"runghc|{t}", "program"},
        {"runghc|-f|{t}|x.hs", "option"},
        {"stdbuf|-oL|-e|0|sh|-ec|{t}", "code"},
        {"setsid|-f|sh|-c|{t}", "code"},
        {"sudo|-u|x|sh|-c|{t}", "code"},
        {"sudo|-u|{t}|ls", "option"},
        {"sudo|ls|{t}", "data"},
        {"doas|-u|x|sh|-c|{t}", "code"},
        {"su|-c|ls {t}", "code stdin"},
        {"su|x|-c|{t}", "code stdin"},
        {"runuser|-u|x|--|sh|-c|{t}", "code stdin"},
        {"busybox|sh|-c|{t}", "code"},
        {"busybox|{t}", "program"},
        {"chroot|/x|sh|-c|{t}", "code"},
        {"chroot|{t}|ls", "option"},
        {"unshare|-r|--map-user|0|sh|-c|{t}", "code"},
        {"nsenter|-t|1|-m|sh|-c|{t}", "code"},
        {"flock|/x|sh|-c|{t}", "code"},
        {"flock|/x|-c|{t}", "code"},
        {"flock|-w|3|/x|ls|{t}", "data"},
        {"ip|netns|exec|n|sh|-c|{t}", "code"},
        {"ip|netns|exec|{t}|ls", "option"},
        {"ip|addr|show|{t}", "data"},
        {"docker|exec|c|sh|-c|{t}", "code"},
        {"docker|--context|c|exec|-it|-u|root|c|sh|-c|ls {t}", "code"},
        {"docker|exec|c|{t}", "program"},
        {"docker|exec|{t}|ls", "option"},
        {"docker|exec|c|ls|{t}", "data"},
        {"docker|compose|exec|s|sh|-c|{t}", "code"},
        {"docker|run|--rm|-v|/a:/b|i|sh|-c|{t}", "code"},
        {"docker|{t}", "option"},
        {"podman|container|exec|c|bash|-c|{t}", "code"},
        {"kubectl|-n|n|exec|p|-c|c|--|sh|-c|{t}", "code"},
        {"kubectl|exec|p|--|ls|{t}", "data"},
        {"npx|-y|{t}", "program"},
        {"xargs|ls|{t}", "data words"},
        {"xargs|-n|1|sh|-c|{t}", "code stdin"},
        {"xargs|-I|R|sh|-c|echo R", "stdin"},
        {"xargs|env", "stdin"},
        {"xargs|rm|--", ""},
        {"env|timeout|5|nice|-n|1|nohup|/bin/bash|-c|{t}", "code"},
        {"time|-p|python3|-c|{t}", "code"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(words_that_a_shell_joins_are_code)
{
    static const row rows[] = {
        {"ssh|h|ls|{t}", "code"},
        {"ssh|{t}|ls", "option"},
        {"ssh|-p|22|h|--|ls|{t}", "code"},
        {"ssh|h", "stdin"},
        {"watch|-n|1|ls|{t}", "code"},
        {"watch|-x|ls|{t}", "data"},
        {"watch|--exec|sh|-c|{t}", "code"},
        {"parallel|echo|:::|{t}", "code"},
        {"make|{t}", "code"},
        {"rsync|-e|ssh {t}|a|b", "code"},
        {"tar|-xf|{t}", "data"},
        {"tar|--to-command={t}|-xf|x", "code"},
        {"git|-c|{t}|log", "code"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(interpreters_evaluate_code_and_run_scripts)
{
    static const row rows[] = {
        {"sh|do.sh|{t}", "data"},
        {"sh|{t}", "program"},
        {"sh|-c|echo \"$1\"|sh|{t}", "data"},
        {"sh|-c|echo \"$1\"|--|{t}", "data"}, /* this "--" is $0 */
        {"sh|-c|-x|{t}", "code"},
        {"sh|-c|--|{t}", "code"},
        {"bash|-o|pipefail|-c|{t}", "code"},
        {"bash|--rcfile|{t}|x.sh", "option"},
        {"sh|--|x.sh|{t}", "data"},
        {"sh|x.sh|--|{t}", "data--"},
        {"sh", "stdin"},
        {"sh|-s|{t}", "data stdin"},
        {"python3|-", "stdin"},
        {"python3.11|-c|print({t})", "code"},
        {"python3|-m|{t}", "program"},
        {"python3|-m|json.tool|{t}", "data"},
        {"python3|-u|x.py|{t}", "data"},
        {"python3|-u|x.py|-c|{t}", "code?"},
        {"/usr/bin/perl|-ne|{t}", "code"},
        {"perl|-e|1|-e|{t}", "code"},
        {"perl|-M{t}|-e|1", "option"},
        {"perl|-e|print @ARGV|--|{t}", "data--"},
        {"ruby|-rjson|-e|{t}", "code"},
        {"node|--eval={t}", "code"},
        {"node|-r|{t}|x.js", "option"},
        {"php|-r|{t}", "code"},
        {"awk|{t}{print}", "code"},
        {"awk|-v|x={t}|{print x}|{u}", "data data"},
        {"awk|-F|{t}|{print}|f", "data"},
        {"awk|-F|{o}|{print}|{t}", "data data"},    /* -F is left out with o */
        {"awk|-nF|{o}|{print}|{t}", "option data"}, /* without o, t would be code */
        {"jq|--arg|x|{o}|.|{t}", "option data"},
        {"awk|-f|{t}", "program"},
        {"awk|-f|x.awk|{t}", "data"},
        {"sed|s/a/{t}/|f", "code"},
        {"sed|-n|p|{t}", "data"},
        {"sed|f|-e|s/a/{t}/", "code"},
        {"sed|-n|-e|p|--|{t}", "data--"},
        {"sqlite3|x.db|select {t}", "code"},
        {"sqlite3|-readonly|-separator|,|x.db|{t}", "code"},
        {"psql|-h|h|-c|select {t}", "code"},
        {"mysql|-e|select {t}|x", "code"},
        {"find|.|-exec|sh|-c|{t}|;", "code"},
        {"find|.|-name|x|-exec|{t}|;", "program"},
        {"find|.|-exec|grep|{t}|{}|+", "data"},
        {"find|.|-exec|grep|x|{}|;|-execdir|env|A=1|bash|-c|{t}|;", "code"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(unknown_programs_do_not_hide_an_interpreter)
{
    static const row rows[] = {
        {"./wrap|bash|-c|echo {t}", "code"},
        {"./wrap|--|sh|-c|{t}", "code"},
        {"./wrap|--|ls|{t}", "data"}, /* the "--" may belong to wrap, not to ls */
        {"./wrap|python3|{t}", "program?"},
        {"./wrap|timeout|5|{t}", "program?"},
        {"./wrap|timeout|5|sh|-c|{t}", "code"},
        {"./wrap|make|{t}", "code?"},
        {"./wrap|awk|{t}{print}", "code"},
        {"./run|-c|{t}", "code?"},
        {"./run|--eval={t}", "code?"},
        {"capsh|--|-c|{t}", "code stdin"},
        {"./caps|--|-c|{t}", "code?"},
        {"./caps|--|--x={t}", "value?--"},
        {"choom|-n|5|--|{t}", "program"},
        {"ld-linux-x86-64.so.2|{t}", "program"},
        {"/usr/bin/ld.so|{t}", "program"},
        {"timeout|--new-option|5|sh|-c|{t}", "code"},
        {"timeout|--new-option|3|5|ls|{t}", "program?"},
        {"nice|-Z|1|sh|-c|{t}", "code"},
        {"docker|--new|x|exec|c|sh|-c|{t}", "code"},
        {"bash|--new|{t}|x.sh", "program"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(a_plus_is_an_option_of_a_shell)
{
    static const row rows[] = {
        {"bash|+x|-c|{t}", "code"},
        {"sh|+e|-c|echo {t}", "code"},
        {"sh|+|-c|{t}", "code"},
        {"zsh|+o|nomatch|-c|{t}", "code"},
        {"bash|+O|{t}|x.sh", "option"},
        {"bash|+{t}|x.sh", "option"},
        {"env|bash|-x|+x|{t}", "program"},
        {"bash|-|{t}", "program"}, /* a single dash ends the options of a shell */
        {"sh|x.sh|+x|{t}", "data"},
        {"python3|+x|{t}", "data"},
        {"ls|+x|{t}", "data"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(words_from_standard_input_are_read_like_arguments)
{
    static const row rows[] = {
        {"xargs", ""}, /* xargs runs echo */
        {"xargs|ls", "words"},
        {"xargs|find|.", "words"},
        {"xargs|make", "stdin"},
        {"xargs|tar|-cf|/dev/null|a.json", "words"},
        {"xargs|git|log", "words"},
        {"xargs|git", "stdin"},
        {"xargs|timeout|5|ls", "words"},
        {"xargs|timeout|5", "stdin"},
        {"xargs|timeout", "stdin"},
        {"timeout|5|xargs|ls", "words"},
        {"xargs|./tool", "words"},
        {"xargs|./tool|-x", "words"},
        {"xargs|rm|--", ""},
        {"xargs|./tool|--", ""},
        {"xargs|timeout|5|rm|--", ""},
        {"xargs|timeout|--|5|rm", "words"},
        {"xargs|-I|R|rm|R|--", "words"}, /* the words are not at the end */
        {"xargs|-i|rm|{}|--", "words"},
        {"xargs|--replace=R|rm|R|--", "words"},
        {"xargs|sh|x.sh", "stdin"},
        {"xargs|parallel|ls", "stdin"},
        {"parallel|ls", "stdin"},
        {"parallel", "stdin"},
        {"parallel|ls|:::|a", ""},
        {"xargs|ls|:::", "words"},
        {"find|.|-exec|xargs|ls|;", "stdin"},
        {"find|.|-exec|xargs|env|;", "stdin"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(perl_opens_operands_as_commands)
{
    static const row rows[] = {
        {"perl|-ne|print|{t}", "program?"},         {"perl|-pe|s/a/b/|--|{t}", "program?--"},
        {"perl|-pi|-e|1|{t}", "program?"},          {"perl|-n|-e|1|x|{t}", "program?"},
        {"perl|-lane|print|./{t}", "program?"},     {"perl|-F:|-e|1|{t}", "program?"},
        {"perl|-e|print while <>|{t}", "program?"}, {"perl|-n|x.pl|{t}", "program?"},
        {"perl|-e|print @ARGV|{t}", "data"},        {"perl|x.pl|{t}", "data"},
        {"./wrap|perl|-ne|print|{t}", "program?"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(an_argument_is_not_part_of_the_name_of_an_option)
{
    static const row rows[] = {
        {"tar|-cf|/dev/null|-{t}|a.json", "option"},
        {"git|log|-{t}", "option"},
        {"sort|--{t}", "option"},
        {"ls|-{t}", "option"},
        {"ls|--{t}=x", "option"},
        {"ls|--col{t}", "option"},
        {"find|.|-{t}", "option"},
        {"./tool|-{t}", "option"},
        {"./tool|--{t}", "option"},
        {"nice|./tool|--{t}", "option"},
        {"python3|x.py|-{t}", "option"},
        {"sh|-c|ls \"$1\"|sh|-{t}", "option"},
        {"ls|--|-{t}", "data--"},
        {"head|-{n}", "data"},    /* a number has no letters */
        {"./tool|--{e}", "data"}, /* the schema lists the texts */
        {"./tool|--{e}{t}", "option"},
        {"tar|{t}|o.tar|touch x|a.json", "option"},
        {"tar|xfI|a.tar|{t}", "code"},
        {"tar|cfI|{t}|gzip|x", "data"},
        {"tar|cf|a.tar|{t}", "data"},
        {"tar|cyf|a.tar|{t}", "value?"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(the_value_of_an_unknown_option_may_be_code)
{
    static const row rows[] = {
        {"./tool|-x|{t}", "value?"},
        {"./tool|--x|{t}", "value?"},
        {"./tool|--x={t}", "value?"},
        {"./tool|-x{t}", "value?"},
        {"./tool|--x=5|{t}", "data"},
        {"./tool|-x|5|{t}", "data"},
        {"./tool|-x|{n}", "data"},
        {"./tool|-x|{e}", "data"},
        {"./tool|-x|--|{t}", "data--"},
        {"python3|x.py|--x|{t}", "value?"},
        {"python3|-m|pdb|-c|{t}", "code?"},
        {"sh|x.sh|bash|-c|{t}", "code"},
        {"gcc|-fplugin={t}", "code"},
        {"gcc|-wrapper|{t}|x.c", "code"},
        {"gcc|-Wl,{t}|x.c", "value?"},
        {"gcc|-o|{t}|x.c", "data"},
        {"zip|-T|-TT|{t}", "code"},
        {"git|grep|-O{t}|haft", "code"},
        {"git|grep|-O|{t}", "code"},
        {"git|grep|-n|{t}", "data"},
        {"git|log|--oneline|{t}", "data"},
        {"git|log|-n|{t}", "data"},
        {"git|log|--grep={t}", "data"},
        {"git|log|--new|{t}", "value?"},
        {"git|-C|{t}|log", "value?"},
        {"git|log|{t}|-c|x", "data"},
        {"tar|-x|--occurrence|{t}", "value?"},
        {"tar|-T|{t}", "program?"},
        {"gcloud|compute|ssh|h|--command|{t}", "code"},
        {"apt-cache|-o|{t}", "value?"},
        {"pandoc|--filter|{t}", "code"},
        {"rpm|--eval|{t}", "code"},
        {"curl|-fsSL|-X|POST|{t}", "data"},
        {"curl|-K|{t}", "program?"},
        {"grep|-rn|{t}", "data"},
        {"ls|--sort={t}", "data"},
        {"journalctl|-u|{t}", "data"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(an_argument_may_choose_a_subcommand)
{
    static const row rows[] = {
        {"git|{t}", "code?"},
        {"git|{e}", "data"},
        {"find|.|-exec|grep|-{t}|{}|;", "option"},
        {"bash|-c|+|{t}", "code"},
        {"git|submodule|foreach|{t}", "code"},
        {"git|bisect|run|{t}", "code"},
        {"git|bisect|{t}", "code?"},
        {"git|filter-branch|--env-filter|{t}", "code"},
        {"git|send-email|--sendmail-cmd={t}", "code"},
        {"git|config|alias.x|!{t}", "code?"},
        {"git|log|{t}", "data"},
        {"git|-c|a=b|log|{t}", "data"},
        {"go|test|-exec|{t}", "value?"},
        {"go|build|-toolexec={t}", "value?"},
        {"go|run|{t}", "code?"},
        {"go|{t}", "code?"},
        {"cmake|-P|{t}", "value?"},
        {"cmake|-E|env|{t}", "code?"},
        {"cargo|--config|{t}", "value?"},
        {"apt|-o|{t}", "value?"},
        {"npm|run|{t}", "code?"},
        {"npm|{t}", "option"},
        {"systemctl|{t}|x", "subcommand?"},
        {"systemctl|status|{t}", "data"},
        {"openssl|{t}", "subcommand?"},
        {"gh|--repo|x|{t}", "subcommand?"},
        {"docker|--context|c|{t}|x", "option"},
        {"jq|{t}", "code?"},
        {"jq|.|{t}", "data"},
        {"jq|-r|--arg|x|{t}|.a == $x|{u}", "data data"},
        {"yq|{t}", "code?"},
        {"yq|eval|{t}|f", "code?"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(every_name_of_standard_input_is_recognized)
{
    static const row rows[] = {
        {"make|-f|-", "stdin"},
        {"make|-f-", "stdin"},
        {"make|--file=-|x", "stdin"},
        {"make|-f|/dev/stdin", "stdin"},
        {"make|x", ""},
        {"awk|-f|/dev/stdin", "stdin"},
        {"awk|-f/dev/fd/0|x", "stdin"},
        {"awk|-f|x.awk|-", ""},
        {"awk|{print}|/dev/stdin", ""},
        {"sed|-n|-f|-|a.json", "stdin"},
        {"sed|--file=-|a.json", "stdin"},
        {"sh|/dev/stdin", "stdin"},
        {"bash|-x|/proc/self/fd/0", "stdin"},
        {"bash|--rcfile|/dev/stdin|-i|x.sh", "stdin"},
        {"python3|/dev/stdin", "stdin"},
        {"python3|/dev//stdin", "stdin"},
        {"psql|-f|-", "stdin"},
        {"ed|-s|a.json", "stdin"},
        {"ex|-s|a.json", "stdin"},
        {"sftp|h", "stdin"},
        {"tar|-c|-T|-", "stdin"},
        {"curl|-K|-", "stdin"},
        {"cat|/dev/stdin", ""},
        {"nice|ed|x", "stdin"},
    };
    check_rows(rows, COUNT(rows));
}

TEST(many_words_take_little_time)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    enum { WORDS = 1024 };
    haft__json *items = haft__arena_array(&arena, WORDS, sizeof(*items));
    for (size_t i = 0; i < WORDS; i++) {
        items[i] = haft__json_string(i == 0 ? HAFT__LIT("./x") : HAFT__LIT("xargs"));
    }
    haft__command_words words;
    CHECK_INT(haft__command_words_read(&arena, haft__json_array(items, WORDS),
                                       read_json(&arena, SCHEMA), &words, NULL),
              HAFT_OK, "read the words");
    haft__arena_finish(&arena);
}

TEST(reading_words_survives_every_failed_allocation)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json command = split_words(&arena, "ls|{t}"), schema = read_json(&arena, SCHEMA);
    test_fail_allocations_from(0);
    haft__arena own;
    haft__arena_init(&own, 0);
    haft__command_words words;
    haft_status status = haft__command_words_read(&own, command, schema, &words, NULL);
    (void)test_allow_allocations();
    CHECK_INT(status, HAFT_NO_MEMORY, "out of memory");
    haft__arena_finish(&own);
    haft__arena_finish(&arena);
}
