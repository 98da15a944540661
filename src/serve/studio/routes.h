/* SPDX-License-Identifier: Apache-2.0 */
/* serve/studio/routes.h - the routes of the studio. They need no token: the page has no data of its
 * own, and its requests to the runs API send the token of the person. */
#ifndef HAFT_SERVE_STUDIO_ROUTES_H
#define HAFT_SERVE_STUDIO_ROUTES_H

#include "serve/api/route.h"

extern const haft__route_table haft__studio_routes;

#endif
