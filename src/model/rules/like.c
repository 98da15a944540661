/* SPDX-License-Identifier: Apache-2.0 */
/*
 * like.c - words that mean much the same, so that a question may use others than the file.
 *
 * A small table, all of it below: stems, each with those that may stand in its place. It is about
 * programs in general and knows no project. Tests: tests/model/rules/words_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

#define MOST_LIKE 4

/* Each of a row may stand for each other of it. */
static const char *const groups[][MOST_LIKE + 1] = {
    {"handl", "pars", "process", "treat"},
    {"delet", "remov", "drop", "eras"},
    {"error", "fail"},
    {"start", "begin", "launch"},
    {"stop", "halt", "quit"},
    {"creat", "build", "construct", "generat"},
    {"check", "verif", "valid"},
    {"comput", "calculat"},
    {"print", "show", "displ"},
    {"refus", "reject", "deni"},
    {"maxim", "max", "limit", "most"},
    {"minim", "min", "least"},
    {"describ", "document", "explain"},
    {"director", "folder", "dir"},
    {"argument", "param", "arg"},
    {"config", "setting"},
    {"terminal", "tty"},
    {"initialis", "initializ", "init"},
    {"redact", "mask", "hid"},
    {"colour", "color"},
    {"memor", "alloc"},
    {"siz", "length"},
    {"similar", "near", "alik"},
    {"broken", "malform", "invalid"},
    {"licens", "licenc", "copyright"},
    {"second", "ms", "millisecond"},
};

const char *const *haft__offline_like(haft_str stem)
{
    for (size_t i = 0; i < COUNT(groups); i++) {
        for (size_t k = 0; k < MOST_LIKE && groups[i][k] != NULL; k++) {
            if (haft__str_equal(stem, haft__str(groups[i][k]))) {
                return groups[i];
            }
        }
    }
    return NULL;
}

/* They stand at the end of many questions, and in few of the lines that answer them. */
static const char *const verbs[] = {
    "handl",    "pars",    "process", "treat",   "check", "verif", "set",  "comput",
    "calculat", "happen",  "read",    "don",     "found", "kept",  "stor", "decid",
    "creat",    "generat", "work",    "appl",    "hav",   "get",   "giv",  "larger",
    "refus",    "written", "made",    "without", "mak",
};

bool haft__offline_is_weak(haft_str stem)
{
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (haft__str_equal(stem, haft__str(verbs[i]))) {
            return true;
        }
    }
    return false;
}
