/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - which of the lines and files that were found matter most.
 *
 * A word counts the more the fewer lines have it; a line counts by its words, and the more of them
 * it has the more each counts. Tests, generated files and data count less, unless the task is about
 * them. Tests: tests/model/rules/rank_test.c.
 */
#include "model/rules/rank.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"

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
/* A line with so many words of the task, or all there are, has most of it. */
#define MOST 3U
/* Verbs such as "handled" count this many times less. */
#define WEAK 3U
/* Words so close are said together. */
#define NEAR_CHARS 12U
/* A file loses one part in DEPTHS of its score for each directory above it, up to DEEPEST. */
#define DEPTHS  24U
#define DEEPEST 6U
/* Lines that belong together are not further apart. */
#define NEAR_LINES 20U
/* Lines before the best ones that are read with them. */
#define LINES_BEFORE 12U
/* Places that are searched for a file of another class than the first. */
#define MIXED 8U

/* ---- paths ---- */

/* Parts of a path that hold what was made to test or to build the rest. */
static const char *const minor_parts[] = {
    "test",        "tests",        "testing",  "fuzz",     "bench",     "benchmarks",
    "corpus",      "golden",       "mocks",    "fixtures", "data",      "vendor",
    "third_party", "node_modules", "dist",     "build",    "scenarios", "testdata",
    "generated",   "contrib",      "examples", "samples",  "demo",
};

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
        if (haft__str_ends_with(path, hint) && (before == 0 || path.ptr[before - 1] == '/')) {
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
        const haft__offline_word *word = &words->items[k];
        weights[k] = WEIGHT_COMMON + WEIGHT_RARE * (hits - having[k]) / hits;
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

/* Which of the words are exact, a bit for each. */
static uint32_t exact_bits(const haft__offline_words *words)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < words->count; i++) {
        bits |= words->items[i].exact ? 1U << i : 0;
    }
    return bits;
}

/* What the line does with the first name of the task that it has; with none, in itself. */
static haft__offline_form form_of(const haft__offline_words *words, haft_str path,
                                  const haft__offline_line *line)
{
    haft__offline_form best = HAFT__OFFLINE_LACKS;
    bool any = false;
    for (size_t k = 0; k < words->count; k++) {
        if ((line->words >> k & 1U) != 0 && haft__offline_is_name(&words->items[k])) {
            haft__offline_form form = haft__offline_use_of(path, line->text, words->items[k].text);
            best = form > best ? form : best;
            any = true;
        }
    }
    haft_str name;
    return any ? best : haft__offline_form_of(path, line->text, &name);
}

/* Marks the words of every line, and what it does. */
static void mark_lines(haft__offline_found *found, const haft__offline_words *words)
{
    uint32_t exact = exact_bits(words),
             least = (uint32_t)(words->count < MOST ? words->count : MOST);
    for (size_t i = 0; i < found->line_count; i++) {
        haft__offline_line *line = &found->lines[i];
        haft__offline_file *file = &found->files[line->file];
        line->words = haft__offline_words_in(words, line->text);
        line->form = form_of(words, file->path, line);
        found->hits += line->words != 0 ? 1 : 0;
        bool named = (line->words & exact) != 0;
        bool strong = line->words != 0 && (count_bits(line->words) >= least || named);
        found->strong_files += strong && !file->strong ? 1 : 0;
        found->strong += strong ? 1 : 0;
        found->defined += named && line->form >= HAFT__OFFLINE_DECLARES ? 1 : 0;
        found->called += named && line->form == HAFT__OFFLINE_CALLS ? 1 : 0;
        file->strong = file->strong || strong;
        file->hits += line->words != 0 ? 1 : 0;
    }
}

static bool is_data(haft_str path, haft_str text)
{
    text = haft__str_trim(text);
    return text.len > LONG_LINE || haft__str_starts_with(text, HAFT__LIT("{"))
           || haft__str_ends_with(path, HAFT__LIT(".json"))
           || haft__str_starts_with(text, HAFT__LIT("#include"));
}

/* The task itself, in a document that shows how it is given: it has all the words, and says
 * nothing.
 */
static bool is_the_task(const haft__offline_words *words, haft_str text)
{
    haft__offline_word task = {.text = words->task, .exact = true};
    return words->task.len >= LONG_TASK && haft__offline_word_in(&task, text);
}

