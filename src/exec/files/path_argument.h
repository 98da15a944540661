/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/path_argument.h - a path that a model named: opened, or an error it can mend its call
 * by. */
#ifndef HAFT_EXEC_FILES_PATH_ARGUMENT_H
#define HAFT_EXEC_FILES_PATH_ARGUMENT_H

#include <stdbool.h>

#include "exec/files/root.h"

/* What may stand at the path. */
typedef enum haft__named_wanted {
    HAFT__NAMED_FILE,
    HAFT__NAMED_DIRECTORY,
    HAFT__NAMED_BOTH,
} haft__named_wanted;

typedef struct haft__named {
    haft__beneath_path path;
    bool is_directory;
} haft__named;

/* Reads the path and looks at what is there. NOT_FOUND with the nearest name as a hint, BAD_INPUT
 * for a symbolic link, a device and for what is not `wanted`; err->where is "/path". */
HAFT_MUST_USE haft_status haft__named_find(int root, haft_str given, haft__named_wanted wanted,
                                           haft__named *ret_named, haft_error *err);

#endif
