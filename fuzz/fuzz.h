/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - the interface of a fuzz target.
 *
 * A target is one file that defines LLVMFuzzerTestOneInput and checks a property with REQUIRE, not
 * only that nothing crashes. Its corpus is fuzz/corpus/<name of the file>/.
 */
#ifndef HAFT_FUZZ_FUZZ_H
#define HAFT_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The name is libFuzzer's. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) REQUIREF(condition, "the property does not hold")

/* The same with a message in printf format, to show values. */
#define REQUIREF(condition, ...)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: not true: %s: ", __FILE__, __LINE__, #condition);        \
            (void)fprintf(stderr, __VA_ARGS__);                                                    \
            (void)fprintf(stderr, "\n");                                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
