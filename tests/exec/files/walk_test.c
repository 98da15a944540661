/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "exec/files_help.h"

typedef struct walked {
    haft_status status;
    haft__walk walk; /* the counts of the walk, which has ended */
    char text[1 << 16];
} walked;

/* The paths below `start` that match, a line each. */
static const haft__files_within everything = {NULL, 0};

static walked *walk(const files *f, const char *start, const char *pattern)
{
    walked *w = test_alloc(sizeof(*w));
    int root = -1;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__glob *glob_pattern = NULL;
    haft__files_path from;
    size_t length = 0;
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), haft__str(f->path), &root, NULL), HAFT_OK,
              "root");
    CHECK_INT(haft__glob_compile(&arena, haft__str(pattern), &glob_pattern, NULL), HAFT_OK,
              "pattern");
    CHECK_INT(haft__files_path_parse(haft__str(start), &from, NULL), HAFT_OK, "start");
    w->status = haft__walk_begin(&w->walk, root, &from, glob_pattern, &everything, NULL, NULL);
    w->text[0] = '\0';
    haft_str path = {NULL, 0};
    while (w->status == HAFT_OK && (w->status = haft__walk_next(&w->walk, &path, NULL)) == HAFT_OK
           && path.ptr != NULL) {
        length +=
            (size_t)snprintf(w->text + length, sizeof(w->text) - length, "%.*s\n", HAFT__ARG(path));
        length = length < sizeof(w->text) ? length : sizeof(w->text) - 1;
    }
    haft__walk_end(&w->walk);
    haft__arena_finish(&arena);
    (void)close(root);
    return w;
}

static void check_walk(const files *f, const char *start, const char *pattern, const char *wanted)
{
    walked *w = walk(f, start, pattern);
    CHECK_INT(w->status, HAFT_OK, "%s in '%s'", pattern, start);
    CHECK_STR(haft__str(w->text), haft__str(wanted), "%s in '%s'", pattern, start);
}

FILES_TEST(files_come_in_the_order_of_their_paths)
{
    files f = files_make();
    static const char *const made[] = {"a/b/c", "a/b.c", "a.c",   "a-/x",
                                       "z/z/z", "b",     "a/b-c", "empty/"};
    for (size_t i = 0; i < COUNT(made); i++) {
        files_add(&f, made[i], "");
    }
    check_walk(&f, "", "**", "a-/x\na.c\na/b-c\na/b.c\na/b/c\nb\nz/z/z\n");
    check_walk(&f, "a", "**", "a/b-c\na/b.c\na/b/c\n");
    check_walk(&f, "a", "*/c", "a/b/c\n");
    check_walk(&f, "a/b", "c", "a/b/c\n");
    check_walk(&f, "", "*.c", "a.c\na/b.c\n");
    check_walk(&f, "", "a/*.c", "a/b.c\n");
    check_walk(&f, "empty", "**", "");
    CHECK_INT(walk(&f, "", "**")->walk.files, 7, "files");
    CHECK_INT(walk(&f, "", "a/*.c")->walk.files, 4, "files of the root and of a/");
    files_remove(&f);
}

FILES_TEST(entries_that_are_not_files_are_skipped)
{
    files f = files_make();
    files_add(&f, "a/x", "");
    files_add(&f, ".git/config", "");
    files_add(&f, "sub/.git", "gitdir: elsewhere");
    files_add(&f, ".hidden/x", "");
    files_add(&f, ".env", "");
    files_link(&f, "link", "a");
    files_link(&f, "link2", "a/x");
    files_link(&f, "up", "..");
    CHECK_INT(mkfifo(files_path(&f, "fifo"), 0644), 0, "no FIFO");
    check_walk(&f, "", "**", "a/x\n");
    CHECK_INT(walk(&f, "", "**")->walk.links, 3, "links");
    check_walk(&f, "", ".*", ".env\n");
    check_walk(&f, "", ".hidden/*", ".hidden/x\n");
    check_walk(&f, "", ".git/**", "");
    check_walk(&f, ".git", "**", ".git/config\n");
    check_walk(&f, ".hidden", "**", ".hidden/x\n");
    files_remove(&f);
}

