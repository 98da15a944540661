/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands/search_embed.h - `haft search` with a server of embeddings, which is waited for. */
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
    haft__embedder *embedder; /* NULL: none was asked for */
    bool applied;             /* the index has the vectors */

    /* of the query that is waited for */
    haft__arena *to;
    haft__search_embedding given;
    bool over;
    haft_status status;
    haft_error error;
} haft__search_embed;

/* As the options say: --embeddings and those that belong to it. */
HAFT_MUST_USE haft_status haft__search_embed_open(haft__search_embed *embed, const haft__args *args,
                                                  haft__hash_key hash_key, haft_error *err);
void haft__search_embed_close(haft__search_embed *embed);

/* The vector of a query, in `arena`; the first time the documents of `index` get theirs. Here a
 * server that fails is a failure: whoever names one wants to know. */
HAFT_MUST_USE haft_status haft__search_embed_query(haft__search_embed *embed, haft_str query,
                                                   const haft__search_doc *docs, size_t count,
                                                   haft__search_index *index, haft__arena *arena,
                                                   haft__search_embedding *ret_given,
                                                   haft_error *err);

#endif
