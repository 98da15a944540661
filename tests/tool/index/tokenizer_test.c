/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/tokenizer.c and src/tool/index/characters.c. */
#include "tool/index/tokenizer.h"

#include "base/buf.h"
#include "test.h"

/* The words of a text or their stems, separated by spaces; "|" stands before a word that begins a
 * clause. */
static haft_str words_of(haft_str text, bool stems)
{
    haft__search_tokenizer words;
    haft__search_word word;
    haft__buf found;
    haft__buf_init(&found, 1 << 20);
    haft__search_tokenizer_init(&words, text, false);
    for (size_t i = 0; haft__search_tokenizer_next(&words, &word); i++) {
        haft__buf_add_str(&found, haft__str(i > 0 ? " " : ""));
        haft__buf_add_str(&found, haft__str(i > 0 && word.begins_clause ? "| " : ""));
        haft__buf_add(&found, stems ? word.stem : word.raw,
                      stems ? word.stem_length : word.raw_length);
    }
    char *copy = test_alloc(found.len + 1);
    memcpy(copy, found.len > 0 ? found.ptr : "", found.len);
    haft_str result = {copy, found.len};
    haft__buf_finish(&found);
    return result;
}

TEST(texts_become_words)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", ""},
        {" \n\t ", ""},
        {"createIssue", "create issue"},
        {"create_issue", "create issue"},
        {"create-issue.v2/get", "create issue v2 v 2 get"},
        {"HTTPServer", "http server"},
        {"getHTTPResponse", "get http response"},
        {"userIDs", "user ids"},
        {"parseURL", "parse url"},
        {"GitHub", "git hub"},
        {"mp3 k8s s3", "mp3 mp 3 k8s k 8 s3 3"},
        {"x2y3z4x2y3z4x2y3z4", "x 2 y 3 z 4 x 2 y 3 z 4 x 2 y 3 z 4"},
        {"2026 files", "2026 files"},
        {"The user's file isn't here", "user file"},
        {"'quoted' words", "quoted words"},
        {"read it, write it; then delete it", "read | write | delete"},
        {"Find a. Tell b", "find | tell b"},
        {"line\nnext", "line | next"},
        {"cats and dogs", "cats | dogs"},
        {"file.txt is", "file txt"},
        {"see https://github.com/a/b?c=d#e now", "see https github now"},
        {"token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 end", "token end"},
        {"getAllUsersByOrgNameAndTeamName", "get users org name | team name"},
        {"id 550e8400-e29b-41d4-a716-446655440000", "id"},
        {"mcp__filesystem__read_multiple_files_from_disk",
         "mcp filesystem read multiple files disk"},
        {"caf\xc3\xa9 \xc3\x84rger", "cafe arger"},
        {"cafe\xcc\x81", "cafe"},
        {"\xce\x91\xce\x92 \xd0\x9f\xd1\x80\xd0\xb8 \xd0\x81", "\xce\xb1\xce\xb2 "
                                                               "\xd0\xbf\xd1\x80\xd0\xb8 \xd1\x91"},
        {"\xe6\x96\x87\xe4\xbb\xb6\xe5\xa4\xb9",
         "\xe6\x96\x87\xe4\xbb\xb6 \xe4\xbb\xb6\xe5\xa4\xb9"},
        {"\xe6\x96\x87", "\xe6\x96\x87"},
        {"a\xe6\x96\x87"
         "file",
         "\xe6\x96\x87 file"},
        {"\xef\xbc\xa1\xef\xbc\xa2\xef\xbc\x91", "ab 1"},
        {"smile \xf0\x9f\x98\x80 more-files", "smile files"},
        {"bad \xff\xfe bytes\xc3", "bad bytes"},
        {"\xc5\x81\xc3\xb3"
         "d\xc5\xba \xc4\xb2",
         "lodz \xc4\xb3"},
        {"\xe1\xb8\x80 \xd1\xa0 \xd2\x8a", "\xe1\xb8\x81 \xd1\xa1 \xd2\x8b"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(words_of(haft__str(cases[i].text), false), haft__str(cases[i].words), "%s",
                  cases[i].text);
    }
}

TEST(words_have_stems)
{
    CHECK_STR(words_of(HAFT__LIT("Listing repositories quickly"), true),
              HAFT__LIT("list repositori quickli"), "stems");
    CHECK_STR(words_of(HAFT__LIT("repos of K8s, createPR"), true),
              HAFT__LIT("repositori kubernet k 8 | creat pull request"),
              "abbreviations are expanded");
    CHECK_STR(words_of(HAFT__LIT("new news"), true), HAFT__LIT("new news"),
              "stems that stay different");
}

TEST(a_query_gets_the_words_url_and_file_for_urls_and_files)
{
    haft__search_tokenizer words;
    haft__search_word word;
    static const struct {
        const char *raw;
        bool implied;
    } wanted[] = {{"open", false}, {"https", false}, {"example", false}, {"url", true},
                  {"out", false},  {"md", false},    {"file", true}};
    size_t count = 0;
    haft__search_tokenizer_init(&words, HAFT__LIT("open https://example.com/a out.md"), true);
    for (; haft__search_tokenizer_next(&words, &word) && count < COUNT(wanted); count++) {
        CHECK_STR(((haft_str){word.raw, word.raw_length}), haft__str(wanted[count].raw),
                  "the word");
        CHECK(word.implied == wanted[count].implied, "%s", wanted[count].raw);
    }
    CHECK_INT(count, COUNT(wanted), "number of words");
}

TEST(a_nul_byte_separates_words)
{
    CHECK_STR(words_of((haft_str){"read\0file", 9}, false), HAFT__LIT("read file"), "a NUL");
}

TEST(the_length_of_a_word_is_limited)
{
    char text[2 * HAFT__LIMIT_SEARCH_WORD_BYTES + 8];
    memset(text, 'b', sizeof(text));
    haft_str max = {text, HAFT__LIMIT_SEARCH_WORD_BYTES};
    CHECK_STR(words_of(max, false), max, "at the limit");
    CHECK_STR(words_of((haft_str){text, max.len + 1}, false), HAFT__LIT(""), "past the limit");
    text[max.len + 4] = ' ';
    text[max.len + 6] = ' ';
    memcpy(text + max.len + 7, "ca", 2);
    CHECK_STR(words_of((haft_str){text, max.len + 9}, false), HAFT__LIT("b ca"),
              "words after a long one");
}

/* For any bytes, the tokenizer terminates, and every word is valid. */
TEST(random_bytes_become_words)
{
    uint32_t seed = 7;
    for (size_t n = 0; n < 3000; n++) {
        char text[200];
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525U + 1013904223U;
            text[i] =
                n % 2 == 0 ? (char)(seed >> 24) : "aB3_ .,'\xe6\x96\x87\xc3\xa9/:"[seed >> 28];
        }
        haft__search_tokenizer words;
        haft__search_word word;
        size_t count = 0;
        haft__search_tokenizer_init(&words, (haft_str){text, n % sizeof(text)}, false);
        while (haft__search_tokenizer_next(&words, &word)) {
            CHECK(word.raw_length > 0 && word.raw_length <= sizeof(word.raw), "length of a word");
            CHECK(word.stem_length > 0 && word.stem_length <= sizeof(word.stem),
                  "length of a stem");
            count++;
        }
        CHECK(count <= 2 * sizeof(text), "%zu words", count);
    }
}
