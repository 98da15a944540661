/* SPDX-License-Identifier: Apache-2.0 */
/* editor_tty.c - connects the editor to the terminal. Tests: tests/cli/chat_test.py. */
#include "cli/terminal/editor_tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

/* Maximum time between the bytes of an escape sequence. */
#define ESCAPE_MS 50

#define PASTE_ON  "\x1b[?2004h"
#define PASTE_OFF "\x1b[?2004l"

/* Maximum size of a drawing: rows have at least 8 columns, and each ends with two bytes. */
#define DRAWN_BYTES (4U * HAFT__LIMIT_LINE_BYTES)

bool haft__editor_tty_usable(void)
{
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && term != NULL && term[0] != '\0'
           && strcmp(term, "dumb") != 0;
}

void haft__editor_tty_init(haft__editor_tty *tty, const haft__line_history *history)
{
    *tty = (haft__editor_tty){.extra_fd = -1};
    haft__editor_init(&tty->edit, history);
    haft__buf_init(&tty->out, DRAWN_BYTES);
}

void haft__editor_tty_finish(haft__editor_tty *tty)
{
    haft__editor_finish(&tty->edit);
    haft__buf_finish(&tty->out);
}

/* ---- raw mode ---- */

/* The mode before raw mode. Global, because signal handlers and exit restore the terminal. */
static struct termios cooked;
static volatile sig_atomic_t is_raw;

static bool send(haft_str text)
{
    while (text.len > 0) {
        ssize_t sent = write(STDERR_FILENO, text.ptr, text.len);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) {
            return false;
        }
        text = haft__str_skip(text, sent > 0 ? (size_t)sent : 0);
    }
    return true;
}

static void restore_terminal(void)
{
    if (is_raw != 0) {
        is_raw = 0;
        (void)send(HAFT__LIT(PASTE_OFF));
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &cooked);
    }
}

static haft_status make_raw(haft_error *err)
{
    static bool at_exit;
    if (tcgetattr(STDIN_FILENO, &cooked) != 0) {
        return haft__fail(err, HAFT_IO, "the terminal", "%s", strerror(errno));
    }
    if (!at_exit) {
        at_exit = atexit(restore_terminal) == 0;
    }
    struct termios raw = cooked;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    is_raw = 1;
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0 || !send(HAFT__LIT(PASTE_ON))) {
        restore_terminal();
        return haft__fail(err, HAFT_IO, "the terminal", "%s", strerror(errno));
    }
    return HAFT_OK;
}

/* ---- signals ---- */

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
static volatile sig_atomic_t arrived[COUNT(caught)];
static int wake[2] = {
    -1, -1}; /* a pipe; signal handlers write to it to wake poll() in the thread of the editor */

static void on_signal(int number)
{
    int saved_errno = errno;
    for (size_t i = 0; i < COUNT(caught); i++) {
        if (caught[i] == number) {
            arrived[i] = 1;
        }
    }
    (void)!write(wake[1], "", 1);
    errno = saved_errno;
}

static bool take_signal(int number)
{
    for (size_t i = 0; i < COUNT(caught); i++) {
        if (caught[i] == number && arrived[i] != 0) {
            arrived[i] = 0;
            return true;
        }
    }
    return false;
}

static haft_status catch_signals(struct sigaction before[COUNT(caught)], haft_error *err)
{
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        return haft__fail(err, HAFT_IO, "", "cannot wait for signals: %s", strerror(errno));
    }
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT(caught); i++) {
        arrived[i] = 0;
        (void)sigaction(caught[i], &action, &before[i]);
    }
    return HAFT_OK;
}

static void restore_signals(const struct sigaction before[COUNT(caught)])
{
    for (size_t i = 0; i < COUNT(caught); i++) {
        (void)sigaction(caught[i], &before[i], NULL);
    }
    (void)close(wake[0]);
    (void)close(wake[1]);
}

/* ---- drawing ---- */

static void read_window_size(haft__editor *edit)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        edit->columns = size.ws_col;
        edit->rows = size.ws_row;
    }
    edit->needs_redraw = true;
}

static haft_status flush(haft__editor_tty *tty, haft_error *err)
{
    haft_status status = haft__buf_check(&tty->out, err);
    if (status == HAFT_OK && !send(haft__buf_str(&tty->out))) {
        status = haft__fail(err, HAFT_IO, "the terminal", "%s", strerror(errno));
    }
    haft__buf_clear(&tty->out);
    return status;
}

static haft_status draw(haft__editor_tty *tty, haft_error *err)
{
    haft__editor_draw(&tty->edit, &tty->out);
    return flush(tty, err);
}

static haft_status draw_final(haft__editor_tty *tty, haft_error *err)
{
    haft__editor_draw_final(&tty->edit, &tty->out);
    return flush(tty, err);
}

