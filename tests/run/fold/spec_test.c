/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/str.h"
#include "run/replay/replay.h"
#include "run/run_help.h"

#define TWO_CALLS                                                                                  \
    "{\"replies\":[{\"calls\":[{\"name\":\"send\",\"arguments\":{\"q\":\"a\"}},{\"name\":\"pick\"" \
    "}]},{\"text\":\"good\"}],\"results\":{\"send\":\"sent\"}}"

typedef struct change {
    help_run r;
    help_spec next; /* the new spec */
    haft_status fails;
    haft__spec_origin origin; /* of the new spec */
} change;

static haft_status load(void *context, haft__json source, uint64_t seq, const haft__spec **ret_spec,
                        haft_error *err)
{
    change *c = context;
    (void)source;
    (void)seq;
    *ret_spec = &c->next.spec;
    return c->fails != HAFT_OK ? haft__fail(err, c->fails, "", "it cannot be loaded") : HAFT_OK;
}

static void prepare(change *c, const char *spec, const char *next)
{
    *c = (change){.fails = HAFT_OK};
    help_run_init(&c->r, spec, TWO_CALLS);
    help_spec_init(&c->next, &c->r.arena, haft__str(next));
    c->next.spec.hash = HAFT__LIT("fedcba9876543210fedcba9876543210fedcba9876543210fedcba98765432"
                                  "10");
    c->next.spec.source = help_json(&c->r.arena, "{\"name\":\"next\"}");
    c->r.drive.run.specs = (haft__run_specs){.load = load, .context = c};
}

static void init(change *c, const char *spec, const char *next)
{
    prepare(c, spec, next);
    CHECK_INT(help_run_go(&c->r), HAFT_OK, "%s", c->r.err.message);
}

static haft_status accept(change *c)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft_status status = haft__input_spec_changed(&body, &c->r.drive.run, &c->next.spec, &c->origin,
                                                  HAFT__LIT("ana"), HAFT__LIT("a\nb\n"), &c->r.err);
    if (status == HAFT_OK) {
        status = haft__drive_append(&c->r.drive, haft__buf_str(&body), &c->r.err);
    }
    haft__buf_finish(&body);
    return status == HAFT_OK ? haft__drive_on(&c->r.drive, &c->r.err) : status;
}

static const haft__run_call *call(const change *c, size_t i)
{
    return &c->r.drive.run.calls[i];
}

TEST(a_run_continues_with_the_new_spec)
{
    change c;
    init(&c, "agent; tools=send!approval,pick!headless",
         "agent; tools=more,pick!headless,send!approval; instructions=New words.; turns=3");
    haft_str binding = help_keep(call(&c, 0)->binding);
    CHECK_INT(accept(&c), HAFT_OK, "%s", c.r.err.message);
    const haft__run *run = &c.r.drive.run;
    CHECK(run->spec == &c.next.spec, "the run has the new spec");
    CHECK(call(&c, 1)->tool == haft__tools_find(run->tools, HAFT__LIT("pick")),
          "the call has the tool of the new spec");
    CHECK_INT(call(&c, 1)->stage, HAFT__CALL_PAUSED, "another kind of pause stays open");
    CHECK_STR(call(&c, 0)->binding, binding, "the same tool, arguments and rules");
    CHECK_INT(call(&c, 0)->stage, HAFT__CALL_PAUSED, "the approval stays pending");
    CHECK(run->messages.items[0].role == HAFT__MESSAGE_SYSTEM,
          "the messages start with the new system prompt");
    CHECK_INT(help_run_answer(&c.r, "c1.1", "approve", "null"), HAFT_OK, "%s", c.r.err.message);
    CHECK_INT(help_run_answer(&c.r, "c1.2", "answer", "1"), HAFT_OK, "%s", c.r.err.message);
    CHECK_INT(run->end, HAFT__END_DONE, "the end of the run");
    haft__replay replay;
    haft__run_specs specs = {.load = load, .context = &c};
    CHECK_INT(haft__replay_specs(&c.r.arena, &c.r.spec.spec, specs, haft__buf_str(&c.r.log),
                                 HELP_KEY, &replay, &c.r.err),
              HAFT_OK, "%s", c.r.err.message);
    CHECK(replay.identical, "event %llu", (unsigned long long)replay.differs_at);
    help_run_finish(&c.r);
}

