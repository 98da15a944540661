/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.c - goes through a format's places, byte by byte.
 *
 * Invariants:
 *   1. A byte of the text is used once. Only the beginning of a mark that turned out to be none, or
 *      a mark that belongs to the next place, is read a second time, there.
 *   2. What is held back is the beginning of a mark; its bytes are known from the mark.
 * Tests: tests/format/parser_test.c, tests/format/cases_test.c. Fuzzer: fuzz/format.c.
 */
#include "format/parser.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"

/* How far a mark is looked for where other bytes may lead elsewhere before it comes. */
#define LOOK_AHEAD 64

static size_t give(haft__parser *p, haft_str text);
static void give_held(haft__parser *p, haft_str text);

static const haft__place *here(const haft__parser *p)
{
    return &p->format->places[p->place];
}

void haft__parser_fail(haft__parser *p, haft_status status, const haft_error *err)
{
    if (p->status == HAFT_OK) {
        p->status = status;
        p->err = *err;
    }
}

void haft__parser_check(haft__parser *p, const haft__buf *buf)
{
    if (buf->status != HAFT_OK && p->status == HAFT_OK) {
        p->status = haft__buf_check(buf, &p->err);
    }
}

void haft__parser_check_memory(haft__parser *p, const haft__buf *buf)
{
    if (buf->status == HAFT_NO_MEMORY) {
        haft__parser_check(p, buf);
    }
}

void haft__parser_use(haft__parser *p, haft_str bytes)
{
    if (p->again) {
        return;
    }
    p->offset += bytes.len;
    haft__forming_keep(p, bytes);
}

/* ---- from place to place ---- */

static void build_marks(haft__parser *p, uint8_t at)
{
    const haft__place *place = &p->format->places[at];
    const char *texts[COUNT(place->marks)];
    size_t count = 0;
    while (count < COUNT(place->marks) && place->marks[count].text != NULL) {
        texts[count] = place->marks[count].text;
        count++;
    }
    haft_error err = {0};
    haft_status status = haft__marks_build(&p->marks[at], &p->arena, texts, count, &err);
    if (status != HAFT_OK) {
        haft__parser_fail(p, status, &err);
    }
}

const haft__marks *haft__parser_marks(haft__parser *p, uint8_t place)
{
    const haft__place *there = &p->format->places[place];
    if (there->marks[0].text != NULL && p->marks[place].nodes == NULL) {
        build_marks(p, place);
    }
    return p->marks[place].nodes != NULL ? &p->marks[place] : NULL;
}

void haft__parser_go(haft__parser *p, uint8_t place)
{
    if (here(p)->bytes == HAFT__BYTES_REASONING && place != p->place) {
        haft__tell_thought(p);
    }
    p->place = place;
    p->held = 0;
    (void)haft__parser_marks(p, place);
}

/* It cannot be used; what is left of it is skipped. */
static void spoil(haft__parser *p, const char *why)
{
    if (p->format->places[p->format->spoilt].bytes == HAFT__BYTES_NOTHING) {
        haft__wreck_begin(p, why, &(haft__wreck){.json = p->format->json, .place = p->place});
    } else {
        haft__forming_spoil(p, HAFT__FOUND_MALFORMED, why);
        haft__parser_go(p, p->format->spoilt);
    }
}

/* The same, where a value is to come. */
static void spoil_key(haft__parser *p)
{
    spoil(p, "the name of a parameter cannot be one");
    if (p->format->spoilt_in != 0) {
        haft__parser_go(p, p->format->spoilt_in);
    }
}

/* Text that has been used already, in the place where we are now. */
static void read_again(haft__parser *p, haft_str text)
{
    bool before = p->again;
    p->again = true;
    haft__parser_read(p, text);
    p->again = before;
}

