/* SPDX-License-Identifier: Apache-2.0 */
/* route.c - finds routes. Tests: tests/serve/api/route_test.c. */
#include "serve/api/route.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/str.h"

static void add_method(char allow[64], const char *method)
{
    size_t used = strlen(allow);
    if (strstr(allow, method) == NULL) {
        (void)snprintf(allow + used, 64 - used, "%s%s", used > 0 ? ", " : "", method);
    }
}

const haft__route *haft__route_find(const haft__route_table *tables, size_t table_count,
                                    haft_str method, haft_str path, uint32_t *ret_status,
                                    char ret_allow[64])
{
    haft_str wanted = haft__str_equal(method, HAFT__LIT("HEAD")) ? HAFT__LIT("GET") : method;
    ret_allow[0] = '\0';
    for (size_t t = 0; t < table_count; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const haft__route *route = &tables[t].routes[i];
            if (!haft__path_match(route->path, path, NULL, NULL)) {
                continue;
            }
            if (haft__str_equal(wanted, haft__str(route->method))) {
                return route;
            }
            add_method(ret_allow, route->method);
        }
    }
    *ret_status = ret_allow[0] != '\0' ? 405 : 404;
    return NULL;
}
