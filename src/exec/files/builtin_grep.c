/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin_grep.c - the built-in grep: lines that match a regular expression.
 *
 * Files are read in blocks of whole lines. (They are not mapped into memory, because a mapped file
 * that shrinks causes SIGBUS.) A block is searched as a whole, not line by line. If the pattern has
 * literals (exec/files/literals.h), only lines with a literal are matched. Line numbers are
 * computed when a line matches, by counting the line feeds since the last match. Tests:
 * tests/exec/files/builtin_grep_test.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/files/display.h"
#include "exec/files/files.h"
#include "exec/files/literals.h"
#include "exec/files/path_argument.h"
#include "exec/files/regex.h"
#include "exec/files/scan.h"

#define BLOCK_BYTES ((size_t)64 << 10)
/* The search stops using literals, because they slow it down, after COMMON_LINES lines that had a
 * literal but did not match, if these were at least one per COMMON_BYTES bytes. */
#define COMMON_LINES 64
#define COMMON_BYTES 256

typedef struct grep_state {
    const haft__files_request *search;
    haft__buf *result;
    haft_error *err;
    haft__regex *regex;
    haft__literals literals;
    bool uses_literals;    /* only lines with a literal are matched with the expression */
    size_t candidates;     /* lines with a literal that did not match */
    size_t searched;       /* bytes that were searched for literals */
    uint64_t limit, lines; /* requested lines, and lines in the result */
    size_t files, binary, unreadable, shortened; /* numbers of files */
    bool full, more; /* the result is full; another matching line was found */
    char *memory;    /* of the block, with slack on both sides */
    size_t capacity; /* maximum bytes of a block */
} grep_state;

/* The file being searched. */
typedef struct grep_file {
    haft_str path;
    int fd;
    uint64_t line;     /* line feeds before the block */
    uint64_t reported; /* number of the last reported line */
    size_t have, room; /* bytes in the block, and its capacity */
    size_t left;       /* remaining bytes to read */
    bool ended;
} grep_file;

/* ---- memory ---- */

static char *block_of(const grep_state *g)
{
    return g->memory + HAFT__REGEX_SLACK;
}

/* Allocates a block of `room` bytes and keeps the first `have` bytes of the old one. */
static haft_status make_room(grep_state *g, size_t room, size_t have)
{
    if (room <= g->capacity) {
        return HAFT_OK;
    }
    /* Zeroed, because the search may read past the end of the text. */
    char *memory = calloc(1, room + (size_t)2 * HAFT__REGEX_SLACK);
    if (memory == NULL) {
        return haft__fail_no_memory(g->err);
    }
    if (have > 0) {
        memcpy(memory + HAFT__REGEX_SLACK, block_of(g), have);
    }
    free(g->memory);
    g->memory = memory;
    g->capacity = room;
    return HAFT_OK;
}

/* ---- lines ---- */

/* The line that contains position `at`. The line begins at `from` or later. */
static haft_str line_at(haft_str text, size_t from, size_t at)
{
    const char *before = at > from ? memrchr(text.ptr + from, '\n', at - from) : NULL;
    size_t start = before != NULL ? (size_t)(before - text.ptr) + 1 : from;
    const char *line_feed = memchr(text.ptr + at, '\n', text.len - at);
    size_t end = line_feed != NULL ? (size_t)(line_feed - text.ptr) : text.len;
    return (haft_str){text.ptr + start, end - start};
}

/* Adds a line to the result; `at` is the position of the match in it. */
static void report(grep_state *g, grep_file *file, uint64_t number, haft_str line, size_t at)
{
    size_t start = g->result->len;
    if (number == file->reported) {
        return; /* another part of a very long line */
    }
    if (g->lines == g->limit) {
        g->full = g->more = true;
        return;
    }
    if (start > 0) {
        haft__buf_add_char(g->result, '\n');
    }
    haft__files_display_name(g->result, file->path);
    haft__buf_addf(g->result, ":%llu:", (unsigned long long)number);
    haft__files_display_line(g->result, line, HAFT__LIMIT_FILES_GREP_LINE_BYTES, at);
    bool kept = haft__files_keep_line(g->result, start);
    g->full = g->more = !kept;
    g->lines += kept;
    file->reported = number;
}

static haft_status fail_limit(const grep_state *g, const grep_file *file)
{
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    haft_status status = haft__fail(
        g->err, HAFT_TOO_BIG, "/pattern", "the pattern needs more than %d steps in '%s'",
        HAFT__LIMIT_FILES_MATCH_STEPS, haft__files_display_short_name(file->path, shown));
    return haft__hint(g->err, status,
                      "write it without a repeat inside a repeat, such as (a+)+, "
                      "or choose other files");
}

static haft_status fail_search(const grep_state *g, const grep_file *file,
                               haft__regex_result result)
{
    switch (result) {
    case HAFT__REGEX_NO:
    case HAFT__REGEX_YES: return HAFT_OK;
    case HAFT__REGEX_LIMIT: return fail_limit(g, file);
    case HAFT__REGEX_STOPPED: return haft__files_fail_cancelled(g->err);
    case HAFT__REGEX_NO_MEMORY: return haft__fail_no_memory(g->err);
    }
    HAFT__UNREACHABLE();
}

