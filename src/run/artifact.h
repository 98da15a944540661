/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/artifact.h - artifacts: their content, and how binary results of tools become artifacts.
 *
 * If the model stored the artifact with store_artifact, its content is in the arguments of the
 * call. If it is a binary result, its content is in the event artifact_stored.
 */
#ifndef HAFT_RUN_ARTIFACT_H
#define HAFT_RUN_ARTIFACT_H

#include "run/run.h"

/* The bytes of an artifact; "" if the call of store_artifact has none. */
haft_str haft__artifact_content(const haft__run *run, const haft__artifact *artifact);

/* Whether the model has stored an artifact itself; binary results of tools do not count. */
bool haft__artifact_any_stored(const haft__run *run);

/* The name of a binary result: the tool's name, the first number that is free in the run, and the
 * extension of the media type, "chart-1.png". Lives in `arena`; .ptr is NULL when out of memory. */
haft_str haft__artifact_choose_name(const haft__run *run, haft_str tool, haft_str media_type,
                                    haft__arena *arena);

/* The outcome of storing a binary result. */
typedef enum haft__artifact_fate {
    HAFT__ARTIFACT_STORED,
    HAFT__ARTIFACT_TOO_BIG, /* past HAFT__LIMIT_ARTIFACT_BINARY_BYTES */
    HAFT__ARTIFACT_SECRET,  /* withheld: it contains a secret */
} haft__artifact_fate;

/* Appends a line for the model: "12,345 bytes of image/png, stored as the artifact chart-1.png".
 */
void haft__artifact_describe(haft__buf *buf, haft__artifact_fate fate, size_t bytes,
                             haft_str media_type, haft_str name);

/* Whether an event artifact_stored is an input: it has the content of a binary result. */
bool haft__artifact_is_result(const haft__event *event);

/* Writes the body of artifact_stored, with the content. The call is running. */
void haft__input_artifact_stored(haft__buf *buf, haft_str call, haft_str name, haft_str media_type,
                                 haft_str content);

#endif