TEST(a_finished_call_needs_no_tool_in_the_new_spec)
{
    change c;
    init(&c, "agent; tools=send,pick!headless", "agent; tools=pick!headless");
    CHECK_INT(call(&c, 0)->stage, HAFT__CALL_FINISHED, "the call has its result");
    CHECK_INT(accept(&c), HAFT_OK, "%s", c.r.err.message);
    CHECK(call(&c, 0)->tool == NULL, "its tool is gone");
    CHECK_INT(help_run_answer(&c.r, "c1.2", "answer", "1"), HAFT_OK, "%s", c.r.err.message);
    CHECK_INT(c.r.drive.run.end, HAFT__END_DONE, "the end of the run");
    help_run_finish(&c.r);
}

TEST(the_variables_of_the_new_spec_replace_the_old_ones)
{
    static const haft_str names[] = {{"A", 1}, {"B", 1}};
    change c;
    init(&c, "agent; tools=send!approval,pick!headless",
         "agent; tools=more,pick!headless,send!approval");
    CHECK_INT(c.r.drive.run.model_variables.kind, HAFT__JSON_NULL, "no variables at first");
    c.origin = (haft__spec_origin){.variables = names, .variable_count = 2};
    CHECK_INT(accept(&c), HAFT_OK, "%s", c.r.err.message);
    haft__json found = c.r.drive.run.model_variables;
    CHECK(found.kind == HAFT__JSON_ARRAY && found.count == 2, "two variables of the new spec");
    CHECK_STR(haft__json_text(found.items[1]), names[1], "name of the second variable");
    help_run_finish(&c.r);
}

/* The price that the next spec states, and those that this machine and the log have. */
TEST(the_prices_of_the_log_replace_those_of_this_machine)
{
    static const struct {
        const char *name, *log;
        haft__price here;
        bool known;
        uint64_t input;
    } rows[] = {
        {"stated", NULL, {.known = true, .input = 7, .source = HAFT__PRICE_OF_SPEC}, true, 7},
        {"built in, recorded",
         NULL,
         {.known = true, .input = 7, .source = HAFT__PRICE_BUILT_IN},
         true,
         7},
        {"of another machine",
         "[{\"model\":\"p:m\",\"input\":0.000003,\"output\":1.0,\"cached\":0.0}]",
         {.known = true, .input = 7, .source = HAFT__PRICE_OF_SETTINGS},
         true,
         3},
        {"unknown here",
         "[{\"model\":\"p:m\",\"input\":0.000003,\"output\":1.0,\"cached\":0.0}]",
         {.known = false},
         true,
         3},
        {"unknown there",
         "null",
         {.known = true, .input = 7, .source = HAFT__PRICE_BUILT_IN},
         false,
         0},
        {"stated, and in the log",
         "[{\"model\":\"p:m\",\"input\":0.000003,\"output\":1.0,\"cached\":0.0}]",
         {.known = true, .input = 7, .source = HAFT__PRICE_OF_SPEC},
         true,
         7},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        change c;
        haft__json prices;
        init(&c, "agent; tools=send!approval,pick!headless",
             "agent; tools=send!approval,pick!headless");
        c.next.spec.model.provider = HAFT__LIT("p");
        c.next.spec.model.model = HAFT__LIT("m");
        c.next.spec.model.price = rows[i].here;
        if (rows[i].log != NULL) {
            prices = help_json(&c.r.arena, rows[i].log);
            c.origin.prices = &prices;
        }
        CHECK_INT(accept(&c), HAFT_OK, "%s: %s", rows[i].name, c.r.err.message);
        const haft__price *found = &c.r.drive.run.spec->model.price;
        CHECK_INT(found->known, rows[i].known, "%s", rows[i].name);
        CHECK_INT(found->input, rows[i].input, "%s", rows[i].name);
        CHECK(c.next.spec.model.price.input == rows[i].here.input, "the spec itself stays");
        help_run_finish(&c.r);
    }
}