FILES_TEST(ignore_files_are_obeyed)
{
    files f = files_make();
    static const char *const made[] = {"a.o",     "a.c",     "build/x", "keep/b.o", "keep/c.o",
                                       "sub/a.o", "sub/d/e", "secret",  "notes.txt"};
    for (size_t i = 0; i < COUNT(made); i++) {
        files_add(&f, made[i], "");
    }
    files_add(&f, ".gitignore", "*.o\n/build/\n");
    files_add(&f, "keep/.gitignore", "!b.o\n");
    files_add(&f, "sub/.gitignore", "/d\n");
    files_add(&f, ".git/info/exclude", "secret\n");
    files_add(&f, ".ignore", "notes.txt\n");
    check_walk(&f, "", "**", "a.c\nkeep/b.o\n");
    CHECK_INT(walk(&f, "", "**")->walk.ignored, 7, "ignored files and directories");
    /* A path that is given by name is walked, with the rules of the directories above it. */
    check_walk(&f, "build", "**", "build/x\n");
    check_walk(&f, "sub/d", "**", "sub/d/e\n");
    check_walk(&f, "sub", "**", "");
    check_walk(&f, "keep", "**", "keep/b.o\n");
    files_remove(&f);
}

FILES_TEST(dot_ignore_has_precedence_over_gitignore)
{
    files f = files_make();
    files_add(&f, "a", "");
    files_add(&f, "b", "");
    files_add(&f, ".gitignore", "a\nb\n");
    files_add(&f, ".ignore", "!a\n");
    files_add(&f, ".git/info/exclude", "!b\n");
    check_walk(&f, "", "**", "a\n");
    files_remove(&f);
}

FILES_TEST(an_ignore_file_that_is_a_fifo_is_skipped)
{
    files f = files_make();
    files_add(&f, "a", "");
    files_add(&f, "rules", "a\n");
    files_link(&f, ".gitignore", "rules");
    CHECK_INT(mkfifo(files_path(&f, ".ignore"), 0644), 0, "no FIFO");
    check_walk(&f, "", "a", "a\n");
    files_remove(&f);
}

FILES_TEST(a_long_ignore_file_is_used_up_to_its_limit)
{
    files f = files_make();
    files_add(&f, "a", "");
    files_add(&f, "b", "");
    size_t size = HAFT__LIMIT_FILES_IGNORE_BYTES + 4;
    char *text = test_alloc(size);
    for (size_t i = 0; i < size; i++) {
        text[i] = i % 8 == 7 ? '\n' : '#';
    }
    memcpy(text, "a\n", 2);
    memcpy(text + HAFT__LIMIT_FILES_IGNORE_BYTES - 3, "\nb\n", 3); /* the rule ends at the limit */
    files_add_bytes(&f, ".gitignore", (haft_str){text, size});
    check_walk(&f, "", "**", "");
    memcpy(text + HAFT__LIMIT_FILES_IGNORE_BYTES - 2, "\nb",
           2); /* the rule ends one byte past the limit */
    text[HAFT__LIMIT_FILES_IGNORE_BYTES] = '\n';
    files_add_bytes(&f, ".gitignore", (haft_str){text, size});
    check_walk(&f, "", "**", "b\n");
    /* A file that ends at the limit needs no newline there. */
    files_add_bytes(&f, ".gitignore", (haft_str){text, HAFT__LIMIT_FILES_IGNORE_BYTES});
    check_walk(&f, "", "**", "");
    files_remove(&f);
}

