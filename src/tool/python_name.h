/* SPDX-License-Identifier: Apache-2.0 */
/* tool/python_name.h - the name of a tool as a function of Python, for code that calls tools. */
#ifndef HAFT_TOOL_PYTHON_NAME_H
#define HAFT_TOOL_PYTHON_NAME_H

#include "base/buf.h"

/* Appends the wire name of the tool as an identifier: '-' becomes '_', and a keyword of Python gets
 * a '_' at its end. */
void haft__python_name_add(haft__buf *buf, haft_str name);

#endif
