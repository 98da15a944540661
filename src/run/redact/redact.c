/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.c - finds all encodings of all secrets in one pass (Aho-Corasick), and replaces them.
 *
 * The search follows the trie of encodings byte by byte. If a node has no edge for a byte, the
 * search continues at the longest suffix of the input that is a prefix in the trie (`fail`). The
 * edges are in a hash table, so that the cost of a step does not depend on the number of secrets
 * with a common prefix. At the root, a filter of the first bytes of all encodings skips nearly
 * every position.
 *
 * Tests: tests/run/redact/redact_test.c. Fuzzer: fuzz/redact.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/redact/redact_int.h"

#define MIN        HAFT__LIMIT_REDACT_MIN_BYTES
#define START_BITS 16
#define ROOT       0U
#define FIRST_SIZE 256U

#define TOKEN_CHARS 16 /* length of the token after "Bearer " */

typedef struct haft__redact_node {
    uint32_t parent, fail;
    uint32_t depth;
    uint32_t out; /* length of the longest encoding that ends here; 0 if none */
    uint8_t byte; /* label of the edge from the parent */
    bool end;     /* an encoding ends in this node itself, not only in a node on its `fail` path */
} node;

_Static_assert(MIN == sizeof(uint64_t), "the set of starts covers eight bytes");

void haft__redactor_init(haft__redactor *redactor, haft__arena *arena)
{
    *redactor = (haft__redactor){.arena = arena, .sealed = true};
}

/* ---- the trie ---- */

static size_t slot_of(const haft__redactor *r, uint32_t from, uint8_t byte)
{
    uint64_t key = ((uint64_t)from << 8) | byte;
    return (size_t)((key * 0x9E3779B97F4A7C15U) >> 20) & (r->slot_count - 1);
}

/* The child for `byte`, or ROOT if it does not exist: no edge leads to the root. */
static uint32_t child_of(const haft__redactor *r, uint32_t from, uint8_t byte)
{
    for (size_t at = slot_of(r, from, byte);; at = (at + 1) & (r->slot_count - 1)) {
        uint32_t child = r->slots[at];
        if (child == ROOT || (r->nodes[child].parent == from && r->nodes[child].byte == byte)) {
            return child;
        }
    }
}

static void put_child(haft__redactor *r, uint32_t child)
{
    size_t at = slot_of(r, r->nodes[child].parent, r->nodes[child].byte);
    while (r->slots[at] != ROOT) {
        at = (at + 1) & (r->slot_count - 1);
    }
    r->slots[at] = child;
}

/* Reserves memory for one more node; the table stays at most half full. */
static haft_status grow_nodes(haft__redactor *r, haft_error *err)
{
    if (r->node_count < r->node_capacity) {
        return HAFT_OK;
    }
    size_t capacity = r->node_capacity > 0 ? 2 * r->node_capacity : FIRST_SIZE;
    node *nodes = haft__arena_array(r->arena, capacity, sizeof(*nodes));
    uint32_t *slots = haft__arena_array(r->arena, 2 * capacity, sizeof(*slots));
    if (nodes == NULL || slots == NULL) {
        return haft__arena_fail(r->arena, err);
    }
    if (r->node_count > 0) {
        memcpy(nodes, r->nodes, r->node_count * sizeof(*nodes));
    }
    r->nodes = nodes;
    r->slots = slots;
    r->node_capacity = capacity;
    r->slot_count = 2 * capacity;
    for (size_t i = 1; i < r->node_count; i++) {
        put_child(r, (uint32_t)i);
    }
    r->node_count = r->node_count > 0 ? r->node_count : 1;
    return HAFT_OK;
}

static haft_status add_node(haft__redactor *r, uint32_t parent, uint8_t byte, uint32_t *ret_node,
                            haft_error *err)
{
    if (r->node_count > HAFT__LIMIT_REDACT_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "",
                          "expected at most %d bytes of secrets in all encodings, found more",
                          HAFT__LIMIT_REDACT_BYTES);
    }
    haft_status status = grow_nodes(r, err);
    if (status != HAFT_OK) {
        return status;
    }
    uint32_t child = (uint32_t)r->node_count++;
    r->nodes[child] = (node){.parent = parent, .byte = byte, .depth = r->nodes[parent].depth + 1};
    put_child(r, child);
    *ret_node = child;
    return HAFT_OK;
}

