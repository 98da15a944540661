/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/config/variables.c. */
#include "cli/config/variables.h"

#include "model/provider.h"
#include "test.h"

TEST(every_key_of_a_provider_is_in_the_table)
{
    size_t count;
    const haft__provider *providers = haft__providers(&count);
    for (size_t i = 0; i < count; i++) {
        haft_str name = haft__str(providers[i].key_env);
        const haft__variable_row *row = haft__variable_find(name);
        CHECK(name.len == 0 || (row != NULL && row->secret && row->dotenv),
              "%s is not in the table as a secret", name.ptr);
    }
}

TEST(every_name_is_unique)
{
    size_t count;
    const haft__variable_row *rows = haft__variable_table(&count);
    for (size_t i = 0; i < count; i++) {
        CHECK(haft__variable_find(haft__str(rows[i].name)) == &rows[i], "%s is in the table twice",
              rows[i].name);
        CHECK(rows[i].what[0] != '\0', "%s has no description", rows[i].name);
    }
    CHECK(haft__variable_find(HAFT__LIT("HAFT_NOTHING")) == NULL, "an unknown variable was found");
}
