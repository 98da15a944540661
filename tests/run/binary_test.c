/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/binary.c. */
#include "run/binary.h"

#include "base/macros.h"
#include "base/str.h"
#include "test.h"

#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

TEST(text_and_binary_are_distinguished)
{
    static const struct {
        haft_str bytes;
        bool binary;
    } rows[] = {
        {BYTES(""), false},
        {BYTES("text\r\n\t\f\b\a\033[1m"), false},
        {BYTES("na\xc3\xafve \xe2\x82\xac"), false},
        {BYTES("\x01\x02 is valid UTF-8"), false},
        {BYTES("%PDF-1.7 is text so far"), false},
        {BYTES("a\0b"), true},
        {BYTES("\0"), true},
        {BYTES("na\xefve"), false}, /* Latin-1: one byte of five */
        {BYTES("abc\xe9"), false},  /* exactly a quarter */
        {BYTES("ab\xe9"), true},    /* more than a quarter */
        {BYTES("\xff\xfe"), true},
        {BYTES("a long line \xe9 \x01 and on"), true}, /* a control character, too */
        {BYTES("a long line \xe9 \033[0m and on"), false},
        {BYTES("\x89PNG\r\n\x1a\n"), true},
        {BYTES("\xcf\xf0\xe8\xe2\xe5\xf2"),
         true}, /* nothing readable would be left after replacement */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(haft__binary_is(rows[i].bytes), rows[i].binary, "row %zu", i);
    }
}

TEST(media_types_come_from_the_first_bytes_or_are_declared)
{
    static const struct {
        haft_str bytes;
        const char *declared, *type, *extension;
    } rows[] = {
        {BYTES("\x89PNG\r\n\x1a\n..."), "", "image/png", "png"},
        {BYTES("\x89PNG\r\n\x1a\n"), "image/jpeg", "image/png", "png"},
        {BYTES("\x89PNG\r\n\x1a"), "", "application/octet-stream", "bin"},
        {BYTES("\xff\xd8\xff\xe0"), "", "image/jpeg", "jpg"},
        {BYTES("GIF87a"), "", "image/gif", "gif"},
        {BYTES("GIF89a"), "", "image/gif", "gif"},
        {BYTES("RIFF\x01\x02\x03\x04WEBPVP8 "), "", "image/webp", "webp"},
        {BYTES("RIFF\x01\x02\x03\x04WAVEfmt "), "", "audio/wav", "wav"},
        {BYTES("FFIR\x01\x02\x03\x04WAVE"), "", "application/octet-stream", "bin"},
        {BYTES("II*\0"), "", "image/tiff", "tiff"},
        {BYTES("MM\0*"), "", "image/tiff", "tiff"},
        {BYTES("%PDF-1.7\n\xff"), "", "application/pdf", "pdf"},
        {BYTES("PK\x03\x04"), "", "application/zip", "zip"},
        {BYTES("PK\x05\x06\0"), "text/plain", "application/zip", "zip"},
        {BYTES("PK\x03\x04"),
         "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet; charset=binary",
         "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"},
        {BYTES("\x1f\x8b\x08"), "application/octet-stream", "application/gzip", "gz"},
        {BYTES("BZh9"), "", "application/x-bzip2", "bz2"},
        {BYTES("\xfd\x37zXZ\0"), "", "application/x-xz", "xz"},
        {BYTES("\x28\xb5\x2f\xfd"), "", "application/zstd", "zst"},
        {BYTES("7z\xbc\xaf\x27\x1c"), "", "application/x-7z-compressed", "7z"},
        {BYTES("SQLite format 3\0"), "", "application/vnd.sqlite3", "sqlite"},
        {BYTES("\x7f"
               "ELF"),
         "", "application/x-elf", "bin"},
        {BYTES("\0asm"), "", "application/wasm", "wasm"},
        {BYTES("ID3\x03"), "", "audio/mpeg", "mp3"},
        {BYTES("fLaC"), "", "audio/flac", "flac"},
        {BYTES("OggS"), "", "audio/ogg", "ogg"},
        {BYTES("\0\0\0\x18"
               "ftypmp42"),
         "", "video/mp4", "mp4"},
        {BYTES("\0"), "IMAGE/X-Y", "IMAGE/X-Y", "bin"},
        {BYTES("\0"), "Image/BMP", "Image/BMP", "bmp"},
        {BYTES("\0"), " image/bmp ; q=1", "image/bmp", "bmp"},
        {BYTES("\0"), "text/plain", "application/octet-stream", "bin"},
        {BYTES("text"), "text/plain", "text/plain", "txt"},
        {BYTES("<svg/>"), "image/svg+xml", "image/svg+xml", "svg"},
        {BYTES("\0"), "image", "application/octet-stream", "bin"},
        {BYTES("\0"), "image/", "application/octet-stream", "bin"},
        {BYTES("\0"), "/png", "application/octet-stream", "bin"},
        {BYTES("\0"), "image/a/b", "application/octet-stream", "bin"},
        {BYTES("\0"), "image/\033[2J", "application/octet-stream", "bin"},
        {BYTES("\0"), "image/p ng", "application/octet-stream", "bin"},
        {BYTES(""), "", "application/octet-stream", "bin"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str type = haft__binary_media_type(rows[i].bytes, haft__str(rows[i].declared));
        CHECK_STR(type, haft__str(rows[i].type), "row %zu", i);
        CHECK_STR(haft__str(haft__binary_extension(type)), haft__str(rows[i].extension), "row %zu",
                  i);
    }
}

TEST(a_tar_is_recognized_by_its_mark_at_byte_257)
{
    char bytes[262] = "name";
    memcpy(bytes + 257, "ustar", 5);
    CHECK_STR(haft__binary_media_type((haft_str){bytes, sizeof(bytes)}, HAFT__LIT("")),
              HAFT__LIT("application/x-tar"), "a whole tar header");
    CHECK_STR(haft__binary_media_type((haft_str){bytes, sizeof(bytes) - 1}, HAFT__LIT("")),
              HAFT__LIT("application/octet-stream"), "a truncated tar header");
}

TEST(a_declared_type_has_at_most_127_characters)
{
    char type[128 + 1];
    memset(type, 'a', sizeof(type));
    type[1] = '/';
    type[127] = '\0';
    haft_str zero = BYTES("\0");
    CHECK_STR(haft__binary_media_type(zero, haft__str(type)), haft__str(type), "127 characters");
    type[127] = 'a';
    type[128] = '\0';
    CHECK_STR(haft__binary_media_type(zero, haft__str(type)), HAFT__LIT("application/octet-stream"),
              "128 characters");
}
