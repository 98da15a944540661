/* SPDX-License-Identifier: Apache-2.0 */
/*
 * personal.c - see run/personal/personal.h.
 *
 * Each entry reads the text that the entry before it has written: from the first to the last for a
 * text that enters the run, from the last to the first for a text that comes back. The patterns of
 * the entry are searched first, then the kinds that haft knows. Tests:
 * tests/run/personal/personal_test.c.
 */
#include "run/personal/personal.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "run/personal/detect.h"
#include "json/object.h"

#define HASH_DIGITS 8 /* enough to distinguish the people of one conversation */
#define SHOWN       4 /* characters that a mask leaves */

/* How many findings of a name an entry has replaced. */
typedef struct tally {
    haft__buf words; /* "2 email, 1 ip" */
    size_t total;
    bool blocked;
} tally;

static void add_count(tally *t, haft_str name, size_t count)
{
    if (count > 0) {
        haft__buf_addf(&t->words, "%s%zu %.*s", t->total > 0 ? ", " : "", count, HAFT__ARG(name));
        t->total += count;
    }
}

/* ---- one finding ---- */

static void add_upper(haft__buf *out, haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        haft__buf_add_char(out, haft__ascii_upper(name.ptr[i]));
    }
}

/* Replaces letters and digits by *, except the last ones of a longer text. Punctuation stays. */
static void add_masked(haft__buf *out, haft_str found)
{
    size_t total = 0, seen = 0;
    for (size_t i = 0; i < found.len; i++) {
        total += haft__ascii_is_alphanumeric(found.ptr[i]) || (found.ptr[i] & 0xC0) == 0xC0;
    }
    size_t hidden = total >= 2 * SHOWN ? total - SHOWN : total;
    for (size_t i = 0; i < found.len; i++) {
        unsigned char c = (unsigned char)found.ptr[i];
        bool tail = c >= 0x80 && c < 0xC0; /* of a character that is counted at its first byte */
        bool counts = haft__ascii_is_alphanumeric(c) || c >= 0xC0;
        seen += counts;
        if ((counts || tail) && seen <= hidden) {
            haft__buf_add_str(out, tail ? HAFT__LIT("") : HAFT__LIT("*"));
        } else {
            haft__buf_add_char(out, found.ptr[i]);
        }
    }
}

static void add_replacement(haft__buf *out, haft__redact_action action, haft_str name,
                            haft_str found)
{
    char digest[HAFT__SHA256_HEX];
    switch (action) {
    case HAFT__REDACT_REDACT:
    case HAFT__REDACT_BLOCK:
        haft__buf_add_str(out, HAFT__LIT("[REDACTED_"));
        add_upper(out, name);
        haft__buf_add_char(out, ']');
        return;
    case HAFT__REDACT_MASK: add_masked(out, found); return;
    case HAFT__REDACT_HASH:
        haft__sha256_hex(found, digest);
        haft__buf_addf(out, "<%.*s_hash:%.*s>", HAFT__ARG(name), HASH_DIGITS, digest);
        return;
    }
}

/* ---- one text ---- */

/* Searches for a regular expression. If its search takes too long, the whole text is blocked,
 * because it may have personal data. */
static void replace_pattern(const haft__redact_pattern *pattern, haft__redact_action action,
                            haft_str text, tally *t, haft__buf *out)
{
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    haft__pattern_result result = HAFT__PATTERN_NO_MEMORY;
    size_t copied = 0, at = 0, count = 0, steps = 0, start = 0, end = 0;
    while (scratch != NULL && at <= text.len) {
        result = haft__pattern_find(pattern->pattern, scratch, text, at, &start, &end);
        steps += haft__pattern_steps(scratch);
        if (result != HAFT__PATTERN_YES) {
            break;
        }
        if (steps > HAFT__LIMIT_PATTERN_MATCH + 16 * text.len) {
            result = HAFT__PATTERN_LIMIT;
            break;
        }
        if (end > start) {
            haft__buf_add_str(out, (haft_str){text.ptr + copied, start - copied});
            add_replacement(out, action, pattern->name, (haft_str){text.ptr + start, end - start});
            copied = end;
            count++;
        }
        at = end > start ? end : end + 1; /* an empty match is nothing to replace */
        while (at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80) {
            at++;
        }
    }
    haft__pattern_scratch_destroy(scratch);
    haft__buf_add_str(out, haft__str_skip(text, copied));
    add_count(t, pattern->name, count);
    if (result == HAFT__PATTERN_LIMIT) {
        haft__buf_addf(&t->words, "%sthe search for %.*s takes too many steps",
                       t->total > 0 ? ", " : "", HAFT__ARG(pattern->name));
        t->total++;
        t->blocked = true;
    } else if (result == HAFT__PATTERN_NO_MEMORY) {
        haft__buf_fail(out, HAFT_NO_MEMORY, "out of memory");
    }
}