/* How much what a line does with a name counts, in quarters, by what is asked. */
static uint32_t form_factor(haft__offline_aim aim, haft__offline_form form)
{
    static const uint8_t factors[][HAFT__OFFLINE_DEFINES + 1] = {
        /* lacks, mentions, explains, calls, declares, defines */
        [HAFT__OFFLINE_AIM_PLACE] = {2, 4, 3, 5, 10, 20},
        [HAFT__OFFLINE_AIM_DEFINED] = {2, 4, 4, 4, 12, 32},
        [HAFT__OFFLINE_AIM_DECLARED] = {2, 4, 4, 4, 32, 20},
        [HAFT__OFFLINE_AIM_SIGNATURE] = {2, 3, 4, 3, 32, 24},
        [HAFT__OFFLINE_AIM_CALLED] = {1, 6, 2, 32, 3, 3},
        [HAFT__OFFLINE_AIM_VALUE] = {3, 4, 3, 3, 8, 32},
        [HAFT__OFFLINE_AIM_MEANING] = {2, 4, 6, 3, 18, 20},
        [HAFT__OFFLINE_AIM_DOCUMENTED] = {2, 6, 12, 2, 10, 8},
        [HAFT__OFFLINE_AIM_REASON] = {2, 5, 8, 4, 10, 12},
        [HAFT__OFFLINE_AIM_COUNT] = {4, 4, 4, 4, 4, 4},
        [HAFT__OFFLINE_AIM_LIST] = {3, 4, 4, 4, 4, 8},
        [HAFT__OFFLINE_AIM_COMPARE] = {2, 4, 6, 3, 12, 20},
        [HAFT__OFFLINE_AIM_SUMMARY] = {4, 4, 4, 4, 4, 4},
    };
    return factors[aim][form];
}

/* Words that follow each other in the task and stand close together in the line. */
static uint32_t near_bits(const haft__offline_words *words, const haft__offline_line *line)
{
    uint32_t bits = 0;
    for (size_t k = 0; k + 1 < words->count; k++) {
        if ((line->words >> k & 3U) == 3U) {
            size_t a = haft__offline_word_at(&words->items[k], line->text);
            size_t b = haft__offline_word_at(&words->items[k + 1], line->text);
            size_t apart = a < b ? b - a : a - b;
            bits |= apart <= words->items[k].shown.len + NEAR_CHARS ? 3U << k : 0;
        }
    }
    return bits;
}

static bool has_digit(haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_digit(text.ptr[i]) && (i == 0 || !is_of_name(text.ptr[i - 1]))) {
            return true;
        }
    }
    return false;
}

/* Behind something else. */
static bool has_comment(haft_str text)
{
    for (size_t i = 1; i + 1 < text.len; i++) {
        if (text.ptr[i] == '/' && text.ptr[i + 1] == '*') {
            return true;
        }
    }
    return false;
}

/* Its words and those of its path; more for what it does with them. */
static uint32_t score_words(const haft__offline_line *line, const haft__offline_words *words,
                            const uint32_t *weights, haft_str file, uint32_t path)
{
    haft_str name = HAFT__LIT("");
    uint32_t exact = exact_bits(words);
    haft__offline_form form = haft__offline_form_of(file, line->text, &name);
    uint32_t in_name = form >= HAFT__OFFLINE_DECLARES ? haft__offline_words_in(words, name) : 0;
    uint32_t score = weight_of(weights, line->words) * count_bits(line->words)
                     + weight_of(weights, path & ~line->words) / 2
                     + weight_of(weights, near_bits(words, line))
                     + weight_of(weights, in_name) * count_bits(in_name) / 2;
    if ((line->words & exact) != 0) {
        bool part = line->form == HAFT__OFFLINE_LACKS && (in_name & exact) != 0;
        uint32_t factor = form_factor(words->aim, part ? form : line->form);
        score = score * (part ? factor / 2 + 1 : factor) / 4;
    } else if (form == HAFT__OFFLINE_EXPLAINS) {
        score += score / 2;
    }
    if (words->aim == HAFT__OFFLINE_AIM_VALUE) {
        score += has_digit(line->text) ? score / 2 : 0;
    }
    if (line->form == HAFT__OFFLINE_DEFINES) {
        score += has_comment(line->text) ? score / 8 : 0; /* here somebody cares for it */
        score += haft__offline_names(line->text, words->form) ? score / 4 : 0;
    }
    return is_data(file, line->text) && (line->words & exact) == 0 ? score / DATA + 1 : score;
}

