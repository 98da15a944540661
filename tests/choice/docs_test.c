/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests docs/choice.md: its examples agree with the code. Each example is a block `policy`, a table
 * of turns and, if the model gets a text, a block `to_model`; sequences of calls for the
 * no-progress detector have their own tables. The test reads the actions of the model from a table,
 * and computes and compares all other columns.
 */
#include "base/hash.h"
#include "driver.h"

#define TURNS_HEAD "| turn | mode | allowed | why | the model | what becomes of it |"
#define CALLS_HEAD "| reply | call | comes back | what haft does |"

typedef struct example {
    haft__spec spec;
    haft__choice_tool tools[DRIVE_TOOLS];
    size_t tool_count, found_count; /* all tools; how many, at the end, only tool_search finds */
    bool deferred;                  /* there are tools that only tool_search finds */
    haft__phase phases[DRIVE_PHASES];
    drive run;
    bool started;
    haft__buf row, log, texts;
} example;

/* ---- the policy ---- */

static void add_tools(example *e, haft_str list, haft__tool_role role)
{
    for (haft_str name = help_word(&list); name.len > 0; name = help_word(&list)) {
        CHECK(e->tool_count < DRIVE_TOOLS, "too many tools");
        e->tools[e->tool_count++] = (haft__choice_tool){.name = name, .role = role};
    }
}

static char *keep(haft_str s)
{
    char *copy = test_alloc(s.len + 1);
    memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}

static void add_phase(example *e, haft_str text)
{
    haft_str name = haft__str_trim(haft__str_split(&text, '='));
    haft__phase *phase = &e->phases[e->spec.phase_count++];
    phase->name = name;
    phase->tools = help_names(keep(text), &phase->tool_count);
    e->spec.phases = e->phases;
}

static uint32_t number(haft_str text)
{
    uint64_t value = 0;
    CHECK(haft__str_to_u64(text, &value), "not a number: %.*s", HAFT__ARG(text));
    return (uint32_t)value;
}

static bool is(haft_str s, const char *text)
{
    return haft__str_equal(s, haft__str(text));
}

static void read_policy_line(example *e, haft_str line)
{
    haft_str value = line;
    haft_str key = haft__str_split(&value, ':');
    value = haft__str_trim(value);
    if (is(key, "kind")) {
        bool workflow = is(value, "workflow");
        CHECK(workflow || is(value, "agent"), "unknown kind %.*s", HAFT__ARG(value));
        e->spec.kind = workflow ? HAFT__SPEC_WORKFLOW : HAFT__SPEC_AGENT;
        e->spec.choice.gate |= workflow;
    } else if (is(key, "data")) {
        add_tools(e, value, HAFT__ROLE_DATA);
    } else if (is(key, "neutral")) {
        add_tools(e, value, HAFT__ROLE_NEUTRAL);
    } else if (is(key, "control")) {
        add_tools(e, value, HAFT__ROLE_CONTROL);
    } else if (is(key, "artifact")) {
        add_tools(e, value, HAFT__ROLE_ARTIFACT);
    } else if (is(key, "artifact, when the gate opens")) {
        size_t first = e->tool_count;
        add_tools(e, value, HAFT__ROLE_ARTIFACT);
        for (size_t i = first; i < e->tool_count; i++) {
            e->tools[i].hidden = true;
        }
    } else if (is(key, "deferred")) {
        size_t first = e->tool_count;
        add_tools(e, is(value, "nothing that fits") ? HAFT__LIT("") : value, HAFT__ROLE_DATA);
        e->found_count = e->tool_count - first;
        e->deferred = true;
    } else if (is(key, "phase")) {
        add_phase(e, value);
    } else if (is(key, "min_tools_for_auto")) {
        e->spec.choice.gate = true;
        e->spec.choice.min_tools_for_auto = number(value);
    } else if (is(key, "schedule")) {
        help_schedule(&e->spec.choice, keep(value));
    } else if (is(key, "default")) {
        e->spec.choice.default_choice = help_tool_choice(value);
    } else if (is(key, "turns")) {
        e->spec.limits.turns = number(value);
    } else {
        CHECK(false, "unknown line of a policy: %.*s", HAFT__ARG(line));
    }
}

/* ---- the turns ---- */

static size_t find_tool(const drive *run, haft_str name)
{
    for (size_t i = 0; i < run->tool_count; i++) {
        if (haft__str_equal(run->tools[i].name, name)) {
            return i;
        }
    }
    return DRIVE_NO_TOOL;
}

