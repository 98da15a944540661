/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/stdio.c: lines of any length, in any pieces, and the end of input and output. */
#include "io/stdio.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/buf.h"
#include "test.h"

#define MAX_LINE 16

typedef struct stdio_case {
    haft__loop *loop;
    haft__stdio *stdio;
    int in[2], out[2];
    haft__buf lines; /* each line between < and >; ! for a line that is too long */
    bool ended;
    haft_str answer; /* the answer to each line; "": no answer */
    int count;       /* lines that arrived */
    int rejected;    /* answers that could not be queued */
} stdio_case;

static void on_line(void *context, haft_str line)
{
    stdio_case *c = context;
    haft__buf_add_char(&c->lines, '<');
    haft__buf_add_str(&c->lines, line);
    haft__buf_add_char(&c->lines, '>');
    c->count++;
    c->rejected += c->answer.len > 0 && !haft__stdio_write(c->stdio, c->answer);
}

static void on_too_long(void *context)
{
    stdio_case *c = context;
    haft__buf_add_char(&c->lines, '!');
}

static void on_ended(void *context)
{
    stdio_case *c = context;
    CHECK(!c->ended, "the end was reported twice");
    c->ended = true;
}

static void open_case(stdio_case *c, size_t queue)
{
    *c = (stdio_case){.ended = false};
    haft__buf_init(&c->lines, 1 << 20);
    CHECK_INT(haft__loop_create(&c->loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK(pipe2(c->in, O_CLOEXEC) == 0 && pipe2(c->out, O_CLOEXEC) == 0, "no pipes");
    haft__stdio_options options = {.loop = c->loop,
                                   .in = c->in[0],
                                   .out = c->out[1],
                                   .max_line = MAX_LINE,
                                   .max_queue = queue,
                                   .line = on_line,
                                   .too_long = on_too_long,
                                   .ended = on_ended,
                                   .context = c};
    CHECK_INT(haft__stdio_create(&options, &c->stdio, NULL), HAFT_OK, "cannot create the stdio");
}

static void close_case(stdio_case *c)
{
    haft__stdio_destroy(c->stdio);
    haft__loop_destroy(c->loop);
    for (int i = 0; i < 2; i++) {
        (void)close(c->in[i]);
        (void)close(c->out[i]);
    }
    haft__buf_finish(&c->lines);
}

static void write_in(const stdio_case *c, const char *text)
{
    CHECK(write(c->in[1], text, strlen(text)) == (ssize_t)strlen(text), "the text was not written");
}

static void step_until_ended(stdio_case *c)
{
    for (int i = 0; i < 300000 && !c->ended; i++) {
        CHECK_INT(haft__loop_step(c->loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK(c->ended, "the end was not reported");
}

TEST(lines_are_read_in_any_pieces)
{
    static const struct {
        const char *text, *lines;
    } rows[] = {
        {"", ""},
        {"a\n", "<a>"},
        {"a\nb\r\n\nc", "<a><b><><c>"},
        {"1234567890123456\n", "<1234567890123456>"},
        {"12345678901234567\nx\n", "!<x>"},
        {"12345678901234567", "!"},
        {"\n\n", "<><>"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        stdio_case c;
        open_case(&c, 100);
        write_in(&c, rows[i].text);
        (void)close(c.in[1]);
        step_until_ended(&c);
        CHECK_STR(haft__buf_str(&c.lines), haft__str(rows[i].lines), "row %zu", i);
        c.in[1] = -1;
        close_case(&c);
    }
}

TEST(lines_are_written_in_order)
{
    stdio_case c;
    char text[64];
    open_case(&c, 100);
    CHECK(haft__stdio_write(c.stdio, HAFT__LIT("one")), "the first line was rejected");
    CHECK(haft__stdio_write(c.stdio, HAFT__LIT("two")), "the second line was rejected");
    for (int i = 0; i < 300000 && !haft__stdio_idle(c.stdio); i++) {
        CHECK_INT(haft__loop_step(c.loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    ssize_t got = read(c.out[0], text, sizeof(text));
    CHECK_STR(((haft_str){text, got > 0 ? (size_t)got : 0}), HAFT__LIT("one\ntwo\n"), "the output");
    close_case(&c);
}

TEST(too_much_unread_output_is_an_error)
{
    stdio_case c;
    open_case(&c, 8);
    CHECK(!haft__stdio_write(c.stdio, HAFT__LIT("12345678")),
          "a line that is too long with its line end was accepted");
    CHECK(haft__stdio_idle(c.stdio), "the queue is not empty");
    CHECK(!haft__stdio_write(c.stdio, HAFT__LIT("1")), "a line was accepted after the error");
    CHECK_INT(haft__stdio_error(c.stdio), HAFT_TOO_BIG, "the error");
    close_case(&c);
}

/* While a client does not read the responses, its requests stay unread. None is lost. */
TEST(nothing_is_read_while_the_reader_pauses)
{
    enum { LINES = 2000, ANSWER = 999 };
    static char piece[65536];
    stdio_case c;
    open_case(&c, 100000);
    char *text = test_alloc(2 * LINES + 1), *answer = test_alloc(ANSWER);
    for (int i = 0; i < LINES; i++) {
        memcpy(text + 2 * i, "x\n", 3);
    }
    memset(answer, 'a', ANSWER);
    c.answer = (haft_str){answer, ANSWER};
    write_in(&c, text);
    int before = -1;
    for (int unchanged = 0; unchanged < 100;
         unchanged = c.count == before && c.count > 0 ? unchanged + 1 : 0) {
        before = c.count;
        CHECK_INT(haft__loop_step(c.loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK(c.count < LINES / 2 && c.rejected == 0, "%d lines, %d rejected", c.count, c.rejected);
    size_t got = 0;
    CHECK_INT(fcntl(c.out[0], F_SETFL, O_NONBLOCK), 0, "the pipe cannot be made non-blocking");
    for (int i = 0; i < 300000 && got < (size_t)LINES * (ANSWER + 1); i++) {
        ssize_t more = read(c.out[0], piece, sizeof(piece));
        got += more > 0 ? (size_t)more : 0;
        CHECK_INT(haft__loop_step(c.loop, more > 0 ? 0 : 1, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK_INT(got, LINES * (ANSWER + 1), "bytes of all answers");
    CHECK(c.count == LINES && c.rejected == 0 && !c.ended, "%d lines, %d rejected", c.count,
          c.rejected);
    (void)close(c.in[1]);
    c.in[1] = -1;
    step_until_ended(&c);
    close_case(&c);
}

/* The peer neither reads nor closes, and the end does not wait for it. */
TEST(the_end_does_not_wait_for_a_peer_that_does_not_read)
{
    stdio_case c;
    char *big = test_alloc(1 << 20);
    memset(big, 'x', 1 << 20);
    open_case(&c, 2 << 20);
    CHECK(haft__stdio_write(c.stdio, (haft_str){big, 1 << 20}), "the line was rejected");
    for (int i = 0; i < 5; i++) {
        CHECK_INT(haft__loop_step(c.loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK(!haft__stdio_idle(c.stdio), "a pipe took the whole line");
    close_case(&c);
}

TEST(writing_to_a_disconnected_reader_is_rejected)
{
    stdio_case c;
    open_case(&c, 100);
    (void)close(c.out[0]);
    c.out[0] = -1;
    (void)signal(SIGPIPE, SIG_IGN);
    CHECK(haft__stdio_write(c.stdio, HAFT__LIT("x")),
          "a write was rejected before the error is known");
    step_until_ended(&c);
    CHECK(!haft__stdio_write(c.stdio, HAFT__LIT("x")),
          "a write was accepted after the reader disconnected");
    CHECK_INT(haft__stdio_error(c.stdio), HAFT_OK, "the error");
    close_case(&c);
    (void)signal(SIGPIPE, SIG_DFL);
}
