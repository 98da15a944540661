/* SPDX-License-Identifier: Apache-2.0 */
/* base/macros.h - macros that are used everywhere. */
#ifndef HAFT_BASE_MACROS_H
#define HAFT_BASE_MACROS_H

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define HAFT__PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
/* The struct that contains `member` at this address. */
#define HAFT__CONTAINER(pointer, type, member)                                                     \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#define HAFT__LIKELY(x)   __builtin_expect(!!(x), 1)
#define HAFT__UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Ends a function after a switch that handles every value of its enum. */
#define HAFT__UNREACHABLE() __builtin_unreachable()

#if defined(__SANITIZE_ADDRESS__)
#define HAFT__ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAFT__ASAN 1
#endif
#endif
#ifndef HAFT__ASAN
#define HAFT__ASAN 0
#endif

#endif
