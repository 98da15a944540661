/* SPDX-License-Identifier: Apache-2.0 */
/* random_help.c - see random_help.h. */
#include "random_help.h"

#include "test.h"
#include "json/read.h"
#include "json/write.h"

uint64_t help_roll(help_maker *m, uint64_t below)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return m->state % below;
}

/* ---- values ---- */

static const char *const pieces[] = {
    "",
    "a",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\"",
    "'",
    "\\",
    "\\n",
    "\xC3\xA9",
    "\xF0\x9F\x98\x80",
    "\x01",
    "\x7f",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "=",
    "&amp;",
    "<p>",
    "%n",
    "%",
    "```",
    "\n```\n",
    "\xE2\x80\xA8",
    "true",
    "null",
    "None",
    "{\"name\":1}",
    "</x>",
    "#",
    "\xE4\xB8\xAD",
    ";",
    ">>>",
    "f(a=1)",
    "\xEF\xBD\x9C",
    "\b\f",
};

/* The last of each has more digits than a grammar accepts. */
static const char *const numbers[] = {
    "0", "-1", "7", "9007199254740993", "-9223372036854775808", "123456789012345678901234567890",
};
static const char *const fractions[] = {"1.50", "-0.25", "1e5", "2.5E-3",
                                        "100000000000000000000.5"};

static const char *any_mark(help_maker *m)
{
    for (;;) {
        const haft__format_state *place = &m->format->states[help_roll(m, HAFT__FORMAT_STATES)];
        const char *text = place->marks[help_roll(m, COUNT(place->marks))].text;
        if (text != NULL) {
            return text;
        }
    }
}

/* Texts that a string cannot contain in a format with parameters in tags (docs/formats.md): the
 * opening tag of a value, and its closing tag before a text that ends a value. This table does
 * not come from the tables of the formats, which could be wrong. */
static const struct {
    const char *format;
    const char *never[4];  /* ends a value, or may end it */
    const char *closes[4]; /* ends a value before one of `followers`, after white space; a grammar
                              does not read what follows */
    const char *followers[4];
} inexpressible[] = {
    {.format = "glm", .never = {"</arg_value>", "<arg_value>"}},
    {.format = "qwen3coder",
     .never = {"<parameter=", "</function>"},
     .closes = {"</parameter>"},
     .followers = {"<parameter=", "</function>"}},
    {.format = "anthropic_xml",
     .never = {"<parameter name=",
               "<"
               "antml:parameter name=",
               "<minimax:parameter name="},
     .closes = {"</parameter>",
                "</"
                "antml:parameter>",
                "</minimax:parameter>"},
     .followers = {"</invoke>",
                   "</"
                   "antml:invoke>",
                   "</minimax:invoke>"}},
    {.format = "deepseek_v32",
     .never = {"<\xEF\xBD\x9C"
               "DSML\xEF\xBD\x9C"
               "parameter name="},
     .closes = {"</\xEF\xBD\x9C"
                "DSML\xEF\xBD\x9C"
                "parameter>"},
     .followers = {"</\xEF\xBD\x9C"
                   "DSML\xEF\xBD\x9C"
                   "invoke>"}},
};

