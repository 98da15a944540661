/* SPDX-License-Identifier: Apache-2.0 */
/*
 * found.c - files and lines in the results of glob, grep and read.
 *
 *     glob    a path a line
 *     grep    path:line:text
 *     read    line number, tab, text; the path is in the call
 *
 * Whatever else stands in a result (notes at its end, a line that was cut) is passed over. Texts
 * are borrowed from the results. Ranking is in rank.c.
 * Tests: tests/model/rules/found_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "model/rules/rank.h"

/* Longer ones, and those with control characters, are no names we want to repeat. */
#define LONGEST_PATH 512U
/* The highest number of a line that is believed. */
#define LAST_LINE 100000000U

_Static_assert(HAFT__LIMIT_OFFLINE_FILES <= HAFT__LIMIT_OFFLINE_LINES,
               "a line adds a file at most, so that the room for lines is enough for files");

typedef struct reading {
    haft__offline_found *found;
    haft__map by_path;
    size_t line_room;
    haft_str place; /* files elsewhere are passed over, unless they were read */
    haft_error *err;
} reading;

/* ---- paths ---- */

static bool is_path(haft_str path)
{
    bool good = path.len > 0 && path.len <= LONGEST_PATH;
    for (size_t i = 0; good && i < path.len; i++) {
        good = (unsigned char)path.ptr[i] >= 0x20 && path.ptr[i] != 0x7f;
    }
    return good;
}

/* A note may stand among the paths: words with spaces between them, and no ending. */
static bool is_listed_path(haft_str path)
{
    if (!is_path(path) || strchr("([{<-", path.ptr[0]) != NULL
        || haft__str_starts_with(path, HAFT__LIT("..."))
        || haft__str_starts_with(path, HAFT__LIT("\xE2\x80\xA6"))) {
        return false;
    }
    size_t word = 0;
    for (size_t i = 0; i < path.len; i++) {
        word = path.ptr[i] == ' ' ? i + 1 : word;
    }
    haft_str last = haft__str_skip(path, word);
    return word == 0
           || (last.len > 0 && memchr(last.ptr, '.', last.len - 1) != NULL
               && memchr(path.ptr, ':', path.len) == NULL);
}

static haft_str plain(haft_str path)
{
    return haft__str_starts_with(path, HAFT__LIT("./")) ? haft__str_skip(path, 2) : path;
}

/* The file of that path, a new one if need be; NULL when there are too many already. */
static haft_status find_file(reading *r, haft_str path, haft__offline_file **ret_file)
{
    haft__offline_found *found = r->found;
    path = plain(path);
    *ret_file = haft__map_get(&r->by_path, path);
    if (*ret_file != NULL) {
        return HAFT_OK;
    }
    if (found->file_count == HAFT__LIMIT_OFFLINE_FILES) {
        found->cut = true;
        return HAFT_OK;
    }
    haft__offline_file *file = &found->files[found->file_count];
    *file = (haft__offline_file){.path = path};
    haft_status status = haft__map_put(&r->by_path, path, file, r->err);
    if (status == HAFT_OK) {
        found->file_count++;
        *ret_file = file;
    }
    return status;
}

/* ---- lines ---- */

/* A number at the beginning of `text`, cut off from it; 0 when there is none. */
static uint32_t take_number(haft_str *text)
{
    uint32_t number = 0;
    size_t digits = 0;
    for (; digits < text->len && text->ptr[digits] >= '0' && text->ptr[digits] <= '9'; digits++) {
        number = number * 10 + (uint32_t)(text->ptr[digits] - '0');
        if (number > LAST_LINE) {
            return 0;
        }
    }
    *text = haft__str_skip(*text, digits);
    return number;
}

static void add_line(reading *r, const haft__offline_file *file, haft__offline_line line)
{
    haft__offline_found *found = r->found;
    if (found->line_count == r->line_room) {
        found->cut = true;
        return;
    }
    line.file = (uint32_t)(file - found->files);
    line.order = (uint32_t)found->line_count;
    if (haft__str_ends_with(line.text, HAFT__LIT("\r"))) {
        line.text.len--;
    }
    found->lines[found->line_count++] = line;
}

/* A path, alone on its line. */
static bool parse_glob(haft_str line, haft_str *ret_path)
{
    *ret_path = haft__str_trim(line);
    return is_listed_path(*ret_path) && !haft__str_ends_with(*ret_path, HAFT__LIT("/"));
}

/* path:line:text. The path ends before the first number that stands between two colons. What stands
 * in brackets is a note. */
static bool parse_grep(haft_str line, haft_str *ret_path, haft__offline_line *ret_line)
{
    bool note =
        haft__str_starts_with(line, HAFT__LIT("(")) && haft__str_ends_with(line, HAFT__LIT(")"));
    for (size_t i = 0; !note && i < line.len && i <= LONGEST_PATH; i++) {
        if (line.ptr[i] != ':') {
            continue;
        }
        haft_str rest = haft__str_skip(line, i + 1);
        uint32_t number = take_number(&rest);
        *ret_path = (haft_str){line.ptr, i};
        if (number > 0 && haft__str_starts_with(rest, HAFT__LIT(":")) && is_path(*ret_path)) {
            *ret_line = (haft__offline_line){.number = number, .text = haft__str_skip(rest, 1)};
            return true;
        }
    }
    return false;
}

/* A number and what stands between it and the text. */
static bool parse_read(haft_str line, haft__offline_line *ret_line)
{
    static const char *const dividers[] = {"\t", ": ", ":", " | ", "|", "\xE2\x86\x92"};
    while (haft__str_starts_with(line, HAFT__LIT(" "))) {
        line = haft__str_skip(line, 1);
    }
    uint32_t number = take_number(&line);
    for (size_t i = 0; number > 0 && i < COUNT(dividers); i++) {
        haft_str divider = haft__str(dividers[i]);
        if (haft__str_starts_with(line, divider)) {
            haft_str text = haft__str_skip(line, divider.len);
            *ret_line = (haft__offline_line){.number = number, .text = text, .read = true};
            return true;
        }
    }
    return false;
}

