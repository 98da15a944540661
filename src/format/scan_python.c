/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_python.c - calls written as Python: f(a=1, b='x'), g(). Literals are converted to JSON as
 * they arrive; .null_answer is ever evaluated.
 *
 * Each byte moves the scanner from state to state; open containers are on a stack. A call that
 * contains anything but literals is malformed and skipped to its closing parenthesis, so that later
 * calls are found; text that is not a call is skipped to the end of the list. python_string.c reads
 * strings. Tests: tests/format/dialects/pythonic_test.c.
 */
#include <math.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "format/parser.h"
#include "json/number.h"
#include "json/write.h"

#define ITEMS 0x80U /* flag of a stack entry: the container has an item */

/* The effect of a byte. */
typedef enum step {
    USED,
    AGAIN,   /* the byte is not consumed: read it in the new state */
    SKIPPED, /* the byte ends the skipped text */
    PROSE,   /* the byte is not consumed: the text is not a call */
    DONE,
} step;

/* ---- malformed calls ---- */

/* Records the closers of the open containers and of the call. */
static void begin_skip(haft__parser_python_scanner *py, const char *why)
{
    static const char closers[] = {[HAFT__PY_LIST] = ']',
                                   [HAFT__PY_PARENS] = ')',
                                   [HAFT__PY_TUPLE] = ')',
                                   [HAFT__PY_SET] = '}',
                                   [HAFT__PY_DICT] = '}'};
    py->why = why;
    py->text = (haft__py_text){0};
    py->closers[0] = ')';
    for (uint32_t i = 0; i < py->depth; i++) {
        py->closers[i + 1] = closers[py->stack[i] & ~ITEMS];
    }
    py->skip_depth = py->depth + 1;
    py->to_end = false;
}

/* Marks the call as malformed. The call is reported when it has ended. */
static step reject(haft__parser *p, const char *why)
{
    haft__parser_python_scanner *py = &p->python;
    begin_skip(py, why);
    if (py->state == HAFT__PY_STRING) { /* skipped to its end */
        py->text = (haft__py_text){py->quote, py->triple, false, py->quotes};
    }
    py->state = HAFT__PY_SKIP;
    return AGAIN;
}

/* Skips text that is not a call, and the rest of the list. */
static step reject_rest(haft__parser *p, const char *why)
{
    haft__parser_python_scanner *py = &p->python;
    if (!p->call.open) {
        haft__call_builder_begin(p, HAFT__LIT(""), false);
    }
    py->depth = 0;
    begin_skip(py, why);
    py->closers[0] = ']';
    py->to_end = true;
    py->state = HAFT__PY_SKIP;
    return AGAIN;
}

static void open_skipped(haft__parser_python_scanner *py, char c)
{
    if (py->skip_depth < COUNT(py->closers)) {
        py->closers[py->skip_depth] = c == '(' ? ')' : c == '[' ? ']' : '}';
    }
    py->skip_depth++;
}

/* Searches for the parenthesis that closes the call. Brackets in strings and unmatched closers are
 * ignored: a quoted call is data. */
static step on_skip(haft__parser_python_scanner *py, char c)
{
    if (py->text.quote != '\0' && haft__python_skip_string(&py->text, c)) {
        return USED;
    }
    if (c == '"' || c == '\'') {
        py->text = (haft__py_text){.quote = c, .quotes = 1};
    } else if (c == '(' || c == '[' || c == '{') {
        open_skipped(py, c);
    } else if (c == ')' || c == ']' || c == '}') {
        bool known = py->skip_depth <= COUNT(py->closers);
        py->skip_depth -= !known || py->closers[py->skip_depth - 1] == c ? 1 : 0;
    }
    return py->skip_depth == 0 ? SKIPPED : USED;
}

/* ---- containers ---- */

static haft__py_kind current_container(const haft__parser_python_scanner *py)
{
    return py->depth > 0 ? (haft__py_kind)(py->stack[py->depth - 1] & ~ITEMS) : HAFT__PY_ARGS;
}

/* Writes the comma between items of an array or members of an object. */
static void separate(haft__parser *p)
{
    haft__parser_python_scanner *py = &p->python;
    if (py->depth > 0) {
        uint8_t *top = &py->stack[py->depth - 1];
        if ((*top & ITEMS) != 0) {
            haft__call_builder_add_args(p, HAFT__LIT(","));
        }
        *top |= ITEMS;
    }
}

/* Writes the separator before a value. */
static void begin_value(haft__parser *p)
{
    haft__py_kind kind = current_container(&p->python);
    if (kind != HAFT__PY_ARGS && kind != HAFT__PY_DICT) { /* written before the key there */
        separate(p);
    }
}

