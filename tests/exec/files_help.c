/* SPDX-License-Identifier: Apache-2.0 */
/* files_help.c - see files_help.h. */
#include "exec/files_help.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec/files/root.h"

bool files_can_open(void)
{
    int root;
    haft_error err = {0};
    haft_status status = haft__files_root_open(HAFT__LIT(""), HAFT__LIT("."), &root, &err);
    if (status == HAFT_OK) {
        (void)close(root);
    }
    if (status == HAFT_UNSUPPORTED) {
        test_skip("%s", err.message);
    }
    return status != HAFT_UNSUPPORTED;
}

files files_make(void)
{
    files f;
    const char *where = getenv("TMPDIR");
    (void)snprintf(f.path, sizeof(f.path), "%.60s/haft-files-XXXXXX",
                   where != NULL ? where : "/tmp");
    CHECK(mkdtemp(f.path) != NULL, "%s: %s", f.path, strerror(errno));
    (void)chmod(f.path, 0755);
    return f;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

void files_remove(const files *f)
{
    CHECK_INT(nftw(f->path, remove_one, 64, FTW_DEPTH | FTW_PHYS), 0, "%s was not removed",
              f->path);
}

char *files_path(const files *f, const char *path)
{
    size_t size = strlen(f->path) + strlen(path) + 2;
    char *full = test_alloc(size);
    (void)snprintf(full, size, "%s/%s", f->path, path);
    return full;
}

files files_below(const files *f, const char *name)
{
    files below;
    (void)snprintf(below.path, sizeof(below.path), "%.80s/%.15s", f->path, name);
    return below;
}

static void make_directories(const files *f, char *path)
{
    for (char *slash = strchr(path + strlen(f->path) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        CHECK(mkdir(path, 0755) == 0 || errno == EEXIST, "%s: %s", path, strerror(errno));
        *slash = '/';
    }
}

void files_add_bytes(const files *f, const char *path, haft_str content)
{
    char *full = files_path(f, path);
    make_directories(f, full);
    if (haft__str_ends_with(haft__str(path), HAFT__LIT("/"))) {
        return;
    }
    FILE *file = fopen(full, "wbe");
    CHECK(file != NULL, "%s: %s", full, strerror(errno));
    if (file != NULL) {
        CHECK_INT(fwrite(content.ptr, 1, content.len, file), content.len, "%s", full);
        (void)fclose(file);
    }
}

void files_add(const files *f, const char *path, const char *content)
{
    files_add_bytes(f, path, haft__str(content));
}

void files_link(const files *f, const char *path, const char *target)
{
    char *full = files_path(f, path);
    make_directories(f, full);
    CHECK_INT(symlink(target, full), 0, "%s: %s", full, strerror(errno));
}

haft_str files_shell(const files *f, const char *command)
{
    char line[PATH_MAX];
    size_t capacity = (size_t)1 << 20, length = 0;
    char *text = test_alloc(capacity);
    (void)snprintf(line, sizeof(line), "cd '%s' && %s", f->path, command);
    (void)fflush(stdout);
    FILE *pipe = popen(line, "re"); /* a test may use the shell */
    if (pipe == NULL) {
        return (haft_str){NULL, 0};
    }
    length = fread(text, 1, capacity, pipe);
    return pclose(pipe) == 0 ? (haft_str){text, length} : (haft_str){NULL, 0};
}

bool files_git(const files *f)
{
    /* Ignores the git configuration of the machine. */
    (void)setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    (void)setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    (void)setenv("XDG_CONFIG_HOME", f->path, 1);
    if (files_shell(f, "git init -q . 2>/dev/null").ptr == NULL) {
        test_skip("there is no git to compare with");
        return false;
    }
    return true;
}

static void *swap(void *context)
{
    files_swapper *s = context;
    while (!atomic_load(&s->stop)) {
        (void)syscall(SYS_renameat2, AT_FDCWD, s->a, AT_FDCWD, s->b, 2U /* RENAME_EXCHANGE */);
    }
    return NULL;
}

void files_swap(files_swapper *s, const files *f, const char *a, const char *b)
{
    s->a = files_path(f, a);
    s->b = files_path(f, b);
    atomic_init(&s->stop, false);
    CHECK_INT(pthread_create(&s->thread, NULL, swap, s), 0, "no thread");
}

void files_swap_end(files_swapper *s)
{
    atomic_store(&s->stop, true);
    CHECK_INT(pthread_join(s->thread, NULL), 0, "the thread does not end");
}
