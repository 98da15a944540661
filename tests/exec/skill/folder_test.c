/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/skill/folder.c and visit.c: links, special files, limits. */
#include "exec/skill/folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/files_help.h"
#include "exec/skill/visit.h"

static haft_str keep_text(haft__buf *buf)
{
    char *kept = test_alloc(buf->len + 1);
    memcpy(kept, buf->len > 0 ? buf->ptr : "", buf->len);
    kept[buf->len] = '\0';
    haft_str text = {kept, buf->len};
    haft__buf_finish(buf);
    return text;
}

/* Writes the part of a place after the directory of the test. */
static void write_place(haft__buf *out, const files *f, const char *place)
{
    size_t skip = strncmp(place, f->path, strlen(f->path)) == 0 ? strlen(f->path) + 1 : 0;
    haft__buf_addf(out, "%s", place + skip);
}

typedef struct found_list {
    const files *f;
    haft__buf text;
    size_t max;
} found_list;

static bool note_skill(void *context, const haft__skill_folder *found)
{
    found_list *list = context;
    haft__buf_addf(&list->text, "%.*s", HAFT__ARG(found->name));
    if (found->error != NULL) {
        haft__buf_add_str(&list->text, HAFT__LIT(" ("));
        write_place(&list->text, list->f, found->error->where);
        haft__buf_addf(&list->text, ": %s)", found->error->message);
    }
    haft__buf_add_str(&list->text, HAFT__LIT("; "));
    return --list->max > 0;
}

/* The skills of a directory and their errors; or the error. */
static haft_str visit(const files *f, const char *directory, size_t max)
{
    found_list list = {.f = f, .max = max};
    haft_error err = {.status = HAFT_OK};
    haft__buf_init(&list.text, 1 << 20);
    char *path = files_path(f, directory);
    if (haft__skill_visit_all(HAFT__LIT(""), haft__str(path), note_skill, &list, &err) != HAFT_OK) {
        write_place(&list.text, f, err.message);
    }
    return keep_text(&list.text);
}

FILES_TEST(skills_are_found_in_the_order_of_their_names)
{
    files f = files_make();
    files_add(&f, "all/b/SKILL.md", "B");
    files_add(&f, "all/a/SKILL.md", "A");
    files_add(&f, "all/a/references/x.md", "X");
    files_add(&f, "all/README.md", "not a skill");
    files_add(&f, "all/empty/", "");
    files_add(&f, "all/deep/c/SKILL.md", "too deep");
    CHECK_STR(visit(&f, "all", 9), HAFT__LIT("a; b; "), "a folder of skills");
    CHECK_STR(visit(&f, "all/", 9), HAFT__LIT("a; b; "), "with a slash");
    CHECK_STR(visit(&f, "all/a", 9), HAFT__LIT("a; "), "one skill");
    CHECK_STR(visit(&f, "all", 1), HAFT__LIT("a; "), "the visitor ends");
    CHECK_STR(visit(&f, "all/empty", 9), HAFT__LIT("all/empty has no skill"), "none");
    CHECK_STR(visit(&f, "gone", 9), HAFT__LIT("gone is not a directory that can be read"), "gone");
    CHECK_STR(visit(&f, "all/README.md", 9),
              HAFT__LIT("all/README.md is not a directory that can be read"), "a file");
    haft_str dots = visit(&f, "all/a/.", 9);
    CHECK(haft__str_starts_with(dots, HAFT__LIT(" (: \""))
              && haft__str_ends_with(
                  dots, HAFT__LIT("all/a/.\" does not end with the name of the skill's folder); ")),
          "%s", dots.ptr);
    files_remove(&f);
}

FILES_TEST(links_and_special_files_are_errors)
{
    files f = files_make();
    files_add(&f, "secret/SKILL.md", "secret");
    files_add(&f, "secret/key.txt", "secret");
    files_link(&f, "s/folder", "../secret");
    files_link(&f, "s/file/SKILL.md", "../../secret/SKILL.md");
    files_add(&f, "s/inner/SKILL.md", "x");
    files_link(&f, "s/inner/references/key.md", "../../../secret/key.txt");
    files_add(&f, "s/near/SKILL.md", "x");
    files_link(&f, "s/near/copy.md", "SKILL.md");
    files_add(&f, "s/pipe/SKILL.md", "x");
    CHECK_INT(mkfifo(files_path(&f, "s/pipe/wait.md"), 0644), 0, "no FIFO");
    files_add(&f, "s/pipe2/", "");
    CHECK_INT(mkfifo(files_path(&f, "s/pipe2/SKILL.md"), 0644), 0, "no FIFO");
    files_add_bytes(&f, "s/text/SKILL.md", (haft_str){"ab\xff", 3});
    files_add_bytes(&f, "s/text0/SKILL.md", (haft_str){"a\0b", 3});
    files_add(&f, "s/zdir/SKILL.md/", "");
    CHECK_STR(
        visit(&f, "s", 99),
        HAFT__LIT("file (s/file/SKILL.md: is a symbolic link, which haft does not follow in a "
                  "skill); "
                  "folder (s/folder: is a symbolic link, which haft does not follow in a "
                  "skill); "
                  "inner (s/inner/references/key.md: is a symbolic link, which haft does not "
                  "follow in a skill); "
                  "near (s/near/copy.md: is a symbolic link, which haft does not follow in a "
                  "skill); "
                  "pipe (s/pipe/wait.md: is no regular file); "
                  "pipe2 (s/pipe2/SKILL.md: is no regular file); "
                  "text (s/text/SKILL.md: is not a text: byte 2 is not UTF-8); "
                  "text0 (s/text0/SKILL.md: is not a text: byte 1 is NUL); "
                  "zdir (s/zdir/SKILL.md: is no regular file); "),
        "hostile skills");
    /* Above the folder of a skill a link is followed: the author of the spec wrote the path. */
    files_link(&f, "linked", "secret/..");
    CHECK_STR(visit(&f, "linked/secret", 9), HAFT__LIT("secret; "), "a link above the folder");
    files_remove(&f);
}

