/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline_rank.c - which of the lines and files that were found matter most.
 *
 * A word counts the more the fewer lines have it; a line counts by its words, and the more of them
 * it has the more each counts. Tests, generated files and data count less, unless the task is about
 * them. Tests: tests/model/offline_rank_test.c.
 */
#include "model/offline_rank.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"

/* A word that is in every line weighs the first, one that is in hardly any both together. */
#define WEIGHT_COMMON 4U
#define WEIGHT_RARE   16U
/* Lines longer than this are data more often than text. */
#define LONG_LINE 240U
/* Shorter tasks are phrases that a document may well have. */
#define LONG_TASK 24U
/* What is data, or minor, counts this many times less. */
#define DATA  8U
#define MINOR 5U
/* A file that the task names counts more than any other. */
#define MEANT 1000000U
/* Lines that belong together are not further apart. */
#define NEAR_LINES 20U
/* Lines before the best ones that are read with them. */
#define LINES_BEFORE 4U
/* Places that are searched for a file of another class than the first. */
#define MIXED 8U

/* ---- paths ---- */

/* Parts of a path that hold what was made to test or to build the rest. */
static const char *const minor_parts[] = {
    "test",   "tests", "testing",   "fuzz",     "bench",     "benchmarks",  "corpus",
    "golden", "mocks", "fixtures",  "data",     "vendor",    "third_party", "node_modules",
    "dist",   "build", "scenarios", "testdata", "generated",
};

static bool is_minor_name(haft_str name)
{
    static const char *const parts[] = {"_test.",    ".test.", "_spec.", ".min.", "-lock.",
                                        "CHANGELOG", ".lock",  ".jsonl", ".svg"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__offline_word part = {.text = haft__str(parts[i]), .exact = true};
        if (haft__offline_word_in(&part, name)) {
            return true;
        }
    }
    return false;
}

