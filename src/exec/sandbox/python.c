/* SPDX-License-Identifier: Apache-2.0 */
/* python.c - see python.h. Tests: tests/exec/sandbox/python_test.c. */
#include "exec/sandbox/python.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sandbox/frame.h"
#include "json/object.h"
#include "json/read.h"

extern const char haft__sandbox_runner[];

#define NAME_BYTES 4096 /* of a file, in its frame */

typedef enum python_stage {
    STARTING, /* it has not been given a program */
    RUNNING,
    CALLING, /* it waits for the results of its calls */
    DONE,    /* it has sent its result */
} python_stage;

struct haft__python {
    haft__loop *loop;
    haft__child *child;
    haft__arena arena;
    haft__python_user user;
    haft__python_end end;
    haft__frame_reader frames, messages;
    haft__buf output, errors;
    haft__python_file files[HAFT__LIMIT_SANDBOX_KEPT_FILES];
    haft__task delivery; /* of an end that is not the child's */
    python_stage stage;
    uint64_t calls;  /* number of the last list of calls */
    uint64_t nested; /* number of all calls */
    bool ended;      /* the child has ended, or was killed */
    bool delivering;
    bool reading;  /* its bytes are being read: it must not be freed */
    bool released; /* it is freed when they are read */
    bool ready;    /* the interpreter has reported its start */
};

static void free_python(haft__python *python)
{
    haft__frame_reader_finish(&python->frames);
    haft__frame_reader_finish(&python->messages);
    haft__buf_finish(&python->output);
    haft__buf_finish(&python->errors);
    haft__arena_finish(&python->arena);
    free(python);
}

/* ---- the end ---- */

static void deliver_end(haft__python *python)
{
    python->ended = true;
    python->end.output = haft__buf_str(&python->output);
    python->end.errors = haft__buf_str(&python->errors);
    python->end.files = python->files;
    if (python->stage != STARTING) { /* else the owner notices that it is not usable */
        python->user.ended(python->user.context, &python->end);
        free_python(python);
    }
}

static void run_delivery(haft__task *task)
{
    haft__python *python = HAFT__CONTAINER(task, haft__python, delivery);
    python->delivering = false;
    deliver_end(python);
}

/* Ends the program because of what it has sent. The callers are still reading its bytes, so the end
 * is delivered later. */
static void end_by_policy(haft__python *python, const char *why)
{
    if (python->ended) {
        return;
    }
    python->ended = true;
    python->end.cause = HAFT__LIT("policy");
    python->end.why = haft__str(why);
    haft__child_kill(python->child);
    python->child = NULL;
    python->delivery.run = run_delivery;
    python->delivering = true;
    haft__loop_post(python->loop, &python->delivery);
}

/* ---- messages of the program ---- */

static haft_str keep(haft__python *python, haft_str text)
{
    haft_str kept = haft__arena_copy(&python->arena, text);
    return kept.ptr != NULL ? kept : HAFT__LIT("(out of memory)");
}

static bool is_call(haft__json call)
{
    const haft__json *arguments = haft__json_get(call, HAFT__LIT("arguments"));
    haft_str tool = haft__object_string(call, "tool");
    return tool.len > 0 && tool.len <= HAFT__LIMIT_TOOL_NAME_BYTES && arguments != NULL
           && arguments->kind == HAFT__JSON_OBJECT;
}

static void take_calls(haft__python *python, haft__json message, haft__json calls)
{
    if (python->stage != RUNNING) {
        end_by_policy(python, "it sent calls while others were open, or after its end");
        return;
    }
    if (haft__object_number(message, "number", 0) != python->calls + 1) {
        end_by_policy(python, "its calls were not numbered one after the other");
        return;
    }
    if (calls.kind != HAFT__JSON_ARRAY || calls.count == 0
        || calls.count > HAFT__LIMIT_SANDBOX_CALLS) {
        end_by_policy(python, "a list of calls was empty, too long, or no list");
        return;
    }
    for (uint32_t i = 0; i < calls.count; i++) {
        if (!is_call(calls.items[i])) {
            end_by_policy(python, "a call had no tool or no arguments");
            return;
        }
    }
    python->nested += calls.count;
    if (python->nested > HAFT__LIMIT_SANDBOX_NESTED) {
        end_by_policy(python, "it made more tool calls than the limit");
        return;
    }
    python->calls++;
    python->stage = CALLING;
    python->user.called(python->user.context, calls);
}

static void take_done(haft__python *python, haft__json done)
{
    python->stage = DONE;
    python->end.result = keep(python, haft__object_string(done, "result"));
    python->end.error = keep(python, haft__object_string(done, "error"));
}

