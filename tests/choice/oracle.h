/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.h - a second, naive implementation of the policy: sorted lists of names, made from the
 * text of the rules and from a list of what has happened. It shares no code with src/choice. */
#ifndef HAFT_TESTS_CHOICE_ORACLE_H
#define HAFT_TESTS_CHOICE_ORACLE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ORACLE_NAMES = 24 };

typedef struct oracle_list {
    int count;
    const char *names[ORACLE_NAMES];
} oracle_list;

typedef struct oracle_world {
    /* what the spec says */
    bool gate;
    int min_tools_for_auto, turns;
    oracle_list schedule;
    const char *wish; /* the default choice */
    /* what is offered, by role */
    oracle_list data, neutral, control, artifact;
    oracle_list gone; /* data tools that were offered once */
    /* what has happened */
    int turn;
    oracle_list finished, rejected; /* names, as often as it happened */
    int fixed; /* the threshold of an earlier turn, which it never exceeds; 0: none */
    bool opened, satisfied, stored;
    oracle_list phases_left; /* names of phases without a finished call */
} oracle_world;

typedef struct oracle_answer {
    const char *mode; /* "auto", "any", "none", or the name of a tool */
    const char *rule;
    oracle_list allowed;
    oracle_list counted;
    int threshold;
    bool open;
} oracle_answer;

static inline bool oracle_has(const oracle_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Keeps the list sorted and unique. */
static inline void oracle_put(oracle_list *list, const char *name)
{
    if (oracle_has(list, name)) {
        return;
    }
    int at = list->count++;
    while (at > 0 && strcmp(list->names[at - 1], name) > 0) {
        list->names[at] = list->names[at - 1];
        at--;
    }
    list->names[at] = name;
}

static inline void oracle_put_all(oracle_list *list, const oracle_list *more)
{
    for (int i = 0; i < more->count; i++) {
        oracle_put(list, more->names[i]);
    }
}

static inline bool oracle_same(const oracle_list *a, const oracle_list *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++) {
        same = strcmp(a->names[i], b->names[i]) == 0;
    }
    return same;
}

/* Distinct data tools with a finished call. */
static inline oracle_list oracle_counted(const oracle_world *w)
{
    oracle_list counted = {0};
    for (int i = 0; i < w->finished.count; i++) {
        if (oracle_has(&w->data, w->finished.names[i])
            || oracle_has(&w->gone, w->finished.names[i])) {
            oracle_put(&counted, w->finished.names[i]);
        }
    }
    return counted;
}

/* Counted, or offered and not a tool of which every call was rejected. */
static inline oracle_list oracle_reachable(const oracle_world *w)
{
    oracle_list reachable = oracle_counted(w);
    for (int i = 0; i < w->data.count; i++) {
        if (!oracle_has(&w->rejected, w->data.names[i])) {
            oracle_put(&reachable, w->data.names[i]);
        }
    }
    return reachable;
}

static inline oracle_list oracle_offer(const oracle_world *w)
{
    oracle_list all = {0};
    oracle_put_all(&all, &w->data);
    oracle_put_all(&all, &w->neutral);
    oracle_put_all(&all, &w->control);
    oracle_put_all(&all, &w->artifact);
    return all;
}

static inline int oracle_threshold(const oracle_world *w)
{
    int threshold = w->min_tools_for_auto;
    int tools = w->data.count + w->neutral.count + w->control.count + w->artifact.count;
    if (threshold > tools) {
        threshold = tools;
    }
    if (threshold < 2) {
        threshold = 2;
    }
    int reachable = oracle_reachable(w).count;
    if (threshold > reachable) {
        threshold = reachable;
    }
    return w->fixed > 0 && w->fixed < threshold ? w->fixed : threshold;
}

/* Artifact tools are not part of a demand, unless no other tool is left. */
static inline oracle_list oracle_forced(const oracle_world *w)
{
    oracle_list left = {0};
    oracle_put_all(&left, &w->data);
    oracle_put_all(&left, &w->neutral);
    oracle_put_all(&left, &w->control);
    return left.count > 0 ? left : oracle_offer(w);
}

/* Applies a wanted choice if possible; false: the next rule decides. */
static inline bool oracle_grant(const oracle_world *w, const char *wish, oracle_answer *answer)
{
    oracle_list offer = oracle_offer(w);
    if (strcmp(wish, "none") == 0) {
        answer->mode = "none";
    } else if (strcmp(wish, "auto") == 0 || (strcmp(wish, "any") == 0 && offer.count == 0)) {
        answer->mode = "auto";
        answer->allowed = offer;
    } else if (strcmp(wish, "any") == 0) {
        answer->mode = "any";
        answer->allowed = oracle_forced(w);
    } else if (oracle_has(&offer, wish)) {
        answer->mode = wish;
        oracle_put(&answer->allowed, wish);
    } else {
        return false;
    }
    return true;
}

static inline oracle_answer oracle_decide(const oracle_world *w)
{
    oracle_answer answer = {.counted = oracle_counted(w), .threshold = oracle_threshold(w)};
    answer.open = !w->gate || w->opened || !(answer.counted.count < answer.threshold);
    if (w->turn >= w->turns) {
        answer.rule = "limit";
        answer.mode = "none";
        return answer;
    }
    const char *entry = w->turn <= w->schedule.count ? w->schedule.names[w->turn - 1] : NULL;
    answer.rule = "schedule";
    if (entry != NULL && strcmp(entry, "gate") != 0 && oracle_grant(w, entry, &answer)) {
        return answer;
    }
    answer.rule = "gate";
    if (!answer.open) {
        (void)oracle_grant(w, "any", &answer);
        return answer;
    }
    answer.rule = "default";
    bool demands = strcmp(w->wish, "auto") != 0 && strcmp(w->wish, "none") != 0;
    if ((demands && w->satisfied) || !oracle_grant(w, w->wish, &answer)) {
        (void)oracle_grant(w, "auto", &answer);
    }
    return answer;
}

/* A question is early before two distinct data tools ran, or all that exist. */
static inline bool oracle_question_is_early(const oracle_world *w)
{
    int ran = oracle_counted(w).count;
    return ran < 2 && ran < oracle_reachable(w).count;
}

static inline bool oracle_completion_is_early(const oracle_world *w)
{
    oracle_answer now = oracle_decide(w);
    return (w->gate && !now.open) || w->phases_left.count > 0
           || (w->artifact.count > 0 && !w->stored);
}

/* The name of the violation, "" if the reply satisfies the choice. */
static inline const char *oracle_judge(const oracle_world *w, const oracle_answer *asked, bool text,
                                       const oracle_list *calls)
{
    bool must_not = strcmp(asked->mode, "none") == 0;
    bool may = strcmp(asked->mode, "auto") == 0;
    bool any = strcmp(asked->mode, "any") == 0;
    if (strcmp(asked->rule, "limit") == 0) {
        return "";
    }
    if (!text && calls->count == 0) {
        return "empty_reply";
    }
    if (must_not) {
        return calls->count > 0 ? "calls_under_none" : "";
    }
    if (may) {
        return "";
    }
    if (calls->count == 0) {
        return "text_instead_of_call";
    }
    if (!any) {
        return oracle_has(calls, asked->mode) ? "" : "wrong_tool";
    }
    oracle_list offer = oracle_offer(w);
    for (int i = 0; i < calls->count; i++) {
        if (oracle_has(&asked->allowed, calls->names[i]) || !oracle_has(&offer, calls->names[i])) {
            return "";
        }
    }
    return "only_disallowed_calls";
}

#endif
