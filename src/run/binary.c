/* SPDX-License-Identifier: Apache-2.0 */
/* binary.c - see binary.h. Tests: tests/run/binary_test.c. */
#include "run/binary.h"

#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

#define UNKNOWN "application/octet-stream"

/* ---- text or not ---- */

/* Control characters that are usual in the output of programs for terminals. */
static bool is_control(unsigned char c)
{
    return c < 0x20 && !(c >= '\a' && c <= '\r') && c != 0x1b;
}

bool haft__binary_is(haft_str bytes)
{
    size_t bad = 0, controls = 0;
    haft_str rest = bytes;
    if (bytes.len > 0 && memchr(bytes.ptr, '\0', bytes.len) != NULL) {
        return true;
    }
    for (size_t valid; (valid = haft__utf8_valid_prefix(rest)) < rest.len; bad++) {
        rest = haft__str_skip(rest, valid + 1);
    }
    for (size_t i = 0; bad > 0 && i < bytes.len; i++) {
        controls += is_control((unsigned char)bytes.ptr[i]);
    }
    return controls > 0 || bad > bytes.len / 4;
}

/* ---- media types ---- */

static const struct {
    size_t at;
    haft_str magic;
    const char *type;
    bool container; /* many file types begin like this: the declared type is more exact */
} magics[] = {
    {0, {"\x89PNG\r\n\x1a\n", 8}, "image/png", false},
    {0, {"\xff\xd8\xff", 3}, "image/jpeg", false},
    {0, {"GIF87a", 6}, "image/gif", false},
    {0, {"GIF89a", 6}, "image/gif", false},
    {8, {"WEBP", 4}, "image/webp", false},
    {0, {"II*\0", 4}, "image/tiff", false},
    {0, {"MM\0*", 4}, "image/tiff", false},
    {0, {"%PDF-", 5}, "application/pdf", false},
    {0, {"PK\x03\x04", 4}, "application/zip", true},
    {0, {"PK\x05\x06", 4}, "application/zip", true},
    {0, {"\x1f\x8b", 2}, "application/gzip", true},
    {0, {"BZh", 3}, "application/x-bzip2", true},
    {0, {"\xfd\x37zXZ\0", 6}, "application/x-xz", true},
    {0, {"\x28\xb5\x2f\xfd", 4}, "application/zstd", true},
    {0, {"7z\xbc\xaf\x27\x1c", 6}, "application/x-7z-compressed", false},
    {257, {"ustar", 5}, "application/x-tar", true},
    {0, {"SQLite format 3\0", 16}, "application/vnd.sqlite3", true},
    {0,
     {"\x7f"
      "ELF",
      4},
     "application/x-elf",
     true},
    {0, {"\0asm", 4}, "application/wasm", false},
    {8, {"WAVE", 4}, "audio/wav", false},
    {0, {"ID3", 3}, "audio/mpeg", false},
    {0, {"fLaC", 4}, "audio/flac", false},
    {0, {"OggS", 4}, "audio/ogg", true},
    {4, {"ftyp", 4}, "video/mp4", true},
};

static const struct {
    const char *type, *extension;
} extensions[] = {
    {"image/png", "png"},
    {"image/jpeg", "jpg"},
    {"image/gif", "gif"},
    {"image/webp", "webp"},
    {"image/tiff", "tiff"},
    {"image/bmp", "bmp"},
    {"image/svg+xml", "svg"},
    {"application/pdf", "pdf"},
    {"application/zip", "zip"},
    {"application/gzip", "gz"},
    {"application/x-bzip2", "bz2"},
    {"application/x-xz", "xz"},
    {"application/zstd", "zst"},
    {"application/x-7z-compressed", "7z"},
    {"application/x-tar", "tar"},
    {"application/vnd.sqlite3", "sqlite"},
    {"application/wasm", "wasm"},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"},
    {"application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"},
    {"audio/wav", "wav"},
    {"audio/mpeg", "mp3"},
    {"audio/flac", "flac"},
    {"audio/ogg", "ogg"},
    {"video/mp4", "mp4"},
    {"video/webm", "webm"},
    {"text/plain", "txt"},
};

static bool has_magic(haft_str bytes, size_t i)
{
    haft_str magic = magics[i].magic;
    bool riff = magics[i].at == 8; /* the form of a RIFF file */
    return bytes.len >= magics[i].at + magic.len
           && memcmp(bytes.ptr + magics[i].at, magic.ptr, magic.len) == 0
           && (!riff || memcmp(bytes.ptr, "RIFF", 4) == 0);
}

/* A character of a type or subtype: RFC 6838. */
static bool is_name_char(char c)
{
    return haft__ascii_is_alphanumeric(c) || (c != '\0' && strchr("!#$&-^_.+", c) != NULL);
}

/* The declared type without its parameters; "" if it is not of the form "type/subtype" or too long.
 */
static haft_str read_declared(haft_str declared)
{
    haft_str type = haft__str_trim(haft__str_split(&declared, ';'));
    size_t slashes = 0, names = 0;
    for (size_t i = 0; i < type.len; i++) {
        slashes += type.ptr[i] == '/';
        names += is_name_char(type.ptr[i]);
    }
    haft_str rest = type;
    bool good = slashes == 1 && names + 1 == type.len && type.len <= 127
                && haft__str_split(&rest, '/').len > 0 && rest.len > 0;
    return good ? type : HAFT__LIT("");
}

static bool has_prefix(haft_str type, haft_str prefix)
{
    return type.len >= prefix.len
           && haft__str_equal_ignore_case((haft_str){type.ptr, prefix.len}, prefix);
}

haft_str haft__binary_media_type(haft_str bytes, haft_str declared)
{
    haft_str type = read_declared(declared);
    size_t i = 0;
    while (i < COUNT(magics) && !has_magic(bytes, i)) {
        i++;
    }
    bool vague = type.len == 0 || haft__str_equal_ignore_case(type, HAFT__LIT(UNKNOWN))
                 || (has_prefix(type, HAFT__LIT("text/")) && haft__binary_is(bytes));
    if (i < COUNT(magics) && (vague || !magics[i].container)) {
        return haft__str(magics[i].type);
    }
    return vague ? HAFT__LIT(UNKNOWN) : type;
}

const char *haft__binary_extension(haft_str media_type)
{
    for (size_t i = 0; i < COUNT(extensions); i++) {
        if (haft__str_equal_ignore_case(media_type, haft__str(extensions[i].type))) {
            return extensions[i].extension;
        }
    }
    return "bin";
}