static haft_status read_glob(reading *r, haft_str line)
{
    haft__offline_file *file = NULL;
    haft_str path;
    bool wanted = parse_glob(line, &path) && haft__offline_is_below(plain(path), r->place);
    haft_status status = wanted ? find_file(r, path, &file) : HAFT_OK;
    if (file != NULL) {
        r->found->listed += file->listed ? 0 : 1;
        file->listed = true;
    }
    return status;
}

static haft_status read_grep(reading *r, haft_str line)
{
    haft__offline_file *file = NULL;
    haft__offline_line parsed;
    haft_str path;
    bool wanted = parse_grep(line, &path, &parsed) && haft__offline_is_below(plain(path), r->place);
    haft_status status = wanted ? find_file(r, path, &file) : HAFT_OK;
    if (file != NULL) {
        add_line(r, file, parsed);
    }
    return status;
}

static void read_read(reading *r, haft__offline_file *file, haft_str line)
{
    haft__offline_line parsed;
    if (parse_read(line, &parsed)) {
        bool first = file->read_from == 0 || parsed.number < file->read_from;
        file->read_from = first ? parsed.number : file->read_from;
        file->read_to = parsed.number > file->read_to ? parsed.number : file->read_to;
        add_line(r, file, parsed);
    }
}

/* ---- results ---- */

static bool is(const haft__offline_call *call, const char *name)
{
    return haft__str_equal(call->name, haft__str(name));
}

static bool is_file_call(const haft__offline_call *call)
{
    return is(call, "glob") || is(call, "grep") || is(call, "read");
}

static haft_status read_lines(reading *r, const haft__offline_call *call, haft__offline_file *file)
{
    haft_str rest = call->failed ? HAFT__LIT("") : call->result;
    haft_status status = HAFT_OK;
    while (rest.len > 0 && status == HAFT_OK) {
        haft_str line = haft__str_split(&rest, '\n');
        if (is(call, "glob")) {
            status = read_glob(r, line);
        } else if (is(call, "grep")) {
            status = read_grep(r, line);
        } else if (file != NULL) {
            read_read(r, file, line);
        }
    }
    return status;
}

static haft_status read_result(reading *r, const haft__offline_call *call)
{
    haft__offline_file *file = NULL;
    haft_str path = haft__offline_argument(call, "path");
    haft_status status = HAFT_OK;
    if (is(call, "read") && is_path(path)) {
        status = find_file(r, path, &file);
    }
    if (file != NULL) {
        file->unread = call->failed;
    }
    return status == HAFT_OK ? read_lines(r, call, file) : status;
}

size_t haft__offline_count(const haft__offline_call *call)
{
    size_t count = 0;
    haft_str rest = call->result, path;
    haft__offline_line parsed;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        bool counts = is(call, "glob")   ? parse_glob(line, &path)
                      : is(call, "grep") ? parse_grep(line, &path, &parsed)
                      : is(call, "read") ? parse_read(line, &parsed)
                                         : haft__str_trim(line).len > 0;
        count += counts ? 1 : 0;
    }
    return count;
}

bool haft__offline_is_partial(const haft__offline_call *call)
{
    haft_str text = haft__str_trim(call->result);
    size_t start = text.len;
    while (start > 0 && text.ptr[start - 1] != '\n') {
        start--;
    }
    haft_str last = haft__str_skip(text, start);
    haft__offline_word more = {.text = HAFT__LIT("more")};
    return call->cut
           || (haft__str_starts_with(last, HAFT__LIT("(")) && haft__offline_word_in(&more, last));
}

/* At most as many lines as the results have. */
static size_t count_lines(const haft__offline_past *past)
{
    size_t count = 0;
    for (size_t i = 0; i < past->count && count < HAFT__LIMIT_OFFLINE_LINES; i++) {
        const haft__offline_call *call = &past->calls[i];
        haft_str rest = is_file_call(call) && !call->failed ? call->result : HAFT__LIT("");
        while (rest.len > 0 && count < HAFT__LIMIT_OFFLINE_LINES) {
            (void)haft__str_split(&rest, '\n');
            count++;
        }
    }
    return count;
}

haft_status haft__offline_found_read(const haft__offline_past *past,
                                     const haft__offline_words *words, haft__arena *arena,
                                     haft__offline_found *ret_found, haft_error *err)
{
    size_t room = count_lines(past);
    *ret_found = (haft__offline_found){0};
    reading r = {.found = ret_found, .line_room = room, .place = words->scope.place, .err = err};
    haft__map_init(&r.by_path, arena, HAFT__OFFLINE_KEY);
    /* A call of read adds a file also when its result has no lines. */
    size_t files = room + past->count;
    files = files < HAFT__LIMIT_OFFLINE_FILES ? files : HAFT__LIMIT_OFFLINE_FILES;
    ret_found->files = haft__arena_array(arena, files, sizeof(*ret_found->files));
    ret_found->lines = haft__arena_array(arena, room, sizeof(*ret_found->lines));
    if (ret_found->files == NULL || ret_found->lines == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < past->count && status == HAFT_OK; i++) {
        const haft__offline_call *call = &past->calls[i];
        if (call->answered && !call->not_run && is_file_call(call)) {
            status = read_result(&r, call);
        }
    }
    return status == HAFT_OK ? haft__offline_rank(ret_found, words, arena, err) : status;
}
