/* SPDX-License-Identifier: Apache-2.0 */
/* docs/events.md, docs/schemas/event.schema.json and the code agree: on the kinds, their fields and
 * the order of these, and on every event of every scenario. */
#include "base/limits.h"
#include "run/event.h"
#include "scenario_help.h"
#include "schema/schema.h"
#include "json/pointer.h"
#include "json/read.h"
#include "json/write.h"

static const char *const kinds[] = {
#define X(name, text) text,
    HAFT__EVENT_KINDS(X)
#undef X
};

/* Members before the fields of the kind. */
#define ENVELOPE 4

typedef struct contract {
    haft__arena arena;
    haft__json value, defs;
    const haft__schema *schema;
    haft__checker *checker;
} contract;

static void contract_init(contract *c)
{
    haft_error err = {0};
    haft__arena_init(&c->arena, 0);
    haft_str text = test_read_file("docs/schemas/event.schema.json");
    haft_status status = haft__json_read(&c->arena, text, NULL, &c->value, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%s %s", err.where, err.message);
    status = haft__schema_compile(&c->arena, c->value, NULL, &c->schema, &err);
    CHECK_INT(status, HAFT_OK, "%s %s", err.where, err.message);
    c->defs = *haft__json_get(c->value, HAFT__LIT("$defs"));
    c->checker = haft__checker_create();
}

static void contract_finish(contract *c)
{
    haft__checker_destroy(c->checker);
    haft__arena_finish(&c->arena);
}

/* Whether an event is valid for the schema; the problem is written to *ret_why. */
static bool is_valid(contract *c, haft__json event, haft_str *ret_why)
{
    haft__schema_report report = {0};
    haft_error err = {0};
    CHECK_INT(haft__schema_check(c->schema, c->checker, event, &c->arena, &report, &err), HAFT_OK,
              "%s", err.message);
    *ret_why = report.valid ? HAFT__LIT("") : report.errors[0].message;
    return report.valid;
}

static const haft__json *properties_of(const contract *c, haft_str kind)
{
    const haft__json *def = haft__json_get(c->defs, kind);
    return def != NULL ? haft__json_get(*def, HAFT__LIT("properties")) : NULL;
}

/* Whether a field of a kind is required. */
static bool is_required(const contract *c, haft_str kind, haft_str field)
{
    const haft__json *def = haft__json_get(c->defs, kind);
    const haft__json *required = haft__json_get(*def, HAFT__LIT("required"));
    for (uint32_t i = 0; required != NULL && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), field)) {
            return true;
        }
    }
    return false;
}

/* The same keys in the same order; optional ones may be missing. */
static void check_order(const contract *c, haft__json event, haft_str kind)
{
    const haft__json *properties = properties_of(c, kind);
    uint32_t next = 0;
    CHECK(properties != NULL, "there is no %.*s", HAFT__ARG(kind));
    for (uint32_t i = 0; properties != NULL && i < properties->count; i++) {
        haft_str wanted = haft__json_text(properties->members[i].key);
        bool here =
            next < event.count && haft__str_equal(haft__json_text(event.members[next].key), wanted);
        CHECK(here || !is_required(c, kind, wanted), "%.*s: expected %.*s as field %u",
              HAFT__ARG(kind), HAFT__ARG(wanted), next);
        next += here;
    }
    CHECK_INT(next, event.count, "%.*s has other fields", HAFT__ARG(kind));
}

/* Every field is required, except those that are optional in the schema, and no other is allowed.
 */
static void check_exact(contract *c, haft__json event, haft_str kind)
{
    haft__json_member *members =
        haft__arena_array(&c->arena, (size_t)event.count + 1, sizeof(*members));
    haft_str why;
    for (uint32_t left_out = 0; left_out < event.count; left_out++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < event.count; i++) {
            if (i != left_out) {
                members[count++] = event.members[i];
            }
        }
        haft_str field = haft__json_text(event.members[left_out].key);
        CHECK(is_valid(c, haft__json_object(members, count), &why) != is_required(c, kind, field),
              "%.*s: required in the schema or not, but validated otherwise", HAFT__ARG(field));
    }
    memcpy(members, event.members, event.count * sizeof(*members));
    members[event.count].key = haft__json_string(HAFT__LIT("extra"));
    members[event.count].value = haft__json_null();
    CHECK(!is_valid(c, haft__json_object(members, (size_t)event.count + 1), &why),
          "an unknown field is accepted");
}

