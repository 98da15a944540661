/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/facts.c: values with their keys from results that are JSON. */
#include "model/offline_help.h"

typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__offline_past past;
    haft__offline_facts facts;
} fixture;

static void begin(fixture *f)
{
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, "x");
}

static haft_str list(fixture *f)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__offline_past_read(&f->r.request, &f->arena, &f->past, NULL), HAFT_OK, "past");
    CHECK_INT(haft__offline_facts_read(&f->past, &f->arena, &f->facts, NULL), HAFT_OK, "facts");
    for (size_t i = 0; i < f->facts.count; i++) {
        const haft__offline_fact *fact = &f->facts.items[i];
        haft__buf_addf(&buf, "%s%.*s=%.*s", i > 0 ? " " : "", HAFT__ARG(fact->key),
                       HAFT__ARG(haft__json_text(fact->value)));
    }
    haft_str kept = haft__arena_copy(&f->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

TEST(values_with_their_keys)
{
    static const struct {
        const char *result, *facts;
    } cases[] = {
        {"{\"id\": 7, \"name\": \"Ada\"}", "id=7 name=Ada"},
        {"[{\"id\": 1}, {\"id\": 2, \"more\": {\"x\": 1.5}}]", "id=1 id=2 x=1.5"},
        {"{\"ids\": [1, 2]}", "ids=1 ids=2"},
        {"{\"a\": null, \"b\": true, \"\": 1}", "b="},
        {" \n{\"a\": 1}\n", "a=1"},
        {"[1, 2]", ""},
        {"{\"a\": 1", ""},
        {"text", ""},
        {"", ""},
        {"7", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        begin(&f);
        offline_request_add(&f.r, "find", "{}", cases[i].result, false);
        CHECK_STR(list(&f), haft__str(cases[i].facts), "%s", cases[i].result);
        haft__arena_finish(&f.arena);
    }
}

TEST(the_newest_result_comes_first)
{
    fixture f;
    begin(&f);
    offline_request_add(&f.r, "find", "{}", "{\"id\":1}", false);
    offline_request_add(&f.r, "find", "{\"x\":1}", "{\"id\":2}", true);
    offline_request_add(&f.r, "find", "{\"x\":2}", "{\"id\":3}", false);
    offline_request_add(&f.r, "find", "{\"x\":3}", NULL, false);
    CHECK_STR(list(&f), HAFT__LIT("id=3 id=1"), "errors have none");
    haft__arena_finish(&f.arena);
}

TEST(so_many_facts_and_no_more)
{
    for (int more = -1; more < 2; more++) {
        fixture f;
        begin(&f);
        haft__buf text;
        haft__buf_init(&text, 1 << 20);
        haft__buf_addf(&text, "{\"ids\":[0");
        for (int i = 1; i < HAFT__LIMIT_OFFLINE_FACTS + more; i++) {
            haft__buf_addf(&text, ",%d", i);
        }
        haft__buf_addf(&text, "]}");
        haft__buf_add_char(&text, '\0');
        offline_request_add(&f.r, "find", "{}", text.ptr, false);
        (void)list(&f);
        CHECK_INT(f.facts.count, HAFT__LIMIT_OFFLINE_FACTS + (more < 0 ? more : 0), "facts");
        haft__buf_finish(&text);
        haft__arena_finish(&f.arena);
    }
}

TEST(long_results_are_no_facts)
{
    fixture f;
    begin(&f);
    size_t length = 300 << 10;
    char *text = test_alloc(length + 1);
    memset(text, ' ', length);
    memcpy(text, "{\"a\":1,", 7);
    memcpy(text + length - 7, "\"b\":2}", 7);
    offline_request_add(&f.r, "find", "{}", text, false);
    CHECK_STR(list(&f), HAFT__LIT(""), "too long");
    haft__arena_finish(&f.arena);
}

TEST(facts_without_memory)
{
    for (unsigned n = 0;; n++) {
        fixture f;
        begin(&f);
        offline_request_add(&f.r, "find", "{}", "[{\"a\\n\":[1,{\"b\":\"\\u00e4\"}]}]", false);
        CHECK_INT(haft__offline_past_read(&f.r.request, &f.arena, &f.past, NULL), HAFT_OK, "past");
        test_fail_allocation(n);
        haft_status status = haft__offline_facts_read(&f.past, &f.arena, &f.facts, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&f.arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
