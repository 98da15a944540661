/* SPDX-License-Identifier: Apache-2.0 */
#include "io/process_stats.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

TEST(open_files_are_counted)
{
    haft__process_stats before = haft__process_stats_read();
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    haft__process_stats after = haft__process_stats_read();
    CHECK_INT(after.open_files, before.open_files + 1, "files");
    (void)close(fd);
    CHECK_INT(haft__process_stats_read().open_files, before.open_files, "files after close");
    CHECK(before.resident_bytes > 100000, "%llu bytes", (unsigned long long)before.resident_bytes);
    CHECK(after.cpu_micros >= before.cpu_micros, "the CPU time shrinks");
}
