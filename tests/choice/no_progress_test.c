/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/choice/no_progress.c: sequences of calls, and the verdict about each call.
 *
 * A call is written as tool, argument and result: "a1=7" is a(1) with result 7, "a1!7" failed with
 * error 7. Each call is a reply of its own; "+a1=7" is of the same reply as the call before. The
 * limits are 2, 4 and 6. The verdicts: . fine, r refuse, s stop; H is a hint that the model
 * reads, h one that a new result made unnecessary.
 */
#include "choice_help.h"

static const haft__repeat_limits limits = {.hint = 2, .refuse = 4, .end = 6};

static const struct {
    const char *name, *calls, *want;
} cases[] = {
    {"nothing", "", ""},
    {"different calls", "a1=1 a2=2 b1=1 b2=2", "...."},
    {"the same call again and again", "a1=1 a1=1 a1=1 a1=1 a1=1 a1=1", ".HHrrs"},
    {"the same call with another result each time", "a1=1 a1=2 a1=3 a1=4 a1=5 a1=6", ".hhhhh"},
    {"a result that changes once", "a1=1 a1=2 a1=2 a1=2 a1=2 a1=2 a1=2", ".hHHrrs"},
    {"a new call between repetitions", "a1=1 a1=1 a1=1 b1=1 a1=1 a1=1", ".HH.HH"},
    {"a new call before each repetition", "a1=1 b1=1 a1=1 b2=1 a1=1 b3=1 a1=1 b4=1", "..H.H.H."},
    {"a new call after a refusal", "a1=1 a1=1 a1=1 a1=1 b1=1 a1=1", ".HHr.H"},
    {"other arguments, the same result", "a1=1 a2=1 a3=1 a4=1 a5=1 a6=1", "......"},
    {"other tools, the same result", "a1=1 b1=1 c1=1 d1=1 e1=1 f1=1", "......"},

    {"A-B-A-B", "a1=1 b1=2 a1=1 b1=2 a1=1 b1=2 a1=1 b1=2 a1=1 b1=2 a1=1", "..HHHHrrrrs"},
    {"A-B-A-B, then C", "a1=1 b1=2 a1=1 b1=2 c1=3 a1=1", "..HH.."},
    {"A-B-A with something new", "a1=1 b1=2 a1=3 b1=2 a1=3 b1=2", "..hHHH"},
    {"A-B-C-A-B-C", "a1=1 b1=2 c1=3 a1=1 b1=2 c1=3 a1=1 b1=2 c1=3", "........."},

    {"the same error again", "a1!1 a1!1 a1!1 a1!1 a1!1 a1!1", ".HHrrs"},
    {"the same error, other arguments", "a1!1 a2!1 a3!1 a4!1 a5!1 a6!1", ".HHrrs"},
    {"a call that succeeds after errors", "a1!1 a2!1 a3=2 a4=2", ".Hhh"},
    {"another tool is not refused for these errors", "a1!1 a2!1 a3!1 b1=1 a4!1", ".HH.H"},
    {"the same error of other tools", "a1!1 b1!1 c1!1 d1!1", "...."},
    {"other errors", "a1!1 a2!2 a3!3 a4!4", ".hhh"},
    {"a result that looks like the error", "a1!1 a1=1 a1!1", ".hH"},

    {"equal calls of one reply", "a1=1 +a1=1 +a1=1 +a1=1 +a1=1 +a1=1 +a1=1", "......."},
    {"equal calls in two replies", "a1=1 +a1=1 +a1=1 a1=1 +a1=1 +a1=1", "...HHH"},
    {"each reply moves on by one stage",
     "a1=1 +a1=1 a1=1 +a1=1 a1=1 +a1=1 a1=1 +a1=1 a1=1 +a1=1 a1=1", "..HHHHrrrrs"},
    {"two calls in each reply", "a1=1 +b1=2 a1=1 +b1=2 a1=1 +b1=2 a1=1 +b1=2", "..HHHHrr"},
    {"errors of one reply", "a1!1 +a2!1 +a3!1 +a4!1 a5!1", "....H"},
};

static haft__no_progress_call parse(haft_str word)
{
    return (haft__no_progress_call){.tool = (uint64_t)word.ptr[0],
                                    .call = (uint64_t)word.ptr[0] << 8 | (uint64_t)word.ptr[1],
                                    .result = (uint64_t)word.ptr[3],
                                    .failed = word.ptr[2] == '!'};
}

/* Judges one call and records it, as a host does. Returns the verdict. */
static char apply(haft__no_progress *progress, haft__no_progress_call call, uint32_t turn)
{
    switch (haft__no_progress_check(progress, &limits, call.tool, call.call, turn)) {
    case HAFT__NO_PROGRESS_FINE: (void)haft__no_progress_note(progress, call, turn); return '.';
    case HAFT__NO_PROGRESS_HINT: return haft__no_progress_note(progress, call, turn) ? 'H' : 'h';
    case HAFT__NO_PROGRESS_REFUSE:
        haft__no_progress_note_refused(progress, call.tool, turn);
        return 'r';
    case HAFT__NO_PROGRESS_STOP: return 's';
    }
    return '?';
}

TEST(repetitions_are_hinted_at_then_refused_then_ended)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__no_progress progress = {0};
        char found[16];
        size_t count = 0;
        uint32_t turn = 0;
        haft_str rest = haft__str(cases[i].calls);
        for (haft_str word = help_word(&rest); word.len > 0; word = help_word(&rest)) {
            bool same_reply = word.ptr[0] == '+';
            turn += !same_reply;
            found[count++] = apply(&progress, parse(haft__str_skip(word, same_reply)), turn);
        }
        CHECK_STR(((haft_str){found, count}), haft__str(cases[i].want), "%s: %s", cases[i].name,
                  cases[i].calls);
    }
}

/* Checks one sequence of calls of two tools, two arguments and two results: a call that the
 * detector has not seen is never refused, and a model that only repeats itself is stopped. */
static void check_sequence(unsigned sequence, unsigned length)
{
    haft__no_progress progress = {0};
    uint32_t turn = 0;
    for (unsigned i = 0; i < length; i++, sequence /= 8) {
        haft__no_progress_call call = {.tool = 1 + (sequence & 1),
                                       .call = 10 * (1 + (sequence & 1)) + (sequence >> 1 & 1),
                                       .result = 1 + (sequence >> 2 & 1)};
        bool seen = false;
        for (uint32_t k = 0; k < HAFT__NO_PROGRESS_ROWS; k++) {
            seen |= progress.rows[k].count > 0 && progress.rows[k].last.call == call.call;
        }
        char verdict = apply(&progress, call, ++turn);
        CHECK(seen || verdict == '.', "sequence %u, call %u: %c", sequence, i, verdict);
    }
    const haft__no_progress_call again = {.tool = 9, .call = 90, .result = 1};
    for (size_t i = 0; i < 6; i++) {
        CHECK_INT(apply(&progress, again, ++turn), ".HHrrs"[i], "repetition %zu", i + 1);
    }
}

TEST(a_new_call_is_never_refused)
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
    {HAFT__NO_PROGRESS_HINT, "This is the same result as before. Use what you have, call grep with "
                             "other arguments, or try another tool."},
    {HAFT__NO_PROGRESS_REFUSE,
     "Not run: grep has returned the same result again and again. Use what you have, or do "
     "something else; more repetitions end the run."},
    {HAFT__NO_PROGRESS_STOP, "no progress: grep was called again after repetitions were refused"},
};

TEST(the_model_reads_the_reason)
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
