/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - scores files and lines and sorts them, best first.
 *
 * A word weighs more if fewer lines have it. A line scores by its words, and each counts more if
 * the line has several. Tests, generated files and data score less, unless the task names them.
 * Tests: tests/model/rules/rank_test.c.
 */
#include "base/ascii.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* The weight of a word in every line, and what a rare word weighs in addition. */
#define WEIGHT_COMMON 4U
#define WEIGHT_RARE   16U
#define MINOR         5U
/* The bonus of a file that the task names: more than any other score. */
#define NAMED 1000000U
/* A line with so many words of the task, or all of them, is a strong match. */
#define STRONG_WORDS 3U
/* General verbs weigh so many times less. */
#define WEAK 3U
/* A line loses 1/DEPTHS of its score for each directory of its path, up to DEEPEST. */
#define DEPTHS  24U
#define DEEPEST 6U
/* For the angle of names, the factor of a line that defines a name with several words; each word in
 * the lines around adds 1. */
#define NAMED_LINE 2U
/* Lines to read before the best ones. */
#define LINES_BEFORE 12U

/* ---- paths ---- */

/* Directories with tests, examples, and generated or foreign files. */
static const char minor_parts[] =
    "test tests testing fuzz bench benchmarks corpus golden mocks fixtures data vendor "
    "third_party node_modules dist build scenarios testdata generated contrib examples samples "
    "demo";

static bool is_minor_name(haft_str name)
{
    static const char *const parts[] = {"_test.", ".test.",    "_spec.",   ".min.",
                                        "-lock.", "CHANGELOG", ".lock",    ".jsonl",
                                        ".svg",   "ChangeLog", "changelog"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__offline_word part = {.text = haft__str(parts[i]), .exact = true};
        if (haft__offline_word_in(&part, name)) {
            return true;
        }
    }
    return false;
}

