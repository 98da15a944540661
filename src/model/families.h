/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/families.h - facts about models by their name or chat template: the format of their calls,
 * their context length, their size, the servers that support their calls, and their reasoning.
 *
 * Used for values that a spec does not give. The rows are in family_rows.c; docs/local-models.md
 * shows them as a table.
 *
 * Names have many spellings: `org/Name-7B-Instruct-Q4_K_M.gguf`, `name:7b-instruct`, a path. The
 * last part between slashes that contains a pattern counts. A pattern is in lower case and matches
 * at the start of any word: `-` stands for a separator, which is optional except between two
 * digits, `*` for anything, `^` for the start, `5+` for version 5 or a later one (after
 * a letter, `+` is an ordinary character). Case is ignored.
 */
#ifndef HAFT_MODEL_FAMILIES_H
#define HAFT_MODEL_FAMILIES_H

#include "base/buf.h"
#include "spec/spec.h"

/* Servers that support the calls of only some families. llama.cpp supports those of every model: if
 * the template has no calls, it uses a grammar. */
typedef enum haft__family_server {
    HAFT__FAMILY_OLLAMA = 1, /* rejects tools if it thinks that the model has none */
    HAFT__FAMILY_VLLM = 2,   /* has parsers for some families */
    HAFT__FAMILY_OTHER = 4,  /* any other server of Chat Completions */
} haft__family_server;

#define HAFT__FAMILY_PATTERNS 10
#define HAFT__FAMILY_MARKS    2

typedef struct haft__family {
    const char *name;
    const char *patterns[HAFT__FAMILY_PATTERNS]; /* of names; one must match */
    const char *marks[HAFT__FAMILY_MARKS];       /* of chat templates; all must match */
    const char *format;                          /* of calls in text */
    uint32_t context;                            /* tokens; 0: unknown */
    uint32_t size;   /* millions of parameters, if the name does not say; 0: unknown */
    bool hosted;     /* its maker serves it and does not publish the size; counts as large */
    unsigned native; /* bits of haft__family_server: servers that return calls natively */
    const char *reasoning_open, *reasoning_close; /* around reasoning in text; NULL: no reasoning */
    bool starts_in_reasoning; /* the chat template, not the model, writes `reasoning_open` */
} haft__family;

const haft__family *haft__families(size_t *ret_count);

/* The row of that name, or NULL. */
const haft__family *haft__family_find(haft_str name);

/* The row with the longest pattern in the name, the first of several. NULL if none matches or the
 * name is longer than HAFT__LIMIT_MODEL_NAME_BYTES. */
const haft__family *haft__family_match_name(haft_str name, const char **ret_pattern);

/* The same for the marks of a chat template; `ret_mark` is the first mark of the row. */
const haft__family *haft__family_match_template(haft_str text, const char **ret_mark);

/* Whether the server returns calls natively, by provider and base_url of the model. Providers that
 * serve only their own models do. */
bool haft__family_is_native(const haft__family *family, const haft__model_spec *model);

/* ---- sizes, in millions of parameters; 0: unknown ---- */

/* The size in a name: 7B, 1.5b, 135M, 8x7B (56 B), 30B-A3B (30 B), E4B (4 B), 1T. */
uint64_t haft__family_size_of_name(haft_str name);

/* Appends the size in billions: 7, 1.5, 0.135. */
void haft__family_add_size(haft__buf *buf, uint64_t millions);

#endif
