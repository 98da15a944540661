/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.c - see run/personal/detect.h.
 *
 * Each detector looks at a position where a word begins and returns the length of the finding, or
 * 0. A detector reads at most the word, or a bounded number of characters, so the search is linear.
 *
 * Tests: tests/run/personal/detect_test.c.
 */
#include "run/personal/detect.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"

#define LOCAL_BYTES_MAX  64  /* RFC 5321, section 4.5.3.1 */
#define DOMAIN_BYTES_MAX 255 /* as above */
#define CARD_DIGITS_MIN  13
#define CARD_DIGITS_MAX  19
#define IP6_BYTES_MAX    45 /* with an IPv4 address at the end */
#define MAC_BYTES        17

/* Text from a position of the text. `before` is the byte before it; 0 at the start. */
typedef struct place {
    haft_str text;
    char before;
} place;

static char byte_at(haft_str text, size_t index)
{
    return index < text.len ? text.ptr[index] : '\0';
}

static bool is_digit(char c)
{
    return haft__ascii_is_digit(c);
}

/* Letters outside of ASCII occur in international addresses. */
static bool is_letter(char c)
{
    return haft__ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* ---- URLs ---- */

/* Whether the text begins with `prefix`, which has lowercase letters. */
static bool starts_with(haft_str text, const char *prefix)
{
    size_t i = 0;
    for (; prefix[i] != '\0'; i++) {
        if (haft__ascii_lower(byte_at(text, i)) != prefix[i]) {
            return false;
        }
    }
    return true;
}

static bool ends_url(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F || strchr("<>\"'`{}|\\^", c) != NULL;
}

static size_t find_url(place p)
{
    static const char *const schemes[] = {"http://", "https://", "ftp://"};
    size_t scheme = 0;
    for (size_t i = 0; i < COUNT(schemes) && scheme == 0; i++) {
        scheme = starts_with(p.text, schemes[i]) ? strlen(schemes[i]) : 0;
    }
    size_t length = scheme;
    while (scheme > 0 && length < p.text.len && !ends_url(p.text.ptr[length])) {
        length++;
    }
    while (length > scheme && strchr(".,;:!?)]", p.text.ptr[length - 1]) != NULL) {
        length--; /* belongs to the sentence */
    }
    return scheme > 0 && length > scheme && !is_word(p.before) ? length : 0;
}

/* ---- email addresses ---- */

static bool is_local(char c)
{
    return is_word(c) || (c != '\0' && strchr("._%+-", c) != NULL);
}

/* The length of a domain with at least one dot and a last part of at least two letters. */
static size_t domain_length(haft_str text)
{
    size_t label = 0, good = 0;
    bool dotted = false, letters = true;
    for (size_t i = 0; i < DOMAIN_BYTES_MAX; i++) {
        char c = byte_at(text, i);
        if (is_word(c) || (c == '-' && label > 0)) {
            letters = letters && is_letter(c);
            label++;
            bool ends = dotted && letters && label >= 2 && !is_word(byte_at(text, i + 1));
            good = ends ? i + 1 : good;
        } else if (c == '.' && label > 0) {
            dotted = true;
            letters = true;
            label = 0;
        } else {
            break;
        }
    }
    return good;
}

static size_t find_email(place p)
{
    size_t local = 0;
    while (local <= LOCAL_BYTES_MAX && is_local(byte_at(p.text, local))) {
        local++;
    }
    if (byte_at(p.text, local) != '@') {
        return 0;
    }
    size_t domain = domain_length(haft__str_skip(p.text, local + 1));
    return domain > 0 ? local + 1 + domain : 0;
}

/* ---- credit cards ---- */

static bool passes_luhn(const char *digits, size_t count)
{
    unsigned sum = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned digit = (unsigned)(digits[count - 1 - i] - '0');
        unsigned doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
        sum += i % 2 == 1 ? doubled : digit;
    }
    return sum % 10 == 0;
}

/* Groups of digits, with one space or hyphen between two groups. The longest row of whole groups
 * that has a valid check digit is the number. */
static size_t find_card(place p)
{
    char digits[CARD_DIGITS_MAX];
    size_t count = 0, length = 0, found = 0;
    char first = byte_at(p.text, 0);
    if (first < '2' || first > '6' || is_word(p.before)) {
        return 0;
    }
    while (count < CARD_DIGITS_MAX) {
        char c = byte_at(p.text, length);
        if (is_digit(c)) {
            digits[count++] = c;
            length++;
        } else if ((c == ' ' || c == '-') && is_digit(byte_at(p.text, length + 1))) {
            length++;
        } else {
            break;
        }
        bool ends = is_digit(c) && !is_word(byte_at(p.text, length));
        found = ends && count >= CARD_DIGITS_MIN && passes_luhn(digits, count) ? length : found;
    }
    return found;
}

