/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - names of status codes, and the functions that fill in a haft_error.
 *
 * A text that is too long is truncated before a word and ends in "...". A truncated UTF-8 sequence
 * would be invalid in JSON, and a truncated secret could not be found when the error is redacted
 * later. Tests: tests/base/error_test.c, tests/redaction_test.c.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

const char *haft_version(void)
{
    return HAFT_VERSION;
}

static const struct {
    const char *name, *text;
} statuses[] = {
#define X(name, text) {#name, text},
    HAFT_STATUS_MAP(X)
#undef X
};

const char *haft_status_name(haft_status status)
{
    return (size_t)status < COUNT(statuses) ? statuses[status].name : "?";
}

const char *haft_status_text(haft_status status)
{
    return (size_t)status < COUNT(statuses) ? statuses[status].text : "unknown status";
}

/* Finds the position at which the text is truncated: at most `max`, and not inside a word, unless
 * the remaining bytes of the word are too few to be a part of a secret. `separators` end a word. */
static size_t find_cut(const char *text, size_t max, const char *separators)
{
    size_t cut = haft__utf8_floor(haft__str(text), max);
    size_t word = cut;
    while (word > 0 && strchr(separators, text[word - 1]) == NULL) {
        word--;
    }
    bool inside = strchr(separators, text[cut]) == NULL;
    return inside && cut - word >= HAFT__LIMIT_REDACT_MIN_BYTES ? word : cut;
}

#define WORDS    " \t\r\n"
#define SEGMENTS WORDS "/" /* of a path or a JSON Pointer */

/* Formats into a field of fixed size. Text that is too long is cut; bytes that are not UTF-8 are
 * replaced. */
static void HAFT__PRINTF(4, 0)
    set_text(char *field, size_t size, const char *separators, const char *format, va_list args)
{
    int length = vsnprintf(field, size, format, args);
    if (length < 0) { /* the arguments do not match the format */
        (void)snprintf(field, size, "(a text that cannot be shown: %s)", format);
    }
    size_t used = strlen(field);
    /* Replace invalid bytes first, so that truncation finds the beginnings of characters. */
    haft__utf8_replace_invalid(field, used);
    if (length >= 0 && (size_t)length >= size) {
        size_t cut = find_cut(field, size - sizeof("..."), separators);
        memcpy(field + cut, "...", sizeof("..."));
    }
}

static void HAFT__PRINTF(3, 4) set_location(char *field, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_text(field, size, SEGMENTS, format, args);
    va_end(args);
}

haft_status haft__fail(haft_error *err, haft_status status, const char *where, const char *format,
                       ...)
{
    if (err == NULL) {
        return status;
    }
    err->status = status;
    err->hint[0] = '\0';
    set_location(err->where, sizeof(err->where), "%s", where);
    va_list args;
    va_start(args, format);
    set_text(err->message, sizeof(err->message), WORDS, format, args);
    va_end(args);
    return status;
}

haft_status haft__hint(haft_error *err, haft_status status, const char *format, ...)
{
    if (err == NULL) {
        return status;
    }
    va_list args;
    va_start(args, format);
    set_text(err->hint, sizeof(err->hint), WORDS, format, args);
    va_end(args);
    return err->status;
}

haft_status haft__fail_no_memory(haft_error *err)
{
    return haft__fail(err, HAFT_NO_MEMORY, "", "out of memory");
}

void haft__error_prepend_location(haft_error *err, const char *place)
{
    if (err == NULL) {
        return;
    }
    haft_error old = *err;
    const char *colon = old.where[0] != '\0' ? ":" : "";
    set_location(err->where, sizeof(err->where), "%s%s%s", place, colon, old.where);
}