/* Whether literals are too common to be useful. */
static bool is_common(const grep_state *g)
{
    return g->candidates >= COMMON_LINES && g->searched / g->candidates < COMMON_BYTES;
}

/* Finds the first match at or after `from`, which is the beginning of a line. Returns the same
 * values as haft__regex_find. */
static haft__regex_result find(grep_state *g, haft_str text, size_t from, size_t *ret_at)
{
    while (g->uses_literals && from < text.len) {
        if (haft__files_is_cancelled(g->search)) {
            return HAFT__REGEX_STOPPED;
        }
        size_t at = haft__scan_literals(&g->literals, text, from);
        g->searched += at - from;
        if (at == text.len) {
            return HAFT__REGEX_NO;
        }
        haft_str line = line_at(text, from, at);
        size_t start = (size_t)(line.ptr - text.ptr);
        haft__regex_result result = haft__regex_find(g->regex, line, 0, g->search->stop, ret_at);
        if (result != HAFT__REGEX_NO) {
            *ret_at += result == HAFT__REGEX_YES ? start : 0;
            return result;
        }
        from = start + line.len + 1;
        g->candidates++;
        g->uses_literals = !is_common(g);
    }
    return g->uses_literals || from > text.len
               ? HAFT__REGEX_NO
               : haft__regex_find(g->regex, text, from, g->search->stop, ret_at);
}

/* Reports the matching lines of a text that has no line feed at its end. */
static haft_status search_text(grep_state *g, grep_file *file, haft_str text)
{
    size_t from = 0, counted = 0, at = 0;
    uint64_t line = file->line;
    haft__regex_result result = HAFT__REGEX_YES;
    while (!g->full && from <= text.len) {
        result = find(g, text, from, &at);
        if (result != HAFT__REGEX_YES) {
            break;
        }
        haft_str found = line_at(text, from, at);
        size_t start = (size_t)(found.ptr - text.ptr);
        line += haft__scan_line_feeds((haft_str){text.ptr + counted, start - counted});
        counted = start;
        report(g, file, line + 1, found, at - start);
        from = start + found.len + 1;
    }
    return fail_search(g, file, result);
}

/* ---- files ---- */

/* Searches and removes the first `length` bytes of the block. They end with a line feed, except at
 * the end of the file and if a line is too long for a block. */
static haft_status search_block(grep_state *g, grep_file *file, size_t length)
{
    char *block = block_of(g);
    haft_str text = {block, length};
    text.len -= haft__str_ends_with(text, HAFT__LIT("\n"));
    haft_status status = length > 0 ? search_text(g, file, text) : HAFT_OK;
    if (!file->ended) {
        file->line += haft__scan_line_feeds((haft_str){block, length});
        memmove(block, block + length, file->have - length);
    }
    file->have -= length;
    file->room = file->have < BLOCK_BYTES ? BLOCK_BYTES : file->room;
    return status;
}

/* Grows the block because a line is longer than the block. */
static haft_status grow_block(grep_state *g, grep_file *file)
{
    file->room *= 2;
    return make_room(g, file->room, file->have);
}

/* Fills the block. Returns false if the file cannot be read. */
static bool fill(grep_state *g, grep_file *file)
{
    size_t room = file->room - file->have, count = room < file->left ? room : file->left;
    ssize_t got = haft__files_read_full(file->fd, block_of(g) + file->have, count);
    if (got < 0) {
        return false;
    }
    file->have += (size_t)got;
    file->left -= (size_t)got;
    file->ended = (size_t)got < count || file->left == 0;
    return true;
}

/* Number of bytes of the block that can be searched: whole lines, or everything at the end of the
 * file; 0 if a larger block is needed. */
static size_t searchable(const grep_state *g, const grep_file *file)
{
    const char *block = block_of(g);
    const char *last = file->have > 0 ? memrchr(block, '\n', file->have) : NULL;
    if (file->ended || (last == NULL && file->have >= HAFT__LIMIT_FILES_SEARCH_BYTES)) {
        return file->have;
    }
    return last != NULL ? (size_t)(last - block) + 1 : 0;
}

static haft_status search_blocks(grep_state *g, grep_file *file)
{
    haft_status status = HAFT_OK;
    bool first = true;
    while (status == HAFT_OK && !file->ended && !g->full) {
        if (!fill(g, file)) {
            g->unreadable++;
            return HAFT_OK;
        }
        if (first && haft__files_is_binary((haft_str){block_of(g), file->have})) {
            g->binary++;
            return HAFT_OK;
        }
        g->files += first;
        first = false;
        size_t length = searchable(g, file);
        status = length > 0 || file->ended ? search_block(g, file, length) : grow_block(g, file);
    }
    return status;
}

