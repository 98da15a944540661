/* SPDX-License-Identifier: Apache-2.0 */
#include "io/libraries.h"

#include "test.h"

TEST(libraries_are_named_with_their_versions)
{
    haft__buf text;
    haft__buf_init(&text, 4096);
    haft__libraries_add(&text);
    CHECK(haft__str_starts_with(haft__buf_str(&text), HAFT__LIT("libuv 1.")), "%.*s",
          HAFT__ARG(haft__buf_str(&text)));
    haft__buf_finish(&text);
}
