/* SPDX-License-Identifier: Apache-2.0 */
/*
 * give.c - bytes that are no mark: each goes to what its place is about, or leads to another place.
 * Tests: tests/format/parser_test.c, tests/format/cases_test.c. Fuzzer: fuzz/format.c.
 */
#include "format/parser.h"

static size_t count_spaces(haft_str text)
{
    size_t i = 0;
    while (i < text.len
           && (text.ptr[i] == ' ' || text.ptr[i] == '\n' || text.ptr[i] == '\r'
               || text.ptr[i] == '\t')) {
        i++;
    }
    return i;
}

static bool is_layout(const haft__place *place)
{
    return place->bytes == HAFT__BYTES_LAYOUT || place->bytes == HAFT__BYTES_DOUBT
           || place->bytes == HAFT__BYTES_GAP;
}

/* Whether a byte that is no mark may lead to another place. */
bool haft__give_may_move(const haft__place *place)
{
    return is_layout(place) || (place->bytes == HAFT__BYTES_TAIL && place->otherwise != 0)
           || (place->bytes >= HAFT__BYTES_NAME && place->bytes <= HAFT__BYTES_KEY);
}

/* Bytes that have been used already. */
void haft__give_again(haft__parser *p, haft_str text)
{
    bool before = p->again;
    p->again = true;
    size_t used = haft__give(p, text);
    if (used < text.len) {
        haft__parser_read(p, haft__str_skip(text, used));
    }
    p->again = before;
    p->call.late = p->call.late && before;
}

/* A name that no tool has, behind a mark that stands in texts too: only arguments make it one. */
bool haft__give_is_doubtful(const haft__parser *p)
{
    return p->call.open && p->call.if_named && p->call.named && p->call.tool == NULL
           && haft__parser_here(p)->bytes == HAFT__BYTES_LAYOUT;
}

/* White space, and then something that belongs elsewhere. */
static size_t give_layout(haft__parser *p, const haft__place *place, haft_str text)
{
    size_t spaces = count_spaces(text);
    if (spaces > 0 && p->call.if_named && !p->call.named) { /* a name would stand here */
        haft__forming_disown(p);
        haft__parser_go(p, p->format->plain);
        return 0;
    }
    haft__parser_use(p, (haft_str){text.ptr, spaces});
    bool doubt = place->bytes == HAFT__BYTES_DOUBT;
    if (doubt) {
        haft__buf_add(&p->doubt, text.ptr, spaces);
        haft__parser_check(p, &p->doubt);
    } else if (place->bytes == HAFT__BYTES_LAYOUT) {
        haft__tell_layout(p, (haft_str){text.ptr, spaces});
    }
    if (spaces == text.len) {
        return spaces;
    }
    if (place->otherwise == p->format->spoilt && p->call.open) {
        haft__parser_spoil(p, "it has text where only tags belong");
    } else if (haft__give_is_doubtful(p)) {
        haft__forming_disown(p);
        haft__parser_go(p, p->format->plain);
    } else {
        haft__parser_go(p, place->otherwise);
        if (haft__parser_here(p)->bytes == HAFT__BYTES_NAME
            && !p->call.open) { /* nothing but its name opens it */
            haft__forming_open(p, HAFT__LIT(""), true);
            p->call.late = p->again;
            p->call.offset -= p->again ? text.len - spaces : 0;
        }
    }
    if (doubt) {
        haft__give_again(p, haft__buf_str(&p->doubt));
    }
    return spaces;
}

/* Another value where a call has one: what it was meant for is not known. */
static void begin_second(haft__parser *p, size_t length)
{
    haft__forming_open(p, HAFT__LIT(""), false);
    p->call.late = p->again;
    p->call.offset -= p->again ? length : 0;
    haft__wreck_begin(p, "it is a second value in one call", &(haft__wreck){.json = true});
}

/* Brackets, commas and colons: the value ended before them, perhaps too early. */
static size_t give_debris(haft__parser *p, const haft__place *place, haft_str text)
{
    bool content =
        place->otherwise == 0 || p->format->places[place->otherwise].bytes == HAFT__BYTES_CONTENT;
    size_t used = 0;
    while (used < text.len && text.ptr[used] != '\0'
           && strchr("}],: \n\r\t", text.ptr[used]) != NULL) {
        p->tail = strchr("}],:", text.ptr[used]) != NULL ? text.ptr[used] : p->tail;
        used++;
    }
    haft_str debris = {text.ptr, used};
    haft__parser_use(p, debris);
    if (content) {
        p->tailed = p->tailed || used > 0;
        haft__tell_content(p, debris);
    }
    return used;
}

/* Whether a byte behind a value, and behind what `tail` says, begins another, or goes on with one
 * that ended too early: in its strings marks are data. */
