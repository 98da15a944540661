/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c - owner names: boot.namespace/process/start/random. Tests: tests/io/owner_test.c. */
#include "io/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "io/random.h"

#define BOOT_LENGTH 36 /* of a UUID */

/* Reads the beginning of a small file in /proc; empty if it cannot be read. */
static haft_str read_proc(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return (haft_str){to, 0};
    }
    ssize_t length = read(fd, to, size);
    (void)close(fd);
    return (haft_str){to, length > 0 ? (size_t)length : 0};
}

/* The boot id of this machine and the PID namespace: containers of one machine use the same numbers
 * for different processes. Empty if unknown. */
static haft_str read_boot(char to[96])
{
    char space[64] = "";
    haft_str boot = read_proc("/proc/sys/kernel/random/boot_id", to, BOOT_LENGTH);
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof(space) - 1); /* pid:[402653...] */
    uint64_t number = 0;
    haft_str digits = haft__str_skip((haft_str){space, length > 0 ? (size_t)length : 0}, 5);
    if (boot.len != BOOT_LENGTH || !haft__str_to_u64(haft__str_split(&digits, ']'), &number)) {
        return (haft_str){to, 0};
    }
    int more = snprintf(to + BOOT_LENGTH, 96 - BOOT_LENGTH, ".%llu", (unsigned long long)number);
    return (haft_str){to, BOOT_LENGTH + (size_t)more};
}

/* The start time of a process in ticks since boot: field 22 of its stat file. The program name, in
 * parentheses, may contain any character. 0 if the process does not exist. Sets *ret_ended for a
 * zombie (field 3): a process that has ended, but whose parent has not fetched its status. */
static uint64_t read_start(uint64_t process, bool *ret_ended)
{
    char path[64], text[1024];
    (void)snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)process);
    haft_str rest = read_proc(path, text, sizeof(text));
    for (size_t i = rest.len; i-- > 0;) {
        if (rest.ptr[i] == ')') {
            rest = haft__str_skip(rest, i + 2);
            break;
        }
    }
    uint64_t start = 0;
    char state = rest.len > 0 ? rest.ptr[0] : ' ';
    *ret_ended = state == 'Z' || state == 'X';
    for (int field = 3; field < 22; field++) {
        (void)haft__str_split(&rest, ' ');
    }
    return haft__str_to_u64(haft__str_split(&rest, ' '), &start) ? start : 0;
}

haft_status haft__owner_make(char *name, size_t size, haft_error *err)
{
    char text[96];
    uint64_t random = 0;
    bool ended = false;
    haft_str boot = read_boot(text);
    uint64_t process = (uint64_t)getpid();
    if (!haft__random_bytes(&random, sizeof(random))) {
        return haft__fail(err, HAFT_IO, "", "cannot get random bytes from the system");
    }
    (void)snprintf(name, size, "%.*s/%llu/%llu/%016llx", HAFT__ARG(boot),
                   (unsigned long long)process, (unsigned long long)read_start(process, &ended),
                   (unsigned long long)random);
    return HAFT_OK;
}

bool haft__owner_is_dead(haft_str name)
{
    char text[96];
    haft_str boot = read_boot(text);
    uint64_t process = 0, start = 0;
    bool is_this_machine = boot.len > 0 && haft__str_equal(haft__str_split(&name, '/'), boot);
    bool read = is_this_machine && haft__str_to_u64(haft__str_split(&name, '/'), &process)
                && haft__str_to_u64(haft__str_split(&name, '/'), &start);
    if (!read || process == 0 || start == 0) {
        return false;
    }
    bool ended = false;
    uint64_t found = read_start(process, &ended);
    if (found
        == 0) { /* the process may only be hidden, for example because it belongs to another user */
        return process <= INT32_MAX && kill((pid_t)process, 0) != 0 && errno == ESRCH;
    }
    return found != start || ended;
}
