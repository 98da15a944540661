/* SPDX-License-Identifier: Apache-2.0 */
/* exec/skill/skill.h - the result of a call of a skill: its instructions, or one of its files. */
#ifndef HAFT_EXEC_SKILL_SKILL_H
#define HAFT_EXEC_SKILL_SKILL_H

#include "base/buf.h"
#include "haft.h"

typedef struct haft__skill_request {
    haft_str spec_path, folder; /* location of the folder: see haft__skill_folder_open */
    haft_str name;
    haft_str sha256;  /* of SKILL.md when the run began */
    haft_str allowed; /* the names of `allowed-tools`, separated by ", " */
    bool narrows;     /* the skill has `allowed-tools` */
    haft_str file;    /* "": the instructions */
} haft__skill_request;

/* Capacity of a result's buffer. */
#define HAFT__SKILL_RESULT_BYTES                                                                   \
    (HAFT__LIMIT_SKILL_FILE_BYTES + (HAFT__LIMIT_SKILL_FILES + 1) * HAFT__LIMIT_FILES_PATH_BYTES)

/* Blocks. err->where is a JSON Pointer to the argument, or the path of a file. */
HAFT_MUST_USE haft_status haft__skill_run(const haft__skill_request *request, haft__buf *result,
                                          haft_error *err);

#endif
