/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/codemode.c: blocks of code. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just `text`.", .content = "Just `text`."},
    {.name = "a block", .text = "```python\nx = 1\n```", .code = "x = 1"},
    {.name = "a short word", .text = "```py\nx = 1\n```\n", .code = "x = 1"},
    {.name = "a tag", .text = "<code>x = 1</code>", .code = "x = 1"},
    {.name = "two",
     .text = "A\n```python\nx = 1\n```\nB\n<code>y</code>\nC",
     .content = "A\nB\n\nC",
     .code = "x = 1\n\ny"},
    {.name = "CRLF", .text = "```python\r\nx\r\n```\r\n", .code = "x\r"},
    {.name = "backticks inside",
     .text = "```python\ns = \"```\" # ```\n  ```\nx\n```\n",
     .code = "s = \"```\" # ```\n  ```\nx"},
    {.name = "another language", .text = "```bash\nls\n```\n", .content = "```bash\nls\n```\n"},
    {.name = "none", .text = "```\nx\n```", .content = "```\nx\n```"},
    {.name = "nearly",
     .text = "```python3\nx\n```\n```pyx\n```",
     .content = "```python3\nx\n```\n```pyx\n```"},
    {.name = "an empty block", .text = "```python\n```\nx", .content = "x"},
    {.name = "something after the end", .text = "```python\nx\n```y\n```\n", .code = "x\n```y"},
    {.name = "white space after it", .text = "```python\nx\n```  \ny", .content = "y", .code = "x"},
    {.name = "the other's end",
     .text = "<code>```python\nx\n```</code>",
     .code = "```python\nx\n```"},
    {.name = "cut",
     .text = "A ```python\nx = \"unf",
     .content = "A",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in a tag",
     .text = "<code>x</cod",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in the word", .text = "```pyth", .content = "```pyth"},
    {.name = "calls are not searched for",
     .text = "```python\nf(a=1) # <tool_call>\n```",
     .code = "f(a=1) # <tool_call>"},
    {.name = "reasoning",
     .text = "<think>```python\nx\n```</think>y",
     .content = "y",
     .reasoning = "```python\nx\n```"},
};

TEST(texts_of_codemode_are_read_at_every_cut)
{
    help_check_cases("codemode", cases, COUNT(cases));
}
