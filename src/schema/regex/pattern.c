/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.c - compiles and runs the translations of ecma.c with PCRE2.
 *
 * The cost of a match. PCRE2 restarts its step count at each start position, and does not count the
 * characters that a repeat consumes, so a long text could keep it busy for hours within its limits.
 * Therefore haft counts the steps itself: ecma.c inserts a PCRE2 callout at each place where a
 * match may branch or consume much text. on_callout() adds one step for each callout and one for
 * every CHARACTERS_PER_STEP characters between them, over the whole search. The budget is
 * HAFT__LIMIT_PATTERN_MATCH steps, and STEPS_PER_BYTE more for each byte of the text, so the time
 * is at worst linear in the length of the text. PCRE2's own limits are set as well.
 *
 * The JIT is not used: expressions are part of tool definitions and match short texts, so compiling
 * them to machine code takes longer than it saves. Tests: tests/schema/regex/pattern_test.c.
 * Fuzzer: fuzz/pattern.c.
 */
#include "schema/regex/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "schema/regex/ecma.h"

#define STEPS_PER_BYTE      2
#define CHARACTERS_PER_STEP 16

/* The translation never contains (*UCP), with which \d and \w would differ from ECMA-262. The
 * translation is ASCII, so its UTF-8 need not be checked. */
#define COMPILE_OPTIONS                                                                            \
    (PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF             \
     | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP)

struct haft__pattern {
    haft__arena *arena; /* the arena of PCRE2's allocations; NULL: malloc */
    pcre2_code *code;
};

struct haft__pattern_scratch {
    pcre2_general_context *general;
    pcre2_match_context *context;
    pcre2_match_data *data;
    size_t steps_given; /* budget of the current match, times CHARACTERS_PER_STEP */
    size_t steps_left;  /* rest of this budget */
    size_t position;    /* of the last callout in the text */
};

/* PCRE2 uses more memory during compilation than the code needs. So the code of a pattern is made
 * with malloc and then copied into the arena; allocations use the arena only while it is set. */
static void *alloc_memory(size_t size, void *context)
{
    haft__pattern *pattern = context;
    return pattern != NULL && pattern->arena != NULL ? haft__arena_alloc(pattern->arena, size)
                                                     : malloc(size);
}

static void free_memory(void *piece, void *context)
{
    haft__pattern *pattern = context;
    if (pattern == NULL || pattern->arena == NULL) {
        free(piece);
    }
}

/* Reports a property that PCRE2 does not support: the text in the braces before `offset`. */
static haft_status fail_property(haft_str text, size_t offset, haft_error *err)
{
    haft_str name = {text.ptr, offset < text.len ? offset : text.len};
    while (name.len > 0 && name.ptr[name.len - 1] == '}') {
        name.len--;
    }
    size_t start = name.len;
    while (start > 0 && name.ptr[start - 1] != '{') {
        start--;
    }
    name = haft__str_skip(name, start);
    return haft__fail(err, HAFT_UNSUPPORTED, "",
                      "the Unicode property `%.*s` is not supported by the installed PCRE2",
                      HAFT__ARG(name));
}

static haft_status fail_compile(int error, haft_str text, size_t offset, haft_error *err)
{
    PCRE2_UCHAR message[128];
    switch (error) {
    case PCRE2_ERROR_HEAP_FAILED: return haft__fail_no_memory(err);
    case PCRE2_ERROR_PATTERN_TOO_LARGE:
    case PCRE2_ERROR_PATTERN_TOO_COMPLICATED: {
        haft_status status =
            haft__fail(err, HAFT_TOO_BIG, "", "the expression grows too large when it is compiled");
        return haft__hint(err, status, "use smaller counts in {...} after groups");
    }
    case PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY: return fail_property(text, offset, err);
    default:
        (void)pcre2_get_error_message(error, message, sizeof(message));
        return haft__fail(err, HAFT_UNSUPPORTED, "", "PCRE2 cannot run the expression: %s",
                          (const char *)message);
    }
}

/* Allocates with malloc: pattern->arena is NULL. */
static haft_status compile_text(haft__pattern *pattern, haft_str text, haft_error *err)
{
    int error = PCRE2_ERROR_HEAP_FAILED;
    PCRE2_SIZE offset = 0;
    pcre2_general_context *general =
        pcre2_general_context_create(alloc_memory, free_memory, pattern);
    pcre2_compile_context *context = general != NULL ? pcre2_compile_context_create(general) : NULL;
    if (context != NULL) {
        (void)pcre2_set_parens_nest_limit(context, HAFT__LIMIT_PATTERN_NESTING + 1);
        pattern->code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len, COMPILE_OPTIONS, &error,
                                      &offset, context);
    }
    pcre2_compile_context_free(context);
    pcre2_general_context_free(general);
    return pattern->code != NULL ? HAFT_OK : fail_compile(error, text, offset, err);
}

