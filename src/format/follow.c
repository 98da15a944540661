/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - what a mark does, and where it leads.
 *
 * Tests: tests/format/parser_test.c, tests/format/cases_test.c. Fuzzer: fuzz/format.c.
 */
#include "base/limits.h"
#include "format/parser.h"

void haft__parser_spoil(haft__parser *p, const char *why)
{
    if (p->format->places[p->format->spoilt].bytes == HAFT__BYTES_NOTHING) {
        haft__wreck how = p->wreck; /* what has come of its name or id */
        how.json = true;
        how.place = p->place;
        haft__wreck_begin(p, why, &how);
    } else {
        haft__forming_spoil(p, HAFT__FOUND_MALFORMED, why);
        haft__parser_go(p, p->format->spoilt);
    }
}

/* The same, where a value is to come. */
static void spoil_key(haft__parser *p, const char *why)
{
    haft__parser_spoil(p, why);
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
    if (why != NULL && p->call.astray) { /* whether it is a call at all is seen later */
        return true;
    }
    if (why != NULL
        && haft__parser_here(p)->otherwise != 0) { /* the mark stands in the middle of code */
        uint8_t code = haft__parser_here(p)->otherwise;
        haft__forming_code(p);
        haft__forming_add_code(p, haft__str(mark->text));
        haft__parser_go(p, code);
    } else if (why != NULL) {
        haft__parser_spoil(p, why);
    }
    return why == NULL;
}

/* Whether its arguments can be read: they go to a tool. A tool's name alone is mended. */
static bool send(haft__parser *p)
{
    haft__forming *call = &p->call;
    if (call->astray && (!p->options.repair || call->tool == NULL)) {
        haft__parser_spoil(p, "its recipient is not functions.NAME");
        return false;
    }
    call->mended = call->mended || call->astray;
    call->astray = false;
    return true;
}

/* Code is kept like a call, so that a block that is cut can be told as one. */
static void open_code(haft__parser *p, haft_str mark)
{
    haft__buf *opener = &p->doubt; /* the fence; a tag stands alone */
    bool fenced = haft__parser_here(p)->bytes == HAFT__BYTES_DOUBT;
    p->coding = true;
    haft__forming_open(p, fenced ? haft__buf_str(opener) : mark, false);
    if (fenced) {
        haft__forming_keep(p, mark);
        p->call.offset -= mark.len;
    }
}

/* What may be a call, and all that follows it. */
static void suspect(haft__parser *p, haft_str mark)
{
    haft__buf_add_str(&p->suspect, mark);
    haft__parser_check(p, &p->suspect);
}

/* Reasoning behind text. False when it is known that it would never end. */
static bool suppose(haft__parser *p, const haft__mark *mark)
{
    if ((p->endless >> mark->to & 1) != 0) {
        haft__give_again(p, haft__str(mark->text));
        return false;
    }
    p->supposed = mark;
    p->supposed_in = p->place;
    suspect(p, haft__str(mark->text));
    return true;
}

bool haft__parser_act(haft__parser *p, haft__act what, const haft__mark *mark)
{
    switch (what) {
    case HAFT__ACT_NONE: break;
    case HAFT__ACT_OPEN:
        haft__forming_open(p, haft__str(mark->keep ? "" : mark->text), mark->if_known);
        p->call.if_named = mark->if_named;
        break;
    case HAFT__ACT_ADDRESS:
        haft__forming_open(p, haft__str(mark->text), false);
        p->call.astray = true;
        break;
    case HAFT__ACT_REACH: p->call.astray = false; break;
    case HAFT__ACT_ASTRAY: haft__forming_astray(p); break;
    case HAFT__ACT_SEND: return send(p);
    case HAFT__ACT_NAMED: return take_name(p, mark);
    case HAFT__ACT_IDENTIFIED: haft__forming_identified(p); return take_name(p, mark);
    case HAFT__ACT_NINE:
        if (!haft__forming_is_nine(p)) {
            haft__parser_spoil(p, "its id is not 9 letters and digits");
            return false;
        }
        break;
    case HAFT__ACT_KEYED:
    case HAFT__ACT_KEYED_TEXT:
    case HAFT__ACT_KEYED_JSON:
        if (!haft__value_begin(p, what)) {
            spoil_key(p, "the name of a parameter cannot be one");
            return false;
        }
        break;
    case HAFT__ACT_KEYED_BADLY:
        spoil_key(p, "a parameter does not say string=\"true\" or string=\"false\"");
        return false;
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
        haft__forming_unkeep(p, mark != NULL && mark->head ? strlen(mark->text) : 0);
        haft__forming_spoil(p, HAFT__FOUND_MALFORMED, "it ends before its arguments");
        break;
    case HAFT__ACT_LOSE:
        haft__wreck_begin(p,
                          "an argument has the opening tag of another in it: where it ends is not "
                          "known, and nothing from there on is run",
                          &(haft__wreck){.place = p->place});
        break;
    case HAFT__ACT_BREAK:
        haft__tell_layout(p, HAFT__LIT("\n"));
        p->any = true; /* if nothing follows, it is layout */
        break;
    case HAFT__ACT_SUPPOSE: return suppose(p, mark);
    case HAFT__ACT_REOPEN:
        if (p->reasoning.begun || p->suspect.len > 0) {
            haft__tell_reasoning(p, haft__str(mark->text));
        }
        break;
    case HAFT__ACT_SUSPECT_FIRST:
        if (p->reasoning.begun) {
            haft__tell_reasoning(p, haft__str(mark->text));
        } else {
            suspect(p, haft__str(mark->text));
        }
        break;
    case HAFT__ACT_SUSPECT: suspect(p, haft__str(mark->text)); break;
    case HAFT__ACT_STRAY:
        if (!p->reasoned) {
            haft__tell_content(p, haft__str(mark->text));
        }
        break;
    }
    return true;
}

bool haft__parser_is_candidate(const haft__place *place)
{
    return place->scan == HAFT__SCAN_MAYBE;
}

/* What is in doubt begins with the mark that led here, or goes on with it. */
static void begin_doubt(haft__parser *p, const haft__place *from, const haft__mark *mark)
{
    bool candidate = haft__parser_is_candidate(haft__parser_here(p));
    if (haft__parser_here(p)->bytes != HAFT__BYTES_DOUBT && !candidate) {
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
    } else if (!haft__parser_is_candidate(haft__parser_here(p))) {
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

void haft__parser_follow(haft__parser *p, const haft__place *from, const haft__mark *mark)
{
    if (haft__parser_act(p, (haft__act)mark->act, mark)) {
        haft__parser_go(p, mark->to);
        begin_doubt(p, from, mark);
        if (mark->head) {
            haft__forming_head(p, haft__str(mark->text));
        }
        if (mark->keep) {
            reread(p, mark);
        }
    } else if (mark->keep && p->wreck.live) { /* a bracket that the rest of the call may close */
        read_again(p, haft__str(mark->text));
    }
}
