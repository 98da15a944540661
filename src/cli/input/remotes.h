/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/input/remotes.h - JSON documents in a directory that schemas refer to by URL.
 *
 * DIR/a/b.json is http://localhost:1234/a/b.json. Nothing is fetched from a network.
 */
#ifndef HAFT_CLI_INPUT_REMOTES_H
#define HAFT_CLI_INPUT_REMOTES_H

#include "base/map.h"
#include "json/value.h"

#define HAFT__REMOTES_URL "http://localhost:1234/"

typedef struct haft__remotes {
    const char *directory; /* may be NULL: no documents */
    haft__arena arena;     /* the documents read so far */
    haft__map documents; /* by URL; also unusable documents, so that each file is read only once */
    haft__hash_key hash_key;
    haft_error problem; /* why an existing document could not be used; otherwise status OK */
} haft__remotes;

/* Fails with IO if the directory does not exist. NULL is allowed. */
HAFT_MUST_USE haft_status haft__remotes_check(const char *directory, haft_error *err);

void haft__remotes_init(haft__remotes *remotes, const char *directory, haft__hash_key hash_key);
void haft__remotes_finish(haft__remotes *remotes);

/* Finds a document by its URL. Has the type haft__schema_find; `context` is the haft__remotes. */
const haft__json *haft__remotes_find(void *context, haft_str url);

#endif
