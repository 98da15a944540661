/* SPDX-License-Identifier: Apache-2.0 */
/* cli/config/variables.h - every variable of the environment that haft reads, as a table. Help, man
 * pages and docs/commands.md print it; tests/house/variables.py compares it with the code. */
#ifndef HAFT_CLI_CONFIG_VARIABLES_H
#define HAFT_CLI_CONFIG_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "haft.h"

typedef struct haft__variable_row {
    const char *name;
    const char *what; /* lower case, no full stop */
    bool secret;      /* its value is never shown */
    bool dotenv;      /* may come from a file .env, too */
} haft__variable_row;

const haft__variable_row *haft__variable_table(size_t *ret_count);

/* NULL when haft has no use of its own for it. */
const haft__variable_row *haft__variable_find(haft_str name);

#endif
