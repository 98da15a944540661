/* SPDX-License-Identifier: Apache-2.0 */
/* complete.c - completion with the Tab key in a chat. Tests: tests/cli/chat_test.py. */
#include <dirent.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/chat/repl.h"
#include "engine/ops/thread_list.h"
#include "model/provider.h"

static void add_candidate(haft__buf *lines, haft_str start, haft_str word, const char *suffix)
{
    if (haft__str_starts_with(word, start)) {
        haft__buf_add_str(lines, word);
        haft__buf_add_str(lines, haft__str(suffix));
        haft__buf_add_char(lines, '\n');
    }
}

size_t haft__repl_complete_command(haft__repl *repl, haft_str start, haft__buf *lines)
{
    (void)repl;
    size_t count;
    const haft__repl_command *commands = haft__repl_command_table(&count);
    for (size_t i = 0; i < count; i++) {
        add_candidate(lines, start, haft__str(commands[i].name), "");
    }
    return 0;
}

size_t haft__repl_complete_tool(haft__repl *repl, haft_str start, haft__buf *lines)
{
    for (size_t i = 0; i < repl->spec->tools.count; i++) {
        add_candidate(lines, start, repl->spec->tools.items[i]->name, "");
    }
    return 0;
}

size_t haft__repl_complete_model(haft__repl *repl, haft_str start, haft__buf *lines)
{
    (void)repl;
    size_t count;
    const haft__provider *providers = haft__providers(&count);
    add_candidate(lines, start, HAFT__LIT("offline"), "");
    for (size_t i = 0; i < count; i++) {
        add_candidate(lines, start, haft__str(providers[i].name), ":");
    }
    return 0;
}

size_t haft__repl_complete_thread(haft__repl *repl, haft_str start, haft__buf *lines)
{
    haft_error ignored;
    haft__arena_mark mark = haft__arena_save(&repl->cli->arena);
    haft__thread_list list = {.count = 0};
    (void)!haft__thread_list_read(repl->runtime, &repl->cli->arena, 0, &list, &ignored);
    for (size_t i = 0; i < list.count; i++) {
        add_candidate(lines, start, list.items[i].thread, "");
    }
    haft__arena_restore(&repl->cli->arena, mark);
    return 0;
}

static bool is_plain_name(haft_str name)
{
    bool plain = haft__utf8_valid(name);
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        plain = plain && c >= ' ' && c != 0x7f;
    }
    return plain;
}

/* Adds the files of the directory that the typed path names. */
size_t haft__repl_complete_file(haft__repl *repl, haft_str start, haft__buf *lines)
{
    size_t folder = start.len;
    while (folder > 0 && start.ptr[folder - 1] != '/') {
        folder--;
    }
    haft__arena_mark mark = haft__arena_save(&repl->cli->arena);
    haft_str path = haft__arena_copy(&repl->cli->arena, (haft_str){start.ptr, folder});
    DIR *directory = path.ptr != NULL ? opendir(folder > 0 ? path.ptr : ".") : NULL;
    haft_str name_start = haft__str_skip(start, folder);
    for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        haft_str name = haft__str(entry->d_name);
        bool hidden = name.ptr[0] == '.' && (name_start.len == 0 || name_start.ptr[0] != '.');
        if (!hidden && is_plain_name(name)) {
            add_candidate(lines, name_start, name, entry->d_type == DT_DIR ? "/" : "");
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    haft__arena_restore(&repl->cli->arena, mark);
    return folder;
}

/* Completes the word of `text`, which ends at the cursor: a command or its argument. */
void haft__repl_complete(void *context, haft_str text, size_t *ret_from, haft__buf *candidates)
{
    haft__repl *repl = context;
    haft_str rest = text, name = haft__str_split(&rest, ' ');
    size_t count;
    const haft__repl_command *commands = haft__repl_command_table(&count);
    if (text.len == 0 || text.ptr[0] != '/' || haft__str_starts_with(text, HAFT__LIT("//"))) {
        return;
    }
    if (name.len == text.len) {
        *ret_from = 0;
        (void)haft__repl_complete_command(repl, text, candidates);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(haft__str(commands[i].name), name) && commands[i].complete != NULL) {
            size_t kept = commands[i].complete(repl, rest, candidates);
            *ret_from = text.len - rest.len + kept;
        }
    }
}
