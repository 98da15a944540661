/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/owner.h - the owner name of this process, and whether another owner is still alive.
 *
 * A name contains the machine, its boot, the PID namespace (containers have their own), the process
 * id and its start time. So haft can detect that a process on this machine is dead, and claim its
 * runs immediately, before their leases expire.
 */
#ifndef HAFT_IO_OWNER_H
#define HAFT_IO_OWNER_H

#include <stdbool.h>

#include "haft.h"

/* Creates a new name with each call. IO if the system has no randomness. */
HAFT_MUST_USE haft_status haft__owner_make(char *name, size_t size, haft_error *err);

/* Whether the owner is certainly dead. False for an owner on another machine: its state is
 * unknown. */
bool haft__owner_is_dead(haft_str name);

#endif