FILES_TEST(the_depth_of_a_walk_is_bounded)
{
    files f = files_make();
    char path[4 * HAFT__LIMIT_FILES_DEPTH] = "";
    size_t length = 0;
    for (int i = 1; i < HAFT__LIMIT_FILES_DEPTH; i++) { /* the root counts as one directory */
        length += (size_t)snprintf(path + length, sizeof(path) - length, "d/");
    }
    (void)snprintf(path + length, sizeof(path) - length, "x");
    files_add(&f, path, "");
    walked *w = walk(&f, "", "**");
    CHECK(haft__str_starts_with(haft__str(w->text), haft__str(path)), "at the limit");
    CHECK_INT(w->walk.too_deep, 0, "at the limit");
    (void)snprintf(path + length, sizeof(path) - length, "d/x");
    files_add(&f, path, "");
    w = walk(&f, "", "**");
    CHECK_INT(w->walk.too_deep, 1, "one past the limit");
    CHECK(strstr(w->text, "d/d/x\n") != NULL && strstr(w->text, path) == NULL,
          "one past the limit");
    files_remove(&f);
}

FILES_TEST(a_path_that_is_too_long_is_skipped)
{
    files f = files_make();
    char name[201];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    int at = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 22; i++) { /* 22 * 201 bytes are more than a path may have */
        CHECK_INT(mkdirat(at, name, 0755), 0, "%s", strerror(errno));
        int below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        (void)close(at);
        at = below;
    }
    (void)close(at);
    walked *w = walk(&f, "", "**");
    CHECK_INT(w->status, HAFT_OK, "walk");
    CHECK_INT(w->walk.too_deep, 1, "paths that are too deep");
    CHECK(files_shell(&f, "rm -rf -- n*").ptr != NULL, "the files were not removed");
    files_remove(&f);
}

FILES_TEST(the_number_of_entries_is_bounded)
{
    files f = files_make();
    files_add(&f, "a/1", "");
    files_add(&f, "a/2", "");
    files_add(&f, "b", "");
    int root = -1;
    haft__files_path from = {".", 1};
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), haft__str(f.path), &root, NULL), HAFT_OK,
              "root");
    for (size_t left = 0; left <= 2; left++) { /* the remaining entries when a/ is entered */
        haft__walk w;
        haft_str path;
        size_t count = 0;
        CHECK_INT(haft__walk_begin(&w, root, &from, &haft__glob_match_all, &everything, NULL, NULL),
                  HAFT_OK, "begin");
        CHECK_INT(w.left, HAFT__LIMIT_FILES_ENTRIES - 2, "remaining entries after two");
        w.left = left;
        while (haft__walk_next(&w, &path, NULL) == HAFT_OK && path.ptr != NULL) {
            count++;
        }
        CHECK_INT(count, left + 1, "files with %zu left", left);
        CHECK_INT(w.cut, left < 2, "%zu left", left);
        haft__walk_end(&w);
    }
    (void)close(root);
    files_remove(&f);
}

FILES_TEST(a_walk_stops_when_cancelled)
{
    files f = files_make();
    files_add(&f, "a", "");
    files_add(&f, "b", "");
    int root = -1;
    atomic_bool stop = false;
    haft__files_path from = {".", 1};
    haft__walk w;
    haft_str path;
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), haft__str(f.path), &root, NULL), HAFT_OK,
              "root");
    CHECK_INT(haft__walk_begin(&w, root, &from, &haft__glob_match_all, &everything, &stop, NULL),
              HAFT_OK, "begin");
    CHECK_INT(haft__walk_next(&w, &path, NULL), HAFT_OK, "first");
    CHECK(path.ptr != NULL && !w.stopped, "the first path");
    atomic_store(&stop, true);
    CHECK_INT(haft__walk_next(&w, &path, NULL), HAFT_OK, "second");
    CHECK(path.ptr == NULL && w.stopped, "the walk did not stop");
    haft__walk_end(&w);
    haft__walk_end(&w);
    (void)close(root);
    files_remove(&f);
}

