/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c - parses HTTP messages. */
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#define MAX_BODY ((uint64_t)64 << 20)

double wire_now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

size_t wire_find(haft_str text, const char *word)
{
    const char *found = text.len > 0 ? memmem(text.ptr, text.len, word, strlen(word)) : NULL;
    return found != NULL ? (size_t)(found - text.ptr) : text.len;
}

/* False if the head has no Content-Length. */
static bool find_length(haft_str head, uint64_t *ret_length)
{
    static const char name[] = "content-length:";
    while (head.len > 0) {
        haft_str line = haft__str_split(&head, '\n');
        if (line.len >= sizeof(name) && strncasecmp(line.ptr, name, sizeof(name) - 1) == 0) {
            haft_str value = haft__str_trim(haft__str_skip(line, sizeof(name) - 1));
            return haft__str_to_u64(value, ret_length) && *ret_length <= MAX_BODY;
        }
    }
    return false;
}

wire_state wire_read(haft_str bytes, haft_str *ret_head, haft_str *ret_body)
{
    size_t end = wire_find(bytes, "\r\n\r\n");
    uint64_t length = 0;
    if (end == bytes.len) {
        return WIRE_PART;
    }
    *ret_head = (haft_str){bytes.ptr, end + 2};
    bool asks = haft__str_starts_with(bytes, HAFT__LIT("GET "));
    if (!asks && !find_length(*ret_head, &length)) {
        return WIRE_WRONG;
    }
    if (bytes.len - end - 4 < length) {
        return WIRE_PART;
    }
    *ret_body = (haft_str){bytes.ptr + end + 4, (size_t)length};
    return WIRE_WHOLE;
}

bool wire_receive(int fd, haft__buf *in)
{
    static char bytes[1 << 16];
    ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got > 0) {
        haft__buf_add(in, bytes, (size_t)got);
        return in->status == HAFT_OK;
    }
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}
