/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/owner.h - the name under which this process has runs, and whether another one still lives.
 *
 * A name says which machine, which boot of it, which space of process numbers (containers have
 * their own), which process and when that began, so that a process that is gone can be told from
 * one that is busy: its runs can be taken up at once, without waiting for their leases.
 */
#ifndef HAFT_IO_OWNER_H
#define HAFT_IO_OWNER_H

#include <stdbool.h>

#include "haft.h"

/* A name of its own for each call. IO when the system has no randomness. */
HAFT_MUST_USE haft_status haft__owner_make(char *name, size_t size, haft_error *err);

/* Whether the owner certainly is no more. False for one of another machine: nobody here knows. */
bool haft__owner_is_dead(haft_str name);

#endif
