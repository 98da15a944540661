/* SPDX-License-Identifier: Apache-2.0 */
/* cli/spec_file.h - specs and scripts from files, with their problems told as a compiler would. */
#ifndef HAFT_CLI_SPEC_FILE_H
#define HAFT_CLI_SPEC_FILE_H

#include <stdio.h>

#include "cli/args.h"
#include "model/script.h"
#include "spec/load.h"

/* Loads the spec at `path` with what `args` says (--set, --model). Problems are printed to
 * `errors`, each with its line and a caret. *ret_spec is NULL when there were errors. */
HAFT_MUST_USE haft_status haft__spec_file_load(haft__arena *arena, const char *path,
                                               const haft__args *args, haft__hash_key hash_key,
                                               FILE *errors, const haft__spec **ret_spec,
                                               haft_error *err);

/* Prints the problems of a report: "file:3:5: error: ...", the line, a caret, a hint. */
void haft__spec_file_print(FILE *errors, const char *path, haft_str text,
                           const haft__spec_report *report);

/* The script that the spec's model names, relative to the spec's directory. */
HAFT_MUST_USE haft_status haft__script_file_load(haft__arena *arena, const haft__spec *spec,
                                                 haft__hash_key hash_key, haft__script *ret_script,
                                                 haft_error *err);

#endif