static haft__json check_event(contract *c, haft_str line, const char *place)
{
    haft__json event = haft__json_null();
    haft_error err = {0};
    CHECK_INT(haft__json_read(&c->arena, line, NULL, &event, NULL, &err), HAFT_OK, "%s: %s", place,
              err.message);
    haft_str why, kind = haft__json_text(event.members[ENVELOPE - 1].value);
    CHECK(is_valid(c, event, &why), "%s: %.*s: %.*s", place, HAFT__ARG(why), HAFT__ARG(line));
    check_order(c, event, kind);
    check_exact(c, event, kind);
    return event;
}

TEST(every_event_of_every_scenario_is_valid_for_the_schema)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    contract c;
    contract_init(&c);
    for (size_t i = 0; i < count; i++) {
        haft_str log = help_scenario_log(&scenarios[i]);
        while (log.len > 0) {
            (void)check_event(&c, haft__str_split(&log, '\n'), scenarios[i].path);
        }
    }
    contract_finish(&c);
}

/* How often a name is a key, or a text, of the value. */
static unsigned mentions(haft__json list, haft_str name)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        count += haft__str_equal(haft__json_text(list.items[i]), name);
    }
    return count;
}

TEST(the_schema_has_every_kind_and_no_other)
{
    contract c;
    contract_init(&c);
    const haft__json *branches = haft__json_get(c.value, HAFT__LIT("allOf"));
    const haft__json *listed = haft__pointer_get(&c.value, HAFT__LIT("/properties/kind/enum"));
    CHECK_INT(listed->count, COUNT(kinds), "number of kinds in the enum");
    CHECK_INT(branches->count, COUNT(kinds), "number of branches");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        haft_str kind = haft__str(kinds[i]);
        CHECK_INT(mentions(*listed, kind), 1, "%s", kinds[i]);
        const haft__json *properties = properties_of(&c, kind);
        CHECK(properties != NULL, "there is no %s", kinds[i]);
        if (properties != NULL) {
            const haft__json *own = haft__json_get(*properties, HAFT__LIT("kind"));
            CHECK_STR(haft__json_text(*haft__json_get(*own, HAFT__LIT("const"))), kind,
                      "kind of the branch");
        }
        haft__buf branch, wanted;
        haft__buf_init(&branch, 4096);
        haft__buf_init(&wanted, 4096);
        haft__json_write(&branch, branches->items[i]);
        haft__buf_addf(&wanted,
                       "{\"if\":{\"properties\":{\"kind\":{\"const\":\"%s\"}}},"
                       "\"then\":{\"$ref\":\"#/$defs/%s\"}}",
                       kinds[i], kinds[i]);
        CHECK_STR(haft__buf_str(&branch), haft__buf_str(&wanted), "%s", kinds[i]);
        haft__buf_finish(&branch);
        haft__buf_finish(&wanted);
    }
    contract_finish(&c);
}

/* The row of the page's table that a kind must have, up to its meaning. */
static void write_row(haft__buf *buf, const contract *c, haft_str kind)
{
    const haft__json *properties = properties_of(c, kind);
    for (uint32_t i = ENVELOPE; properties != NULL && i < properties->count; i++) {
        haft__buf_addf(buf, "%s`%.*s`", i > ENVELOPE ? " " : "",
                       HAFT__ARG(haft__json_text(properties->members[i].key)));
    }
}

