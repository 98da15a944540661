/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.c - what a line does, to judge by its look: define or declare a name, call it, or
 * say something in a comment.
 *
 * One line is all it sees, so a prototype that goes on in the next line is a declaration in a
 * header and a definition elsewhere. C, Python, shell, JavaScript, make, YAML, JSON and Markdown
 * are known; of other languages what looks like these. Tests: tests/model/rules/form_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* Definitions have their name near their beginning. */
#define LOOKED_AT 300U

static haft_str skip_spaces(haft_str text)
{
    while (text.len > 0 && is_space(text.ptr[0])) {
        text = haft__str_skip(text, 1);
    }
    return text;
}

/* Cuts off the name at the beginning of `text`; "" when there is none. */
static haft_str take_name(haft_str *text)
{
    size_t length = 0;
    while (length < text->len && is_of_name(text->ptr[length])) {
        length++;
    }
    haft_str name = {text->ptr, is_digit(length > 0 ? text->ptr[0] : '0') ? 0 : length};
    *text = haft__str_skip(*text, length);
    return name;
}

/* Cuts off the word, if a name stands at the beginning and is it. */
static bool take_word(haft_str *text, const char *word)
{
    haft_str rest = *text;
    if (!haft__str_equal(take_name(&rest), haft__str(word))) {
        return false;
    }
    *text = skip_spaces(rest);
    return true;
}

static bool take_any(haft_str *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (take_word(text, words[i])) {
            return true;
        }
    }
    return false;
}

