/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - replays a corpus through a fuzz target, with any compiler.
 *
 * fuzz-NAME DIRECTORY replays every file in it, in the order of their names. It prints each name
 * first, so that the last line before a crash names the input.
 */
#include <dirent.h>
#include <string.h>

#include "fuzz.h"

static void replay(const char *path)
{
    printf("# %s\n", path);
    (void)fflush(stdout);
    FILE *file = fopen(path, "rbe");
    REQUIRE(file != NULL);
    REQUIRE(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    REQUIRE(size >= 0 && fseek(file, 0, SEEK_SET) == 0);
    /* Exactly the input's size, so that a sanitizer detects a read past it. */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    REQUIRE(data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size);
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

static unsigned replay_all(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort);
    unsigned replayed = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        int length = snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
        REQUIRE(length > 0 && (size_t)length < sizeof(path));
        if (entries[i]->d_name[0] != '.') {
            replay(path);
            replayed++;
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return replayed;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    const char *slash = strrchr(argv[1], '/');
    const char *name = slash != NULL ? slash + 1 : argv[1];
    unsigned replayed = replay_all(argv[1]);
    if (replayed == 0) {
        printf("# no inputs in %s\nnot ok fuzz/%s\n", argv[1], name);
        return 1;
    }
    printf("ok fuzz/%s (%u inputs)\n", name, replayed);
    return 0;
}
