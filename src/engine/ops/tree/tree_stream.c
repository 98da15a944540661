/* SPDX-License-Identifier: Apache-2.0 */
/* tree_stream.c - see tree_stream.h. Tests: tests/engine/ops/tree/tree_stream_test.c. */
#include "engine/ops/tree/tree_stream.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "run/event.h"
#include "json/object.h"

/* A log that is being read. */
typedef struct cursor {
    const haft__tree_log *log;
    haft_str rest, line;  /* the lines after `line`; the next event, "" at the end */
    haft__arena arena;    /* memory of `event` */
    haft__event event;    /* the event in `line` */
    struct cursor *child; /* the run that the event starts or has waited for; or NULL */
    bool open;            /* its child_started was written, or it is the first log */
} cursor;

typedef struct stream {
    cursor *cursors;
    size_t count;
    haft__hash_key hash_key;
    haft_error *err;
} stream;

static cursor *find_child(const stream *s, const cursor *c)
{
    bool about_child =
        c->event.kind == HAFT__EVENT_CHILD_STARTED || c->event.kind == HAFT__EVENT_CHILD_FINISHED;
    haft_str id = about_child ? haft__object_text(c->event.object, "child") : HAFT__LIT("");
    for (size_t i = 0; id.len > 0 && i < s->count; i++) {
        if (haft__str_equal(s->cursors[i].log->run, id)) {
            return &s->cursors[i];
        }
    }
    return NULL;
}

static haft_status read_next(stream *s, cursor *c)
{
    do {
        c->line = haft__str_split(&c->rest, '\n');
    } while (c->line.len == 0 && c->rest.len > 0);
    c->child = NULL;
    haft__arena_reset(&c->arena);
    haft_status status = c->line.len > 0
                             ? haft__event_read(&c->arena, c->line, s->hash_key, &c->event, s->err)
                             : HAFT_OK;
    if (status == HAFT_OK && c->line.len > 0) {
        c->child = find_child(s, c);
    }
    return status;
}

/* Whether the next event can be written. child_finished must follow all events of the child. */
static bool is_ready(const cursor *c)
{
    bool blocked = c->line.len > 0 && c->event.kind == HAFT__EVENT_CHILD_FINISHED
                   && c->child != NULL && c->child->open && c->child->line.len > 0;
    return c->open && c->line.len > 0 && !blocked;
}

static cursor *choose(const stream *s)
{
    cursor *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        cursor *c = &s->cursors[i];
        if (is_ready(c) && (best == NULL || c->event.at_ms < best->event.at_ms)) {
            best = c;
        }
    }
    return best;
}

/* Writes an event with the path of its run. The first event of a child already has its path. */
static void write_event(haft__buf *buf, const cursor *c)
{
    haft_str line = haft__str_trim(c->line);
    if (haft__event_field(&c->event, "path") == NULL) {
        line.len--; /* removes the closing brace */
        haft__buf_add_str(buf, line);
        if (c->log->path.len > 0) { /* ids of calls: nothing to escape */
            haft__buf_addf(buf, ",\"path\":\"%.*s\"}", HAFT__ARG(c->log->path));
        } else {
            haft__buf_add_str(buf, HAFT__LIT(",\"path\":null}"));
        }
    } else {
        haft__buf_add_str(buf, line);
    }
    haft__buf_add_char(buf, '\n');
}

static haft_status write_all(stream *s, haft__buf *buf)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < s->count && status == HAFT_OK; i++) {
        status = read_next(s, &s->cursors[i]);
    }
    for (cursor *c; status == HAFT_OK && (c = choose(s)) != NULL;) {
        write_event(buf, c);
        if (c->event.kind == HAFT__EVENT_CHILD_STARTED && c->child != NULL) {
            c->child->open = true;
        }
        status = read_next(s, c);
    }
    return status == HAFT_OK ? haft__buf_check(buf, s->err) : status;
}

haft_status haft__tree_stream_write(haft__buf *buf, const haft__tree_log *logs, size_t count,
                                    haft__hash_key hash_key, haft_error *err)
{
    stream s = {.count = count, .hash_key = hash_key, .err = err};
    s.cursors = calloc(count > 0 ? count : 1, sizeof(*s.cursors));
    if (s.cursors == NULL) {
        return haft__fail_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        s.cursors[i] = (cursor){.log = &logs[i], .rest = logs[i].lines, .open = i == 0};
        haft__arena_init(&s.cursors[i].arena, 0);
    }
    haft_status status = write_all(&s, buf);
    for (size_t i = 0; i < count; i++) {
        haft__arena_finish(&s.cursors[i].arena);
    }
    free(s.cursors);
    return status;
}
