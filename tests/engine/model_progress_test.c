/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/model_progress.c, and for the events that haft__log_notify buffers: replies
 * are reported while they arrive. */
#include "engine/model_progress.h"

#include "base/limits.h"
#include "engine_help.h"
#include "run/redact/redact.h"
#include "json/read.h"

#define SECRET "sk-told-0123456789abcdef"

typedef struct reporter {
    help_host host;
    haft_run *run;
    haft__model_progress progress;
} reporter;

static void reporter_init(reporter *t)
{
    help_host_init(&t->host, "memory:");
    t->run = help_host_start(&t->host,
                             "\"model\":{\"provider\":\"openai\",\"model\":\"m\",\"api_key\":"
                             "\"" SECRET "\",\"base_url\":\"http://127.0.0.1:9/v1\"}",
                             NULL, "go");
    (void)help_host_events(&t->host, t->run); /* a client reads events */
    haft__model_progress_init(&t->progress, t->run);
}

static void reporter_finish(reporter *t)
{
    haft__model_progress_finish(&t->progress);
    haft_run_release(t->run);
    help_host_finish(&t->host);
}

static void add(reporter *t, haft__delta_kind kind, haft_str text)
{
    haft__delta delta = {.kind = kind, .text = text};
    haft__model_progress_add(&t->progress, &delta);
}

/* The text that was reported since the last call; "|" separates its pieces. */
static haft_str read_reported(reporter *t, haft__buf *to, const char *key)
{
    haft_event event;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf_clear(to);
    while (haft_run_next_event(t->run, &event)) {
        haft__json value;
        CHECK_INT(haft__json_read(&arena, event.json, NULL, &value, NULL, NULL), HAFT_OK, "JSON");
        const haft__json *text = haft__json_get(value, haft__str(key));
        if (event.seq == 0 && text != NULL) {
            CHECK_STR(haft__json_text(*haft__json_get(value, HAFT__LIT("kind"))),
                      HAFT__LIT("model_progress"), "kind");
            CHECK(haft__json_get(value, HAFT__LIT("after")) != NULL, "the event has no `after`");
            haft__buf_add_str(to, to->len > 0 ? HAFT__LIT("|") : HAFT__LIT(""));
            haft__buf_add_str(to, haft__json_text(*text));
        }
    }
    haft__arena_finish(&arena);
    return haft__buf_str(to);
}

TEST(text_that_arrives_together_is_reported_together)
{
    reporter t;
    haft__buf seen;
    reporter_init(&t);
    haft__buf_init(&seen, 1 << 20);
    add(&t, HAFT__DELTA_REASONING, HAFT__LIT("hm"));
    add(&t, HAFT__DELTA_TEXT, HAFT__LIT("one "));
    add(&t, HAFT__DELTA_TEXT, HAFT__LIT("two"));
    add(&t, HAFT__DELTA_ARGUMENTS, HAFT__LIT("{}"));
    haft__model_progress_flush(&t.progress, false);
    add(&t, HAFT__DELTA_REASONING, HAFT__LIT("too late"));
    add(&t, HAFT__DELTA_TEXT, HAFT__LIT(" \xC3\xA9"));
    haft__model_progress_flush(&t.progress, true);
    haft__model_progress_flush(&t.progress, true);
    CHECK_STR(read_reported(&t, &seen, "text"), HAFT__LIT("one two| \xC3\xA9"),
              "the reported text");
    add(&t, HAFT__DELTA_REASONING, HAFT__LIT("x"));
    haft__model_progress_flush(&t.progress, true);
    CHECK_STR(read_reported(&t, &seen, "reasoning"), HAFT__LIT(""), "reasoning after the text");
    haft__buf_finish(&seen);
    reporter_finish(&t);
}

/* No piece contains a part of the secret, wherever the text is split. */
TEST(a_secret_in_pieces_is_not_reported)
{
    static const char text[] = "the key is " SECRET ", and Bearer abcdefghij0123456789xyz too";
    reporter t;
    haft__buf seen, all;
    reporter_init(&t);
    haft__buf_init(&seen, 1 << 20);
    haft__buf_init(&all, 1 << 20);
    for (size_t size = 1; size < sizeof(text); size++) {
        haft__model_progress_finish(&t.progress);
        haft__model_progress_init(&t.progress, t.run);
        haft__buf_clear(&all);
        for (size_t at = 0; at < sizeof(text) - 1; at += size) {
            size_t length = sizeof(text) - 1 - at < size ? sizeof(text) - 1 - at : size;
            add(&t, HAFT__DELTA_TEXT, (haft_str){text + at, length});
            haft__model_progress_flush(&t.progress, at + length == sizeof(text) - 1);
            haft_str reported = read_reported(&t, &seen, "text");
            CHECK(reported.len == 0 || memchr(reported.ptr, '|', reported.len) == NULL,
                  "more than one piece was reported");
            haft__buf_add_str(&all, reported);
        }
        CHECK_STR(haft__buf_str(&all),
                  HAFT__LIT("the key is [redacted], and Bearer [redacted] too"), "pieces of %zu",
                  size);
    }
    haft__buf_finish(&seen);
    haft__buf_finish(&all);
    reporter_finish(&t);
}

/* HAFT__LIMIT_PROGRESS_WITHHELD_BYTES is the maximum of buffered text; above it nothing more is
 * reported.
 */