bool haft__offline_is_minor(const haft__offline_words *words, haft_str path)
{
    haft_str rest = path;
    while (rest.len > 0 && words->angle != HAFT__OFFLINE_ANGLE_TESTS) {
        haft_str part = haft__str_split(&rest, '/');
        bool minor = rest.len > 0 ? haft__offline_in_list(part, minor_parts) : is_minor_name(part);
        if (minor && haft__offline_words_in(words, part) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the task names the end of the path. */
static bool is_named(const haft__offline_words *words, haft_str path)
{
    for (size_t i = 0; i < words->path_count; i++) {
        haft_str hint = words->paths[i];
        size_t before = path.len > hint.len ? path.len - hint.len : 0;
        if (haft__str_ends_with(path, hint) && (before == 0 || path.ptr[before - 1] == '/')) {
            return true;
        }
    }
    return false;
}

/* ---- lines ---- */

/* By file and number; duplicates of a line: read before grep, then by arrival. */
static int compare_lines(const void *a, const void *b)
{
    const haft__offline_line *x = a, *y = b;
    if (x->file != y->file) {
        return x->file < y->file ? -1 : 1;
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    if (x->read != y->read) {
        return x->read ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

/* Sorts the lines, drops duplicates and sets the range of each file. */
static void sort_lines(haft__offline_findings *findings)
{
    qsort(findings->lines, findings->line_count, sizeof(*findings->lines), compare_lines);
    size_t kept = 0;
    for (size_t i = 0; i < findings->line_count; i++) {
        const haft__offline_line *line = &findings->lines[i];
        const haft__offline_line *last = kept > 0 ? &findings->lines[kept - 1] : NULL;
        if (last == NULL || last->file != line->file || last->number != line->number) {
            haft__offline_file *file = &findings->files[line->file];
            file->first = file->count == 0 ? kept : file->first;
            file->count++;
            findings->lines[kept++] = *line;
        }
    }
    findings->line_count = kept;
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static void weigh_words(const haft__offline_findings *findings, const haft__offline_words *words,
                        uint32_t *weights)
{
    uint32_t having[HAFT__LIMIT_OFFLINE_WORDS] = {0};
    for (size_t i = 0; i < findings->line_count; i++) {
        for (size_t k = 0; k < words->count; k++) {
            having[k] += findings->lines[i].words >> k & 1U;
        }
    }
    uint32_t matches = findings->matches > 0 ? findings->matches : 1;
    for (size_t k = 0; k < words->count; k++) {
        const haft__offline_word *word = &words->items[k];
        weights[k] = WEIGHT_COMMON + WEIGHT_RARE * (matches - having[k]) / matches;
        weights[k] = word->exact ? WEIGHT_COMMON + WEIGHT_RARE : weights[k];
        weights[k] *= word->exact || word->joined ? 2 : 1;
        weights[k] /= word->weak ? WEAK : 1;
    }
}

static uint32_t weight_of(const uint32_t *weights, uint32_t bits)
{
    uint32_t sum = 0;
    for (size_t k = 0; bits >> k != 0; k++) {
        sum += (bits >> k & 1U) != 0 ? weights[k] : 0;
    }
    return sum;
}

/* The exact words, one bit for each. */
static uint32_t exact_bits(const haft__offline_words *words)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < words->count; i++) {
        bits |= words->items[i].exact ? 1U << i : 0;
    }
    return bits;
}

/* How the line uses a name of the task; if it has none, its own kind. */
static haft__offline_line_kind use_of_line(const haft__offline_words *words, haft_str path,
                                           const haft__offline_line *line)
{
    haft__offline_line_kind best = HAFT__OFFLINE_LINE_OTHER;
    bool any = false;
    for (size_t k = 0; k < words->count; k++) {
        if ((line->words >> k & 1U) != 0 && haft__offline_is_name(&words->items[k])) {
            haft__offline_line_kind kind =
                haft__offline_line_use_of(path, line->text, words->items[k].text);
            best = kind > best ? kind : best;
            any = true;
        }
    }
    haft_str name;
    return any ? best : haft__offline_line_kind_of(path, line->text, &name);
}

/* Sets the words and the kind of each line, and the counts of the findings. */
static void mark_lines(haft__offline_findings *findings, const haft__offline_words *words)
{
    uint32_t exact = exact_bits(words),
             min = (uint32_t)(words->count < STRONG_WORDS ? words->count : STRONG_WORDS);
    for (size_t i = 0; i < findings->line_count; i++) {
        haft__offline_line *line = &findings->lines[i];
        haft__offline_file *file = &findings->files[line->file];
        line->words = haft__offline_words_in(words, line->text);
        line->kind = use_of_line(words, file->path, line);
        findings->matches += line->words != 0 ? 1 : 0;
        bool named = (line->words & exact) != 0;
        bool strong = line->words != 0 && (count_bits(line->words) >= min || named);
        findings->strong_files += strong && !file->strong ? 1 : 0;
        findings->strong += strong ? 1 : 0;
        findings->defined += named && line->kind >= HAFT__OFFLINE_LINE_DECLARATION ? 1 : 0;
        findings->called += named && line->kind == HAFT__OFFLINE_LINE_CALL ? 1 : 0;
        file->strong = file->strong || strong;
        findings->matching_files += line->words != 0 && file->matches == 0 ? 1 : 0;
        file->matches += line->words != 0 ? 1 : 0;
    }
}

/* The factor for the kind of a line, in quarters, by the kind of question. */
static uint32_t kind_factor(haft__offline_question question, haft__offline_line_kind kind)
{
    static const uint8_t factors[][HAFT__OFFLINE_LINE_DEFINITION + 1] = {
        /* other, mention, comment, call, declaration, definition */
        [HAFT__OFFLINE_QUESTION_PLACE] = {2, 4, 3, 5, 10, 20},
        [HAFT__OFFLINE_QUESTION_DEFINITION] = {2, 4, 4, 4, 12, 32},
        [HAFT__OFFLINE_QUESTION_DECLARATION] = {2, 4, 4, 4, 32, 20},
        [HAFT__OFFLINE_QUESTION_CALLERS] = {1, 6, 2, 32, 3, 3},
        [HAFT__OFFLINE_QUESTION_VALUE] = {3, 4, 3, 3, 8, 32},
        [HAFT__OFFLINE_QUESTION_MEANING] = {2, 4, 6, 3, 18, 20},
        [HAFT__OFFLINE_QUESTION_DOCUMENTATION] = {2, 6, 12, 2, 10, 8},
        [HAFT__OFFLINE_QUESTION_REASON] = {2, 5, 8, 4, 10, 12},
        [HAFT__OFFLINE_QUESTION_COUNT] = {3, 4, 3, 3, 8, 32},
    };
    return factors[question][kind];
}

static bool has_digit(haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (haft__ascii_is_digit(text.ptr[i]) && (i == 0 || !is_name_char(text.ptr[i - 1]))) {
            return true;
        }
    }
    return false;
}

/* The score of a line by its words, those of its path, and its kind. `around` are the words of the
 * lines of its file that are known. If the task has no words, lines that were read count. */
static uint32_t score_line(const haft__offline_line *line, const haft__offline_words *words,
                           const uint32_t *weights, haft_str file, uint32_t path, uint32_t around)
{
    haft_str name = HAFT__LIT("");
    uint32_t exact = exact_bits(words);
    if (line->words == 0) {
        bool blank = haft__str_trim(line->text).len == 0;
        return words->count == 0 && line->read && !blank ? 1 : 0;
    }
    haft__offline_line_kind kind = haft__offline_line_kind_of(file, line->text, &name);
    uint32_t in_name =
        kind >= HAFT__OFFLINE_LINE_DECLARATION ? haft__offline_words_in(words, name) : 0;
    bool names = words->angle == HAFT__OFFLINE_ANGLE_NAMES && count_bits(in_name) >= 2;
    uint32_t score = weight_of(weights, line->words) * count_bits(line->words)
                         * (names ? NAMED_LINE + count_bits(around) : 1)
                     + weight_of(weights, path & ~line->words) / 2
                     + weight_of(weights, in_name) * count_bits(in_name) / 2;
    if ((line->words & exact) != 0) {
        bool part = line->kind == HAFT__OFFLINE_LINE_OTHER && (in_name & exact) != 0;
        uint32_t factor = kind_factor(words->question, part ? kind : line->kind);
        score = score * (part ? factor / 2 + 1 : factor) / 4;
    }
    bool value = words->question == HAFT__OFFLINE_QUESTION_VALUE
                 || words->question == HAFT__OFFLINE_QUESTION_COUNT;
    if (value ? has_digit(line->text)
              : kind == HAFT__OFFLINE_LINE_COMMENT && (line->words & exact) == 0) {
        score += score / 2;
    }
    if (line->kind == HAFT__OFFLINE_LINE_DEFINITION) {
        haft__offline_word comment = {.text = HAFT__LIT("/*"), .exact = true};
        score += haft__offline_has_name(line->text, words->keyword) ? score / 4 : 0;
        score += haft__offline_word_in(&comment, line->text) ? score / 8 : 0;
    }
    return score + line->read;
}

/* ---- files ---- */

/* Prefers documents for what and why, programs for where. */
static uint32_t fit_class(const haft__offline_words *words, haft_str path, uint32_t score)
{
    bool docs = haft__offline_is_document(path);
    bool exact = (exact_bits(words) & 1U) != 0;
    haft__offline_question question = words->question;
    if (question == HAFT__OFFLINE_QUESTION_DOCUMENTATION
        || question == HAFT__OFFLINE_QUESTION_REASON
        || (question == HAFT__OFFLINE_QUESTION_MEANING && !exact)) {
        return docs ? score + score / 2 : score;
    }
    if (docs && question != HAFT__OFFLINE_QUESTION_MEANING) {
        return score / 2;
    }
    bool header = haft__str_ends_with(path, HAFT__LIT(".h"));
    return question == HAFT__OFFLINE_QUESTION_PLACE && header ? score - score / 8 : score;
}

/* Files in deep directories are less often the answer. */
static uint32_t fit_depth(haft_str path, uint32_t score)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < path.len; i++) {
        depth += path.ptr[i] == '/' && depth < DEEPEST ? 1 : 0;
    }
    return score - score / DEPTHS * depth;
}

/* The best three lines of a file, each with half the weight of the one before, and its path. */
static void score_file(haft__offline_findings *findings, const haft__offline_words *words,
                       const uint32_t *weights, haft__offline_file *file)
{
    uint32_t best[3] = {0};
    uint32_t path = haft__offline_words_in_path(words, file->path);
    bool minor = haft__offline_is_minor(words, file->path);
    uint32_t around = 0;
    for (size_t i = file->first; i < file->first + file->count; i++) {
        around |= findings->lines[i].words;
    }
    for (size_t i = file->first; i < file->first + file->count; i++) {
        haft__offline_line *line = &findings->lines[i];
        uint32_t score = score_line(line, words, weights, file->path, path, around);
        score = minor && score > 0 ? score / MINOR + 1 : score;
        line->score =
            score > 0 ? fit_depth(file->path, fit_class(words, file->path, score)) + 1 : 0;
        score = line->score;
        for (size_t k = 0; k < COUNT(best); k++) {
            uint32_t other = best[k];
            best[k] = score > other ? score : other;
            score = score > other ? other : score;
        }
    }
    uint32_t bonus = weight_of(weights, path) / (minor ? MINOR : 1);
    bool named = exact_bits(words) != 0; /* then only the best line counts */
    file->score = best[0] + bonus + (named ? 0 : best[1] / 2 + best[2] / 4);
    file->score += is_named(words, file->path) ? NAMED : 0;
}

/* Best first; of equal files the one found first. */
static int compare_scores(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y ? 1 : 0;
}

static haft_status rank_files(haft__offline_findings *findings, haft__arena *arena, haft_error *err)
{
    size_t count = findings->file_count;
    uint64_t *keys = haft__arena_array(arena, count, sizeof(*keys));
    findings->ranked = haft__arena_array(arena, count, sizeof(*findings->ranked));
    if (keys == NULL || findings->ranked == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = (uint64_t)(UINT32_MAX - findings->files[i].score) << 32 | i;
    }
    qsort(keys, count, sizeof(*keys), compare_scores);
    for (size_t i = 0; i < count; i++) {
        findings->ranked[i] = (uint32_t)keys[i];
    }
    return HAFT_OK;
}

/* ---- all of it ---- */

haft_status haft__offline_rank(haft__offline_findings *findings, const haft__offline_words *words,
                               haft__arena *arena, haft_error *err)
{
    uint32_t weights[HAFT__LIMIT_OFFLINE_WORDS] = {0};
    sort_lines(findings);
    mark_lines(findings, words);
    weigh_words(findings, words, weights);
    for (size_t i = 0; i < findings->file_count; i++) {
        score_file(findings, words, weights, &findings->files[i]);
    }
    return rank_files(findings, arena, err);
}

const haft__offline_line *haft__offline_best_line(const haft__offline_findings *findings,
                                                  size_t file)
{
    const haft__offline_file *f = &findings->files[file];
    const haft__offline_line *best = NULL;
    for (size_t i = f->first; i < f->first + f->count; i++) {
        const haft__offline_line *line = &findings->lines[i];
        if (line->score > (best != NULL ? best->score : 0)) {
            best = line;
        }
    }
    return best;
}

uint32_t haft__offline_best_start(const haft__offline_findings *findings, size_t file)
{
    const haft__offline_line *best = haft__offline_best_line(findings, file);
    return best != NULL && best->number > LINES_BEFORE ? best->number - LINES_BEFORE : 1;
}
