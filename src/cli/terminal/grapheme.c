/* SPDX-License-Identifier: Apache-2.0 */
/* grapheme.c - finds a character and its marks. Tests: tests/cli/terminal/grapheme_test.c. */
#include "cli/terminal/grapheme.h"

#include "base/str.h"
#include "base/utf8.h"
#include "cli/terminal/width.h"

size_t haft__grapheme_next(haft_str text, unsigned *ret_cells)
{
    uint32_t code = HAFT__UTF8_REPLACEMENT;
    size_t length = haft__utf8_decode(text, &code);
    length = length > 0 || text.len == 0 ? length : 1;
    unsigned cells = length > 0 ? haft__width_of_code(code) : 0;
    if (code < ' ') { /* a line feed or a tab has no marks */
        *ret_cells = cells;
        return length;
    }
    for (size_t more = length; more > 0; length += more) {
        more = haft__utf8_decode(haft__str_skip(text, length), &code);
        more = more > 0 && haft__width_of_code(code) == 0 ? more : 0;
    }
    *ret_cells = cells;
    return length;
}