static haft_status search_file(grep_state *g, int root, haft_str path)
{
    struct stat info;
    grep_file file = {.path = path, .room = BLOCK_BYTES, .left = HAFT__LIMIT_FILES_FILE_BYTES};
    file.fd = haft__files_root_open_file(root, path.ptr, &info);
    if (file.fd < 0) {
        g->unreadable++;
        return HAFT_OK;
    }
    haft_status status = search_blocks(g, &file);
    g->shortened += file.left == 0 && info.st_size > HAFT__LIMIT_FILES_FILE_BYTES;
    (void)close(file.fd);
    return status;
}

static haft_status search_directory(grep_state *g, haft__walk *walk, int root)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && !g->full) {
        haft_str path;
        status = haft__walk_next(walk, &path, g->err);
        if (status != HAFT_OK || path.ptr == NULL) {
            break;
        }
        status = search_file(g, root, path);
    }
    return status == HAFT_OK && walk->stopped ? haft__files_fail_cancelled(g->err) : status;
}

/* ---- the result ---- */

static void add_notes(grep_state *g, const haft__walk *walk)
{
    haft__files_notes notes = {.result = g->result};
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    if (g->lines == 0) {
        haft__files_notes_add(&notes, "no line matches '%s'",
                              haft__files_display_short_name(g->search->pattern, shown));
        haft__files_notes_add(&notes, "%zu file%s searched", g->files,
                              g->files == 1 ? " was" : "s were");
    }
    if (g->more) {
        haft__files_notes_add(&notes, "there are more matching lines: narrow the search%s",
                              g->limit < HAFT__LIMIT_FILES_GREP_LINES ? " or raise `limit`" : "");
    }
    haft__files_notes_add_count(&notes, g->binary, "binary file was", "binary files were",
                                "left out");
    haft__files_notes_add_count(&notes, g->unreadable, "file", "files", "could not be read");
    if (g->shortened > 0) {
        haft__files_notes_add(&notes, "only the first %d bytes of %zu file%s were searched",
                              HAFT__LIMIT_FILES_FILE_BYTES, g->shortened,
                              g->shortened == 1 ? "" : "s");
    }
    haft__files_notes_add_walk(&notes, walk);
    haft__files_notes_end(&notes);
}

static haft_status run(grep_state *g, int root, const haft__glob *glob_pattern)
{
    haft__path_argument named;
    haft__walk walk = {.root = root};
    haft_status status =
        haft__path_argument_resolve(root, g->search->path, HAFT__PATH_ARGUMENT_ANY, &named, g->err);
    if (status == HAFT_OK) {
        haft_str path = {named.path.text, named.path.length};
        status = haft__files_within_check(&g->search->within, path, !named.is_directory, g->err);
    }
    if (status == HAFT_OK && named.is_directory) {
        status = haft__walk_begin(&walk, root, &named.path, glob_pattern, &g->search->within,
                                  g->search->stop, g->err);
        status = status == HAFT_OK ? search_directory(g, &walk, root) : status;
    } else if (status == HAFT_OK) {
        status = search_file(g, root, (haft_str){named.path.text, named.path.length});
    }
    if (status == HAFT_OK) {
        add_notes(g, &walk);
        status = haft__buf_check(g->result, g->err);
    }
    haft__walk_end(&walk);
    return status;
}

/* Compiles the arguments that are patterns. */
static haft_status compile(grep_state *g, haft__arena *arena, const haft__glob **ret_glob)
{
    haft_status status = haft__regex_create(g->search->pattern, &g->regex, g->err);
    if (status != HAFT_OK) {
        if (status != HAFT_NO_MEMORY) {
            haft__error_prepend_location(g->err, "/pattern");
        }
        return status;
    }
    g->uses_literals = haft__literals_extract(g->search->pattern, &g->literals);
    return g->search->glob.len > 0
               ? haft__files_compile_glob(arena, g->search->glob, "/glob", ret_glob, g->err)
               : HAFT_OK;
}

haft_status haft__files_grep(const haft__files_request *search, haft__buf *result, haft_error *err)
{
    grep_state g = {.search = search, .result = result, .err = err};
    haft__arena arena;
    const haft__glob *glob_pattern = &haft__glob_match_all;
    int root = -1;
    g.limit = search->limit > 0 ? search->limit : HAFT__LIMIT_FILES_GREP_DEFAULT;
    g.limit = g.limit < HAFT__LIMIT_FILES_GREP_LINES ? g.limit : HAFT__LIMIT_FILES_GREP_LINES;
    haft__arena_init(&arena, 0);
    haft_status status = compile(&g, &arena, &glob_pattern);
    if (status == HAFT_OK) {
        status = make_room(&g, BLOCK_BYTES, 0);
    }
    if (status == HAFT_OK) {
        status = haft__files_root_open(search->spec_path, search->root, &root, err);
    }
    if (status == HAFT_OK) {
        status = run(&g, root, glob_pattern);
        (void)close(root);
    }
    haft__regex_destroy(g.regex);
    free(g.memory);
    haft__arena_finish(&arena);
    return status;
}