FILES_TEST(a_directory_that_cannot_be_read_is_counted)
{
    files f = files_make();
    files_add(&f, "a/x", "");
    files_add(&f, "b/x", "");
    CHECK_INT(chmod(files_path(&f, "a"), 0), 0, "chmod");
    bool privileged = geteuid() == 0;
    if (privileged && seteuid(65534) != 0) {
        test_skip("there is no other user to be");
    } else {
        walked *w = walk(&f, "", "**");
        CHECK_STR(haft__str(w->text), HAFT__LIT("b/x\n"), "paths");
        CHECK_INT(w->walk.unreadable, 1, "unreadable directories");
    }
    if (privileged) {
        CHECK_INT(seteuid(0), 0, "root again");
    }
    CHECK_INT(chmod(files_path(&f, "a"), 0755), 0, "chmod");
    files_remove(&f);
}

FILES_TEST(a_walk_reports_a_failed_allocation)
{
    files f = files_make();
    files_add(&f, "a/x", "");
    files_add(&f, "a/.gitignore", "y\n");
    files_add(&f, ".gitignore", "*.o\n");
    int root = -1;
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), haft__str(f.path), &root, NULL), HAFT_OK,
              "root");
    haft__files_path from = {"a", 1};
    for (int deep = 0; deep < 2; deep++) {
        from.text[0] = deep ? 'a' : '.';
        for (unsigned n = 0;; n++) {
            haft__walk w;
            haft_str path = {NULL, 0};
            test_fail_allocation(n);
            haft_status status =
                haft__walk_begin(&w, root, &from, &haft__glob_match_all, &everything, NULL, NULL);
            while (status == HAFT_OK && (status = haft__walk_next(&w, &path, NULL)) == HAFT_OK
                   && path.ptr != NULL) {
            }
            haft__walk_end(&w);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
            if (!failed) {
                break;
            }
        }
    }
    (void)close(root);
    files_remove(&f);
}

FILES_TEST(fifty_thousand_files_are_walked_with_little_memory)
{
    files f = files_make();
    char path[64];
    for (int d = 0; d < 50; d++) {
        (void)snprintf(path, sizeof(path), "d%02d/", d);
        files_add(&f, path, "");
        int at = open(files_path(&f, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        for (int i = 0; i < 1000; i++) {
            (void)snprintf(path, sizeof(path), "f%04d", i);
            int fd = openat(at, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
            (void)close(fd);
        }
        (void)close(at);
    }
    walked *w = walk(&f, "", "*9");
    CHECK_INT(w->walk.files, 50000, "files");
    int root = -1;
    haft__files_path from = {".", 1};
    CHECK_INT(haft__files_root_open(HAFT__LIT(""), haft__str(f.path), &root, NULL), HAFT_OK,
              "root");
    haft__walk again;
    haft_str found = {NULL, 0};
    size_t max = 0, count = 0;
    CHECK_INT(haft__walk_begin(&again, root, &from, &haft__glob_match_all, &everything, NULL, NULL),
              HAFT_OK, "begin");
    while (haft__walk_next(&again, &found, NULL) == HAFT_OK && found.ptr != NULL) {
        max = again.arena.total > max ? again.arena.total : max;
        count++;
    }
    haft__walk_end(&again);
    CHECK_INT(count, 50000, "files");
    CHECK(max < 1 << 20, "%zu bytes", max);
    (void)close(root);
    files_remove(&f);
}

/* ---- a directory that becomes a link while it is walked ---- */

FILES_TEST(a_walk_never_follows_a_link_that_replaces_a_directory)
{
    files f = files_make();
    files_add(&f, "outside/secret", "");
    files_add(&f, "root/d/public", "");
    files_link(&f, "root/l", "../outside");
    files root = files_below(&f, "root");
    files_swapper s;
    files_swap(&s, &f, "root/d", "root/l");
    size_t found = 0, links = 0;
    for (int i = 0; i < 200; i++) {
        walked *w = walk(&root, "", "**");
        CHECK(strstr(w->text, "secret") == NULL, "round %d: a file outside is listed", i);
        found += strstr(w->text, "public") != NULL;
        links += w->walk.links;
    }
    files_swap_end(&s);
    CHECK(found > 0 && links > 0, "%zu walks found the file, %zu links", found, links);
    files_remove(&f);
}

/* ---- compared with git ---- */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 16;
}

static const char *pick(uint32_t *seed, const char *const *words, size_t count)
{
    return words[next_random(seed) % count];
}

static void add_random_rules(const files *f, const char *directory, uint32_t *seed)
{
    static const char *const pieces[] = {"a",    "b",   "c",   "ab",    "x.c",   "x.o",
                                         "*",    "*.c", "a*",  "?",     "**",    "[ab]",
                                         "[!a]", "*b",  "\\a", "[^b]*", "x.[co]"};
    static const char *const fronts[] = {"", "", "", "!", "/", "!/", "**/"};
    static const char *const ends[] = {"", "", "", "/", "/**", "/*", " "};
    char text[512], path[64];
    size_t length = 0;
    for (uint32_t lines = next_random(seed) % 5; lines > 0; lines--) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s",
                                   pick(seed, fronts, COUNT(fronts)));
        for (uint32_t names = 1 + next_random(seed) % 3 / 2; names > 0; names--) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
                                       pick(seed, pieces, COUNT(pieces)), names > 1 ? "/" : "");
        }
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s\n",
                                   pick(seed, ends, COUNT(ends)));
    }
    (void)snprintf(path, sizeof(path), "%s.gitignore", directory);
    files_add_bytes(f, path, (haft_str){text, length});
}

