/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - PCRE2 for grep.
 *
 * PCRE2 counts the steps of a match separately for each start position, so its limit does not bound
 * a search. A search therefore runs in strides, each over a number of start positions, and checks
 * the stop flag between them. A slow stride makes the next one shorter. Steps in a long line are
 * expensive, so the limit is lower there. Tests: tests/exec/files/regex_test.c.
 */
#include "exec/files/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/files/regex_rewrite.h"

/* Unicode characters; invalid UTF-8 matches nothing and is harmless. */
#define CHECK_OPTIONS (PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C)
#define COMPILE_OPTIONS                                                                            \
    (CHECK_OPTIONS | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | PCRE2_USE_OFFSET_LIMIT)

#define FIRST_STRIDE      64
#define LONGEST_STRIDE    4096
#define SLOW_NANOSECONDS  10000000
#define SHORT_TEXT        ((size_t)64 << 10) /* up to this size the full step limit applies */
#define START_STACK_BYTES ((size_t)32 << 10)
#define MAX_STACK_BYTES   ((size_t)HAFT__LIMIT_PATTERN_HEAP_KIB << 10)

struct haft__regex {
    pcre2_general_context *general;
    pcre2_code *code;
    pcre2_match_context *context;
    pcre2_match_data *data;
    pcre2_jit_stack *stack;
    size_t stride;
};

static void *allocate(size_t size, void *context)
{
    (void)context;
    return malloc(size);
}

static void release(void *piece, void *context)
{
    (void)context;
    free(piece);
}

/* ---- compiling ---- */

static haft_status fail_compile(int error, haft_str pattern, size_t offset, haft_error *err)
{
    PCRE2_UCHAR message[128];
    if (error == PCRE2_ERROR_HEAP_FAILED) {
        return haft__fail_no_memory(err);
    }
    if (error == PCRE2_ERROR_PATTERN_TOO_LARGE || error == PCRE2_ERROR_PATTERN_TOO_COMPLICATED) {
        haft_status status =
            haft__fail(err, HAFT_TOO_BIG, "", "the pattern grows too large when it is compiled");
        return haft__hint(err, status, "use smaller counts in {...} after groups");
    }
    (void)pcre2_get_error_message(error, message, sizeof(message));
    haft_str before = {pattern.ptr, offset < pattern.len ? offset : pattern.len};
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                    "the pattern is not a valid regular expression: %s (character "
                                    "%zu)",
                                    (const char *)message, haft__utf8_length(before) + 1);
    return haft__hint(err, status, "put a \\ before a literal ( [ { * + ? . | or \\");
}

static haft_status compile(haft__regex *regex, haft_str pattern, bool rewritten,
                           pcre2_code **ret_code, haft_error *err)
{
    int error = PCRE2_ERROR_HEAP_FAILED;
    PCRE2_SIZE offset = 0;
    pcre2_code *code = NULL;
    pcre2_compile_context *context = pcre2_compile_context_create(regex->general);
    if (context != NULL) {
        (void)pcre2_set_parens_nest_limit(
            context, HAFT__LIMIT_PATTERN_NESTING + (rewritten ? HAFT__REGEX_REWRITE_NESTING : 0));
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
                             rewritten ? COMPILE_OPTIONS : CHECK_OPTIONS, &error, &offset, context);
    }
    pcre2_compile_context_free(context);
    if (code == NULL) {
        return fail_compile(error, pattern, offset, err);
    }
    *ret_code = code;
    return HAFT_OK;
}

/* Compiles the original expression first, so that errors refer to it; then the rewritten one, which
 * is used for the search. */
