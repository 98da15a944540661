/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/math.c. */
#include "tool/index/math.h"

#include "test.h"

static bool is_near(double found, double wanted)
{
    double difference = found > wanted ? found - wanted : wanted - found;
    return difference <= 1e-13 * (wanted > 1 ? wanted : 1);
}

TEST(logarithms_are_correct)
{
    static const struct {
        double x, log;
    } cases[] = {{1, 0},
                 {1.5, 0.40546510810816438},
                 {2, 0.69314718055994531},
                 {2.718281828459045, 1},
                 {10, 2.30258509299404568},
                 {0.5, -0.69314718055994531},
                 {1e6, 13.815510557964274},
                 {123456.789, 11.723646487185881}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK(is_near(haft__search_log(cases[i].x), cases[i].log), "ln %f", cases[i].x);
    }
}

TEST(square_roots_are_correct)
{
    double x = 1e-12;
    for (int i = 0; i < 180; i++) { /* to 3e12 */
        double root = haft__search_sqrt(x);
        CHECK(is_near(root * root / x, 1), "the root of %g", x);
        x *= 1.37;
    }
    CHECK(haft__search_sqrt(0) == 0, "the root of 0");
}

TEST(vectors_are_scaled_by_their_greatest_number)
{
    static const struct {
        float from[3];
        int8_t to[3];
    } rows[] = {{{1, -1, 0.5F}, {127, -127, 64}},
                {{0, 0, 0}, {0, 0, 0}},
                {{1e30F, 0, -1e30F}, {127, 0, -127}},
                {{1e-42F, -1e-42F, 0}, {127, -127, 0}},
                {{127, 3, -64}, {127, 3, -64}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int8_t row[3];
        haft__search_pack(rows[i].from, 3, row);
        CHECK(memcmp(row, rows[i].to, 3) == 0, "row %zu: %d %d %d", i, row[0], row[1], row[2]);
    }
}
