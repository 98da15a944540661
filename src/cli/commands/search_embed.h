/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands/search_embed.h - `haft search` with an embeddings server. Calls block. */
#ifndef HAFT_CLI_COMMANDS_SEARCH_EMBED_H
#define HAFT_CLI_COMMANDS_SEARCH_EMBED_H

#include "cli/args.h"
#include "exec/embeddings/embedder.h"
#include "run/redact/redact.h"

typedef struct haft__search_embed {
    haft__arena arena;
    haft__redactor redactor;
    haft__loop *loop;
    haft__http_client *http;
    haft__embedder *embedder; /* NULL: not requested */
    bool applied;             /* the index already has the vectors */

    /* the query in progress */
    haft__arena *query_arena; /* gets the vector of the query */
    haft__search_embedding embedding;
    bool done;
    haft_status status;
    haft_error error;
} haft__search_embed;

/* Reads --embeddings and the options that belong to it. */
HAFT_MUST_USE haft_status haft__search_embed_open(haft__search_embed *embed, const haft__args *args,
                                                  haft__hash_key hash_key, haft_error *err);
void haft__search_embed_close(haft__search_embed *embed);

/* Computes the vector of a query, in `arena`. The first call also embeds the documents of `index`.
 * Fails if the server fails. */
HAFT_MUST_USE haft_status haft__search_embed_query(haft__search_embed *embed, haft_str query,
                                                   const haft__search_doc *docs, size_t count,
                                                   haft__search_index *index, haft__arena *arena,
                                                   haft__search_embedding *ret_embedding,
                                                   haft_error *err);

#endif
