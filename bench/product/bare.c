/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare.c - the lower bound: the work of `haft bench` written by hand, in one thread.
 *
 *     haft-bench-bare once|load url=http://127.0.0.1:PORT/v1 tools=FILE [model=mock-N] [runs=N]
 *                     [conc=N] [warm=N]
 *
 * One kept-open connection for each concurrent run; a conversation that only grows and is sent
 * unchanged; replies parsed with cJSON, arguments checked by hand. No store, no events, no retries,
 * no timeouts: it measures the cost of the work itself. `tools` is a file with the tools of the
 * request, so that all contenders send the same. The output is that of `haft bench`.
 */
#include <arpa/inet.h>
#include <cJSON.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire.h"

#define MAX_BYTES ((size_t)64 << 20)
#define MAX_READY 256

static struct {
    const char *scenario, *model, *tools;
    uint64_t runs, conc, warm, port;
    haft__buf tail; /* of each body: the model and the tools */
    int epoll;
} bare = {.scenario = "", .model = "mock-1", .tools = "", .runs = 1, .conc = 1};

/* One run at a time, over one connection. */
typedef struct lane {
    int fd;
    haft__buf body, in;
    double started;
} lane;

typedef struct batch {
    uint64_t left, over, results;
    double *times;
} batch;

static void fail(const char *what)
{
    (void)fprintf(stderr, "haft-bench-bare: %s\n", what);
    exit(1);
}

/* ---- tools ---- */

static bool has(const cJSON *args, const char *name, bool number)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(args, name);
    return number ? cJSON_IsNumber(value) : cJSON_IsString(value);
}

static bool is_weather(const cJSON *args)
{
    return has(args, "city", false) && has(args, "unit", false) && has(args, "days", true);
}

static bool is_search(const cJSON *args)
{
    return has(args, "query", false) && has(args, "top_k", true)
           && cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(args, "filters"));
}

static bool is_ticket(const cJSON *args)
{
    return has(args, "title", false) && has(args, "body", false) && has(args, "priority", false);
}

static bool is_calc(const cJSON *args)
{
    return has(args, "op", false) && has(args, "a", true) && has(args, "b", true);
}

static bool is_order(const cJSON *args)
{
    return has(args, "order_id", false);
}

static const struct {
    const char *name;
    bool (*is_right)(const cJSON *args);
    const char *result; /* escaped for a JSON string */
} tools[] = {
    {"get_weather", is_weather,
     "{\\\"city\\\":\\\"Lisbon\\\",\\\"unit\\\":\\\"celsius\\\",\\\"forecast\\\":[21,22,19]}"},
    {"search_docs", is_search,
     "{\\\"hits\\\":[{\\\"id\\\":\\\"kb-17\\\",\\\"score\\\":0.92,\\\"title\\\":\\\"Refund policy"
     "\\\"},{\\\"id\\\":\\\"kb-20\\\",\\\"score\\\":0.71,\\\"title\\\":\\\"Enterprise "
     "terms\\\"}]}"},
    {"create_ticket", is_ticket,
     "{\\\"ticket\\\":\\\"T-881\\\",\\\"url\\\":\\\"tracker/T-881\\\"}"},
    {"calc", is_calc, "{\\\"result\\\":21.75}"},
    {"lookup_order", is_order,
     "{\\\"order_id\\\":\\\"ORD-00001042\\\",\\\"status\\\":\\\"shipped\\\",\\\"total_cents\\\":"
     "12900,\\\"items\\\":[{\\\"sku\\\":\\\"A1\\\",\\\"qty\\\":2}]}"},
};

static const char *run_tool(const char *name, const char *arguments)
{
    cJSON *args = cJSON_Parse(arguments);
    const char *result = NULL;
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        if (strcmp(name, tools[i].name) == 0 && tools[i].is_right(args)) {
            result = tools[i].result;
        }
    }
    cJSON_Delete(args);
    if (result == NULL) {
        fail("a call has unexpected arguments");
    }
    return result;
}

/* ---- a run ---- */

static void send_all(int fd, struct iovec *parts, size_t count)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    while (message.msg_iovlen > 0) {
        ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (sent < 0) {
            fail("the server closed the connection");
        }
        size_t left = (size_t)sent;
        while (message.msg_iovlen > 0 && left >= message.msg_iov->iov_len) {
            left -= message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen > 0) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + left;
            message.msg_iov->iov_len -= left;
        }
    }
}