/* Moves the code into `arena`. */
static haft_status keep_code(haft__pattern *pattern, haft__arena *arena, haft_error *err)
{
    pcre2_code *made = pattern->code;
    pattern->arena = arena;
    pattern->code = pcre2_code_copy(made);
    pattern->arena = NULL;
    pcre2_code_free(made);
    return pattern->code != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* `translate` is haft__ecma_translate or haft__ecma_translate_whole. */
static haft_status compile(haft__arena *arena, haft_str source,
                           haft_status (*translate)(haft_str, haft__buf *, haft_error *),
                           const haft__pattern **ret_pattern, haft_error *err)
{
    haft__pattern *pattern = haft__arena_array(arena, 1, sizeof(*pattern));
    if (pattern == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__buf text;
    haft__buf_init(&text, (HAFT__LIMIT_PATTERN_BYTES + 1) * HAFT__ECMA_GROWTH);
    haft_status status = translate(source, &text, err);
    if (status == HAFT_OK) {
        status = compile_text(pattern, haft__buf_str(&text), err);
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        status = keep_code(pattern, arena, err);
    }
    if (status == HAFT_OK) {
        *ret_pattern = pattern;
    }
    return status;
}

haft_status haft__pattern_compile(haft__arena *arena, haft_str source,
                                  const haft__pattern **ret_pattern, haft_error *err)
{
    return compile(arena, source, haft__ecma_translate, ret_pattern, err);
}

haft_status haft__pattern_compile_to_find(haft__arena *arena, haft_str source,
                                          const haft__pattern **ret_pattern, haft_error *err)
{
    return compile(arena, source, haft__ecma_translate_whole, ret_pattern, err);
}

haft_status haft__pattern_translate(haft_str source, haft__buf *ret_buf, haft_error *err)
{
    return haft__ecma_translate(source, ret_buf, err);
}

/* The number of bytes that a reference after this callout compares; 0 without a reference. */
static size_t compared(const pcre2_callout_block *callout)
{
    uint64_t group;
    haft_str number = {(const char *)callout->callout_string, callout->callout_string_length};
    if (!haft__str_to_u64(number, &group) || group >= callout->capture_top) {
        return 0;
    }
    PCRE2_SIZE start = callout->offset_vector[2 * group],
               end = callout->offset_vector[2 * group + 1];
    return start == PCRE2_UNSET ? 0 : end - start;
}

static int on_callout(pcre2_callout_block *callout, void *context)
{
    haft__pattern_scratch *scratch = context;
    size_t cost =
        CHARACTERS_PER_STEP + (size_t)callout->callout_number * HAFT__ECMA_CALLOUT_CHARACTERS;
    if (callout->current_position > scratch->position) {
        cost += callout->current_position - scratch->position;
    }
    if (callout->callout_string != NULL) {
        cost += compared(callout);
    }
    scratch->position = callout->current_position;
    if (cost > scratch->steps_left) {
        return PCRE2_ERROR_CALLOUT;
    }
    scratch->steps_left -= cost;
    return 0;
}

haft__pattern_scratch *haft__pattern_scratch_create(void)
{
    haft__pattern_scratch *scratch = calloc(1, sizeof(*scratch));
    if (scratch == NULL) {
        return NULL;
    }
    scratch->general = pcre2_general_context_create(alloc_memory, free_memory, NULL);
    if (scratch->general != NULL) {
        scratch->context = pcre2_match_context_create(scratch->general);
        scratch->data = pcre2_match_data_create(1, scratch->general);
    }
    if (scratch->context == NULL || scratch->data == NULL) {
        haft__pattern_scratch_destroy(scratch);
        return NULL;
    }
    (void)pcre2_set_heap_limit(scratch->context, HAFT__LIMIT_PATTERN_HEAP_KIB);
    (void)pcre2_set_callout(scratch->context, on_callout, scratch);
    return scratch;
}

void haft__pattern_scratch_destroy(haft__pattern_scratch *scratch)
{
    if (scratch == NULL) {
        return;
    }
    pcre2_match_data_free(scratch->data);
    pcre2_match_context_free(scratch->context);
    pcre2_general_context_free(scratch->general);
    free(scratch);
}

/* Sets the limits for a text of `length` bytes. A frame of PCRE2's is more than 100 bytes, so the
 * heap limit bounds the depth long before the step limit does. */
static void set_limits(haft__pattern_scratch *scratch, size_t length)
{
    size_t steps = HAFT__LIMIT_PATTERN_MATCH + STEPS_PER_BYTE * length;
    uint32_t limit = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
    (void)pcre2_set_match_limit(scratch->context, limit);
    (void)pcre2_set_depth_limit(scratch->context, limit);
    scratch->steps_given = scratch->steps_left = steps * CHARACTERS_PER_STEP;
    scratch->position = 0;
}

haft__pattern_result haft__pattern_find(const haft__pattern *pattern,
                                        haft__pattern_scratch *scratch, haft_str subject,
                                        size_t from, size_t *ret_start, size_t *ret_end)
{
    set_limits(scratch, subject.len - from);
    scratch->position = from;
    const char *text = subject.len > 0 ? subject.ptr : "";
    int found = pcre2_match(pattern->code, (PCRE2_SPTR)text, subject.len, from, PCRE2_NO_UTF_CHECK,
                            scratch->data, scratch->context);
    if (found >= 0) {
        const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(scratch->data);
        *ret_start = offsets[0];
        *ret_end = offsets[1];
        return HAFT__PATTERN_YES;
    }
    if (found == PCRE2_ERROR_NOMATCH) {
        return HAFT__PATTERN_NO;
    }
    return found == PCRE2_ERROR_NOMEMORY ? HAFT__PATTERN_NO_MEMORY : HAFT__PATTERN_LIMIT;
}

haft__pattern_result haft__pattern_match(const haft__pattern *pattern,
                                         haft__pattern_scratch *scratch, haft_str subject)
{
    size_t start, end;
    return haft__pattern_find(pattern, scratch, subject, 0, &start, &end);
}

size_t haft__pattern_steps(const haft__pattern_scratch *scratch)
{
    return (scratch->steps_given - scratch->steps_left) / CHARACTERS_PER_STEP;
}
