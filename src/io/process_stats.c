/* SPDX-License-Identifier: Apache-2.0 */
/* process_stats.c - see io/process_stats.h. Tests: tests/io/process_stats_test.c. */
#include "io/process_stats.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t micros_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000U + (uint64_t)time.tv_usec;
}

/* The second number of /proc/self/statm: resident pages. */
static uint64_t read_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long pages = 0;
    if (file != NULL && fscanf(file, "%*u %llu", &pages) != 1) {
        pages = 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t count_open_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    uint64_t count = 0;
    if (directory == NULL) {
        return 0;
    }
    for (const struct dirent *entry = readdir(directory); entry != NULL;
         entry = readdir(directory)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(directory);
    return count - 1; /* without the directory itself */
}

haft__process_stats haft__process_stats_read(void)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    return (haft__process_stats){.cpu_micros =
                                     micros_of(usage.ru_utime) + micros_of(usage.ru_stime),
                                 .resident_bytes = read_resident_bytes(),
                                 .open_files = count_open_files()};
}
