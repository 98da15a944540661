/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mock.c - a single-threaded model server for benchmarks: haft-bench-mock [LATENCY_MS].
 *
 * The server prints its address. A POST to any path is a model request. The model "mock-N" calls a
 * tool in each of its first N replies, the five tools of `haft bench` in turn, and then answers. It
 * knows the number of earlier calls from the number of results in the request; to be fast, it
 * searches the text of the request and does not parse it. Each reply is delayed by LATENCY_MS. A
 * GET returns and resets the counters: the number of requests, the time of the first one
 * (nanoseconds since 1970) and the length of the longest body. The server exits when its standard
 * input ends.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

#define MAX_BYTES ((size_t)64 << 20)
#define MAX_READY 256
#define TOOLS     5

static const struct {
    const char *name, *arguments;
} tools[TOOLS] = {
    {"get_weather", "{\\\"city\\\":\\\"Lisbon\\\",\\\"unit\\\":\\\"celsius\\\",\\\"days\\\":3}"},
    {"search_docs", "{\\\"query\\\":\\\"refund policy for enterprise\\\",\\\"top_k\\\":5,"
                    "\\\"filters\\\":{\\\"lang\\\":\\\"en\\\",\\\"tags\\\":[\\\"billing\\\","
                    "\\\"legal\\\"]}}"},
    {"create_ticket", "{\\\"title\\\":\\\"Refund request\\\",\\\"body\\\":\\\"Customer asks for a "
                      "refund of invoice 1042.\\\",\\\"priority\\\":\\\"high\\\","
                      "\\\"assignees\\\":[\\\"ana\\\",\\\"bo\\\"]}"},
    {"calc", "{\\\"op\\\":\\\"add\\\",\\\"a\\\":17.5,\\\"b\\\":4.25}"},
    {"lookup_order", "{\\\"order_id\\\":\\\"ORD-00001042\\\",\\\"include_items\\\":true}"},
};

typedef struct connection connection;
struct connection {
    int fd; /* -1: closed, but still in the queue */
    haft__buf in, out;
    size_t sent;
    double due; /* when its reply is sent; 0: at once */
    connection *next;
};

static struct {
    int epoll, listener;
    double latency;
    connection *first, *last; /* delayed replies, by due time */
    uint64_t requests, longest, first_ns;
    bool over;
} server;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- replies ---- */

static uint64_t count_results(haft_str body)
{
    static const char word[] = "\"role\":\"tool\"";
    uint64_t count = 0;
    for (size_t at = wire_find(body, word); at < body.len; at = wire_find(body, word)) {
        count++;
        body = haft__str_skip(body, at + sizeof(word) - 1);
    }
    return count;
}

/* The N of "model":"mock-N". */
static uint64_t turns_of(haft_str body)
{
    static const char word[] = "\"model\":\"mock-";
    haft_str rest = haft__str_skip(body, wire_find(body, word) + sizeof(word) - 1);
    uint64_t turns = 0;
    return haft__str_to_u64(haft__str_split(&rest, '"'), &turns) ? turns : 0;
}

static void write_reply(haft__buf *text, haft_str body)
{
    uint64_t made = count_results(body);
    haft__buf_addf(
        text,
        "{\"id\":\"chatcmpl-%llu\",\"object\":\"chat.completion\",\"created\":1700000000,"
        "\"model\":\"mock\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
        "\"assistant\",",
        (unsigned long long)server.requests);
    if (made < turns_of(body)) {
        haft__buf_addf(text,
                       "\"content\":null,\"tool_calls\":[{\"id\":\"call_%llu\",\"type\":"
                       "\"function\",\"function\":{\"name\":\"%s\",\"arguments\":\"%s\"}}]},"
                       "\"finish_reason\":\"tool_calls\"}],",
                       (unsigned long long)server.requests, tools[made % TOOLS].name,
                       tools[made % TOOLS].arguments);
    } else {
        haft__buf_addf(text, "\"content\":\"Done. All of the requested steps are complete.\"},"
                             "\"finish_reason\":\"stop\"}],");
    }
    haft__buf_addf(text, "\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20,"
                         "\"total_tokens\":120}}");
}

static void write_counts(haft__buf *text)
{
    haft__buf_addf(text, "{\"requests\":%llu,\"first_ns\":%llu,\"longest\":%llu}",
                   (unsigned long long)server.requests, (unsigned long long)server.first_ns,
                   (unsigned long long)server.longest);
    server.requests = server.first_ns = server.longest = 0;
}

static void note_request(haft_str body)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (server.requests == 0) {
        server.first_ns = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
    }
    server.requests++;
    server.longest = body.len > server.longest ? body.len : server.longest;
}

/* ---- connections ---- */

