/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_kind.c - classifies a line: it defines or declares a name, calls it, or is a comment.
 *
 * It sees one line only, so a prototype that continues on the next line counts as a declaration in
 * a header and as a definition elsewhere. It knows the syntax of C, Python, shell, JavaScript,
 * make, YAML, JSON and Markdown. It also distinguishes documents from programs. Tests:
 * tests/model/rules/line_kind_test.c.
 */
#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* Definitions have their name near the start of the line. */
#define READ_BYTES 300U

static haft_str skip_spaces(haft_str text)
{
    while (text.len > 0 && haft__ascii_is_space(text.ptr[0])) {
        text = haft__str_skip(text, 1);
    }
    return text;
}

/* Removes and returns the identifier at the start of `text`; "" if there is none. */
static haft_str take_name(haft_str *text)
{
    size_t length = 0;
    while (length < text->len && is_name_char(text->ptr[length])) {
        length++;
    }
    haft_str name = {text->ptr, haft__ascii_is_digit(length > 0 ? text->ptr[0] : '0') ? 0 : length};
    *text = haft__str_skip(*text, length);
    return name;
}

/* Removes the word if `text` starts with it. */
static bool take_word(haft_str *text, const char *word)
{
    haft_str rest = *text;
    if (!haft__str_equal(take_name(&rest), haft__str(word))) {
        return false;
    }
    *text = skip_spaces(rest);
    return true;
}

/* Removes a word of the list. */
static bool take_any(haft_str *text, const char *list)
{
    haft_str rest = *text, name = take_name(&rest);
    bool found = name.len > 0 && haft__offline_in_list(name, list);
    *text = found ? skip_spaces(rest) : *text;
    return found;
}

static bool has_ending(haft_str path, const char *endings)
{
    haft_str rest = haft__str(endings);
    while (rest.len > 0) {
        if (haft__str_ends_with(path, haft__str_split(&rest, ' '))) {
            return true;
        }
    }
    return false;
}

static bool is_header(haft_str path)
{
    return has_ending(path, ".h .hpp .hh .hxx .h.in");
}

/* Languages in which # starts a comment. */
static bool has_hash_comments(haft_str path)
{
    return has_ending(path,
                      ".py .sh .yaml .yml .toml .rb .pl .mk akefile .build .cmake .txt .conf");
}

/* ---- files ---- */

bool haft__offline_is_document(haft_str path)
{
    haft_str name = path, extension = path;
    for (size_t i = 0; i < path.len; i++) {
        name = path.ptr[i] == '/' ? haft__str_skip(path, i + 1) : name;
        extension = path.ptr[i] == '.' ? haft__str_skip(path, i + 1) : extension;
    }
    return haft__offline_in_list(extension, "md rst txt adoc org html tex")
           || haft__offline_in_list(name, "README FAQ NEWS LICENSE COPYING THANKS INSTALL AUTHORS "
                                          "ChangeLog changelog HISTORY copyright");
}

/* ---- definitions ---- */

typedef struct source_line {
    haft_str path, text; /* trimmed */
    bool indented;
    haft_str name; /* result: what it defines or declares */
} source_line;

typedef haft__offline_line_kind classifier(source_line *s);

/* #define NAME, # define NAME(x); but not the guard of a header */
static haft__offline_line_kind classify_macro(source_line *s)
{
    haft_str rest = s->text;
    if (!haft__str_starts_with(rest, HAFT__LIT("#"))) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    rest = skip_spaces(haft__str_skip(rest, 1));
    if (!take_word(&rest, "define")) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    s->name = take_name(&rest);
    bool guard = haft__str_trim(rest).len == 0 && haft__str_ends_with(s->name, HAFT__LIT("_H"));
    return guard ? HAFT__OFFLINE_LINE_MENTION : HAFT__OFFLINE_LINE_DEFINITION;
}

/* ## A heading */
static haft__offline_line_kind classify_heading(source_line *s)
{
    bool heading =
        haft__offline_is_document(s->path) && haft__str_starts_with(s->text, HAFT__LIT("#"));
    s->name = heading ? s->text : s->name;
    return heading ? HAFT__OFFLINE_LINE_DEFINITION : HAFT__OFFLINE_LINE_MENTION;
}

/* def NAME, function NAME, class NAME, CREATE TABLE NAME */
static haft__offline_line_kind classify_keyword(source_line *s)
{
    haft_str rest = s->text;
    while (take_any(&rest, "export async public static pub abstract")) {
    }
    if (!take_any(&rest, "def function class fn func trait interface sub module impl")) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    s->name = take_name(&rest);
    return s->name.len > 0 ? HAFT__OFFLINE_LINE_DEFINITION : HAFT__OFFLINE_LINE_MENTION;
}

