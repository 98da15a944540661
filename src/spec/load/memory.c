/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - `memory: [FILE...]` and `agents_md`: texts that become a part of the system prompt.
 *
 * The texts are put into the source of the spec: memory: [{file, text}], agents_md: {file, text}.
 * Every run stores its source, so a run that is resumed, replayed or forked has the texts with
 * which it began, even if a file has changed or no longer exists. agents_md: {} says that no file
 * was found. Tests: tests/spec/load/memory_test.c.
 */
#include "base/sha256.h"
#include "base/str.h"
#include "base/utf8.h"
#include "spec/load/load_int.h"
#include "json/object.h"

#include <string.h>

static haft__json make_object(haft__loader *l, haft_str file, haft_str text)
{
    haft__json_member *members = haft__loader_alloc(l, 2, sizeof(*members));
    if (members == NULL) {
        return haft__json_null();
    }
    members[0] = (haft__json_member){haft__json_string(HAFT__LIT("file")), haft__json_string(file)};
    members[1] = (haft__json_member){haft__json_string(HAFT__LIT("text")), haft__json_string(text)};
    return haft__json_object(members, 2);
}

static void report_unreadable(haft__loader *l, haft_str pointer, const haft_error *err)
{
    haft__spec_problem *problem =
        haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "%s%s%s", err->where,
                           err->where[0] != '\0' ? ": " : "", err->message);
    haft__loader_hint(l, problem, "%s",
                      err->hint[0] != '\0' ? err->hint : "the path is relative to the spec");
}

/* Whether the text can be a part of a prompt. */
static bool check_text(haft__loader *l, haft_str pointer, haft_str file, haft_str text)
{
    size_t valid = haft__utf8_valid_prefix(text);
    const char *nul = text.len > 0 ? memchr(text.ptr, '\0', text.len) : NULL;
    haft__spec_problem *problem;
    if (text.len > HAFT__LIMIT_MEMORY_FILE_BYTES) {
        problem = haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                     "%.*s has %zu bytes, and a memory file has at most %d",
                                     HAFT__ARG(file), text.len, HAFT__LIMIT_MEMORY_FILE_BYTES);
        haft__loader_hint(l, problem,
                          "the model reads it in every request: keep what every task needs, and "
                          "let a skill have the rest");
        return false;
    }
    if (valid < text.len || nul != NULL) {
        size_t at = valid < text.len ? valid : (size_t)(nul - text.ptr);
        problem = haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                     "%.*s is not a text: byte %zu is %s", HAFT__ARG(file), at,
                                     valid < text.len ? "not UTF-8" : "NUL");
        haft__loader_hint(l, problem, "a memory file is Markdown or plain text in UTF-8");
        return false;
    }
    return true;
}

static void add_file(haft__loader *l, haft__memory_file *files, haft__json entry, bool project)
{
    char *hex = haft__loader_alloc(l, HAFT__SHA256_HEX, 1);
    haft_str file = haft__object_string(entry, "file"), text = haft__object_string(entry, "text");
    if (hex != NULL) {
        haft__sha256_hex(text, hex);
        files[l->spec->memory_count++] = (haft__memory_file){
            .file = file, .text = text, .sha256 = {hex, HAFT__SHA256_HEX}, .project = project};
    }
}

/* Returns {file, text}. Null if the file cannot be used; the problem is reported. */
static haft__json read_entry(haft__loader *l, haft_str pointer, haft__json entry)
{
    const haft__spec_options *options = l->options;
    haft_error err = {.status = HAFT_OK};
    haft_str file = haft__json_text(entry), text = HAFT__LIT("");
    if (entry.kind == HAFT__JSON_OBJECT) {
        bool usable = check_text(l, pointer, haft__object_string(entry, "file"),
                                 haft__object_string(entry, "text"));
        return usable ? entry : haft__json_null();
    }
    if (options->read_memory == NULL) {
        return haft__json_null();
    }
    haft_status status = options->read_memory(l->arena, options->path, file, &text, &err);
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        report_unreadable(l, pointer, &err);
    }
    bool usable = status == HAFT_OK && check_text(l, pointer, file, text);
    return usable ? make_object(l, file, text) : haft__json_null();
}