static haft_status compile_both(haft__regex *regex, haft_str pattern, haft_error *err)
{
    pcre2_code *written = NULL;
    haft_status status = compile(regex, pattern, false, &written, err);
    pcre2_code_free(written);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf text;
    haft__buf_init(&text, pattern.len * HAFT__REGEX_REWRITE_GROWTH);
    status = haft__regex_rewrite_single_line(pattern, &text, err);
    if (status == HAFT_OK) {
        status = compile(regex, haft__buf_str(&text), true, &regex->code, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Uses the JIT; where the system forbids it, PCRE2 interprets. */
static haft_status prepare(haft__regex *regex, haft_error *err)
{
    regex->context = pcre2_match_context_create(regex->general);
    regex->data = pcre2_match_data_create(1, regex->general);
    if (regex->context == NULL || regex->data == NULL) {
        return haft__fail_no_memory(err);
    }
    (void)pcre2_set_heap_limit(regex->context, HAFT__LIMIT_PATTERN_HEAP_KIB);
    if (pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE) == 0) {
        regex->stack = pcre2_jit_stack_create(START_STACK_BYTES, MAX_STACK_BYTES, regex->general);
        if (regex->stack == NULL) {
            return haft__fail_no_memory(err);
        }
        pcre2_jit_stack_assign(regex->context, NULL, regex->stack);
    }
    return HAFT_OK;
}

haft_status haft__regex_create(haft_str pattern, haft__regex **ret_regex, haft_error *err)
{
    if (pattern.len > HAFT__LIMIT_PATTERN_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "",
                          "the pattern has %zu bytes, more than the limit of %d", pattern.len,
                          HAFT__LIMIT_PATTERN_BYTES);
    }
    haft__regex *regex = calloc(1, sizeof(*regex));
    if (regex == NULL) {
        return haft__fail_no_memory(err);
    }
    regex->stride = FIRST_STRIDE;
    regex->general = pcre2_general_context_create(allocate, release, NULL);
    haft_status status =
        regex->general != NULL ? compile_both(regex, pattern, err) : haft__fail_no_memory(err);
    if (status == HAFT_OK) {
        status = prepare(regex, err);
    }
    if (status != HAFT_OK) {
        haft__regex_destroy(regex);
        return status;
    }
    *ret_regex = regex;
    return HAFT_OK;
}

void haft__regex_destroy(haft__regex *regex)
{
    if (regex == NULL) {
        return;
    }
    pcre2_jit_stack_free(regex->stack);
    pcre2_match_data_free(regex->data);
    pcre2_match_context_free(regex->context);
    pcre2_code_free(regex->code);
    pcre2_general_context_free(regex->general);
    free(regex);
}

bool haft__regex_is_compiled(const haft__regex *regex)
{
    return regex->stack != NULL;
}

/* ---- searching ---- */

static uint64_t nanoseconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void set_limits(haft__regex *regex, size_t length)
{
    uint32_t steps = HAFT__LIMIT_FILES_MATCH_STEPS;
    if (length > SHORT_TEXT) {
        steps = (uint32_t)(steps * SHORT_TEXT / length);
    }
    (void)pcre2_set_match_limit(regex->context, steps + 1);
    (void)pcre2_set_depth_limit(regex->context, steps + 1);
}

/* Searches the start positions of one stride. */
static int search_stride(haft__regex *regex, haft_str text, size_t from)
{
    uint64_t start = nanoseconds();
    (void)pcre2_set_offset_limit(regex->context, from + regex->stride - 1);
    int found = pcre2_match(regex->code, (PCRE2_SPTR)text.ptr, text.len, from, 0, regex->data,
                            regex->context);
    uint64_t elapsed = nanoseconds() - start;
    if (elapsed > SLOW_NANOSECONDS && regex->stride > 1) {
        regex->stride /= 2;
    } else if (elapsed < SLOW_NANOSECONDS / 4 && regex->stride < LONGEST_STRIDE) {
        regex->stride *= 2;
    }
    return found;
}

static haft__regex_result result_of(int found)
{
    return found >= 0                      ? HAFT__REGEX_YES
           : found == PCRE2_ERROR_NOMATCH  ? HAFT__REGEX_NO
           : found == PCRE2_ERROR_NOMEMORY ? HAFT__REGEX_NO_MEMORY
                                           : HAFT__REGEX_LIMIT;
}

haft__regex_result haft__regex_find(haft__regex *regex, haft_str text, size_t from,
                                    const atomic_bool *stop, size_t *ret_at)
{
    text.ptr = text.len > 0 ? text.ptr : "";
    set_limits(regex, text.len);
    while (from <= text.len) {
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed)) {
            return HAFT__REGEX_STOPPED;
        }
        size_t stride = regex->stride;
        haft__regex_result result = result_of(search_stride(regex, text, from));
        if (result == HAFT__REGEX_YES) {
            *ret_at = pcre2_get_ovector_pointer(regex->data)[0];
        }
        if (result != HAFT__REGEX_NO) {
            return result;
        }
        from += stride;
        while (from < text.len && ((unsigned char)text.ptr[from] & 0xC0) == 0x80) {
            from++; /* do not split a character */
        }
    }
    return HAFT__REGEX_NO;
}