/* struct NAME {, typedef struct NAME; but not: struct NAME x; */
static haft__offline_line_kind classify_struct(source_line *s)
{
    haft_str rest = s->text;
    (void)take_word(&rest, "typedef");
    if (!take_any(&rest, "struct union enum")) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    s->name = take_name(&rest);
    rest = skip_spaces(rest);
    bool opens = rest.len == 0 || rest.ptr[0] == '{' || rest.ptr[0] == '/' || rest.ptr[0] == ':';
    if (s->name.len > 0 && (opens || haft__str_equal(rest, HAFT__LIT(";")))) {
        return opens ? HAFT__OFFLINE_LINE_DEFINITION : HAFT__OFFLINE_LINE_DECLARATION;
    }
    return HAFT__OFFLINE_LINE_MENTION;
}

/* The last name of the line: typedef int NAME;  } NAME;  typedef char NAME[8]; */
static haft__offline_line_kind classify_typedef(source_line *s)
{
    haft_str rest = s->text;
    bool closes = haft__str_starts_with(rest, HAFT__LIT("}"));
    if ((!closes && !take_word(&rest, "typedef")) || !haft__str_ends_with(rest, HAFT__LIT(";"))) {
        return HAFT__OFFLINE_LINE_MENTION;
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
            return HAFT__OFFLINE_LINE_DEFINITION;
        }
        end = rest.ptr[i] == '[' ? i : end;
    }
    size_t start = end;
    while (start > 0 && is_name_char(rest.ptr[start - 1])) {
        start--;
    }
    s->name = (haft_str){rest.ptr + start, end - start};
    return s->name.len > 0 ? HAFT__OFFLINE_LINE_DEFINITION : HAFT__OFFLINE_LINE_MENTION;
}

/* Statements that look like a definition because they start with a word. */
static bool is_statement(haft_str text)
{
    return take_any(&text, "return if while for else switch case goto throw assert elif import "
                           "from do not await yield");
}

/* TYPE NAME(...): only names and stars before the parenthesis. */
static haft__offline_line_kind classify_function(source_line *s)
{
    haft_str rest = s->text;
    size_t names = 0;
    if (is_statement(rest)) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    while (rest.len > 0 && rest.ptr[0] != '(') {
        const char *before = rest.ptr;
        bool joined = before >= s->text.ptr + 2 && before[-1] == ':' && before[-2] == ':';
        haft_str name = take_name(&rest);
        if (name.len == 0 && (rest.len == 0 || strchr(" \t*&~:", rest.ptr[0]) == NULL)) {
            return HAFT__OFFLINE_LINE_MENTION;
        }
        if (name.len == 0) {
            rest = haft__str_skip(rest, 1);
            continue;
        }
        names += joined ? 0 : 1;                                 /* std::memcpy is one name */
        bool old = haft__str_starts_with(rest, HAFT__LIT("((")); /* NAME OF((int x)); */
        s->name = old && names > 1 ? s->name : name;
    }
    bool ends = haft__str_ends_with(s->text, HAFT__LIT(";"));
    bool opens = haft__str_ends_with(s->text, HAFT__LIT("{"));
    if (rest.len == 0 || names == 0 || (s->indented && (names < 2 || !(opens || ends)))
        || (names == 1 && (ends || s->indented))) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    bool is_extern = haft__str_starts_with(s->text, HAFT__LIT("extern"));
    bool is_inline = haft__str_starts_with(s->text, HAFT__LIT("static")) || opens;
    bool continues = !ends && is_header(s->path) && !is_inline;
    return ends || is_extern || continues ? HAFT__OFFLINE_LINE_DECLARATION
                                          : HAFT__OFFLINE_LINE_DEFINITION;
}

/* X(NAME, ...): a row of an X-macro table. */
static haft__offline_line_kind classify_row(source_line *s)
{
    haft_str rest = s->text, macro = take_name(&rest);
    if (macro.len != 1 || !haft__ascii_is_upper(macro.ptr[0])
        || !haft__str_starts_with(rest, HAFT__LIT("("))) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    rest = haft__str_skip(rest, 1);
    s->name = take_name(&rest);
    return haft__str_starts_with(rest, HAFT__LIT(",")) ? HAFT__OFFLINE_LINE_DEFINITION
                                                       : HAFT__OFFLINE_LINE_MENTION;
}