static void add_memory(haft__loader *l, haft__memory_file *files)
{
    haft__json list = haft__object_array(l->source, "memory");
    for (uint32_t i = 0; i < list.count && l->status == HAFT_OK; i++) {
        haft__json entry = read_entry(l, haft__loader_pointer(l, "/memory/%u", i), list.items[i]);
        if (entry.kind != HAFT__JSON_OBJECT) {
            continue;
        }
        add_file(l, files, entry, false);
        if (!haft__edit_put_item(l->arena, &list, i, entry)) {
            (void)haft__loader_failed(l, haft__arena_fail(l->arena, NULL));
        }
    }
    if (list.count > 0 && l->status == HAFT_OK) {
        (void)haft__loader_put_source(l, "memory", list);
    }
}

static haft__json find_agents_md(haft__loader *l, haft_str pointer)
{
    const haft__spec_options *options = l->options;
    haft_str path = {NULL, 0}, text = HAFT__LIT("");
    haft_error err = {.status = HAFT_OK};
    if (options->read_agents_md == NULL) {
        return haft__json_null();
    }
    haft_status status =
        options->read_agents_md(l->arena, options->path, l->spec->root, &path, &text, &err);
    if (status != HAFT_OK) {
        if (!haft__loader_failed(l, status)) {
            report_unreadable(l, pointer, &err);
        }
        return haft__json_null();
    }
    if (path.ptr == NULL) {
        haft__spec_problem *problem =
            haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE, "no AGENTS.md was found");
        haft__loader_hint(l, problem,
                          "haft looks in `root`, and above it up to the directory with .git");
        return haft__json_object(NULL, 0);
    }
    return check_text(l, pointer, path, text) ? make_object(l, path, text) : haft__json_null();
}

static void add_agents_md(haft__loader *l, haft__memory_file *files)
{
    haft_str pointer = HAFT__LIT("/agents_md");
    haft__json given = haft__object_get(l->source, "agents_md");
    bool stored = given.kind == HAFT__JSON_OBJECT; /* the source of a run has the text */
    if (given.kind == HAFT__JSON_TRUE) {
        given = find_agents_md(l, pointer);
        if (given.kind == HAFT__JSON_OBJECT) {
            (void)haft__loader_put_source(l, "agents_md", given);
        }
    } else if (stored && given.count > 0
               && !check_text(l, pointer, haft__object_string(given, "file"),
                              haft__object_string(given, "text"))) {
        return;
    }
    if (given.kind == HAFT__JSON_OBJECT && given.count > 0 && l->status == HAFT_OK) {
        add_file(l, files, given, true);
    }
}

static void check_sum(haft__loader *l)
{
    size_t bytes = 0;
    for (size_t i = 0; i < l->spec->memory_count; i++) {
        bytes += l->spec->memory[i].text.len;
    }
    if (bytes > HAFT__LIMIT_MEMORY_BYTES) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/memory"), HAFT__SUBJECT_VALUE,
            "the memory files have %zu bytes together, and a spec has at most %d", bytes,
            HAFT__LIMIT_MEMORY_BYTES);
        haft__loader_hint(l, problem, "the model reads all of them in every request");
    }
}

void haft__loader_build_memory(haft__loader *l)
{
    if (!haft__loader_keys_are_valid(l, "memory agents_md root")) {
        return;
    }
    /* The schema limits the number of files. */
    haft__memory_file *files = haft__loader_alloc(l, HAFT__LIMIT_MEMORY_FILES + 1, sizeof(*files));
    if (files != NULL) {
        l->spec->memory = files;
        add_memory(l, files);
    }
    if (files != NULL && l->status == HAFT_OK) {
        add_agents_md(l, files);
        check_sum(l);
    }
}
