/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/api/route.h - the table of routes of `haft serve`.
 *
 * A route is one row. The gateway dispatches by the table; /openapi.json and docs/http-api.md are
 * printed from it. A path of the table with another method is rejected with 405.
 */
#ifndef HAFT_SERVE_API_ROUTE_H
#define HAFT_SERVE_API_ROUTE_H

#include "engine/access/token.h"
#include "serve/api/path.h"

typedef struct haft__api_call haft__api_call;

/* A parameter of a query. */
typedef struct haft__route_parameter {
    const char *name; /* NULL after the last one */
    const char *type; /* "string", "integer" or "boolean" */
    const char *what; /* one sentence */
} haft__route_parameter;

typedef struct haft__route {
    const char *method, *path;
    const char *id; /* operationId: run_create */
    haft__role role;
    void (*handle)(haft__api_call *call);
    const char *summary; /* one sentence without a full stop */
    const char *body;    /* the schema of its JSON body in docs/schemas/http.schema.json; or NULL */
    bool body_optional;
    const char *response;    /* the schema of its JSON response; NULL: see `media_type` */
    const char *media_type;  /* of its response, if it is not JSON; or NULL */
    uint32_t success_status; /* 0: 200 */
    const haft__route_parameter *query; /* NULL for none */
    bool any_query; /* of a page, whose script reads the query: nothing is checked */
} haft__route;

typedef struct haft__route_table {
    const haft__route *routes;
    size_t count;
} haft__route_table;

/* Finds the route of a well-formed path. NULL and 404, or 405 if the path has other methods, whose
 * names are in *ret_allow: "GET, POST". HEAD is answered like GET. */
const haft__route *haft__route_find(const haft__route_table *tables, size_t table_count,
                                    haft_str method, haft_str path, uint32_t *ret_status,
                                    char ret_allow[64]);

#endif
