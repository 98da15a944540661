/* SPDX-License-Identifier: Apache-2.0 */
/* sanitize.c - converts bytes to text. Tests: tests/cli/terminal/sanitize_test.c. */
#include "cli/terminal/sanitize.h"

#include <stdbool.h>

#include "base/str.h"
#include "base/utf8.h"

static bool is_text(uint32_t code)
{
    return (code >= 0x20 && code < 0x7f) || code > 0x9f || code == '\n' || code == '\t';
}

size_t haft__sanitize_text(haft_str text, haft__buf *out)
{
    size_t replaced = 0;
    while (text.len > 0) {
        uint32_t code = 0;
        size_t length = haft__utf8_decode(text, &code);
        if (code == '\r') {
            haft__buf_add_char(out, '\n');
            length = haft__str_starts_with(text, HAFT__LIT("\r\n")) ? 2 : 1;
        } else if (length > 0 && is_text(code)) {
            haft__buf_add(out, text.ptr, length);
        } else {
            haft__buf_add_str(out, HAFT__LIT("\xef\xbf\xbd"));
            replaced++;
            length = length > 0 ? length : 1;
        }
        text = haft__str_skip(text, length);
    }
    return replaced;
}
