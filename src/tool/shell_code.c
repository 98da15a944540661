/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell_code.c - see tool/shell_code.h. One pass over the bytes: words are collected up to the end
 * of a simple command, then the command is judged. Every variable counts as a parameter, because a
 * parameter may be its value. Tests: tests/tool/shell_code_test.c.
 */
#include "tool/shell_code.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

/* The limit for the words of a command in a spec. */
enum { MAX_WORDS = 1024 };

typedef struct shell_word {
    haft__json text; /* without quotes, each parameter as "{x}" */
    bool expands;    /* the word contains a parameter */
} shell_word;

typedef struct reader {
    haft__arena *arena;
    haft__shell_command_check *check;
    haft_error *err;
    haft_status status;
    haft_str rest;
    bool plain;
    /* the current word */
    haft__buf text;
    bool begun, expands;
    bool splits; /* a parameter outside of quotes */
    bool target; /* the word is the file of a redirection */
    /* the current command */
    shell_word words[MAX_WORDS];
    size_t count;
} reader;

static bool is_one_of(haft_str word, const char *names)
{
    for (haft_str rest = haft__str(names); rest.len > 0;) {
        if (haft__str_equal(word, haft__str_split(&rest, ' '))) {
            return true;
        }
    }
    return false;
}

static haft_str text_at(const reader *r, size_t at)
{
    return haft__json_text(r->words[at].text);
}

/* ---- commands ---- */

/* The length of NAME in NAME=VALUE; 0 if the word is not an assignment. */
static size_t assigned_name(haft_str word)
{
    size_t length = 0;
    while (length < word.len
           && (haft__ascii_is_alphanumeric(word.ptr[length]) || word.ptr[length] == '_')) {
        length++;
    }
    bool named = length > 0 && length < word.len && word.ptr[length] == '=';
    return named && !haft__ascii_is_digit(word.ptr[0]) ? length : 0;
}

/* Whether programs or the shell use the value of the variable as code, options or a program. */
static bool is_special(haft_str word)
{
    static const char *const starts[] = {
        "PATH",   "IFS",   "ENV",  "BASH",   "LD_",    "PS",    "PROMPT", "PYTHON",
        "PERL",   "RUBY",  "NODE", "GIT_",   "EDITOR", "PAGER", "VISUAL", "SHELL",
        "CDPATH", "LESS",  "MAN",  "SSH",    "ZDOT",   "FPATH", "JAVA",   "CLASSPATH",
        "OPTIND", "SECON", "HIST", "RANDOM", "DYLD_",  "LUA_",  "PHP",    "TMOUT"};
    for (size_t i = 0; i < COUNT(starts); i++) {
        if (haft__str_starts_with(word, haft__str(starts[i]))) {
            return true;
        }
    }
    return false;
}

/* Whether parameters in the assignment stay data. */
static bool assigns_data(const reader *r, size_t at)
{
    return !r->words[at].expands
           || (assigned_name(text_at(r, at)) > 0 && !is_special(text_at(r, at)));
}

static bool has_parameter(const reader *r, size_t from)
{
    for (; from < r->count; from++) {
        if (r->words[from].expands) {
            return true;
        }
    }
    return false;
}

/* The first word of the command itself: after `if`, `then` ... and assignments. */
static size_t find_command(reader *r)
{
    size_t at = 0;
    while (at < r->count
           && is_one_of(text_at(r, at), "if then elif else fi while until do done ! { } "
                                        "time command builtin exec")) {
        at++;
    }
    while (at < r->count && assigned_name(text_at(r, at)) > 0) {
        r->plain = r->plain && assigns_data(r, at);
        at++;
    }
    return at;
}

/* Judges a builtin of the shell. False if the command is not a builtin. */
static bool judge_builtin(reader *r, size_t at)
{
    haft_str name = text_at(r, at++);
    if (is_one_of(name, "case esac select function coproc [[ let declare typeset integer float "
                        "alias hash")) {
        r->plain = false;
    } else if (is_one_of(name, "eval . source trap read mapfile readarray getopts unset bind "
                               "complete compgen enable fc exit return shift break continue "
                               "ulimit setopt set command builtin exec")) {
        bool data = is_one_of(name, "set") && at < r->count
                    && haft__str_equal(text_at(r, at), HAFT__LIT("--"));
        r->plain = r->plain && (data || !has_parameter(r, at));
    } else if (is_one_of(name, "export local readonly")) {
        for (; at < r->count; at++) {
            r->plain = r->plain && assigns_data(r, at);
        }
    } else if (is_one_of(name, "[ test printf")) { /* some shells evaluate the numbers of -eq */
        for (size_t i = at; i < r->count && has_parameter(r, at); i++) {
            r->plain = r->plain && !is_one_of(text_at(r, i), "-v -R -eq -ne -lt -le -gt -ge");
        }
    } else {
        return is_one_of(name, "for cd echo pwd : true false");
    }
    return true;
}

