/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/files.h"

#include "base/limits.h"
#include "exec/search_help.h"

TEST(notes_are_one_line_in_brackets)
{
    haft__buf result;
    haft__buf_init(&result, HAFT__FILES_RESULT_BUFFER_BYTES);
    haft__files_notes none = {.result = &result};
    haft__files_notes_add_count(&none, 0, "cat", "cats", "sleeping");
    haft__files_notes_end(&none);
    CHECK_INT(result.len, 0, "bytes without a note");
    haft__files_notes alone = {.result = &result};
    haft__files_notes_add(&alone, "nothing here");
    haft__files_notes_end(&alone);
    CHECK_STR(haft__buf_str(&result), HAFT__LIT("(nothing here)"), "a note alone");
    haft__files_notes after = {.result = &result};
    haft__files_notes_add_count(&after, 1, "cat", "cats", "sleeping");
    haft__files_notes_add_count(&after, 2, "cat", "cats", "sleeping");
    haft__files_notes_end(&after);
    CHECK_STR(haft__buf_str(&result),
              HAFT__LIT("(nothing here)\n(1 cat sleeping; 2 cats sleeping)"),
              "a note after a result");
    haft__buf_finish(&result);
}

TEST(an_incomplete_walk_reports_it)
{
    haft__buf result;
    haft__buf_init(&result, HAFT__FILES_RESULT_BUFFER_BYTES);
    haft__walk walk = {.cut = true, .unreadable = 1, .too_deep = 2};
    haft__files_notes notes = {.result = &result};
    haft__files_notes_add_walk(&notes, &walk);
    haft__files_notes_end(&notes);
    CHECK_STR(
        haft__buf_str(&result),
        HAFT__LIT("(only the first 1000000 files and directories were searched: give a `path`; 1 "
                  "directory could not be read; 2 paths are nested too deep to be searched)"),
        "notes");
    haft__buf_finish(&result);
}

TEST(a_line_is_accepted_up_to_the_limit)
{
    haft__buf result;
    haft__buf_init(&result, HAFT__FILES_RESULT_BUFFER_BYTES);
    char *room = haft__buf_reserve(&result, HAFT__LIMIT_FILES_RESULT_BYTES + 1);
    CHECK(room != NULL, "no memory");
    if (room != NULL) {
        memset(room, 'a', HAFT__LIMIT_FILES_RESULT_BYTES + 1);
        haft__buf_advance(&result, HAFT__LIMIT_FILES_RESULT_BYTES);
        CHECK(haft__files_keep_line(&result, 5), "at the limit");
        haft__buf_advance(&result, 1);
        CHECK(!haft__files_keep_line(&result, 5), "one past the limit");
        CHECK_INT(result.len, 5, "bytes after the line was dropped");
    }
    haft__buf_finish(&result);
}
