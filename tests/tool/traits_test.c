/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/traits.c. */
#include "tool/traits.h"

#include "spec/load/load.h"
#include "test.h"
#include "tool_help.h"
#include "json/pointer.h"
#include "json/read.h"

#define DEFAULTS                                                                                   \
    "{\"read_only\":false,\"idempotent\":false,\"destructive\":false,\"return_direct\":false,"     \
    "\"needs_approval\":false,\"cost\":\"light\",\"timeout\":\"1m\",\"retries\":0,"                \
    "\"cache\":\"none\",\"lane\":null}"

static haft_str written(const haft__traits *traits)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    haft__json_writer w;
    haft__json_writer_init(&w, &buf);
    haft__traits_write(&w, traits);
    char *copy = test_alloc(buf.len + 1);
    memcpy(copy, buf.ptr, buf.len);
    haft_str text = {copy, buf.len};
    haft__buf_finish(&buf);
    return text;
}

/* Traits that are read, written and read again are the same. */
TEST(traits_are_read_and_written)
{
    static const struct {
        const char *json, *wanted;
    } cases[] = {
        {"{}", DEFAULTS},
        {DEFAULTS, DEFAULTS},
        {"{\"cost\":null,\"cache\":null,\"timeout\":null,\"read_only\":null}", DEFAULTS},
        {"{\"read_only\":true,\"cost\":\"free\",\"timeout\":\"10s\",\"retries\":2,"
         "\"cache\":\"run\",\"lane\":\"x\",\"needs_approval\":true}",
         "{\"read_only\":true,\"idempotent\":false,\"destructive\":false,\"return_direct\":false,"
         "\"needs_approval\":true,\"cost\":\"free\",\"timeout\":\"10s\",\"retries\":2,"
         "\"cache\":\"run\",\"lane\":\"x\"}"},
        {"{\"idempotent\":true,\"destructive\":true,\"return_direct\":true,\"cost\":\"heavy\","
         "\"timeout\":0.5,\"retries\":10,\"cache\":{\"scope\":\"thread\",\"ttl\":\"5m\"}}",
         "{\"read_only\":false,\"idempotent\":true,\"destructive\":true,\"return_direct\":true,"
         "\"needs_approval\":false,\"cost\":\"heavy\",\"timeout\":\"500ms\",\"retries\":10,"
         "\"cache\":{\"scope\":\"thread\",\"ttl\":\"5m\"},\"lane\":null}"},
        {"{\"cache\":{\"scope\":\"global\"},\"timeout\":\"1d\"}",
         "{\"read_only\":false,\"idempotent\":false,\"destructive\":false,\"return_direct\":false,"
         "\"needs_approval\":false,\"cost\":\"light\",\"timeout\":\"1d\",\"retries\":0,"
         "\"cache\":\"global\",\"lane\":null}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__traits traits, again;
        haft_error err = {0};
        haft__traits_init(&traits);
        haft_status status = haft__traits_read(help_json(&arena, cases[i].json), &traits, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", cases[i].json, err.where, err.message);
        haft_str text = written(&traits);
        CHECK_STR(text, haft__str(cases[i].wanted), "%s", cases[i].json);
        haft__traits_init(&again);
        status = haft__traits_read(help_json(&arena, cases[i].wanted), &again, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", cases[i].wanted, err.where, err.message);
        CHECK_STR(written(&again), text, "%s", cases[i].wanted);
        haft__arena_finish(&arena);
    }
}

TEST(absent_traits_keep_their_values)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__traits traits;
    haft__traits_init(&traits);
    haft_status status = haft__traits_read(
        help_json(&arena, "{\"read_only\":true,\"cache\":{\"scope\":\"run\",\"ttl\":1}}"), &traits,
        NULL);
    CHECK_INT(status, HAFT_OK, "read the first traits");
    status = haft__traits_read(help_json(&arena, "{\"cost\":\"heavy\"}"), &traits, NULL);
    CHECK_INT(status, HAFT_OK, "read the second traits");
    CHECK(traits.read_only && traits.cost == HAFT__COST_HEAVY && traits.cache == HAFT__CACHE_RUN
              && traits.cache_ttl_ms == 1000,
          "%.*s", HAFT__ARG(written(&traits)));
    status = haft__traits_read(help_json(&arena, "{\"cache\":\"thread\"}"), &traits, NULL);
    CHECK_INT(status, HAFT_OK, "read the third traits");
    CHECK(traits.cache == HAFT__CACHE_THREAD && traits.cache_ttl_ms == 0,
          "a new cache scope resets the time");
    haft__arena_finish(&arena);
}

TEST(invalid_traits_are_rejected)
{
    static const char lane_65[] =
        "{\"lane\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}";
    static const struct {
        const char *json;
        haft_status status;
        const char *error;
    } cases[] = {
        {"[]", HAFT_BAD_INPUT, " | expected an object of traits, found array | "},
        {"{\"readonly\":true}", HAFT_BAD_INPUT,
         " | unknown key 'readonly' | did you mean 'read_only'?"},
        {"{\"colour\":1}", HAFT_BAD_INPUT, " | unknown key 'colour' | "},
        {"{\"read_only\":1}", HAFT_BAD_INPUT,
         "/read_only | expected true or false, found number | "},
        {"{\"needs_approval\":\"yes\"}", HAFT_BAD_INPUT,
         "/needs_approval | expected true or false, found string | "},
        {"{\"cost\":\"hevy\"}", HAFT_BAD_INPUT,
         "/cost | expected one of free, light, heavy, found 'hevy' | did you mean 'heavy'?"},
        {"{\"cost\":\"huge\"}", HAFT_BAD_INPUT,
         "/cost | expected one of free, light, heavy, found 'huge' | "},
        {"{\"cost\":3}", HAFT_BAD_INPUT, "/cost | expected a name, found number | "},
        {"{\"timeout\":\"soon\"}", HAFT_BAD_INPUT,
         "/timeout | 'soon' is not a duration | write it like 250ms, 10s, 5m, 2h or 1d"},
        {"{\"timeout\":0}", HAFT_BAD_INPUT, "/timeout | a timeout must be longer than 0 | "},
        {"{\"timeout\":\"86400001ms\"}", HAFT_TOO_BIG,
         "/timeout | a timeout can be at most 24 hours | "},
        {"{\"retries\":11}", HAFT_TOO_BIG, "/retries | expected at most 10 retries | "},
        {"{\"retries\":99999999999}", HAFT_TOO_BIG, "/retries | expected at most 10 retries | "},
        {"{\"timeout\":\"4294967296s\"}", HAFT_TOO_BIG,
         "/timeout | a timeout can be at most 24 hours | "},
        {"{\"polls\":true,\"poll_delay\":\"3600001ms\"}", HAFT_TOO_BIG,
         "/poll_delay | a delay can be at most 60 minutes | "},
        {"{\"polls\":true,\"poll_delay\":\"9999999999s\"}", HAFT_TOO_BIG,
         "/poll_delay | a delay can be at most 60 minutes | "},
        {"{\"poll_delay\":true}", HAFT_BAD_INPUT,
         "/poll_delay | expected a duration, found boolean | write it like 250ms, 10s, 5m, "
         "2h "
         "or 1d"},
        {"{\"retries\":-1}", HAFT_BAD_INPUT,
         "/retries | expected a whole number from 0, found number | "},
        {"{\"retries\":1.5}", HAFT_BAD_INPUT,
         "/retries | expected a whole number from 0, found number | "},
        {"{\"retries\":true}", HAFT_BAD_INPUT,
         "/retries | expected a whole number from 0, found boolean | "},
        {"{\"cache\":true}", HAFT_BAD_INPUT, "/cache | expected a name, found boolean | "},
        {"{\"cache\":\"runs\"}", HAFT_BAD_INPUT,
         "/cache | expected one of none, run, thread, global, found 'runs' | did you mean 'run'?"},
        {"{\"cache\":{\"ttl\":\"5m\"}}", HAFT_BAD_INPUT,
         "/cache | a cache needs its scope: run, thread or global | "},
        {"{\"cache\":{\"scope\":\"run\",\"tll\":\"5m\"}}", HAFT_BAD_INPUT,
         "/cache | unknown key 'tll' | did you mean 'ttl'?"},
        {"{\"cache\":{\"scope\":\"rum\"}}", HAFT_BAD_INPUT,
         "/cache/scope | expected one of none, run, thread, global, found 'rum' | "
         "did you mean 'run'?"},
        {"{\"cache\":{\"scope\":\"run\",\"ttl\":-1}}", HAFT_BAD_INPUT,
         "/cache/ttl | '-1' is negative | write it like 250ms, 10s, 5m, 2h or 1d"},
        {"{\"lane\":\"\"}", HAFT_BAD_INPUT,
         "/lane | expected a name that is not empty, found string | "},
        {"{\"lane\":[]}", HAFT_BAD_INPUT,
         "/lane | expected a name that is not empty, found array | "},
        {lane_65, HAFT_TOO_BIG, "/lane | the name of the lane has 65 bytes, more than 64 | "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__traits traits;
        haft_error err = {0};
        haft__traits_init(&traits);
        haft_status status = haft__traits_read(help_json(&arena, cases[i].json), &traits, &err);
        CHECK_INT(status, cases[i].status, "%s", cases[i].json);
        CHECK_STR(help_error(&err), haft__str(cases[i].error), "%s", cases[i].json);
        CHECK_STR(written(&traits), HAFT__LIT(DEFAULTS), "%s: the traits have changed",
                  cases[i].json);
        haft__arena_finish(&arena);
    }
}

TEST(a_lane_at_the_length_limit_is_read)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__traits traits;
    haft__traits_init(&traits);
    haft__json object = help_json(
        &arena, "{\"lane\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}");
    CHECK_INT(haft__traits_read(object, &traits, NULL), HAFT_OK, "64 bytes");
    CHECK_INT(traits.lane.len, 64, "length of the lane");
    haft__arena_finish(&arena);
}

TEST(contradicting_traits_are_rejected)
{
    static const struct {
        haft__traits traits;
        const char *where; /* NULL if they are valid */
    } cases[] = {
        {{.destructive = true}, NULL},
        {{.read_only = true}, NULL},
        {{.read_only = true, .destructive = true}, "/destructive"},
        {{.retries = 1}, "/retries"},
        {{.retries = 1, .destructive = true}, "/retries"},
        {{.retries = 1, .read_only = true}, NULL},
        {{.retries = 1, .idempotent = true}, NULL},
        {{.retries = 1, .idempotent = true, .destructive = true}, NULL},
        {{.cache = HAFT__CACHE_RUN}, "/cache"},
        {{.timeout_ms = 86400000, .retries = 10, .idempotent = true}, NULL},
        {{.polls = true, .poll_delay_ms = 3600000}, NULL},
        {{.poll_delay_ms = 1}, "/poll_delay"},
        {{.polls = true, .idempotent = true}, NULL},
        {{.polls = true, .idempotent = true, .cache = HAFT__CACHE_RUN}, "/polls"},
        {{.cache = HAFT__CACHE_RUN, .read_only = true}, NULL},
        {{.cache = HAFT__CACHE_GLOBAL, .idempotent = true}, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        haft_status status = haft__traits_check(&cases[i].traits, &err);
        const char *where = cases[i].where != NULL ? cases[i].where : "";
        CHECK_INT(status, cases[i].where == NULL ? HAFT_OK : HAFT_BAD_INPUT, "case %zu", i);
        CHECK_STR(haft__str(err.where), haft__str(where), "case %zu: %s", i, err.message);
    }
}

TEST(traits_past_their_limits_are_rejected)
{
    static const struct {
        haft__traits traits;
        const char *where;
    } cases[] = {
        {{.timeout_ms = 86400001}, "/timeout"},
        {{.retries = 11, .idempotent = true}, "/retries"},
        {{.lane = {"a lane", 65}}, "/lane"},
        {{.polls = true, .poll_delay_ms = 3600001}, "/poll_delay"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        CHECK_INT(haft__traits_check(&cases[i].traits, &err), HAFT_TOO_BIG, "case %zu", i);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "%s", err.message);
    }
}

TEST(annotations_of_mcp_are_hints)
{
    static const struct {
        const char *annotations;
        bool read_only, destructive, idempotent;
    } cases[] = {
        {"null", false, true, false},
        {"{}", false, true, false},
        {"[]", false, true, false},
        {"{\"readOnlyHint\":true}", true, false, false},
        {"{\"readOnlyHint\":false}", false, true, false},
        {"{\"readOnlyHint\":true,\"destructiveHint\":false}", true, false, false},
        {"{\"readOnlyHint\":true,\"destructiveHint\":true}", false, true, false},
        {"{\"destructiveHint\":false,\"idempotentHint\":true}", false, false, true},
        {"{\"readOnlyHint\":\"true\",\"destructiveHint\":0,\"idempotentHint\":1}", false, true,
         false},
        {"{\"title\":\"x\",\"openWorldHint\":true,\"idempotentHint\":true}", false, true, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__traits traits = {0};
        haft__traits_from_mcp(help_json(&arena, cases[i].annotations), &traits);
        CHECK_INT(traits.read_only, cases[i].read_only, "read_only of %s", cases[i].annotations);
        CHECK_INT(traits.destructive, cases[i].destructive, "destructive of %s",
                  cases[i].annotations);
        CHECK_INT(traits.idempotent, cases[i].idempotent, "idempotent of %s", cases[i].annotations);
        CHECK_INT(traits.timeout_ms, HAFT__TRAITS_TIMEOUT_MS, "timeout");
        CHECK_INT(haft__traits_check(&traits, NULL), HAFT_OK, "%s", cases[i].annotations);
        haft__arena_finish(&arena);
    }
}

TEST(costs_and_scopes_have_names)
{
    CHECK(strcmp(haft__cost_name(HAFT__COST_FREE), "free") == 0, "free");
    CHECK(strcmp(haft__cost_name(HAFT__COST_HEAVY), "heavy") == 0, "heavy");
    CHECK(strcmp(haft__cache_scope_name(HAFT__CACHE_NONE), "none") == 0, "none");
    CHECK(strcmp(haft__cache_scope_name(HAFT__CACHE_GLOBAL), "global") == 0, "global");
}

TEST(traits_at_their_limits_are_accepted_and_past_them_rejected)
{
    char lane[HAFT__LIMIT_TOOL_LANE_BYTES + 1];
    memset(lane, 'a', sizeof(lane));
    for (unsigned past = 0; past <= 1; past++) {
        haft__traits traits;
        haft__traits_init(&traits);
        traits.read_only = true;
        traits.retries = HAFT__LIMIT_TOOL_RETRIES + past;
        CHECK_INT(haft__traits_check(&traits, NULL), past > 0 ? HAFT_TOO_BIG : HAFT_OK,
                  "retries, %u past the limit", past);
        haft__traits_init(&traits);
        traits.polls = true;
        traits.poll_delay_ms = HAFT__LIMIT_TOOL_POLL_DELAY_MS + past;
        CHECK_INT(haft__traits_check(&traits, NULL), past > 0 ? HAFT_TOO_BIG : HAFT_OK,
                  "poll_delay, %u past the limit", past);
        haft__traits_init(&traits);
        traits.lane = (haft_str){lane, HAFT__LIMIT_TOOL_LANE_BYTES + past};
        CHECK_INT(haft__traits_check(&traits, NULL), past > 0 ? HAFT_TOO_BIG : HAFT_OK,
                  "lane, %u past the limit", past);
    }
}

/* ---- the table and haft.schema.json ---- */

static const haft__json *find(const haft__json *schema, const char *pointer)
{
    const haft__json *found = haft__pointer_get(schema, haft__str(pointer));
    CHECK(found != NULL, "%s", pointer);
    return found;
}

/* The names are in the order of the row. For `cache`, they are in its condition. */
static void check_names(const haft__trait *trait, haft__json property)
{
    const haft__json *list = haft__json_get(property, HAFT__LIT("enum"));
    list = list != NULL ? list : find(&property, "/then/enum");
    CHECK_INT(list->count, trait->name_count, "%s", trait->key);
    for (size_t i = 0; i < trait->name_count; i++) {
        CHECK_STR(haft__json_text(list->items[i]), haft__str(trait->names[i]), "%s", trait->key);
    }
}

/* The default of the schema is that of haft__traits_init. */
static void check_default(const haft__trait *trait, haft__json property)
{
    const haft__json *usual = haft__json_get(property, HAFT__LIT("default"));
    haft__traits traits;
    haft__traits_init(&traits);
    if (usual != NULL) {
        CHECK_INT(trait->read(trait, *usual, &traits, NULL), HAFT_OK, "%s", trait->key);
    }
    CHECK_STR(written(&traits), HAFT__LIT(DEFAULTS), "%s", trait->key);
}

TEST(the_schema_of_specs_agrees_with_the_table_of_traits)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = haft__json_null();
    CHECK_INT(haft__json_read(&arena, haft__spec_schema_text(), NULL, &schema, NULL, NULL), HAFT_OK,
              "the schema is JSON");
    const haft__json *properties = find(&schema, "/$defs/traits/properties");
    size_t count;
    const haft__trait *table = haft__traits_table(&count);
    CHECK_INT(properties->count, count, "number of traits");
    for (size_t i = 0; i < count; i++) {
        haft__json property = properties->members[i].value;
        const haft__json *type = haft__json_get(property, HAFT__LIT("type"));
        bool flag = type != NULL && haft__str_equal(haft__json_text(*type), HAFT__LIT("boolean"));
        CHECK_STR(haft__json_text(properties->members[i].key), haft__str(table[i].key),
                  "order of the traits");
        CHECK_STR(haft__json_text(*find(&property, "/description")), haft__str(table[i].what), "%s",
                  table[i].key);
        CHECK_INT(flag, table[i].is_flag, "%s", table[i].key);
        if (table[i].names != NULL) {
            check_names(&table[i], property);
        }
        check_default(&table[i], property);
    }
    haft__arena_finish(&arena);
}

TEST(approvals_can_name_the_traits_marked_in_the_table)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = haft__json_null();
    CHECK_INT(haft__json_read(&arena, haft__spec_schema_text(), NULL, &schema, NULL, NULL), HAFT_OK,
              "the schema is JSON");
    const haft__json *list = find(&schema, "/$defs/approval/properties/traits/items/enum");
    size_t count, named = 0;
    const haft__trait *table = haft__traits_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (table[i].in_approvals) {
            CHECK(named < list->count, "%s", table[i].key);
            CHECK_STR(haft__json_text(list->items[named++]), haft__str(table[i].key),
                      "order of the traits");
        }
    }
    CHECK_INT(named, list->count, "number of traits in approvals");
    haft__arena_finish(&arena);
}

TEST(flags_of_c_tools_are_distinct)
{
    size_t count;
    uint32_t all = 0;
    const haft__trait *table = haft__traits_table(&count);
    for (size_t i = 0; i < count; i++) {
        CHECK((all & table[i].declared) == 0, "%s", table[i].key);
        CHECK_INT(table[i].declared != 0, table[i].is_flag, "%s", table[i].key);
        all |= table[i].declared;
    }
    CHECK_INT(haft__traits_flags(), all, "all flags together");
}

TEST(traits_are_described_in_one_line)
{
    static const struct {
        haft__traits traits;
        const char *wanted;
    } cases[] = {
        {{.cost = HAFT__COST_LIGHT, .timeout_ms = 10000}, "light, 10s"},
        {{.read_only = true, .idempotent = true, .timeout_ms = 60000},
         "read_only, idempotent, free, 1m"},
        {{.destructive = true,
          .return_direct = true,
          .needs_approval = true,
          .cost = HAFT__COST_HEAVY,
          .timeout_ms = 500,
          .retries = 1,
          .cache = HAFT__CACHE_RUN,
          .lane = {"db", 2}},
         "destructive, return_direct, needs_approval, heavy, 500ms, 1 retry, cached for the run, "
         "lane db"},
        {{.timeout_ms = 1000, .retries = 2}, "free, 1s, 2 retries"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 4096);
        haft__traits_describe(&buf, &cases[i].traits);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].wanted), "case %zu", i);
        haft__buf_finish(&buf);
    }
}