/* Unless the task has the word. */
static bool is_minor(const haft__offline_words *words, haft_str path)
{
    haft_str rest = path;
    while (rest.len > 0) {
        haft_str part = haft__str_split(&rest, '/');
        bool minor = rest.len > 0 ? haft__offline_is_among(part, minor_parts, COUNT(minor_parts))
                                  : is_minor_name(part);
        if (minor && haft__offline_words_in(words, part) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the task names the file, or the end of its path. */
static bool is_hinted(const haft__offline_words *words, haft_str path)
{
    for (size_t i = 0; i < words->path_count; i++) {
        haft_str hint = words->paths[i];
        size_t before = path.len > hint.len ? path.len - hint.len : 0;
        if (haft__str_ends(path, hint) && (before == 0 || path.ptr[before - 1] == '/')) {
            return true;
        }
    }
    return false;
}

/* The same, and letter by letter. */
static bool is_meant(const haft__offline_words *words, haft_str path)
{
    for (size_t i = 0; i < words->path_count; i++) {
        if (haft__str_equal(words->paths[i], path)) {
            return true;
        }
    }
    return false;
}

/* ---- lines ---- */

/* By file and number; of one line, first what was read, then what came first. */
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

/* Sorts the lines, keeps one of each, and tells the files which are theirs. */
static void settle_lines(haft__offline_found *found)
{
    qsort(found->lines, found->line_count, sizeof(*found->lines), compare_lines);
    size_t kept = 0;
    for (size_t i = 0; i < found->line_count; i++) {
        const haft__offline_line *line = &found->lines[i];
        const haft__offline_line *last = kept > 0 ? &found->lines[kept - 1] : NULL;
        if (last == NULL || last->file != line->file || last->number != line->number) {
            haft__offline_file *file = &found->files[line->file];
            file->first = file->count == 0 ? kept : file->first;
            file->count++;
            found->lines[kept++] = *line;
        }
    }
    found->line_count = kept;
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static void weigh_words(const haft__offline_found *found, const haft__offline_words *words,
                        uint32_t *weights)
{
    uint32_t having[HAFT__LIMIT_OFFLINE_WORDS] = {0};
    for (size_t i = 0; i < found->line_count; i++) {
        for (size_t k = 0; k < words->count; k++) {
            having[k] += found->lines[i].words >> k & 1U;
        }
    }
    uint32_t hits = found->hits > 0 ? found->hits : 1;
    for (size_t k = 0; k < words->count; k++) {
        weights[k] = WEIGHT_COMMON + WEIGHT_RARE * (hits - having[k]) / hits;
        weights[k] *= words->items[k].exact ? 2 : 1;
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

/* Which of the words are exact, a bit for each. */
static uint32_t exact_bits(const haft__offline_words *words)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < words->count; i++) {
        bits |= words->items[i].exact ? 1U << i : 0;
    }
    return bits;
}

/* Marks the words of every line. */
static void mark_lines(haft__offline_found *found, const haft__offline_words *words)
{
    uint32_t least = words->count > 1 ? 2 : 1, exact = exact_bits(words);
    for (size_t i = 0; i < found->line_count; i++) {
        haft__offline_line *line = &found->lines[i];
        line->words = haft__offline_words_in(words, line->text);
        found->hits += line->words != 0 ? 1 : 0;
        bool strong = count_bits(line->words) >= least || (line->words & exact) != 0;
        haft__offline_file *file = &found->files[line->file];
        found->strong_files += strong && !file->strong ? 1 : 0;
        found->strong += strong ? 1 : 0;
        file->strong = file->strong || strong;
        file->hits += line->words != 0 ? 1 : 0;
    }
}

/* A heading or a comment: somebody explains something. */
static bool is_prose(haft_str text)
{
    static const char *const marks[] = {"# ", "##", "/*", "*", "//", "--", ";;", "\"\"\""};
    text = haft__str_trim(text);
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (haft__str_starts(text, haft__str(marks[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_data(haft_str text)
{
    text = haft__str_trim(text);
    return text.len > LONG_LINE || haft__str_starts(text, HAFT__LIT("{"))
           || haft__str_starts(text, HAFT__LIT("\""))
           || haft__str_starts(text, HAFT__LIT("#include"));
}

/* The task itself, in a document that shows how it is given: it has all the words, and says
 * nothing.
 */
static bool is_the_task(const haft__offline_words *words, haft_str text)
{
    haft__offline_word task = {.text = words->task, .exact = true};
    return words->task.len >= LONG_TASK && haft__offline_word_in(&task, text);
}

/* A line that is not indented may be where a name is defined. */
static bool may_define(haft_str text)
{
    return text.len > 0 && strchr(" \t*/#", text.ptr[0]) == NULL;
}

/* Its words and those of its path; more for explanations and definitions, less for data. */
static uint32_t score_words(const haft__offline_line *line, const uint32_t *weights, uint32_t path,
                            uint32_t exact)
{
    uint32_t score = weight_of(weights, line->words) * count_bits(line->words)
                     + weight_of(weights, path & ~line->words) / 2;
    if ((line->words & exact) != 0 && may_define(line->text)) {
        score *= 2;
    } else if (is_prose(line->text)) {
        score += score / 2;
    }
    return is_data(line->text) ? score / DATA + 1 : score;
}

/* Where there are no words to look for, what was read counts, and headings most. */
static uint32_t score_line(const haft__offline_line *line, const haft__offline_words *words,
                           const uint32_t *weights, uint32_t path)
{
    if (words->count == 0) {
        bool blank = haft__str_trim(line->text).len == 0;
        return !line->read || blank ? 0 : haft__str_starts(line->text, HAFT__LIT("#")) ? 3 : 1;
    }
    if (line->words == 0 || is_the_task(words, line->text)) {
        return 0;
    }
    return score_words(line, weights, path, exact_bits(words)) + line->read;
}

/* ---- files ---- */

/* The best three lines of a file, each counting half of the one before, and the path itself. */
static void score_file(haft__offline_found *found, const haft__offline_words *words,
                       const uint32_t *weights, haft__offline_file *file)
{
    uint32_t best[3] = {0};
    uint32_t path = haft__offline_words_in(words, file->path);
    bool minor = is_minor(words, file->path);
    for (size_t i = file->first; i < file->first + file->count; i++) {
        haft__offline_line *line = &found->lines[i];
        uint32_t score = score_line(line, words, weights, path);
        line->score = minor && score > 0 ? score / MINOR + 1 : score;
        score = line->score;
        for (size_t k = 0; k < COUNT(best); k++) {
            uint32_t other = best[k];
            best[k] = score > other ? score : other;
            score = score > other ? other : score;
        }
    }
    uint32_t bonus = weight_of(weights, path) / (minor ? MINOR : 1);
    file->score = best[0] + best[1] / 2 + best[2] / 4 + bonus;
    file->score += is_meant(words, file->path) ? MEANT : 0;
}

/* Best first; of equals the first found. */
static int compare_scores(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y ? 1 : 0;
}

/* The second place goes to the best file of another class: what is said of a thing, and what does
 * it. */
static void mix_classes(haft__offline_found *found)
{
    uint32_t *ranked = found->ranked;
    size_t most = found->file_count < MIXED ? found->file_count : MIXED;
    for (size_t i = 1; i < most; i++) {
        haft__offline_class first = haft__offline_class_of(found->files[ranked[0]].path);
        const haft__offline_file *file = &found->files[ranked[i]];
        if (file->hits > 0 && haft__offline_class_of(file->path) != first) {
            uint32_t chosen = ranked[i];
            memmove(&ranked[2], &ranked[1], (i - 1) * sizeof(*ranked));
            ranked[1] = chosen;
            return;
        }
    }
}

static haft_status rank_files(haft__offline_found *found, haft__arena *arena, haft_error *err)
{
    size_t count = found->file_count;
    uint64_t *keys = haft__arena_array(arena, count, sizeof(*keys));
    found->ranked = haft__arena_array(arena, count, sizeof(*found->ranked));
    if (keys == NULL || found->ranked == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = (uint64_t)(UINT32_MAX - found->files[i].score) << 32 | i;
    }
    qsort(keys, count, sizeof(*keys), compare_scores);
    for (size_t i = 0; i < count; i++) {
        found->ranked[i] = (uint32_t)keys[i];
    }
    mix_classes(found);
    return HAFT_OK;
}

/* ---- all of it ---- */

haft_status haft__offline_rank(haft__offline_found *found, const haft__offline_words *words,
                               haft__arena *arena, haft_error *err)
{
    uint32_t weights[HAFT__LIMIT_OFFLINE_WORDS] = {0};
    settle_lines(found);
    mark_lines(found, words);
    weigh_words(found, words, weights);
    bool meant = false;
    for (size_t i = 0; i < found->file_count; i++) {
        score_file(found, words, weights, &found->files[i]);
        meant = meant || is_meant(words, found->files[i].path);
    }
    for (size_t i = 0; !meant && i < found->file_count; i++) {
        found->files[i].score += is_hinted(words, found->files[i].path) ? MEANT : 0;
    }
    haft_status status = rank_files(found, arena, err);
    return status == HAFT_OK ? haft__offline_count_kinds(found, arena, err) : status;
}

const haft__offline_line *haft__offline_best_line(const haft__offline_found *found, size_t file)
{
    const haft__offline_file *f = &found->files[file];
    const haft__offline_line *best = NULL;
    for (size_t i = f->first; i < f->first + f->count; i++) {
        const haft__offline_line *line = &found->lines[i];
        if (line->score > (best != NULL ? best->score : 0)) {
            best = line;
        }
    }
    return best;
}

/* A window goes over the lines; where it holds most, reading begins. */
uint32_t haft__offline_best_start(const haft__offline_found *found, size_t file)
{
    const haft__offline_file *f = &found->files[file];
    const haft__offline_line *lines = found->lines + f->first;
    uint32_t best_number = 1;
    uint64_t best = 0, sum = 0;
    for (size_t i = 0, from = 0; i < f->count; i++) {
        sum += lines[i].score;
        for (; lines[i].number - lines[from].number > NEAR_LINES; from++) {
            sum -= lines[from].score;
        }
        while (from < i && lines[from].score == 0) {
            from++;
        }
        if (sum > best) {
            best = sum;
            best_number = lines[from].number;
        }
    }
    return best_number > LINES_BEFORE ? best_number - LINES_BEFORE : 1;
}
