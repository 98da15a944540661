/* SPDX-License-Identifier: Apache-2.0 */
/* amount.c - formats times, sizes and costs. Tests: tests/cli/terminal/amount_test.c. */
#include "cli/terminal/amount.h"

#include "base/macros.h"
#include "base/str.h"

/* One decimal digit below ten, none above; rounded down. */
static void add_scaled(haft__buf *buf, uint64_t value, uint64_t unit, const char *name)
{
    uint64_t whole = value / unit;
    haft__buf_addf(buf, "%llu", (unsigned long long)whole);
    if (whole < 10) {
        haft__buf_addf(buf, ".%llu", (unsigned long long)(value % unit * 10 / unit));
    }
    haft__buf_add_str(buf, haft__str(name));
}

void haft__amount_add_duration(haft__buf *buf, uint64_t ms)
{
    unsigned long long seconds = ms / 1000;
    if (ms < 1000) {
        haft__buf_addf(buf, "%llu ms", (unsigned long long)ms);
    } else if (seconds < 60) {
        add_scaled(buf, ms, 1000, " s");
    } else if (seconds < 3600) {
        haft__buf_addf(buf, "%llu min %llu s", seconds / 60, seconds % 60);
    } else {
        haft__buf_addf(buf, "%llu h %llu min", seconds / 3600, seconds % 3600 / 60);
    }
}

void haft__amount_add_age(haft__buf *buf, uint64_t ms)
{
    static const struct {
        uint64_t seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t i = 0;
    while (i < COUNT(units) - 1 && ms / 1000 < units[i].seconds) {
        i++;
    }
    haft__buf_addf(buf, "%llu %s", (unsigned long long)(ms / 1000 / units[i].seconds),
                   units[i].name);
}

void haft__amount_add_bytes(haft__buf *buf, uint64_t bytes)
{
    if (bytes < 1000) {
        haft__buf_addf(buf, "%llu B", (unsigned long long)bytes);
    } else if (bytes < 1000000) {
        add_scaled(buf, bytes, 1000, " KB");
    } else {
        add_scaled(buf, bytes, 1000000, " MB");
    }
}

void haft__amount_add_count(haft__buf *buf, uint64_t count)
{
    if (count < 1000) {
        haft__buf_addf(buf, "%llu", (unsigned long long)count);
    } else if (count < 1000000) {
        add_scaled(buf, count, 1000, "k");
    } else {
        add_scaled(buf, count, 1000000, "M");
    }
}

void haft__amount_add_tokens(haft__buf *buf, uint64_t count)
{
    haft__amount_add_count(buf, count);
    haft__buf_add_str(buf, count == 1 ? HAFT__LIT(" token") : HAFT__LIT(" tokens"));
}

void haft__amount_add_dollars(haft__buf *buf, uint64_t micro_dollars)
{
    uint64_t part = micro_dollars % 1000000;
    unsigned places = 6;
    for (; places > 2 && part % 10 == 0; places--) {
        part /= 10;
    }
    haft__buf_addf(buf, "$%llu.%0*llu", (unsigned long long)(micro_dollars / 1000000), (int)places,
                   (unsigned long long)part);
}