static void ask(lane *l)
{
    char head[256];
    int length = snprintf(head, sizeof(head),
                          "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%llu\r\n"
                          "Content-Type: application/json\r\nAuthorization: Bearer bench\r\n"
                          "Content-Length: %zu\r\n\r\n",
                          (unsigned long long)bare.port, l->body.len + bare.tail.len);
    struct iovec parts[] = {
        {head, (size_t)length}, {l->body.ptr, l->body.len}, {bare.tail.ptr, bare.tail.len}};
    send_all(l->fd, parts, 3);
}

static void start(batch *b, lane *l)
{
    static const char beginning[] =
        "{\"messages\":[{\"role\":\"system\",\"content\":\"You are a support agent. Use the tools "
        "to look things up, then answer briefly.\"},{\"role\":\"user\",\"content\":\"Customer Ana "
        "(order ORD-00001042) wants a refund and the weather in Lisbon. Handle it.\"}";
    b->left--;
    l->started = wire_now();
    haft__buf_clear(&l->body);
    haft__buf_add(&l->body, beginning, sizeof(beginning) - 1);
    ask(l);
}

static void run_calls(batch *b, lane *l, const cJSON *message, const cJSON *calls)
{
    const cJSON *call;
    char *text = cJSON_PrintUnformatted(message);
    haft__buf_addf(&l->body, ",%s", text);
    free(text);
    cJSON_ArrayForEach(call, calls)
    {
        const cJSON *function = cJSON_GetObjectItemCaseSensitive(call, "function");
        const char *result =
            run_tool(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(function, "name")),
                     cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(function, "arguments")));
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(call, "id"));
        haft__buf_addf(&l->body, ",{\"role\":\"tool\",\"tool_call_id\":\"%s\",\"content\":\"%s\"}",
                       id, result);
        b->results++;
    }
    ask(l);
}

static void end(batch *b, lane *l, const cJSON *message)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "content"));
    if (text == NULL || strcmp(text, "Done. All of the requested steps are complete.") != 0) {
        fail("a run ended with another answer");
    }
    if (b->times != NULL) {
        b->times[b->over] = (wire_now() - l->started) * 1e3;
    }
    b->over++;
    if (b->left > 0) {
        start(b, l);
    }
}

static void take_reply(batch *b, lane *l)
{
    haft_str head, body;
    if (!wire_receive(l->fd, &l->in)) {
        fail("the server closed the connection");
    }
    wire_state state = wire_read(haft__buf_str(&l->in), &head, &body);
    if (state == WIRE_PART) {
        return;
    }
    cJSON *reply = state == WIRE_WHOLE ? cJSON_ParseWithLength(body.ptr, body.len) : NULL;
    const cJSON *choices = cJSON_GetObjectItemCaseSensitive(reply, "choices");
    const cJSON *message =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(choices, 0), "message");
    const cJSON *calls = cJSON_GetObjectItemCaseSensitive(message, "tool_calls");
    if (message == NULL) {
        fail("a reply cannot be parsed");
    }
    haft__buf_clear(&l->in);
    if (calls != NULL) {
        run_calls(b, l, message, calls);
    } else {
        end(b, l, message);
    }
    cJSON_Delete(reply);
}

/* ---- many runs ---- */

static void open_lane(lane *l)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)bare.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = l};
    int one = 1;
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->fd < 0 || connect(l->fd, (const struct sockaddr *)&address, sizeof(address)) != 0
        || setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0
        || epoll_ctl(bare.epoll, EPOLL_CTL_ADD, l->fd, &event) != 0) {
        fail("cannot connect");
    }
    haft__buf_init(&l->body, MAX_BYTES);
    haft__buf_init(&l->in, MAX_BYTES);
}

static void close_lane(lane *l)
{
    (void)close(l->fd);
    haft__buf_finish(&l->body);
    haft__buf_finish(&l->in);
}