/* "nothing", "text", or "calls" and words: names, each optionally followed by (invalid) or
 * (rejected), and `and`. */
static drive_reply read_reply(const drive *run, haft_str text)
{
    drive_reply reply = {.text = is(text, "text")};
    haft_str first = help_word(&text);
    CHECK(is(first, "text") || is(first, "nothing") || is(first, "calls"),
          "the model cannot do '%.*s'", HAFT__ARG(first));
    for (haft_str word = help_word(&text); word.len > 0; word = help_word(&text)) {
        if (is(word, "(invalid)")) {
            reply.calls[reply.call_count - 1].outcome = DRIVE_INVALID;
        } else if (is(word, "(rejected)")) {
            reply.calls[reply.call_count - 1].outcome = DRIVE_REJECTED;
        } else if (!is(word, "and")) {
            size_t tool = find_tool(run, word);
            CHECK(tool != DRIVE_NO_TOOL || is(word, "nosuch"), "there is no tool %.*s",
                  HAFT__ARG(word));
            CHECK(reply.call_count < DRIVE_CALLS, "too many calls");
            reply.calls[reply.call_count++].tool = tool;
        }
    }
    return reply;
}

/* The n-th cell of a row, from 1. */
static haft_str cell(haft_str row, int n)
{
    (void)haft__str_split(&row, '|');
    haft_str found = haft__str_split(&row, '|');
    for (int i = 1; i < n; i++) {
        found = haft__str_split(&row, '|');
    }
    return haft__str_trim(found);
}

static void play_row(example *e, haft_str row)
{
    drive *run = &e->run;
    if (!e->started) {
        e->started = true;
        drive_start(run, &e->spec, e->tools, e->tool_count, e->found_count, e->deferred);
    }
    CHECK(run->end == NULL, "the run has ended before %.*s", HAFT__ARG(row));
    bool allowed[DRIVE_TOOLS];
    haft__choice choice;
    drive_choose(run, allowed, &choice);
    haft__choice_facts facts = drive_facts(run);
    haft__buf_clear(&e->row);
    haft__buf_addf(&e->row, "| %u | %s%s%.*s | ", run->turn, help_mode(choice.mode),
                   choice.tool.len > 0 ? " " : "", HAFT__ARG(choice.tool));
    size_t before = e->row.len;
    help_add_allowed(&e->row, &choice, &facts);
    haft__buf_addf(&e->row, "%s | %s | ", e->row.len == before ? "-" : "", choice.reason);

    haft_str reply_text = cell(row, 5);
    drive_reply reply = read_reply(run, reply_text);
    haft__buf_clear(&e->log);
    drive_take(run, &choice, &reply, &(drive_watch){.log = &e->log, .texts = &e->texts});
    haft__buf_addf(&e->row, "%.*s | %.*s |", HAFT__ARG(reply_text),
                   HAFT__ARG(haft__buf_str(&e->log)));
    CHECK_STR(row, haft__buf_str(&e->row), "turn %u", run->turn);
}

static void example_begin(example *e)
{
    haft__buf_clear(&e->texts);
    e->spec = help_spec();
    e->tool_count = e->found_count = 0;
    e->deferred = false;
    e->started = false;
}

static void example_end(const example *e)
{
    CHECK(!e->started || e->run.end != NULL, "an example stops before its run has ended");
    CHECK_STR(haft__buf_str(&e->texts), HAFT__LIT(""),
              "a text for the model that the page does not show");
}

/* ---- sequences of calls ---- */

static uint64_t hash(haft_str s)
{
    return haft__hash((haft__hash_key){1, 2}, s) | 1;
}

static const char *play_call(haft__no_progress *progress, uint32_t turn, haft_str call,
                             haft_str result)
{
    const haft__spec spec = help_spec();
    haft_str rest = call;
    const haft__no_progress_call c = {.tool = hash(haft__str_split(&rest, ' ')),
                                      .call = hash(call),
                                      .result = hash(result),
                                      .failed = haft__str_starts_with(result, HAFT__LIT("error"))};
    haft__no_progress_verdict verdict =
        haft__no_progress_check(progress, &spec.limits.repeats, c.tool, c.call, turn);
    switch (verdict) {
    case HAFT__NO_PROGRESS_FINE: (void)haft__no_progress_note(progress, c, turn); return "runs it";
    case HAFT__NO_PROGRESS_HINT:
        return haft__no_progress_note(progress, c, turn) ? "runs it, and hints" : "runs it";
    case HAFT__NO_PROGRESS_REFUSE:
        haft__no_progress_note_refused(progress, c.tool, turn);
        return "refuses it";
    case HAFT__NO_PROGRESS_STOP: return "ends the run";
    }
    return "";
}