static void destroy(connection *c)
{
    haft__buf_finish(&c->in);
    haft__buf_finish(&c->out);
    free(c);
}

static void close_connection(connection *c)
{
    (void)close(c->fd);
    c->fd = -1;
    if (c->due == 0) {
        destroy(c);
    }
}

/* Sends as much as the socket accepts. Replies are short, so this is nearly always everything; the
 * rest is sent at the next event. */
static void flush(connection *c)
{
    haft_str out = haft__str_skip(haft__buf_str(&c->out), c->sent);
    ssize_t sent = send(c->fd, out.ptr, out.len, MSG_NOSIGNAL);
    c->sent += sent > 0 ? (size_t)sent : 0;
    if (c->sent == c->out.len) {
        haft__buf_clear(&c->out);
        c->sent = 0;
    }
}

static void delay_reply(connection *c)
{
    c->due = wire_now() + server.latency;
    c->next = NULL;
    if (server.last != NULL) {
        server.last->next = c;
    } else {
        server.first = c;
    }
    server.last = c;
}

static void answer(connection *c, haft_str body, bool wants_counts)
{
    static haft__buf text;
    haft__buf_init(&text, MAX_BYTES);
    if (wants_counts) {
        write_counts(&text);
    } else {
        note_request(body);
        write_reply(&text, body);
    }
    haft__buf_addf(&c->out,
                   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                   "\r\n",
                   text.len);
    haft__buf_add_str(&c->out, haft__buf_str(&text));
    haft__buf_finish(&text);
    if (server.latency > 0 && !wants_counts) {
        delay_reply(c);
    } else {
        flush(c);
    }
}

static void serve(connection *c)
{
    haft_str head, body;
    if (!wire_receive(c->fd, &c->in)) {
        close_connection(c);
        return;
    }
    switch (wire_read(haft__buf_str(&c->in), &head, &body)) {
    case WIRE_PART: return;
    case WIRE_WRONG: close_connection(c); return;
    case WIRE_WHOLE:
        answer(c, body, haft__str_starts_with(head, HAFT__LIT("GET ")));
        haft__buf_clear(&c->in); /* no client sends two requests at once */
        return;
    }
}

static void watch(int fd, void *what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
    if (epoll_ctl(server.epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        fail("epoll_ctl");
    }
}

static void accept_connections(void)
{
    int one = 1, fd;
    while ((fd = accept4(server.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        connection *c = calloc(1, sizeof(*c));
        if (c == NULL) {
            fail("calloc");
        }
        c->fd = fd;
        haft__buf_init(&c->in, MAX_BYTES);
        haft__buf_init(&c->out, MAX_BYTES);
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        watch(fd, c);
    }
}

/* ---- the loop ---- */

static void send_due(void)
{
    double now = server.first != NULL ? wire_now() : 0;
    while (server.first != NULL && server.first->due <= now) {
        connection *c = server.first;
        server.first = c->next;
        server.last = server.first != NULL ? server.last : NULL;
        c->due = 0;
        if (c->fd < 0) {
            destroy(c);
        } else {
            flush(c);
        }
    }
}

static int time_left(void)
{
    if (server.first == NULL) {
        return -1;
    }
    double left = server.first->due - wire_now();
    return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

static void step(void)
{
    struct epoll_event ready[MAX_READY];
    int count = epoll_wait(server.epoll, ready, MAX_READY, time_left());
    for (int i = 0; i < count; i++) {
        if (ready[i].data.ptr == &server.listener) {
            accept_connections();
        } else if (ready[i].data.ptr == &server.over) {
            char byte;
            server.over = read(STDIN_FILENO, &byte, 1) <= 0;
        } else {
            connection *c = ready[i].data.ptr;
            if (c->out.len > 0 && c->due == 0) {
                flush(c);
            }
            serve(c);
        }
    }
    send_due();
}

static void open_server(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    server.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server.epoll < 0 || server.listener < 0
        || bind(server.listener, (const struct sockaddr *)&address, length) != 0
        || listen(server.listener, 4096) != 0
        || getsockname(server.listener, (struct sockaddr *)&address, &length) != 0) {
        fail("listen");
    }
    watch(server.listener, &server.listener);
    watch(STDIN_FILENO, &server.over);
    printf("listening on http://127.0.0.1:%d/v1\n", ntohs(address.sin_port));
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t latency = 0;
    if (argc > 2 || (argc == 2 && !haft__str_to_u64(haft__str(argv[1]), &latency))) {
        (void)fprintf(stderr, "usage: haft-bench-mock [LATENCY_MS]\n");
        return 2;
    }
    server.latency = (double)latency * 1e-3;
    open_server();
    while (!server.over) {
        step();
    }
    return 0;
}