static step open_container(haft__parser *p, haft__py_kind kind, haft_str json, haft__py_state state)
{
    haft__parser_python_scanner *py = &p->python;
    if (py->depth == HAFT__LIMIT_JSON_DEPTH - 1) { /* the arguments are one level themselves */
        return reject(p, "its arguments are nested too deeply");
    }
    haft__call_builder_add_args(p, json);
    py->stack[py->depth++] = (uint8_t)kind;
    py->state = state;
    py->may_close = true;
    return USED;
}

static step close_container(haft__parser *p, haft_str json)
{
    p->python.depth--;
    p->python.state = HAFT__PY_AFTER;
    haft__call_builder_add_args(p, json);
    return USED;
}

static step begin_string(haft__parser *p, char quote, haft__py_role role, bool raw)
{
    haft__parser_python_scanner *py = &p->python;
    py->role = role;
    py->raw = raw;
    py->quote = quote;
    py->quotes = 1;
    py->triple = py->escape = false;
    py->hex_left = py->high = 0;
    py->state = HAFT__PY_QUOTE;
    haft__buf_clear(&p->call.value);
    if (role == HAFT__PY_ROLE_VALUE) {
        begin_value(p);
        haft__call_builder_add_args(p, HAFT__LIT("\""));
    }
    return USED;
}

static step begin_text(haft__parser *p, haft__py_state state)
{
    haft__buf_clear(&p->call.value);
    p->python.state = state;
    return AGAIN;
}

static bool is_word(char c)
{
    bool letter = haft__ascii_is_letter(c);
    return letter || haft__ascii_is_digit(c) || c == '_' || ((unsigned char)c & 0x80) != 0;
}

static step on_value(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    haft__py_kind kind = current_container(py);
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (py->may_close && kind != HAFT__PY_ARGS
        && c
               == (kind == HAFT__PY_LIST  ? ']'
                   : kind == HAFT__PY_SET ? '}'
                                          : ')')) {
        return close_container(p, HAFT__LIT("]"));
    }
    switch (c) {
    case '\'':
    case '"': return begin_string(p, c, HAFT__PY_ROLE_VALUE, false);
    case '[':
        begin_value(p);
        return open_container(p, HAFT__PY_LIST, HAFT__LIT("["), HAFT__PY_VALUE);
    case '(':
        begin_value(p);
        return open_container(p, HAFT__PY_PARENS, HAFT__LIT("["), HAFT__PY_VALUE);
    case '{':
        begin_value(p);
        py->state = HAFT__PY_BRACE;
        return USED;
    default: break;
    }
    if (haft__ascii_is_digit(c) || c == '-' || c == '.') {
        return begin_text(p, HAFT__PY_NUMBER);
    }
    return is_word(c) ? begin_text(p, HAFT__PY_WORD) : reject(p, "an argument is not a literal");
}

static step on_after(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    haft__py_kind kind = current_container(py);
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (c == ',') {
        if (kind == HAFT__PY_PARENS) {
            py->stack[py->depth - 1] = HAFT__PY_TUPLE | ITEMS;
        }
        py->state = kind == HAFT__PY_ARGS   ? HAFT__PY_ARGUMENT
                    : kind == HAFT__PY_DICT ? HAFT__PY_KEY
                                            : HAFT__PY_VALUE;
        py->may_close = true;
        return USED;
    }
    if (kind == HAFT__PY_ARGS && c == ')') {
        haft__call_builder_add_args(p, HAFT__LIT("}"));
        haft__call_builder_end(p);
        py->state = HAFT__PY_NEXT;
        return USED;
    }
    static const char closers[] = {
        [HAFT__PY_LIST] = ']', [HAFT__PY_TUPLE] = ')', [HAFT__PY_SET] = '}', [HAFT__PY_DICT] = '}'};
    if (kind != HAFT__PY_ARGS && c == closers[kind]) {
        return close_container(p, kind == HAFT__PY_DICT ? HAFT__LIT("}") : HAFT__LIT("]"));
    }
    return reject(p, "an argument is not a literal");
}

/* ---- dicts and sets ---- */

static step on_brace(haft__parser *p, char c)
{
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (c == '}') {
        haft__call_builder_add_args(p, HAFT__LIT("{}"));
        p->python.state = HAFT__PY_AFTER;
        return USED;
    }
    if (c == '\'' || c == '"') {
        return begin_string(p, c, HAFT__PY_ROLE_FIRST, false);
    }
    step opened = open_container(p, HAFT__PY_SET, HAFT__LIT("["), HAFT__PY_VALUE);
    p->python.may_close = false;
    return opened == USED ? AGAIN : opened;
}