/* False when it leads elsewhere: it is no name, or must be that of a tool and is not. */
static bool take_name(haft__parser *p, const haft__mark *mark)
{
    const char *why = haft__forming_named(p);
    if ((p->call.if_known && p->call.tool == NULL) || (p->call.if_named && why != NULL)) {
        haft__forming_disown(p);
        haft__parser_go(p, p->format->plain);
        return false;
    }
    if (why != NULL && here(p)->otherwise != 0) { /* the mark stands in the middle of code */
        uint8_t code = here(p)->otherwise;
        haft__forming_code(p);
        haft__forming_add_code(p, haft__str(mark->text));
        haft__parser_go(p, code);
    } else if (why != NULL) {
        spoil(p, why);
    }
    return why == NULL;
}

/* Reasoning that never ends: what looked like a call in it is one. */
static void release_suspect(haft__parser *p)
{
    haft__buf text = p->suspect;
    haft__buf_init(&p->suspect, HAFT__LIMIT_FORMAT_BYTES);
    haft__parser_go(p, p->format->plain);
    p->offset -= text.len; /* it goes to the end of the text */
    haft__parser_read(p, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* Code is kept like a call, so that a block that is cut can be told as one. */
static void open_code(haft__parser *p, haft_str mark)
{
    haft__buf *opener = &p->doubt; /* the fence; a tag stands alone */
    bool fenced = here(p)->bytes == HAFT__BYTES_DOUBT;
    p->coding = true;
    haft__forming_open(p, fenced ? haft__buf_str(opener) : mark, false);
    if (fenced) {
        haft__forming_keep(p, mark);
        p->call.offset -= mark.len;
    }
}

/* Whether the place of the mark comes next; if not, it is another already. */
static bool act(haft__parser *p, haft__act what, const haft__mark *mark)
{
    switch (what) {
    case HAFT__ACT_NONE: break;
    case HAFT__ACT_OPEN:
        haft__forming_open(p, haft__str(mark->keep ? "" : mark->text), mark->if_known);
        p->call.if_named = mark->if_named;
        break;
    case HAFT__ACT_NAMED: return take_name(p, mark);
    case HAFT__ACT_IDENTIFIED: haft__forming_identified(p); return take_name(p, mark);
    case HAFT__ACT_NINE:
        if (!haft__forming_is_nine(p)) {
            spoil(p, "its id is not 9 letters and digits");
            return false;
        }
        break;
    case HAFT__ACT_KEYED:
    case HAFT__ACT_KEYED_TEXT:
    case HAFT__ACT_KEYED_JSON:
        if (!haft__value_begin(p, what)) {
            spoil_key(p);
            return false;
        }
        break;
    case HAFT__ACT_VALUED: haft__value_end(p); break;
    case HAFT__ACT_CLOSE:
        if (!haft__forming_is_open_code(p)) { /* else it was cut off */
            haft__value_close(p);
        }
        break;
    case HAFT__ACT_CODE: open_code(p, haft__str(mark->text)); break;
    case HAFT__ACT_CODED:
        haft__forming_forget(p);
        haft__tell_coded(p);
        break;
    case HAFT__ACT_FORGET: haft__forming_forget(p); break;
    case HAFT__ACT_SPOIL:
        haft__forming_spoil(p, HAFT__FOUND_MALFORMED, "it ends before its arguments");
        break;
    case HAFT__ACT_BREAK:
        haft__tell_layout(p, HAFT__LIT("\n"));
        p->any = true; /* if nothing follows, it is layout */
        break;
    case HAFT__ACT_SUSPECT:
        haft__buf_add_str(&p->suspect, haft__str(mark->text));
        haft__parser_check(p, &p->suspect);
        break;
    case HAFT__ACT_STRAY:
        if (!p->reasoned) {
            haft__tell_content(p, haft__str(mark->text));
        }
        break;
    }
    return true;
}

static bool is_candidate(const haft__place *place)
{
    return place->scan == HAFT__SCAN_MAYBE || place->scan == HAFT__SCAN_KNOWN;
}

/* What is in doubt begins with the mark that led here, or goes on with it. */
static void begin_doubt(haft__parser *p, const haft__place *from, const haft__mark *mark)
{
    bool candidate = is_candidate(here(p));
    if (here(p)->bytes != HAFT__BYTES_DOUBT && !candidate) {
        return;
    }
    if (from->bytes != HAFT__BYTES_DOUBT || !(candidate || mark->more_doubt)) {
        haft__buf_clear(&p->doubt);
    }
    if (!mark->forget) {
        haft__buf_add_str(&p->doubt, haft__str(mark->text));
        haft__parser_check(p, &p->doubt);
    }
}

/* The mark is read again, with what was in doubt in front of it. */
static void reread(haft__parser *p, const haft__mark *mark)
{
    if (mark->keep_doubt) {
        haft__buf_add_str(&p->doubt, haft__str(mark->text));
        haft__parser_check(p, &p->doubt);
    } else if (!is_candidate(here(p))) {
        read_again(p, haft__str(mark->text));
        return;
    }
    haft__buf text = p->doubt;
    bool before = p->again;
    haft__buf_init(&p->doubt, HAFT__LIMIT_FORMAT_BYTES);
    p->again = false; /* a call may begin in the middle of it */
    p->offset -= text.len;
    haft__parser_read(p, haft__buf_str(&text));
    p->again = before;
    haft__buf_finish(&text);
}

static void act_on(haft__parser *p, const haft__place *from, const haft__mark *mark)
{
    if (mark->if_line && !haft__value_may_end(p)) {
        give_held(p, haft__str(mark->text));
    } else if (act(p, (haft__act)mark->act, mark)) {
        haft__parser_go(p, mark->to);
        begin_doubt(p, from, mark);
        if (mark->keep) {
            reread(p, mark);
        }
    }
}

/* ---- bytes that are no mark ---- */

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
static bool is_moving(const haft__place *place)
{
    return is_layout(place)
           || (place->bytes >= HAFT__BYTES_NAME && place->bytes <= HAFT__BYTES_KEY);
}

/* Bytes that have been used already. */
static void give_held(haft__parser *p, haft_str text)
{
    bool before = p->again;
    p->again = true;
    size_t used = give(p, text);
    if (used < text.len) {
        haft__parser_read(p, haft__str_skip(text, used));
    }
    p->again = before;
}

/* White space, and then something that belongs elsewhere. */
static size_t give_layout(haft__parser *p, const haft__place *place, haft_str text)
{
    size_t spaces = count_spaces(text);
    if (spaces > 0 && p->call.if_named) { /* a name would stand here */
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
        spoil(p, "it has text where only tags belong");
    } else {
        haft__parser_go(p, place->otherwise);
        if (here(p)->bytes == HAFT__BYTES_NAME
            && !p->call.open) { /* nothing but its name opens it */
            haft__forming_open(p, HAFT__LIT(""), true);
        }
    }
    if (doubt) {
        give_held(p, haft__buf_str(&p->doubt));
    }
    return spaces;
}

static void give_thought(haft__parser *p, haft_str text)
{
    if (p->suspect.len > 0) {
        haft__buf_add_str(&p->suspect, text);
        haft__parser_check(p, &p->suspect);
    } else {
        haft__tell_reasoning(p, text);
    }
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
    if (used < text.len) {
        spoil(p, key ? "a tag is in the name of a parameter" : "a tag is in its name or id");
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
static size_t give(haft__parser *p, haft_str text)
{
    const haft__place *place = here(p);
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
    haft__parser_use(p, text);
    switch ((haft__bytes)place->bytes) {
    case HAFT__BYTES_CONTENT: haft__tell_content(p, text); break;
    case HAFT__BYTES_REASONING: give_thought(p, text); break;
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
    case HAFT__BYTES_DOUBT:
    case HAFT__BYTES_NOTHING: break;
    }
    return text.len;
}

/* One byte, when a mark may be on its way. Returns whether the byte was used. */
static bool step(haft__parser *p, char byte)
{
    const haft__place *place = here(p);
    const haft__marks *marks = &p->marks[p->place];
    const haft__marks_node *before = &marks->nodes[p->held];
    uint16_t next = haft__marks_step(marks, p->held, byte);
    const haft__marks_node *after = &marks->nodes[next];
    if (is_moving(place) && after->depth <= before->depth && before->depth > 0) {
        p->held = 0;
        give_held(p, (haft_str){before->text, before->depth});
        return false;
    }
    size_t freed = before->depth + 1U - after->depth;
    p->held = next;
    if (freed > 0 && before->depth > 0) {
        give_held(p, (haft_str){before->text, freed < before->depth ? freed : before->depth});
    }
    if (freed > before->depth) {
        (void)give(p, (haft_str){&byte, 1});
        return true;
    }
    haft__parser_use(p, (haft_str){&byte, 1});
    if (after->mark != 0) {
        p->held = 0;
        if (p->wreck.live) {
            haft__wreck_end_at(p, &place->marks[after->mark - 1]);
        }
        act_on(p, place, &place->marks[after->mark - 1]);
    }
    return true;
}

static void pass(haft__parser *p, haft_str *io_bytes)
{
    const haft__marks *marks = &p->marks[p->place];
    size_t plain = 0;
    if (marks->nodes == NULL) {
        plain = io_bytes->len;
    } else if (p->held == 0) {
        bool moves = is_moving(here(p)); /* then little of it is likely to be taken */
        size_t most = moves && io_bytes->len > LOOK_AHEAD ? LOOK_AHEAD : io_bytes->len;
        plain = haft__marks_skip(marks, (haft_str){io_bytes->ptr, most});
    }
    if (plain > 0) {
        size_t used = give(p, (haft_str){io_bytes->ptr, plain});
        *io_bytes = haft__str_skip(*io_bytes, used);
    } else if (step(p, io_bytes->ptr[0])) {
        *io_bytes = haft__str_skip(*io_bytes, 1);
    }
}

/* The call has ended with its JSON. */
static void leave_wreck(haft__parser *p)
{
    uint8_t place = p->wreck.place;
    bool resumes = p->wreck.resumes, scans = p->format->places[place].scan != HAFT__SCAN_NONE;
    haft__wreck_end(p);
    if (resumes) {
        haft__parser_go(p, place);
        haft__scan_resume(p);
    } else {
        haft__parser_go(p, scans ? p->format->places[place].otherwise : p->format->plain);
    }
}

/* Bytes of a call that cannot be used; a mark counts only outside of strings. */
static void pass_wreck(haft__parser *p, haft_str *io_bytes)
{
    haft__wreck *w = &p->wreck;
    if (w->quote != '\0') {
        haft__wreck_string(p, io_bytes);
        return;
    }
    haft_str byte = {io_bytes->ptr, 1};
    haft__wreck_step did = haft__wreck_byte(p, w, byte.ptr[0]);
    if (did == HAFT__WRECK_BEFORE) {
        if (p->call.written == 0) { /* a comma, and no call behind it */
            haft__forming_keep(p, byte);
        }
        leave_wreck(p);
        return;
    }
    haft__wreck_keep(p, byte);
    (void)step(p, byte.ptr[0]); /* it takes every byte here */
    *io_bytes = haft__str_skip(*io_bytes, 1);
    if (did == HAFT__WRECK_BEHIND && w->live) {
        leave_wreck(p);
    }
}

static bool scan(haft__parser *p, haft__scan what, haft_str *io_bytes)
{
    return what >= HAFT__SCAN_PYTHON ? haft__scan_python(p, what, io_bytes)
                                     : haft__scan_json(p, what, io_bytes);
}

void haft__parser_read(haft__parser *p, haft_str bytes)
{
    p->reads += bytes.len;
    while (bytes.len > 0 && p->status == HAFT_OK) {
        const haft__place *place = here(p);
        if (p->wreck.live && p->wreck.json) {
            pass_wreck(p, &bytes);
        } else if (place->scan == HAFT__SCAN_NONE) {
            pass(p, &bytes);
        } else if (scan(p, (haft__scan)place->scan, &bytes)) {
            haft__parser_go(p, place->otherwise);
        }
    }
}

/* ---- the whole ---- */

haft_status haft__parser_create(const haft__format *format, const haft__parser_options *options,
                                haft__parser **ret_parser, haft_error *err)
{
    haft__parser *p = calloc(1, sizeof(*p));
    if (p == NULL) {
        return haft__fail_no_memory(err);
    }
    p->format = format;
    p->options = *options;
    haft__arena_init(&p->arena, 0);
    haft__tell_init(p);
    haft__forming_init(p);
    haft__mend_init(p);
    haft__wreck_init(p);
    haft__parser_go(p, options->start_in_reasoning ? format->reasoning : 0);
    if (p->status != HAFT_OK) {
        haft_status status = p->status;
        if (err != NULL) {
            *err = p->err;
        }
        haft__parser_destroy(p);
        return status;
    }
    *ret_parser = p;
    return HAFT_OK;
}

void haft__parser_destroy(haft__parser *p)
{
    if (p != NULL) {
        haft__scan_finish(p);
        haft__mend_finish(p);
        haft__wreck_finish(p);
        haft__forming_finish(p);
        haft__tell_finish(p);
        haft__arena_finish(&p->arena);
        free(p);
    }
}

static haft_status result(const haft__parser *p, haft_error *err)
{
    if (p->status != HAFT_OK && err != NULL) {
        *err = p->err;
    }
    return p->status;
}

haft_status haft__parser_feed(haft__parser *p, haft_str bytes, haft_error *err)
{
    if (bytes.len > HAFT__LIMIT_FORMAT_BYTES - p->offset) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d bytes of text, found more",
                          HAFT__LIMIT_FORMAT_BYTES);
    }
    haft__parser_read(p, bytes);
    return result(p, err);
}

/* Whether the beginning of a mark is of no use here: the text ends inside the tag of a call, or in
 * the one that closes it. */
static bool is_tag_of_call(const haft__parser *p)
{
    const haft__place *place = here(p);
    bool header = place->bytes >= HAFT__BYTES_NAME && place->bytes <= HAFT__BYTES_KEY;
    return place->bytes == HAFT__BYTES_GAP
           || (place->bytes == HAFT__BYTES_LAYOUT && (p->call.open || (p->any && p->place != 0)))
           || (header && !p->call.if_known && !p->call.if_named && place->otherwise == 0);
}

/* The beginning of a mark, and nothing behind it. It may be that of another in the next place. */
static void end_held(haft__parser *p)
{
    while (p->held > 0) {
        const haft__marks_node *node = &p->marks[p->place].nodes[p->held];
        p->held = 0;
        if (!is_tag_of_call(p)) {
            give_held(p, (haft_str){node->text, node->depth});
        }
    }
}

/* What was in doubt, and nothing behind it that could have decided. */
static void end_doubt(haft__parser *p, bool cut)
{
    const haft__place *place = here(p);
    bool over = !cut || place->at_end == HAFT__ACT_CODED; /* more text could be of the value */
    if (place->at_end != HAFT__ACT_NONE && over) {
        (void)act(p, (haft__act)place->at_end, NULL);
    } else if (place->bytes == HAFT__BYTES_DOUBT) {
        haft__parser_go(p, place->otherwise);
        give_held(p, haft__buf_str(&p->doubt));
    } else if (is_candidate(place)) {
        haft__scan_decide(p);
    }
}

haft_status haft__parser_end(haft__parser *p, bool cut, haft_error *err)
{
    haft__mend_end(p);
    end_held(p);
    if (p->suspect.len > 0 && cut) {
        haft__tell_thought(p); /* the end of the reasoning may have been cut off */
    } else if (p->suspect.len > 0) {
        release_suspect(p);
        haft__mend_end(p);
        end_held(p);
    }
    if (!cut && haft__wreck_retry(p)) {
        haft__mend_end(p);
        end_held(p);
    }
    if (!cut || here(p)->bytes == HAFT__BYTES_DOUBT || here(p)->scan != HAFT__SCAN_NONE) {
        end_doubt(p, cut);
    }
    if (p->wreck.live) {
        haft__wreck_end_text(p);
    } else if (p->call.open && p->call.if_known && !p->call.named) { /* it may have become one */
        haft__forming_disown(p);
    } else if (p->call.open && p->call.if_named && p->call.name.len == 0) {
        haft__forming_forget(p); /* a mark, and nothing behind it */
    }
    if (p->call.open && !haft__scan_complete(p)) {
        haft__forming_spoil(p, HAFT__FOUND_TRUNCATED, "the text ends inside it");
    }
    haft__tell_end(p);
    return result(p, err);
}
