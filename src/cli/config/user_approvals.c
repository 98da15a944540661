/* SPDX-License-Identifier: Apache-2.0 */
/* user_approvals.c - reads and replaces the file as a whole, under a lock. Tests:
 * tests/cli/config/user_approvals_test.c. */
#include "cli/config/user_approvals.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "exec/state_file.h"
#include "io/file.h"
#include "io/random.h"
#include "json/object.h"

/* ---- reading ---- */

static haft_status read_row(haft__json row, const char *path, haft__user_approval *ret_approval,
                            haft_error *err)
{
    haft__user_approval approval = {
        .hash = haft__object_string(row, "hash"),
        .tool = haft__object_string(row, "tool"),
        .source = haft__object_string(row, "source"),
        .directory = haft__object_string(row, "directory"),
        .since = haft__object_string(row, "since"),
        .destructive = haft__object_flag(row, "destructive", false),
    };
    if (approval.hash.len != HAFT__SHA256_HEX || approval.tool.len == 0) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, path, "expected approvals with a hash and a tool");
        return haft__hint(err, status, "`haft approvals revoke --all` creates the file again");
    }
    *ret_approval = approval;
    return HAFT_OK;
}

haft_status haft__user_approvals_read(haft__arena *arena, const char *path,
                                      haft__user_approvals *ret_approvals, haft_error *err)
{
    haft_str text = {NULL, 0};
    haft__json file;
    haft_error problem = {0};
    haft_status status =
        haft__state_file_read(arena, path, HAFT__LIMIT_CONFIG_BYTES, &text, &problem);
    *ret_approvals = (haft__user_approvals){NULL, 0};
    if (status == HAFT_NOT_FOUND) {
        return HAFT_OK;
    }
    if (status == HAFT_OK) {
        status = haft__state_file_parse(arena, text, haft__random_hash_key(), &file, &problem);
        haft__error_prepend_location(&problem, path);
    }
    if (status != HAFT_OK) {
        if (err != NULL) {
            *err = problem;
        }
        return status;
    }
    haft__json rows = haft__object_array(file, "approvals");
    haft__user_approval *items = haft__arena_array(arena, rows.count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (uint32_t i = 0; status == HAFT_OK && i < rows.count; i++) {
        status = read_row(rows.items[i], path, &items[i], err);
    }
    if (status == HAFT_OK) {
        *ret_approvals = (haft__user_approvals){items, rows.count};
    }
    return status;
}

const haft__user_approval *haft__user_approvals_find(const haft__user_approvals *approvals,
                                                     haft_str hash)
{
    for (size_t i = 0; i < approvals->count; i++) {
        if (haft__str_equal(approvals->items[i].hash, hash)) {
            return &approvals->items[i];
        }
    }
    return NULL;
}

/* ---- writing ---- */

static void write_row(haft__json_writer *w, const haft__user_approval *approval)
{
    haft__json_begin_object(w);
    haft__field_text(w, "hash", approval->hash);
    haft__field_text(w, "tool", approval->tool);
    haft__field_text(w, "source", approval->source);
    haft__field_text(w, "directory", approval->directory);
    haft__field_text(w, "since", approval->since);
    haft__field_flag(w, "destructive", approval->destructive);
    haft__json_end_object(w);
}

/* Replaces the file. Fails with TOO_BIG if the new file would be too big to be read again. */
static haft_status write_file(const char *path, const haft__user_approvals *approvals,
                              haft_error *err)
{
    haft__json_writer w;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_CONFIG_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "approvals");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < approvals->count; i++) {
        write_row(&w, &approvals->items[i]);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft__buf_add_char(&text, '\n');
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = haft__file_replace(path, haft__buf_str(&text), err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Adds an approval while the file is locked. haft__user_approvals_read reserves room for one more
 * item. */
static haft_status add_locked(haft__arena *arena, const char *path,
                              const haft__user_approval *approval, haft_error *err)
{
    haft__user_approvals all;
    haft__user_approval added = *approval;
    haft_status status = haft__user_approvals_read(arena, path, &all, err);
    if (status != HAFT_OK || haft__user_approvals_find(&all, approval->hash) != NULL) {
        return status;
    }
    if (all.items == NULL) {
        all = (haft__user_approvals){&added, 1};
    } else {
        all.items[all.count++] = added;
    }
    return write_file(path, &all, err);
}

haft_status haft__user_approvals_add(const char *path, const haft__user_approval *approval,
                                     haft_error *err)
{
    haft__arena arena;
    int lock;
    haft__state_file_create_directory(path);
    haft_status status = haft__file_lock(path, &lock, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__arena_init(&arena, 0);
    status = add_locked(&arena, path, approval, err);
    haft__arena_finish(&arena);
    haft__file_unlock(lock);
    return status;
}

static haft_status remove_locked(haft__arena *arena, const char *path, haft_str id,
                                 size_t *ret_removed, haft_error *err)
{
    haft__user_approvals all;
    size_t kept = 0;
    haft_status status = haft__user_approvals_read(arena, path, &all, err);
    *ret_removed = 0;
    if (status == HAFT_BAD_INPUT && id.len == 0) { /* replace a damaged file by an empty one */
        all = (haft__user_approvals){NULL, 0};
        return write_file(path, &all, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < all.count; i++) {
        if (haft__str_starts_with(all.items[i].hash, id)) {
            ++*ret_removed;
        } else {
            all.items[kept++] = all.items[i];
        }
    }
    all.count = kept;
    return status == HAFT_OK && *ret_removed > 0 ? write_file(path, &all, err) : status;
}

haft_status haft__user_approvals_remove(const char *path, haft_str id, size_t *ret_removed,
                                        haft_error *err)
{
    haft__arena arena;
    int lock;
    haft__state_file_create_directory(path);
    haft_status status = haft__file_lock(path, &lock, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__arena_init(&arena, 0);
    status = remove_locked(&arena, path, id, ret_removed, err);
    haft__arena_finish(&arena);
    haft__file_unlock(lock);
    return status;
}