/* A skill with so many files and directories besides SKILL.md, of which `in_directory` are in
 * references/. */
static void add_files(const files *f, const char *name, size_t count, size_t in_directory)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "s/%s/SKILL.md", name);
    files_add(f, path, "x");
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(path, sizeof(path), "s/%s/%s%zu.md", name,
                       i < in_directory ? "references/" : "", i);
        files_add(f, path, "x");
    }
}

FILES_TEST(limits_of_a_folder)
{
    files f = files_make();
    char *big = test_alloc(HAFT__LIMIT_SKILL_BYTES + 1);
    memset(big, 'x', HAFT__LIMIT_SKILL_BYTES + 1);
    add_files(&f, "a-full", HAFT__LIMIT_SKILL_FILES, 0);
    add_files(&f, "b-over", HAFT__LIMIT_SKILL_FILES + 1, 0);
    add_files(&f, "c-full", HAFT__LIMIT_SKILL_FILES - 1, 200);
    add_files(&f, "d-over", HAFT__LIMIT_SKILL_FILES, 200);
    add_files(&f, "e-over", HAFT__LIMIT_SKILL_FILES, HAFT__LIMIT_SKILL_FILES);
    files_add_bytes(&f, "s/f-full/SKILL.md", (haft_str){big, HAFT__LIMIT_SKILL_BYTES});
    files_add_bytes(&f, "s/g-over/SKILL.md", (haft_str){big, HAFT__LIMIT_SKILL_BYTES + 1});
    CHECK_STR(visit(&f, "s", 99),
              HAFT__LIT("a-full; b-over (s/b-over: has more than 256 files and directories); "
                        "c-full; d-over (s/d-over: has more than 256 files and directories); "
                        "e-over (s/e-over: has more than 256 files and directories); f-full; "
                        "g-over (s/g-over/SKILL.md: has more than the 65536 bytes that are "
                        "allowed); "),
              "limits");
    files_remove(&f);
}

/* Somebody removes SKILL.md after it was read: one more directory has room in the listing. */
FILES_TEST(a_folder_that_changes_while_it_is_read)
{
    files f = files_make();
    haft__arena arena;
    haft__skill_listing listing;
    haft_error err = {.status = HAFT_OK};
    int fd = -1;
    haft__arena_init(&arena, 0);
    files_add(&f, "s/many/", "");
    CHECK(files_shell(&f, "cd s/many && seq 1 257 | xargs mkdir").ptr != NULL, "mkdir");
    CHECK_INT(HAFT__LIMIT_SKILL_FILES, 256, "the limit of the test");
    haft_str folder = haft__str(files_path(&f, "s/many"));
    CHECK_INT(haft__skill_folder_open(HAFT__LIT(""), folder, &fd, &err), HAFT_OK, "%s",
              err.message);
    CHECK_INT(haft__skill_folder_list(&arena, fd, folder, &listing, &err), HAFT_TOO_BIG, "%s",
              err.message);
    (void)close(fd);
    haft__arena_finish(&arena);
    files_remove(&f);
}

FILES_TEST(limit_of_a_directory_of_skills)
{
    files f = files_make();
    files_add(&f, "s/0/SKILL.md", "x");
    CHECK(files_shell(&f, "cd s && seq 1 19999 | xargs touch").ptr != NULL, "touch");
    CHECK_INT(HAFT__LIMIT_SKILL_ENTRIES, 20000, "the limit of the test");
    CHECK_STR(visit(&f, "s", 9), HAFT__LIT("0; "), "as many entries as allowed");
    files_add(&f, "s/20000", "");
    CHECK_STR(visit(&f, "s", 9), HAFT__LIT("s has more than 20000 entries"), "one more");
    files_remove(&f);
}
