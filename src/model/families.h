/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/families.h - what is known of models by their name or chat template: the format their
 * calls are in, how much they read, how big they are, where they have calling of their own, how
 * they think.
 *
 * Used where a spec says nothing. The rows are in family_rows.c; docs/local-models.md has them as
 * a table.
 *
 * Names come in all spellings: `org/Name-7B-Instruct-Q4_K_M.gguf`, `name:7b-instruct`, a path. The
 * last part between slashes in which a pattern is found counts. A pattern is lower case and found
 * at any place where a word begins: `-` stands for a separator, which may be missing except between
 * two digits, `*` for anything, `^` for the beginning. Upper and lower case are the same.
 */
#ifndef HAFT_MODEL_FAMILIES_H
#define HAFT_MODEL_FAMILIES_H

#include "base/buf.h"
#include "spec/spec.h"

/* Servers that may or may not have calls of a family's models. llama.cpp has those of every model:
 * what its templates do not have is asked for by a grammar. */
typedef enum haft__family_server {
    HAFT__FAMILY_OLLAMA = 1, /* refuses tools of a model that it thinks has none */
    HAFT__FAMILY_VLLM = 2,   /* has a parser for some */
    HAFT__FAMILY_OTHER = 4,  /* any that speaks Chat Completions */
} haft__family_server;

#define HAFT__FAMILY_PATTERNS 10
#define HAFT__FAMILY_MARKS    2

typedef struct haft__family {
    const char *name;
    const char *patterns[HAFT__FAMILY_PATTERNS]; /* of names; any of them */
    const char *marks[HAFT__FAMILY_MARKS];       /* of chat templates; all of them */
    const char *format;                          /* of calls in text */
    uint32_t context;                            /* tokens; 0: not known */
    uint32_t size;   /* millions of parameters where the name has none; 0: not known */
    unsigned native; /* haft__family_server: where calls are the server's */
    const char *reasoning_open,
        *reasoning_close; /* around reasoning in text; NULL: there is none */
    bool opened;          /* the chat template writes `think`, so the reply begins inside */
} haft__family;

const haft__family *haft__families(size_t *ret_count);

/* The row of that name, or NULL. */
const haft__family *haft__family_find(haft_str name);

/* The row with the longest pattern in the name, the first of several; NULL when there is none, and
 * for names of more than HAFT__LIMIT_MODEL_NAME_BYTES. */
const haft__family *haft__family_match_name(haft_str name, const char **ret_pattern);

/* The same, for the marks of a chat template; `ret_mark` is the row's first. */
const haft__family *haft__family_match_template(haft_str text, const char **ret_mark);

/* Whether calls are the server's. `provider` and base_url of the model decide; those who serve only
 * models of their own have them. */
bool haft__family_is_native(const haft__family *family, const haft__model_spec *model);

/* ---- sizes, in millions of parameters; 0 is "not known" ---- */

/* What a name says: 7B, 1.5b, 135M, 8x7B (56 B), 30B-A3B (30 B), E4B (4 B), 1T. */
uint64_t haft__family_size_of_name(haft_str name);

/* Appends it in billions: 7, 1.5, 0.135. */
void haft__family_add_size(haft__buf *buf, uint64_t millions);

#endif
