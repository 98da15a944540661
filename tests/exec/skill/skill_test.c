/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/skill/skill.c: instructions, references, scripts, paths that lead out. */
#include "exec/skill/skill.h"

#include "base/limits.h"
#include "base/str.h"
#include "exec/files_help.h"

#define HASH                                                                                       \
    "c54f5a6a57c2b4b1b3dcd4a3b4a1bb8d0f5a2fcb56f6b4f3f5e3b3d1a8f9d2e1" /* of another text */

/* The result of a call; or the error as "WHERE: MESSAGE". */
static haft_str call(const files *f, const char *file, const char *allowed)
{
    haft__buf buf;
    haft_error err = {.status = HAFT_OK};
    haft__skill_request request = {.spec_path = HAFT__LIT(""),
                                   .folder = haft__str(files_path(f, "pdf")),
                                   .name = HAFT__LIT("pdf"),
                                   .sha256 = HAFT__LIT(HASH),
                                   .allowed = haft__str(allowed != NULL ? allowed : ""),
                                   .narrows = allowed != NULL,
                                   .file = haft__str(file)};
    haft__buf_init(&buf, HAFT__SKILL_RESULT_BYTES);
    if (haft__skill_run(&request, &buf, &err) != HAFT_OK) {
        size_t skip = strncmp(err.where, f->path, strlen(f->path)) == 0 ? strlen(f->path) + 1 : 0;
        haft__buf_clear(&buf);
        haft__buf_addf(&buf, "%s: %s", err.where + skip, err.message);
    }
    char *kept = test_alloc(buf.len + 1);
    memcpy(kept, buf.len > 0 ? buf.ptr : "", buf.len);
    kept[buf.len] = '\0';
    haft_str text = {kept, buf.len};
    haft__buf_finish(&buf);
    return text;
}

#define CHANGED                                                                                    \
    "[SKILL.md has changed since this run began. The tools that the skill allows are those of "    \
    "the "                                                                                         \
    "beginning.]\n\n"

FILES_TEST(the_result_has_the_instructions_and_the_files)
{
    files f = files_make();
    files_add(&f, "pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\n\n# Do it\n\n");
    files_add(&f, "pdf/references/forms.md", "Forms.\n");
    files_add(&f, "pdf/assets/a\nb.txt", "x");
    files_add(&f, "pdf/scripts/fill.py", "print()");
    CHECK_STR(call(&f, "", NULL),
              HAFT__LIT("# Skill pdf\n\n" CHANGED "# Do it\n\n"
                        "Files of this skill; call it with `file` to read one:\n"
                        "- assets/a\\nb.txt (1 bytes)\n- references/forms.md (7 bytes)\n\n"
                        "Scripts of this skill, which this version of haft does not run:\n"
                        "- scripts/fill.py (7 bytes)"),
              "the whole result");
    haft_str narrowed = call(&f, "SKILL.md", "read, grep");
    CHECK(haft__str_ends_with(narrowed,
                              HAFT__LIT("\n\nFrom the next turn on, for the rest of this run, this "
                                        "skill allows only these tools for the work: read, grep.")),
          "%s", narrowed.ptr);
    CHECK(haft__str_ends_with(call(&f, ".", ""), HAFT__LIT("for the work: none.")), "no tools");
    CHECK_STR(call(&f, "./references/forms.md", NULL), HAFT__LIT("Forms.\n"), "a reference");
    files_remove(&f);
}

FILES_TEST(scripts_and_paths_that_lead_out_are_refused)
{
    static const char script[] = "/file: haft does not run scripts of skills";
    static const char out[] =
        "/file: the file must be a path beneath the folder of the skill, without \"..\"";
    static const struct {
        const char *file, *wanted;
    } rows[] = {
        {"scripts/fill.py", script},
        {"./scripts/./fill.py", script},
        {"scripts/gone.py", script},
        {"scripts", script},
        {"scripts.md", "Not a script."},
        {"../secret.txt", out},
        {"references/../../secret.txt", out},
        {"/etc/passwd", out},
        {"references//forms.md", out},
        {"references/link.md", "pdf/references/link.md: is a symbolic link, which haft does not "
                               "follow in a skill"},
        {"up/secret.txt", "pdf/up/secret.txt: is a symbolic link, which haft does not follow in a "
                          "skill"},
        {"gone.md", "pdf/gone.md: cannot be read: No such file or directory"},
        {"references", "pdf/references: is no regular file"},
        {"binary.dat", "pdf/binary.dat: is not a text: byte 0 is not UTF-8"},
    };
    files f = files_make();
    files_add(&f, "secret.txt", "secret");
    files_add(&f, "pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\nDo it");
    files_add(&f, "pdf/scripts/fill.py", "print()");
    files_add(&f, "pdf/scripts.md", "Not a script.");
    files_add_bytes(&f, "pdf/binary.dat", HAFT__LIT("\xff\xfe"));
    files_link(&f, "pdf/references/link.md", "../../secret.txt");
    files_link(&f, "pdf/up", "..");
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(call(&f, rows[i].file, NULL), haft__str(rows[i].wanted), "%s", rows[i].file);
    }
    CHECK_STR(call(&f, "", NULL),
              HAFT__LIT("pdf/up: is a symbolic link, which haft does not follow in a skill"),
              "a link that came later");
    files_remove(&f);
}

FILES_TEST(limit_of_a_file)
{
    files f = files_make();
    char *big = test_alloc(HAFT__LIMIT_SKILL_FILE_BYTES + 1);
    memset(big, 'x', HAFT__LIMIT_SKILL_FILE_BYTES + 1);
    files_add(&f, "pdf/SKILL.md", "x");
    files_add_bytes(&f, "pdf/full.md", (haft_str){big, HAFT__LIMIT_SKILL_FILE_BYTES});
    files_add_bytes(&f, "pdf/over.md", (haft_str){big, HAFT__LIMIT_SKILL_FILE_BYTES + 1});
    CHECK_INT(call(&f, "full.md", NULL).len, HAFT__LIMIT_SKILL_FILE_BYTES, "as long as allowed");
    CHECK_STR(call(&f, "over.md", NULL),
              HAFT__LIT("pdf/over.md: has more than the 262144 bytes that are allowed"),
              "one byte more");
    files_remove(&f);
}
