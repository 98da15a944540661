/* SPDX-License-Identifier: Apache-2.0 */
/* epoll.c - haft in another event loop. The program has an epoll loop with its own timer and
 * socket; haft adds a descriptor and an upper bound for the wait.
 * Build it: cc epoll.c $(pkg-config --cflags --libs haft)
 * Run it:   ./a.out epoll.yaml */
#include <haft.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef struct program {
    int epoll, timer;
    int ours, adas; /* a connection to Ada, whose part the timer plays */
    haft_runtime *runtime;
    haft_agent *agent;
    haft_run *run;
    bool asked, answered;
    unsigned events;
    haft_error err;
} program;

/* ---- the program's own descriptors ---- */

/* Ada writes when there is a question. */
static void on_timer(program *p)
{
    static const char answer[] = "\"after ten\"";
    unsigned long long ticks;
    bool ticked = read(p->timer, &ticks, sizeof(ticks)) == sizeof(ticks);
    if (ticked && p->asked && !p->answered) {
        p->answered = write(p->adas, answer, sizeof(answer)) == sizeof(answer);
    }
}

/* Her answer becomes the result of the pending call. */
static haft_status on_socket(program *p)
{
    char json[256];
    ssize_t length = read(p->ours, json, sizeof(json) - 1);
    json[length > 0 ? length : 0] = '\0';
    printf("Ada says %s\n", json);
    return haft_run_answer(p->run, NULL, json, &p->err);
}

/* ---- haft ---- */

/* Does not wait: epoll_wait did. */
static haft_status on_haft(program *p)
{
    haft_event event;
    haft_status status = haft_runtime_step(p->runtime, 0, &p->err);
    while (haft_run_next_event(p->run, &event)) {
        p->events += event.seq > 0;
    }
    if (haft_run_state(p->run) == HAFT_WAITING && !p->asked) {
        printf("the agent asks Ada\n");
        p->asked = true;
    }
    return status;
}

/* ---- the loop ---- */

static bool is_over(const program *p)
{
    haft_state state = haft_run_state(p->run);
    return state == HAFT_ENDED || state == HAFT_STOPPED;
}

/* The timeout changes with every step and every answer, so it is read each time. */
static haft_status loop(program *p)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && !is_over(p)) {
        struct epoll_event ready[4];
        int count = epoll_wait(p->epoll, ready, 4, haft_runtime_timeout(p->runtime));
        for (int i = 0; i < count && status == HAFT_OK; i++) {
            if (ready[i].data.fd == p->timer) {
                on_timer(p);
            } else if (ready[i].data.fd == p->ours) {
                status = on_socket(p);
            }
        }
        if (status == HAFT_OK) { /* even if nothing is readable: a timer of haft may be due */
            status = on_haft(p);
        }
    }
    return status;
}

static bool watch(const program *p, int fd)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data = {.fd = fd}};
    return epoll_ctl(p->epoll, EPOLL_CTL_ADD, fd, &wanted) == 0;
}

static bool open_all(program *p)
{
    static const struct itimerspec tick = {.it_interval = {.tv_nsec = 5000000},
                                           .it_value = {.tv_nsec = 5000000}};
    int ends[2];
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    p->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return false;
    }
    p->ours = ends[0];
    p->adas = ends[1];
    return timerfd_settime(p->timer, 0, &tick, NULL) == 0 && watch(p, p->timer) && watch(p, p->ours)
           && watch(p, haft_runtime_fd(p->runtime));
}

static haft_status work(program *p, const char *spec)
{
    haft_status status = haft_agent_load(p->runtime, spec, &p->agent, &p->err);
    if (status == HAFT_OK) {
        status = haft_run_start(p->agent, "When does Ada have time?", NULL, &p->run, &p->err);
    }
    if (status == HAFT_OK) {
        status = loop(p);
    }
    if (status == HAFT_OK) {
        printf("%s after %u events: %.*s\n", haft_run_end(p->run), p->events,
               HAFT_STR(haft_run_answer_text(p->run)));
    } else {
        (void)fprintf(stderr, "%s: %s\n", p->err.where, p->err.message);
    }
    return status;
}

static void close_all(const program *p)
{
    const int all[] = {p->epoll, p->timer, p->ours, p->adas};
    haft_run_release(p->run);
    haft_agent_release(p->agent);
    haft_runtime_destroy(p->runtime); /* closes haft's descriptor */
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        (void)close(all[i]);
    }
}

int main(int argc, char **argv)
{
    program p = {.epoll = -1, .timer = -1, .ours = -1, .adas = -1};
    bool good = haft_runtime_create(NULL, &p.runtime, &p.err) == HAFT_OK && open_all(&p)
                && work(&p, argc > 1 ? argv[1] : "epoll.yaml") == HAFT_OK;
    close_all(&p);
    return good ? 0 : 1;
}
