/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c - decides whether a word of the task is in a line or in a path.
 *
 * Tests: tests/model/rules/words_test.c.
 */
#include "base/ascii.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* Only the start of a long line is read. */
#define LINE_BYTES    2000U
#define SHORTEST_NAME 3U

/* Whether a word, or a part of an identifier, starts at `at`. */
static bool begins(haft_str text, size_t at)
{
    if (at == 0 || !is_letter(text.ptr[at - 1]) || !is_letter(text.ptr[at])) {
        return true;
    }
    return haft__ascii_is_lower(text.ptr[at - 1]) && haft__ascii_is_upper(text.ptr[at]);
}

static bool is_separator(char c)
{
    return c == '-' || c == '_' || c == '.' || c == ' ';
}

/* Whether `text` starts with `word`. For a hyphen of a joined word the text may have another
 * separator, or none. */
static bool starts_with_word(haft_str word, haft_str text, bool exact, bool joined)
{
    size_t at = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (joined && word.ptr[i] == '-') {
            at += at < text.len && is_separator(text.ptr[at]) ? 1 : 0;
        } else if (at == text.len
                   || (exact ? text.ptr[at] : haft__ascii_lower(text.ptr[at])) != word.ptr[i]) {
            return false;
        } else {
            at++;
        }
    }
    return true;
}

static size_t find_word(haft_str word, haft_str text, bool exact, bool joined)
{
    for (size_t i = 0; word.len > 0 && i < text.len; i++) {
        char c = exact ? text.ptr[i] : haft__ascii_lower(text.ptr[i]);
        if (c == word.ptr[0] && (exact || begins(text, i))
            && starts_with_word(word, haft__str_skip(text, i), exact, joined)) {
            return i;
        }
    }
    return HAFT__OFFLINE_NONE;
}

size_t haft__offline_word_at(const haft__offline_word *word, haft_str text)
{
    text.len = text.len < LINE_BYTES ? text.len : LINE_BYTES;
    return find_word(word->text, text, word->exact, word->joined);
}

bool haft__offline_word_in(const haft__offline_word *word, haft_str text)
{
    return haft__offline_word_at(word, text) != HAFT__OFFLINE_NONE;
}

uint32_t haft__offline_words_in(const haft__offline_words *words, haft_str text)
{
    uint32_t found = 0;
    for (size_t i = 0; i < words->count; i++) {
        found |= haft__offline_word_in(&words->items[i], text) ? 1U << i : 0;
    }
    return found;
}

/* The file name without directory and extensions: "deflate" of a/deflate.c. */
static haft_str base_of(haft_str path)
{
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/') {
        start--;
    }
    haft_str base = haft__str_skip(path, start);
    return haft__str_split(&base, '.');
}

/* Files are often named after a part of the identifiers in them. */
static bool is_part_of(haft_str base, haft_str name)
{
    for (size_t i = 0; base.len >= SHORTEST_NAME && i + base.len <= name.len; i++) {
        bool same = begins(name, i);
        for (size_t k = 0; same && k < base.len; k++) {
            same = haft__ascii_lower(name.ptr[i + k]) == haft__ascii_lower(base.ptr[k]);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

uint32_t haft__offline_words_in_path(const haft__offline_words *words, haft_str path)
{
    uint32_t found = haft__offline_words_in(words, path);
    for (size_t i = 0; i < words->count; i++) {
        const haft__offline_word *word = &words->items[i];
        if (word->exact
            && (is_part_of(word->text, path) || is_part_of(base_of(path), word->text))) {
            found |= 1U << i;
        }
    }
    return found;
}

bool haft__offline_has_name(haft_str text, haft_str name)
{
    for (size_t i = 0; name.len > 0 && i + name.len <= text.len; i++) {
        bool starts = i == 0 || !is_name_char(text.ptr[i - 1]);
        bool ends = i + name.len == text.len || !is_name_char(text.ptr[i + name.len]);
        if (starts && ends && memcmp(text.ptr + i, name.ptr, name.len) == 0) {
            return true;
        }
    }
    return false;
}

bool haft__offline_in_list(haft_str word, const char *list)
{
    haft_str rest = haft__str(list);
    while (rest.len > 0) {
        if (haft__str_equal(word, haft__str_split(&rest, ' '))) {
            return true;
        }
    }
    return false;
}