static void add_random_tree(const files *f, uint32_t *seed)
{
    static const char *const names[] = {"a", "b", "c", "ab"}, *const leaves[] = {"x.c", "x.o", "d"};
    char path[64];
    for (size_t i = 0; i < COUNT(names); i++) {
        for (size_t k = 0; k < COUNT(names); k++) {
            (void)snprintf(path, sizeof(path), "%s/%s/%s", names[i], names[k],
                           pick(seed, leaves, COUNT(leaves)));
            files_add(f, path, "");
        }
        (void)snprintf(path, sizeof(path), "%s/%s", names[i], pick(seed, leaves, COUNT(leaves)));
        files_add(f, path, "");
        (void)snprintf(path, sizeof(path), "%s/", names[i]);
        if (next_random(seed) % 2 == 0) {
            add_random_rules(f, path, seed);
        }
    }
    files_add(f, "x.c", "");
    files_add(f, "x.o", "");
    add_random_rules(f, "", seed);
}

/* The files that git lists, without hidden files and in the order of a walk. */
static haft_str git_files(const files *f)
{
    return files_shell(f, "git ls-files -o --exclude-standard | grep -v '^\\.\\|/\\.' | "
                          "LC_ALL=C sort || test $? -lt 2");
}

FILES_TEST(git_lists_the_same_files)
{
    uint32_t seed = 11;
    files f = files_make();
    size_t shown = 0, rounds = 0;
    for (; rounds < 60 && files_git(&f); rounds++) {
        add_random_tree(&f, &seed);
        haft_str wanted = git_files(&f);
        walked *w = walk(&f, "", "**");
        CHECK_STR(haft__str(w->text), wanted.ptr != NULL ? wanted : HAFT__LIT("?"), "round %zu",
                  rounds);
        if (!haft__str_equal(haft__str(w->text), wanted)) {
            haft_str rules = files_shell(&f, "grep -r . --include .gitignore .");
            CHECK(false, "with these rules:\n%.*s", HAFT__ARG(rules));
            break;
        }
        shown += wanted.len;
        CHECK(files_shell(&f, "rm -rf -- * .gitignore").ptr != NULL, "the files were not removed");
    }
    CHECK(rounds == 0 || shown > 1000, "nearly everything was ignored");
    files_remove(&f);
}
