/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/files_help.h"

static int open_root(const files *f)
{
    int root = -1;
    haft_error err = {0};
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), haft__str(f->path), &root, &err), HAFT_OK, "%s",
              err.message);
    return root;
}

/* ---- paths ---- */

TEST(paths_are_normalized)
{
    static const struct {
        const char *given, *wanted;
    } cases[] = {
        {"", "."},      {".", "."},         {"./", "."},      {"a", "a"},
        {"a/b", "a/b"}, {"./a/./b", "a/b"}, {"a/", "a"},      {"...", "..."},
        {"..a", "..a"}, {"a b", "a b"},     {"a\nb", "a\nb"}, {"-rf", "-rf"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__files_path path = {.length = 0};
        CHECK_INT(haft__files_path_parse(haft__str(cases[i].given), &path, NULL), HAFT_OK, "'%s'",
                  cases[i].given);
        CHECK_STR(haft__str(path.text), haft__str(cases[i].wanted), "'%s'", cases[i].given);
        CHECK_INT(path.length, strlen(cases[i].wanted), "'%s'", cases[i].given);
    }
}

TEST(paths_that_lead_out_are_rejected)
{
    static const struct {
        haft_str given;
        const char *message;
    } cases[] = {
        {HAFT__LIT("/"), "the path is outside the root: it starts with '/'"},
        {HAFT__LIT("/etc/passwd"), "the path is outside the root: it starts with '/'"},
        {HAFT__LIT(".."), "the path is outside the root: it has '..'"},
        {HAFT__LIT("../a"), "the path is outside the root: it has '..'"},
        {HAFT__LIT("a/../b"), "the path is outside the root: it has '..'"},
        {HAFT__LIT("a/.."), "the path is outside the root: it has '..'"},
        {HAFT__LIT("a//b"), "the path has an empty name: '//'"},
        {HAFT__LIT("a\0b"), "the path has a NUL character"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__files_path path;
        haft_error err = {0};
        CHECK_INT(haft__files_path_parse(cases[i].given, &path, &err), HAFT_BAD_INPUT, "%.*s",
                  HAFT__ARG(cases[i].given));
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "case %zu", i);
        CHECK_STR(haft__str(err.where), HAFT__LIT("/path"), "case %zu", i);
    }
}

TEST(the_length_of_a_path_is_bounded)
{
    char text[HAFT__LIMIT_FILES_PATH_BYTES + 1];
    haft__files_path path = {.length = 0};
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = i % 2 == 0 ? 'a' : '/';
    }
    CHECK_INT(haft__files_path_parse((haft_str){text, sizeof(text) - 1}, &path, NULL), HAFT_OK,
              "at the limit");
    CHECK_INT(path.length, HAFT__LIMIT_FILES_PATH_BYTES, "the length of the path");
    text[sizeof(text) - 1] = text[sizeof(text) - 2] = 'a';
    CHECK_INT(haft__files_path_parse((haft_str){text, sizeof(text)}, &path, NULL), HAFT_TOO_BIG,
              "one past the limit");
}

/* ---- the root ---- */

FILES_TEST(the_root_is_relative_to_the_spec)
{
    files f = files_make();
    files_add(&f, "specs/here/a", "");
    files_link(&f, "link", "specs");
    static const struct {
        const char *spec, *root;
        bool ok;
    } cases[] = {
        {"specs/x.yaml", "here", true},    {"specs/x.yaml", ".", true},
        {"x.yaml", "specs", true},         {"specs/x.yaml", "..", true},
        {"x.yaml", "link", true},          {"specs/x.yaml", "a", false},
        {"specs/x.yaml", "here/a", false}, {"none/x.yaml", ".", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        int root = -1;
        haft_status status = haft__files_root_open(haft__str(files_path(&f, cases[i].spec)),
                                                   haft__str(cases[i].root), &root, &err);
        CHECK_INT(status == HAFT_OK, cases[i].ok, "%s and %s: %s", cases[i].spec, cases[i].root,
                  err.message);
        if (status == HAFT_OK) {
            (void)close(root);
        } else {
            CHECK(strstr(err.message, "cannot be opened") != NULL && err.hint[0] != '\0', "%s",
                  err.message);
        }
    }
    files_remove(&f);
}

FILES_TEST(a_root_without_a_spec_is_relative_to_the_working_directory)
{
    int root = -1;
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), HAFT__LIT(""), &root, NULL), HAFT_OK,
              "no spec and no root");
    (void)close(root);
    CHECK_INT(haft__files_root_open(HAFT__LIT("x.yaml"), HAFT__LIT("."), &root, NULL), HAFT_OK,
              "a bare name");
    (void)close(root);
    char text[5000];
    memset(text, 'a', sizeof(text));
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), (haft_str){text, sizeof(text)}, &root, NULL),
              HAFT_IO, "a name that is too long");
}

/* Makes openat2 fail as on a kernel without it. */
static bool forbid_openat2(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {COUNT(code), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int try_without_openat2(int error)
{
    int root = -1;
    haft_error err = {0};
    if (!forbid_openat2(error)) {
        return 2;
    }
    bool refused =
        haft__files_root_open(HAFT__LIT(""), HAFT__LIT("."), &root, &err) == HAFT_UNSUPPORTED
        && root == -1 && strstr(err.message, "openat2 is not available") != NULL;
    return refused ? 0 : 1;
}

TEST(without_openat2_nothing_is_opened)
{
    static const int errors[] = {ENOSYS, EPERM};
    for (size_t i = 0; i < COUNT(errors); i++) {
        (void)fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            _exit(try_without_openat2(errors[i]));
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status), "no child");
        if (WEXITSTATUS(status) == 2) {
            test_skip("a filter on system calls cannot be set here");
            return;
        }
        CHECK_INT(WEXITSTATUS(status), 0, "%s: a root was opened", strerror(errors[i]));
    }
}