/* ---- the filter of first bytes ---- */

static size_t start_bit(const char *bytes)
{
    uint64_t first;
    memcpy(&first, bytes, sizeof(first));
    return (size_t)((first * 0x9E3779B97F4A7C15U) >> (64 - START_BITS));
}

static bool may_start(const haft__redactor *r, const char *bytes)
{
    size_t start = start_bit(bytes);
    return ((r->prefix_filter[start / 64] >> (start % 64)) & 1) != 0;
}

haft_status haft__redactor_add_encoding(haft__redactor *redactor, haft_str encoding,
                                        haft_error *err)
{
    uint32_t at = ROOT;
    haft_status status = grow_nodes(redactor, err);
    if (encoding.len < MIN || status != HAFT_OK) {
        return status;
    }
    for (size_t i = 0; i < encoding.len; i++) {
        uint8_t byte = (uint8_t)encoding.ptr[i];
        uint32_t next = child_of(redactor, at, byte);
        if (next == ROOT) {
            status = add_node(redactor, at, byte, &next, err);
        }
        if (status != HAFT_OK) {
            return status;
        }
        at = next;
    }
    redactor->nodes[at].end = true;
    redactor->max_length =
        encoding.len > redactor->max_length ? encoding.len : redactor->max_length;
    size_t start = start_bit(encoding.ptr);
    redactor->prefix_filter[start / 64] |= (uint64_t)1 << (start % 64);
    return HAFT_OK;
}

/* ---- adding ---- */

static bool is_known(const haft__redactor *r, haft_str secret)
{
    uint32_t at = ROOT;
    for (size_t i = 0; i < secret.len && r->node_count > 0; i++) {
        at = child_of(r, at, (uint8_t)secret.ptr[i]);
        if (at == ROOT) {
            return false;
        }
    }
    return r->node_count > 0 && r->nodes[at].end;
}

static haft_status check_size(const haft__redactor *r, haft_str secret, haft_error *err)
{
    if (secret.len > HAFT__LIMIT_REDACT_SECRET_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d bytes in a secret, found %zu",
                          HAFT__LIMIT_REDACT_SECRET_BYTES, secret.len);
    }
    if (r->secret_count == HAFT__LIMIT_REDACT_SECRETS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d secrets, found more",
                          HAFT__LIMIT_REDACT_SECRETS);
    }
    return HAFT_OK;
}

haft_status haft__redactor_add(haft__redactor *redactor, haft_str secret, bool *ret_added,
                               haft_error *err)
{
    secret = haft__str_trim(secret);
    bool known = secret.len >= MIN && is_known(redactor, secret);
    if (secret.len < MIN || known) {
        *ret_added = known;
        return HAFT_OK;
    }
    haft_status status = check_size(redactor, secret, err);
    if (status == HAFT_OK && redactor->prefix_filter == NULL) {
        redactor->prefix_filter =
            haft__arena_array(redactor->arena, ((size_t)1 << START_BITS) / 64, sizeof(uint64_t));
        status = redactor->prefix_filter != NULL ? HAFT_OK : haft__arena_fail(redactor->arena, err);
    }
    if (status == HAFT_OK) {
        redactor->sealed = false;
        status = haft__redactor_add_encodings(redactor, secret, err);
    }
    if (status == HAFT_OK) {
        redactor->secret_count++;
        *ret_added = true;
    }
    return status;
}

/* ---- sealing ---- */

/* The next node if `from` has no edge for `byte`. */
static uint32_t next_node(const haft__redactor *r, uint32_t from, uint8_t byte)
{
    uint32_t next;
    while ((next = child_of(r, from, byte)) == ROOT && from != ROOT) {
        from = r->nodes[from].fail;
    }
    return next;
}

static void link_node(haft__redactor *r, uint32_t at)
{
    node *n = &r->nodes[at];
    n->fail = n->parent == ROOT ? ROOT : next_node(r, r->nodes[n->parent].fail, n->byte);
    n->out = n->end ? n->depth : r->nodes[n->fail].out;
}

