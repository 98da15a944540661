/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/markdown.c and markdown_spans.c. */
#include "cli/terminal/markdown.h"

#include "base/limits.h"
#include "cli/terminal/width.h"
#include "test.h"

#define B     "\x1b[1m"
#define DIM   "\x1b[2m"
#define I     "\x1b[3m"
#define U     "\x1b[4m"
#define S     "\x1b[9m"
#define C     "\x1b[35m"
#define E     "\x1b[0m"
#define TO(u) "\x1b]8;;" u "\x1b\\"
#define URL   "https://a.example/x"
#define FIVE  "\u2500\u2500\u2500\u2500\u2500"
#define RULE  FIVE FIVE FIVE FIVE

/* Renders a text that is added in pieces of this size. */
static void render(haft__buf *out, haft_str text, size_t width, size_t piece)
{
    haft__markdown markdown;
    haft__markdown_init(&markdown, true);
    haft__buf_clear(out);
    while (text.len > 0) {
        size_t length = text.len < piece ? text.len : piece;
        haft__markdown_add(&markdown, out, width, (haft_str){text.ptr, length});
        text = haft__str_skip(text, length);
    }
    haft__markdown_end(&markdown, out, width);
    haft__markdown_finish(&markdown);
}

static const struct {
    const char *text, *shown;
} cases[] = {
    {"", ""},
    {"plain text", "plain text\n"},
    {"a\n\nb\r\nc\n", "a\n\nb\nc\n"},
    /* headings */
    {"# One\ntext", B U "One" E "\ntext\n"},
    {"## Two *too*", B "Two" E " " B I "too" E "\n"},
    {"####### seven", "####### seven\n"},
    {"#hashtag #two", "#hashtag #two\n"},
    {"#", "#\n"},
    /* lists, quotes, rules */
    {"- one\n* two\n+ three", "\u2022 one\n\u2022 two\n\u2022 three\n"},
    {"  - nested\n10. ten\n2) two", "  \u2022 nested\n10. ten\n2) two\n"},
    {"- a list item that is wrapped here", "\u2022 a list item that is wrapped\n  here\n"},
    {"  1. a list item that is wrapped too", "  1. a list item that is\n     wrapped too\n"},
    {"1.5 is no item, -1 neither", "1.5 is no item, -1 neither\n"},
    {"1234567890. no", "1234567890. no\n"},
    {"- [ ] open\n-", "\u2022 [ ] open\n-\n"},
    {"> quoted **text**", DIM "\u2502" E " quoted " B "text" E "\n"},
    {"---\n***  \n", DIM RULE E "\n" DIM RULE E "\n"},
    {"--- x\n--", "--- x\n--\n"},
    /* emphasis */
    {"a *b* **c** ***d*** ~~e~~ _f_ __g__",
     "a " I "b" E " " B "c" E " " B I "d" E " " S "e" E " " I "f" E " " B "g" E "\n"},
    {"**a *b* c**", B "a" E " " B I "b" E B " c" E "\n"},
    {"**a *b***", B "a" E " " B I "b" E "\n"},
    {"x**y**z", "x" B "y" E "z\n"},
    {"2*3*4 snake_case_name *args **kwargs", "2*3*4 snake_case_name *args\n**kwargs\n"},
    {"*.c and *word*", "*.c and " I "word" E "\n"},
    {"a * b * c ** d", "a * b * c ** d\n"},
    {"**open\nnext**", "**open\nnext**\n"},
    {"*a `*` b*", I "a" E " " I C "*" E I " b" E "\n"},
    {"\\*not\\* \\a \\", "*not* \\a \\\n"},
    {"**** *****x*****", "**** *****x*****\n"},
    {"~one~", "~one~\n"},
    /* code */
    {"`a*b*` ``c`d`` `` ` ``", C "a*b*" E " " C "c`d" E " " C "`" E "\n"},
    {"an `open one", "an `open one\n"},
    {"```c\nint *a;  /* **x** */\n\n```\nafter",
     "  " DIM "c" E "\n  int *a;  /* **x** */\n\nafter\n"},
    {"~~~\n```\n~~~~\n*x*", "  ```\n" I "x" E "\n"},
    {"```\n``` no\n```", "  ``` no\n"},
    {"``` a ``` b", C "a" E " b\n"},
    {"```\nunclosed", "  unclosed\n"},
    /* not Markdown */
    {"\n{\"a\":\n  \"*b*\"}\n- *c*", "\n{\"a\":\n  \"*b*\"}\n- *c*\n"},
    {"a\n{*b*}", "a\n{" I "b" E "}\n"},
    /* tables */
    {"| a | *b* |\n|---|---|\n", "| a | *b* |\n|---|---|\n"},
    /* links */
    {"[a b](" URL ")", TO(URL) U "a b" E TO("") " (" TO(URL) DIM URL E TO("") ")\n"},
    {"<" URL "> b", TO(URL) U URL E TO("") " b\n"},
    {"[" URL "](" URL ")", TO(URL) U URL E TO("") "\n"},
    {"[a](ftp://x) [b](/c_d_e) [c]( x) [](" URL ")",
     "[a](ftp://x) [b](/c_d_e) [c](\nx) [](" URL ")\n"},
    {"[a](https://\x1b]8;;x) [a](https://\u202Ex)",
     "[a](https://\\u001b]8;;x)\n[a](https://\\u202ex)\n"},
    {"[x] [y][z] a[0](i) <b> <mailto:x>", "[x] [y][z] a[0](i) <b>\n<mailto:x>\n"},
    {"see https://a.example/_b_/*c* *d*", "see https://a.example/_b_/*c*\n" I "d" E "\n"},
    {"[<https://b.example>](" URL ")",
     TO(URL) U "<https://b.example>" E TO("") "\n(" TO(URL) DIM URL E TO("") ")\n"},
    /* hostile text */
    {"**\x1b[2J\x07**", B "\\u001b[2J\\u0007" E "\n"},
    {"# \x1b]8;;https://x\x07", B U "\\u001b]8;;https://x\\u0007" E "\n"},
    {"a \xff\xc3", "a \\xff\\xc3\n"},
    {"*\xC3\xA4\xE4\xB8\x80*", I "\xC3\xA4\xE4\xB8\x80" E "\n"},
};

