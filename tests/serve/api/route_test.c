/* SPDX-License-Identifier: Apache-2.0 */
/* route_test.c - the table of routes. */
#include "serve/api/route.h"

#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "serve/api/openapi.h"
#include "serve/runs/runs.h"
#include "test.h"

TEST(routes_are_found_by_method_and_path)
{
    static const struct {
        const char *method, *path, *id; /* id NULL: `status` */
        uint32_t status;
        const char *allow;
    } cases[] = {
        {"GET", "/ok", "ok", 0, ""},
        {"HEAD", "/ok", "ok", 0, ""},
        {"GET", "/api/v1/runs", "runs_list", 0, ""},
        {"POST", "/api/v1/runs", "run_create", 0, ""},
        {"GET", "/api/v1/runs/x", "run_get", 0, ""},
        {"GET", "/api/v1/runs/x/artifacts/a/b", "run_artifact", 0, ""},
        {"PUT", "/api/v1/runs", NULL, 405, "POST, GET"},
        {"get", "/ok", NULL, 405, "GET"},
        {"GET", "/api/v2/runs", NULL, 404, ""},
        {"GET", "/", NULL, 404, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t status = 0;
        char allow[64];
        const haft__route *route =
            haft__route_find(&haft__runs_routes, 1, haft__str(cases[i].method),
                             haft__str(cases[i].path), &status, allow);
        CHECK_INT(route != NULL, cases[i].id != NULL, "%s", cases[i].path);
        if (route != NULL && cases[i].id != NULL) {
            CHECK_STR(haft__str(route->id), haft__str(cases[i].id), "%s", cases[i].path);
        } else {
            CHECK_INT(status, cases[i].status, "%s", cases[i].path);
            CHECK_STR(haft__str(allow), haft__str(cases[i].allow), "%s", cases[i].path);
        }
    }
}

TEST(rows_are_complete_and_differ)
{
    const haft__route *routes = haft__runs_routes.routes;
    for (size_t i = 0; i < haft__runs_routes.count; i++) {
        const haft__route *route = &routes[i];
        CHECK_INT(route->handle != NULL, true, "%s", route->id);
        CHECK_INT(route->summary != NULL && route->summary[strlen(route->summary) - 1] != '.', true,
                  "%s", route->id);
        for (size_t k = 0; k < i; k++) {
            CHECK_INT(strcmp(routes[k].id, route->id) != 0, true, "%s", route->id);
            CHECK_INT(strcmp(routes[k].path, route->path) != 0
                          || strcmp(routes[k].method, route->method) != 0,
                      true, "%s", route->path);
        }
    }
}

TEST(the_description_fits_its_limit)
{
    haft__buf text;
    haft_error err = {0};
    haft__buf_init(&text, HAFT__LIMIT_SERVE_OPENAPI_BYTES);
    CHECK_INT(haft__openapi_write(&text, &haft__runs_routes, 1, &err), HAFT_OK, "%s", err.message);
    size_t size = text.len;
    haft__buf_finish(&text);
    haft__buf_init(&text, size);
    CHECK_INT(haft__openapi_write(&text, &haft__runs_routes, 1, &err), HAFT_OK, "at the limit");
    haft__buf_finish(&text);
    haft__buf_init(&text, size - 1);
    CHECK_INT(haft__openapi_write(&text, &haft__runs_routes, 1, &err), HAFT_TOO_BIG, "past it");
    haft__buf_finish(&text);
}