/* ---- files ---- */

FILES_TEST(only_files_below_the_root_are_opened)
{
    files f = files_make();
    files_add(&f, "outside/secret", "secret");
    files_add(&f, "root/a", "a");
    files_add(&f, "root/d/b", "b");
    files_link(&f, "root/out", "../outside/secret");
    files_link(&f, "root/passwd", "/etc/passwd");
    files_link(&f, "root/in", "a");
    files_link(&f, "root/dir", "d");
    files_link(&f, "root/self", "/proc/self/root");
    files_link(&f, "root/loop", "loop");
    CHECK_INT(mkfifo(files_path(&f, "root/fifo"), 0644), 0, "no FIFO");
    int outer = open_root(&f), root = haft__files_root_open_directory(outer, "root");
    static const struct {
        const char *path;
        int error;
    } cases[] = {
        {"a", 0},
        {"d/b", 0},
        {"none", ENOENT},
        {"a/b", ENOTDIR},
        {"d", ENODEV},
        {"out", ELOOP},
        {"passwd", ELOOP},
        {"in", ELOOP},
        {"dir/b", ELOOP},
        {"loop", ELOOP},
        {"fifo", ENODEV},
        {"../outside/secret", EXDEV},
        {"/etc/passwd", EXDEV},
        {"d/../../outside/secret", EXDEV},
        {"self/etc/passwd", ELOOP},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stat info;
        int fd = haft__files_root_open_file(root, cases[i].path, &info), error = errno;
        CHECK_INT(fd >= 0 ? 0 : error, cases[i].error, "%s: %s", cases[i].path, strerror(error));
        if (fd >= 0) {
            CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC, "%s is inherited", cases[i].path);
            (void)close(fd);
        }
    }
    CHECK_INT(haft__files_root_open_directory(root, "a"), -1, "a file as a directory");
    CHECK_INT(haft__files_root_open_directory(root, "dir"), -1, "a link as a directory");
    CHECK_INT(haft__files_root_open_directory(root, ".."), -1, "the parent of the root");
    (void)close(root);
    (void)close(outer);
    files_remove(&f);
}

FILES_TEST(stat_returns_links_and_fifos_without_opening_them)
{
    files f = files_make();
    files_link(&f, "link", "/etc/passwd");
    CHECK_INT(mkfifo(files_path(&f, "fifo"), 0644), 0, "no FIFO");
    int root = open_root(&f);
    struct stat info;
    int fd = haft__files_root_stat(root, "link", &info);
    CHECK(fd >= 0 && S_ISLNK(info.st_mode), "stat followed the link");
    (void)close(fd);
    fd = haft__files_root_stat(root, "fifo", &info);
    CHECK(fd >= 0 && S_ISFIFO(info.st_mode), "stat did not return the FIFO");
    (void)close(fd);
    CHECK_INT(haft__files_root_stat(root, "link/x", &info), -1, "through a link");
    (void)close(root);
    files_remove(&f);
}

FILES_TEST(a_device_is_not_opened)
{
    files f = files_make();
    if (mknod(files_path(&f, "null"), S_IFCHR | 0666, makedev(1, 3)) != 0) {
        test_skip("a device needs privileges: %s", strerror(errno));
    } else {
        int root = open_root(&f);
        struct stat info;
        CHECK_INT(haft__files_root_open_file(root, "null", &info), -1, "a device was opened");
        CHECK(errno == ENODEV || errno == EACCES, "%s", strerror(errno));
        (void)close(root);
    }
    files_remove(&f);
}

/* ---- a race ---- */

/* While a directory and a symbolic link swap places all the time, nothing outside is ever read. */
FILES_TEST(a_link_that_replaces_a_directory_is_never_followed)
{
    files f = files_make();
    files_add(&f, "outside/name", "secret");
    files_add(&f, "root/d/name", "public");
    files_link(&f, "root/l", "../outside");
    files_swapper s;
    int outer = open_root(&f), root = haft__files_root_open_directory(outer, "root");
    files_swap(&s, &f, "root/d", "root/l");
    size_t read_well = 0, refused = 0, leaked = 0;
    for (size_t i = 0; i < 1000000 && (read_well < 2000 || refused < 2000); i++) {
        struct stat info;
        char text[8] = "";
        int fd = haft__files_root_open_file(root, "d/name", &info);
        if (fd < 0) {
            refused++;
            continue;
        }
        (void)!read(fd, text, sizeof(text) - 1);
        (void)close(fd);
        read_well += strcmp(text, "public") == 0;
        leaked += strcmp(text, "public") != 0;
    }
    files_swap_end(&s);
    CHECK_INT(leaked, 0, "reads outside the root");
    CHECK(read_well > 0 && refused > 0, "%zu reads, %zu refused: no race", read_well, refused);
    (void)close(root);
    (void)close(outer);
    files_remove(&f);
}