/* ---- IP and MAC addresses ---- */

static size_t ip4_length(haft_str text)
{
    size_t length = 0;
    for (unsigned part = 0; part < 4; part++) {
        unsigned value = 0, digits = 0;
        length += part > 0; /* the dot */
        while (is_digit(byte_at(text, length)) && digits < 4) {
            value = value * 10 + (unsigned)(text.ptr[length] - '0');
            length++;
            digits++;
        }
        bool padded = digits > 1 && text.ptr[length - digits] == '0';
        if (digits == 0 || value > 255 || padded || (part < 3 && byte_at(text, length) != '.')) {
            return 0;
        }
    }
    return length;
}

static size_t find_ip4(place p)
{
    size_t length = !is_word(p.before) && p.before != '.' ? ip4_length(p.text) : 0;
    char next = byte_at(p.text, length);
    bool more = is_word(next) || (next == '.' && is_digit(byte_at(p.text, length + 1)));
    return more ? 0 : length;
}

/* Whether the text is an IPv6 address: eight groups, or fewer with one "::"; the last two groups
 * may be an IPv4 address. */
static bool is_ip6(haft_str text)
{
    size_t at = 0;
    unsigned groups = 0;
    bool gap = false, digit = false;
    while (at < text.len) {
        if (text.ptr[at] == ':') {
            bool two = byte_at(text, at + 1) == ':';
            if ((two && gap) || (!two && (groups == 0 || at + 1 == text.len))) {
                return false;
            }
            gap = gap || two;
            at += two ? 2 : 1;
        }
        size_t start = at;
        while (at < text.len && is_hex(text.ptr[at])) {
            digit = digit || is_digit(text.ptr[at]);
            at++;
        }
        if (byte_at(text, at) == '.') {
            haft_str rest = haft__str_skip(text, start);
            groups += 2;
            at = ip4_length(rest) == rest.len ? text.len : 0;
            break;
        }
        groups += at > start;
        if (at - start > 4 || (at == start && at < text.len) || groups > 8) {
            return false;
        }
    }
    return at == text.len && digit && (gap ? groups < 8 : groups == 8);
}

static size_t find_ip6(place p)
{
    size_t length = 0, colons = 0;
    char first = byte_at(p.text, 0);
    if (is_word(p.before) || p.before == ':' || (!is_hex(first) && first != ':')) {
        return 0;
    }
    for (char c = first; length <= IP6_BYTES_MAX && (is_hex(c) || c == ':' || c == '.');
         c = byte_at(p.text, ++length)) {
        colons += c == ':';
    }
    if (length > IP6_BYTES_MAX || is_word(byte_at(p.text, length)) || colons < 2) {
        return 0;
    }
    while (length > 0 && p.text.ptr[length - 1] == '.') {
        length--; /* the end of the sentence */
    }
    return is_ip6((haft_str){p.text.ptr, length}) ? length : 0;
}

static size_t find_ip(place p)
{
    size_t length = find_ip4(p);
    return length > 0 ? length : find_ip6(p);
}

static size_t find_mac(place p)
{
    char separator = byte_at(p.text, 2);
    if (is_word(p.before) || p.before == ':' || (separator != ':' && separator != '-')) {
        return 0;
    }
    for (size_t i = 0; i < MAC_BYTES; i++) {
        char c = byte_at(p.text, i);
        if (i % 3 == 2 ? c != separator : !is_hex(c)) {
            return 0;
        }
    }
    char next = byte_at(p.text, MAC_BYTES);
    return is_word(next) || next == separator ? 0 : MAC_BYTES;
}

/* ---- all ---- */

bool haft__personal_find(haft_str text, size_t from, const bool kinds[HAFT__PERSONAL_KIND_COUNT],
                         haft__personal_finding *ret_finding)
{
    static const struct {
        haft__personal_kind kind;
        size_t (*find)(place p);
    } detectors[] = {
        {HAFT__PERSONAL_URL, find_url},          {HAFT__PERSONAL_EMAIL, find_email},
        {HAFT__PERSONAL_MAC, find_mac},          {HAFT__PERSONAL_IP, find_ip},
        {HAFT__PERSONAL_CREDIT_CARD, find_card},
    };
    for (size_t at = from; at < text.len; at++) {
        place p = {haft__str_skip(text, at), at > 0 ? text.ptr[at - 1] : '\0'};
        bool begins = (is_word(text.ptr[at]) && !is_word(p.before)) || text.ptr[at] == ':';
        for (size_t i = 0; begins && i < COUNT(detectors); i++) {
            size_t length = kinds[detectors[i].kind] ? detectors[i].find(p) : 0;
            if (length > 0) {
                *ret_finding = (haft__personal_finding){detectors[i].kind, at, at + length};
                return true;
            }
        }
    }
    return false;
}