static void judge_program(reader *r, size_t at)
{
    bool plain = false;
    haft__json *items = haft__arena_array(r->arena, r->count - at, sizeof(*items));
    if (items == NULL) {
        r->status = haft__arena_fail(r->arena, r->err);
        return;
    }
    for (size_t i = at; i < r->count; i++) {
        items[i - at] = r->words[i].text;
    }
    r->status = r->check(r->arena, haft__json_array(items, r->count - at), &plain, r->err);
    r->plain = r->plain && plain;
}

static void end_command(reader *r)
{
    size_t at = find_command(r);
    r->plain = r->plain && !r->target; /* false for a redirection without a file */
    if (r->plain && at < r->count) {
        if (r->words[at].expands) {
            r->plain = false;
        } else if (!judge_builtin(r, at)) { /* judged even without a parameter: `echo "$1" | sh` */
            judge_program(r, at);
        }
    }
    r->count = 0;
}

/* ---- words ---- */

static void end_word(reader *r)
{
    haft_str text = haft__buf_str(&r->text);
    if (!r->begun) {
        return;
    }
    if (r->splits && (r->count > 0 || assigned_name(text) == 0)) {
        r->plain = false;
    } else if (r->count == MAX_WORDS) {
        r->plain = false;
    } else if (!r->target) {
        haft_str copy = haft__arena_copy(r->arena, text);
        r->status = copy.ptr != NULL ? haft__buf_check(&r->text, r->err)
                                     : haft__arena_fail(r->arena, r->err);
        r->words[r->count++] = (shell_word){haft__json_string(copy), r->expands};
    }
    haft__buf_clear(&r->text);
    r->begun = r->expands = r->splits = r->target = false;
}

static char peek(const reader *r, size_t at)
{
    return at < r->rest.len ? r->rest.ptr[at] : '\0';
}

static void skip(reader *r, size_t count)
{
    r->rest = haft__str_skip(r->rest, count);
}

static void add_parameter(reader *r, size_t length, bool quoted)
{
    haft__buf_add_str(&r->text, HAFT__LIT("{x}"));
    r->expands = true;
    r->splits = r->splits || !quoted;
    skip(r, length);
}

static size_t name_length(haft_str text)
{
    size_t length = 0;
    if (text.len > 0 && (text.ptr[0] == '@' || text.ptr[0] == '*')) {
        return 1;
    }
    while (length < text.len
           && (haft__ascii_is_alphanumeric(text.ptr[length]) || text.ptr[length] == '_')) {
        length++;
    }
    return length;
}

/* ${1}, ${name:-text}: the name, then characters without a meaning of their own. `rest` is at "$".
 */
static void read_braces(reader *r, bool quoted)
{
    const char *close = memchr(r->rest.ptr, '}', r->rest.len);
    haft_str inside = {r->rest.ptr + 2, close != NULL ? (size_t)(close - r->rest.ptr) - 2 : 0};
    bool counts = inside.len > 1 && inside.ptr[0] == '#';
    haft_str after = haft__str_skip(inside, counts);
    size_t name = name_length(after);
    after = haft__str_skip(after, name);
    r->plain =
        r->plain && name > 0 && !haft__ascii_is_alphanumeric(after.len > 0 ? after.ptr[0] : -1);
    for (size_t i = 0; i < after.len; i++) {
        char c = after.ptr[i];
        r->plain = r->plain && c != '\0'
                   && (haft__ascii_is_alphanumeric(c) || strchr(" :-+=?#%/^,._*", c) != NULL);
    }
    add_parameter(r, inside.len + 3, quoted);
}

/* Reads a parameter or a special variable. `rest` is at "$". */
static void read_dollar(reader *r, bool quoted)
{
    char next = peek(r, 1);
    if (next == '{') {
        read_braces(r, quoted);
    } else if (haft__ascii_is_digit(next)) {
        add_parameter(r, 2, quoted);
    } else if (name_length(haft__str_skip(r->rest, 1)) > 0) {
        add_parameter(r, 1 + name_length(haft__str_skip(r->rest, 1)), quoted);
    } else if (next != '\0' && strchr("#?$!-", next) != NULL) { /* the shell's own numbers */
        haft__buf_add_char(&r->text, '0');
        skip(r, 2);
    } else {
        r->plain =
            r->plain && next != '(' && next != '[' && (quoted || strchr("'\"", next) == NULL);
        haft__buf_add_char(&r->text, '$');
        skip(r, 1);
    }
}

