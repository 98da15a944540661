/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - see routes.h. Tests: tests/studio/studio_test.py. */
#include "serve/studio/routes.h"

#include "base/macros.h"
#include "base/str.h"
#include "serve/api/call.h"
#include "serve/studio/studio.h"

static void handle_page(haft__api_call *call)
{
    haft__studio_request request = {
        .path = call->params.count > 0 ? call->params.values[0] : HAFT__LIT(""),
        .accept_encoding = haft__http_server_header(call->request, "Accept-Encoding"),
        .if_none_match = haft__http_server_header(call->request, "If-None-Match")};
    haft__studio_response response;
    haft__studio_respond(&request, &response);
    haft__api_reply reply = {.status = response.head.status,
                             .content_type = response.head.content_type,
                             .fields = response.head.fields,
                             .field_count = response.head.field_count};
    haft__api_reply_with(call, &reply, response.body);
}

static void handle_redirect(haft__api_call *call)
{
    static const haft__http_server_field location = {{"Location", 8}, {"/studio/", 8}};
    haft__api_reply reply = {.status = 302, .fields = &location, .field_count = 1};
    haft__api_reply_with(call, &reply, HAFT__LIT(""));
}

static const haft__route routes[] = {
    {.method = "GET",
     .path = "/",
     .id = "root",
     .role = HAFT__ROLE_NONE,
     .handle = handle_redirect,
     .summary = "Redirects to the studio",
     .media_type = "text/html",
     .success_status = 302},
    {.method = "GET",
     .path = "/studio",
     .id = "studio_root",
     .role = HAFT__ROLE_NONE,
     .handle = handle_redirect,
     .summary = "Redirects to the studio",
     .media_type = "text/html",
     .success_status = 302},
    {.method = "GET",
     .path = "/studio/",
     .id = "studio",
     .role = HAFT__ROLE_NONE,
     .handle = handle_page,
     .summary = "The page that shows runs and why they did what they did",
     .media_type = "text/html",
     .any_query = true},
    {.method = "GET",
     .path = "/studio/{path...}",
     .id = "studio_file",
     .role = HAFT__ROLE_NONE,
     .handle = handle_page,
     .summary = "A view of the studio, or below app/ one of its files",
     .media_type = "text/html",
     .any_query = true},
};

const haft__route_table haft__studio_routes = {routes, COUNT(routes)};
