/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search_bench.c - the built-in grep beside the command grep, on a tree of 2,000 files and 40 MB
 * that is in the page cache. Both take turns; what counts is the median of their processor time.
 */
#include "search_bench.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/search.h"

#define DIRECTORIES 40
#define FILES       50
#define FILE_BYTES  20000
#define REPETITIONS 9

static char tree[64];

/* Text like a program's, with a rare word now and then. */
static size_t make_text(char *text, uint32_t *seed)
{
    static const char *const words[] = {
        "return",      "status", "haft__buf_add(buf,", "if (",   ") {\n",   "    ", "err);\n",
        "size_t",      "= 0;\n", "/* why */",          "static", "&value,", "NULL", "!= HAFT_OK",
        "const char *"};
    size_t length = 0;
    while (length < FILE_BYTES - 32) {
        *seed = *seed * 1664525U + 1013904223U;
        uint32_t dice = *seed >> 8;
        const char *word = dice % 40000 == 0 ? "rare_Needle42 = 7.25;" : words[dice % COUNT(words)];
        length += (size_t)snprintf(text + length, FILE_BYTES - length, "%s ", word);
    }
    text[length++] = '\n';
    return length;
}

static bool make_file(const char *path, uint32_t *seed)
{
    static char text[FILE_BYTES];
    size_t length = make_text(text, seed);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    bool written = fd >= 0 && write(fd, text, length) == (ssize_t)length;
    (void)close(fd);
    return written;
}

static bool make_tree(void)
{
    const char *where = getenv("TMPDIR");
    uint32_t seed = 1;
    char path[128];
    (void)snprintf(tree, sizeof(tree), "%.40s/haft-bench-XXXXXX", where != NULL ? where : "/tmp");
    bool made = mkdtemp(tree) != NULL;
    for (int d = 0; made && d < DIRECTORIES; d++) {
        (void)snprintf(path, sizeof(path), "%s/d%02d", tree, d);
        made = mkdir(path, 0755) == 0;
        for (int i = 0; made && i < FILES; i++) {
            (void)snprintf(path, sizeof(path), "%s/d%02d/f%02d.c", tree, d, i);
            made = make_file(path, &seed);
        }
    }
    return made;
}

static void remove_tree(void)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf -- '%s'", tree);
    if (system(command) != 0) { /* the path is ours */
        (void)fprintf(stderr, "bench: %s stays\n", tree);
    }
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double search_here(const char *pattern)
{
    struct timespec start, end;
    haft__buf result;
    haft_error err = {0};
    haft__search search = {.root = haft__str(tree), .pattern = haft__str(pattern), .limit = 2000};
    haft__buf_init(&result, HAFT__SEARCH_BYTES);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    haft_status status = haft__search_grep(&search, &result, &err);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    haft__buf_finish(&result);
    if (status != HAFT_OK) {
        (void)fprintf(stderr, "bench: %s\n", err.message);
        exit(1);
    }
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

/* Processor time of `grep OPTION PATTERN TREE`, its start included; negative if there is none. */
static double search_there(const char *option, const char *pattern)
{
    struct rusage used;
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)execlp("grep", "grep", option, "--", pattern, tree, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status)
        || WEXITSTATUS(status) > 1) {
        return -1;
    }
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *pattern)
{
    double times[3][REPETITIONS];
    for (size_t i = 0; i < REPETITIONS; i++) {
        times[0][i] = search_here(pattern);
        times[1][i] = search_there("-rnE", pattern);
        times[2][i] = search_there("-rnP", pattern);
    }
    for (size_t i = 0; i < COUNT(times); i++) {
        qsort(times[i], REPETITIONS, sizeof(double), by_size);
    }
    double haft = times[0][REPETITIONS / 2], extended = times[1][REPETITIONS / 2],
           perl = times[2][REPETITIONS / 2];
    printf("| `%s` | %.0f | %.0f | %.0f | %.1f | %.1f |\n", pattern, haft * 1e3, extended * 1e3,
           perl * 1e3, extended / haft, perl / haft);
}

void bench_search(void)
{
    static const char *const patterns[] = {"rare_Needle",     "rare_[A-Z]\\w+",   "Needle[0-9]+ = ",
                                           "[0-9]+\\.[0-9]+", "\\bneedle\\w*\\s", "no such line"};
    if (!make_tree()) {
        (void)fprintf(stderr, "bench: no files in %s\n", tree);
        exit(1);
    }
    printf("### grep in %d files of %d bytes: ms of processor time\n\n"
           "| pattern | haft | grep -rnE | grep -rnP | x -E | x -P "
           "|\n|---|---:|---:|---:|---:|---:|\n",
           DIRECTORIES * FILES, FILE_BYTES);
    for (size_t i = 0; i < COUNT(patterns); i++) {
        print_row(patterns[i]);
    }
    printf("\n");
    remove_tree();
}
