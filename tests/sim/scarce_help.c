/* SPDX-License-Identifier: Apache-2.0 */
/* scarce_help.c - see scarce_help.h. */
#include "scarce_help.h"

#include "store/store_help.h"

static help_store opened;

haft__store *scarce_open(const char *kind)
{
    help_store_open(&opened, kind);
    return opened.store;
}

void scarce_close(void)
{
    help_store_close(&opened);
}

haft_str scarce_id(uint64_t n)
{
    return help_id(n);
}
