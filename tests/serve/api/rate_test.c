/* SPDX-License-Identifier: Apache-2.0 */
/* rate_test.c - requests a second. */
#include "serve/api/rate.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

static size_t take_all(haft__rate_set *set, haft_str client, uint64_t now, size_t tries)
{
    size_t taken = 0;
    uint64_t wait = 0;
    for (size_t i = 0; i < tries; i++) {
        taken += haft__rate_take(set, client, now, &wait);
    }
    return taken;
}

TEST(a_client_gets_its_rate)
{
    haft__rate_set *set = calloc(1, sizeof(*set));
    haft_str anna = HAFT__LIT("anna"), berta = HAFT__LIT("berta");
    set->rate = 10;
    CHECK_INT(take_all(set, anna, 1000, 100), 20, "two seconds at once");
    CHECK_INT(take_all(set, anna, 1000, 100), 0, "none is left");
    CHECK_INT(take_all(set, berta, 1000, 100), 20, "another client has its own");
    CHECK_INT(take_all(set, anna, 1500, 100), 5, "after half a second");
    CHECK_INT(take_all(set, anna, 1000000000, 100), 20, "never more than two seconds");
    free(set);
}

TEST(the_default_rate_is_a_limit)
{
    haft__rate_set *set = calloc(1, sizeof(*set));
    set->rate = HAFT__LIMIT_SERVE_RATE;
    CHECK_INT(take_all(set, HAFT__LIT("a"), 1, 3 * HAFT__LIMIT_SERVE_RATE),
              2 * HAFT__LIMIT_SERVE_RATE, "two seconds");
    free(set);
}

TEST(the_table_of_clients_is_bounded)
{
    haft__rate_set *set = calloc(1, sizeof(*set));
    uint64_t wait = 0;
    set->rate = 1;
    for (unsigned i = 0; i < 10 * HAFT__RATE_ROWS * HAFT__RATE_COLUMNS; i++) {
        CHECK_INT(haft__rate_take(set, (haft_str){(const char *)&i, sizeof(i)}, i + 1, &wait), true,
                  "a new client");
    }
    free(set);
}
