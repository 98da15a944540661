/* SPDX-License-Identifier: Apache-2.0 */
/* explain_print.c - see explain_print.h. Tests: tests/cli/explain_test.py,
 * tests/cli/families_test.py, tests/cli/formats_test.py. */
#include "cli/explain/explain_print.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cli/explain/declaration_print.h"
#include "cli/explain/tool_report_print.h"
#include "cli/models/price_print.h"
#include "cli/terminal/print.h"
#include "cli/timeline/context_bar.h"
#include "model/provider.h"
#include "prompt/estimate.h"
#include "run/offer/offer.h"
#include "json/object.h"

/* ---- the model's family ---- */

static void print_defaults(FILE *out, const haft__spec *spec)
{
    const haft__model_spec *model = &spec->model;
    const char *separator = "";
    if (model->family.gave_native) {
        (void)fprintf(out, "%s calls", model->native_tools ? "has" : "no");
        separator = ", ";
    }
    if (model->family.gave_format) {
        (void)fprintf(out, "%sformat %.*s", separator, HAFT__ARG(model->family.format));
        separator = ", ";
    }
    if (model->family.gave_context) {
        (void)fprintf(out, "%scontext %llu tokens", separator,
                      (unsigned long long)model->context_tokens);
        separator = ", ";
    }
    if (model->family.gave_size) {
        (void)fprintf(out, "%ssize %.*s B", separator, HAFT__ARG(model->size_b));
        separator = ", ";
    }
    if (model->family.reasoning_open != NULL) {
        (void)fprintf(out, "%s%s %s", separator,
                      model->family.gave_opened ? "replies begin after" : "thinks after",
                      model->family.reasoning_open);
        separator = ", ";
    }
    (void)fputs(separator[0] != '\0' ? "\n" : "nothing\n", out);
}

static void print_family(FILE *out, const haft__spec *spec)
{
    const haft__model_family *family = &spec->model.family;
    if (family->size_in_name) {
        (void)fprintf(out, "  size %.*s B, from the name\n", HAFT__ARG(spec->model.size_b));
    }
    if (family->name.len == 0) {
        return;
    }
    (void)fprintf(out, "  family %.*s, from the %.*s", HAFT__ARG(family->name),
                  HAFT__ARG(family->found_by));
    if (family->pattern.len > 0) {
        (void)fprintf(out, " (%.*s)", HAFT__ARG(family->pattern));
    }
    (void)fputs("; settings from it: ", out);
    print_defaults(out, spec);
}

/* ---- the price ---- */

static void print_price(FILE *out, const haft__model_spec *model)
{
    if (model->price.known && !haft__provider_is_local(model)) {
        (void)fputs("  price ", out);
        haft__price_print(out, &model->price);
        (void)fputc('\n', out);
    }
}

/* ---- forced turns ---- */

static void print_forced_turn(FILE *out, const haft__forced_turn *forced)
{
    bool none = forced->kind == HAFT__CONSTRAINT_NONE;
    (void)fputs("\nforced turns\n", out);
    if (forced->second_request_only) {
        (void)fprintf(out, "  %s\n",
                      forced->rule == HAFT__FORCE_NATIVE && strcmp(forced->means, "local") == 0
                          ? "requested in words, and haft checks the reply: the API has no "
                            "tool_choice"
                          : haft__force_rule_text(forced->rule));
    }
    if (none) {
        (void)fprintf(out, "  %swithout a constraint: %s\n",
                      forced->second_request_only ? "after a violation asked again the same way, "
                                                  : "",
                      forced->why);
        return;
    }
    (void)fprintf(
        out, "  %s%s of %zu bytes, in %.*s: %s\n",
        forced->second_request_only ? "after a violation the model is asked again with " : "",
        haft__constraint_name(forced->kind), forced->bytes, HAFT__ARG(forced->format), forced->why);
    for (size_t i = 0; i < forced->relaxed.count; i++) {
        const haft__relaxation *item = &forced->relaxed.items[i];
        (void)fputs("  relaxed ", out);
        haft__print_escaped(out, item->where);
        (void)fputs(": ", out);
        haft__print_escaped(out, item->what);
        (void)fputs(" became ", out);
        haft__print_escaped(out, item->became);
        (void)fputs("\n", out);
    }
    if (forced->relaxed.left_off > 0) {
        (void)fprintf(out, "  relaxed: and %zu more\n", forced->relaxed.left_off);
    }
}

/* ---- optional members ---- */

