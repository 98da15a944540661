/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/parse.h - the text of a spec to a value with places, be it YAML or JSON.
 *
 * A text whose first character other than white space is `{` is JSON, read by the strict reader;
 * everything else is YAML. A UTF-8 byte order mark at the start is passed over.
 */
#ifndef HAFT_SPEC_LOAD_PARSE_H
#define HAFT_SPEC_LOAD_PARSE_H

#include "spec/load/builder.h"

/* Reads the text, which must outlive the document. What is wrong with it goes to `problems`;
 * *ret_document has the kind null when there were errors that left nothing to look at. Fails only
 * for want of memory. */
HAFT_MUST_USE haft_status haft__spec_parse(haft__arena *arena, haft_str text,
                                           haft__hash_key hash_key, haft__spec_problems *problems,
                                           haft__spec_document *ret_document, haft_error *err);

#endif