static void take_message(haft__python *python, haft_str text)
{
    haft__json message;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__arena_mark mark = haft__arena_save(&python->arena);
    haft_status status = haft__json_read(&python->arena, text, &options, &message, NULL, NULL);
    const haft__json *calls = NULL, *done = NULL;
    if (status == HAFT_OK && message.kind == HAFT__JSON_OBJECT) {
        calls = haft__json_get(message, HAFT__LIT("calls"));
        done = haft__json_get(message, HAFT__LIT("done"));
    }
    if (calls != NULL) {
        take_calls(python, message, *calls);
        haft__arena_restore(&python->arena, mark);
    } else if (done != NULL && python->stage == RUNNING) {
        take_done(python, *done);
    } else if (status == HAFT_OK && !python->ready && haft__object_flag(message, "ready", false)) {
        python->ready = true;
    } else {
        end_by_policy(python, "it sent a message that is not valid");
    }
}

static void take_messages(haft__python *python, haft_str bytes)
{
    haft__frame message;
    bool found = true;
    haft_status status = haft__frame_reader_feed(&python->messages, bytes, NULL);
    while (status == HAFT_OK && found && !python->ended) {
        status = haft__frame_reader_next(&python->messages, &message, &found, NULL);
        if (status == HAFT_OK && found) {
            take_message(python, message.payload);
        }
    }
    if (status != HAFT_OK) {
        end_by_policy(python, "it sent a message above the limit");
    }
}

/* ---- frames of the helper ---- */

static uint64_t next_number(haft_str *rest)
{
    uint64_t number = 0;
    (void)haft__str_to_u64(haft__str_split(rest, ' '), &number);
    return number;
}

/* x: cause, status, signal, CPU ms, memory KiB, left files. */
static void take_end(haft__python *python, haft_str text)
{
    haft__python_end *end = &python->end;
    end->cause = keep(python, haft__str_split(&text, ' '));
    end->status = (int)next_number(&text);
    end->signal = (int)next_number(&text);
    end->cpu_ms = next_number(&text);
    end->memory_kib = next_number(&text);
    end->left_files = next_number(&text);
    if (haft__str_equal(end->error, HAFT__LIT("MemoryError"))) {
        end->cause = HAFT__LIT("memory");
    }
}

static void take_not_started(haft__python *python, haft_str text)
{
    uint64_t code = next_number(&text);
    haft_str why =
        haft__arena_format(&python->arena, "%.*s: %s", HAFT__ARG(text), strerror((int)code));
    python->end.cause = HAFT__LIT("setup");
    python->end.why = why.ptr != NULL ? why : HAFT__LIT("out of memory");
}

static void take_file(haft__python *python, haft_str payload)
{
    haft__python_file *file = &python->files[python->end.file_count];
    if (python->end.file_count == COUNT(python->files)) {
        return;
    }
    file->name = keep(python, haft__str_split(&payload, '\0'));
    file->bytes = haft__arena_copy(&python->arena, payload);
    python->end.file_count += file->bytes.ptr != NULL;
}

static void take_output(haft__python *python, bool errors, haft_str bytes)
{
    haft__buf_add_str(errors ? &python->errors : &python->output, bytes);
    if (python->stage != STARTING && python->user.printed != NULL) {
        python->user.printed(python->user.context, errors, bytes);
    }
}

static void take_frame(haft__python *python, const haft__frame *frame)
{
    switch (frame->kind) {
    case 'o': take_output(python, false, frame->payload); break;
    case 'e': take_output(python, true, frame->payload); break;
    case 'm': take_messages(python, frame->payload); break;
    case 'f': take_file(python, frame->payload); break;
    case 'x': take_end(python, frame->payload); break;
    case 'n': take_not_started(python, frame->payload); break;
    default: break; /* r: started */
    }
}

static void on_bytes(void *context, haft_str bytes)
{
    haft__python *python = context;
    haft__frame frame;
    bool found = true;
    python->reading = true;
    haft_status status = haft__frame_reader_feed(&python->frames, bytes, NULL);
    while (status == HAFT_OK && found && !python->ended) {
        status = haft__frame_reader_next(&python->frames, &frame, &found, NULL);
        if (status == HAFT_OK && found) {
            take_frame(python, &frame);
        }
    }
    python->reading = false;
    if (python->released) {
        free_python(python);
    } else if (status != HAFT_OK) { /* out of memory: the helper sends no frame above the limit */
        end_by_policy(python, "its output does not fit into memory");
    }
}

static void on_end(void *context, const haft__child_result *result)
{
    haft__python *python = context;
    (void)result;
    python->child = NULL;
    if (python->end.cause.len == 0) {
        python->end.cause = HAFT__LIT("killed");
        python->end.why = HAFT__LIT("its supervisor was killed");
    }
    deliver_end(python);
}

/* ---- for the caller ---- */

