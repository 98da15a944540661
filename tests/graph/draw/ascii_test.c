/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/draw/ascii.c: pictures of characters. */
#include "base/buf.h"
#include "graph/draw/sample.h"

#define CHAIN "{'nodes':{'a':{'do':[]}},'edges':[{'from':'start','to':'a'}]}"

static haft_status write(const char *source, haft__buf *buf)
{
    haft__arena arena;
    haft__drawing drawing;
    haft__arena_init(&arena, 0);
    haft_status status = draw_graph(&arena, source, &haft__drawing_cells, &drawing, NULL);
    if (status == HAFT_OK) {
        status = haft__drawing_write_ascii(&arena, &drawing, buf, NULL);
    }
    haft__arena_finish(&arena);
    return status;
}

TEST(a_picture_of_characters)
{
    static const char chain[] = "\n"
                                "( start )\n"
                                "\n"
                                "    |\n"
                                "    |\n"
                                "    v\n"
                                "  +---+\n"
                                "  | a |\n"
                                "  +---+\n"
                                "    |\n"
                                "    |\n"
                                "    v\n"
                                "\n"
                                " ( end )\n"
                                "\n";
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    CHECK_INT(write(CHAIN, &buf), HAFT_OK, "chain");
    CHECK_STR(haft__buf_str(&buf), haft__str(chain), "chain");
    haft__buf_clear(&buf);
    CHECK_INT(write(SAMPLE, &buf), HAFT_OK, "sample");
    haft_str sample = haft__buf_str(&buf);
    CHECK(haft__str_contains_ignore_case(sample, HAFT__LIT("/n < \"?\"")), "not ASCII: a mark");
    CHECK(haft__str_contains_ignore_case(sample, HAFT__LIT("=========")), "the join");
    CHECK(haft__str_contains_ignore_case(sample, HAFT__LIT("*-----+")), "a question");
    haft__buf_finish(&buf);
}
