/* SPDX-License-Identifier: Apache-2.0 */
/* artifact_name.c - see cli/follow/artifact_name.h. Tests: tests/cli/artifact_name_test.c. */
#include "cli/follow/artifact_name.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

/* Maximum length of an extension that a truncated name keeps. */
#define MAX_EXTENSION_BYTES 16

/* Replaces characters outside ASCII in keys. File names never contain it. */
#define PLACEHOLDER '\x01'

/* Returns the length of the name without its extension. */
static size_t stem_length(haft_str name)
{
    for (size_t i = name.len; i-- > 1;) {
        if (name.ptr[i] == '.') {
            return i;
        }
    }
    return name.len;
}

void haft__artifact_name_clean(haft_str name, char ret_file[HAFT__ARTIFACT_NAME_BYTES + 1])
{
    size_t stem = stem_length(name), length = 0;
    haft_str end = {"", 0};
    if (name.len > HAFT__ARTIFACT_NAME_BYTES) {
        end = name.len - stem <= MAX_EXTENSION_BYTES ? haft__str_skip(name, stem) : end;
        name.len = haft__utf8_floor(name, HAFT__ARTIFACT_NAME_BYTES - end.len);
    }
    for (size_t i = 0; i < name.len + end.len; i++) {
        unsigned char c = (unsigned char)(i < name.len ? name.ptr[i] : end.ptr[i - name.len]);
        bool bad = c < ' ' || c == '/' || c == 0x7f || (i == 0 && (c == '.' || c == '-'));
        ret_file[length++] = bad ? '_' : (char)c;
    }
    if (length == 0) {
        ret_file[length++] = '_';
    }
    ret_file[length] = '\0';
}

haft_str haft__artifact_name_number(haft__arena *arena, const char *file, unsigned number)
{
    size_t stem = stem_length(haft__str(file));
    return number == 1
               ? haft__arena_format(arena, "%s", file)
               : haft__arena_format(arena, "%.*s-%u%s", (int)stem, file, number, file + stem);
}

/* ---- keys ---- */

/* Characters outside ASCII that case folding or decomposition turns into ASCII letters. */
static const struct {
    uint32_t code;
    const char *text;
} folds[] = {
    {0x00DF, "ss"}, {0x0149, "\x01n"}, {0x017F, "s"},   {0x037E, ";"},  {0x1E9A, "a\x01"},
    {0x1E9E, "ss"}, {0x1FEF, "`"},     {0x212A, "k"},   {0xFB00, "ff"}, {0xFB01, "fi"},
    {0xFB02, "fl"}, {0xFB03, "ffi"},   {0xFB04, "ffl"}, {0xFB05, "st"}, {0xFB06, "st"},
};

/* Returns the key of a character outside ASCII: at most three bytes, and at most as many bytes as
 * the character has in UTF-8. */
static const char *fold(uint32_t code)
{
    for (size_t i = 0; i < COUNT(folds); i++) {
        if (folds[i].code == code) {
            return folds[i].text;
        }
    }
    return "\x01";
}

static bool is_combining(uint32_t code)
{
    return code >= 0x0300 && code <= 0x036F;
}

haft_str haft__artifact_name_key(haft__arena *arena, haft_str file)
{
    char *key = haft__arena_alloc(arena, file.len + 1);
    size_t used = 0;
    while (key != NULL && file.len > 0) {
        uint32_t code = HAFT__UTF8_REPLACEMENT;
        size_t length = haft__utf8_decode(file, &code);
        char ascii[2] = {haft__ascii_lower(file.ptr[0]), '\0'};
        if (is_combining(code) && used > 0) {
            used--; /* remove the letter before the combining mark */
        }
        for (const char *c = code < 0x80 ? ascii : fold(code); *c != '\0'; c++) {
            if (*c != PLACEHOLDER || used == 0 || key[used - 1] != PLACEHOLDER) {
                key[used++] = *c;
            }
        }
        file = haft__str_skip(file, length > 0 ? length : 1);
    }
    return (haft_str){key, used};
}