static bool begins_with_any(const char *text, const char *const *any)
{
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < 4 && any[i] != NULL; i++) {
        if (strncmp(text, any[i], strlen(any[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool closes(const help_maker *m, const char *text, const char *tag,
                   const char *const *followers)
{
    for (const char *at = strstr(text, tag); at != NULL; at = strstr(at + 1, tag)) {
        if (m->bounded || begins_with_any(at + strlen(tag), followers)) {
            return true;
        }
    }
    return false;
}

static bool ends_a_value(const help_maker *m, const char *text)
{
    for (size_t f = 0; m->tagged && f < COUNT(inexpressible); f++) {
        for (size_t i = 0; strcmp(inexpressible[f].format, m->format->name) == 0 && i < 4; i++) {
            const char *never = inexpressible[f].never[i], *tag = inexpressible[f].closes[i];
            if ((never != NULL && strstr(text, never) != NULL)
                || (tag != NULL && closes(m, text, tag, inexpressible[f].followers))) {
                return true;
            }
        }
    }
    return false;
}

static void add_string(help_maker *m, haft__buf *buf, const char *start)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    haft__buf_addf(&text, "%s", start);
    for (uint64_t i = help_roll(m, 6); i > 0; i--) {
        size_t before = text.len;
        haft__buf_addf(&text, "%s",
                       help_roll(m, 4) == 0 ? any_mark(m) : pieces[help_roll(m, COUNT(pieces))]);
        if (text.len > 0 && ends_a_value(m, text.ptr)) {
            text.len = before;
        }
    }
    haft__json_write_string(buf, haft__buf_str(&text));
    haft__buf_finish(&text);
}

static void add_any(help_maker *m, haft__buf *buf, unsigned depth);

static void add_object(help_maker *m, haft__buf *buf, unsigned depth)
{
    uint64_t count = depth > 0 ? help_roll(m, 4) : 0;
    haft__buf_add_char(buf, '{');
    for (uint64_t i = 0; i < count; i++) {
        haft__buf_addf(buf, "%s\"%s%d\":", i > 0 ? "," : "", i == 1 ? "a b\\n\\\"" : "k", (int)i);
        add_any(m, buf, depth - 1);
    }
    haft__buf_add_char(buf, '}');
}

static void add_array(help_maker *m, haft__buf *buf, unsigned depth)
{
    uint64_t count = depth > 0 ? help_roll(m, 4) : 0;
    haft__buf_add_char(buf, '[');
    for (uint64_t i = 0; i < count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        add_any(m, buf, depth - 1);
    }
    haft__buf_add_char(buf, ']');
}

static void add_typed(help_maker *m, haft__buf *buf, char type, unsigned depth)
{
    switch (type) {
    case 's': add_string(m, buf, ""); return;
    case 'i': haft__buf_addf(buf, "%s", numbers[help_roll(m, COUNT(numbers) - m->bounded)]); return;
    case 'f':
        haft__buf_addf(buf, "%s", fractions[help_roll(m, COUNT(fractions) - m->bounded)]);
        return;
    case 'b': haft__buf_addf(buf, "%s", help_roll(m, 2) == 0 ? "true" : "false"); return;
    case 'n': haft__buf_addf(buf, "null"); return;
    case 'o': add_object(m, buf, depth); return;
    case 'l': add_array(m, buf, depth); return;
    case 'e': haft__buf_addf(buf, "%s", help_roll(m, 2) == 0 ? "\"C\"" : "\"two words\""); return;
    default: add_string(m, buf, "~"); return; /* a string that is not JSON, whatever follows */
    }
}

static void add_any(help_maker *m, haft__buf *buf, unsigned depth)
{
    add_typed(m, buf, "sifbnolx"[help_roll(m, 8)], depth);
}

/* ---- tools: each parameter's name begins with its type, and ends with r if it is required ---- */

static const struct {
    char type;
    const char *schema;
} types[] = {
    {'s', "{\"type\":\"string\"}"},
    {'i', "{\"type\":\"integer\"}"},
    {'f', "{\"type\":\"number\"}"},
    {'b', "{\"type\":\"boolean\"}"},
    {'n', "{\"type\":\"null\"}"},
    {'o', "{\"type\":\"object\"}"},
    {'l', "{\"type\":\"array\"}"},
    {'x', "{}"},
    {'y', "{\"type\":[\"string\",\"null\"]}"},
    {'e', "{\"enum\":[\"C\",\"two words\",\"x\"]}"},
    {'u', "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}"},
};

haft__json help_make_schema(help_maker *m, haft__arena *arena)
{
    haft__buf buf, required;
    haft__buf_init(&buf, 1 << 16);
    haft__buf_init(&required, 1 << 16);
    haft__buf_addf(&buf, "{\"type\":\"object\",\"properties\":{");
    uint64_t count = help_roll(m, 7);
    for (uint64_t i = 0; i < count; i++) {
        size_t type = help_roll(m, COUNT(types));
        bool must = help_roll(m, 3) == 0;
        haft__buf_addf(&buf, "%s\"%c_%d%s\":%s", i > 0 ? "," : "", types[type].type, (int)i,
                       must ? "r" : "", types[type].schema);
        if (must) {
            haft__buf_addf(&required, "%s\"%c_%dr\"", required.len > 0 ? "," : "", types[type].type,
                           (int)i);
        }
    }
    haft__buf_addf(&buf, "},\"required\":[%.*s]}", HAFT__ARG(haft__buf_str(&required)));
    haft__json schema = haft__json_null();
    haft_str text = haft__arena_copy(arena, haft__buf_str(&buf));
    haft_status status = haft__json_read(arena, text, NULL, &schema, NULL, NULL);
    CHECK_INT(status, HAFT_OK, "a schema of the test");
    haft__buf_finish(&buf);
    haft__buf_finish(&required);
    return schema;
}

bool help_add_arguments(help_maker *m, haft__buf *buf, const haft__format_tool *tool,
                        help_flaw flaw)
{
    const haft__json *properties = haft__json_get(tool->parameters, HAFT__LIT("properties"));
    size_t written = 0;
    bool flawed = flaw == HELP_FLAW_NONE;
    haft__buf_add_char(buf, '{');
    for (uint32_t i = 0; i < properties->count; i++) {
        haft_str key = haft__json_text(properties->members[i].key);
        char type = key.len > 0 && key.ptr != NULL ? key.ptr[0] : 's';
        bool must = haft__str_ends_with(key, HAFT__LIT("r"));
        bool wrong = !flawed && flaw == HELP_FLAW_TYPE && strchr("ifbnole", type) != NULL;
        bool missing = !flawed && flaw == HELP_FLAW_MISSING && must;
        flawed = flawed || wrong || missing;
        if (missing || (!wrong && !must && help_roll(m, 4) == 0)) {
            continue;
        }
        haft__buf_addf(buf, "%s\"%.*s\":", written++ > 0 ? "," : "", HAFT__ARG(key));
        if (wrong) {
            haft__buf_addf(buf, "\"zz\"");
        } else {
            add_typed(m, buf, type, 3);
        }
    }
    haft__buf_add_char(buf, '}');
    return flawed;
}