static void emit_buffered(haft__parser *p)
{
    haft__buf_clear(&p->scratch);
    haft__json_write_string(&p->scratch, haft__buf_str(&p->call.value));
    haft__parser_check(p, &p->scratch);
    haft__call_builder_add_args(p, haft__buf_str(&p->scratch));
}

/* `{'a'` may begin a dict or a set. */
static step on_first(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    bool dict = c == ':';
    step opened = open_container(p, dict ? HAFT__PY_DICT : HAFT__PY_SET,
                                 dict ? HAFT__LIT("{") : HAFT__LIT("["),
                                 dict ? HAFT__PY_COLON : HAFT__PY_AFTER);
    if (opened == USED) {
        py->stack[py->depth - 1] |= ITEMS;
        emit_buffered(p);
        opened = AGAIN;
    }
    return opened;
}

static step on_key(haft__parser *p, char c)
{
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (c == '}') {
        return close_container(p, HAFT__LIT("}"));
    }
    return c == '\'' || c == '"' ? begin_string(p, c, HAFT__PY_ROLE_KEY, false)
                                 : reject(p, "a key is not a string");
}

static step on_colon(haft__parser *p, char c)
{
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (c != ':') {
        return reject(p, "a key has no value");
    }
    haft__call_builder_add_args(p, HAFT__LIT(":"));
    p->python.state = HAFT__PY_VALUE;
    p->python.may_close = false;
    return USED;
}

void haft__python_string_ended(haft__parser *p)
{
    haft__parser_python_scanner *py = &p->python;
    if (py->role == HAFT__PY_ROLE_VALUE) {
        py->state = HAFT__PY_AFTER;
    } else if (py->role == HAFT__PY_ROLE_FIRST) {
        py->state = HAFT__PY_FIRST;
    } else {
        separate(p);
        emit_buffered(p);
        py->state = HAFT__PY_COLON;
    }
}

/* ---- words and numbers ---- */

static step on_word(haft__parser *p, char c)
{
    static const struct {
        const char *word, *json;
    } words[] = {{"True", "true"}, {"False", "false"}, {"None", "null"},
                 {"true", "true"}, {"false", "false"}, {"null", "null"}};
    haft__buf *text = &p->call.value;
    if (is_word(c) && text->len < sizeof("False")) {
        haft__buf_add_char(text, c);
        haft__parser_check(p, text);
        return USED;
    }
    haft_str found = haft__buf_str(text);
    bool prefix = found.len == 1 && strchr("rRuU", found.ptr[0]) != NULL;
    if (prefix && (c == '\'' || c == '"')) {
        return begin_string(p, c, HAFT__PY_ROLE_VALUE, (found.ptr[0] | 0x20) == 'r');
    }
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_equal(found, haft__str(words[i].word))) {
            begin_value(p);
            haft__call_builder_add_args(p, haft__str(words[i].json));
            p->python.state = HAFT__PY_AFTER;
            return AGAIN;
        }
    }
    return reject(p, "an argument is not a literal");
}

/* The number of digits at the start of `text`. */
static size_t count_digits(haft_str text)
{
    size_t i = 0;
    while (i < text.len && haft__ascii_is_digit(text.ptr[i])) {
        i++;
    }
    return i;
}

/* Writes a number as JSON: Python may omit a digit before or after the point. False if it is not a
 * number. */
static bool write_number(haft__buf *to, haft_str text)
{
    if (text.len > 0 && text.ptr[0] == '-') {
        haft__buf_add_char(to, '-');
        text = haft__str_skip(text, 1);
    }
    size_t whole = count_digits(text), part = 0;
    if (whole > 1 && haft__str_starts_with(text, HAFT__LIT("0"))) {
        return false;
    }
    haft__buf_add_str(to, whole > 0 ? (haft_str){text.ptr, whole} : HAFT__LIT("0"));
    text = haft__str_skip(text, whole);
    if (text.len > 0 && text.ptr[0] == '.') {
        text = haft__str_skip(text, 1);
        part = count_digits(text);
        haft__buf_add_char(to, '.');
        haft__buf_add_str(to, part > 0 ? (haft_str){text.ptr, part} : HAFT__LIT("0"));
        text = haft__str_skip(text, part);
    }
    if (whole + part > 0 && text.len > 1 && (text.ptr[0] | 0x20) == 'e') {
        size_t sign = text.ptr[1] == '+' || text.ptr[1] == '-' ? 1 : 0;
        size_t digits = count_digits(haft__str_skip(text, 1 + sign));
        haft__buf_add(to, text.ptr, 1 + sign + digits);
        text = digits > 0 ? haft__str_skip(text, 1 + sign + digits) : text;
    }
    return whole + part > 0 && text.len == 0;
}

