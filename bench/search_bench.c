/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search_bench.c - the built-in grep compared with single-threaded ripgrep and GNU grep, on trees
 * in the page cache. The contenders take turns; the result is the median of their processor time
 * without the start of a command, which is measured in an empty directory. All must find the same
 * number of lines.
 */
#include "search_bench.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/files/files.h"

#define MAX_FILE_BYTES ((size_t)4 << 20)
#define REPETITIONS    5

static const struct {
    const char *name;
    int directories, files; /* files: in each directory */
    size_t bytes;           /* of each file */
    uint32_t rarity;        /* one word in this many is a rare one */
} trees[] = {
    {"8,000 files of 2 KB", 160, 50, 2000, 80000},
    {"2,000 files of 20 KB", 40, 50, 20000, 40000},
    {"10 files of 4 MB", 1, 10, MAX_FILE_BYTES, 40000},
};

static const struct {
    const char *pattern;
    bool any_case;
} patterns[] = {
    {"rare_Needle", false},     {"rare_[A-Z]\\w+", false}, {"Needle42|Thread7|Pin99", false},
    {"[0-9]+\\.[0-9]+", false}, {"rare_needle", true},     {"\\bneedle\\w*\\s", false},
    {"no such line", false},
};

/* ---- trees ---- */

static char place[64];

/* Text like source code, with an occasional rare word. */
static size_t make_text(char *text, size_t size, uint32_t rarity, uint32_t *seed)
{
    static const char *const words[] = {
        "return",      "status", "haft__buf_add(buf,", "if (",   ") {\n",   "    ", "err);\n",
        "size_t",      "= 0;\n", "/* why */",          "static", "&value,", "NULL", "!= HAFT_OK",
        "const char *"};
    size_t length = 0;
    while (length < size - 32) {
        *seed = *seed * 1664525U + 1013904223U;
        uint32_t dice = *seed >> 8;
        const char *word =
            dice % rarity == 0 ? "rare_Needle42 = 7.25;" : words[dice % COUNT(words)];
        length += (size_t)snprintf(text + length, size - length, "%s ", word);
    }
    text[length++] = '\n';
    return length;
}

static bool make_file(const char *path, size_t size, uint32_t rarity, uint32_t *seed)
{
    static char text[MAX_FILE_BYTES];
    size_t length = make_text(text, size, rarity, seed);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    bool written = fd >= 0 && write(fd, text, length) == (ssize_t)length;
    (void)close(fd);
    return written;
}

static bool make_tree(size_t which)
{
    uint32_t seed = 1;
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%zu", place, which);
    bool made = mkdir(path, 0755) == 0;
    for (int d = 0; made && d < trees[which].directories; d++) {
        (void)snprintf(path, sizeof(path), "%s/%zu/d%03d", place, which, d);
        made = mkdir(path, 0755) == 0;
        for (int i = 0; made && i < trees[which].files; i++) {
            (void)snprintf(path, sizeof(path), "%s/%zu/d%03d/f%02d.c", place, which, d, i);
            made = make_file(path, trees[which].bytes, trees[which].rarity, &seed);
        }
    }
    return made;
}

static bool make_place(void)
{
    const char *where = getenv("TMPDIR");
    char path[128];
    (void)snprintf(place, sizeof(place), "%.40s/haft-bench-XXXXXX", where != NULL ? where : "/tmp");
    bool made = mkdtemp(place) != NULL;
    (void)snprintf(path, sizeof(path), "%s/empty", place);
    made = made && mkdir(path, 0755) == 0;
    for (size_t i = 0; made && i < COUNT(trees); i++) {
        made = make_tree(i);
    }
    return made;
}

static void remove_place(void)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf -- '%s'", place);
    if (system(command) != 0) { /* the path was made by this program */
        (void)fprintf(stderr, "bench: cannot remove %s\n", place);
    }
}

/* ---- contenders ---- */

/* One search and its result. */
typedef struct attempt {
    const char *tree, *pattern;
    bool any_case;
    double seconds; /* negative: it failed */
    size_t lines;
} attempt;

static size_t count_lines(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += text[i] == '\n';
    }
    return count;
}

