/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/approval.c. */
#include "run/approval.h"

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
    "\"digits\":\"500\",\"yes\":true}";

TEST(conditions_hold_or_not)
{
    static const struct {
        const char *when;
        bool wanted;
    } cases[] = {
        {"null", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":100.0}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":\"100\"}", true}, /* who knows */
        {"{\"at\":\"/amount\",\"op\":\"ne\",\"value\":\"100\"}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":\"all\"}", false},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":true}", true},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":[100]}", false},
        {"{\"at\":\"/amount\",\"op\":\"eq\",\"value\":null}", false},
        {"{\"at\":\"/digits\",\"op\":\"gt\",\"value\":100}", true},
        {"{\"at\":\"/digits\",\"op\":\"lt\",\"value\":100}", true},
        {"{\"at\":\"/digits\",\"op\":\"le\",\"value\":null}", true},
        {"{\"at\":\"/digits\",\"op\":\"eq\",\"value\":5}", true},
        {"{\"at\":\"/digits\",\"op\":\"ne\",\"value\":500}", true},
        {"{\"at\":\"/digits\",\"op\":\"in\",\"value\":[500,600]}", true},
        {"{\"at\":\"/digits\",\"op\":\"eq\",\"value\":\"5\"}", false},
        {"{\"at\":\"/to\",\"op\":\"in\",\"value\":[5,6]}", false},
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
        {"{\"at\":\"/to\",\"op\":\"matches\",\"value\":\"(\"}", true}, /* cannot be decided */
        {"{\"at\":\"/amount\",\"op\":\"matches\",\"value\":\"1\"}", true},
        {"{\"at\":\"/none\",\"op\":\"exists\"}", true},
        {"{\"at\":\"/absent\",\"op\":\"exists\"}", false},
        {"{\"at\":\"/absent\",\"op\":\"exists\",\"value\":false}", true},
        {"{\"at\":\"/absent\",\"op\":\"eq\",\"value\":null}", false},
        {"{\"at\":\"/absent\",\"op\":\"ne\",\"value\":1}", true},
        {"{\"at\":\"\",\"op\":\"exists\"}", true},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    static const haft_str send[] = {{"send", 4}};
    haft__json values = parse(&arena, arguments);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__approval_rule rule = {
            .tools = send, .tool_count = 1, .when = parse(&arena, cases[i].when)};
        haft__spec spec = {.approvals = &rule, .approval_count = 1};
        haft__tool tool = {.name = HAFT__LIT("send")};
        const haft__approval_rule *found = NULL;
        bool wanted = haft__approval_wanted(&spec, &tool, &values, &arena, &found);
        CHECK_INT(wanted, cases[i].wanted, "%s", cases[i].when);
        CHECK((found == &rule) == wanted, "the rule: %s", cases[i].when);
        CHECK(haft__approval_wanted(&spec, &tool, NULL, &arena, &found), "could be: %s",
              cases[i].when);
    }
    haft__arena_finish(&arena);
}

TEST(rules_name_tools_and_traits)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    static const haft_str traits[] = {{"destructive", 11}, {"idempotent", 10}};
    static const haft_str tools[] = {{"docs:send_*", 11}};
    haft__approval_rule rules[] = {{.tools = tools, .tool_count = 1},
                                   {.traits = traits, .trait_count = 2}};
    haft__spec spec = {.approvals = rules, .approval_count = 2};
    static const struct {
        haft__tool tool;
        bool wanted;
        int rule;
    } cases[] = {
        {{.name = {"docs:send_mail", 14}}, true, 0},
        {{.name = {"docs:read", 9}}, false, -1},
        {{.name = {"drop", 4}, .traits = {.destructive = true}}, true, 1},
        {{.name = {"put", 3}, .traits = {.idempotent = true}}, true, 1},
        {{.name = {"get", 3}, .traits = {.read_only = true, .return_direct = true}}, false, -1},
        {{.name = {"pay", 3}, .traits = {.needs_approval = true}}, true, -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__approval_rule *found = NULL;
        haft__json none = haft__json_object(NULL, 0);
        CHECK_INT(haft__approval_wanted(&spec, &cases[i].tool, &none, &arena, &found),
                  cases[i].wanted, "case %zu", i);
        CHECK(found == (cases[i].rule < 0 ? NULL : &rules[cases[i].rule]), "rule of case %zu", i);
    }
    haft__arena_finish(&arena);
}
