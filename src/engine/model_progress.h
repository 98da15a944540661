/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/model_progress.h - what a model says, told while it says it: model_progress. Private to
 * src/engine.
 *
 * What arrives together is told together. A secret that comes in pieces is not told in pieces: what
 * may be the beginning of one waits for what follows.
 */
#ifndef HAFT_ENGINE_MODEL_PROGRESS_H
#define HAFT_ENGINE_MODEL_PROGRESS_H

#include "engine/runtime.h"

typedef struct haft__model_progress {
    haft_run *run;
    haft__buf text, reasoning; /* that have come and were not told */
    bool text_started;         /* text has come: what it thinks behind that is not told */
    bool dropped;              /* too much had to wait: nothing more of this reply is told */
} haft__model_progress;

void haft__model_progress_init(haft__model_progress *progress, haft_run *run);
void haft__model_progress_finish(haft__model_progress *progress);

/* Takes a piece of the reply; calls and their arguments are not told. */
void haft__model_progress_add(haft__model_progress *progress, const haft__delta *delta);

/* Tells what can be told; all of it when the reply is over. */
void haft__model_progress_flush(haft__model_progress *progress, bool over);

#endif