TEST(an_approval_is_asked_for_again_when_its_binding_differs)
{
    for (int given = 0; given <= 1; given++) {
        change c;
        init(&c, "agent; tools=send!approval,pick!headless",
             "agent; tools=send!approval,pick!headless");
        haft_str binding = help_keep(call(&c, 0)->binding);
        c.next.spec.source = help_json(&c.r.arena, "{\"approvals\":[{\"tools\":[\"*\"]}]}");
        if (given == 1) { /* the call has not started: no process has continued */
            haft__buf body;
            haft__buf_init(&body, 4096);
            haft__input_approved(&body, HAFT__LIT("c1.1"), HAFT__LIT("ana"), HAFT__LIT("approve"),
                                 haft__json_null(), binding);
            CHECK_INT(haft__drive_append(&c.r.drive, haft__buf_str(&body), &c.r.err), HAFT_OK, "%s",
                      c.r.err.message);
            haft__buf_finish(&body);
        }
        CHECK_INT(accept(&c), HAFT_OK, "%s", c.r.err.message);
        CHECK_INT(call(&c, 0)->stage, HAFT__CALL_PAUSED, "given %d: needs approval again", given);
        CHECK(!haft__str_equal(call(&c, 0)->binding, binding), "given %d: the binding is the same",
              given);
        CHECK(!call(&c, 0)->started, "given %d: the call ran", given);
        help_run_finish(&c.r);
    }
}

/* ---- commands before the spec changed ---- */

/* The spec changes directly after the answer, before anything follows from it. */
static void answer_and_change(change *c, const char *verdict, const char *value, const char *next)
{
    haft__buf body;
    init(c, "agent; tools=send!approval,pick!headless", next);
    haft__buf_init(&body, 4096);
    haft__input_approved(&body, HAFT__LIT("c1.1"), HAFT__LIT("ana"), haft__str(verdict),
                         help_json(&c->r.arena, value), call(c, 0)->binding);
    CHECK_INT(haft__drive_append(&c->r.drive, haft__buf_str(&body), &c->r.err), HAFT_OK, "%s",
              c->r.err.message);
    haft__buf_finish(&body);
}

TEST(an_answer_stays_valid_under_a_spec_that_does_not_ask)
{
    static const struct {
        const char *verdict, *value, *next;
        haft__call_stage wanted;
        const char *shown; /* a part of the text for the model */
    } rows[] = {
        {"reject", "\"never\"", "send,pick!headless", HAFT__CALL_REFUSED, "rejected"},
        {"reject", "\"never\"", "pick!headless", HAFT__CALL_REFUSED, "rejected"},
        {"respond", "\"mine\"", "send,pick!headless", HAFT__CALL_FINISHED, "mine"},
        {"approve", "null", "send,pick!headless", HAFT__CALL_PAUSED, ""},
        {"edit", "{\"q\":\"b\"}", "send,pick!headless", HAFT__CALL_PAUSED, ""},
        {"approve", "null", "pick!headless", HAFT__CALL_REFUSED, "no tool"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        change c;
        char next[64];
        (void)snprintf(next, sizeof(next), "agent; tools=%s", rows[i].next);
        answer_and_change(&c, rows[i].verdict, rows[i].value, next);
        CHECK_INT(accept(&c), HAFT_OK, "%zu: %s", i, c.r.err.message);
        CHECK_INT(call(&c, 0)->stage, rows[i].wanted, "case %zu", i);
        CHECK(!call(&c, 0)->started, "%zu: the call ran", i);
        if (rows[i].shown[0] != '\0') {
            haft_str shown = help_keep(call(&c, 0)->shown);
            CHECK(strstr(shown.ptr, rows[i].shown) != NULL, "%zu: %.*s", i, HAFT__ARG(shown));
        }
        help_run_finish(&c.r);
    }
}

TEST(an_answer_in_place_of_a_result_needs_the_tool)
{
    change c;
    answer_and_change(&c, "respond", "\"mine\"", "agent; tools=pick!headless");
    CHECK_INT(accept(&c), HAFT_BAD_STATE, "%s", c.r.err.message);
    CHECK(strstr(c.r.err.message, "has an answer") != NULL, "%s", c.r.err.message);
    help_run_finish(&c.r);
}

/* ---- calls that had started ---- */

static void append(change *c, haft_str body)
{
    CHECK_INT(haft__drive_append(&c->r.drive, body, &c->r.err), HAFT_OK, "%s", c->r.err.message);
}

/* Records the next decision without performing it. */
static void decide_once(change *c)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    CHECK_INT(haft__decide(&c->r.drive.decider, &c->r.drive.run, 2000000, &effect, &c->r.err),
              HAFT_OK, "%s", c->r.err.message);
    CHECK_INT(effect.kind, HAFT__EFFECT_EVENT, "the effect is an event");
    append(c, effect.body);
}

