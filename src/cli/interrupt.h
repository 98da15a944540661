/* SPDX-License-Identifier: Apache-2.0 */
/* cli/interrupt.h - whether somebody wants the command to stop (SIGINT, SIGTERM, SIGHUP). */
#ifndef HAFT_CLI_INTERRUPT_H
#define HAFT_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on these signals only set a flag; a second one ends the process as usual. */
void haft__interrupt_catch(void);

bool haft__interrupted(void);

/* The signal that came, and forgets it; 0 for none. */
int haft__interrupt_take(void);

#endif
