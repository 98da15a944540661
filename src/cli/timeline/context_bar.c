/* SPDX-License-Identifier: Apache-2.0 */
/* context_bar.c - see context_bar.h. Tests: tests/cli/timeline/context_bar_test.c. */
#include "cli/timeline/context_bar.h"

#include "base/str.h"
#include "cli/terminal/amount.h"

#define CELLS HAFT__CONTEXT_BAR_CELLS

typedef enum cell {
    CELL_USED,
    CELL_FREE,
    CELL_RESERVED,
    CELL_OVER,
} cell;

static const char *const cells[][2] = {
    [CELL_USED] = {"#", "\u2588"},
    [CELL_FREE] = {"-", "\u2591"},
    [CELL_RESERVED] = {".", "\u00B7"},
    [CELL_OVER] = {"!", "!"},
};

/* The number of cells for `part` of the tokens, rounded up. */
static uint64_t cells_of(uint64_t part, uint64_t tokens)
{
    uint64_t count = part >= tokens ? CELLS : (part * CELLS + tokens - 1) / tokens;
    return count < CELLS ? count : CELLS;
}

void haft__context_bar_add(haft__buf *buf, const haft__context_bar *bar, bool unicode)
{
    uint64_t used = cells_of(bar->used, bar->tokens);
    uint64_t reserved = cells_of(bar->reserve, bar->tokens);
    haft__buf_add_char(buf, '[');
    for (uint64_t i = 0; i < CELLS; i++) {
        bool over = i + 1 == CELLS && bar->used > bar->tokens;
        cell which = over                    ? CELL_OVER
                     : i < used              ? CELL_USED
                     : i >= CELLS - reserved ? CELL_RESERVED
                                             : CELL_FREE;
        haft__buf_add_str(buf, haft__str(cells[which][unicode ? 1 : 0]));
    }
    haft__buf_add_char(buf, ']');
}

void haft__context_bar_describe(haft__buf *buf, const haft__context_bar *bar, bool unicode)
{
    uint64_t budget = bar->tokens > bar->reserve ? bar->tokens - bar->reserve : 0;
    haft__context_bar_add(buf, bar, unicode);
    haft__buf_add_char(buf, ' ');
    haft__amount_add_count(buf, bar->used);
    haft__buf_add_str(buf, HAFT__LIT(" of "));
    haft__amount_add_tokens(buf, budget);
    haft__buf_add_str(buf, HAFT__LIT(", and "));
    haft__amount_add_count(buf, bar->reserve);
    haft__buf_add_str(buf, HAFT__LIT(" for the reply"));
}