static void decide_recovery(change *c)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    CHECK_INT(haft__decide_recovery(&c->r.drive.decider, &c->r.drive.run, call(c, 0), 2000000,
                                    &effect, &c->r.err),
              HAFT_OK, "%s", c->r.err.message);
    append(c, effect.body);
}

static void answer(change *c, const char *verdict, const char *value)
{
    haft__buf body;
    haft__buf_init(&body, 4096);
    haft__input_approved(&body, HAFT__LIT("c1.1"), HAFT__LIT("ana"), haft__str(verdict),
                         help_json(&c->r.arena, value), call(c, 0)->binding);
    append(c, haft__buf_str(&body));
    haft__buf_finish(&body);
}

static void change_spec(change *c)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    CHECK_INT(haft__input_spec_changed(&body, &c->r.drive.run, &c->next.spec, &c->origin,
                                       HAFT__LIT("ana"), HAFT__LIT(""), &c->r.err),
              HAFT_OK, "%s", c->r.err.message);
    append(c, haft__buf_str(&body));
    haft__buf_finish(&body);
}

/* The log of a run until its first call finishes. */
static haft_str log_to_start(const char *spec)
{
    help_run r;
    help_run_init(&r, spec, TWO_CALLS);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    haft_str log = haft__buf_str(&r.log), rest = log;
    size_t length = 0;
    while (rest.len > 0) {
        haft_str line = help_keep(haft__str_split(&rest, '\n'));
        if (strstr(line.ptr, "\"kind\":\"call_finished\"") != NULL) {
            break;
        }
        length = log.len - rest.len;
    }
    haft_str kept = help_keep((haft_str){log.ptr, length});
    help_run_finish(&r);
    return kept;
}

/* A run whose first call had started when its host stopped, with an approval if there is a verdict.
 */
static void begin(change *c, const char *spec, const char *next, const char *verdict,
                  const char *value)
{
    if (verdict != NULL) {
        init(c, spec, next);
        answer(c, verdict, value);
        decide_once(c);
    } else {
        prepare(c, spec, next);
        CHECK_INT(help_run_restore(&c->r, log_to_start(spec)), HAFT_OK, "%s", c->r.err.message);
    }
    CHECK_INT(call(c, 0)->stage, HAFT__CALL_STARTED, "the call has started");
}

/* As if the spec file had another definition of the tool. */
static void change_tool(change *c, const char *description, const char *schema)
{
    haft__tool other = *haft__tools_find(&c->next.spec.tools, HAFT__LIT("send"));
    other.description = description != NULL ? haft__str(description) : other.description;
    if (schema != NULL) {
        other.input_schema = help_json(&c->r.arena, schema);
        CHECK_INT(
            haft__schema_compile(&c->r.arena, other.input_schema, NULL, &other.schema, &c->r.err),
            HAFT_OK, "%s", c->r.err.message);
    }
    CHECK_INT(haft__tools_replace(&c->next.spec.tools, &other, &c->r.err), HAFT_OK, "%s",
              c->r.err.message);
}

static void check_replay(change *c, const char *name)
{
    haft__replay replay;
    haft__run_specs specs = {.load = load, .context = c};
    CHECK_INT(haft__replay_specs(&c->r.arena, &c->r.spec.spec, specs, haft__buf_str(&c->r.log),
                                 HELP_KEY, &replay, &c->r.err),
              HAFT_OK, "%s: %s", name, c->r.err.message);
    CHECK(replay.identical, "%s: event %llu: %.*s", name, (unsigned long long)replay.differs_at,
          HAFT__ARG(replay.decided));
}

