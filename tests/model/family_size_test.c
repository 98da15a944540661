/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/family_size.c. */
#include "base/macros.h"
#include "base/str.h"
#include "model/families.h"
#include "test.h"

TEST(sizes_are_read_from_names)
{
    static const struct {
        const char *name;
        uint64_t millions;
    } cases[] = {
        {"7B", 7000},
        {"7b", 7000},
        {"x-1.5b", 1500},
        {"135M", 135},
        {"0.135b", 135},
        {"1.2345B", 1234},
        {"8x7B", 56000},
        {"8x22b", 176000},
        {"2x1.5b", 3000},
        {"30B-A3B", 30000},
        {"A13B", 0},
        {"e4b", 4000},
        {"x-E2B-it", 2000},
        {"fe4b", 0},
        {"3e4b", 0},
        {"17B-16E", 0},
        {"17B-16Ex", 17000},
        {"17B-16", 17000},
        {"17B-E", 17000},
        {"1T", 1000000},
        {"1000T", 0},
        {"999999b", 999999000},
        {"1000000b", 0},
        {"99999999999999999999b", 0},
        {"9999999999x9999999999b", 0},
        {"4bit", 0},
        {"8bit", 0},
        {"128k", 0},
        {"Q4_K_M", 0},
        {"v2", 0},
        {"7", 0},
        {"7b2", 0},
        {"3.1b.5", 3100},
        {"1..5b", 5000},
        {".5b", 5000},
        {"1.b", 0},
        {"x7b", 0},
        {"0b", 0},
        {"0.0001b", 0},
        {"7b-70b", 7000},
        {"70b/x-7b", 7000},
        {"70b/model", 70000},
        {"70b\\\\model", 70000},
        {"8x", 0},
        {"8xb", 0},
        {"", 0},
        {"b", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t found = haft__family_size_of_name(haft__str(cases[i].name));
        CHECK(found == cases[i].millions, "%s: %llu", cases[i].name, (unsigned long long)found);
    }
}

TEST(sizes_are_written_in_billions)
{
    static const struct {
        uint64_t millions;
        const char *text;
    } sizes[] = {{7000, "7"},  {1500, "1.5"},   {135, "0.135"},    {270, "0.27"},
                 {1, "0.001"}, {671000, "671"}, {100050, "100.05"}};
    haft__buf buf;
    haft__buf_init(&buf, 100);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        haft__buf_clear(&buf);
        haft__family_add_size(&buf, sizes[i].millions);
        CHECK_STR(haft__buf_str(&buf), haft__str(sizes[i].text), "case %zu", i);
    }
    haft__buf_finish(&buf);
}