TEST(markdown_is_shown_the_same_in_all_pieces)
{
    haft__buf out;
    haft__buf_init(&out, 10000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str text = haft__str(cases[i].text);
        for (size_t piece = 1; piece <= text.len + 1; piece++) {
            render(&out, text, 30, piece);
            CHECK_STR(haft__buf_str(&out), haft__str(cases[i].shown), "case %zu in pieces of %zu",
                      i, piece);
        }
    }
    haft__buf_finish(&out);
}

/* True if the terminal sees only styles, hyperlinks to web pages and line feeds. */
static bool is_harmless(haft_str text)
{
    while (text.len > 0) {
        size_t length = 1;
        if (haft__str_starts_with(text, HAFT__LIT("\x1b["))) {
            while (length < text.len && text.ptr[length] != 'm' && length < 5) {
                length++;
            }
            length += text.ptr[length] == 'm' ? 1 : 0;
        } else if (haft__str_starts_with(text, HAFT__LIT("\x1b]8;;\x1b\\"))) {
            length = 7;
        } else if (haft__str_starts_with(text, HAFT__LIT("\x1b]8;;http"))) {
            while (length < text.len && text.ptr[length] != '\x1b') {
                length++;
            }
            length += 2;
        } else if ((unsigned char)text.ptr[0] < ' ' && text.ptr[0] != '\n') {
            return false;
        }
        text = haft__str_skip(text, length);
    }
    return true;
}

/* Random lines of markers and letters: pieces of any size give the same output. */
TEST(pieces_of_random_markdown_do_not_matter)
{
    static const char *const parts[] = {"*",  "**",  "_",    "~~",   "`",        "```",      "[",
                                        "](", ")",   "<",    ">",    "http://x", "https://", "h",
                                        "\\", "\n",  " ",    "a",    "b ",       "- ",       "# ",
                                        "|",  "1. ", "\xC3", "\xA4", "\x1b",     "  ",       "---"};
    haft__buf text, whole, pieces;
    uint64_t seed = 88172645463325252ULL;
    haft__buf_init(&text, 10000);
    haft__buf_init(&whole, 100000);
    haft__buf_init(&pieces, 100000);
    for (size_t round = 0; round < 2000; round++) {
        haft__buf_clear(&text);
        for (size_t i = 0; i < 40; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            haft__buf_add_str(&text, haft__str(parts[seed % COUNT(parts)]));
        }
        render(&whole, haft__buf_str(&text), 20, text.len);
        render(&pieces, haft__buf_str(&text), 20, 1 + round % 5);
        CHECK_STR(haft__buf_str(&pieces), haft__buf_str(&whole), "round %zu", round);
        CHECK(is_harmless(haft__buf_str(&whole)), "round %zu: the output controls the terminal",
              round);
    }
    haft__buf_finish(&text);
    haft__buf_finish(&whole);
    haft__buf_finish(&pieces);
}

TEST(words_are_shown_while_a_line_arrives)
{
    haft__markdown markdown;
    haft__buf out;
    haft__markdown_init(&markdown, true);
    haft__buf_init(&out, 1000);
    haft__markdown_add(&markdown, &out, 40, HAFT__LIT("one two *th"));
    CHECK_STR(haft__buf_str(&out), HAFT__LIT("one two"), "text");
    haft__markdown_add(&markdown, &out, 40, HAFT__LIT("ree* four"));
    CHECK_STR(haft__buf_str(&out), HAFT__LIT("one two " I "three" E), "text with emphasis");
    haft__markdown_end(&markdown, &out, 40);
    haft__markdown_add(&markdown, &out, 40, HAFT__LIT("```\nx"));
    haft__markdown_end(&markdown, &out, 40);
    haft__buf_clear(&out);
    haft__markdown_add(&markdown, &out, 40, HAFT__LIT("*new*"));
    haft__markdown_end(&markdown, &out, 40);
    CHECK_STR(haft__buf_str(&out), HAFT__LIT(I "new" E "\n"), "a new text begins outside of code");
    haft__markdown_finish(&markdown);
    haft__buf_finish(&out);
}

