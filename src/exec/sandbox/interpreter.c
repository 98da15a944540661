/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpreter.c - finds Python: the first python3 of PATH that is a real program, and that the user
 * of the sandbox can read.
 *
 * A version manager puts a shell script with that name first in PATH. It takes half a second, and
 * it cannot run in a sandbox, so only an ELF file is taken. The interpreter itself says which
 * directories it needs. Tests: tests/exec/sandbox/probe_test.c.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sandbox/sandbox.h"

#define QUERY_MS    20000
#define QUERY_BYTES 65536

/* Prints the version, then a directory or file a line: the standard library, and the directories of
 * shared libraries, which the imported modules load. */
static const char query[] =
    "import sys, os\n"
    "for name in ('bz2', 'ctypes', 'decimal', 'hashlib', 'lzma', 'sqlite3', 'ssl', 'uuid',"
    " 'zlib', 'zoneinfo'):\n"
    "    try:\n"
    "        __import__(name)\n"
    "    except ImportError:\n"
    "        pass\n"
    "print('.'.join(map(str, sys.version_info[:3])))\n"
    "found = [path for path in sys.path if path and os.path.exists(path)]\n"
    "for line in open('/proc/self/maps'):\n"
    "    path = line.rstrip('\\n').split(None, 5)[5:]\n"
    "    if path and path[0].startswith('/') and '.so' in path[0]:\n"
    "        found.append(os.path.dirname(path[0]))\n"
    "for path in sorted(set(map(os.path.realpath, found))):\n"
    "    print(path)\n";

/* Paths that exist on most systems: the cache of the loader, and time zones. */
static const char *const usual[] = {"/etc/ld.so.cache", "/usr/share/zoneinfo"};

/* ---- ELF ---- */

static bool read_at(int fd, off_t offset, void *to, size_t size)
{
    return pread(fd, to, size, offset) == (ssize_t)size;
}

/* Reads the name of the loader, "" if the program needs none. False if the file is damaged. */
static bool find_loader(int fd, const Elf64_Ehdr *head, char *ret_loader, size_t size)
{
    ret_loader[0] = '\0';
    for (unsigned i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr part;
        off_t at = (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize);
        if (!read_at(fd, at, &part, sizeof(part))) {
            return false;
        }
        if (part.p_type == PT_INTERP) {
            return part.p_filesz > 0 && part.p_filesz <= size
                   && read_at(fd, (off_t)part.p_offset, ret_loader, part.p_filesz)
                   && ret_loader[part.p_filesz - 1] == '\0';
        }
    }
    return true;
}

haft_status haft__elf_read_loader(const char *path, char *ret_loader, size_t size, haft_error *err)
{
    Elf64_Ehdr head;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return haft__fail(err, HAFT_NOT_FOUND, path, "cannot be opened: %s", strerror(errno));
    }
    bool good = read_at(fd, 0, &head, sizeof(head)) && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0
                && head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize >= sizeof(Elf64_Phdr)
                && find_loader(fd, &head, ret_loader, size);
    (void)close(fd);
    return good
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, path, "is not a program, but a script or damaged");
}

/* ---- the search ---- */

/* Whether the user, who is in no group but their own, has these of the rights r (4) and x (1). */
static bool has_rights(const char *path, uid_t uid, unsigned rights)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return false;
    }
    unsigned shift = info.st_uid == uid ? 6 : info.st_gid == uid ? 3 : 0;
    return (info.st_mode >> shift & rights) == rights;
}

/* Whether the user of the sandbox can execute the file: read it, and pass all directories. */
static bool user_can_run(const char *path, uid_t uid)
{
    char parent[PATH_MAX];
    for (size_t i = 0; path[i] != '\0' && i + 1 < sizeof(parent); i++) {
        parent[i] = path[i];
        parent[i + 1] = '\0';
        if (path[i] == '/' && !has_rights(parent, uid, 1)) {
            return false;
        }
    }
    return has_rights(path, uid, 5);
}

