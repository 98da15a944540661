/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/pause/condition.c. */
#include "run/pause/condition.h"

#include "test.h"
#include "json/read.h"

static haft__json parse(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, &err), HAFT_OK, "%s: %s",
              text, err.message);
    return value;
}

static const char arguments[] =
    "{\"amount\":100,\"to\":\"bob@example.org\",\"tags\":[\"a\",\"b\"],\"none\":null,"
    "\"digits\":\"500\",\"yes\":true,\"nothing\":[],\"a/b\":1}";

TEST(conditions_are_evaluated_and_unclear_ones_need_approval)
{
    static const struct {
        const char *when;
        bool wanted;
    } cases[] = {
        {"null", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":100.0}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":\"100\"}",
         true}, /* a text and a number cannot be compared */
        {"{\"at\":\"/amount\",\"op\":\"ne\",\"value\":\"100\"}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":\"all\"}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":true}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":[100]}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":null}", false},
        {"{\"at\":\"/digits\",\"op\":\"gt\",\"value\":100}", true},
        {"{\"at\":\"/digits\",\"op\":\"lt\",\"value\":100}", true},
        {"{\"at\":\"/digits\",\"op\":\"le\",\"value\":null}", true},
        {"{\"at\":\"/digits\",\"op\":\"eq\",\"value\":5}", true},
        {"{\"at\":\"/digits\",\"op\":\"ne\",\"value\":500}", true},
        {"{\"at\":\"/digits\",\"op\":\"in\",\"value\":[500,600]}", true},
        {"{\"at\":\"/digits\",\"op\":\"eq\",\"value\":\"5\"}", false},
        {"{\"at\":\"/to\",\"op\":\"in\",\"value\":[5,6]}", true},
        {"{\"at\":\"/to\",\"op\":\"in\",\"value\":\"bob\"}", true},
        {"{\"at\":\"/to\",\"op\":\"eq\",\"value\":false}", true},
        {"{\"at\":\"/yes\",\"op\":\"eq\",\"value\":\"true\"}", true},
        {"{\"at\":\"/yes\",\"op\":\"eq\",\"value\":1}", true},
        {"{\"at\":\"/yes\",\"op\":\"eq\",\"value\":false}", false},
        {"{\"at\":\"/yes\",\"op\":\"gt\",\"value\":false}", true},
        {"{\"at\":\"/none\",\"op\":\"gt\",\"value\":1}", true},
        {"{\"at\":\"/absent\",\"op\":\"gt\",\"value\":1}", false},
        {"{\"at\":\"/amount\",\"op\":\"contains\",\"value\":1}", true},
        {"{\"at\":\"/amount\",\"op\":\"ne\",\"value\":100}", false},
        {"{\"at\":\"/amount\",\"op\":\"ne\",\"value\":1}", true},
        {"{\"at\":\"/amount\",\"op\":\"lt\",\"value\":100}", false},
        {"{\"at\":\"/amount\",\"op\":\"lt\",\"value\":100.5}", true},
        {"{\"at\":\"/amount\",\"op\":\"le\",\"value\":100}", true},
        {"{\"at\":\"/amount\",\"op\":\"gt\",\"value\":100}", false},
        {"{\"at\":\"/amount\",\"op\":\"gt\",\"value\":99}", true},
        {"{\"at\":\"/amount\",\"op\":\"ge\",\"value\":100}", true},
        {"{\"at\":\"/amount\",\"op\":\"ge\",\"value\":\"1\"}", true},
        {"{\"at\":\"/to\",\"op\":\"gt\",\"value\":\"alice\"}", true},
        {"{\"at\":\"/amount\",\"op\":\"in\",\"value\":[1,100]}", true},
        {"{\"at\":\"/amount\",\"op\":\"in\",\"value\":[1,2]}", false},
        {"{\"at\":\"/tags\",\"op\":\"contains\",\"value\":\"b\"}", true},
        {"{\"at\":\"/tags\",\"op\":\"contains\",\"value\":\"c\"}", false},
        {"{\"at\":\"/to\",\"op\":\"contains\",\"value\":\"@example\"}", true},
        {"{\"at\":\"/to\",\"op\":\"contains\",\"value\":\"@other\"}", false},
        {"{\"at\":\"/to\",\"op\":\"contains\",\"value\":\"\"}", true},
        {"{\"at\":\"/to\",\"op\":\"matches\",\"value\":\"^bob@\"}", true},
        {"{\"at\":\"/to\",\"op\":\"matches\",\"value\":\"^eve@\"}", false},
        {"{\"at\":\"/to\",\"op\":\"matches\",\"value\":\"(\"}", true}, /* the pattern is invalid */
        {"{\"at\":\"/amount\",\"op\":\"matches\",\"value\":\"1\"}", true},
        {"{\"at\":\"/none\",\"op\":\"exists\"}", true},
        {"{\"at\":\"/absent\",\"op\":\"exists\"}", false},
        {"{\"at\":\"/absent\",\"op\":\"exists\",\"value\":false}", true},
        {"{\"at\":\"/absent\",\"op\":\"eq\",\"value\":null}", false},
        {"{\"at\":\"/absent\",\"op\":\"ne\",\"value\":1}", true},
        {"{\"at\":\"\",\"op\":\"exists\"}", true},
        /* nothing to compare it with */
        {"{\"at\":\"/amount\",\"op\":\"eq\"}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":{}}", true},
        {"{\"at\":\"/amount\",\"op\":\"in\",\"value\":[]}", true},
        {"{\"at\":\"/amount\",\"op\":\"in\",\"value\":[\"a\"]}", true},
        {"{\"at\":\"/to\",\"op\":\"eq\",\"value\":[\"bob\"]}", true},
        {"{\"at\":\"/tags\",\"op\":\"contains\",\"value\":5}", true},
        {"{\"at\":\"/tags\",\"op\":\"contains\"}", true},
        /* one value of the list can be compared and differs; another could be equal */
        {"{\"at\":\"/to\",\"op\":\"in\",\"value\":[5,\"eve\"]}", false},
        {"{\"at\":\"/digits\",\"op\":\"in\",\"value\":[500,\"600\"]}", true},
        /* null differs from all others, and can be a value of the rule */
        {"{\"at\":\"/none\",\"op\":\"eq\",\"value\":5}", false},
        {"{\"at\":\"/none\",\"op\":\"eq\",\"value\":null}", true},
        {"{\"at\":\"/none\",\"op\":\"in\",\"value\":[\"a\",5]}", false},
        {"{\"at\":\"/amount\",\"op\":\"in\",\"value\":[null]}", false},
        {"{\"at\":\"/amount\",\"op\":\"ne\",\"value\":null}", true},
        {"{\"at\":\"/tags\",\"op\":\"contains\",\"value\":null}", false},
        {"{\"at\":\"/nothing\",\"op\":\"contains\",\"value\":5}", false},
        /* an invalid path is not a missing argument */
        {"{\"at\":\"/to/name\",\"op\":\"eq\",\"value\":\"bob\"}", true},
        {"{\"at\":\"/tags/x\",\"op\":\"eq\",\"value\":\"bob\"}", true},
        {"{\"at\":\"amount\",\"op\":\"gt\",\"value\":1000}", true},
        {"{\"at\":\"/to/name\",\"op\":\"exists\"}", false},
        {"{\"at\":\"/tags/7\",\"op\":\"eq\",\"value\":\"bob\"}", false},
        {"{\"at\":\"/none/x\",\"op\":\"eq\",\"value\":\"bob\"}", false},
        {"{\"at\":\"/absent/x\",\"op\":\"eq\",\"value\":\"bob\"}", false},
        {"{\"at\":\"/a~1b\",\"op\":\"eq\",\"value\":1}", true},
        {"{\"at\":\"/a~1b\",\"op\":\"eq\",\"value\":2}", false},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json values = parse(&arena, arguments);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json when = parse(&arena, cases[i].when);
        CHECK_INT(haft__condition_needs_approval(&arena, when, &values), cases[i].wanted, "%s",
                  cases[i].when);
        CHECK(haft__condition_needs_approval(&arena, when, NULL), "unclear without arguments: %s",
              cases[i].when);
    }
    haft__arena_finish(&arena);
}
