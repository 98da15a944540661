/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/members/refusal_file.h - the optional members of a request (model/optional_member.h) that
 * a model at a URL has rejected, in a file of the user's state. Processes that start later, and
 * `haft explain`, know them from there. A day later the server is asked again: it may have been
 * replaced.
 */
#ifndef HAFT_ENGINE_MEMBERS_REFUSAL_FILE_H
#define HAFT_ENGINE_MEMBERS_REFUSAL_FILE_H

#include "model/optional_member.h"

typedef struct haft__refusals {
    haft__member_set members;
    uint16_t statuses[HAFT__MEMBER_COUNT]; /* of HTTP, for each of them */
} haft__refusals;

/* The refusals that are known at `now_ms`; none if there is no file, or if it is damaged, old, or
 * writable by others. */
haft__refusals haft__refusal_file_read(haft_str url, haft_str model, uint64_t now_ms);

/* Replaces the file. If it cannot be written, the next process asks the server again. */
void haft__refusal_file_write(haft_str url, haft_str model, const haft__refusals *refusals,
                              uint64_t now_ms);

#endif
