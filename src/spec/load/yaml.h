/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/yaml.h - YAML 1.2 text to a JSON value with places, through libfyaml.
 *
 * What JSON has, and no more: tags other than the core ones, merge keys, keys that are no text,
 * several documents, .inf and .nan are refused. YAML is for specs of the local operator; a text
 * from a network is never read with this.
 */
#ifndef HAFT_SPEC_LOAD_YAML_H
#define HAFT_SPEC_LOAD_YAML_H

#include "spec/load/builder.h"

/* Feeds the text to the tree. False when it had to stop: problems were added, or tree->status set.
 * The text is valid UTF-8 without control characters. */
bool haft__yaml_read(haft__spec_builder *tree, haft_str text);

#endif
