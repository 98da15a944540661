/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/stem.h - English words without their endings, so that "files" finds "file". */
#ifndef HAFT_TOOL_INDEX_STEM_H
#define HAFT_TOOL_INDEX_STEM_H

#include <stddef.h>

/* Porter's algorithm (An algorithm for suffix stripping, 1980), in place: the new length. Words of
 * fewer than three letters, and those with anything but a-z in them, stay as they are. */
size_t haft__search_stem(char *word, size_t length);

#endif
