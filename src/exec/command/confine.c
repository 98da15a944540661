/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.c - path arguments of a command that must stay beneath a directory: `root` of the tool.
 *
 * The kernel resolves the path right before the program starts (exec/files/root.h). The program
 * opens it again later, so a process that changes the directory in between can still lead the
 * program outside. Tests: tests/exec/command/confine_test.c.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "exec/command/command.h"
#include "exec/files/root.h"

/* The directory that contains `path`; "." is the root. */
static haft__files_path parent_of(const haft__files_path *path)
{
    haft__files_path parent = *path;
    while (parent.length > 0 && parent.text[parent.length - 1] != '/') {
        parent.length--;
    }
    parent.length -= parent.length > 0;
    parent.text[parent.length] = '\0';
    if (parent.length == 0) {
        (void)snprintf(parent.text, sizeof(parent.text), ".");
    }
    return parent;
}

/* Checks that the path is beneath `root` and has no symbolic links. A file that does not exist is
 * accepted if its directory exists. Returns 0 or an errno. */
static int check_path(int root, const haft__files_path *path)
{
    struct stat info;
    int fd = haft__files_root_stat(root, path->text, &info);
    int error = fd >= 0 ? 0 : errno;
    if (fd >= 0) {
        error = S_ISLNK(info.st_mode) ? ELOOP : 0;
        (void)close(fd);
    } else if (error == ENOENT) {
        haft__files_path parent = parent_of(path);
        fd = haft__files_root_open_directory(root, parent.text);
        error = fd >= 0 ? 0 : errno;
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    return error;
}

static haft_status fail_path(haft_str name, int error, haft_error *err)
{
    bool blocked = error == ELOOP || error == EXDEV; /* by openat2 (exec/files/root.h) */
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "the path in \"%.*s\" %s%s",
                                    HAFT__ARG(name), blocked ? "" : "cannot be used: ",
                                    blocked ? "leads through a symbolic link" : strerror(error));
    return haft__hint(err, status, "paths are relative to the root, such as 'docs/a.md'");
}

/* Returns "ROOT/path", relative to the working directory of the program. */
static haft_status write_path(haft__exec_job *job, haft_str root, const haft__files_path *path,
                              haft__json *ret_value, haft_error *err)
{
    bool slash = !haft__str_ends_with(root, HAFT__LIT("/"));
    haft_str text = haft__arena_format(&job->arena, "%.*s%s%.*s", HAFT__ARG(root), slash ? "/" : "",
                                       (int)path->length, path->text);
    if (text.ptr == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    *ret_value = haft__json_string(text);
    return HAFT_OK;
}

static haft_status confine(haft__exec_job *job, haft_str name, haft_str directory,
                           haft__json *io_value, haft_error *err)
{
    haft_str spec_path = job->call.spec != NULL ? job->call.spec->path : HAFT__LIT("");
    haft__files_path path;
    int root = -1;
    if (io_value->kind != HAFT__JSON_STRING) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a path in \"%.*s\", found %s",
                          HAFT__ARG(name), haft__json_kind_name(*io_value));
    }
    haft_status status = haft__files_path_parse(haft__json_text(*io_value), &path, err);
    if (status == HAFT_OK) {
        status = haft__files_root_open(spec_path, directory, &root, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    int error = check_path(root, &path);
    (void)close(root);
    return error != 0 ? fail_path(name, error, err)
                      : write_path(job, directory, &path, io_value, err);
}

haft_status haft__command_confine(haft__exec_job *job, haft_error *err)
{
    const haft__json *roots = haft__exec_definition(job, "root");
    haft__json given = job->call.arguments;
    if (roots == NULL || roots->kind != HAFT__JSON_OBJECT || given.kind != HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    haft__json_member *members = haft__arena_array(&job->arena, given.count, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < given.count && status == HAFT_OK; i++) {
        haft_str name = haft__json_text(given.members[i].key);
        const haft__json *root = haft__json_get(*roots, name);
        members[i] = given.members[i];
        if (root != NULL) {
            status = confine(job, name, haft__json_text(*root), &members[i].value, err);
        }
    }
    if (status == HAFT_OK) {
        job->call.arguments = haft__json_object(members, given.count);
    }
    return status;
}
