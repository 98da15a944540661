/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/document/yaml.h - parses YAML 1.2 to a JSON value with locations, with libfyaml.
 *
 * Accepts only the part of YAML that JSON can represent. Rejects other tags than the core tags,
 * merge keys, keys that are not text, several documents, .inf and .nan. YAML is only for specs of
 * the local operator, never for text from a network.
 */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_YAML_H
#define HAFT_SPEC_LOAD_DOCUMENT_YAML_H

#include "spec/load/document/builder.h"

/* Parses the text into the builder. Returns false if parsing had to stop; problems were added, or
 * tree->status was set. The text must be valid UTF-8 without control characters. */
bool haft__yaml_read(haft__spec_builder *tree, haft_str text);

#endif
