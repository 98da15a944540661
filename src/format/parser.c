/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.c - goes through a format's places, byte by byte. What a mark does is in follow.c, what
 * becomes of other bytes in give.c.
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
    if (!p->again) {
        p->offset += bytes.len;
        haft__wreck_keep(p, bytes);
    }
    if (!p->again || p->call.late) {
        haft__forming_keep(p, bytes);
    }
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
    bool inside = p->format->places[place].bytes == HAFT__BYTES_REASONING;
    bool thought = haft__parser_here(p)->bytes == HAFT__BYTES_REASONING && place != p->place;
    if (thought && !(inside && p->supposed != NULL)) {
        place = p->supposed != NULL ? p->supposed_in : place; /* back to the text around it */
        haft__tell_thought(p);
    }
    p->place = place;
    haft__bytes bytes = (haft__bytes)haft__parser_here(p)->bytes;
    if (bytes == HAFT__BYTES_CONTENT || bytes == HAFT__BYTES_REASONING) {
        p->head.live = false; /* it was no call */
    }
    p->held = 0;
    p->tailed = false;
    p->tail = '\0';
    (void)haft__parser_marks(p, place);
}

/* ---- marks and other bytes ---- */

/* A mark, or what only looks like one where a value goes on. */
static void reach(haft__parser *p, const haft__place *from, const haft__mark *mark)
{
    if (mark->if_line && !haft__value_may_end(p)) {
        haft__give_again(p, haft__str(mark->text));
    } else {
        haft__parser_follow(p, from, mark);
    }
}

/* One byte, when a mark may be on its way. Returns whether the byte was used. */
static bool step(haft__parser *p, char byte)
{
    const haft__place *place = haft__parser_here(p);
    const haft__marks *marks = &p->marks[p->place];
    const haft__marks_node *before = &marks->nodes[p->held];
    uint16_t next = haft__marks_step(marks, p->held, byte);
    const haft__marks_node *after = &marks->nodes[next];
    if (haft__give_may_move(place) && after->depth <= before->depth && before->depth > 0) {
        p->held = 0;
        haft__give_again(p, (haft_str){before->text, before->depth});
        return false;
    }
    size_t freed = before->depth + 1U - after->depth;
    p->held = next;
    if (freed > 0 && before->depth > 0) {
        haft__give_again(p,
                         (haft_str){before->text, freed < before->depth ? freed : before->depth});
    }
    if (freed > before->depth) {
        (void)haft__give(p, (haft_str){&byte, 1});
        return true;
    }
    haft__parser_use(p, (haft_str){&byte, 1});
    if (after->mark != 0) {
        p->held = 0;
        const haft__mark *mark = &place->marks[after->mark - 1];
        if (p->wreck.live && haft__wreck_hides(p, mark)) {
            return true;
        }
        if (p->wreck.live && !mark->inside) {
            haft__wreck_end_at(p, mark);
        }
        reach(p, place, mark);
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
        bool moves =
            haft__give_may_move(haft__parser_here(p)); /* then little of it is likely to be taken */
        size_t most = moves && io_bytes->len > LOOK_AHEAD ? LOOK_AHEAD : io_bytes->len;
        plain = haft__marks_skip(marks, (haft_str){io_bytes->ptr, most});
    }
    if (plain > 0) {
        size_t used = haft__give(p, (haft_str){io_bytes->ptr, plain});
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
        uint8_t behind = p->format->behind != 0 ? p->format->behind : p->format->plain;
        haft__parser_go(p, scans ? p->format->places[place].otherwise : behind);
        p->tail = ','; /* it may have ended too early */
    }
}

/* Bytes of a call that cannot be used; a mark counts only outside of strings and tags. */
static void pass_wreck(haft__parser *p, haft_str *io_bytes)
{
    haft__wreck *w = &p->wreck;
    haft_str byte = {io_bytes->ptr, 1};
    haft__wreck_step did = haft__wreck_byte(p, w, byte.ptr[0]);
    if (did == HAFT__WRECK_BEFORE) {
        if (p->call.written == 0) { /* a comma, and no call behind it */
            haft__forming_keep(p, byte);
        }
        leave_wreck(p);
        return;
    }
    (void)step(p, byte.ptr[0]); /* it takes every byte here */
    *io_bytes = haft__str_skip(*io_bytes, 1);
    if (!w->live) {
        return;
    }
    if (did == HAFT__WRECK_BEHIND) {
        leave_wreck(p);
    } else if (p->place == p->format->spoilt && w->quote == '\0') {
        haft__wreck_tag_byte(&w->tag, byte.ptr[0], w->depth > 0);
    }
}

static bool scan(haft__parser *p, haft__scan what, haft_str *io_bytes)
{
    if (what == HAFT__SCAN_LAST) {
        return haft__mend_wait(p, io_bytes);
    }
    return what >= HAFT__SCAN_PYTHON ? haft__scan_python(p, what, io_bytes)
                                     : haft__scan_json(p, what, io_bytes);
}

void haft__parser_read(haft__parser *p, haft_str bytes)
{
    p->reads += bytes.len;
    while (bytes.len > 0 && p->status == HAFT_OK) {
        const haft__place *place = haft__parser_here(p);
        if (p->wreck.live && p->wreck.json && p->place == p->format->spoilt) {
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
    haft__ending_init(p);
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
        haft__ending_finish(p);
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
    if (bytes.len > HAFT__LIMIT_FORMAT_BYTES - p->offset - p->ending.text.len) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d bytes of text, found more",
                          HAFT__LIMIT_FORMAT_BYTES);
    }
    haft__ending_read(p, bytes);
    return result(p, err);
}