/* Such fields are missing in older logs, which replay byte for byte. */
TEST(only_fields_about_questions_and_changed_tools_are_optional)
{
    contract c;
    contract_init(&c);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        haft_str kind = haft__str(kinds[i]);
        const haft__json *properties = properties_of(&c, kind);
        for (uint32_t k = 0; properties != NULL && k < properties->count; k++) {
            haft_str field = haft__json_text(properties->members[k].key);
            bool of_tool = haft__str_equal(kind, HAFT__LIT("paused"))
                           && (haft__str_equal(field, HAFT__LIT("server"))
                               || haft__str_equal(field, HAFT__LIT("reason"))
                               || haft__str_equal(field, HAFT__LIT("pinned")));
            of_tool = of_tool
                      || (haft__str_equal(kind, HAFT__LIT("tools_revealed"))
                          && (haft__str_equal(field, HAFT__LIT("reason"))
                              || haft__str_equal(field, HAFT__LIT("deferred_tools"))
                              || haft__str_equal(field, HAFT__LIT("embeddings"))))
                      || (haft__str_equal(kind, HAFT__LIT("gate_opened"))
                          && (haft__str_equal(field, HAFT__LIT("declared"))
                              || haft__str_equal(field, HAFT__LIT("cache_tokens"))))
                      || haft__str_equal(field, HAFT__LIT("binding"))
                      || haft__str_equal(field, HAFT__LIT("personal"))
                      || haft__str_equal(field, HAFT__LIT("returns"))
                      || (haft__str_equal(kind, HAFT__LIT("hook_started"))
                          && haft__str_equal(field, HAFT__LIT("arguments")))
                      || (haft__str_equal(kind, HAFT__LIT("intervention"))
                          && (haft__str_equal(field, HAFT__LIT("closed"))
                              || haft__str_equal(field, HAFT__LIT("arguments"))
                              || haft__str_equal(field, HAFT__LIT("result"))
                              || haft__str_equal(field, HAFT__LIT("note"))
                              || haft__str_equal(field, HAFT__LIT("ok"))
                              || haft__str_equal(field, HAFT__LIT("last"))
                              || haft__str_equal(field, HAFT__LIT("ms"))))
                      || (haft__str_equal(kind, HAFT__LIT("answered"))
                          && (haft__str_equal(field, HAFT__LIT("always"))
                              || haft__str_equal(field, HAFT__LIT("why"))
                              || haft__str_equal(field, HAFT__LIT("message"))))
                      || haft__str_equal(field, HAFT__LIT("asked_again"))
                      || haft__str_equal(field, HAFT__LIT("rebound"))
                      || haft__str_equal(field, HAFT__LIT("variables"))
                      || haft__str_equal(field, HAFT__LIT("prices"))
                      || haft__str_equal(field, HAFT__LIT("memory"))
                      || haft__str_equal(field, HAFT__LIT("skills"))
                      || haft__str_equal(field, HAFT__LIT("functions"))
                      || (haft__str_equal(kind, HAFT__LIT("artifact_stored"))
                          && (haft__str_equal(field, HAFT__LIT("encoding"))
                              || haft__str_equal(field, HAFT__LIT("content"))))
                      || haft__str_equal(field, HAFT__LIT("provider_items"))
                      || haft__str_equal(field, HAFT__LIT("provider_calls"))
                      || haft__str_equal(field, HAFT__LIT("retries"))
                      || haft__str_equal(field, HAFT__LIT("delivered"))
                      || haft__str_equal(field, HAFT__LIT("unsent_reasoning"))
                      || haft__str_equal(field, HAFT__LIT("cache"))
                      || (haft__str_equal(kind, HAFT__LIT("context_changed"))
                          && (haft__str_equal(field, HAFT__LIT("calls"))
                              || haft__str_equal(field, HAFT__LIT("end"))
                              || haft__str_equal(field, HAFT__LIT("text"))))
                      || haft__str_equal(field, HAFT__LIT("summary"))
                      || haft__str_equal(field, HAFT__LIT("context"))
                      || haft__str_equal(field, HAFT__LIT("tree"))
                      || haft__str_equal(field, HAFT__LIT("kept"))
                      || (haft__str_equal(kind, HAFT__LIT("call_finished"))
                          && haft__str_equal(field, HAFT__LIT("command")))
                      || haft__str_equal(field, HAFT__LIT("node"))
                      || (haft__str_equal(field, HAFT__LIT("parent"))
                          && !haft__str_equal(kind, HAFT__LIT("call_requested"))
                          && !haft__str_equal(kind, HAFT__LIT("run_started")))
                      || haft__str_equal(field, HAFT__LIT("sandbox"))
                      || (haft__str_equal(kind, HAFT__LIT("child_finished"))
                          && haft__str_equal(field, HAFT__LIT("result")))
                      || (haft__str_equal(kind, HAFT__LIT("graph_step")) && k > 4)
                      || (haft__str_equal(kind, HAFT__LIT("run_started"))
                          && (haft__str_equal(field, HAFT__LIT("file"))
                              || haft__str_equal(field, HAFT__LIT("messages"))
                              || haft__str_equal(field, HAFT__LIT("traceparent"))
                              || haft__str_equal(field, HAFT__LIT("call"))
                              || haft__str_equal(field, HAFT__LIT("root"))
                              || haft__str_equal(field, HAFT__LIT("path"))
                              || haft__str_equal(field, HAFT__LIT("set"))));
            CHECK(is_required(&c, kind, field) != of_tool, "%s: %.*s", kinds[i], HAFT__ARG(field));
        }
    }
    contract_finish(&c);
}

