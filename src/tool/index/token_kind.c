/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token_kind.c - recognises URLs, file names and e-mail addresses in a task; descriptions of tools
 * contain the words for these kinds. Tests: tests/tool/index/token_kind_test.c.
 */
#include "tool/index/token_kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"

#define LONGEST_ENDING 7U

/* File extensions, in alphabetical order. Only known extensions: many other names contain a dot,
 * and some sentences have no space after their dot. */
static const char *const endings[] = {
    "avi",    "bak",   "bmp",  "c",    "cfg", "conf", "cpp",  "css",     "csv", "doc",
    "docx",   "env",   "epub", "gif",  "go",  "gz",   "h",    "hpp",     "htm", "html",
    "ini",    "ipynb", "java", "jpeg", "jpg", "js",   "json", "jsonl",   "jsx", "kt",
    "lock",   "log",   "md",   "mov",  "mp3", "mp4",  "odt",  "parquet", "pdf", "php",
    "png",    "ppt",   "pptx", "py",   "rar", "rb",   "rs",   "rtf",     "sh",  "sql",
    "sqlite", "svg",   "tar",  "tex",  "tgz", "tif",  "tiff", "toml",    "ts",  "tsv",
    "tsx",    "txt",   "wav",  "webp", "xls", "xlsx", "xml",  "yaml",    "yml", "zip",
};

static bool is_letter(char c)
{
    return haft__ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

/* The token without the punctuation around it. */
static haft_str strip(haft_str token)
{
    while (token.len > 0 && strchr("\"'`([{<", token.ptr[0]) != NULL) {
        token = haft__str_skip(token, 1);
    }
    while (token.len > 0 && strchr("\"'`.,;:!?)]}>", token.ptr[token.len - 1]) != NULL) {
        token.len--;
    }
    return token;
}

static bool is_url(haft_str token)
{
    return haft__str_starts_with(token, HAFT__LIT("http://"))
           || haft__str_starts_with(token, HAFT__LIT("https://"))
           || (haft__str_starts_with(token, HAFT__LIT("www.")) && token.len > 4);
}

static int compare(const void *key, const void *row)
{
    return haft__str_compare(*(const haft_str *)key, haft__str(*(const char *const *)row));
}

/* The text after the last dot, in lower case. */
static haft_str ending_of(haft_str token, char small[LONGEST_ENDING])
{
    size_t at = token.len;
    while (at > 0 && token.ptr[at - 1] != '.') {
        at--;
    }
    haft_str ending = haft__str_skip(token, at > 0 ? at : token.len);
    if (ending.len > LONGEST_ENDING) {
        return HAFT__LIT("");
    }
    for (size_t i = 0; i < ending.len; i++) {
        small[i] = haft__ascii_lower(ending.ptr[i]);
    }
    return (haft_str){small, ending.len};
}

static bool is_file(haft_str token)
{
    char small[LONGEST_ENDING];
    haft_str ending = ending_of(token, small);
    return ending.len > 0 && ending.len + 1 < token.len
           && bsearch(&ending, endings, COUNT(endings), sizeof(endings[0]), compare) != NULL;
}

/* Whether the token is an address such as somebody@example.com. */
static bool is_mail(haft_str token)
{
    const char *at = token.len > 0 ? memchr(token.ptr, '@', token.len) : NULL;
    return at != NULL && at > token.ptr
           && memchr(at, '.', token.len - (size_t)(at - token.ptr)) != NULL;
}

haft_str haft__search_token_kind(haft_str token)
{
    token = strip(token);
    if (is_url(token)) {
        return HAFT__LIT("url");
    }
    if (is_mail(token)) {
        return HAFT__LIT("email");
    }
    if (token.len > 2 && token.ptr[0] == '#' && is_letter(token.ptr[1])) {
        return HAFT__LIT("channel");
    }
    return is_file(token) ? HAFT__LIT("file") : HAFT__LIT("");
}
