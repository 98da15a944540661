/* SPDX-License-Identifier: Apache-2.0 */
/* python_name.c - see python_name.h. Tests: tests/tool/python_name_test.c. */
#include "tool/python_name.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "tool/wire_name.h"

static const char *const keywords[] = {
    "False",   "None",   "True",     "and",    "as",     "assert", "async",  "await",
    "break",   "class",  "continue", "def",    "del",    "elif",   "else",   "except",
    "finally", "for",    "from",     "gather", "global", "if",     "import", "in",
    "is",      "lambda", "nonlocal", "not",    "or",     "pass",   "print",  "raise",
    "return",  "try",    "while",    "with",   "yield",
};

void haft__python_name_add(haft__buf *buf, haft_str name)
{
    haft__wire_name wire = haft__wire_name_encode(name);
    for (size_t i = 0; i < wire.len; i++) {
        char c = wire.text[i];
        haft__buf_add_char(buf, haft__ascii_is_alphanumeric(c) ? c : '_');
    }
    if (haft__str_is_one_of(haft__wire_name_str(&wire), keywords, COUNT(keywords))) {
        haft__buf_add_char(buf, '_');
    }
}
