/* SPDX-License-Identifier: Apache-2.0 */
/* families.c - finds the row for a name or a chat template. Tests: tests/model/families_test.c. */
#include "model/families.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

const haft__family *haft__family_find(haft_str name)
{
    size_t count;
    const haft__family *rows = haft__families(&count);
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal_ignore_case(name, haft__str(rows[i].name))) {
            return &rows[i];
        }
    }
    return NULL;
}

/* ---- characters ---- */

/* Neither a letter nor a digit; or the p of v3p1, which stands for a point. */
static bool is_separator(haft_str name, size_t at)
{
    char c = name.ptr[at];
    bool point = haft__ascii_lower(c) == 'p' && at > 0 && at + 1 < name.len
                 && haft__ascii_is_digit(name.ptr[at - 1])
                 && haft__ascii_is_digit(name.ptr[at + 1]);
    return point || (!haft__ascii_is_letter(c) && !haft__ascii_is_digit(c));
}

/* Whether the position is inside a word or a number. */
static bool is_inside(haft_str name, size_t at)
{
    if (at == 0 || at >= name.len) {
        return false;
    }
    char before = name.ptr[at - 1], after = name.ptr[at];
    return (haft__ascii_is_letter(before) && haft__ascii_is_letter(after))
           || (haft__ascii_is_digit(before) && haft__ascii_is_digit(after));
}

/* ---- patterns ---- */

/* Consumes the `-` of a pattern: separators, which are required between two digits. */
static bool skip_separators(haft_str name, size_t *io_at, char next)
{
    size_t at = *io_at;
    while (at < name.len && is_separator(name, at)) {
        at++;
    }
    bool needed = at > 0 && haft__ascii_is_digit(name.ptr[at - 1]) && haft__ascii_is_digit(next);
    *io_at = at;
    return !needed;
}

/* Whether the pattern has a digit and `+` here: that number or a larger one. */
static bool is_version(haft_str pattern, size_t at)
{
    return at + 1 < pattern.len && haft__ascii_is_digit(pattern.ptr[at])
           && pattern.ptr[at + 1] == '+';
}

/* Consumes a version of at least `min`, which has at most two digits: a longer number is a date.
 */
static bool skip_version(haft_str name, size_t *io_at, unsigned min)
{
    size_t at = *io_at;
    unsigned number = 0;
    for (; at < name.len && haft__ascii_is_digit(name.ptr[at]) && at < *io_at + 3; at++) {
        number = number * 10 + (unsigned)(name.ptr[at] - '0');
    }
    bool good = at > *io_at && at <= *io_at + 2 && number >= min;
    *io_at = at;
    return good;
}

/* The 3b of open_llama_3b is a size, not a version. */
static bool is_size(haft_str piece, haft_str name, size_t at)
{
    bool version = piece.len > 1 && is_version(piece, piece.len - 2);
    bool number = (haft__ascii_is_digit(piece.ptr[piece.len - 1]) || version) && at < name.len;
    bool over =
        at + 1 >= name.len
        || (!haft__ascii_is_letter(name.ptr[at + 1]) && !haft__ascii_is_digit(name.ptr[at + 1]));
    return number && over
           && (haft__ascii_lower(name.ptr[at]) == 'b' || haft__ascii_lower(name.ptr[at]) == 'm');
}

/* Matches a piece of a pattern, up to `*` or its end, at one position of the name; returns the end
 * of the match, or 0. */
static size_t match_piece(haft_str piece, haft_str name, size_t at)
{
    for (size_t i = 0; i < piece.len; i++) {
        if (piece.ptr[i] == '-') {
            if (!skip_separators(name, &at, i + 1 < piece.len ? piece.ptr[i + 1] : '\0')) {
                return 0;
            }
        } else if (is_version(piece, i)) {
            if (!skip_version(name, &at, (unsigned)(piece.ptr[i] - '0'))) {
                return 0;
            }
            i++;
        } else if (at >= name.len || haft__ascii_lower(name.ptr[at]) != piece.ptr[i]) {
            return 0;
        } else {
            at++;
        }
    }
    return is_inside(name, at) || is_size(piece, name, at) ? 0 : at;
}

/* Matches each piece as early as possible, which leaves the most for the next. */
static bool matches(haft_str pattern, haft_str name)
{
    size_t at = 0, last = name.len;
    if (haft__str_starts_with(pattern, HAFT__LIT("^"))) {
        pattern = haft__str_skip(pattern, 1);
        last = name.len > 0 ? 1 : 0;
    }
    for (; pattern.len > 0; last = name.len) {
        haft_str piece = haft__str_split(&pattern, '*');
        size_t end = 0;
        for (; at < last && end == 0; at++) {
            end = is_inside(name, at) ? 0 : match_piece(piece, name, at);
        }
        if (end == 0) {
            return false;
        }
        at = end;
    }
    return true;
}