/* `io_skipped` is the first interpreter that only root can use. */
static bool is_program(haft__arena *arena, haft_str directory, haft__sandbox *io_sandbox,
                       const char **io_skipped)
{
    char name[PATH_MAX], real[PATH_MAX], loader[PATH_MAX];
    int length = snprintf(name, sizeof(name), "%.*s/python3", HAFT__ARG(directory));
    if (directory.len == 0 || directory.ptr[0] != '/' || length >= (int)sizeof(name)
        || realpath(name, real) == NULL || access(real, X_OK) != 0
        || haft__elf_read_loader(real, loader, sizeof(loader), NULL) != HAFT_OK) {
        return false;
    }
    haft_str kept = haft__arena_copy(arena, haft__str(real));
    if (geteuid() == 0 && !user_can_run(real, io_sandbox->uid)) {
        *io_skipped = *io_skipped != NULL ? *io_skipped : kept.ptr;
        return false;
    }
    haft_str kept_loader = haft__arena_copy(arena, haft__str(loader));
    io_sandbox->interpreter = kept.ptr;
    io_sandbox->loader = loader[0] != '\0' ? kept_loader.ptr : NULL;
    return kept.ptr != NULL;
}

static haft_status fail_query(const haft__sandbox *sandbox, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, sandbox->interpreter, "did not say where its library is");
    return haft__hint(err, status, "check that it runs: %s -I -S -c 'print(1)'",
                      sandbox->interpreter);
}

/* Reads the answer of the interpreter. */
static haft_status read_answer(haft__arena *arena, haft_str answer, haft__sandbox *io_sandbox,
                               haft_error *err)
{
    size_t lines = 0;
    for (size_t i = 0; i < answer.len; i++) {
        lines += answer.ptr[i] == '\n';
    }
    io_sandbox->version = haft__str_split(&answer, '\n');
    if (lines < 2 || !haft__str_starts_with(io_sandbox->version, HAFT__LIT("3."))) {
        return fail_query(io_sandbox, err);
    }
    io_sandbox->libraries =
        haft__arena_array(arena, lines + COUNT(usual), sizeof(*io_sandbox->libraries));
    if (io_sandbox->libraries == NULL) {
        return haft__arena_fail(arena, err);
    }
    while (answer.len > 0 && io_sandbox->library_count < HAFT__LIMIT_SANDBOX_PATHS) {
        haft_str path = haft__arena_copy(arena, haft__str_split(&answer, '\n'));
        if (path.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        io_sandbox->libraries[io_sandbox->library_count++] = path.ptr;
    }
    for (size_t i = 0; i < COUNT(usual); i++) {
        io_sandbox->libraries[io_sandbox->library_count++] = usual[i];
    }
    return HAFT_OK;
}

haft_status haft__sandbox_find_interpreter(haft__arena *arena, haft_str path,
                                           haft__sandbox *io_sandbox, haft_error *err)
{
    bool found = false;
    const char *skipped = NULL;
    for (haft_str rest = path; rest.len > 0 && !found;) {
        found = is_program(arena, haft__str_split(&rest, ':'), io_sandbox, &skipped);
    }
    found = found || is_program(arena, HAFT__LIT("/usr/local/bin"), io_sandbox, &skipped)
            || is_program(arena, HAFT__LIT("/usr/bin"), io_sandbox, &skipped);
    if (!found && skipped != NULL) {
        haft_status status =
            haft__fail(err, HAFT_UNSUPPORTED, skipped,
                       "cannot be read by the user %u, who runs code for root", io_sandbox->uid);
        return haft__hint(err, status, "install Python for all users, or set HAFT_SANDBOX_UID");
    }
    if (!found) {
        haft_status status = haft__fail(err, HAFT_NOT_FOUND, "",
                                        "no python3 in PATH is a program (scripts of version "
                                        "managers are skipped)");
        return haft__hint(err, status, "install Python 3.8 or later: apt install python3-minimal");
    }
    const char *const words[] = {io_sandbox->interpreter, "-I", "-S", "-B", "-c", query, NULL};
    haft__sandbox_finished ran;
    haft_status status = haft__sandbox_spawn(arena, words, QUERY_MS, QUERY_BYTES, &ran, err);
    if (status == HAFT_OK && (ran.timed_out || ran.status != 0)) {
        return fail_query(io_sandbox, err);
    }
    return status == HAFT_OK ? read_answer(arena, ran.output, io_sandbox, err) : status;
}