/* Returns all nodes except the root, in the order of their depth. */
static uint32_t *sort_by_depth(const haft__redactor *r)
{
    size_t deepest = 0;
    for (size_t i = 0; i < r->node_count; i++) {
        deepest = r->nodes[i].depth > deepest ? r->nodes[i].depth : deepest;
    }
    uint32_t *order = haft__arena_array(r->arena, r->node_count, sizeof(*order));
    uint32_t *places = haft__arena_array(r->arena, deepest + 2, sizeof(*places));
    if (order == NULL || places == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < r->node_count; i++) {
        places[r->nodes[i].depth + 1]++;
    }
    for (size_t depth = 1; depth <= deepest; depth++) {
        places[depth] += places[depth - 1];
    }
    for (size_t i = 0; i < r->node_count; i++) {
        order[places[r->nodes[i].depth]++] = (uint32_t)i;
    }
    return order;
}

haft_status haft__redactor_seal(haft__redactor *redactor, haft_error *err)
{
    if (redactor->sealed) {
        return HAFT_OK;
    }
    haft__arena_mark mark = haft__arena_save(redactor->arena);
    uint32_t *order = sort_by_depth(redactor);
    for (size_t i = 1; order != NULL && i < redactor->node_count; i++) {
        link_node(redactor, order[i]);
    }
    haft_status status = order != NULL ? HAFT_OK : haft__arena_fail(redactor->arena, err);
    haft__arena_restore(redactor->arena, mark);
    redactor->sealed = status == HAFT_OK;
    return status;
}

/* ---- finding ---- */

/* The state of the search for tokens after "Bearer ". */
typedef struct bearer {
    size_t at; /* scanned up to this offset */
    size_t from, to;
    bool found;
} bearer;

static bool is_bearer(haft_str text, size_t space)
{
    static const char word[] = "bearer";
    size_t length = sizeof(word) - 1;
    bool same = space >= length;
    for (size_t i = 0; same && i < length; i++) {
        same = (text.ptr[space - length + i] | 0x20) == word[i];
    }
    return same;
}

static bool is_token_char(char c)
{
    bool letter = haft__ascii_is_letter(c);
    return letter || haft__ascii_is_digit(c) || (c != '\0' && strchr("-._~+/=", c) != NULL);
}

/* The length of the token at `at`; 0 if it is more likely a word. */
static size_t token_length(haft_str text, size_t at)
{
    size_t length = 0;
    bool digit = false;
    for (; at + length < text.len; length++) {
        char c = text.ptr[at + length];
        bool slash = c == '\\' && at + length + 1 < text.len && text.ptr[at + length + 1] == '/';
        if (!slash && !is_token_char(c)) {
            break;
        }
        digit = digit || haft__ascii_is_digit(c);
    }
    return length >= TOKEN_CHARS && digit ? length : 0;
}

static void find_bearer(bearer *b, haft_str text)
{
    b->found = false;
    while (b->at < text.len && !b->found) {
        const char *space = memchr(text.ptr + b->at, ' ', text.len - b->at);
        size_t at = space != NULL ? (size_t)(space - text.ptr) : text.len;
        size_t length = space != NULL && is_bearer(text, at) ? token_length(text, at + 1) : 0;
        b->at = at + 1 + length;
        b->found = length > 0;
        b->from = at + 1;
        b->to = at + 1 + length;
    }
}

/* Adds a part so that the parts stay sorted and disjoint. The new part may begin before earlier
 * parts, but never ends before them. */
static void add_part(haft__buf *parts, size_t from, size_t to)
{
    size_t count;
    haft__redact_span *all = haft__redact_spans(parts, &count);
    while (count > 0 && all[count - 1].to >= from) {
        count--;
        from = all[count].from < from ? all[count].from : from;
        to = all[count].to > to ? all[count].to : to;
    }
    parts->len = count * sizeof(*all);
    haft__redact_span part = {.from = from, .to = to};
    haft__buf_add(parts, (const char *)&part, sizeof(part));
}

static bool is_continuation(haft_str text, size_t at)
{
    return at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80;
}