TEST(a_terminal_without_symbols_has_no_hyperlinks)
{
    haft__markdown markdown;
    haft__buf out;
    haft__markdown_init(&markdown, false);
    haft__buf_init(&out, 1000);
    haft__markdown_add(&markdown, &out, 60, HAFT__LIT("- [a](" URL ")\n> b\n---"));
    haft__markdown_end(&markdown, &out, 60);
    CHECK_STR(haft__buf_str(&out),
              HAFT__LIT("- " U "a" E " (" DIM URL E ")\n" DIM ">" E " b\n" DIM
                        "--------------------" E "\n"),
              "ASCII");
    haft__markdown_finish(&markdown);
    haft__buf_finish(&out);
}

/* HAFT__LIMIT_MARKDOWN_SPAN_BYTES: a span is styled only if it ends before this limit. */
TEST(a_span_past_its_maximum_is_not_styled)
{
    haft__buf text, out;
    haft__buf_init(&text, 10000);
    haft__buf_init(&out, 100000);
    for (size_t more = 0; more < 2; more++) {
        haft__buf_clear(&text);
        haft__buf_add_char(&text, '*');
        for (size_t i = 0; i < HAFT__LIMIT_MARKDOWN_SPAN_BYTES - 2 + more; i++) {
            haft__buf_add_char(&text, 'x');
        }
        haft__buf_add_str(&text, HAFT__LIT("* *y*"));
        for (size_t piece = 1; piece <= text.len; piece += 1000) {
            render(&out, haft__buf_str(&text), 4000, piece);
            CHECK(haft__str_starts_with(haft__buf_str(&out),
                                        more == 0 ? HAFT__LIT(I "x") : HAFT__LIT("*x")),
                  "%zu more in pieces of %zu", more, piece);
        }
    }
    haft__buf_finish(&text);
    haft__buf_finish(&out);
}

TEST(pieces_of_a_long_line_of_markers_do_not_matter)
{
    haft__buf text, whole, pieces;
    haft__buf_init(&text, 10000);
    haft__buf_init(&whole, 100000);
    haft__buf_init(&pieces, 100000);
    static const char *const marks = "-`~# _>1";
    for (size_t mark = 0; mark < strlen(marks); mark++) {
        for (size_t length = 120; length < 135; length++) {
            haft__buf_clear(&text);
            for (size_t i = 0; i < length; i++) {
                haft__buf_add_char(&text, marks[mark]);
            }
            haft__buf_add_str(&text, HAFT__LIT("\nx *y*\n"));
            render(&whole, haft__buf_str(&text), 60, text.len);
            render(&pieces, haft__buf_str(&text), 60, 1);
            CHECK_STR(haft__buf_str(&pieces), haft__buf_str(&whole), "%zu of '%c'", length,
                      marks[mark]);
        }
    }
    haft__buf_finish(&text);
    haft__buf_finish(&whole);
    haft__buf_finish(&pieces);
}

/* Openers that nothing closes, byte by byte. If the cost were quadratic, this would take hours. */
TEST(markdown_is_rendered_in_linear_time)
{
    static const char *const hostile[] = {
        "*a ",     "**a", "_a *b ", "`a ``b ```c ", "[",        "[a](b", "<http://a",
        "*_~~`[<", "h",   "> ",     "\\",           "*a **b `", "("};
    haft__buf text, out;
    haft__buf_init(&text, 8 << 20);
    haft__buf_init(&out, 64 << 20);
    for (size_t i = 0; i < COUNT(hostile); i++) {
        haft__buf_clear(&text);
        while (text.len < 200000) {
            haft__buf_add_str(&text, haft__str(hostile[i]));
        }
        render(&out, haft__buf_str(&text), 80, i % 2 == 0 ? 1 : text.len);
        CHECK(out.status == HAFT_OK, "text %zu: %zu bytes", i, out.len);
    }
    haft__buf_finish(&text);
    haft__buf_finish(&out);
}

TEST(failed_allocations_do_not_crash)
{
    for (unsigned n = 0; n < 100; n++) {
        haft__buf out;
        haft__buf_init(&out, 10000);
        test_fail_allocation(n);
        render(&out, HAFT__LIT("# a **b** [c](" URL ") `d`\n- e\n"), 30, 7);
        if (!test_allow_allocations()) {
            CHECK(out.status == HAFT_OK, "status if no allocation fails");
            haft__buf_finish(&out);
            return;
        }
        haft__buf_finish(&out);
    }
    CHECK(false, "rendering allocates too often");
}
