/* SPDX-License-Identifier: Apache-2.0 */
/* price_print.c - see price_print.h. Tests: tests/cli/prices_test.py. */
#include "cli/models/price_print.h"

#include "base/str.h"
#include "run/prices.h"
#include "run/run.h"

static void print_dollars(FILE *out, uint64_t micros, const char *what)
{
    haft__buf text;
    haft__buf_init(&text, 64);
    haft__cost_write(&text, micros * 1000000U);
    (void)fprintf(out, "$%.*s %s", HAFT__ARG(haft__buf_str(&text)), what);
    haft__buf_finish(&text);
}

void haft__price_print(FILE *out, const haft__price *price)
{
    print_dollars(out, price->input, "input, ");
    print_dollars(out, price->output, "output, ");
    if (price->cache_write != price->input) {
        print_dollars(out, price->cache_write, "written to the cache, ");
    }
    print_dollars(out, price->cached, "cached per million tokens");
    (void)fprintf(out, " (%s)", haft__price_source_name(price->source));
}