/* Widens the part to whole characters: adds UTF-8 continuation bytes. */
static void add_found(haft__buf *parts, haft_str text, size_t from, size_t to)
{
    for (int i = 1; i < HAFT__UTF8_MAX_BYTES; i++) {
        from -= from > 0 && is_continuation(text, from) ? 1 : 0;
        to += is_continuation(text, to) ? 1 : 0;
    }
    add_part(parts, from, to);
}

static void find_all(const haft__redactor *r, haft_str text, haft__buf *parts)
{
    bearer b = {.at = 0};
    uint32_t state = ROOT;
    size_t at = 0;
    find_bearer(&b, text);
    while (r->secret_count > 0 && at < text.len) {
        if (state == ROOT) {
            while (at + MIN <= text.len && !may_start(r, text.ptr + at)) {
                at++;
            }
            if (at + MIN > text.len) {
                break;
            }
        }
        state = next_node(r, state, (uint8_t)text.ptr[at++]);
        if (r->nodes[state].out > 0) {
            for (; b.found && b.from <= at; find_bearer(&b, text)) {
                add_part(parts, b.from, b.to);
            }
            add_found(parts, text, at - r->nodes[state].out, at);
        }
    }
    for (; b.found; find_bearer(&b, text)) {
        add_part(parts, b.from, b.to);
    }
}

/* ---- replacing ---- */

static void replace(haft_str text, const haft__buf *parts, haft__buf *out)
{
    size_t count, done = 0;
    const haft__redact_span *all = haft__redact_spans(parts, &count);
    for (size_t i = 0; i < count; i++) {
        size_t from = all[i].from > done ? all[i].from : done;
        haft__buf_add(out, text.ptr + done, from - done);
        haft__buf_add_str(out, all[i].quoted ? HAFT__LIT("\"" HAFT__REDACTED "\"")
                                             : HAFT__LIT(HAFT__REDACTED));
        done = all[i].to > done ? all[i].to : done;
    }
    haft__buf_add(out, text.ptr + done, text.len - done);
}

/* Appends the text with the spans of `found` replaced. */
static void replace_found(haft_str text, const haft__buf *found, haft__buf *out)
{
    haft__buf parts;
    haft__buf_init(&parts, SIZE_MAX / 2);
    if (found->len == 0 && found->status == HAFT_OK) {
        haft__buf_add_str(out, text);
    } else if (found->status == HAFT_OK && haft__redact_fit_json(text, found, &parts)) {
        replace(text, &parts, out);
    } else if (found->status == HAFT_OK && parts.status == HAFT_OK) {
        replace(text, found, out);
    }
    haft_status status = found->status != HAFT_OK ? found->status : parts.status;
    if (status != HAFT_OK) {
        haft__buf_fail(out, status, "out of memory");
    }
    haft__buf_finish(&parts);
}

bool haft__redact(const haft__redactor *redactor, haft_str text, haft__buf *out)
{
    return haft__redact_cut(redactor, text, (haft__lost){false, false}, out);
}

/* ---- an incomplete text ---- */

/* The length of the longest suffix of the text that is a prefix of an encoding. */
static size_t partial_encoding_length(const haft__redactor *r, haft_str text)
{
    uint32_t state = ROOT;
    for (size_t at = 0; r->secret_count > 0 && at < text.len; at++) {
        state = next_node(r, state, (uint8_t)text.ptr[at]);
    }
    return r->secret_count > 0 ? r->nodes[state].depth : 0;
}

/* The length of the longest suffix of the text that may be the beginning of "Bearer " and a
 * token. */
static size_t partial_bearer_length(haft_str text)
{
    static const char word[] = "bearer";
    size_t token = text.len;
    while (token > 0 && (is_token_char(text.ptr[token - 1]) || text.ptr[token - 1] == '\\')) {
        token--;
    }
    if (token > 0 && text.ptr[token - 1] == ' ' && is_bearer(text, token - 1)) {
        return text.len - (token - sizeof(word));
    }
    size_t max_length = text.len < sizeof(word) - 1 ? text.len : sizeof(word) - 1;
    for (size_t length = max_length; length > 0; length--) {
        size_t same = 0;
        while (same < length && (text.ptr[text.len - length + same] | 0x20) == word[same]) {
            same++;
        }
        if (same == length) {
            return length;
        }
    }
    return 0;
}

