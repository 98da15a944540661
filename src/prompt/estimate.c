/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c - see estimate.h. Tests: tests/prompt/estimate_test.c. */
#include "prompt/estimate.h"

#include "base/ascii.h"

/* The approximate number of letters, digits or punctuation characters in a token. */
#define LETTERS     6
#define DIGITS      2
#define PUNCTUATION 2

/* Bytes of a provider's items for each token. */
#define ITEM_BYTES 16

#define LOWEST_FACTOR  (HAFT__ESTIMATE_FACTOR / 2)
#define HIGHEST_FACTOR (HAFT__ESTIMATE_FACTOR * 4)

typedef enum kind {
    KIND_SPACE,
    KIND_LETTER,
    KIND_DIGIT,
    KIND_PUNCTUATION,
    KIND_OTHER, /* not ASCII */
} kind;

static kind kind_of(char c)
{
    return (unsigned char)c >= 0x80                          ? KIND_OTHER
           : haft__ascii_is_letter(c)                        ? KIND_LETTER
           : haft__ascii_is_digit(c)                         ? KIND_DIGIT
           : c == ' ' || c == '\n' || c == '\t' || c == '\r' ? KIND_SPACE
                                                             : KIND_PUNCTUATION;
}

/* Half tokens of bytes that are not ASCII: a character of two bytes (a letter) is about half a
 * token; a character of three bytes is about one token. */
static uint64_t halves_of_other(const char *bytes, size_t count)
{
    uint64_t halves = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        halves += byte >= 0xF0 ? 4 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
    }
    return halves;
}

/* Half tokens of a sequence of characters of one kind. One space before a word is a part of the
 * word. */
static uint64_t halves_of_sequence(kind which, const char *bytes, size_t count)
{
    switch (which) {
    case KIND_SPACE: return count > 1 || bytes[0] == '\n' ? 2 : 0;
    case KIND_LETTER: return 2 * ((count + LETTERS - 1) / LETTERS);
    case KIND_DIGIT: return 2 * ((count + DIGITS - 1) / DIGITS);
    case KIND_PUNCTUATION: return 2 * ((count + PUNCTUATION - 1) / PUNCTUATION);
    case KIND_OTHER: return halves_of_other(bytes, count);
    }
    return 0;
}

uint64_t haft__estimate_text(haft_str text)
{
    uint64_t halves = 0;
    for (size_t i = 0; i < text.len;) {
        kind which = kind_of(text.ptr[i]);
        size_t end = i + 1;
        while (end < text.len && kind_of(text.ptr[end]) == which) {
            end++;
        }
        halves += halves_of_sequence(which, text.ptr + i, end - i);
        i = end;
    }
    return (halves + 1) / 2;
}

uint64_t haft__estimate_message(const haft__message *message)
{
    if (message->tokens > 0) {
        return message->tokens;
    }
    uint64_t tokens = HAFT__ESTIMATE_MESSAGE + haft__estimate_text(message->text)
                      + message->items.len / ITEM_BYTES;
    for (size_t i = 0; i < message->call_count; i++) {
        const haft__message_call *call = &message->calls[i];
        tokens += HAFT__ESTIMATE_CALL + haft__estimate_text(call->name)
                  + haft__estimate_text(call->arguments);
    }
    return tokens;
}

uint64_t haft__estimate_apply(uint64_t raw, uint32_t factor)
{
    uint64_t whole = raw / HAFT__ESTIMATE_FACTOR, rest = raw % HAFT__ESTIMATE_FACTOR;
    return whole * factor + (rest * factor + HAFT__ESTIMATE_FACTOR - 1) / HAFT__ESTIMATE_FACTOR;
}

uint32_t haft__estimate_calibrate(uint64_t raw, uint64_t reported)
{
    if (raw == 0 || reported > UINT64_MAX / HAFT__ESTIMATE_FACTOR) {
        return raw == 0 ? HAFT__ESTIMATE_FACTOR : HIGHEST_FACTOR;
    }
    uint64_t factor = (reported * HAFT__ESTIMATE_FACTOR + raw - 1) / raw;
    return factor < LOWEST_FACTOR    ? LOWEST_FACTOR
           : factor > HIGHEST_FACTOR ? HIGHEST_FACTOR
                                     : (uint32_t)factor;
}
