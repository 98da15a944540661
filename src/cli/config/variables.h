/* SPDX-License-Identifier: Apache-2.0 */
/* cli/config/variables.h - the table of all environment variables that haft reads. Help, man pages
 * and docs/commands.md print it; tests/house/variables.py compares it with the code. */
#ifndef HAFT_CLI_CONFIG_VARIABLES_H
#define HAFT_CLI_CONFIG_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "haft.h"

typedef struct haft__variable_row {
    const char *name;
    const char *what; /* lower case, no full stop */
    bool secret;      /* its value is never shown */
    bool dotenv;      /* may also be set in a .env file */
} haft__variable_row;

const haft__variable_row *haft__variable_table(size_t *ret_count);

/* Returns the row of a variable; NULL if haft itself does not use the variable. */
const haft__variable_row *haft__variable_find(haft_str name);

#endif
