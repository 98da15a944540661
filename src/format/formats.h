/* SPDX-License-Identifier: Apache-2.0 */
/* format/formats.h - every format there is: a row here, and a file of its name. */
#ifndef HAFT_FORMAT_FORMATS_H
#define HAFT_FORMAT_FORMATS_H

#include "format/place.h"

#define HAFT__FORMATS(X)                                                                           \
    X(codemode)                                                                                    \
    X(hermes)                                                                                      \
    X(llama3)                                                                                      \
    X(mistral)                                                                                     \
    X(purejson)                                                                                    \
    X(pythonic)                                                                                    \
    X(qwen3coder)

#define X(name) extern const haft__format haft__format_##name;
HAFT__FORMATS(X)
#undef X

#endif