TEST(buffered_text_is_bounded)
{
    for (size_t more = 0; more < 2; more++) {
        reporter t;
        haft__buf seen, token;
        reporter_init(&t);
        haft__buf_init(&seen, 1 << 20);
        haft__buf_init(&token, 1 << 20);
        haft__buf_add_str(&token, HAFT__LIT("Bearer "));
        while (token.len < HAFT__LIMIT_PROGRESS_WITHHELD_BYTES + more) {
            haft__buf_add_char(&token, '1');
        }
        add(&t, HAFT__DELTA_TEXT, haft__buf_str(&token));
        haft__model_progress_flush(&t.progress, false);
        CHECK_STR(read_reported(&t, &seen, "text"), HAFT__LIT(""),
                  "text before the secret is complete");
        add(&t, HAFT__DELTA_TEXT, HAFT__LIT(" end"));
        haft__model_progress_flush(&t.progress, true);
        CHECK_STR(read_reported(&t, &seen, "text"),
                  more == 0 ? HAFT__LIT("Bearer [redacted] end") : HAFT__LIT(""), "%zu more", more);
        haft__buf_finish(&seen);
        haft__buf_finish(&token);
        reporter_finish(&t);
    }
}

/* HAFT__LIMIT_RUN_UNREAD_BYTES: above it nothing is reported until a client reads. */
TEST(unread_events_do_not_grow_without_a_reader)
{
    reporter t;
    haft__buf seen, piece;
    reporter_init(&t);
    haft__buf_init(&seen, 1 << 20);
    haft__buf_init(&piece, 1 << 20);
    while (piece.len < 1000) {
        haft__buf_add_char(&piece, 'x');
    }
    for (size_t i = 0; i < HAFT__LIMIT_RUN_UNREAD_BYTES / 500; i++) {
        add(&t, HAFT__DELTA_TEXT, haft__buf_str(&piece));
        haft__model_progress_flush(&t.progress, false);
    }
    size_t unread = t.run->log.reader.committed.len - t.run->log.reader.position;
    CHECK(unread <= HAFT__LIMIT_RUN_UNREAD_BYTES, "unread bytes: %zu", unread);
    CHECK(unread > HAFT__LIMIT_RUN_UNREAD_BYTES - 2000, "unread bytes, nearly the limit: %zu",
          unread);
    CHECK(read_reported(&t, &seen, "text").len > 100000, "too little text was reported");
    add(&t, HAFT__DELTA_TEXT, HAFT__LIT("again"));
    haft__model_progress_flush(&t.progress, false);
    CHECK_STR(read_reported(&t, &seen, "text"), HAFT__LIT("again"),
              "text after the client has read");
    t.run->log.reader.attached = false;
    add(&t, HAFT__DELTA_TEXT, HAFT__LIT("alone"));
    haft__model_progress_flush(&t.progress, true);
    CHECK_STR(read_reported(&t, &seen, "text"), HAFT__LIT(""), "text without a reader");
    haft__buf_finish(&seen);
    haft__buf_finish(&piece);
    reporter_finish(&t);
}

TEST(reporting_survives_every_failed_allocation)
{
    reporter t;
    haft__buf seen;
    reporter_init(&t);
    haft__buf_init(&seen, 1 << 20);
    for (unsigned n = 0;; n++) {
        haft__model_progress_finish(&t.progress);
        haft__model_progress_init(&t.progress, t.run);
        test_fail_allocation(n);
        add(&t, HAFT__DELTA_TEXT, HAFT__LIT("the key is " SECRET ""));
        haft__model_progress_flush(&t.progress, false);
        add(&t, HAFT__DELTA_TEXT, HAFT__LIT(" and more"));
        haft__model_progress_flush(&t.progress, true);
        bool failed = test_allow_allocations();
        haft_str shown = read_reported(&t, &seen, "text");
        CHECK(shown.len == 0 || memmem(shown.ptr, shown.len, "0123", 4) == NULL, "allocation %u",
              n);
        if (!failed) {
            CHECK_STR(shown, HAFT__LIT("the key is |[redacted] and more"),
                      "the text if no allocation fails");
            break;
        }
    }
    haft__buf_finish(&seen);
    reporter_finish(&t);
}

/* Scripts give the whole text at once, servers in pieces. */
TEST(a_script_reports_its_reply)
{
    reporter t;
    haft__buf seen;
    help_host_init(&t.host, "memory:");
    haft__buf_init(&seen, 1 << 20);
    t.run = help_host_start(&t.host, "\"tools\":[]",
                            "{\"replies\":[{\"reasoning\":\"so\",\"text\":\"fine\"}]}", "go");
    haft_event event;
    (void)haft_run_next_event(t.run, &event);
    help_host_settle(&t.host, t.run);
    haft__buf_clear(&seen);
    haft_str all = help_host_events(&t.host, t.run);
    CHECK(memmem(all.ptr, all.len, "\"turn\":1,\"reasoning\":\"so\"}", 26) != NULL, "%.*s",
          HAFT__ARG(all));
    CHECK(memmem(all.ptr, all.len, "\"turn\":1,\"text\":\"fine\"}", 23) != NULL, "%.*s",
          HAFT__ARG(all));
    haft__buf_finish(&seen);
    haft_run_release(t.run);
    help_host_finish(&t.host);
}