haft_status haft__python_start(haft__loop *loop, haft__child_group *group,
                               const haft__sandbox *sandbox, const haft__sandbox_limits *limits,
                               haft__python **ret_python, haft_error *err)
{
    static const char *const env[] = {NULL};
    const char *const *words = NULL;
    haft__python *python = calloc(1, sizeof(*python));
    if (python == NULL) {
        return haft__fail_no_memory(err);
    }
    python->loop = loop;
    python->end = (haft__python_end){.cause = HAFT__LIT(""),
                                     .why = HAFT__LIT(""),
                                     .result = HAFT__LIT(""),
                                     .error = HAFT__LIT("")};
    haft__arena_init(&python->arena, HAFT__LIMIT_ARENA_BYTES);
    haft__frame_reader_init(&python->frames, true, HAFT__LIMIT_SANDBOX_KEPT_BYTES + NAME_BYTES);
    haft__frame_reader_init(&python->messages, false, HAFT__LIMIT_SANDBOX_MESSAGE_BYTES);
    haft__buf_init(&python->output, HAFT__LIMIT_SANDBOX_OUTPUT_BYTES);
    haft__buf_init(&python->errors, HAFT__LIMIT_SANDBOX_OUTPUT_BYTES);
    haft_status status = haft__sandbox_python_words(sandbox, limits, haft__sandbox_runner,
                                                    &python->arena, &words, err);
    if (status == HAFT_OK) {
        haft__child_options options = {.group = group,
                                       .argv = words,
                                       .env = env,
                                       .on_output = on_bytes,
                                       .max_unread = HAFT__LIMIT_SANDBOX_REPLY_BYTES,
                                       .stdin_grace = HAFT__LIMIT_SANDBOX_KILL_MS,
                                       .done = on_end,
                                       .context = python};
        status = haft__child_start(loop, &options, &python->child, err);
    }
    if (status != HAFT_OK) {
        free_python(python);
        return status;
    }
    *ret_python = python;
    return HAFT_OK;
}

bool haft__python_is_usable(const haft__python *python)
{
    return !python->ended && python->stage == STARTING;
}

/* Sends a message in the helper's frame. */
static haft_status send(haft__python *python, haft__buf *text, haft_error *err)
{
    haft__buf message, frame;
    haft__buf_init(&message, HAFT__LIMIT_SANDBOX_REPLY_BYTES);
    haft__buf_init(&frame, HAFT__LIMIT_SANDBOX_REPLY_BYTES);
    haft_status status = haft__buf_check(text, err);
    haft__frame_write(&message, '\0', haft__buf_str(text));
    haft__frame_write(&frame, 'm', haft__buf_str(&message));
    status = status == HAFT_OK ? haft__buf_check(&message, err) : status;
    status = status == HAFT_OK ? haft__buf_check(&frame, err) : status;
    status =
        status == HAFT_OK ? haft__child_write(python->child, haft__buf_str(&frame), err) : status;
    haft__buf_finish(&message);
    haft__buf_finish(&frame);
    return status;
}

haft_status haft__python_run(haft__python *python, haft_str code, haft_str functions,
                             const haft__python_user *user, haft_error *err)
{
    haft__buf text;
    if (!haft__python_is_usable(python)) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the interpreter has ended: %.*s",
                          HAFT__ARG(python->end.why));
    }
    haft__buf_init(&text, HAFT__LIMIT_SANDBOX_REPLY_BYTES);
    haft__buf_add_str(&text, HAFT__LIT("{\"code\":"));
    haft__json_write_string(&text, code);
    haft__buf_add_str(&text, HAFT__LIT(",\"functions\":"));
    haft__buf_add_str(&text, functions);
    haft__buf_add_char(&text, '}');
    haft_status status = send(python, &text, err);
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        python->user = *user;
        python->stage = RUNNING;
    }
    return status;
}

haft_status haft__python_reply(haft__python *python, haft_str answer, haft_error *err)
{
    haft__buf text;
    if (python->ended || python->stage != CALLING) {
        return HAFT_OK; /* it was killed meanwhile; its end is reported */
    }
    haft__buf_init(&text, HAFT__LIMIT_SANDBOX_REPLY_BYTES);
    haft__buf_add_str(&text, answer);
    python->stage = RUNNING;
    haft_status status = send(python, &text, err);
    haft__buf_finish(&text);
    return status;
}

void haft__python_stop(haft__python *python)
{
    if (python->child != NULL) {
        haft__child_stop(python->child);
    }
}

void haft__python_kill(haft__python *python)
{
    if (python == NULL) {
        return;
    }
    if (python->delivering) {
        haft__loop_cancel_task(python->loop, &python->delivery);
    }
    if (python->child != NULL) {
        haft__child_kill(python->child);
    }
    python->ended = true;
    python->released = python->reading;
    if (!python->reading) {
        free_python(python);
    }
}
