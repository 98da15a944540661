/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide/media_type.h - the media type of an artifact, by its name. */
#ifndef HAFT_RUN_DECIDE_MEDIA_TYPE_H
#define HAFT_RUN_DECIDE_MEDIA_TYPE_H

#include "haft.h"

/* By the extension, in any case; text/plain if it is unknown or missing: an artifact is text. */
haft_str haft__media_type_of_name(haft_str name);

#endif
