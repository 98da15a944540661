/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/document/yaml.h - parses YAML 1.2 to a JSON value with locations, with libfyaml.
 *
 * Only the part that JSON has: tags other than the core ones, merge keys, keys that are not text,
 * several documents, .inf and .nan are rejected. YAML is for specs of the local operator; text from
 * a network is never read with this.
 */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_YAML_H
#define HAFT_SPEC_LOAD_DOCUMENT_YAML_H

#include "spec/load/document/builder.h"

/* Feeds the text to the builder. False if it had to stop: problems were added, or tree->status set.
 * The text is valid UTF-8 without control characters. */
bool haft__yaml_read(haft__spec_builder *tree, haft_str text);

#endif
