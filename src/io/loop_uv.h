/* SPDX-License-Identifier: Apache-2.0 */
/* io/loop_uv.h - access to the underlying libuv loop, for the files of src/io. */
#ifndef HAFT_IO_LOOP_UV_H
#define HAFT_IO_LOOP_UV_H

#include <uv.h>

#include "io/loop.h"

uv_loop_t *haft__loop_uv(haft__loop *loop);

#endif