size_t haft__redact_safe_length(const haft__redactor *redactor, haft_str text)
{
    size_t spelling = partial_encoding_length(redactor, text), token = partial_bearer_length(text),
           count;
    size_t safe_length = text.len - (spelling > token ? spelling : token);
    haft__buf found;
    haft__buf_init(&found, SIZE_MAX / 2);
    find_all(redactor, text, &found);
    const haft__redact_span *all = haft__redact_spans(&found, &count);
    for (size_t i = count; i-- > 0;) { /* the safe prefix must not end inside a match */
        safe_length =
            all[i].from < safe_length && safe_length < all[i].to ? all[i].from : safe_length;
    }
    safe_length =
        found.status == HAFT_OK && redactor->sealed ? haft__utf8_floor(text, safe_length) : 0;
    haft__buf_finish(&found);
    return safe_length;
}

/* ---- a text that was cut before ---- */

/* Whether the encoding that ends at node `at` ends with the first `length` bytes of the text. */
static bool ends_with_prefix(const haft__redactor *r, uint32_t at, haft_str text, size_t length)
{
    while (length > 0 && r->nodes[at].byte == (uint8_t)text.ptr[length - 1]) {
        at = r->nodes[at].parent;
        length--;
    }
    return length == 0;
}

/* The length of the longest prefix of the text that is a suffix of an encoding. */
static size_t encoding_rest_length(const haft__redactor *r, haft_str text)
{
    size_t longest = 0;
    for (uint32_t i = 1; r->secret_count > 0 && i < r->node_count; i++) {
        size_t length = r->nodes[i].end ? r->nodes[i].depth - 1 : 0;
        length = length < text.len ? length : text.len;
        while (length > longest && !ends_with_prefix(r, i, text, length)) {
            length--;
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The length of the rest of a token at the start of the text. Any long word may be a token, because
 * "Bearer " may be lost. */
static size_t token_rest_length(haft_str text)
{
    size_t length = 0;
    while (length < text.len && (is_token_char(text.ptr[length]) || text.ptr[length] == '\\')) {
        length++;
    }
    return length >= MIN ? length : 0;
}

/* Adds the span [0, to), in front of the other spans. */
static void add_first(haft__buf *found, size_t to)
{
    size_t count;
    haft__redact_span *all = haft__redact_spans(found, &count);
    size_t merged = 0;
    for (; merged < count && all[merged].from <= to; merged++) {
        to = all[merged].to > to ? all[merged].to : to;
    }
    haft__buf joined;
    haft__buf_init(&joined, SIZE_MAX / 2);
    haft__redact_span first = {.from = 0, .to = to};
    haft__buf_add(&joined, (const char *)&first, sizeof(first));
    haft__buf_add(&joined, (const char *)(all + merged), (count - merged) * sizeof(*all));
    haft__buf_finish(found);
    *found = joined;
}

bool haft__redact_cut(const haft__redactor *redactor, haft_str text, haft__lost lost,
                      haft__buf *out)
{
    haft__buf found;
    if (!redactor->sealed) { /* a bug of the caller: fail, because secrets would not be redacted */
        haft__buf_fail(out, HAFT_BAD_STATE, "the redactor was not sealed");
        return true;
    }
    haft__buf_init(&found, SIZE_MAX / 2);
    find_all(redactor, text, &found);
    if (lost.after && found.status == HAFT_OK) {
        size_t safe = haft__redact_safe_length(redactor, text);
        if (safe < text.len) {
            add_part(&found, safe, text.len);
        }
    }
    if (lost.before && found.status == HAFT_OK) {
        size_t spelling = encoding_rest_length(redactor, text), token = token_rest_length(text);
        size_t to = spelling > token ? spelling : token;
        if (to > 0) {
            add_first(&found, to);
        }
    }
    bool any = found.len > 0 || found.status != HAFT_OK;
    replace_found(text, &found, out);
    haft__buf_finish(&found);
    return any;
}

static bool clean(const void *context, haft_str text, haft__lost lost, haft__buf *out)
{
    return haft__redact_cut(context, text, lost, out);
}

haft__cleaner haft__redactor_cleaner(const haft__redactor *redactor)
{
    return (haft__cleaner){.clean = redactor != NULL ? clean : NULL, .context = redactor};
}