/* Reasoning that never ends: what looked like a call in it is one; if it began so, or behind text,
 * it was none. */
static void release_suspect(haft__parser *p)
{
    haft__buf text = p->suspect;
    haft__buf_init(&p->suspect, HAFT__LIMIT_FORMAT_BYTES);
    p->endless |= (uint32_t)1 << (p->supposed != NULL ? p->supposed->to : p->place);
    if (p->supposed != NULL) {
        p->supposed = NULL;
        haft__forming_unkeep(p, text.len); /* of a section that has begun */
        p->place = p->supposed_in;
        haft__parser_go(p, p->supposed_in);
    } else {
        haft__parser_go(p, p->reasoning.begun ? p->format->plain : 0);
    }
    p->offset -= text.len; /* it goes to the end of the text */
    haft__parser_read(p, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* Whether the first `length` bytes of a mark are of no use here: the text ends inside the tag of a
 * call, or in the one that closes it. Behind other text, one byte may be more of that. */
static bool is_tag_of_call(const haft__parser *p, size_t length)
{
    const haft__place *place = haft__parser_here(p);
    bool header = place->bytes >= HAFT__BYTES_NAME && place->bytes <= HAFT__BYTES_KEY;
    return place->bytes == HAFT__BYTES_GAP
           || (place->bytes == HAFT__BYTES_TAIL && (!p->tailed || length > 1))
           || (place->bytes == HAFT__BYTES_LAYOUT && (p->call.open || (p->any && p->place != 0)))
           || (header && !p->call.if_known && !p->call.if_named && place->otherwise == 0);
}

/* The beginning of a mark, and nothing behind it. It may be that of another in the next place. */
static void end_held(haft__parser *p)
{
    while (p->held > 0) {
        const haft__marks_node *node = &p->marks[p->place].nodes[p->held];
        p->held = 0;
        if (!is_tag_of_call(p, node->depth)) {
            haft__give_again(p, (haft_str){node->text, node->depth});
        }
    }
}

/* What was in doubt, and nothing behind it that could have decided. */
static void end_doubt(haft__parser *p, bool cut)
{
    const haft__place *place = haft__parser_here(p);
    bool over = !cut || place->at_end == HAFT__ACT_CODED; /* more text could be of the value */
    if (place->at_end != HAFT__ACT_NONE && over) {
        (void)haft__parser_act(p, (haft__act)place->at_end, NULL);
    } else if (place->bytes == HAFT__BYTES_DOUBT || place->last) {
        haft__parser_go(p, place->scan == HAFT__SCAN_NONE ? place->otherwise : p->format->plain);
        haft__give_again(p, haft__buf_str(&p->doubt));
    } else if (haft__parser_is_candidate(place)) {
        haft__scan_decide(p);
    }
}

/* What counts only at the end of the text, and is there. */
static void read_last(haft__parser *p)
{
    haft__buf text = p->doubt;
    haft__buf_init(&p->doubt, HAFT__LIMIT_FORMAT_BYTES);
    p->last_read = true;
    haft__parser_go(p, 0);
    p->offset -= text.len;
    haft__parser_read(p, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* What waited for more than has come. In a text that was cut, what stands last may not be that. */
static void settle(haft__parser *p, bool cut)
{
    haft__mend_end(p);
    end_held(p);
    if (haft__parser_here(p)->last && !cut) {
        read_last(p);
        haft__mend_end(p);
        end_held(p);
    }
}

/* Once for each tag that begins reasoning behind text, and once for any other: a text has as many
 * of those as it likes. */
static void end_suspects(haft__parser *p, bool cut)
{
    bool once = false;
    while (p->suspect.len > 0 && !cut && (p->supposed != NULL || !once)) {
        once = once || p->supposed == NULL;
        release_suspect(p);
        settle(p, cut);
    }
    if (p->suspect.len > 0) {
        haft__tell_thought(p); /* the end of the reasoning may have been cut off */
    }
}

bool haft__parser_is_thinking(const haft__parser *p)
{
    return haft__parser_here(p)->bytes == HAFT__BYTES_REASONING;
}

haft_status haft__parser_end(haft__parser *p, bool cut, haft_error *err)
{
    haft__ending_end(p);
    settle(p, cut);
    end_suspects(p, cut);
    if (!cut && haft__wreck_retry(p)) {
        settle(p, cut);
    }
    if (!cut || haft__parser_here(p)->bytes == HAFT__BYTES_DOUBT
        || haft__parser_here(p)->scan != HAFT__SCAN_NONE) {
        end_doubt(p, cut);
    }
    if (p->wreck.live) {
        haft__wreck_end_text(p);
    } else if ((p->call.open && p->call.if_known && !p->call.named) || haft__give_is_doubtful(p)) {
        haft__forming_disown(p); /* it may have become one */
    } else if (p->call.open && p->call.if_named && p->call.name.len == 0) {
        haft__forming_forget(p); /* a mark, and nothing behind it */
    }
    if (p->call.open && !haft__scan_complete(p)) {
        haft__forming_spoil(p, HAFT__FOUND_TRUNCATED, "the text ends inside it");
    }
    haft__tell_end(p);
    return result(p, err);
}
