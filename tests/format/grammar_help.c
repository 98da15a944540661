/* SPDX-License-Identifier: Apache-2.0 */
/* grammar_help.c - see grammar_help.h. */
#include "grammar_help.h"

#include "base/limits.h"
#include "test.h"
#include "json/read.h"

void help_grammar_tools(help_grammar *h, const char *tools)
{
    *h = (help_grammar){0};
    haft__arena_init(&h->arena, 0);
    haft__relax_report_init(&h->report, &h->arena);
    haft__buf_init(&h->text, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_init(&h->notes, 1 << 20);
    haft__json value = {0};
    haft_status status = haft__json_read(&h->arena, haft__str(tools), NULL, &value, NULL, &h->err);
    CHECK(status == HAFT_OK, "%s: %s", h->err.message, tools);
    for (uint32_t i = 0; i < value.count && i < HELP_TOOLS; i++) {
        h->tools[h->count++] = (haft__format_tool){.name = haft__json_text(value.members[i].key),
                                                   .parameters = value.members[i].value};
    }
}

void help_grammar_make(help_grammar *h, const char *format, const char *tool,
                       const haft__grammar_options *options)
{
    const haft__format *found = haft__format_find(haft__str(format));
    h->status = haft__grammar_gbnf(
        &h->text, found, h->tools, h->count, NULL, tool != NULL ? HAFT__MODE_TOOL : HAFT__MODE_ANY,
        haft__str(tool != NULL ? tool : ""), options, &h->report, &h->err);
    haft__relax_report_write(&h->notes, &h->report);
    const char *why = NULL;
    h->grammar = h->status == HAFT_OK ? gbnf_read(haft__buf_str(&h->text), &why) : NULL;
    CHECK(h->status != HAFT_OK || h->grammar != NULL, "%s: %s in\n%.*s", format, why,
          HAFT__ARG(haft__buf_str(&h->text)));
}

void help_grammar_finish(help_grammar *h)
{
    gbnf_free(h->grammar);
    haft__buf_finish(&h->text);
    haft__buf_finish(&h->notes);
    haft__arena_finish(&h->arena);
}

static void check_parsed(help_grammar *h, const char *format, const char *text)
{
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_input input = {
        .format = format, .text = haft__str(text), .tools = h->tools, .tool_count = h->count};
    help_parse(&input, 0, 0, &parsed);
    bool code = strcmp(format, "codemode") == 0;
    CHECK(code ? parsed.code.len > 0 : parsed.count > 0, "%s: no call in %s", format, text);
    CHECK(parsed.errors.len == 0 && parsed.content.len == 0, "%s: %.*s%.*s in %s", format,
          HAFT__ARG(haft__buf_str(&parsed.errors)), HAFT__ARG(haft__buf_str(&parsed.content)),
          text);
    help_parsed_finish(&parsed);
}

void help_grammar_check(help_grammar *h, const char *format, const char *text, bool wanted)
{
    if (h->grammar == NULL) {
        return;
    }
    bool taken = gbnf_accepts(h->grammar, haft__str(text));
    CHECK(taken == wanted, "%s: the grammar %s\n%s\n%.*s", format, taken ? "accepts" : "rejects",
          text, HAFT__ARG(haft__buf_str(&h->text)));
    if (taken && strstr(text, "\"answer\"") == NULL) {
        check_parsed(h, strcmp(format, "native") == 0 ? "purejson" : format, text);
    }
}
