/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/spec_file.h - reads and loads the spec that a command line names, and prints its
 * problems like a compiler. Used by every command that takes a SPEC. */
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

/* Reads and loads with the --set and --model options of `args`, if present. Fails if the file
 * cannot be read or memory is exhausted; problems of the spec are in the report. */
HAFT_MUST_USE haft_status haft__spec_file_read(haft__cli *cli, const char *path,
                                               const haft__args *args, haft__spec_file *ret_file,
                                               haft_error *err);

/* Like haft__spec_file_read. It is also an error if a run could not ask the model here. */
HAFT_MUST_USE haft_status haft__spec_file_check(haft__cli *cli, const char *path,
                                                const haft__args *args, haft__spec_file *ret_file,
                                                haft_error *err);

/* Like haft__spec_file_read, for a command that starts no run: functions that a graph names may be
 * missing. */
HAFT_MUST_USE haft_status haft__spec_file_inspect(haft__cli *cli, const char *path,
                                                  const haft__args *args, haft__spec_file *ret_file,
                                                  haft_error *err);

/* Like haft__spec_file_read, for a command that reads the log of a run of this spec. The prices of
 * models are in the log. */
HAFT_MUST_USE haft_status haft__spec_file_read_for_log(haft__cli *cli, const char *path,
                                                       const haft__args *args,
                                                       haft__spec_file *ret_file, haft_error *err);

/* Like haft__spec_file_read, with further overrides before those of `args`. Without a path (NULL)
 * the spec is `text`, and its relative paths begin at the working directory. */
HAFT_MUST_USE haft_status haft__spec_file_read_with(haft__cli *cli, const char *path, haft_str text,
                                                    const haft__args *args, const char *const *sets,
                                                    size_t set_count, haft__spec_file *ret_file,
                                                    haft_error *err);

/* The --set options in order, then --model as one more: PATH=VALUE, in the arena of the command. */
HAFT_MUST_USE haft_status haft__spec_file_overrides(haft__cli *cli, const haft__args *args,
                                                    const char *const **ret_sets, size_t *ret_count,
                                                    haft_error *err);

/* Prints each problem (cli/terminal/diagnostic.h), then the number of problems. */
void haft__spec_file_print(const haft__spec_file *file, FILE *out);

/* For commands that use the spec: prints its problems on standard error. Warnings are printed only
 * if there are errors or they concern imported servers. True if the spec can be used. */
bool haft__spec_file_usable(const haft__spec_file *file, haft__cli *cli);

#endif
