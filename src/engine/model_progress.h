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

typedef struct haft__teller {
    haft_run *run;
    haft__buf text, reasoning; /* that have come and were not told */
    bool thought;              /* text has come: what it thinks behind that is not told */
    bool lost;                 /* too much had to wait: nothing more of this reply is told */
} haft__teller;

void haft__teller_init(haft__teller *teller, haft_run *run);
void haft__teller_finish(haft__teller *teller);

/* Takes a piece of the reply; calls and their arguments are not told. */
void haft__teller_add(haft__teller *teller, const haft__delta *delta);

/* Tells what can be told; all of it when the reply is over. */
void haft__teller_tell(haft__teller *teller, bool over);

#endif
