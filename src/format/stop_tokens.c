/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop_tokens.c - stop tokens that a server leaves in the text.
 *
 * At the end of a text, a stop token is not part of the text, in any format and any state: in an
 * answer, after a call, inside code. So stop tokens are detected first, and are withheld until it
 * is known whether more text follows. If more text follows, they are ordinary text, because a model
 * may write about them. Tests: tests/format/stop_tokens_test.c. Fuzzer: fuzz/format.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "format/parser.h"
#include "format/render.h"
#include "format/special_tokens.h"

#define X(token) token,
static const char *const tokens[] = {HAFT__STOP_TOKENS(X)};
#undef X

#define ALL ((UINT32_C(1) << COUNT(tokens)) - 1)
_Static_assert(COUNT(tokens) < 32, "each token has its bit in `fits`");

/* The first byte of every token. It occurs nowhere else in a token, so after a mismatch only this
 * byte can begin another token. */
#define FIRST_BYTE '<'

void haft__stop_tokens_init(haft__parser *p)
{
    haft__buf_init(&p->stop_tokens.text, HAFT__LIMIT_FORMAT_BYTES);
}

void haft__stop_tokens_finish(haft__parser *p)
{
    haft__buf_finish(&p->stop_tokens.text);
}

/* The subset of tokens that continue with this byte. `matched` is less than the length of each:
 * follow() leaves no complete token in `fits`. */
static uint32_t narrow(uint32_t fits, size_t matched, char c)
{
    uint32_t found = 0;
    for (; fits != 0; fits &= fits - 1) {
        uint32_t lowest = fits & (0 - fits);
        found |= tokens[__builtin_ctz(fits)][matched] == c ? lowest : 0;
    }
    return found;
}

/* The token that is complete, or NULL. */
static const char *complete(const haft__stop_tokens *stop)
{
    bool one = stop->matched > 0
               && (stop->fits & (stop->fits - 1)) == 0; /* no token is the start of another */
    const char *token = one ? tokens[__builtin_ctz(stop->fits)] : NULL;
    return one && token[stop->matched] == '\0' ? token : NULL;
}

static void follow(haft__parser *p, char c)
{
    haft__stop_tokens *stop = &p->stop_tokens;
    size_t before = stop->matched;
    stop->fits = before > 0 ? narrow(stop->fits, before, c) : 0;
    stop->matched = stop->fits != 0 ? before + 1 : 0;
    if (stop->matched == 0 && c == FIRST_BYTE) {
        stop->fits = ALL;
        stop->matched = 1;
    }
    bool more = stop->matched == before + 1 || (before == 0 && haft__ascii_is_space(c));
    stop->since = stop->since > 0 && more ? stop->since + 1 : 0;
    const char *token = complete(stop);
    if (token != NULL) { /* a mark of the format is not a stop token: the parser reads it now */
        bool mark = haft__format_has_mark(p->format, token);
        size_t since = stop->since > 0 ? stop->since : stop->matched;
        stop->since = mark ? 0 : since;
        stop->matched = 0;
    }
}

/* The number of bytes at the start of `bytes` that cannot begin a token. */
static size_t skip(haft_str bytes)
{
    const char *at = memchr(bytes.ptr, FIRST_BYTE, bytes.len);
    return at != NULL ? (size_t)(at - bytes.ptr) : bytes.len;
}

/* Returns how many of the last bytes may be the end of the text. */
static size_t follow_all(haft__parser *p, haft_str bytes)
{
    const haft__stop_tokens *stop = &p->stop_tokens;
    while (bytes.len > 0) {
        bool idle = stop->matched == 0 && stop->since == 0;
        bytes = haft__str_skip(bytes, idle ? skip(bytes) : 0);
        if (bytes.len > 0) {
            follow(p, bytes.ptr[0]);
            bytes = haft__str_skip(bytes, 1);
        }
    }
    return stop->since > 0 ? stop->since : stop->matched;
}

void haft__stop_tokens_read(haft__parser *p, haft_str bytes)
{
    haft__stop_tokens *stop = &p->stop_tokens;
    size_t waits = follow_all(p, bytes);
    size_t ready = stop->text.len + bytes.len - waits;
    size_t old = ready < stop->text.len ? ready : stop->text.len;
    haft__parser_read(p, (haft_str){stop->text.ptr, old});
    haft__parser_remove_prefix(&stop->text, old);
    haft__parser_read(p, (haft_str){bytes.ptr, ready - old});
    haft__buf_add_str(&stop->text, haft__str_skip(bytes, ready - old));
    haft__parser_check(p, &stop->text);
}

void haft__stop_tokens_end(haft__parser *p)
{
    haft__stop_tokens *stop = &p->stop_tokens;
    bool ended = stop->since > 0 && stop->matched == 0;
    haft__parser_read(p, ended ? HAFT__LIT("") : haft__buf_str(&stop->text));
    haft__buf_clear(&stop->text);
}
