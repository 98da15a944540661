/* SPDX-License-Identifier: Apache-2.0 */
/* shown_name.c - see shown_name.h. Tests: tests/base/shown_name_test.c. */
#include "base/shown_name.h"

#include <string.h>

#include "base/utf8.h"

static int digit_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

/* Reads `count` hexadecimal digits at the start of `text`; false if they are not there. */
static bool read_hex(haft_str text, size_t count, uint32_t *ret_value)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = i < text.len ? digit_value(text.ptr[i]) : -1;
        if (digit < 0) {
            return false;
        }
        value = value * 16 + (uint32_t)digit;
    }
    *ret_value = value;
    return true;
}

/* Reads one byte, or one escape, at the start of `shown`, which is not empty. Returns its length;
 * `to` has what it stands for. */
static size_t read_one(haft_str shown, char to[HAFT__UTF8_MAX_BYTES], size_t *ret_length)
{
    static const char letters[] = "ntr\\", plain[] = "\n\t\r\\";
    char letter = shown.len > 1 && shown.ptr[0] == '\\' ? shown.ptr[1] : '\0';
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    uint32_t value = 0;
    *ret_length = 1;
    to[0] = shown.ptr[0];
    if (found != NULL) {
        to[0] = plain[found - letters];
        return 2;
    }
    if (letter == 'x' && read_hex(haft__str_skip(shown, 2), 2, &value)) {
        to[0] = (char)(unsigned char)value;
        return 4;
    }
    if (letter == 'u' && read_hex(haft__str_skip(shown, 2), 4, &value)
        && (value < 0xD800 || value > 0xDFFF)) {
        *ret_length = haft__utf8_encode(value, to);
        return 6;
    }
    return 1;
}

bool haft__shown_name_is_prefix(haft_str shown, haft_str name, size_t *ret_length)
{
    size_t at = 0, used = 0;
    while (used < name.len && at < shown.len) {
        char one[HAFT__UTF8_MAX_BYTES];
        size_t length = 0;
        at += read_one(haft__str_skip(shown, at), one, &length);
        if (length > name.len - used || memcmp(name.ptr + used, one, length) != 0) {
            return false;
        }
        used += length;
    }
    *ret_length = at;
    return used == name.len;
}

haft_str haft__shown_name_read(haft_str shown, char *to, size_t size)
{
    size_t length = 0;
    while (shown.len > 0) {
        char one[HAFT__UTF8_MAX_BYTES];
        size_t more = 0;
        shown = haft__str_skip(shown, read_one(shown, one, &more));
        if (more > size - length) {
            return (haft_str){to, 0};
        }
        memcpy(to + length, one, more);
        length += more;
    }
    return (haft_str){to, length};
}
