/* SPDX-License-Identifier: Apache-2.0 */
/* gitignore.c - parses .gitignore files and matches paths. Tests:
 * tests/exec/files/gitignore_test.c. */
#include "exec/files/gitignore.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "exec/files/glob.h"

struct haft__gitignore_rule {
    const haft__gitignore_rule *before; /* the rule of the previous line */
    const haft__glob *glob_pattern;
    bool negated;     /* "!": the path is included again */
    bool directories; /* "/" at the end: matches directories only */
    bool anywhere;    /* no other "/": matches a name in any directory */
};

/* Removes trailing spaces, unless a backslash precedes them. */
static haft_str trim_spaces(haft_str line)
{
    size_t end = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '\\') {
            i += i + 1 < line.len;
            end = i + 1;
        } else if (line.ptr[i] != ' ') {
            end = i + 1;
        }
    }
    return (haft_str){line.ptr, end};
}

static haft_str next_line(haft_str *rest)
{
    haft_str line = haft__str_split(rest, '\n');
    line.len -= haft__str_ends_with(line, HAFT__LIT("\r"));
    const char *nul = line.len > 0 ? memchr(line.ptr, '\0', line.len) : NULL;
    line.len = nul != NULL ? (size_t)(nul - line.ptr) : line.len;
    return trim_spaces(line);
}

/* Returns the line without "!" and "/" at its ends, and stores their meaning in the rule. */
static haft_str read_marks(haft_str line, haft__gitignore_rule *rule)
{
    rule->negated = haft__str_starts_with(line, HAFT__LIT("!"));
    line = haft__str_skip(line, rule->negated);
    rule->directories = haft__str_ends_with(line, HAFT__LIT("/"));
    line.len -= rule->directories;
    rule->anywhere = line.len == 0 || memchr(line.ptr, '/', line.len) == NULL;
    return haft__str_skip(line, haft__str_starts_with(line, HAFT__LIT("/")));
}

static bool add_rule(haft__gitignore *ignore, haft__arena *arena, haft_str line)
{
    haft__gitignore_rule marks = {.before = ignore->last};
    haft_str pattern = read_marks(line, &marks);
    if (pattern.len == 0) {
        return true;
    }
    haft__gitignore_rule *rule = haft__arena_alloc(arena, sizeof(*rule));
    marks.glob_pattern = haft__glob_compile_gitignore(arena, pattern, marks.anywhere);
    if (rule == NULL || marks.glob_pattern == NULL) {
        return false;
    }
    *rule = marks;
    ignore->last = rule;
    return true;
}

bool haft__gitignore_parse(haft__gitignore *ignore, haft__arena *arena, haft_str text)
{
    static const haft_str byte_order_mark = HAFT__LIT("\xef\xbb\xbf");
    if (haft__str_starts_with(text, byte_order_mark)) {
        text = haft__str_skip(text, byte_order_mark.len);
    }
    while (text.len > 0) {
        haft_str line = next_line(&text);
        bool is_rule =
            line.len > 0 && line.len <= HAFT__LIMIT_FILES_PATH_BYTES && line.ptr[0] != '#';
        if (is_rule && !add_rule(ignore, arena, line)) {
            return false;
        }
    }
    return true;
}

static haft_str name_of(haft_str path)
{
    const char *slash = path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    return slash != NULL ? haft__str_skip(path, (size_t)(slash - path.ptr) + 1) : path;
}

bool haft__gitignore_matches(const haft__gitignore *ignore, haft_str path, bool is_directory)
{
    haft_str name = name_of(path);
    for (; ignore != NULL; ignore = ignore->above) {
        haft_str inside = haft__str_skip(path, ignore->prefix);
        for (const haft__gitignore_rule *rule = ignore->last; rule != NULL; rule = rule->before) {
            if ((is_directory || !rule->directories)
                && haft__glob_matches(rule->glob_pattern, rule->anywhere ? name : inside)) {
                return !rule->negated;
            }
        }
    }
    return false;
}