/* A call was interrupted, the spec changes, and the call is to start again. */
TEST(only_a_call_that_is_as_approved_starts_again)
{
    static const struct {
        const char *name, *spec, *verdict, *value, *description, *next;
        bool retry, asked;
    } rows[] = {
        {"the same tool", "send!approval!idempotent", "approve", "null", NULL, NULL, false, false},
        {"another tool", "send!approval!idempotent", "approve", "null", "Sends it elsewhere.", NULL,
         false, true},
        {"edited, the same tool", "send!approval!idempotent", "edit", "{\"q\":\"b\"}", NULL, NULL,
         false, false},
        {"edited, another tool", "send!approval!idempotent", "edit", "{\"q\":\"b\"}",
         "Sends it elsewhere.", NULL, false, true},
        {"a person wants it again", "send!approval", "approve", "null", NULL, NULL, true, false},
        {"a person wants it again, but the tool has changed", "send!approval", "approve", "null",
         "Sends it elsewhere.", NULL, true, true},
        {"the call needed no approval", "send!idempotent", NULL, NULL, NULL,
         "send!approval!idempotent", false, true},
        {"the call needs no approval before and after", "send!idempotent", NULL, NULL,
         "Sends it elsewhere.", NULL, false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        change c;
        char spec[128], next[128];
        const char *name = rows[i].name;
        (void)snprintf(spec, sizeof(spec), "agent; tools=%s,pick!headless", rows[i].spec);
        (void)snprintf(next, sizeof(next), "agent; tools=%s,pick!headless",
                       rows[i].next != NULL ? rows[i].next : rows[i].spec);
        begin(&c, spec, next, rows[i].verdict, rows[i].value);
        change_tool(&c, rows[i].description, NULL);
        if (rows[i].retry) {
            decide_recovery(&c);
            CHECK_INT(call(&c, 0)->pause, HAFT__PAUSE_UNKNOWN_OUTCOME, "%s", name);
        }
        change_spec(&c);
        if (rows[i].retry) {
            answer(&c, "retry", "null");
            decide_once(&c);
        } else {
            decide_recovery(&c);
        }
        CHECK_INT(call(&c, 0)->attempt, rows[i].asked ? 1 : 2, "%s", name);
        CHECK_INT(call(&c, 0)->stage, rows[i].asked ? HAFT__CALL_PAUSED : HAFT__CALL_STARTED, "%s",
                  name);
        if (rows[i].asked) {
            CHECK_INT(call(&c, 0)->pause, HAFT__PAUSE_APPROVAL, "%s", name);
            answer(&c, "approve", "null");
            decide_once(&c);
            CHECK_INT(call(&c, 0)->attempt, 2, "%s", name);
            decide_recovery(&c); /* now the call is as approved */
            CHECK(call(&c, 0)->pause != HAFT__PAUSE_APPROVAL || rows[i].retry
                      || call(&c, 0)->attempt == 3,
                  "%s: approval asked for twice", name);
        }
        check_replay(&c, name);
        help_run_finish(&c.r);
    }
}

TEST(a_call_whose_second_start_is_rejected_may_have_had_its_effect)
{
    change c;
    begin(&c, "agent; tools=send!approval!idempotent,pick!headless",
          "agent; tools=send!approval!idempotent,pick!headless", "approve", "null");
    change_tool(&c, "Sends it elsewhere.", NULL);
    change_spec(&c);
    decide_recovery(&c);
    answer(&c, "reject", "\"no\"");
    decide_once(&c);
    CHECK_INT(call(&c, 0)->stage, HAFT__CALL_REFUSED, "the call is refused");
    CHECK(strstr(help_keep(call(&c, 0)->shown).ptr, "may or may not have had its effect: no")
              != NULL,
          "%.*s", HAFT__ARG(call(&c, 0)->shown));
    check_replay(&c, "rejected");
    help_run_finish(&c.r);
}

TEST(a_call_that_a_changed_tool_does_not_accept_is_not_repeated)
{
    for (int approved = 0; approved <= 1; approved++) {
        change c;
        const char *spec = approved == 1 ? "agent; tools=send!approval!idempotent,pick!headless"
                                         : "agent; tools=send!idempotent,pick!headless";
        begin(&c, spec, spec, approved == 1 ? "approve" : NULL, "null");
        change_tool(&c, NULL, "{\"type\":\"object\",\"required\":[\"to\"]}");
        change_spec(&c);
        decide_recovery(&c);
        CHECK_INT(call(&c, 0)->stage, HAFT__CALL_FINISHED, "approved %d", approved);
        CHECK(!call(&c, 0)->ok && call(&c, 0)->attempt == 1, "approved %d: the call ran again",
              approved);
        CHECK(strstr(help_keep(call(&c, 0)->shown).ptr, "was not repeated") != NULL, "%.*s",
              HAFT__ARG(call(&c, 0)->shown));
        check_replay(&c, "arguments that do not fit the tool");
        help_run_finish(&c.r);
    }
}

TEST(a_call_of_a_removed_tool_is_refused_if_it_has_not_started)
{
    change c;
    init(&c, "agent; tools=send!approval,pick!headless", "agent; tools=pick!headless");
    CHECK_INT(accept(&c), HAFT_OK, "%s", c.r.err.message);
    CHECK_INT(call(&c, 0)->stage, HAFT__CALL_REFUSED, "refused");
    CHECK(!call(&c, 0)->started, "the call ran");
    help_run_finish(&c.r);
}

TEST(a_call_that_has_started_must_keep_its_tool)
{
    change c;
    init(&c, "agent; tools=send!approval,pick!headless", "agent; tools=send!approval");
    CHECK_INT(accept(&c), HAFT_BAD_STATE, "the tool of a started call was removed");
    CHECK(strstr(c.r.err.message, "the call c1.2 has started, but the new spec has no tool pick")
              != NULL,
          "%s", c.r.err.message);
    help_run_finish(&c.r);
}

TEST(a_spec_change_that_cannot_follow_is_rejected)
{
    static const struct {
        const char *body, *wanted;
    } rows[] = {
        {"\"was\":\"WAS\",\"spec\":\"x\",\"judged_again\":[]}", "the event has no spec"},
        {"\"was\":\"y\",\"spec\":\"x\",\"source\":{}}",
         "its previous spec is not the spec of the run"},
        {"\"was\":\"WAS\",\"spec\":\"x\",\"source\":{}}",
         "the hash of its spec is not the recorded hash"},
        {"\"was\":\"WAS\",\"spec\":\"HASH\",\"source\":{},\"judged_again\":[\"c1.2\"]}",
         "a call that was not paused is judged again"},
        {"\"was\":\"WAS\",\"spec\":\"HASH\",\"source\":{},\"rebound\":{\"c1.2\":\"x\"}}",
         "a call that was not paused is judged again"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        change c;
        haft__buf body;
        init(&c, "agent; tools=send!approval,pick!headless",
             "agent; tools=send!approval,pick!headless");
        haft__buf_init(&body, 4096);
        haft__buf_add_str(&body, HAFT__LIT("\"kind\":\"spec_changed\","));
        haft_str rest = haft__str(rows[i].body);
        while (rest.len > 0) {
            bool was = haft__str_starts_with(rest, HAFT__LIT("WAS"));
            bool hash = haft__str_starts_with(rest, HAFT__LIT("HASH"));
            haft__buf_add_str(&body, was    ? c.r.spec.spec.hash
                                     : hash ? c.next.spec.hash
                                            : (haft_str){rest.ptr, 1});
            rest = haft__str_skip(rest, was ? 3 : hash ? 4 : 1);
        }
        CHECK_INT(haft__drive_append(&c.r.drive, haft__buf_str(&body), &c.r.err), HAFT_BAD_INPUT,
                  "%s", rows[i].body);
        CHECK(strstr(c.r.err.message, rows[i].wanted) != NULL, "%s", c.r.err.message);
        haft__buf_finish(&body);
        help_run_finish(&c.r);
    }
}

TEST(a_fold_without_a_loader_reports_that)
{
    change c;
    init(&c, "agent; tools=send!approval,pick!headless",
         "agent; tools=send!approval,pick!headless");
    c.fails = HAFT_NO_MEMORY;
    CHECK_INT(accept(&c), HAFT_NO_MEMORY, "a loader that fails");
    help_run_finish(&c.r);
    init(&c, "agent; tools=send!approval,pick!headless",
         "agent; tools=send!approval,pick!headless");
    c.r.drive.run.specs = (haft__run_specs){.load = NULL};
    CHECK_INT(accept(&c), HAFT_UNSUPPORTED, "no loader");
    help_run_finish(&c.r);
}