static bool has_ending(haft_str path, const char *const *endings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_ends_with(path, haft__str(endings[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_header(haft_str path)
{
    static const char *const endings[] = {".h", ".hpp", ".hh", ".hxx", ".h.in"};
    return has_ending(path, endings, COUNT(endings));
}

/* Languages in which a line that begins with # is a comment. */
static bool has_hash_comments(haft_str path)
{
    static const char *const endings[] = {".py",    ".sh",  ".yaml", ".yml",    ".toml",
                                          ".rb",    ".pl",  ".mk",   "akefile", ".build",
                                          ".cmake", ".txt", ".conf"};
    return has_ending(path, endings, COUNT(endings));
}

/* ---- the ways to define ---- */

typedef struct sight {
    haft_str path, text; /* the line, without space around it */
    bool indented;
    haft_str name;
} sight;

typedef haft__offline_form look(sight *s);

/* #define NAME, # define NAME(x) */
static haft__offline_form look_macro(sight *s)
{
    haft_str rest = s->text;
    if (!haft__str_starts_with(rest, HAFT__LIT("#"))) {
        return HAFT__OFFLINE_MENTIONS;
    }
    rest = skip_spaces(haft__str_skip(rest, 1));
    if (!take_word(&rest, "define")) {
        return HAFT__OFFLINE_MENTIONS;
    }
    s->name = take_name(&rest);
    return HAFT__OFFLINE_DEFINES;
}

/* ## A heading */
static haft__offline_form look_heading(sight *s)
{
    bool heading = haft__offline_class_of(s->path) == HAFT__OFFLINE_DOCS
                   && haft__str_starts_with(s->text, HAFT__LIT("#"));
    s->name = heading ? s->text : s->name;
    return heading ? HAFT__OFFLINE_DEFINES : HAFT__OFFLINE_MENTIONS;
}

/* def NAME, function NAME, class NAME, CREATE TABLE NAME */
static haft__offline_form look_keyword(sight *s)
{
    static const char *const before[] = {"export", "async", "public", "static", "pub", "abstract"};
    static const char *const words[] = {"def",   "function",  "class", "fn",     "func",
                                        "trait", "interface", "sub",   "module", "impl"};
    haft_str rest = s->text;
    while (take_any(&rest, before, COUNT(before))) {
    }
    if (!take_any(&rest, words, COUNT(words))) {
        return HAFT__OFFLINE_MENTIONS;
    }
    s->name = take_name(&rest);
    return s->name.len > 0 ? HAFT__OFFLINE_DEFINES : HAFT__OFFLINE_MENTIONS;
}

/* struct NAME {, typedef struct NAME; but not: struct NAME x; */
static haft__offline_form look_struct(sight *s)
{
    static const char *const words[] = {"struct", "union", "enum"};
    haft_str rest = s->text;
    (void)take_word(&rest, "typedef");
    if (!take_any(&rest, words, COUNT(words))) {
        return HAFT__OFFLINE_MENTIONS;
    }
    s->name = take_name(&rest);
    rest = skip_spaces(rest);
    bool opens = rest.len == 0 || rest.ptr[0] == '{' || rest.ptr[0] == '/' || rest.ptr[0] == ':';
    if (s->name.len > 0 && (opens || haft__str_equal(rest, HAFT__LIT(";")))) {
        return opens ? HAFT__OFFLINE_DEFINES : HAFT__OFFLINE_DECLARES;
    }
    return HAFT__OFFLINE_MENTIONS;
}

/* The last name before the end of the line: typedef int NAME;  } NAME;  typedef char NAME[8]; */
static haft__offline_form look_typedef(sight *s)
{
    haft_str rest = s->text;
    bool closes = haft__str_starts_with(rest, HAFT__LIT("}"));
    if ((!closes && !take_word(&rest, "typedef")) || !haft__str_ends_with(rest, HAFT__LIT(";"))) {
        return HAFT__OFFLINE_MENTIONS;
    }
    haft_str pointer = rest;
    size_t end = rest.len - 1;
    for (size_t i = 0; !closes && i < rest.len; i++) { /* typedef int (*NAME)(int); */
        if (rest.ptr[i] == '(' && i + 1 < rest.len && rest.ptr[i + 1] == '*') {
            pointer = haft__str_skip(rest, i + 1);
            pointer = skip_spaces(haft__str_starts_with(pointer, HAFT__LIT("*"))
                                      ? haft__str_skip(pointer, 1)
                                      : pointer);
            s->name = take_name(&pointer);
            return HAFT__OFFLINE_DEFINES;
        }
        end = rest.ptr[i] == '[' ? i : end;
    }
    size_t start = end;
    while (start > 0 && is_of_name(rest.ptr[start - 1])) {
        start--;
    }
    s->name = (haft_str){rest.ptr + start, end - start};
    return s->name.len > 0 ? HAFT__OFFLINE_DEFINES : HAFT__OFFLINE_MENTIONS;
}

/* Words that may stand where a type would, in lines that define nothing. */
static bool is_statement(haft_str text)
{
    static const char *const words[] = {"return", "if",   "while", "for",    "else", "switch",
                                        "case",   "goto", "throw", "assert", "elif", "import",
                                        "from",   "do",   "not",   "await",  "yield"};
    return take_any(&text, words, COUNT(words));
}

/* NAME( with nothing but names and stars before it, at the start of a line: TYPE NAME(...) */
static haft__offline_form look_function(sight *s)
{
    haft_str rest = s->text;
    size_t names = 0;
    if (is_statement(rest)) {
        return HAFT__OFFLINE_MENTIONS;
    }
    while (rest.len > 0 && rest.ptr[0] != '(') {
        haft_str name = take_name(&rest);
        if (name.len == 0 && (rest.len == 0 || strchr(" \t*&~:", rest.ptr[0]) == NULL)) {
            return HAFT__OFFLINE_MENTIONS;
        }
        if (name.len == 0) {
            rest = haft__str_skip(rest, 1);
            continue;
        }
        names++;
        bool old = haft__str_starts_with(rest, HAFT__LIT("((")); /* NAME OF((int x)); */
        s->name = old && names > 1 ? s->name : name;
    }
    bool ends = haft__str_ends_with(s->text, HAFT__LIT(";"));
    bool opens = haft__str_ends_with(s->text, HAFT__LIT("{"));
    if (rest.len == 0 || names == 0 || (s->indented && (names < 2 || !(opens || ends)))
        || (names == 1 && (ends || s->indented))) {
        return HAFT__OFFLINE_MENTIONS;
    }
    bool is_extern = haft__str_starts_with(s->text, HAFT__LIT("extern"));
    bool is_inline = haft__str_starts_with(s->text, HAFT__LIT("static")) || opens;
    bool goes_on = !ends && is_header(s->path) && !is_inline;
    return ends || is_extern || goes_on ? HAFT__OFFLINE_DECLARES : HAFT__OFFLINE_DEFINES;
}

/* ROW(NAME, ...): a row of a table that a macro makes. */
static haft__offline_form look_row(sight *s)
{
    haft_str rest = s->text, macro = take_name(&rest);
    if (macro.len != 1 || !is_upper(macro.ptr[0]) || !haft__str_starts_with(rest, HAFT__LIT("("))) {
        return HAFT__OFFLINE_MENTIONS;
    }
    rest = haft__str_skip(rest, 1);
    s->name = take_name(&rest);
    return haft__str_starts_with(rest, HAFT__LIT(",")) ? HAFT__OFFLINE_DEFINES
                                                       : HAFT__OFFLINE_MENTIONS;
}

/* NAME = 1, NAME, "NAME": 1, NAME: x, TYPE NAME[] = {: something that has a value. */
static haft__offline_form look_value(sight *s)
{
    haft_str rest = s->text;
    size_t names = 0;
    while (rest.len > 0 && strchr("-\"'.[ *\t", rest.ptr[0]) != NULL) {
        rest = haft__str_skip(rest, 1);
    }
    while (rest.len > 0
           && (is_of_name(rest.ptr[0]) || is_space(rest.ptr[0]) || rest.ptr[0] == '*')) {
        haft_str name = take_name(&rest);
        s->name = name.len > 0 ? name : s->name;
        names += name.len > 0 ? 1 : 0;
        rest = name.len > 0 ? rest : haft__str_skip(rest, 1);
    }
    while (rest.len > 0 && strchr("\"'] \t", rest.ptr[0]) != NULL) {
        rest = haft__str_skip(rest, 1);
    }
    bool sets = haft__str_starts_with(rest, HAFT__LIT("="))
                && !haft__str_starts_with(rest, HAFT__LIT("=="));
    bool key =
        haft__str_starts_with(rest, HAFT__LIT(":")) || haft__str_starts_with(rest, HAFT__LIT(":="));
    bool array =
        haft__str_starts_with(rest, HAFT__LIT("[")) && memchr(rest.ptr, '=', rest.len) != NULL;
    bool item = haft__str_starts_with(rest, HAFT__LIT(","));
    if (names == 1
        && (key || ((sets || item) && haft__offline_class_of(s->path) != HAFT__OFFLINE_DOCS))) {
        return HAFT__OFFLINE_DEFINES;
    }
    return names > 1 && !s->indented && (sets || array) ? HAFT__OFFLINE_DEFINES
                                                        : HAFT__OFFLINE_MENTIONS;
}

/* extern int NAME; at the start of a line */
static haft__offline_form look_extern(sight *s)
{
    haft_str rest = s->text;
    if (!take_word(&rest, "extern") || !haft__str_ends_with(rest, HAFT__LIT(";"))) {
        return HAFT__OFFLINE_MENTIONS;
    }
    while (rest.len > 0 && rest.ptr[0] != ';' && rest.ptr[0] != '[') {
        haft_str name = take_name(&rest);
        s->name = name.len > 0 ? name : s->name;
        rest = name.len > 0 ? rest : haft__str_skip(rest, 1);
    }
    return HAFT__OFFLINE_DECLARES;
}

static bool is_comment(const sight *s)
{
    static const char *const marks[] = {"/*", "*", "//", "--", ";;", "\"\"\"", "<!--", "dnl "};
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (haft__str_starts_with(s->text, haft__str(marks[i]))) {
            return true;
        }
    }
    return haft__str_starts_with(s->text, HAFT__LIT("#")) && has_hash_comments(s->path);
}

haft__offline_form haft__offline_form_of(haft_str path, haft_str text, haft_str *ret_name)
{
    static look *const looks[] = {look_macro,  look_heading, look_keyword,
                                  look_struct, look_typedef, look_function,
                                  look_row,    look_extern,  look_value};
    sight s = {.path = path, .text = haft__str_trim(text)};
    s.indented = text.len > 0 && is_space(text.ptr[0]);
    s.text.len = s.text.len < LOOKED_AT ? s.text.len : LOOKED_AT;
    haft__offline_form form = HAFT__OFFLINE_MENTIONS;
    *ret_name = HAFT__LIT("");
    if (is_comment(&s)) {
        return HAFT__OFFLINE_EXPLAINS;
    }
    for (size_t i = 0; i < COUNT(looks) && form == HAFT__OFFLINE_MENTIONS; i++) {
        s.name = HAFT__LIT("");
        form = looks[i](&s);
    }
    *ret_name = form != HAFT__OFFLINE_MENTIONS ? s.name : HAFT__LIT("");
    return form;
}

/* ---- seen from a name ---- */

/* Where the name stands as a whole word; text.len when it does not. */
static size_t find_whole(haft_str text, haft_str name)
{
    for (size_t i = 0; i + name.len <= text.len; i++) {
        bool starts = i == 0 || !is_of_name(text.ptr[i - 1]) || !is_of_name(name.ptr[0]);
        size_t end = i + name.len;
        bool ends =
            end == text.len || !is_of_name(text.ptr[end]) || !is_of_name(name.ptr[name.len - 1]);
        if (starts && ends && memcmp(text.ptr + i, name.ptr, name.len) == 0) {
            return i;
        }
    }
    return text.len;
}

/* Whether a comment begins before `at`. */
static bool is_in_comment(haft_str text, size_t at)
{
    for (size_t i = 0; i + 1 < at; i++) {
        if (text.ptr[i] == '/' && (text.ptr[i + 1] == '/' || text.ptr[i + 1] == '*')) {
            return i == 0 || text.ptr[i - 1] != ':'; /* http:// */
        }
    }
    return false;
}

haft__offline_form haft__offline_use_of(haft_str path, haft_str text, haft_str name)
{
    haft_str defined;
    text.len = text.len < LOOKED_AT ? text.len : LOOKED_AT;
    size_t at = name.len > 0 ? find_whole(text, name) : text.len;
    if (at == text.len) {
        return HAFT__OFFLINE_LACKS;
    }
    haft__offline_form form = haft__offline_form_of(path, text, &defined);
    bool heading = defined.len > 0 && defined.ptr[0] == '#';
    if (haft__str_equal(defined, name) || (heading && find_whole(defined, name) < defined.len)) {
        return form;
    }
    if (form == HAFT__OFFLINE_EXPLAINS || is_in_comment(text, at)) {
        return HAFT__OFFLINE_EXPLAINS;
    }
    haft_str rest = skip_spaces(haft__str_skip(text, at + name.len));
    return haft__str_starts_with(rest, HAFT__LIT("(")) ? HAFT__OFFLINE_CALLS
                                                       : HAFT__OFFLINE_MENTIONS;
}
