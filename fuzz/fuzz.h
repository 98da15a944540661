/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - how a fuzz target says that its property does not hold. */
#ifndef HAFT_FUZZ_FUZZ_H
#define HAFT_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#define FUZZ_CHECK(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                  \
            (void)fprintf(stderr, __VA_ARGS__);                                                    \
            (void)fprintf(stderr, "\n");                                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
