/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/stem.h - strips English endings, so that "files" finds "file". */
#ifndef HAFT_TOOL_INDEX_STEM_H
#define HAFT_TOOL_INDEX_STEM_H

#include <stddef.h>

/* Porter's algorithm (An algorithm for suffix stripping, 1980), in place. Returns the new length.
 * Words of fewer than three letters, and words with any byte other than a-z, stay unchanged. */
size_t haft__search_stem(char *word, size_t length);

#endif
