/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/choice/no_progress.c: sequences of calls, and what is done about each.
 *
 * A call is written as tool, argument and result: "a1=7" is a(1) with result 7, "a1!7" failed with
 * error 7. The verdicts: . fine, h hint, r refuse, s stop. A capital H is a hint that the
 * result made necessary, h one that the result made unnecessary.
 */
#include "choice_help.h"

static const struct {
    const char *name, *calls, *want;
} cases[] = {
    {"nothing", "", ""},
    {"different calls", "a1=1 a2=2 b1=1 b2=2", "...."},
    {"the same call again and again", "a1=1 a1=1 a1=1 a1=1", ".Hrs"},
    {"with another result each time", "a1=1 a1=2 a1=3 a1=4 a1=5", ".hhhh"},
    {"that stops changing", "a1=1 a1=2 a1=2 a1=2 a1=2", ".hHrs"},
    {"something new in between", "a1=1 a1=1 b1=1 a1=1 a1=1 a1=1", ".H..Hr"},
    {"something new after a refusal", "a1=1 a1=1 a1=1 b1=1 a1=1", ".Hr.."},
    {"and it starts at the beginning", "a1=1 a1=1 a1=1 b1=3 b1=3 b1=3 b1=3", ".Hr.Hrs"},
    {"other arguments, the same result", "a1=1 a2=1 a3=1 a4=1", "...."},
    {"other tools, the same result", "a1=1 b1=1 c1=1 d1=1", "...."},

    {"A-B-A-B", "a1=1 b1=2 a1=1 b1=2 a1=1 b1=2", "...Hrs"},
    {"A-B-A-B, then A twice", "a1=1 b1=2 a1=1 b1=2 a1=1 a1=1", "...Hrs"},
    {"A-B-A-B, B again", "a1=1 b1=2 a1=1 b1=2 b1=2 b1=2", "...Hrs"},
    {"A-B-A-B, then C", "a1=1 b1=2 a1=1 b1=2 c1=3 a1=1", "...H.."},
    {"A-B-A with something new", "a1=1 b1=2 a1=3 b1=2 a1=3 b1=2", "....Hr"},
    {"A-B-A-B with something new at the end", "a1=1 b1=2 a1=1 b1=3 a1=1 b1=4", "...h.h"},
    {"A-B-C-A-B-C", "a1=1 b1=2 c1=3 a1=1 b1=2 c1=3", "......"},

    {"the same error again", "a1!1 a1!1 a1!1 a1!1", ".Hrs"},
    {"the same error, other arguments", "a1!1 a2!1 a3!1 a4!1 a5!1", ".HHrs"},
    {"one that mends it", "a1!1 a2!1 a3=2 a4=2", ".H.."},
    {"another tool is not refused for it", "a1!1 a2!1 a3!1 b1=1 a4!1", ".HH.."},
    {"after a refusal another tool", "a1!1 a2!1 a3!1 a4!1 b1=1 a4!1", ".HHr.."},
    {"the same error of other tools", "a1!1 b1!1 c1!1 d1!1", "...."},
    {"other errors", "a1!1 a2!2 a3!3 a4!4", "...."},
    {"a result that looks like the error", "a1!1 a2=1 a3!1 a4!1", "...H"},
    {"an error that looks like the result", "a1=1 a2!1 a3!1", "..H"},
    {"same call, then the same error", "a1!1 a1!1 a2!1 a3!1 a4!1", ".HHrs"},
    {"two errors and another before them", "a1!2 a2!1 a3!1 a4!1 a5!1", "..HHr"},
    {"a different error in the middle", "a1!1 a2!2 a3!1 a4!1", "...H"},
};

static haft__no_progress_call parse(haft_str word)
{
    return (haft__no_progress_call){.tool = (uint64_t)word.ptr[0],
                                    .call = (uint64_t)word.ptr[0] << 8 | (uint64_t)word.ptr[1],
                                    .result = (uint64_t)word.ptr[3],
                                    .failed = word.ptr[2] == '!'};
}

/* What a host does with one call. */
static char take(haft__no_progress *progress, haft__no_progress_call call)
{
    switch (haft__no_progress_check(progress, call.tool, call.call)) {
    case HAFT__NO_PROGRESS_FINE: return haft__no_progress_note(progress, call) ? 'H' : '.';
    case HAFT__NO_PROGRESS_HINT: return haft__no_progress_note(progress, call) ? 'H' : 'h';
    case HAFT__NO_PROGRESS_REFUSE: haft__no_progress_note_refused(progress); return 'r';
    case HAFT__NO_PROGRESS_STOP: return 's';
    }
    return '?';
}

TEST(circles_lead_to_a_hint_a_refusal_and_the_end)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__no_progress progress = {.count = 0};
        char found[16];
        size_t count = 0;
        haft_str rest = haft__str(cases[i].calls);
        for (haft_str word = help_word(&rest); word.len > 0; word = help_word(&rest)) {
            found[count++] = take(&progress, parse(word));
        }
        CHECK_STR(((haft_str){found, count}), haft__str(cases[i].want), "%s: %s", cases[i].name,
                  cases[i].calls);
    }
}

/* All sequences of calls of two tools, two arguments and two results: a new call (neither the last
 * one, nor one of the last three) of a tool that did not fail is never refused, and a model that
 * only repeats itself is stopped. */
static void check_sequence(unsigned sequence, unsigned length)
{
    haft__no_progress progress = {.count = 0};
    for (unsigned i = 0; i < length; i++, sequence /= 8) {
        haft__no_progress_call call = {.tool = 1 + (sequence & 1),
                                       .call = 10 * (1 + (sequence & 1)) + (sequence >> 1 & 1),
                                       .result = 1 + (sequence >> 2 & 1)};
        bool seen = false;
        for (uint32_t k = 0; k < progress.count; k++) {
            seen |= progress.last[k].call == call.call;
        }
        char verdict = take(&progress, call);
        CHECK(seen || verdict == '.', "sequence %u, call %u: %c", sequence, i, verdict);
        CHECK(progress.refused <= progress.repeated && progress.refused <= 1, "counts");
    }
    const haft__no_progress_call again = {.tool = 9, .call = 90, .result = 1};
    (void)take(&progress, again);
    CHECK_INT(take(&progress, again), 'H', "hint");
    CHECK_INT(take(&progress, again), 'r', "refusal");
    CHECK_INT(take(&progress, again), 's', "end");
}

TEST(nothing_new_is_ever_refused)
{
    for (unsigned sequence = 0; sequence < 1 << 15; sequence++) {
        check_sequence(sequence, 5);
    }
}

static const struct {
    haft__no_progress_verdict verdict;
    const char *want;
} texts[] = {
    {HAFT__NO_PROGRESS_FINE, ""},
    {HAFT__NO_PROGRESS_HINT, "This brought nothing new: it is what came back before. Use what you "
                             "have, call grep with other arguments, or try another tool."},
    {HAFT__NO_PROGRESS_REFUSE,
     "Not run: calling grep in this way has brought nothing new. Use what you have, or do "
     "something else; the next repetition ends the run."},
    {HAFT__NO_PROGRESS_STOP, "no progress: grep was called again after a repetition was refused"},
};

TEST(the_texts_for_the_model)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__buf_clear(&buf);
        haft__no_progress_explain(&buf, texts[i].verdict, HAFT__LIT("grep"));
        CHECK_STR(haft__buf_str(&buf), haft__str(texts[i].want), "verdict %d", texts[i].verdict);
    }
    haft__buf_finish(&buf);
}