static void print_members(FILE *out, const haft__explanation *e)
{
    const haft__optional_member *row =
        e->members != NULL ? haft__member_find_row(e->members, e->sent) : NULL;
    if (row == NULL) {
        return;
    }
    (void)fputs("\noptional members of the request\n  ", out);
    const char *separator = "";
    for (; row != NULL; row = haft__member_next_row(e->members, row, e->sent)) {
        (void)fprintf(out, "%s%s", separator, row->name);
        separator = ", ";
    }
    (void)fputs(": left out if the server refuses them\n", out);
}

static void print_refused(FILE *out, const haft__explanation *e)
{
    const haft__optional_member *row =
        e->members != NULL ? haft__member_find_row(e->members, e->refused) : NULL;
    if (row == NULL) {
        return;
    }
    (void)fputs("\nmembers that the server refused in an earlier run\n  ", out);
    const char *separator = "";
    for (; row != NULL; row = haft__member_next_row(e->members, row, e->refused)) {
        (void)fprintf(out, "%s%s (HTTP %u)", separator, row->name,
                      (unsigned)e->refused_statuses[row->member]);
        separator = ", ";
    }
    (void)fputs(": left out\n", out);
}

/* ---- options ---- */

static void print_unsent(FILE *out, const haft__explanation *e)
{
    haft__json options = e->spec->model.options;
    const char *title = "\noptions that are not sent\n";
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        haft_str key = haft__json_text(options.members[i].key);
        const char *why = haft__explain_why_unsent(e, key);
        if (why != NULL) {
            (void)fprintf(out, "%s  %.*s: %s\n", title, HAFT__ARG(key), why);
            title = "";
        }
    }
}

/* ---- evidence first ---- */

static void print_evidence(FILE *out, const haft__spec *spec)
{
    if (!spec->choice.evidence_first) {
        return;
    }
    (void)fprintf(out, "\nevidence first (cost budget %u)\n", spec->choice.cost_budget);
    for (size_t i = 0; i < spec->tools.count; i++) {
        const haft__tool *tool = spec->tools.items[i];
        if (tool->role == HAFT__ROLE_DATA) {
            (void)fprintf(out, "  %.*s costs %u (%s)%s\n", HAFT__ARG(tool->name),
                          haft__evidence_cost(tool->traits.cost),
                          haft__cost_name(tool->traits.cost),
                          tool->traits.cost == HAFT__COST_HEAVY
                              ? ": only after a cheaper result, or the task, has named its file"
                              : "");
        }
    }
}

/* ---- all of it ---- */

static haft_str field(const haft__explanation *e, const char *key)
{
    const haft__json *value = haft__json_get(e->preview.turn, haft__str(key));
    return value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
}

#define SKILLS_SHOWN 20

/* Nothing without memory files. The first eight digits of a hash identify a version. */
static void print_memory(FILE *out, const haft__spec *spec)
{
    haft__json agents_md = haft__object_get(spec->source, "agents_md");
    bool none = agents_md.kind == HAFT__JSON_OBJECT && agents_md.count == 0;
    if (spec->memory_count > 0 || none) {
        (void)fputs("\nmemory\n", out);
    }
    for (size_t i = 0; i < spec->memory_count; i++) {
        const haft__memory_file *file = &spec->memory[i];
        (void)fputs("  ", out);
        haft__print_escaped(out, file->file);
        (void)fprintf(out, ": %zu bytes, about %llu tokens, sha256 %.8s%s\n", file->text.len,
                      (unsigned long long)haft__estimate_text(file->text), file->sha256.ptr,
                      file->project ? ", untrusted text of the project" : "");
    }
    if (none) {
        (void)fputs("  AGENTS.md: none found\n", out);
    }
}

/* At most SKILLS_SHOWN skills. `tools` above has the verdict on each. */
static void print_skills(FILE *out, const haft__spec *spec)
{
    size_t shown = spec->skill_count < SKILLS_SHOWN ? spec->skill_count : SKILLS_SHOWN;
    if (spec->skill_count > 0) {
        (void)fprintf(out, "\nskills (%zu)\n", spec->skill_count);
    }
    for (size_t i = 0; i < shown; i++) {
        const haft__skill *skill = &spec->skills[i];
        (void)fprintf(out, "  %.*s: ", HAFT__ARG(skill->name));
        haft__print_escaped(out, skill->folder);
        (void)fprintf(out, ", sha256 %.8s", skill->sha256.ptr);
        for (uint32_t k = 0; k < skill->allowed.count; k++) {
            (void)fputs(k == 0 ? ", then only " : " ", out);
            haft__print_escaped(out, haft__json_text(skill->allowed.items[k]));
        }
        if (skill->allowed.kind == HAFT__JSON_ARRAY && skill->allowed.count == 0) {
            (void)fputs(", then no data tools", out);
        }
        if (skill->replaces.len > 0) {
            (void)fputs(", replaces ", out);
            haft__print_escaped(out, skill->replaces);
        }
        (void)fputs("\n", out);
    }
    if (shown < spec->skill_count) {
        (void)fprintf(out, "  ... and %zu more\n", spec->skill_count - shown);
    }
}

