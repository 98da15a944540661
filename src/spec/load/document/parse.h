/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/document/parse.h - parses the text of a spec, YAML or JSON, to a value with locations.
 *
 * A text whose first character other than white space is `{` is JSON, read by the strict reader;
 * everything else is YAML. A UTF-8 byte order mark at the start is skipped.
 */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_PARSE_H
#define HAFT_SPEC_LOAD_DOCUMENT_PARSE_H

#include "spec/load/document/builder.h"

/* Parses the text, which must outlive the document. Problems go to `problems`; *ret_document has
 * the kind null if errors left nothing usable. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__spec_parse(haft__arena *arena, haft_str text,
                                           haft__hash_key hash_key, haft__spec_problems *problems,
                                           haft__spec_document *ret_document, haft_error *err);

#endif