/* ---- the page ---- */

typedef enum part {
    PART_TEXT,
    PART_POLICY,
    PART_TO_MODEL,
    PART_TURNS,
    PART_CALLS,
} part;

static part begin_part(example *e, haft__no_progress *progress, haft_str line)
{
    if (is(line, "```policy")) {
        example_end(e);
        example_begin(e);
        return PART_POLICY;
    }
    if (is(line, CALLS_HEAD)) {
        *progress = (haft__no_progress){0};
        return PART_CALLS;
    }
    return is(line, "```to_model") ? PART_TO_MODEL : is(line, TURNS_HEAD) ? PART_TURNS : PART_TEXT;
}

static bool ends_part(part now, haft_str line)
{
    bool table = now == PART_TURNS || now == PART_CALLS;
    return table ? line.len == 0 : is(line, "```");
}

static void read_line(example *e, haft__no_progress *progress, part now, haft_str line,
                      haft__buf *to_model)
{
    if (now == PART_POLICY) {
        read_policy_line(e, line);
    } else if (now == PART_TO_MODEL) {
        haft__buf_addf(to_model, "%.*s\n", HAFT__ARG(line));
    } else if (now == PART_TURNS && !haft__str_starts_with(line, HAFT__LIT("|---"))) {
        play_row(e, line);
    } else if (now == PART_CALLS && !haft__str_starts_with(line, HAFT__LIT("|---"))) {
        char number[16];
        (void)snprintf(number, sizeof(number), "%.*s", HAFT__ARG(cell(line, 1)));
        const char *does =
            play_call(progress, (uint32_t)strtoul(number, NULL, 10), cell(line, 2), cell(line, 3));
        CHECK_STR(cell(line, 4), haft__str(does), "%.*s", HAFT__ARG(line));
    }
}

TEST(the_examples_of_the_page_match_the_code)
{
    haft_str page = test_read_file("docs/choice.md");
    CHECK(page.ptr != NULL, "docs/choice.md cannot be read");
    example *e = test_alloc(sizeof(*e));
    memset(e, 0, sizeof(*e));
    haft__buf texts;
    haft__buf_init(&texts, 1 << 16);
    haft__buf_init(&e->row, 4096);
    haft__buf_init(&e->log, 4096);
    haft__buf_init(&e->texts, 1 << 16);
    haft__no_progress progress = {0};
    part now = PART_TEXT;
    size_t parts[PART_CALLS + 1] = {0};
    while (page.len > 0) {
        haft_str line = haft__str_split(&page, '\n');
        if (now == PART_TEXT) {
            now = begin_part(e, &progress, line);
            parts[now]++;
        } else if (ends_part(now, line)) {
            if (now == PART_TO_MODEL) {
                CHECK_STR(haft__buf_str(&texts), haft__buf_str(&e->texts),
                          "the correction for the model");
                haft__buf_clear(&texts);
                haft__buf_clear(&e->texts);
            }
            now = PART_TEXT;
        } else {
            read_line(e, &progress, now, line, &texts);
        }
    }
    example_end(e);
    CHECK(parts[PART_TURNS] >= 8 && parts[PART_TURNS] == parts[PART_POLICY], "%zu examples",
          parts[PART_TURNS]);
    CHECK(parts[PART_CALLS] >= 3, "%zu sequences of calls", parts[PART_CALLS]);
    haft__buf_finish(&texts);
    haft__buf_finish(&e->row);
    haft__buf_finish(&e->log);
    haft__buf_finish(&e->texts);
}

TEST(the_page_names_every_violation)
{
    haft_str page = test_read_file("docs/choice.md");
    for (int i = HAFT__VIOLATION_NONE + 1; i <= HAFT__VIOLATION_CALLS; i++) {
        char quoted[64];
        (void)snprintf(quoted, sizeof(quoted), "\n| `%s` |",
                       haft__violation_name((haft__violation)i));
        const char *text = keep(page);
        CHECK(strstr(text, quoted) != NULL, "docs/choice.md has no row of %s", quoted);
    }
}