TEST(the_page_has_every_kind_with_its_fields)
{
    contract c;
    contract_init(&c);
    haft_str page = test_read_file("docs/events.md");
    size_t rows = 0;
    while (page.len > 0) {
        haft_str line = haft__str_split(&page, '\n');
        if (haft__str_starts_with(line, HAFT__LIT("## "))) {
            break; /* other tables follow */
        }
        if (!haft__str_starts_with(line, HAFT__LIT("| `"))) {
            continue;
        }
        (void)haft__str_split(&line, '|');
        haft_str kind = haft__str_trim(haft__str_split(&line, '|'));
        haft_str role = haft__str_trim(haft__str_split(&line, '|'));
        haft_str fields = haft__str_trim(haft__str_split(&line, '|'));
        haft__buf wanted, quoted;
        haft__buf_init(&wanted, 4096);
        haft__buf_init(&quoted, 4096);
        haft__buf_addf(&quoted, "`%s`", rows < COUNT(kinds) ? kinds[rows] : "");
        CHECK_STR(kind, haft__buf_str(&quoted), "row %zu", rows);
        write_row(&wanted, &c, haft__str(rows < COUNT(kinds) ? kinds[rows] : ""));
        CHECK_STR(fields, haft__buf_str(&wanted), "%.*s", HAFT__ARG(kind));
        CHECK(haft__str_starts_with(role, HAFT__LIT("input"))
                  || haft__str_starts_with(role, HAFT__LIT("decision")),
              "%.*s: %.*s", HAFT__ARG(kind), HAFT__ARG(role));
        haft__buf_finish(&wanted);
        haft__buf_finish(&quoted);
        rows++;
    }
    CHECK_INT(rows, COUNT(kinds), "number of rows");
    contract_finish(&c);
}

TEST(the_page_has_an_example_of_every_kind)
{
    contract c;
    contract_init(&c);
    haft_str page = test_read_file("docs/events.md");
    size_t examples = 0;
    while (page.len > 0) {
        haft_str line = haft__str_split(&page, '\n');
        if (haft__str_starts_with(line, HAFT__LIT("{\"seq\":"))) {
            haft__json event = check_event(&c, line, "docs/events.md");
            CHECK_STR(haft__json_text(event.members[ENVELOPE - 1].value),
                      haft__str(examples < COUNT(kinds) ? kinds[examples] : ""), "example %zu",
                      examples);
            examples++;
        }
    }
    CHECK_INT(examples, COUNT(kinds), "number of examples");
    contract_finish(&c);
}

/* Progress events are valid for $defs/told, and are not durable events. */
TEST(progress_events_have_their_schema)
{
#define LINE                                                                                       \
    "{\"after\":2,\"at\":\"1970-01-01T00:16:40.040Z\",\"run\":\"00000000000000000000000001\","
    static const struct {
        const char *line;
        bool valid;
    } lines[] = {
        {LINE "\"kind\":\"model_progress\",\"turn\":1,\"text\":\"x\"}", true},
        {LINE "\"kind\":\"model_progress\",\"turn\":1,\"reasoning\":\"x\"}", true},
        {LINE "\"kind\":\"call_progress\",\"call\":\"c1.1\",\"data\":{\"n\":1}}", true},
        {LINE "\"kind\":\"model_progress\",\"turn\":1}", false},
        {LINE "\"kind\":\"model_progress\",\"turn\":1,\"text\":\"x\",\"reasoning\":\"x\"}", false},
        {LINE "\"kind\":\"call_progress\",\"turn\":1,\"text\":\"x\"}", false},
        {LINE "\"kind\":\"model_replied\",\"turn\":1,\"text\":\"x\"}", false},
    };
    contract c;
    haft__buf text;
    contract_init(&c);
    haft__buf_init(&text, 1 << 20);
    haft__buf_add_str(&text, HAFT__LIT("{\"$ref\":\"#/$defs/told\",\"$defs\":"));
    haft__json_write(&text, c.defs);
    haft__buf_add_char(&text, '}');
    haft__json progress;
    const haft__schema *events = c.schema;
    CHECK_INT(haft__json_read(&c.arena, haft__buf_str(&text), NULL, &progress, NULL, NULL), HAFT_OK,
              "the schema of progress events is JSON");
    CHECK_INT(haft__schema_compile(&c.arena, progress, NULL, &c.schema, NULL), HAFT_OK,
              "compile the schema");
    const haft__schema *of_progress = c.schema;
    for (size_t i = 0; i < COUNT(lines); i++) {
        haft__json line;
        haft_str why;
        CHECK_INT(haft__json_read(&c.arena, haft__str(lines[i].line), NULL, &line, NULL, NULL),
                  HAFT_OK, "line %zu", i);
        c.schema = of_progress;
        CHECK(is_valid(&c, line, &why) == lines[i].valid, "line %zu: %.*s", i, HAFT__ARG(why));
        c.schema = events;
        CHECK(!is_valid(&c, line, &why), "line %zu is a valid durable event", i);
    }
    haft__buf_finish(&text);
    contract_finish(&c);
#undef LINE
}