static void replace_kinds(const haft__redact_rule *rule, haft_str text, tally *t, haft__buf *out)
{
    size_t counts[HAFT__PERSONAL_KIND_COUNT] = {0}, at = 0;
    haft__personal_finding found;
    while (haft__personal_find(text, at, rule->kinds, &found)) {
        haft__buf_add_str(out, (haft_str){text.ptr + at, found.start - at});
        add_replacement(out, rule->action, haft__str(haft__personal_kind_name(found.kind)),
                        (haft_str){text.ptr + found.start, found.end - found.start});
        counts[found.kind]++;
        at = found.end;
    }
    haft__buf_add_str(out, haft__str_skip(text, at));
    for (size_t i = 0; i < HAFT__PERSONAL_KIND_COUNT; i++) {
        add_count(t, haft__str(haft__personal_kind_name((haft__personal_kind)i)), counts[i]);
    }
}

static void report(haft__personal_report *io_report, const haft__middleware *entry, const tally *t,
                   bool blocked)
{
    static const char *const words[] = {[HAFT__REDACT_REDACT] = "redacted",
                                        [HAFT__REDACT_MASK] = "masked",
                                        [HAFT__REDACT_HASH] = "hashed"};
    haft__buf *json = &io_report->json;
    haft__buf_add_str(json, json->len > 0 ? HAFT__LIT(",{\"name\":") : HAFT__LIT("{\"name\":"));
    haft__json_write_string(json, entry->name);
    haft__buf_addf(
        json, ",\"what\":\"%s\",\"why\":", blocked ? "blocked" : words[entry->as.redact.action]);
    haft__json_write_string(json, haft__buf_str(&t->words));
    haft__buf_add_char(json, '}');
}

/* Applies one entry to the text in `io_text`; `spare` is a second buffer. */
static void apply_entry(const haft__middleware *entry, haft__buf *io_text, haft__buf *spare,
                        haft__personal_report *io_report)
{
    const haft__redact_rule *rule = &entry->as.redact;
    tally t = {.total = 0};
    haft__buf_init(&t.words, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i <= rule->pattern_count; i++) {
        haft__buf_clear(spare);
        if (i < rule->pattern_count) {
            replace_pattern(&rule->patterns[i], rule->action, haft__buf_str(io_text), &t, spare);
        } else {
            replace_kinds(rule, haft__buf_str(io_text), &t, spare);
        }
        haft__buf swapped = *io_text;
        *io_text = *spare;
        *spare = swapped;
    }
    bool blocked = t.blocked || (t.total > 0 && rule->action == HAFT__REDACT_BLOCK);
    if (t.total > 0) {
        report(io_report, entry, &t, blocked);
    }
    if (blocked) {
        io_report->blocked = true;
        haft__buf_clear(io_text);
        haft__buf_addf(io_text, "[blocked by %.*s: ", HAFT__ARG(entry->name));
        haft__buf_add_str(io_text, haft__buf_str(&t.words));
        haft__buf_add_char(io_text, ']');
    }
    if (haft__buf_check(&t.words, NULL) != HAFT_OK) {
        haft__buf_fail(io_text, HAFT_NO_MEMORY, "out of memory");
    }
    haft__buf_finish(&t.words);
}

bool haft__personal_applies(const haft__spec *spec, haft__redact_place place)
{
    bool applies = false;
    for (size_t i = 0; i < spec->middleware_count; i++) {
        const haft__middleware *entry = &spec->middleware[i];
        applies = applies || (entry->kind == HAFT__MIDDLEWARE_REDACT && entry->as.redact.at[place]);
    }
    return applies;
}

