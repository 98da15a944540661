/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/limits.c. tests/house/limits.py checks docs/limits.md. */
#include "base/limits.h"

#include "test.h"

TEST(the_table_has_every_limit_in_its_order)
{
    static const struct {
        const char *key;
        int64_t value;
    } rows[] = {
#define X(name, key, value, what) {key, HAFT__LIMIT_##name},
        HAFT__LIMITS(X)
#undef X
    };
    size_t count;
    const haft__limit *limits = haft__limits(&count);
    CHECK_INT(count, COUNT(rows), "rows");
    for (size_t i = 0; i < count && i < COUNT(rows); i++) {
        CHECK_STR(haft__str(limits[i].key), haft__str(rows[i].key), "row %zu", i);
        CHECK_INT(limits[i].value, rows[i].value, "%s", rows[i].key);
    }
}

TEST(limits_are_positive_named_once_and_explained)
{
    size_t count;
    const haft__limit *limits = haft__limits(&count);
    for (size_t i = 0; i < count; i++) {
        CHECK(limits[i].value > 0, "%s is %lld", limits[i].key, (long long)limits[i].value);
        CHECK(strlen(limits[i].what) > 10, "the text of %s is too short: %s", limits[i].key,
              limits[i].what);
        for (size_t j = 0; j < i; j++) {
            CHECK(strcmp(limits[i].key, limits[j].key) != 0, "%s is in the table twice",
                  limits[i].key);
        }
    }
}
