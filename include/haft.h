/* SPDX-License-Identifier: Apache-2.0 */
/*
 * haft.h - the one public header of haft, a tool-calling runtime for language-model agents.
 *
 * Rules that hold for every declaration below, unless it says otherwise:
 *   - A returned pointer is borrowed from its parent; a pointer handed out through a `ret_`
 *     parameter is owned by the caller.
 *   - `ret_` parameters are written on success only. `haft_error *` comes last and may be NULL.
 *   - Text is UTF-8. A `haft_str` has a length and no terminating NUL; a `const char *` has one.
 *   - Functions may be called from any thread as long as one object is used by one thread at a
 * time.
 */
#ifndef HAFT_H
#define HAFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HAFT_VERSION_MAJOR 0
#define HAFT_VERSION_MINOR 1
#define HAFT_VERSION_PATCH 0
#define HAFT_VERSION       "0.1.0"

#if defined(__GNUC__)
#define HAFT_API      __attribute__((visibility("default")))
#define HAFT_MUST_USE __attribute__((warn_unused_result))
#else
#define HAFT_API
#define HAFT_MUST_USE
#endif

/* Every way a function can fail: name and meaning. Values are stable; new ones go to the end. */
#define HAFT_STATUS_MAP(X)                                                                         \
    X(OK, "success")                                                                               \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(BAD_INPUT, "the input is not valid")                                                         \
    X(BAD_STATE, "this cannot be done now")                                                        \
    X(TOO_BIG, "a limit was reached")                                                              \
    X(NOT_FOUND, "there is no such thing")                                                         \
    X(UNSUPPORTED, "this is valid but not supported")                                              \
    X(IO, "reading or writing failed")

typedef enum haft_status {
#define X(name, text) HAFT_##name,
    HAFT_STATUS_MAP(X)
#undef X
} haft_status;

/* What went wrong, for people, models and programs. Of fixed size, so that it works when memory
 * does not. Every text is NUL-terminated valid UTF-8; a longer one is cut at a character. */
typedef struct haft_error {
    haft_status status; /* for programs */
    char where[96];     /* JSON Pointer, line:column or URL; may be empty */
    char message[192];  /* one sentence: what was found and what was wanted */
    char hint[192];     /* what to do about it; may be empty */
} haft_error;

/* A piece of UTF-8 text that belongs to somebody else. `ptr` may be NULL when `len` is 0. */
typedef struct haft_str {
    const char *ptr;
    size_t len;
} haft_str;

/* The version of the library at run time, as in HAFT_VERSION. Static; any thread. Since 0.1. */
HAFT_API const char *haft_version(void);

/* "OK", "NO_MEMORY" ...; "?" for a number that is no status. Static; any thread. Since 0.1. */
HAFT_API const char *haft_status_name(haft_status status);

/* The meaning in a few words, as in HAFT_STATUS_MAP. Static; any thread. Since 0.1. */
HAFT_API const char *haft_status_text(haft_status status);

#ifdef __cplusplus
}
#endif

#endif
