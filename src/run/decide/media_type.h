/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide/media_type.h - the media type of an artifact, by its name. */
#ifndef HAFT_RUN_DECIDE_MEDIA_TYPE_H
#define HAFT_RUN_DECIDE_MEDIA_TYPE_H

#include "haft.h"

/* Returns the media type for the extension of the name; upper and lower case are the same. Returns
 * text/plain for an unknown or missing extension, because artifacts of store_artifact are text. */
haft_str haft__media_type_of_name(haft_str name);

#endif
