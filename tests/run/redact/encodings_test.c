/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/redact/encodings.c: a secret is found in every encoding. */
#include "run/redact_help.h"

#include "json/write.h"

#define R HAFT__REDACTED

/* Each secret as other programs encode it: Python's json, urllib, base64 and binascii. */
static const struct {
    const char *secret, *spelled;
} spellings[] = {
    {"p\xC3\xA4ss/w\"rd 1", "p\\u00e4ss/w\\\"rd 1"},
    {"p\xC3\xA4ss/w\"rd 1", "p\\u00E4ss/w\\\"rd 1"},
    {"p\xC3\xA4ss/w\"rd 1", "p\xC3\xA4ss/w\\\"rd 1"},
    {"p\xC3\xA4ss/w\"rd 1", "p\xC3\xA4ss\\/w\\\"rd 1"},
    {"p\xC3\xA4ss/w\"rd 1", "p\\u00e4ss\\/w\\\"rd 1"},
    {"p\xC3\xA4ss/w\"rd 1", "p\xC3\xA4ss/w\\\\\\\"rd 1"},
    {"p\xC3\xA4ss/w\"rd 1", "p%C3%A4ss%2Fw%22rd%201"},
    {"p\xC3\xA4ss/w\"rd 1", "p%c3%a4ss%2fw%22rd%201"},
    {"p\xC3\xA4ss/w\"rd 1", "p%C3%A4ss%2Fw%22rd+1"},
    {"p\xC3\xA4ss/w\"rd 1", "70c3a473732f7722726420 31"},
    {"\xF0\x9F\x98\x80 grin", "\\ud83d\\ude00 grin"},
    {"\xF0\x9F\x98\x80 grin", "\\uD83D\\uDE00 grin"},
    {"line1\nline2\tx", "line1\\nline2\\tx"},
    {"line1\nline2\tx", "line1\\\\nline2\\\\tx"},
    {"line1\nline2\tx", "line1\\\\\\\\nline2\\\\\\\\tx"},
    {"p\xC3\xA4ss/w\"rd 1", "p\\\\u00e4ss/w\\\\\\\"rd 1"},
    {"p\xC3\xA4ss/w\"rd 1", "p\\\\\\\\u00e4ss\\\\\\\\/w\\\\\\\\\\\\\\\"rd 1"},
    {"hunter2hunter2", "68756e7465723268756e74657232"},
    {"hunter2hunter2", "68756E7465723268756E74657232"},
};

TEST(encodings_are_found)
{
    for (size_t i = 0; i < COUNT(spellings); i++) {
        char text[256];
        const char *spelled = spellings[i].spelled;
        bool cut = strstr(spelled, "20 31") != NULL; /* this one is not found */
        (void)snprintf(text, sizeof(text), "a %s b", spelled);
        help_check_redacted(spellings[i].secret, haft__str(text),
                            cut ? haft__str(text) : HAFT__LIT("a " R " b"));
    }
}

/* ---- base64, between any other bytes ---- */

static haft_str to_base64(haft_str text, bool url)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char *out = test_alloc(text.len * 2 + 8);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i += 3) {
        uint32_t three = 0;
        for (size_t k = 0; k < 3; k++) {
            three = three << 8 | (i + k < text.len ? (unsigned char)text.ptr[i + k] : 0U);
        }
        for (size_t k = 0; k < 4; k++) {
            uint32_t value = three >> (18 - 6 * k) & 63;
            char c = value < 62    ? digits[value]
                     : value == 62 ? (url ? '-' : '+')
                                   : (url ? '_' : '/');
            out[length++] = (char)(i + k > text.len ? '=' : c);
        }
    }
    return (haft_str){out, length};
}

static void check_base64(haft_str secret, size_t before, size_t after, bool url)
{
    char plain[128];
    memset(plain, 'u', sizeof(plain));
    memcpy(plain + before, secret.ptr, secret.len);
    haft_str text = to_base64((haft_str){plain, before + secret.len + after}, url);
    haft__buf out;
    bool any = false;
    haft__buf_init(&out, 1 << 16);
    CHECK_INT(help_redact(&secret, 1, text, &any, &out), HAFT_OK, "redact the text");
    CHECK(any, "%.*s is not found", HAFT__ARG(text));
    /* The surrounding text stays, and at most a character of the ends of the secret. */
    size_t max = (before * 4 + 2) / 3 + (after * 4 + 2) / 3 + 2 + 4;
    CHECK(out.len <= strlen(R) + max, "%.*s leaves %.*s", HAFT__ARG(text),
          HAFT__ARG(haft__buf_str(&out)));
    haft__buf_finish(&out);
}

TEST(base64_is_found_at_every_offset)
{
    static const char *const secrets[] = {"hunter2hunter2", "8 bytes!",
                                          "\xFB\xFF\xBF\xFB\xEF\xBE\xFF\xFE\xFB",
                                          "a-longer-secret-of-32-characters"};
    for (size_t s = 0; s < COUNT(secrets); s++) {
        for (size_t around = 0; around < 49; around++) {
            check_base64(haft__str(secrets[s]), around % 7, around / 7, false);
            check_base64(haft__str(secrets[s]), around % 7, around / 7, true);
        }
    }
}

/* The JSON that haft itself writes, for any secret that is text. */
TEST(json_of_every_character_is_found)
{
    for (unsigned c = 1; c < 0x300; c++) {
        char secret[32] = "secret..";
        size_t length = 8;
        if (c < 0x80) {
            secret[length++] = (char)c;
        } else {
            secret[length++] = (char)(0xC0 | (c >> 6));
            secret[length++] = (char)(0x80 | (c & 0x3F));
        }
        memcpy(secret + length, "end", 3);
        haft_str value = {secret, length + 3};
        haft__buf json, twice, out;
        bool any = false;
        haft__buf_init(&json, 1 << 12);
        haft__buf_init(&twice, 1 << 12);
        haft__buf_init(&out, 1 << 12);
        haft__json_write_string(&json, value);
        haft__json_write_string(&twice, haft__buf_str(&json));
        CHECK_INT(help_redact(&value, 1, haft__buf_str(&json), &any, &out), HAFT_OK,
                  "redact the JSON of character %u", c);
        CHECK_STR(haft__buf_str(&out), HAFT__LIT("\"" R "\""), "character %u, encoded once", c);
        haft__buf_clear(&out);
        CHECK_INT(help_redact(&value, 1, haft__buf_str(&twice), &any, &out), HAFT_OK,
                  "redact the double JSON of character %u", c);
        CHECK_STR(haft__buf_str(&out), HAFT__LIT("\"\\\"" R "\\\"\""),
                  "character %u, encoded twice", c);
        haft__buf_finish(&json);
        haft__buf_finish(&twice);
        haft__buf_finish(&out);
    }
}

/* Bytes that are not text have no JSON encoding. */
TEST(secrets_that_are_not_utf8_are_found)
{
    static const char secret[] = "\xFF\xFE\xFF\xFE\xFF\xFE\xFF\xFE";
    help_check_redacted(secret, haft__str(secret), HAFT__LIT(R));
    help_check_redacted(secret, HAFT__LIT("fffefffefffefffe"), HAFT__LIT(R));
    haft_str masked = HAFT__LIT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    help_check_redacted(secret, masked, masked);
}
