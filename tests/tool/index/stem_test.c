/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/stem.c. tests/tool/search/stems.txt has words and their stems;
 * tests/house/stems.py checks the stemmer of scripts/make-vectors with the same list. */
#include "tool/index/stem.h"

#include "test.h"

static haft_str stem_of(const char *word, char *space)
{
    size_t length = strlen(word);
    memcpy(space, word, length);
    return (haft_str){space, haft__search_stem(space, length)};
}

TEST(words_lose_their_endings)
{
    static const struct {
        const char *word, *stem;
    } cases[] = {
        {"caresses", "caress"},
        {"ponies", "poni"},
        {"ties", "ti"},
        {"cats", "cat"},
        {"feed", "feed"},
        {"agreed", "agre"},
        {"plastered", "plaster"},
        {"bled", "bled"},
        {"motoring", "motor"},
        {"sing", "sing"},
        {"conflated", "conflat"},
        {"troubled", "troubl"},
        {"sized", "size"},
        {"hopping", "hop"},
        {"falling", "fall"},
        {"hissing", "hiss"},
        {"filing", "file"},
        {"happy", "happi"},
        {"sky", "sky"},
        {"relational", "relat"},
        {"conditional", "condit"},
        {"digitizer", "digit"},
        {"operator", "oper"},
        {"decisiveness", "decis"},
        {"hopefulness", "hope"},
        {"formality", "formal"},
        {"triplicate", "triplic"},
        {"electrical", "electr"},
        {"goodness", "good"},
        {"allowance", "allow"},
        {"adjustable", "adjust"},
        {"replacement", "replac"},
        {"adoption", "adopt"},
        {"homologous", "homolog"},
        {"effective", "effect"},
        {"probate", "probat"},
        {"rate", "rate"},
        {"controlling", "control"},
        {"rolling", "roll"},
        {"repositories", "repositori"},
        {"repository", "repositori"},
        {"files", "file"},
        {"yyyy", "yyyi"},
        {"ion", "ion"},
        {"a", "a"},
        {"is", "is"},
        {"mp3s", "mp3s"},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char space[64];
        CHECK_STR(stem_of(cases[i].word, space), haft__str(cases[i].stem), "%s", cases[i].word);
    }
}

TEST(stems_match_the_list)
{
    haft_str rest = test_read_file("tests/tool/search/stems.txt");
    size_t count = 0;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft_str word = haft__str_split(&line, ' ');
        char space[64];
        memcpy(space, word.ptr, word.len);
        haft_str found = {space, haft__search_stem(space, word.len)};
        CHECK_STR(found, line, "%.*s", HAFT__ARG(word));
        count++;
    }
    CHECK(count > 1000, "only %zu words", count);
}

/* For any letters, no stem is longer, and nothing outside the word is touched. */
TEST(random_letters_stay_within_their_word)
{
    uint32_t seed = 1;
    for (size_t n = 0; n < 20000; n++) {
        char space[66];
        memset(space, '#', sizeof(space));
        size_t length = n % 64;
        for (size_t i = 0; i < length; i++) {
            seed = seed * 1664525U + 1013904223U;
            space[i + 1] = "aeiouysltnginged"[seed >> 28];
        }
        size_t stem = haft__search_stem(space + 1, length);
        CHECK(stem <= length && (stem > 0 || length == 0),
              "a stem of %zu letters for a word of %zu", stem, length);
        CHECK(space[0] == '#' && space[length + 1] == '#',
              "bytes around a word of %zu letters were changed", length);
    }
}