/* Where there are no words to look for, what was read counts, and headings most. */
static uint32_t score_line(const haft__offline_line *line, const haft__offline_words *words,
                           const uint32_t *weights, haft_str file, uint32_t path)
{
    if (words->count == 0) {
        bool blank = haft__str_trim(line->text).len == 0;
        return !line->read || blank ? 0 : haft__str_starts_with(line->text, HAFT__LIT("#")) ? 3 : 1;
    }
    if (line->words == 0 || is_the_task(words, line->text)) {
        return 0;
    }
    return score_words(line, words, weights, file, path) + line->read;
}

/* ---- files ---- */

/* Documents for what and why, programs for where. */
static uint32_t fit_class(const haft__offline_words *words, haft_str path, uint32_t score)
{
    bool docs = haft__offline_class_of(path) == HAFT__OFFLINE_DOCS;
    bool named = (exact_bits(words) & 1U) != 0;
    switch (words->aim) {
    case HAFT__OFFLINE_AIM_DOCUMENTED:
    case HAFT__OFFLINE_AIM_REASON: return docs ? score + score / 2 : score;
    case HAFT__OFFLINE_AIM_MEANING: return docs && !named ? score + score / 2 : score;
    case HAFT__OFFLINE_AIM_PLACE:
        return docs                                         ? score / 2
               : haft__str_ends_with(path, HAFT__LIT(".h")) ? score - score / 8
                                                            : score;
    case HAFT__OFFLINE_AIM_DEFINED:
    case HAFT__OFFLINE_AIM_DECLARED:
    case HAFT__OFFLINE_AIM_SIGNATURE:
    case HAFT__OFFLINE_AIM_CALLED:
    case HAFT__OFFLINE_AIM_VALUE:
    case HAFT__OFFLINE_AIM_COUNT:
    case HAFT__OFFLINE_AIM_LIST:
    case HAFT__OFFLINE_AIM_COMPARE: return docs ? score / 2 : score;
    case HAFT__OFFLINE_AIM_SUMMARY: return score;
    }
    HAFT__UNREACHABLE();
}

/* What lies deep is more often somebody else's. */
static uint32_t fit_depth(haft_str path, uint32_t score)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < path.len; i++) {
        depth += path.ptr[i] == '/' && depth < DEEPEST ? 1 : 0;
    }
    return score - score / DEPTHS * depth;
}

/* The best three lines of a file, each counting half of the one before, and the path itself. */
static void score_file(haft__offline_found *found, const haft__offline_words *words,
                       const uint32_t *weights, haft__offline_file *file)
{
    uint32_t best[3] = {0};
    uint32_t path = haft__offline_words_in_path(words, file->path);
    bool minor = is_minor(words, file->path);
    for (size_t i = file->first; i < file->first + file->count; i++) {
        haft__offline_line *line = &found->lines[i];
        uint32_t score = score_line(line, words, weights, file->path, path);
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
    bool named = exact_bits(words) != 0; /* then one line is enough */
    file->score = best[0] + bonus + (named ? 0 : best[1] / 2 + best[2] / 4);
    file->score += is_meant(words, file->path) ? MEANT : 0;
}

/* Best first; of equals the first found. */
static int compare_scores(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y ? 1 : 0;
}

/* Unless a place is asked for, the second goes to the best file of another class: what is said of a
 * thing, and what does it. */
static void mix_classes(haft__offline_found *found, haft__offline_aim aim)
{
    if (aim != HAFT__OFFLINE_AIM_REASON && aim != HAFT__OFFLINE_AIM_MEANING) {
        return;
    }
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

static haft_status rank_files(haft__offline_found *found, haft__offline_aim aim, haft__arena *arena,
                              haft_error *err)
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
    mix_classes(found, aim);
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
    haft_status status = rank_files(found, words->aim, arena, err);
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