/* Stops the process as the terminal does for Ctrl-Z, and redraws when it continues. */
static haft_status suspend_process(haft__editor_tty *tty, haft_error *err)
{
    struct sigaction ours, plain = {.sa_handler = SIG_DFL};
    (void)sigemptyset(&plain.sa_mask);
    haft_status status = draw_final(tty, err);
    restore_terminal();
    (void)sigaction(SIGTSTP, &plain, &ours);
    (void)kill(0, SIGTSTP);
    (void)sigaction(SIGTSTP, &ours, NULL);
    (void)take_signal(SIGCONT); /* the signal that ended this stop */
    if (status == HAFT_OK) {
        status = make_raw(err);
    }
    read_window_size(&tty->edit);
    return status;
}

/* ---- reading ---- */

static haft_status handle_signals(haft__editor_tty *tty, bool *ret_killed, haft_error *err)
{
    char bytes[64];
    while (read(wake[0], bytes, sizeof(bytes)) > 0) {
    }
    haft_status status = HAFT_OK;
    bool term = take_signal(SIGTERM), hup = take_signal(SIGHUP), quit = take_signal(SIGQUIT);
    *ret_killed = *ret_killed || term || hup || quit;
    if (take_signal(SIGINT)) {
        haft__editor_interrupt(&tty->edit);
    }
    if (take_signal(SIGTSTP)) {
        status = suspend_process(tty, err);
    }
    if (take_signal(SIGCONT)) { /* the terminal's mode may have been changed meanwhile */
        restore_terminal();
        status = status == HAFT_OK ? make_raw(err) : status;
        haft__editor_reset_drawing(&tty->edit);
        read_window_size(&tty->edit);
    }
    if (take_signal(SIGWINCH)) {
        read_window_size(&tty->edit);
    }
    return status;
}

/* Handles typed bytes, until a key has a result for the caller. */
static haft__editor_result feed_input(haft__editor_tty *tty)
{
    haft__editor_result result = HAFT__EDITOR_MORE;
    while (tty->at < tty->length && result == HAFT__EDITOR_MORE) {
        result = haft__editor_feed(&tty->edit, tty->typed[tty->at++]);
    }
    return result;
}

/* Waits for bytes or a signal; *ret_gone if the terminal is closed. */
static void wait_for_keys(haft__editor_tty *tty, bool *ret_gone, bool *ret_killed)
{
    struct pollfd wait[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = wake[0], .events = POLLIN},
                            {.fd = tty->extra_fd, .events = POLLIN}};
    bool pending = haft__keys_pending(&tty->edit.keys);
    int ready = poll(wait, COUNT(wait), pending ? ESCAPE_MS : -1);
    if (ready == 0) {
        haft__editor_idle(&tty->edit);
    }
    if (ready > 0 && wait[2].revents != 0) {
        *ret_killed = tty->should_stop(tty->context);
    }
    if (ready <= 0 || wait[0].revents == 0) {
        return;
    }
    ssize_t got = read(STDIN_FILENO, tty->typed, sizeof(tty->typed));
    tty->at = 0;
    tty->length = got > 0 ? (size_t)got : 0;
    *ret_gone = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

static haft_status read_line(haft__editor_tty *tty, haft__editor_input *ret_input, haft_error *err)
{
    haft_status status = HAFT_OK;
    bool gone = false, killed = false;
    haft__editor_result result = HAFT__EDITOR_MORE;
    while (status == HAFT_OK && result == HAFT__EDITOR_MORE && !gone && !killed) {
        result = feed_input(tty);
        if (result == HAFT__EDITOR_SUSPEND) {
            status = suspend_process(tty, err);
            result = HAFT__EDITOR_MORE;
        } else if (result == HAFT__EDITOR_MORE) {
            status = draw(tty, err);
            if (status == HAFT_OK) {
                wait_for_keys(tty, &gone, &killed);
                status = handle_signals(tty, &killed, err);
            }
        }
    }
    *ret_input = killed                                 ? HAFT__EDITOR_INPUT_SIGNAL
                 : result == HAFT__EDITOR_LINE && !gone ? HAFT__EDITOR_INPUT_LINE
                                                        : HAFT__EDITOR_INPUT_EOF;
    return status == HAFT_OK ? draw_final(tty, err) : status;
}

haft_status haft__editor_tty_read(haft__editor_tty *tty, haft__editor_input *ret_input,
                                  haft_str *ret_line, haft_error *err)
{
    struct sigaction before[COUNT(caught)];
    haft_status status = catch_signals(before, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__editor_begin_line(&tty->edit);
    read_window_size(&tty->edit);
    status = make_raw(err);
    if (status == HAFT_OK) {
        status = read_line(tty, ret_input, err);
    }
    restore_terminal();
    restore_signals(before);
    *ret_line = haft__buf_str(&tty->edit.text);
    return status;
}
