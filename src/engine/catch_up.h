/* SPDX-License-Identifier: Apache-2.0 */
/* engine/catch_up.h - brings an opened run up to date. */
#ifndef HAFT_ENGINE_CATCH_UP_H
#define HAFT_ENGINE_CATCH_UP_H

#include "haft.h"

/* Records everything that happened since the last owner stopped: commands that were sent to the
 * run, a changed spec, calls that were interrupted. Then records the command of the opener. */
HAFT_MUST_USE haft_status haft__run_catch_up(haft_run *run, haft_error *err);

#endif
