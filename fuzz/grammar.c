/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of grammars. The input is a JSON Schema, tried with one format or server that its
 * bytes choose; input that is not JSON is skipped.
 *   - in each format, llama.cpp would accept the grammar of a tool with this schema: it parses, has
 *     no left recursion and no count that is too large, and keeps its size limit;
 *   - the same schema gives the same bytes;
 *   - no grammar accepts an empty reply, or one that begins with prose;
 *   - the schema for each server is JSON that compiles.
 */
#include <string.h>

/* NOLINTNEXTLINE(bugprone-suspicious-include): the grammar reader of the tests */
#include "../tests/format/gbnf_help.c"
#include "base/limits.h"
#include "base/str.h"
#include "format/grammar/grammar.h"
#include "fuzz.h"
#include "json/read.h"

/* Small, so that grammars often must be reduced. */
#define MAX_BYTES 8192

static haft_status write_gbnf(haft__buf *buf, const haft__format *format, haft__format_tool *tool,
                              uint8_t form)
{
    haft__grammar_options options = {.several = true, .form = form, .max_bytes = MAX_BYTES};
    return haft__grammar_gbnf(buf, format, tool, 1, NULL, HAFT__MODE_ANY, (haft_str){"", 0},
                              &options, NULL, NULL);
}

static void check_gbnf(const haft__format *format, haft__format_tool *tool, uint8_t form)
{
    haft__buf first, second;
    haft__buf_init(&first, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_init(&second, HAFT__LIMIT_GRAMMAR_BYTES);
    haft_status status = write_gbnf(&first, format, tool, form);
    REQUIREF(status == HAFT_OK, "%s: status %d", format->name, status);
    REQUIREF(first.len <= MAX_BYTES, "%s: %zu bytes", format->name, first.len);
    REQUIRE(write_gbnf(&second, format, tool, form) == HAFT_OK);
    REQUIREF(haft__str_equal(haft__buf_str(&first), haft__buf_str(&second)), "%s: the bytes differ",
             format->name);
    const char *why = NULL;
    gbnf *grammar = gbnf_read(haft__buf_str(&first), &why);
    REQUIREF(grammar != NULL, "%s: %s\n%.*s", format->name, why, HAFT__ARG(haft__buf_str(&first)));
    REQUIREF(!gbnf_accepts(grammar, HAFT__LIT("")), "%s: accepts an empty reply", format->name);
    REQUIREF(!gbnf_begins(grammar, HAFT__LIT("I am")), "%s: accepts prose", format->name);
    gbnf_free(grammar);
    haft__buf_finish(&first);
    haft__buf_finish(&second);
}

static void check_schema(haft__schema_target target, haft__format_tool *tool)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_GRAMMAR_BYTES);
    haft_status status = haft__grammar_schema(&buf, target, NULL, tool, 1, NULL, HAFT__MODE_ANY,
                                              (haft_str){"", 0}, NULL, NULL, NULL);
    REQUIREF(status == HAFT_OK || status == HAFT_TOO_BIG, "status %d", status);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    REQUIREF(status != HAFT_OK
                 || haft__json_read(&arena, haft__buf_str(&buf), NULL, &value, NULL, NULL)
                        == HAFT_OK,
             "no JSON: %.*s", HAFT__ARG(haft__buf_str(&buf)));
    haft__arena_finish(&arena);
    haft__buf_finish(&buf);
}

/* The format or server that this input is tried with. */
static size_t pick(const uint8_t *data, size_t size)
{
    size_t sum = size;
    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + data[i];
    }
    return sum;
}

static void check(size_t choice, haft__format_tool *tool)
{
    static const char *const formats[] = {"hermes", "pythonic", "qwen3coder", "mistral"};
    static const haft__schema_target targets[] = {HAFT__TARGET_OPENAI, HAFT__TARGET_VLLM,
                                                  HAFT__TARGET_OLLAMA};
    choice %= COUNT(formats) + COUNT(targets);
    if (choice >= COUNT(formats)) {
        check_schema(targets[choice - COUNT(formats)], tool);
        return;
    }
    const haft__format *format = haft__format_find(haft__str(formats[choice]));
    for (size_t form = 0; form < haft__grammar_forms(format); form++) {
        check_gbnf(format, tool, (uint8_t)form);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__format_tool tool = {.name = HAFT__LIT("act")};
    haft_str text = {(const char *)data, size};
    if (haft__json_read(&arena, text, NULL, &tool.parameters, NULL, NULL) == HAFT_OK) {
        check(pick(data, size), &tool);
    }
    haft__arena_finish(&arena);
    return 0;
}