static bool is_second(const haft__parser *p, char c)
{
    bool more = p->tail == ',' || p->tail == ':';
    bool first = p->tail == '\0' && !p->format->open_ended; /* there it may be text */
    return (c == '"' || c == '{' || c == '[') && (more || first);
}

/* Behind the value of a call, and in front of what closes it. */
static size_t give_tail(haft__parser *p, const haft__place *place, haft_str text)
{
    bool fresh = !p->tailed && p->tail == '\0', text_came = p->tailed && p->tail == '\0';
    size_t used = fresh ? count_spaces(text) : 0;
    haft__parser_use(p, (haft_str){text.ptr, used});
    haft__tell_layout(p, (haft_str){text.ptr, used});
    if (p->format->json && !text_came) {
        used += give_debris(p, place, haft__str_skip(text, used));
    }
    haft_str rest = haft__str_skip(text, used);
    if (rest.len == 0) {
        return used;
    }
    if (p->format->json && !text_came && is_second(p, rest.ptr[0])) {
        begin_second(p, rest.len);
        return used;
    }
    if (place->otherwise != 0) {
        haft__parser_go(p, place->otherwise);
        return used;
    }
    p->tailed = true;
    p->tail = '\0';
    haft__parser_use(p, rest);
    haft__tell_content(p, rest);
    return text.len;
}

/* A name, an id or a key, as far as the beginning of a tag: that belongs to something else. */
static size_t give_header(haft__parser *p, haft__buf *to, haft_str text)
{
    bool key = to == &p->call.key;
    size_t used = 0;
    while (used < text.len && text.ptr[used] != '<' && (key || text.ptr[used] != '[')) {
        used++;
    }
    haft__parser_use(p, (haft_str){text.ptr, used});
    haft__forming_text(p, to, (haft_str){text.ptr, used});
    if (!key && !p->marks[p->place].starts['"']) { /* else it stands in quotes */
        haft__wreck_watch(p, (haft_str){text.ptr, used});
    }
    if (used < text.len) {
        haft__parser_spoil(p, key ? "a tag is in the name of a parameter"
                                  : "a tag is in its name or id");
        if (key && p->format->spoilt_in != 0) { /* its value follows, or the end of the call */
            haft__parser_go(p, p->format->spoilt_in);
        }
    }
    return used;
}

/* The name of a tool. Where it must be that of one, or else is code, only as long as it can be. */
static size_t give_name(haft__parser *p, const haft__place *place, haft_str text)
{
    bool content = p->call.if_known || p->call.if_named; /* what is no name is that */
    if (!content && place->otherwise == 0) {             /* what it is, is seen at its end */
        return give_header(p, &p->call.name, text);
    }
    size_t used = haft__forming_count_name(p, text);
    haft__parser_use(p, (haft_str){text.ptr, used});
    haft__forming_text(p, &p->call.name, (haft_str){text.ptr, used});
    if (used == text.len) {
        return used;
    }
    if (content) {
        haft__forming_disown(p);
        haft__parser_go(p, p->format->plain);
    } else {
        haft__forming_code(p);
        haft__parser_go(p, place->otherwise);
    }
    return used;
}

/* How many of the bytes it has taken: fewer when they lead to another place. */
size_t haft__give(haft__parser *p, haft_str text)
{
    const haft__place *place = haft__parser_here(p);
    if (place->bytes == HAFT__BYTES_NAME) {
        return give_name(p, place, text);
    }
    if (place->bytes == HAFT__BYTES_ID) {
        return give_header(p, &p->call.id, text);
    }
    if (place->bytes == HAFT__BYTES_KEY) {
        return give_header(p, &p->call.key, text);
    }
    if (is_layout(place)) {
        return give_layout(p, place, text);
    }
    if (place->bytes == HAFT__BYTES_TAIL) {
        return give_tail(p, place, text);
    }
    haft__parser_use(p, text);
    switch ((haft__bytes)place->bytes) {
    case HAFT__BYTES_CONTENT: haft__tell_content(p, text); break;
    case HAFT__BYTES_REASONING: haft__tell_reasoning(p, text); break;
    case HAFT__BYTES_CODE: haft__tell_code(p, text); break;
    case HAFT__BYTES_VALUE:
        if (p->call.coded) {
            haft__forming_add_code(p, text);
        } else {
            haft__value_add(p, text);
        }
        break;
    case HAFT__BYTES_NAME:
    case HAFT__BYTES_ID:
    case HAFT__BYTES_KEY:
    case HAFT__BYTES_LAYOUT:
    case HAFT__BYTES_GAP:
    case HAFT__BYTES_TAIL:
    case HAFT__BYTES_DOUBT:
    case HAFT__BYTES_NOTHING: break;
    }
    return text.len;
}
