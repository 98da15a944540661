/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/endpoint.c: the id of a server. tests/cli/model_test.py tests which key goes
 * to which server. */
#include "engine/endpoint.h"

#include "base/str.h"
#include "test.h"

TEST(the_id_of_an_endpoint_is_that_of_its_base_url)
{
    static const struct {
        const char *name, *one, *other;
        bool same;
    } cases[] = {
        {"the same URL", "https://a.example/v1/messages", "https://a.example/v1/messages", true},
        {"another host", "https://a.example/v1/messages", "https://b.example/v1/messages", false},
        {"another port", "http://127.0.0.1:1/v1/x", "http://127.0.0.1:2/v1/x", false},
        {"another scheme", "http://a.example/v1/x", "https://a.example/v1/x", false},
        {"another path", "https://a.example/red/v1/x", "https://a.example/blue/v1/x", false},
        {"another user", "https://u:one@a.example/v1/x", "https://u:two@a.example/v1/x", true},
        {"a query", "https://a.example/v1/x?key=1", "https://a.example/v1/x?key=/2", true},
        {"another method of a model", "https://a.example/v1beta/models/m:generateContent",
         "https://a.example/v1beta/models/m:streamGenerateContent?alt=sse", true},
        {"no path", "https://a.example", "https://b.example", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft_str one = haft__endpoint_id(&arena, haft__str(cases[i].one));
        haft_str other = haft__endpoint_id(&arena, haft__str(cases[i].other));
        CHECK_INT(one.len, 16, "%s", cases[i].name);
        CHECK_INT(haft__str_equal(one, other), cases[i].same, "%s", cases[i].name);
        haft__arena_finish(&arena);
    }
}
