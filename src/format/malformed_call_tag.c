/* SPDX-License-Identifier: Apache-2.0 */
/* malformed_call_tag.c - tags of another dialect in a malformed call: <parameter=s>text</parameter>
 * instead of JSON. A value in such a tag has no quotes, so only the end tag ends it, and the end
 * tag counts only if another tag follows. A block of reasoning counts as such a tag at any
 * position. Tests: tests/format/malformed_call_test.c. */
#include "format/parser.h"

#include "base/ascii.h"

enum {
    NONE,
    ANGLE,  /* after < */
    NAME,   /* ... and the first bytes of a name */
    HEADER, /* after the name */
    OPEN,   /* the opening tag is complete */
    INNER_ANGLE,
    CLOSING, /* after </ */
    CLOSED,  /* after the name and >; the next byte decides */
};

static bool is_letter(char c)
{
    return haft__ascii_is_letter(c) || c == '_' || ((unsigned char)c & 0x80) != 0;
}

static bool is_name(char c)
{
    return is_letter(c) || haft__ascii_is_digit(c) || c == '-' || c == ':' || c == '.';
}

static uint8_t begin(haft__malformed_call_tag *tag, char c)
{
    tag->length = 0;
    if (!is_letter(c)) {
        return c == '<' ? ANGLE : NONE;
    }
    tag->name[tag->length++] = c;
    return NAME;
}

/* A control token, whose name ends with a full-width bar, is not a tag. */
static uint8_t on_name(haft__malformed_call_tag *tag, char c)
{
    bool token = ((unsigned char)tag->name[tag->length - 1] & 0x80) != 0;
    if (is_name(c) && tag->length < sizeof(tag->name)) {
        tag->name[tag->length++] = c;
        return NAME;
    }
    if (c == '<') {
        return ANGLE;
    }
    if (c == '>') {
        return token ? NONE : OPEN;
    }
    return haft__ascii_is_space(c) || c == '=' || c == '/' ? HEADER : NONE;
}

static uint8_t on_header(const haft__malformed_call_tag *tag, char c)
{
    if (c == '<') {
        return ANGLE;
    }
    return c != '>' ? HEADER : tag->last == '/' ? NONE : OPEN;
}

static uint8_t on_closing(haft__malformed_call_tag *tag, char c)
{
    if (tag->match < tag->length && c == tag->name[tag->match]) {
        tag->match++;
        return CLOSING;
    }
    if (c == '<') {
        return INNER_ANGLE;
    }
    return tag->match == tag->length && c == '>' ? CLOSED : OPEN;
}

static uint8_t next(haft__malformed_call_tag *tag, char c)
{
    switch (tag->state) {
    case NONE: return c == '<' ? ANGLE : NONE;
    case ANGLE: return begin(tag, c);
    case NAME: return on_name(tag, c);
    case HEADER: return on_header(tag, c);
    case OPEN: return c == '<' ? INNER_ANGLE : OPEN;
    case INNER_ANGLE: tag->match = 0; return c == '/' ? CLOSING : c == '<' ? INNER_ANGLE : OPEN;
    case CLOSING: return on_closing(tag, c);
    default: return haft__ascii_is_space(c) ? CLOSED : c == '<' ? ANGLE : OPEN;
    }
}

static bool is_reasoning(const haft__malformed_call_tag *tag)
{
    haft_str name = {tag->name, tag->length};
    return haft__str_equal(name, HAFT__LIT("think"))
           || haft__str_equal(name, HAFT__LIT("thinking"));
}

void haft__malformed_call_tag_scan_byte(haft__malformed_call_tag *tag, char c, bool bracket)
{
    bool before = tag->state >= HEADER;
    tag->state = next(tag, c);
    if (bracket && !before && tag->state >= HEADER && !is_reasoning(tag)) {
        tag->state = NONE;
    }
    tag->last = c;
}

bool haft__malformed_call_tag_is_header(const haft__malformed_call_tag *tag)
{
    return tag->state >= HEADER;
}

bool haft__malformed_call_tag_is_open(const haft__malformed_call_tag *tag)
{
    return tag->state >= OPEN;
}
