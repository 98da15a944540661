/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - the smallest program that uses haft.
 * Build it: cc version.c $(pkg-config --cflags --libs haft) */
#include <haft.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    if (strcmp(haft_version(), HAFT_VERSION) != 0) {
        (void)fprintf(stderr, "compiled for haft %s, running with %s\n", HAFT_VERSION,
                      haft_version());
        return 1;
    }
    printf("haft %s\n", haft_version());
    return 0;
}
