/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/graph/graph_picture.h - the graph of a spec as a drawing. */
#ifndef HAFT_ENGINE_OPS_GRAPH_GRAPH_PICTURE_H
#define HAFT_ENGINE_OPS_GRAPH_GRAPH_PICTURE_H

#include "graph/draw/drawing.h"
#include "spec/spec.h"

/* Draws the graph `source` of the spec, without a layout, and marks the nodes that may need an
 * approval. Everything lives in `arena`. */
HAFT_MUST_USE haft_status haft__graph_picture_create(haft__arena *arena, const haft__spec *spec,
                                                     haft__json source, haft__drawing *ret_drawing,
                                                     haft_error *err);

#endif
