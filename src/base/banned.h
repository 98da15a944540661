/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banned.h - makes the calls we never want fail to compile, with the reason in the message.
 *
 * The build includes it in front of every source file (-include), so nobody can forget it. System
 * headers that declare these names are included first: poisoning comes after them.
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
