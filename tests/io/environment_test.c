/* SPDX-License-Identifier: Apache-2.0 */
#include "io/environment.h"

#include "test.h"

TEST(variables_are_found_by_their_name)
{
    CHECK_INT(setenv("HAFT_TEST_VARIABLE", "value", 1), 0, "setenv");
    CHECK_STR(haft__environment_get(NULL, HAFT__LIT("HAFT_TEST_VARIABLE")), HAFT__LIT("value"),
              "value");
    CHECK(haft__environment_get(NULL, HAFT__LIT("HAFT_TEST_NOTHING")).ptr == NULL,
          "a variable that is not set was found");
    char name[300];
    memset(name, 'A', sizeof(name));
    CHECK(haft__environment_get(NULL, (haft_str){name, sizeof(name)}).ptr == NULL,
          "a name that is too long was found");
    CHECK(haft__environment_get(NULL, HAFT__LIT("HAFT_TEST_VARIABLE\0X")).ptr == NULL,
          "a name with a NUL was found");
    (void)unsetenv("HAFT_TEST_VARIABLE");
}
