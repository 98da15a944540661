/* SPDX-License-Identifier: Apache-2.0 */
/* format/formats.h - the list of formats. Each has a row here and a file of the same name in
 * dialects/. */
#ifndef HAFT_FORMAT_FORMATS_H
#define HAFT_FORMAT_FORMATS_H

#include "format/state.h"

#define HAFT__FORMATS(X)                                                                           \
    X(anthropic_xml)                                                                               \
    X(codemode)                                                                                    \
    X(command_r)                                                                                   \
    X(deepseek_v3)                                                                                 \
    X(deepseek_v31)                                                                                \
    X(deepseek_v32)                                                                                \
    X(functionary_v31)                                                                             \
    X(functionary_v32)                                                                             \
    X(glm)                                                                                         \
    X(granite)                                                                                     \
    X(harmony)                                                                                     \
    X(hermes)                                                                                      \
    X(kimi_k2)                                                                                     \
    X(llama3)                                                                                      \
    X(mistral)                                                                                     \
    X(purejson)                                                                                    \
    X(pythonic)                                                                                    \
    X(qwen3coder)

/* HAFT__FORMATS(HAFT__FORMATS_LINE) is a text with one line per format, for help. */
#define HAFT__FORMATS_LINE(name) "    " #name "\n"

#define X(name) extern const haft__format haft__format_##name;
HAFT__FORMATS(X)
#undef X

#endif
