/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banned.h - makes calls that haft never uses fail to compile, with the reason in the message.
 *
 * The build includes it before every source file (-include). System headers that declare these
 * names are included first, because poisoning must come after them.
 */
#ifndef HAFT_BASE_BANNED_H
#define HAFT_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Unbounded copies, hidden state, results that cannot be checked, or the caller's locale. */
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok
#pragma GCC poison gmtime localtime ctime asctime atoi atol atoll atof strtod setlocale

#endif