/* NAME = 1, NAME, "NAME": 1, NAME: x, TYPE NAME[] = {: a value. */
static haft__offline_line_kind classify_value(source_line *s)
{
    haft_str rest = s->text;
    size_t names = 0;
    while (rest.len > 0 && strchr("-\"'.[ *\t", rest.ptr[0]) != NULL) {
        rest = haft__str_skip(rest, 1);
    }
    while (
        rest.len > 0
        && (is_name_char(rest.ptr[0]) || haft__ascii_is_space(rest.ptr[0]) || rest.ptr[0] == '*')) {
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
    bool quoted = s->text.len > 0 && strchr("\"'", s->text.ptr[0]) != NULL; /* an item of a list */
    bool item = !quoted && haft__str_starts_with(rest, HAFT__LIT(","));
    if (names == 1 && (key || ((sets || item) && !haft__offline_is_document(s->path)))) {
        return HAFT__OFFLINE_LINE_DEFINITION;
    }
    return names > 1 && !s->indented && (sets || array) ? HAFT__OFFLINE_LINE_DEFINITION
                                                        : HAFT__OFFLINE_LINE_MENTION;
}

/* extern int NAME; */
static haft__offline_line_kind classify_extern(source_line *s)
{
    haft_str rest = s->text;
    if (!take_word(&rest, "extern") || !haft__str_ends_with(rest, HAFT__LIT(";"))) {
        return HAFT__OFFLINE_LINE_MENTION;
    }
    while (rest.len > 0 && rest.ptr[0] != ';' && rest.ptr[0] != '[') {
        haft_str name = take_name(&rest);
        s->name = name.len > 0 ? name : s->name;
        rest = name.len > 0 ? rest : haft__str_skip(rest, 1);
    }
    return HAFT__OFFLINE_LINE_DECLARATION;
}

static bool is_comment(const source_line *s)
{
    static const char *const marks[] = {"/*", "*", "//", "--", ";;", "\"\"\"", "<!--", "dnl "};
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (haft__str_starts_with(s->text, haft__str(marks[i]))) {
            return true;
        }
    }
    return haft__str_starts_with(s->text, HAFT__LIT("#")) && has_hash_comments(s->path);
}

haft__offline_line_kind haft__offline_line_kind_of(haft_str path, haft_str text, haft_str *ret_name)
{
    static classifier *const classifiers[] = {classify_macro,  classify_heading, classify_keyword,
                                              classify_struct, classify_typedef, classify_function,
                                              classify_row,    classify_extern,  classify_value};
    source_line s = {.path = path, .text = haft__str_trim(text)};
    s.indented = text.len > 0 && haft__ascii_is_space(text.ptr[0]);
    s.text.len = s.text.len < READ_BYTES ? s.text.len : READ_BYTES;
    haft__offline_line_kind kind = HAFT__OFFLINE_LINE_MENTION;
    *ret_name = HAFT__LIT("");
    if (is_comment(&s)) {
        return HAFT__OFFLINE_LINE_COMMENT;
    }
    for (size_t i = 0; i < COUNT(classifiers) && kind == HAFT__OFFLINE_LINE_MENTION; i++) {
        s.name = HAFT__LIT("");
        kind = classifiers[i](&s);
    }
    *ret_name = kind != HAFT__OFFLINE_LINE_MENTION ? s.name : HAFT__LIT("");
    return kind;
}

/* ---- use of a name ---- */

/* The offset of the name as a whole word; text.len if it is absent. */
static size_t find_whole(haft_str text, haft_str name)
{
    for (size_t i = 0; i + name.len <= text.len; i++) {
        bool starts = i == 0 || !is_name_char(text.ptr[i - 1]) || !is_name_char(name.ptr[0]);
        size_t end = i + name.len;
        bool ends = end == text.len || !is_name_char(text.ptr[end])
                    || !is_name_char(name.ptr[name.len - 1]);
        if (starts && ends && memcmp(text.ptr + i, name.ptr, name.len) == 0) {
            return i;
        }
    }
    return text.len;
}

/* Whether a comment starts before `at`. */
static bool is_in_comment(haft_str text, size_t at)
{
    for (size_t i = 0; i + 1 < at; i++) {
        if (text.ptr[i] == '/' && (text.ptr[i + 1] == '/' || text.ptr[i + 1] == '*')) {
            return i == 0 || text.ptr[i - 1] != ':'; /* http:// */
        }
    }
    return false;
}

haft__offline_line_kind haft__offline_line_use_of(haft_str path, haft_str text, haft_str name)
{
    haft_str defined;
    text.len = text.len < READ_BYTES ? text.len : READ_BYTES;
    size_t at = name.len > 0 ? find_whole(text, name) : text.len;
    if (at == text.len) {
        return HAFT__OFFLINE_LINE_OTHER;
    }
    haft__offline_line_kind kind = haft__offline_line_kind_of(path, text, &defined);
    bool heading = defined.len > 0 && defined.ptr[0] == '#';
    if (haft__str_equal(defined, name) || (heading && find_whole(defined, name) < defined.len)) {
        return kind;
    }
    if (kind == HAFT__OFFLINE_LINE_COMMENT || is_in_comment(text, at)) {
        return HAFT__OFFLINE_LINE_COMMENT;
    }
    haft_str rest = skip_spaces(haft__str_skip(text, at + name.len));
    return haft__str_starts_with(rest, HAFT__LIT("(")) ? HAFT__OFFLINE_LINE_CALL
                                                       : HAFT__OFFLINE_LINE_MENTION;
}
