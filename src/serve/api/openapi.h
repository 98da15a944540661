/* SPDX-License-Identifier: Apache-2.0 */
/* serve/api/openapi.h - describes the routes as OpenAPI 3.1, from the table and
 * docs/schemas/http.schema.json. */
#ifndef HAFT_SERVE_API_OPENAPI_H
#define HAFT_SERVE_API_OPENAPI_H

#include "base/buf.h"
#include "serve/api/route.h"
#include "json/value.h"

/* The definitions of the schemas, as an object that lives in `arena`. */
HAFT_MUST_USE haft_status haft__openapi_definitions(haft__arena *arena, haft__json *ret_definitions,
                                                    haft_error *err);

/* Appends the document. */
HAFT_MUST_USE haft_status haft__openapi_write(haft__buf *buf, const haft__route_table *tables,
                                              size_t table_count, haft_error *err);

#endif
