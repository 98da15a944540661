/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/model_progress.h - reports a model reply while it arrives: events of kind model_progress.
 * Private to src/engine.
 *
 * Pieces that arrive together are reported together. Text that may be the beginning of a secret is
 * buffered until more has arrived.
 */
#ifndef HAFT_ENGINE_MODEL_PROGRESS_H
#define HAFT_ENGINE_MODEL_PROGRESS_H

#include "base/buf.h"
#include "model/model.h"

typedef struct haft__model_progress {
    haft_run *run;
    haft__buf text, reasoning; /* buffered: not reported yet */
    bool text_started;         /* text has arrived: later reasoning is not reported */
    bool dropped;              /* too much was buffered: no more of this reply is reported */
} haft__model_progress;

void haft__model_progress_init(haft__model_progress *progress, haft_run *run);
void haft__model_progress_finish(haft__model_progress *progress);

/* Reports that an attempt of the model call has failed and when the next one starts: model_retry.
 */
void haft__model_progress_report_retry(haft_run *run, uint32_t attempt, haft_str reason,
                                       uint64_t wait_ms);

/* Adds a piece of the reply. Calls and their arguments are not reported. */
void haft__model_progress_add(haft__model_progress *progress, const haft__delta *delta);

/* Reports the buffered text up to a possible beginning of a secret. If the reply is complete,
 * reports the whole text. */
void haft__model_progress_flush(haft__model_progress *progress, bool complete);

#endif
