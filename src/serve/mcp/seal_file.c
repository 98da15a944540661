/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal_file.c - {version, key, given, answered} in a file that only the user can access. A writer
 * locks the file, reads it again and replaces it atomically. Tests:
 * tests/serve/mcp/seal_file_test.c, tests/mcp/ask_test.py.
 */
#include "serve/mcp/seal_file.h"

#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/str.h"
#include "exec/state_file.h"
#include "io/file.h"
#include "io/random.h"
#include "json/object.h"
#include "json/write.h"

#define VERSION 1
#define WORDS   (HAFT__LIMIT_MCP_STATES / 64)

typedef struct seal_content {
    haft__seal_key key;
    haft__mcp_nonces states;
} seal_content;

/* ---- reading ---- */

static bool parse_content(haft__json object, seal_content *ret_content)
{
    haft_str key = haft__object_text(object, "key"),
             answered = haft__object_text(object, "answered");
    bool good =
        haft__str_equal(haft__object_text(object, "version"), HAFT__LIT("1"))
        && haft__str_to_u64(haft__object_text(object, "given"), &ret_content->states.last_issued)
        && key.len == (size_t)2 * HAFT__SEAL_KEY_BYTES
        && answered.len == (size_t)WORDS * HAFT__HEX_U64;
    for (size_t i = 0; good && i < HAFT__SEAL_KEY_BYTES; i += 8) {
        uint64_t word = 0;
        good = haft__hex_read_u64((haft_str){key.ptr + 2 * i, HAFT__HEX_U64}, &word);
        memcpy(ret_content->key.bytes + i, &word, sizeof(word));
    }
    for (size_t i = 0; good && i < WORDS; i++) {
        good = haft__hex_read_u64((haft_str){answered.ptr + i * HAFT__HEX_U64, HAFT__HEX_U64},
                                  &ret_content->states.answered[i]);
    }
    return good;
}

/* NOT_FOUND if no usable file exists. */
static haft_status read_content(haft_str path, seal_content *ret_content, haft_error *err)
{
    haft__arena arena;
    haft__json object;
    haft_str text;
    struct stat info;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__state_file_read(&arena, path.ptr, HAFT__LIMIT_MCP_SEAL_FILE_BYTES, &text, err);
    if (status == HAFT_OK) {
        status = haft__state_file_parse(&arena, text, haft__random_hash_key(), &object, err);
    }
    bool secret = stat(path.ptr, &info) == 0 && (info.st_mode & 077) == 0;
    if (status != HAFT_NO_MEMORY
        && (status != HAFT_OK || !secret || !parse_content(object, ret_content))) {
        status = haft__fail(err, HAFT_NOT_FOUND, path.ptr, "the file has no usable key");
    }
    haft__arena_finish(&arena);
    return status;
}

/* ---- writing ---- */

static haft_status write_content(haft_str path, const seal_content *content, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_SEAL_FILE_BYTES);
    haft__buf_addf(&text, "{\"version\":%d,\"key\":\"", VERSION);
    for (size_t i = 0; i < HAFT__SEAL_KEY_BYTES; i += 8) {
        uint64_t word;
        memcpy(&word, content->key.bytes + i, sizeof(word));
        haft__buf_addf(&text, "%016llx", (unsigned long long)word);
    }
    haft__buf_addf(&text, "\",\"given\":\"%llu\",\"answered\":\"",
                   (unsigned long long)content->states.last_issued);
    for (size_t i = 0; i < WORDS; i++) {
        haft__buf_addf(&text, "%016llx", (unsigned long long)content->states.answered[i]);
    }
    haft__buf_add_str(&text, HAFT__LIT("\"}\n"));
    haft_status status = haft__buf_check(&text, err);
    status = status == HAFT_OK ? haft__file_replace(path.ptr, haft__buf_str(&text), err) : status;
    haft__buf_finish(&text);
    return status;
}

/* ---- open and update ---- */

static haft_status make_key(haft__seal_key *key, haft_error *err)
{
    return haft__random_bytes(key->bytes, sizeof(key->bytes))
               ? HAFT_OK
               : haft__fail(err, HAFT_IO, "", "the system has no random bytes");
}

static haft_status find_path(haft__arena *arena, haft_str directory, const haft__spec *spec,
                             haft_str *ret_path, haft_error *err)
{
    char digest[HAFT__SHA256_HEX];
    haft_str path = haft__arena_copy(arena, spec->path);
    path = path.ptr != NULL && path.len > 0 ? haft__file_absolute(arena, path.ptr) : path;
    haft_str identity = path.ptr != NULL ? haft__arena_format(arena, "%.*s\n%.*s", HAFT__ARG(path),
                                                              HAFT__ARG(spec->hash))
                                         : path;
    if (identity.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__sha256_hex(identity, digest);
    *ret_path =
        haft__arena_format(arena, "%.*s/%.*s.seal", HAFT__ARG(directory), HAFT__SHA256_HEX, digest);
    return ret_path->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* Reads the file, or creates it. Holds the lock, so that two processes that start at once get the
 * same key. */
static haft_status read_or_make(haft__mcp_seal_file *file, haft_error *err)
{
    int lock = -1;
    seal_content content = {.states = {.last_issued = 0}};
    haft__state_file_create_directory(file->path.ptr);
    haft_status status = haft__file_lock(file->path.ptr, &lock, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = read_content(file->path, &content, err);
    if (status == HAFT_NOT_FOUND) {
        content = (seal_content){.key = file->key};
        status = write_content(file->path, &content, err);
    }
    haft__file_unlock(lock);
    file->key = status == HAFT_OK ? content.key : file->key;
    return status;
}

haft_status haft__mcp_seal_file_open(haft__arena *arena, haft_str directory, const haft__spec *spec,
                                     haft__mcp_seal_file *ret_file, haft_str *ret_why,
                                     haft_error *err)
{
    *ret_file = (haft__mcp_seal_file){.path = {NULL, 0}};
    *ret_why = HAFT__LIT("HOME is not set, so the key cannot be stored");
    haft_status status = make_key(&ret_file->key, err);
    if (status != HAFT_OK || directory.ptr == NULL) {
        return status;
    }
    haft_error error = {0};
    status = find_path(arena, directory, spec, &ret_file->path, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = read_or_make(ret_file, &error);
    if (status == HAFT_OK) {
        *ret_why = HAFT__LIT("");
        return HAFT_OK;
    }
    ret_file->path = (haft_str){NULL, 0};
    *ret_why = haft__arena_format(arena, "%s: %s", error.where, error.message);
    return status == HAFT_NO_MEMORY || ret_why->ptr == NULL ? haft__fail_no_memory(err) : HAFT_OK;
}

/* Rejects the change if another process has replaced the file: it has another key. */
bool haft__mcp_seal_file_update(void *context, haft__mcp_nonces_update *change, uint64_t *number)
{
    const haft__mcp_seal_file *file = context;
    int lock = -1;
    seal_content content = {.states = {.last_issued = 0}};
    if (haft__file_lock(file->path.ptr, &lock, NULL) != HAFT_OK) {
        return false;
    }
    bool good = read_content(file->path, &content, NULL) == HAFT_OK
                && memcmp(content.key.bytes, file->key.bytes, sizeof(content.key.bytes)) == 0
                && change(&content.states, number)
                && write_content(file->path, &content, NULL) == HAFT_OK;
    haft__file_unlock(lock);
    return good;
}