void haft__personal_replace(const haft__spec *spec, haft__redact_place place, haft_str text,
                            haft__personal_report *io_report, haft__buf *out)
{
    haft__buf now, spare;
    if (io_report->blocked) { /* another text of the same event is blocked */
        haft__buf_add_str(out, text.len > 0 ? HAFT__LIT("[blocked]") : HAFT__LIT(""));
        return;
    }
    haft__buf_init(&now, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&spare, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&now, text);
    for (size_t i = 0; i < spec->middleware_count && !io_report->blocked; i++) {
        bool enters = place == HAFT__REDACT_INPUT;
        size_t index = enters ? i : spec->middleware_count - 1 - i;
        const haft__middleware *entry = &spec->middleware[index];
        if (entry->kind == HAFT__MIDDLEWARE_REDACT && entry->as.redact.at[place]) {
            apply_entry(entry, &now, &spare, io_report);
        }
    }
    haft__buf_add_str(out, haft__buf_str(&now));
    if (haft__buf_check(&now, NULL) != HAFT_OK || haft__buf_check(&spare, NULL) != HAFT_OK) {
        haft__buf_fail(out, HAFT_NO_MEMORY, "out of memory");
    }
    haft__buf_finish(&now);
    haft__buf_finish(&spare);
}

/* Writes a text without its personal data. */
static void write_text(haft__json_writer *w, const haft__spec *spec, haft__redact_place place,
                       haft_str text, haft__personal_report *io_report)
{
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    haft__personal_replace(spec, place, text, io_report, &clean);
    haft__json_add_str(w, haft__buf_str(&clean));
    if (haft__buf_check(&clean, NULL) != HAFT_OK) {
        haft__buf_fail(w->buf, HAFT_NO_MEMORY, "out of memory");
    }
    haft__buf_finish(&clean);
}

void haft__personal_write_field(haft__json_writer *w, const char *key, const haft__spec *spec,
                                haft__redact_place place, haft_str text,
                                haft__personal_report *io_report)
{
    if (!haft__personal_applies(spec, place)) {
        haft__field_text(w, key, text);
        return;
    }
    haft__json_key(w, key);
    write_text(w, spec, place, text, io_report);
}

/* Recursion is bounded: the reader of JSON limits the depth of values. */
void haft__personal_write_value(haft__json_writer *w, const haft__spec *spec,
                                haft__redact_place place, haft__json value,
                                haft__personal_report *io_report)
{
    if (!haft__personal_applies(spec, place)) {
        haft__json_add(w, value);
    } else if (value.kind == HAFT__JSON_STRING) {
        write_text(w, spec, place, haft__json_text(value), io_report);
    } else if (value.kind == HAFT__JSON_ARRAY) {
        haft__json_begin_array(w);
        for (uint32_t i = 0; i < value.count; i++) {
            haft__personal_write_value(w, spec, place, value.items[i], io_report);
        }
        haft__json_end_array(w);
    } else if (value.kind == HAFT__JSON_OBJECT) {
        haft__json_begin_object(w);
        for (uint32_t i = 0; i < value.count; i++) {
            haft__json_key_str(w, haft__json_text(value.members[i].key));
            haft__personal_write_value(w, spec, place, value.members[i].value, io_report);
        }
        haft__json_end_object(w);
    } else {
        haft__json_add(w, value);
    }
}

void haft__personal_report_init(haft__personal_report *report)
{
    *report = (haft__personal_report){.blocked = false};
    haft__buf_init(&report->json, HAFT__LIMIT_RUN_BYTES);
}

void haft__personal_report_write(haft__json_writer *w, haft__personal_report *report)
{
    if (report->json.len > 0) {
        haft__json_key(w, "personal");
        haft__buf_add_char(w->buf, '[');
        haft__buf_add_str(w->buf, haft__buf_str(&report->json));
        haft__buf_add_char(w->buf, ']');
        w->after_key = false;
    }
    if (haft__buf_check(&report->json, NULL) != HAFT_OK) {
        haft__buf_fail(w->buf, HAFT_NO_MEMORY, "out of memory");
    }
    haft__buf_finish(&report->json);
}