static step on_number(haft__parser *p, char c)
{
    haft__buf *text = &p->call.value;
    if (haft__ascii_is_space(c) && text->len == 1 && text->ptr[0] == '-') { /* - 5 */
        return USED;
    }
    bool sign =
        (c == '-' || c == '+') && (text->len == 0 || (text->ptr[text->len - 1] | 0x20) == 'e');
    if (is_word(c) || c == '.' || sign) {
        if (text->len == HAFT__LIMIT_JSON_NUMBER_BYTES) {
            return reject(p, "a number is too long");
        }
        if (c != '_') { /* 1_000 */
            haft__buf_add_char(text, c);
        }
        haft__parser_check(p, text);
        return USED;
    }
    haft__buf_clear(&p->scratch);
    if (!write_number(&p->scratch, haft__buf_str(text))) {
        return reject(p, "a number is invalid");
    }
    haft_str number = haft__buf_str(&p->scratch);
    bool integer = count_digits(haft__str_skip(number, 1)) + 1 == number.len;
    if (!integer && isinf(haft__number_to_double(number))) { /* as in JSON */
        return reject(p, "a number is too large");
    }
    haft__parser_check(p, &p->scratch);
    begin_value(p);
    haft__call_builder_add_args(p, haft__buf_str(&p->scratch));
    p->python.state = HAFT__PY_AFTER;
    return AGAIN;
}

/* ---- arguments ---- */

static step on_argument(haft__parser *p, char c)
{
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (c == ')') {
        haft__call_builder_add_args(p, p->call.members ? HAFT__LIT("}") : HAFT__LIT("{}"));
        haft__call_builder_end(p);
        p->python.state = HAFT__PY_NEXT;
        return USED;
    }
    haft__buf_clear(&p->call.key);
    p->python.state = HAFT__PY_KEYWORD;
    return is_word(c) && !haft__ascii_is_digit(c) ? AGAIN : reject(p, "an argument has no name");
}

static step on_keyword(haft__parser *p, char c)
{
    haft__buf *key = &p->call.key;
    if (is_word(c)) {
        haft__call_builder_add_text(p, key, (haft_str){&c, 1});
        return key->status == HAFT_OK ? USED : reject(p, "the name of an argument is too long");
    }
    p->python.state = HAFT__PY_EQUALS;
    return AGAIN;
}

static step on_equals(haft__parser *p, char c)
{
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (c != '=') {
        return reject(p, "an argument has no name");
    }
    haft__buf_clear(&p->scratch);
    haft__buf_add_char(&p->scratch, p->call.members ? ',' : '{');
    haft__json_write_string(&p->scratch, haft__buf_str(&p->call.key));
    haft__buf_add_char(&p->scratch, ':');
    haft__parser_check(p, &p->scratch);
    haft__call_builder_add_args(p, haft__buf_str(&p->scratch));
    p->call.members = true;
    p->python.state = HAFT__PY_VALUE;
    p->python.may_close = false;
    return USED;
}

/* ---- from call to call ---- */

static bool ends_calls(const haft__parser_python_scanner *py, char c)
{
    return c == (py->scan_kind == HAFT__SCAN_PYTHON_LINES ? '<' : ']');
}

static step on_next(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    if (py->scan_kind == HAFT__SCAN_PYTHON_ARGS) {
        return DONE;
    }
    if (haft__ascii_is_space(c)) {
        return USED;
    }
    if (ends_calls(py, c)) {
        return DONE;
    }
    if (py->scan_kind == HAFT__SCAN_PYTHON_LINES || c == ',') {
        py->state = HAFT__PY_NAME;
        return c == ',' ? USED : AGAIN;
    }
    return reject_rest(p, "expected a comma or ] after a call");
}

/* Whether `c`, where a name is read, shows that the text is prose about the mark before it. */
static bool is_prose(const haft__parser *p, char c)
{
    haft_str name = haft__buf_str(&p->call.name);
    bool second = name.len > 0 && haft__ascii_is_space(name.ptr[name.len - 1]);
    bool word = haft__call_builder_leading_name((haft_str){&c, 1}).len > 0;
    bool breaks = c == '(' ? second && !haft__call_builder_is_name(haft__str_trim(name))
                           : !haft__ascii_is_space(c) && (second || !word);
    return breaks && haft__mention_judge(p, name.len > 0 ? name.ptr[0] : c) != HAFT__MENTION_NO;
}

