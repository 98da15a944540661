/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - reads files and lines from the results of glob, grep and read.
 *
 *     glob    one path on each line
 *     grep    path:line:text
 *     read    line number, tab, text; the path is in the call
 *
 * Other lines of a result (notes at its end, a truncated line) are skipped. Texts are borrowed
 * from the results. rank.c sorts the findings. Tests: tests/model/rules/findings_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* Longer paths, and those with control characters, are skipped. */
#define LONGEST_PATH 512U
/* Higher line numbers are taken for other text. */
#define LAST_LINE 100000000U

_Static_assert(HAFT__LIMIT_OFFLINE_FILES <= HAFT__LIMIT_OFFLINE_LINES,
               "each line adds at most one file, so the room for lines is enough for files");

typedef struct reading {
    haft__offline_findings *findings;
    haft__map by_path;
    size_t line_room;
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

static haft_str without_dot(haft_str path)
{
    return haft__str_starts_with(path, HAFT__LIT("./")) ? haft__str_skip(path, 2) : path;
}

/* Finds or adds the file; NULL if there are too many. */
static haft_status find_file(reading *r, haft_str path, haft__offline_file **ret_file)
{
    haft__offline_findings *findings = r->findings;
    path = without_dot(path);
    *ret_file = haft__map_get(&r->by_path, path);
    if (*ret_file != NULL) {
        return HAFT_OK;
    }
    if (findings->file_count == HAFT__LIMIT_OFFLINE_FILES) {
        findings->cut = true;
        return HAFT_OK;
    }
    haft__offline_file *file = &findings->files[findings->file_count];
    *file = (haft__offline_file){.path = path};
    haft_status status = haft__map_put(&r->by_path, path, file, r->err);
    if (status == HAFT_OK) {
        findings->file_count++;
        *ret_file = file;
    }
    return status;
}

/* ---- lines ---- */

/* Removes and returns the number at the start of `text`; 0 if there is none. */
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
    haft__offline_findings *findings = r->findings;
    if (findings->line_count == r->line_room) {
        findings->cut = true;
        return;
    }
    line.file = (uint32_t)(file - findings->files);
    line.order = (uint32_t)findings->line_count;
    if (haft__str_ends_with(line.text, HAFT__LIT("\r"))) {
        line.text.len--;
    }
    findings->lines[findings->line_count++] = line;
}

/* A path alone on its line. A line in parentheses is a note. */
static bool parse_glob(haft_str line, haft_str *ret_path)
{
    *ret_path = haft__str_trim(line);
    return is_path(*ret_path) && ret_path->ptr[0] != '(';
}

/* path:line:text. The path ends before the first number between two colons. A line in parentheses
 * is a note. */
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

/* A number, a tab or a colon, and the text. */
static bool parse_read(haft_str line, haft__offline_line *ret_line)
{
    while (haft__str_starts_with(line, HAFT__LIT(" "))) {
        line = haft__str_skip(line, 1);
    }
    uint32_t number = take_number(&line);
    if (number == 0 || line.len == 0 || (line.ptr[0] != '\t' && line.ptr[0] != ':')) {
        return false;
    }
    *ret_line =
        (haft__offline_line){.number = number, .text = haft__str_skip(line, 1), .read = true};
    return true;
}

static haft_status read_glob(reading *r, haft_str line)
{
    haft__offline_file *file = NULL;
    haft_str path;
    return parse_glob(line, &path) ? find_file(r, path, &file) : HAFT_OK;
}

static haft_status read_grep(reading *r, haft_str line)
{
    haft__offline_file *file = NULL;
    haft__offline_line parsed;
    haft_str path;
    haft_status status = parse_grep(line, &path, &parsed) ? find_file(r, path, &file) : HAFT_OK;
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

static bool is_file_call(const haft__offline_call *call)
{
    return haft__offline_is_call_of(call, "glob") || haft__offline_is_call_of(call, "grep")
           || haft__offline_is_call_of(call, "read");
}

static haft_status read_lines(reading *r, const haft__offline_call *call, haft__offline_file *file)
{
    haft_str rest = call->failed ? HAFT__LIT("") : call->result;
    haft_status status = HAFT_OK;
    while (rest.len > 0 && status == HAFT_OK) {
        haft_str line = haft__str_split(&rest, '\n');
        if (haft__offline_is_call_of(call, "glob")) {
            status = read_glob(r, line);
        } else if (haft__offline_is_call_of(call, "grep")) {
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
    if (haft__offline_is_call_of(call, "read") && is_path(path)) {
        status = find_file(r, path, &file);
    }
    if (file != NULL) {
        file->unread = call->failed;
    }
    return status == HAFT_OK ? read_lines(r, call, file) : status;
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

/* An upper bound of the number of lines. */
static size_t count_lines(const haft__offline_history *history)
{
    size_t count = 0;
    for (size_t i = 0; i < history->count && count < HAFT__LIMIT_OFFLINE_LINES; i++) {
        const haft__offline_call *call = &history->calls[i];
        haft_str rest = is_file_call(call) && !call->failed ? call->result : HAFT__LIT("");
        while (rest.len > 0 && count < HAFT__LIMIT_OFFLINE_LINES) {
            (void)haft__str_split(&rest, '\n');
            count++;
        }
    }
    return count;
}

haft_status haft__offline_findings_read(const haft__offline_history *history,
                                        const haft__offline_words *words, haft__arena *arena,
                                        haft__offline_findings *ret_findings, haft_error *err)
{
    size_t room = count_lines(history);
    *ret_findings = (haft__offline_findings){0};
    reading r = {.findings = ret_findings, .line_room = room, .err = err};
    haft__map_init(&r.by_path, arena, HAFT__OFFLINE_KEY);
    /* A call of read adds a file even if its result has no lines. */
    size_t files = room + history->count;
    files = files < HAFT__LIMIT_OFFLINE_FILES ? files : HAFT__LIMIT_OFFLINE_FILES;
    ret_findings->files = haft__arena_array(arena, files, sizeof(*ret_findings->files));
    ret_findings->lines = haft__arena_array(arena, room, sizeof(*ret_findings->lines));
    if (ret_findings->files == NULL || ret_findings->lines == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < history->count && status == HAFT_OK; i++) {
        const haft__offline_call *call = &history->calls[i];
        if (call->answered && !call->not_run && is_file_call(call)) {
            status = read_result(&r, call);
        }
    }
    return status == HAFT_OK ? haft__offline_rank(ret_findings, words, arena, err) : status;
}
