/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/members/refusal_file.h - the optional members of a request (model/optional_member.h) that
 * a model at a URL has rejected, in a file of the user's state. Later processes and `haft explain`
 * read this file. A refusal is valid for one day, because the server may be replaced.
 */
#ifndef HAFT_ENGINE_MEMBERS_REFUSAL_FILE_H
#define HAFT_ENGINE_MEMBERS_REFUSAL_FILE_H

#include "base/sha256.h"
#include "model/optional_member.h"

/* Makes the key of the refusals of a model at a URL. The key includes the options of a spec,
 * because the server may reject a member only together with some options. `options`: an object, or
 * null. */
HAFT_MUST_USE haft_status haft__refusal_key(haft_str url, haft_str model, haft__json options,
                                            char ret_key[HAFT__SHA256_HEX], haft_error *err);

/* Reads the refusals with this key. Returns no refusals if the file is missing, damaged or writable
 * by others. */
haft__refusals haft__refusal_file_read(haft_str key);

/* Replaces the file. If it cannot be written, the next process asks the server again. */
void haft__refusal_file_write(haft_str key, const haft__refusals *refusals);

#endif