static void print_context_rules(FILE *out, const haft__context_spec *c)
{
    if (c->clear) {
        (void)fprintf(out, "  clear: observations from %u %% on, except the last %u\n", c->clear_at,
                      c->clear_keep);
    }
    if (c->summarise) {
        haft_str model = c->summariser != NULL ? c->summariser->model.model : HAFT__LIT("");
        (void)fprintf(out, "  %s%.*s: turns from %u %% on, except the last %u\n",
                      model.len > 0 ? "summarise by " : "cut", HAFT__ARG(model), c->summarise_at,
                      c->summarise_keep);
    }
}

/* Nothing if the size of the context is unknown. */
static void print_context(FILE *out, const haft__explanation *e)
{
    const haft__context_report *r = &e->context;
    haft__context_bar bar = {.used = r->used, .tokens = r->tokens, .reserve = r->reserve};
    haft__buf text;
    if (r->tokens == 0) {
        return;
    }
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__context_bar_describe(&text, &bar, false);
    (void)fprintf(out, "\ncontext\n  %.*s\n", HAFT__ARG(haft__buf_str(&text)));
    (void)fprintf(out, "  system prompt %llu, definitions %llu, task %llu\n",
                  (unsigned long long)r->shares.system, (unsigned long long)r->shares.definitions,
                  (unsigned long long)r->shares.task);
    print_context_rules(out, &e->spec->context);
    haft__buf_finish(&text);
}

void haft__explain_print(FILE *out, const haft__explanation *e)
{
    const haft__spec *spec = e->spec;
    const haft__spec_limits *l = &spec->limits;
    const char *why;
    haft_str format = haft__offer_format(spec, &why);
    (void)fprintf(out, "%.*s\n\nmodel\n  ", HAFT__ARG(spec->name));
    haft__print_escaped(out, e->model);
    (void)fputs("\n", out);
    print_price(out, &spec->model);
    print_family(out, spec);
    for (const haft__spec *next = spec->fallback; next != NULL; next = next->fallback) {
        (void)fputs("  if it fails: ", out);
        haft__print_escaped(out, next->model.provider);
        (void)fputs(next->model.model.len > 0 ? ":" : "", out);
        haft__print_escaped(out, next->model.model);
        (void)fputs("\n", out);
        print_price(out, &next->model);
    }
    (void)fputs("\ntools\n", out);
    haft__tool_report_print_limit(out, &e->preview);
    (void)haft__tool_report_print(out, &e->preview, HAFT__LIT(""));
    haft__tool_report_print_not_enabled(out, &e->preview);
    haft__declaration_print(out, &e->declared);
    (void)fprintf(out, "\nformat\n  %.*s: %s\n", HAFT__ARG(format), why);
    print_forced_turn(out, &e->forced);
    print_members(out, e);
    print_refused(out, e);
    print_unsent(out, e);
    (void)fprintf(out, "\nfirst turn\n  %.*s%s%.*s: %.*s\n", HAFT__ARG(field(e, "mode")),
                  field(e, "tool").len > 0 ? " " : "", HAFT__ARG(field(e, "tool")),
                  HAFT__ARG(field(e, "reason")));
    print_evidence(out, spec);
    (void)fprintf(out,
                  "\nlimits\n  turns %u, calls %u, parallel %u (%s), observation_chars %u\n"
                  "  tokens %llu, wall %llu ms, invalid_calls %u, reminders %u, violations %u\n"
                  "  repeats: hint %u, refuse %u, end %u\n",
                  l->turns, l->calls, l->parallel,
                  l->overflow == HAFT__OVERFLOW_QUEUE ? "queue" : "truncate", l->observation_chars,
                  (unsigned long long)l->tokens, (unsigned long long)l->wall_ms, l->invalid_calls,
                  l->reminders, l->violations, l->repeats.hint, l->repeats.refuse, l->repeats.end);
    print_memory(out, spec);
    print_skills(out, spec);
    print_context(out, e);
    (void)fprintf(out, "\nrequest (about %zu tokens)\n", e->prompt.len / HAFT__BYTES_PER_TOKEN);
    haft__print_json(out, haft__buf_str(&e->prompt));
    (void)putc('\n', out);
}