static step on_name(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    if (p->call.name.len == 0 && haft__ascii_is_space(c)) {
        return USED;
    }
    if (p->call.name.len == 0 && ends_calls(py, c)) {
        p->call.open = false; /* it was opened at the start of the list, before the first name */
        return DONE;
    }
    if (is_prose(p, c)) {
        return PROSE;
    }
    if ((c == '"' || c == '\'')
        && py->scan_kind == HAFT__SCAN_PYTHON_LIST) { /* of a string, not of a name */
        return reject_rest(p, "a string is where a call should be");
    }
    if (!p->call.open) {
        haft__call_builder_begin(p, HAFT__LIT(""), false);
    }
    if (c != '(') {
        haft__call_builder_add_text(p, &p->call.name, (haft_str){&c, 1});
        return USED;
    }
    const char *why = haft__call_builder_end_name(p);
    py->depth = 0;
    py->state = HAFT__PY_ARGUMENT;
    if (why != NULL) {
        (void)reject(p, why);
    }
    return USED;
}

static step on_byte(haft__parser *p, char c)
{
    switch (p->python.state) {
    case HAFT__PY_NAME: return on_name(p, c);
    case HAFT__PY_ARGUMENT: return on_argument(p, c);
    case HAFT__PY_KEYWORD: return on_keyword(p, c);
    case HAFT__PY_EQUALS: return on_equals(p, c);
    case HAFT__PY_VALUE: return on_value(p, c);
    case HAFT__PY_WORD: return on_word(p, c);
    case HAFT__PY_NUMBER: return on_number(p, c);
    case HAFT__PY_BRACE: return on_brace(p, c);
    case HAFT__PY_FIRST: return on_first(p, c);
    case HAFT__PY_KEY: return on_key(p, c);
    case HAFT__PY_COLON: return on_colon(p, c);
    case HAFT__PY_AFTER: return on_after(p, c);
    case HAFT__PY_NEXT: return on_next(p, c);
    case HAFT__PY_SKIP: return on_skip(&p->python, c);
    case HAFT__PY_QUOTE:
    case HAFT__PY_STRING: break;
    }
    HAFT__UNREACHABLE(); /* strings are read in runs, not byte by byte */
}

/* ---- the scanner ---- */

static void consume(haft__parser *p, haft_str *io_bytes, size_t count)
{
    haft__parser_advance(p, (haft_str){io_bytes->ptr, count});
    *io_bytes = haft__str_skip(*io_bytes, count);
}

/* The skipped text has ended. True if the list has ended too. */
static bool end_skip(haft__parser *p)
{
    haft__parser_python_scanner *py = &p->python;
    haft__call_builder_fail(p, HAFT__PARSER_EVENT_MALFORMED, py->why);
    py->state = HAFT__PY_NEXT;
    py->live = !py->to_end;
    return py->to_end;
}

bool haft__scan_python(haft__parser *p, haft__scan_kind scan_kind, haft_str *io_bytes)
{
    haft__parser_python_scanner *py = &p->python;
    if (!py->live) {
        *py = (haft__parser_python_scanner){.live = true, .scan_kind = (uint8_t)scan_kind};
        py->state = p->call.named ? HAFT__PY_ARGUMENT : HAFT__PY_NAME;
    }
    while (io_bytes->len > 0 && p->status == HAFT_OK) {
        if (py->state == HAFT__PY_QUOTE || py->state == HAFT__PY_STRING) {
            const char *why = NULL;
            consume(p, io_bytes, haft__python_string(p, *io_bytes, &why));
            if (why != NULL) {
                (void)reject(p, why);
            }
            continue;
        }
        step did = on_byte(p, io_bytes->ptr[0]);
        if (did == DONE) {
            py->live = false;
            if (scan_kind == HAFT__SCAN_PYTHON_LIST && io_bytes->ptr[0] == ']') {
                consume(p, io_bytes, 1);
            }
            return true;
        }
        if (did == PROSE) {
            py->live = false;
            haft__parser_reject_unless_mention(
                p, "its name is not a valid tool name",
                p->call.name.len > 0 ? p->call.name.ptr[0] : io_bytes->ptr[0], io_bytes->len);
            return false;
        }
        if (did == USED || did == SKIPPED) {
            consume(p, io_bytes, 1);
        }
        if (did == SKIPPED && end_skip(p)) {
            return true;
        }
    }
    return false;
}
