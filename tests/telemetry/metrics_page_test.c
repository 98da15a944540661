/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics in docs/telemetry.md is that of src/telemetry/metrics.h.
 * `HAFT_RENEW=1 make test T=metrics_page` writes it. */
#include "telemetry/metrics.h"
#include "test.h"

#include "run/scenario_help.h"

#define PAGE "docs/telemetry.md"
#define HEAD "| Prometheus | OpenTelemetry | type, labels | meaning |\n|---|---|---|---|\n"

static void add_name(haft__buf *buf, const char *name)
{
    haft__buf_addf(buf, name[0] != '\0' ? "| `%s` " : "| %s", name);
}

static void add_row(haft__buf *buf, const haft__metric_row *row)
{
    static const char *const types[] = {"counter", "gauge", "histogram"};
    add_name(buf, row->prometheus);
    add_name(buf, row->otlp);
    haft__buf_addf(buf, "| %s", types[row->type]);
    for (size_t i = 0; i < haft__metric_label_count(row); i++) {
        haft__buf_addf(buf, "%s `%s`", i == 0 ? ":" : ",", haft__label_prometheus(row->labels[i]));
    }
    haft__buf_addf(buf, " | %s |\n", row->help);
}

/* The offset of `part` in `text`; text.len if it is not there. */
static size_t find(haft_str text, const char *part)
{
    size_t at = 0, length = strlen(part);
    while (at + length <= text.len && memcmp(text.ptr + at, part, length) != 0) {
        at++;
    }
    return at + length <= text.len ? at : text.len;
}

TEST(the_page_lists_every_metric)
{
    haft__buf table, page;
    haft__buf_init(&table, 1 << 16);
    haft__buf_init(&page, 1 << 20);
    haft__buf_add_str(&table, HAFT__LIT(HEAD));
    for (size_t i = 0; i < HAFT__METRIC_COUNT; i++) {
        add_row(&table, haft__metric_row_of((haft__metric_id)i));
    }
    haft_str found = test_read_file(PAGE);
    size_t start = find(found, HEAD);
    haft_str rest = haft__str_skip(found, start);
    size_t length = find(rest, "|\n\n") + 2;
    CHECK(start < found.len, "no table in " PAGE);
    haft__buf_add(&page, found.ptr, start);
    haft__buf_add_str(&page, haft__buf_str(&table));
    haft__buf_add_str(&page, haft__str_skip(rest, length));
    if (start < found.len && !help_renew(PAGE, haft__buf_str(&page))) {
        rest.len = length;
        CHECK_STR(rest, haft__buf_str(&table), PAGE " is not current");
    }
    haft__buf_finish(&table);
    haft__buf_finish(&page);
}
