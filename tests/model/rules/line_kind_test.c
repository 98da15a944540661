/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/line_kind.c: the role of a line, judged by its form. */
#include "model/rules/offline_help.h"

#define LACKS    HAFT__OFFLINE_LINE_OTHER
#define MENTIONS HAFT__OFFLINE_LINE_MENTION
#define EXPLAINS HAFT__OFFLINE_LINE_COMMENT
#define CALLS    HAFT__OFFLINE_LINE_CALL
#define DECLARES HAFT__OFFLINE_LINE_DECLARATION
#define DEFINES  HAFT__OFFLINE_LINE_DEFINITION

TEST(kind_of_a_line_is_recognized)
{
    static const struct {
        const char *path, *text;
        haft__offline_line_kind form;
    } cases[] = {
        {"a.c", "int x(void)", DEFINES},
        {"a.c", "static const char *x(int a,", DEFINES},
        {"a.c", "x(int a)", DEFINES},
        {"a.c", "int x(void);", DECLARES},
        {"a.h", "extern int x (const char *a,", DECLARES},
        {"a.h", "int x(const char *a,", DECLARES},
        {"a.h", "static inline int x(void)", DEFINES},
        {"a.c", "local void x    OF((int s));", DECLARES},
        {"a.c", "    return x(1);", CALLS},
        {"a.c", "    x(1);", CALLS},
        {"a.c", "    if (x(1) != 0) {", CALLS},
        {"a.c", "    int y = x (2);", CALLS},
        {"a.c", "x(1);", CALLS},
        {"a.h", "#define x 1", DEFINES},
        {"a.h", "#  define x(a) a", DEFINES},
        {"a.h", "#ifdef x", MENTIONS},
        {"a.h", "#define y x", MENTIONS},
        {"a.h", "struct x {", DEFINES},
        {"a.h", "struct x", DEFINES},
        {"a.h", "typedef struct x {", DEFINES},
        {"a.h", "struct x;", DECLARES},
        {"a.h", "struct x y;", MENTIONS},
        {"a.h", "enum x { A };", DEFINES},
        {"a.h", "typedef int x;", DEFINES},
        {"a.h", "typedef int (*x)(int a);", DEFINES},
        {"a.h", "typedef char x[8];", DEFINES},
        {"a.h", "typedef struct { char pad[sizeof(x)]; } y;", MENTIONS},
        {"a.h", "} x;", DEFINES},
        {"a.h", "extern int x;", DECLARES},
        {"a.h", "    x = 3,", DEFINES},
        {"a.h", "    x,", DEFINES},
        {"a.h", "    x", MENTIONS},
        {"a.h", "    X(x, 1, \"y\")", DEFINES},
        {"a.c", "static const int x[] = {1, 2};", DEFINES},
        {"a.c", "    a == x", MENTIONS},
        {"a.c", "/* x is good */", EXPLAINS},
        {"a.c", " * x is good", EXPLAINS},
        {"a.c", "int y; /* not x(1) */", EXPLAINS},
        {"a.c", "open(\"http://x\")", MENTIONS},
        {"a.py", "def x(self):", DEFINES},
        {"a.py", "    async def x(self):", DEFINES},
        {"a.py", "class x:", DEFINES},
        {"a.py", "# x is good", EXPLAINS},
        {"a.py", "x = 3", DEFINES},
        {"a.js", "export function x(a) {", DEFINES},
        {"a.sh", "x() {", DEFINES},
        {"Makefile", "x: y", DEFINES},
        {"a.yaml", "  x: 3", DEFINES},
        {"a.yaml", "- x: 3", DEFINES},
        {"a.json", "  \"x\": 3,", DEFINES},
        {"a.md", "# The x tool", DEFINES},
        {"a.md", "the x tool", MENTIONS},
        {"a.c", "int xy(void)", LACKS},
        {"a.c", "", LACKS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__offline_line_use_of(haft__str(cases[i].path), haft__str(cases[i].text),
                                            HAFT__LIT("x")),
                  cases[i].form, "%s: %s", cases[i].path, cases[i].text);
    }
    CHECK_INT(haft__offline_line_use_of(HAFT__LIT("a.c"), HAFT__LIT("x"), HAFT__LIT("")), LACKS,
              "an empty line");
}

/* Random lines are processed safely, and the returned name is a part of the line. */
TEST(random_lines_are_processed_safely)
{
    static const char letters[] = "ab \t(){}[]#*/\\\"'=;:,.-<>_9X";
    uint64_t seed = 7;
    for (unsigned i = 0; i < 20000; i++) {
        char text[40];
        for (size_t k = 0; k < sizeof(text); k++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            text[k] = letters[(seed >> 33) % (sizeof(letters) - 1)];
        }
        haft_str line = {text, seed % sizeof(text)}, name = {NULL, 0};
        (void)haft__offline_line_kind_of(HAFT__LIT("a.c"), line, &name);
        bool inside = name.len == 0 || (name.ptr >= text && name.ptr + name.len <= text + line.len);
        CHECK(inside, "%.*s", HAFT__ARG(line));
        (void)haft__offline_line_use_of(HAFT__LIT("a.md"), line, HAFT__LIT("a"));
    }
}
