/* SPDX-License-Identifier: Apache-2.0 */
/* engine/catch_up.h - updates an opened run with changes since its last owner stopped. */
#ifndef HAFT_ENGINE_CATCH_UP_H
#define HAFT_ENGINE_CATCH_UP_H

#include "haft.h"

/* Records the changes since the last owner stopped: commands that were sent to the run, a changed
 * spec, and the outcome of interrupted calls. Then records the command of the opener. */
HAFT_MUST_USE haft_status haft__run_catch_up(haft_run *run, haft_error *err);

#endif
