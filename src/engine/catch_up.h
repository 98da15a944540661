/* SPDX-License-Identifier: Apache-2.0 */
/* engine/catch_up.h - what a run has missed when it is opened. */
#ifndef HAFT_ENGINE_CATCH_UP_H
#define HAFT_ENGINE_CATCH_UP_H

#include "haft.h"

/* Records what an opened run has missed: commands that were sent to it, a changed spec, calls that
 * were interrupted, and the command of the opener. */
HAFT_MUST_USE haft_status haft__run_catch_up(haft_run *run, haft_error *err);

#endif
