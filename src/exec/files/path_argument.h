/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/path_argument.h - opens a path from a model, or returns an error that the model can
 * act on. */
#ifndef HAFT_EXEC_FILES_PATH_ARGUMENT_H
#define HAFT_EXEC_FILES_PATH_ARGUMENT_H

#include <stdbool.h>

#include "exec/files/root.h"

/* The accepted kinds of file. */
typedef enum haft__path_argument_kind {
    HAFT__PATH_ARGUMENT_FILE,
    HAFT__PATH_ARGUMENT_DIRECTORY,
    HAFT__PATH_ARGUMENT_ANY,
} haft__path_argument_kind;

typedef struct haft__path_argument {
    haft__files_path path;
    bool is_directory;
} haft__path_argument;

/* Parses the path and opens it. NOT_FOUND with the nearest name as a hint; BAD_INPUT for a symbolic
 * link, a device, and for a file that is not of the `expected` kind; err->where is "/path". */
HAFT_MUST_USE haft_status haft__path_argument_resolve(int root, haft_str given,
                                                      haft__path_argument_kind expected,
                                                      haft__path_argument *ret_named,
                                                      haft_error *err);

#endif
