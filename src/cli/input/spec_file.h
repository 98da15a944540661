/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/spec_file.h - reads the spec that a command line names, checks it, and prints its
 * problems like a compiler. Used by every command with an argument SPEC. */
#ifndef HAFT_CLI_INPUT_SPEC_FILE_H
#define HAFT_CLI_INPUT_SPEC_FILE_H

#include "base/sha256.h"
#include "cli/command.h"
#include "run/decide/decide.h"
#include "spec/load/load.h"

typedef struct haft__spec_file {
    const char *name;       /* the path, or "standard input" */
    haft_str text;          /* in the arena of the command */
    const haft__spec *spec; /* NULL if there are errors */
    haft__spec_report report;
    char file[HAFT__SHA256_HEX]; /* hash of the text */
    haft__spec_origin origin;    /* for runs of an agent of this spec */
} haft__spec_file;

/* Reads and checks a spec, with the --set and --model options of `args`. Fails if the file cannot
 * be read or if out of memory; problems of the spec are in the report. */
HAFT_MUST_USE haft_status haft__spec_file_read(haft__cli *cli, const char *path,
                                               const haft__args *args, haft__spec_file *ret_file,
                                               haft_error *err);

/* Like haft__spec_file_read, but also reports a problem if a run could not call the model here. */
HAFT_MUST_USE haft_status haft__spec_file_check(haft__cli *cli, const char *path,
                                                const haft__args *args, haft__spec_file *ret_file,
                                                haft_error *err);

/* Like haft__spec_file_read, but allows graphs with functions that this program does not have. For
 * commands that start no run. */
HAFT_MUST_USE haft_status haft__spec_file_inspect(haft__cli *cli, const char *path,
                                                  const haft__args *args, haft__spec_file *ret_file,
                                                  haft_error *err);

/* Like haft__spec_file_read, for a command that reads the log of a run of this spec. Takes no
 * prices from the settings: the log has them. */
HAFT_MUST_USE haft_status haft__spec_file_read_for_log(haft__cli *cli, const char *path,
                                                       const haft__args *args,
                                                       haft__spec_file *ret_file, haft_error *err);

/* Like haft__spec_file_read, with further overrides before those of `args`. Without a path (NULL)
 * the spec is `text`, and its relative paths begin at the working directory. */
HAFT_MUST_USE haft_status haft__spec_file_read_with(haft__cli *cli, const char *path, haft_str text,
                                                    const haft__args *args, const char *const *sets,
                                                    size_t set_count, haft__spec_file *ret_file,
                                                    haft_error *err);

/* Returns the values PATH=VALUE of the --set options in order, then --model as one more value, in
 * the arena of the command. */
HAFT_MUST_USE haft_status haft__spec_file_overrides(haft__cli *cli, const haft__args *args,
                                                    const char *const **ret_sets, size_t *ret_count,
                                                    haft_error *err);

/* Prints each problem (cli/terminal/diagnostic.h), then the number of problems. */
void haft__spec_file_print(const haft__spec_file *file, FILE *out);

/* Returns true if the spec can be used. Prints its problems on standard error; prints warnings only
 * if errors exist or if the warnings concern imported servers. */
bool haft__spec_file_usable(const haft__spec_file *file, haft__cli *cli);

#endif
