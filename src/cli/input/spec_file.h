/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/spec_file.h - the spec a command line names: read, loaded, and what is wrong with it
 * shown as a compiler would. Every command that takes a SPEC goes through here. */
#ifndef HAFT_CLI_INPUT_SPEC_FILE_H
#define HAFT_CLI_INPUT_SPEC_FILE_H

#include "base/sha256.h"
#include "cli/command.h"
#include "run/decide/decide.h"
#include "spec/load/load.h"

typedef struct haft__spec_file {
    const char *name;       /* the path, or "standard input" */
    haft_str text;          /* in the arena of the command */
    const haft__spec *spec; /* NULL when there are errors */
    haft__spec_report report;
    char file[HAFT__SHA256_HEX]; /* of the text */
    haft__spec_origin origin;    /* for the runs of an agent that is made of it */
} haft__spec_file;

/* Reads and loads with the --set and --model options of `args`, if it has any. Fails when the file
 * cannot be read or there is no memory; problems of the spec are in the report. */
HAFT_MUST_USE haft_status haft__spec_file_read(haft__cli *cli, const char *path,
                                               const haft__args *args, haft__spec_file *ret_file,
                                               haft_error *err);

/* file:line:column: error: message, the line, a caret, the hint; then how many there are. */
void haft__spec_file_print(const haft__spec_file *file, FILE *out);

/* For commands that want to use the spec: prints its problems, warnings left out unless there are
 * errors or they are about imported servers, on standard error. True when it can be used. */
bool haft__spec_file_usable(const haft__spec_file *file, haft__cli *cli);

#endif