/* The number of letters and digits, and of other signs that a name must have. */
static size_t weight(haft_str pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        bool more = i > 0 && is_version(pattern, i - 1); /* its '+' */
        count += !more && strchr("-*^", pattern.ptr[i]) == NULL ? 1 : 0;
    }
    return count;
}

static const haft__family *find_part(haft_str part, const char **ret_pattern)
{
    size_t count, best = 0;
    const haft__family *rows = haft__families(&count), *found = NULL;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < HAFT__FAMILY_PATTERNS && rows[i].patterns[k] != NULL; k++) {
            const char *pattern = rows[i].patterns[k];
            if (weight(haft__str(pattern)) > best && matches(haft__str(pattern), part)) {
                best = weight(haft__str(pattern));
                found = &rows[i];
                *ret_pattern = pattern;
            }
        }
    }
    return found;
}

/* Removes the last part of a path; false if nothing is left. */
static bool take_part(haft_str *io_path, haft_str *ret_part)
{
    size_t at = io_path->len;
    if (at == 0) {
        return false;
    }
    while (at > 0 && io_path->ptr[at - 1] != '/' && io_path->ptr[at - 1] != '\\') {
        at--;
    }
    *ret_part = haft__str_skip(*io_path, at);
    io_path->len = at > 0 ? at - 1 : 0;
    return true;
}

/* OpenAI's names of fine-tuned models: ft:gpt-5-mini:org::id. */
static haft_str skip_fine_tuned(haft_str part)
{
    haft_str prefix = HAFT__LIT("ft:");
    bool tuned = part.len > prefix.len
                 && haft__str_equal_ignore_case((haft_str){part.ptr, prefix.len}, prefix);
    return tuned ? haft__str_skip(part, prefix.len) : part;
}

const haft__family *haft__family_match_name(haft_str name, const char **ret_pattern)
{
    const haft__family *found = NULL;
    haft_str part;
    *ret_pattern = NULL;
    if (name.len > HAFT__LIMIT_MODEL_NAME_BYTES) {
        return NULL;
    }
    while (found == NULL && take_part(&name, &part)) {
        found = find_part(skip_fine_tuned(part), ret_pattern);
    }
    return found;
}

/* ---- chat templates ---- */

static bool contains(haft_str text, haft_str mark)
{
    for (const char *from = text.ptr; text.len >= mark.len;) {
        const char *at = memchr(from, mark.ptr[0], text.len - mark.len + 1);
        if (at == NULL) {
            return false;
        }
        if (memcmp(at, mark.ptr, mark.len) == 0) {
            return true;
        }
        text.len -= (size_t)(at + 1 - from);
        from = at + 1;
    }
    return false;
}

const haft__family *haft__family_match_template(haft_str text, const char **ret_mark)
{
    size_t count, best = 0;
    const haft__family *rows = haft__families(&count), *found = NULL;
    *ret_mark = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        bool all = rows[i].marks[0] != NULL;
        for (size_t k = 0; all && k < HAFT__FAMILY_MARKS && rows[i].marks[k] != NULL; k++) {
            haft_str mark = haft__str(rows[i].marks[k]);
            all = contains(text, mark);
            length += mark.len;
        }
        if (all && length > best) {
            best = length;
            found = &rows[i];
            *ret_mark = rows[i].marks[0];
        }
    }
    return found;
}

/* ---- servers ---- */

bool haft__family_is_native(const haft__family *family, const haft__model_spec *model)
{
    static const struct {
        const char *provider;
        unsigned server;
        bool own_host; /* the provider's own server, unless the model has a base_url */
    } servers[] = {
        {"ollama", HAFT__FAMILY_OLLAMA, false},    {"vllm", HAFT__FAMILY_VLLM, false},
        {"openai", HAFT__FAMILY_OTHER, true},      {"openai-responses", HAFT__FAMILY_OTHER, true},
        {"openai-chat", HAFT__FAMILY_OTHER, true},
    };
    for (size_t i = 0; i < COUNT(servers); i++) {
        if (haft__str_equal(model->provider, haft__str(servers[i].provider))) {
            bool asked = !servers[i].own_host || model->base_url.len > 0;
            return !asked || (family->native & servers[i].server) != 0;
        }
    }
    return true;
}