static void search_here(attempt *a)
{
    struct timespec start, end;
    haft__buf result;
    haft_error err = {0};
    char pattern[64];
    (void)snprintf(pattern, sizeof(pattern), "%s%s", a->any_case ? "(?i)" : "", a->pattern);
    haft__files_request search = {
        .root = haft__str(a->tree), .pattern = haft__str(pattern), .limit = 2000};
    haft__buf_init(&result, HAFT__FILES_RESULT_BUFFER_BYTES);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    haft_status status = haft__files_grep(&search, &result, &err);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    haft_str text = haft__buf_str(&result);
    bool none = text.len > 0 && text.ptr[0] == '(';
    a->lines = text.len > 0 && !none ? count_lines(text.ptr, text.len) + 1 : 0;
    a->seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    if (status != HAFT_OK) {
        (void)fprintf(stderr, "bench: %s\n", err.message);
        a->seconds = -1;
    }
    haft__buf_finish(&result);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static size_t count_lines_of(int fd)
{
    static char text[1 << 16];
    size_t count = 0;
    ssize_t got = lseek(fd, 0, SEEK_SET) == 0 ? read(fd, text, sizeof(text)) : 0;
    while (got > 0) {
        count += count_lines(text, (size_t)got);
        got = read(fd, text, sizeof(text));
    }
    return count;
}

/* Runs a command that prints the lines it finds and exits with 0 or 1; `become` replaces the
 * process with the command. */
static void search_there(attempt *a, int (*become)(const attempt *a))
{
    struct rusage used;
    int status = -1, output = memfd_create("lines", MFD_CLOEXEC);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(output, STDOUT_FILENO);
        (void)become(a);
        _exit(127);
    }
    bool good = output >= 0 && child > 0 && wait4(child, &status, 0, &used) == child
                && WIFEXITED(status) && WEXITSTATUS(status) <= 1;
    a->seconds = good ? seconds(used.ru_utime) + seconds(used.ru_stime) : -1;
    a->lines = good ? count_lines_of(output) : 0;
    (void)close(output);
}

static int become_ripgrep(const attempt *a)
{
    return execlp("rg", "rg", "-j1", "-n", "--no-require-git", "--no-heading", "--color", "never",
                  a->any_case ? "-i" : "-s", "-e", a->pattern, a->tree, (char *)NULL);
}

static int become_gnu(const attempt *a)
{
    return execlp("grep", "grep", a->any_case ? "-rniE" : "-rnE", "-e", a->pattern, a->tree,
                  (char *)NULL);
}

static void search_ripgrep(attempt *a)
{
    search_there(a, become_ripgrep);
}

static void search_gnu(attempt *a)
{
    search_there(a, become_gnu);
}

static const struct {
    const char *name;
    void (*search)(attempt *a);
    bool starts; /* a process, whose start is subtracted */
} contenders[] = {{"haft", search_here, false},
                  {"rg -j1", search_ripgrep, true},
                  {"grep -rnE", search_gnu, true}};

/* ---- rows ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of all contenders; their line counts must be equal. */
static void measure(const char *tree, size_t which, double times[COUNT(contenders)])
{
    double taken[COUNT(contenders)][REPETITIONS];
    size_t lines = 0;
    for (size_t r = 0; r < REPETITIONS; r++) {
        for (size_t i = 0; i < COUNT(contenders); i++) {
            attempt a = {tree, patterns[which].pattern, patterns[which].any_case, 0, 0};
            contenders[i].search(&a);
            lines = i == 0 ? a.lines : lines;
            taken[i][r] = a.seconds;
            if (a.seconds >= 0 && a.lines != lines) {
                (void)fprintf(stderr, "bench: %s finds %zu lines of '%s', haft finds %zu\n",
                              contenders[i].name, a.lines, a.pattern, lines);
                exit(1);
            }
        }
    }
    for (size_t i = 0; i < COUNT(contenders); i++) {
        qsort(taken[i], REPETITIONS, sizeof(double), by_size);
        times[i] = taken[i][REPETITIONS / 2];
    }
}

static void print_row(size_t tree, size_t which)
{
    double times[COUNT(contenders)], idle[COUNT(contenders)];
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/empty", place);
    measure(path, which, idle);
    (void)snprintf(path, sizeof(path), "%s/%zu", place, tree);
    measure(path, which, times);
    printf("| %s | `", trees[tree].name);
    for (const char *c = patterns[which].pattern; *c != '\0'; c++) {
        printf(*c == '|' ? "\\%c" : "%c", *c); /* escaped for a Markdown table */
    }
    printf("`%s |", patterns[which].any_case ? ", any case" : "");
    for (size_t i = 0; i < COUNT(contenders); i++) {
        times[i] -= contenders[i].starts && idle[i] > 0 ? idle[i] : 0;
        printf(times[i] >= 0 ? " %.1f |" : " - |", times[i] * 1e3);
    }
    for (size_t i = 1; i < COUNT(contenders); i++) {
        printf(times[i] > 0 ? " %.2f |" : " - |", times[0] / times[i]);
    }
    printf("\n");
    (void)fflush(stdout);
}

void bench_search(void)
{
    if (!make_place()) {
        (void)fprintf(stderr, "bench: no files in %s\n", place);
        exit(1);
    }
    printf("### grep: ms of processor time, and haft's as a part of the others'\n\n"
           "| tree | pattern | haft | rg -j1 | grep -rnE | haft / rg | haft / grep |\n"
           "|---|---|---:|---:|---:|---:|---:|\n");
    for (size_t tree = 0; tree < COUNT(trees); tree++) {
        for (size_t i = 0; i < COUNT(patterns); i++) {
            print_row(tree, i);
        }
    }
    printf("\n");
    remove_place();
}