static void read_single_quotes(reader *r)
{
    const char *close = memchr(r->rest.ptr + 1, '\'', r->rest.len - 1);
    size_t length = close != NULL ? (size_t)(close - r->rest.ptr) - 1 : 0;
    r->plain = r->plain && close != NULL;
    haft__buf_add_str(&r->text, (haft_str){r->rest.ptr + 1, length});
    skip(r, length + 2);
}

static void read_double_quotes(reader *r)
{
    skip(r, 1);
    while (r->plain && r->rest.len > 0 && peek(r, 0) != '"') {
        if (peek(r, 0) == '$') {
            read_dollar(r, true);
            continue;
        }
        bool escaped = peek(r, 0) == '\\' && r->rest.len > 1;
        r->plain = peek(r, 0) != '`';
        haft__buf_add_char(&r->text, peek(r, escaped));
        skip(r, 1 + escaped);
    }
    r->plain = r->plain && peek(r, 0) == '"';
    skip(r, 1);
}

/* ---- operators ---- */

/* `rest` is at "<" or ">". A word that consists of digits is the number of the file. */
static void read_redirection(reader *r)
{
    size_t length = 1;
    uint64_t number;
    if (r->begun && !r->expands && haft__str_to_u64(haft__buf_str(&r->text), &number)) {
        haft__buf_clear(&r->text);
        r->begun = false;
    }
    end_word(r);
    while (peek(r, length) != '\0' && strchr("<>&|", peek(r, length)) != NULL) {
        length++;
    }
    bool text = peek(r, 0) == '<' && peek(r, 1) == '<';
    r->plain = r->plain && !r->target && !text && length <= 2 && peek(r, length) != '(';
    r->target = true;
    skip(r, length);
}

static void read_comment(reader *r)
{
    const char *end = memchr(r->rest.ptr, '\n', r->rest.len);
    skip(r, end != NULL ? (size_t)(end - r->rest.ptr) : r->rest.len);
}

static void read_separator(reader *r)
{
    bool opens = peek(r, 0) == '(';
    bool blank = haft__ascii_is_blank(peek(r, 0));
    r->plain = r->plain && !(opens && (r->begun || r->count > 0 || peek(r, 1) == '('));
    end_word(r);
    if (!blank) {
        end_command(r);
    }
    skip(r, 1);
}

static void read_next(reader *r)
{
    char c = peek(r, 0);
    if (c == '\\' && peek(r, 1) == '\n') {
        skip(r, 2);
    } else if (c == '\0' || haft__ascii_is_space(c) || strchr(";&|()", c) != NULL) {
        r->plain = r->plain && c != '\0';
        read_separator(r);
    } else if (c == '<' || c == '>') {
        read_redirection(r);
    } else if (c == '#' && !r->begun) {
        read_comment(r);
    } else {
        r->begun = true;
        if (c == '\'') {
            read_single_quotes(r);
        } else if (c == '"') {
            read_double_quotes(r);
        } else if (c == '$') {
            read_dollar(r, false);
        } else {
            bool escaped = c == '\\' && r->rest.len > 1;
            r->plain = r->plain && c != '`';
            haft__buf_add_char(&r->text, peek(r, escaped));
            skip(r, 1 + escaped);
        }
    }
}

haft_status haft__shell_code_read(haft__arena *arena, haft_str code,
                                  haft__shell_command_check *check, bool *ret_plain,
                                  haft_error *err)
{
    reader *r = haft__arena_array(arena, 1, sizeof(*r));
    if (r == NULL) {
        return haft__arena_fail(arena, err);
    }
    *r = (reader){.arena = arena, .check = check, .err = err, .rest = code, .plain = true};
    haft__buf_init(&r->text, 2 * HAFT__LIMIT_SPEC_BYTES); /* "{x}" is longer than $1 */
    while (r->status == HAFT_OK && r->plain && r->rest.len > 0) {
        read_next(r);
    }
    if (r->status == HAFT_OK && r->plain) {
        end_word(r);
    }
    if (r->status == HAFT_OK && r->plain) {
        end_command(r);
    }
    haft__buf_finish(&r->text);
    *ret_plain = r->plain;
    return r->status;
}