static void run_batch(batch *b)
{
    struct epoll_event ready[MAX_READY];
    uint64_t wanted = b->left;
    size_t count = (size_t)(bare.conc < wanted ? bare.conc : wanted);
    lane *lanes = calloc(count + 1, sizeof(*lanes));
    if (lanes == NULL) {
        fail("out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        open_lane(&lanes[i]);
    }
    for (size_t i = 0; i < count; i++) {
        start(b, &lanes[i]);
    }
    while (b->over < wanted) {
        int found = epoll_wait(bare.epoll, ready, MAX_READY, -1);
        for (int i = 0; i < found; i++) {
            take_reply(b, ready[i].data.ptr);
        }
    }
    for (size_t i = 0; i < count; i++) {
        close_lane(&lanes[i]);
    }
    free(lanes);
}

/* ---- the result ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double milliseconds(struct timeval from, struct timeval to)
{
    return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_usec - from.tv_usec) / 1e3;
}

/* Peak memory; the kernel's ru_maxrss includes that of the parent process. */
static unsigned long long peak_kb(void)
{
    char text[4096] = "";
    uint64_t peak = 0;
    FILE *file = fopen("/proc/self/status", "re");
    size_t length = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    haft_str rest = {text, length};
    rest = haft__str_skip(rest, wire_find(rest, "VmHWM:") + 6);
    rest = haft__str_trim(haft__str_split(&rest, 'k'));
    if (file != NULL) {
        (void)fclose(file);
    }
    return haft__str_to_u64(rest, &peak) ? peak : 0;
}

static void measure(void)
{
    batch warm = {.left = bare.warm}, b = {.left = bare.runs};
    struct rusage before, after;
    b.times = calloc((size_t)bare.runs + 1, sizeof(double));
    if (b.times == NULL) {
        fail("out of memory");
    }
    run_batch(&warm);
    (void)getrusage(RUSAGE_SELF, &before);
    double start_s = wire_now();
    run_batch(&b);
    double wall = (wire_now() - start_s) * 1e3;
    (void)getrusage(RUSAGE_SELF, &after);
    qsort(b.times, (size_t)bare.runs, sizeof(double), by_size);
    if (strcmp(bare.scenario, "load") == 0) {
        printf("{\"peer\":\"bare\",\"scenario\":\"load\",\"model\":\"%s\",\"store\":\"none\","
               "\"runs\":%llu,\"conc\":%llu,\"wall_ms\":%.1f,\"cpu_user_ms\":%.3f,"
               "\"cpu_sys_ms\":%.3f,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"tools\":%llu,"
               "\"rss_peak_kb\":%llu}\n",
               bare.model, (unsigned long long)bare.runs, (unsigned long long)bare.conc, wall,
               milliseconds(before.ru_utime, after.ru_utime),
               milliseconds(before.ru_stime, after.ru_stime), b.times[bare.runs / 2],
               b.times[bare.runs * 99 / 100], (unsigned long long)b.results, peak_kb());
    }
    free(b.times);
}

/* ---- arguments ---- */

static void read_tools(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, sizeof(text), file) : 0;
    if (length == 0) {
        fail("cannot read the file of tools=FILE");
    }
    (void)fclose(file);
    haft__buf_init(&bare.tail, MAX_BYTES);
    haft__buf_addf(&bare.tail, "],\"model\":\"%s\",\"tools\":%.*s}", bare.model, (int)length, text);
}

static bool read_word(char *word)
{
    const struct {
        const char *key;
        const char **text;
        uint64_t *number;
    } rows[] = {{"model", &bare.model, NULL}, {"tools", &bare.tools, NULL},
                {"runs", NULL, &bare.runs},   {"conc", NULL, &bare.conc},
                {"warm", NULL, &bare.warm},   {"url", NULL, NULL}};
    char *value = strchr(word, '=');
    if (value == NULL) {
        return false;
    }
    *value++ = '\0';
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(word, rows[i].key) != 0) {
            continue;
        }
        if (rows[i].text != NULL) {
            *rows[i].text = value;
            return true;
        }
        const char *colon = strrchr(value, ':'); /* only the port of the URL is used */
        haft_str number = haft__str(rows[i].number == NULL && colon != NULL ? colon + 1 : value);
        number = haft__str_split(&number, '/');
        return haft__str_to_u64(number, rows[i].number != NULL ? rows[i].number : &bare.port);
    }
    return false;
}

int main(int argc, char **argv)
{
    bare.scenario = argc > 1 ? argv[1] : "";
    bool good = strcmp(bare.scenario, "once") == 0 || strcmp(bare.scenario, "load") == 0;
    for (int i = 2; i < argc && good; i++) {
        good = read_word(argv[i]);
    }
    if (!good || bare.port == 0 || bare.runs == 0 || bare.conc == 0) {
        (void)fprintf(stderr, "usage: haft-bench-bare once|load url=URL tools=FILE [model=mock-N] "
                              "[runs=N] [conc=N] [warm=N]\n");
        return 2;
    }
    bare.epoll = epoll_create1(EPOLL_CLOEXEC);
    read_tools(bare.tools);
    measure();
    haft__buf_finish(&bare.tail);
    return 0;
}
