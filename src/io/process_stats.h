/* SPDX-License-Identifier: Apache-2.0 */
/* io/process_stats.h - the resources that this process uses. */
#ifndef HAFT_IO_PROCESS_STATS_H
#define HAFT_IO_PROCESS_STATS_H

#include <stdint.h>

/* A number that the system does not report is 0. */
typedef struct haft__process_stats {
    uint64_t cpu_micros;     /* of all threads, in user and system mode */
    uint64_t resident_bytes; /* memory */
    uint64_t open_files;     /* descriptors */
} haft__process_stats;

haft__process_stats haft__process_stats_read(void);

#endif
