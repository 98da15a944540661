/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - the table of limits as data. Tests: tests/base/limits_test.c. */
#include "base/limits.h"

#include "base/macros.h"

static const haft__limit limits[] = {
#define X(name, key, value, what) {key, value, what},
    HAFT__LIMITS(X)
#undef X
};

const haft__limit *haft__limits(size_t *ret_count)
{
    *ret_count = COUNT(limits);
    return limits;
}
