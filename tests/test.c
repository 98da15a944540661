/* SPDX-License-Identifier: Apache-2.0 */
/* test.c - the test harness of test.h: registration, checks, failing allocations, files. */
#include "test.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_FILES 1000

static struct {
    test_case *first, **last;
    const test_case *running;
    bool failed, skipped;
    /* Some tests start threads, and those allocate, too. */
    _Atomic bool counting_down, fail_all_later, hit;
    _Atomic unsigned countdown;
    _Atomic size_t allocations;
    struct kept {
        struct kept *next;
    } * kept;
} state;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static bool allocation_fails(void)
{
    state.allocations++;
    if (!state.counting_down || state.countdown-- > 0) {
        return false;
    }
    state.hit = true;
    state.counting_down = state.fail_all_later;
    state.countdown = 0;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return allocation_fails() ? NULL : __real_realloc(old, size);
}

void __wrap_free(void *old)
{
    __real_free(old);
}

void test_fail_allocation(unsigned n)
{
    state.counting_down = true;
    state.countdown = n;
    state.fail_all_later = false;
    state.hit = false;
}

void test_fail_allocations_from(unsigned n)
{
    test_fail_allocation(n);
    state.fail_all_later = true;
}

bool test_allow_allocations(void)
{
    state.counting_down = false;
    return state.hit;
}

size_t test_allocation_count(void)
{
    return state.allocations;
}

void *test_alloc(size_t size)
{
    struct kept *kept = __real_malloc(sizeof(*kept) + size);
    if (kept == NULL) {
        abort();
    }
    kept->next = state.kept;
    state.kept = kept;
    return kept + 1;
}

static void free_kept(void)
{
    while (state.kept != NULL) {
        struct kept *kept = state.kept;
        state.kept = kept->next;
        __real_free(kept);
    }
}

void test_register(test_case *test)
{
    if (state.last == NULL) {
        state.last = &state.first;
    }
    *state.last = test;
    state.last = &test->next;
}

static void HAFT__PRINTF(3, 0)
    print_failure(const char *file, int line, const char *format, va_list args)
{
    state.failed = true;
    printf("# %s:%d: ", file, line);
    vprintf(format, args);
    printf("\n");
}

void test_fail(const char *file, int line, const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_failure(file, line, format, args);
    va_end(args);
    printf("#   not true: %s\n", what);
}

void test_check_int(const char *file, int line, long long found, long long wanted,
                    const char *format, ...)
{
    if (found != wanted) {
        va_list args;
        va_start(args, format);
        print_failure(file, line, format, args);
        va_end(args);
        printf("#   found %lld, wanted %lld\n", found, wanted);
    }
}

void test_check_str(const char *file, int line, haft_str found, haft_str wanted, const char *format,
                    ...)
{
    if (!haft__str_equal(found, wanted)) {
        va_list args;
        va_start(args, format);
        print_failure(file, line, format, args);
        va_end(args);
        printf("#   found  %.*s\n#   wanted %.*s\n", HAFT__ARG(found), HAFT__ARG(wanted));
    }
}

void test_skip(const char *format, ...)
{
    state.skipped = true;
    va_list args;
    va_start(args, format);
    printf("# skipped: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

void test_skip_suite(const char *path)
{
    test_skip("no %s next to the project; docs/testing.md says how to have it", path);
}

/* The full path of "tests/..." or "shared/...". */
static void find_path(const char *path, char full[PATH_MAX])
{
    const char *root = getenv("HAFT_SOURCE_ROOT");
    (void)snprintf(full, PATH_MAX, "%s/%s%s", root != NULL ? root : ".",
                   strncmp(path, "shared/", 7) == 0 ? "../" : "", path);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t test_list_folder(const char *folder, char ***ret_names)
{
    char full[PATH_MAX];
    find_path(folder, full);
    DIR *dir = opendir(full);
    char **names = test_alloc(MAX_FILES * sizeof(char *));
    size_t count = 0;
    const struct dirent *entry;
    while (dir != NULL && count < MAX_FILES && (entry = readdir(dir)) != NULL) {
        haft_str name = haft__str(entry->d_name);
        if (haft__str_ends_with(name, HAFT__LIT(".json"))) {
            names[count] = test_alloc(name.len + 1);
            memcpy(names[count++], name.ptr, name.len + 1);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    qsort(names, count, sizeof(char *), by_name);
    *ret_names = names;
    return count;
}

haft_str test_read_file(const char *path)
{
    char full[PATH_MAX];
    find_path(path, full);
    FILE *file = fopen(full, "rbe");
    if (file == NULL) {
        return (haft_str){NULL, 0};
    }
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    (void)fseek(file, 0, SEEK_SET);
    char *text = test_alloc(size > 0 ? (size_t)size : 1);
    size_t length = size > 0 ? fread(text, 1, (size_t)size, file) : 0;
    (void)fclose(file);
    return (haft_str){text, length};
}

bool test_aborts(void (*run)(void))
{
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)close(STDERR_FILENO); /* the assertion is written there */
        run();
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status)
           && WTERMSIG(status) == SIGABRT;
}

static const char *short_name(const char *file)
{
    const char *at = strstr(file, "tests/");
    return at != NULL ? at + strlen("tests/") : file;
}

static void run(const test_case *test, unsigned totals[3])
{
    state.running = test;
    state.failed = state.skipped = false;
    test->run();
    (void)test_allow_allocations();
    free_kept();
    static const char *const words[] = {"ok", "not ok", "skip"};
    unsigned verdict = state.failed ? 1 : state.skipped ? 2 : 0;
    totals[verdict]++;
    printf("%s %s %s\n", words[verdict], short_name(test->file), test->name);
    (void)fflush(stdout);
}

typedef struct selection {
    const char *file; /* only tests of this file; NULL: of all files */
    char **words;     /* the file's or the test's name contains one, unless there are none */
    int word_count;
    bool list;
} selection;

static bool wanted(const selection *s, const test_case *test)
{
    const char *file = short_name(test->file);
    if (s->file != NULL && strcmp(s->file, file) != 0) {
        return false;
    }
    for (int i = 0; i < s->word_count; i++) {
        if (strstr(file, s->words[i]) != NULL || strstr(test->name, s->words[i]) != NULL) {
            return true;
        }
    }
    return s->word_count == 0;
}

static selection read_arguments(int argc, char **argv)
{
    selection s = {.words = argv + 1, .word_count = argc - 1};
    if (s.word_count > 0 && strcmp(s.words[0], "--list") == 0) {
        s.list = true;
        s.words++;
        s.word_count--;
    }
    if (s.word_count > 1 && strcmp(s.words[0], "--file") == 0) {
        s.file = s.words[1];
        s.words += 2;
        s.word_count -= 2;
    }
    return s;
}

int main(int argc, char **argv)
{
    unsigned totals[3] = {0, 0, 0};
    selection chosen = read_arguments(argc, argv);
    for (const test_case *test = state.first; test != NULL; test = test->next) {
        if (!wanted(&chosen, test)) {
            continue;
        }
        if (chosen.list) {
            printf("%s %s\n", short_name(test->file), test->name);
        } else {
            run(test, totals);
        }
    }
    return totals[1] > 0 ? 1 : 0;
}
