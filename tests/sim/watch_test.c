/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the simulation (sim_watch_help.c, sim_tree_help.c, sim_handoff_help.c,
 * sim_step_help.c), each tested with a log or an effect that breaks it. */
#include "sim_help.h"
#include "json/object.h"

#define REPLY                                                                                      \
    "\"kind\":\"model_replied\",\"calls\":[{\"call\":\"c1.1\",\"name\":\"send\"},{\"call\":"       \
    "\"c1.2\",\"name\":\"pay\"},{\"call\":\"c1.3\",\"name\":\"put\"}]}"
#define START(call, attempt, q)                                                                    \
    "\"kind\":\"call_started\",\"call\":\"" call "\",\"arguments\":{\"q\":\"" q                    \
    "\"},\"attempt\":" attempt ",\"idempotency_key\":\"run:" call "\"}"
#define FINISH(call) "\"kind\":\"call_finished\",\"call\":\"" call "\"}"
#define PAUSE(call, why)                                                                           \
    "\"kind\":\"paused\",\"call\":\"" call "\",\"pause\":\"" why "\",\"arguments\":{\"q\":\"a\"}}"
#define ANSWER(call, verdict)                                                                      \
    "\"kind\":\"answered\",\"call\":\"" call "\",\"verdict\":\"" verdict "\",\"value\":null}"
#define CHILD_RUN "01m7p3bc3sk9vry82361ksnghm"
#define CHILD(turns)                                                                               \
    "\"kind\":\"child_started\",\"call\":\"c1.1\",\"child\":\"" CHILD_RUN                          \
    "\",\"agent\":\"leaf\",\"limits\":{\"turns\":" turns "}}"
#define CHILD_END                                                                                  \
    "\"kind\":\"child_finished\",\"call\":\"c1.1\",\"child\":\"" CHILD_RUN                         \
    "\",\"end\":\"done\",\"answer\":\"a\",\"turns\":1}"
#define TRANSFERS                                                                                  \
    "\"kind\":\"model_replied\",\"calls\":[{\"call\":\"c1.1\",\"name\":"                           \
    "\"transfer_to_desk\"},{\"call\":\"c1.2\",\"name\":\"transfer_to_leaf\"}]}"
#define ACCEPT(call) "\"kind\":\"call_finished\",\"call\":\"" call "\",\"ok\":true}"
#define HAND(call)   "\"kind\":\"handed_off\",\"call\":\"" call "\",\"agent\":\"desk\"}"
#define TURN         "\"kind\":\"turn_started\",\"turn\":2}"
#define END          "\"kind\":\"run_finished\",\"end\":\"done\"}"

/* A seed whose spec asks a person about unknown outcomes, and has no rule for `send`. */
static void begin(sim *s)
{
    uint64_t seed = 0;
    const char *words = NULL;
    do {
        sim_begin(s, ++seed, SIM_SOUND);
        words = s->records[0].words;
    } while (strstr(words, "on_unknown") != NULL || strstr(words, "approve=") != NULL);
    s->records[0].exists = true;
    sim_watch_claim(s, &s->records[0], 1);
}

static void append(sim *s, uint64_t seq, uint64_t epoch, const char *body)
{
    haft__buf_clear(&s->line);
    haft__event_write(&s->line, seq, 1000000, HAFT__LIT(HELP_RUN), haft__str(body));
    haft_str line = haft__buf_str(&s->line);
    sim_watch_event(s, &s->records[0], line, epoch);
    haft__buf_addf(&s->records[0].log, "%.*s\n", HAFT__ARG(line));
}

TEST(a_log_that_breaks_a_rule_is_found)
{
    static const struct {
        const char *rule;
        const char *bodies[6]; /* the last one breaks the rule */
    } rows[] = {
        {"never again", {REPLY, START("c1.1", "1", "a"), FINISH("c1.1"), START("c1.1", "2", "a")}},
        {"while it waits", {REPLY, PAUSE("c1.2", "approval"), START("c1.2", "1", "a")}},
        {"has attempt", {REPLY, START("c1.1", "2", "a")}},
        {"without approval", {REPLY, START("c1.2", "1", "a")}},
        {"without approval",
         {REPLY, PAUSE("c1.2", "approval"), ANSWER("c1.2", "reject"), START("c1.2", "1", "a")}},
        {"other arguments",
         {REPLY, PAUSE("c1.2", "approval"), ANSWER("c1.2", "approve"), START("c1.2", "1", "b")}},
        {"other arguments", {REPLY, START("c1.3", "1", "a"), START("c1.3", "2", "b")}},
        {"one key",
         {REPLY, START("c1.3", "1", "a"),
          "\"kind\":\"call_started\",\"call\":\"c1.3\",\"arguments\":{\"q\":\"a\"},"
          "\"attempt\":2,\"idempotency_key\":\"other\"}"}},
        {"may not be repeated", {REPLY, START("c1.1", "1", "a"), START("c1.1", "2", "a")}},
        {"paused already", {REPLY, PAUSE("c1.2", "approval"), PAUSE("c1.2", "approval")}},
        {"at most once",
         {REPLY, PAUSE("c1.2", "approval"), ANSWER("c1.2", "approve"), ANSWER("c1.2", "approve")}},
        {"second result", {REPLY, START("c1.1", "1", "a"), FINISH("c1.1"), FINISH("c1.1")}},
        {"waits for a person", {REPLY, PAUSE("c1.2", "approval"), FINISH("c1.2")}},
        {"unknown call", {REPLY, FINISH("c9.9")}},
        {"their results", {REPLY, TURN}},
        {"their results", {REPLY, END}},
        {"their results", {REPLY, REPLY}},
        {"after the terminal", {END, TURN}},
        {"after a cancel", {"\"kind\":\"cancel_asked\"}", TURN}},
        {"is not an event", {"\"kind\":\"nosuch\"}"}},
        {"second child", {REPLY, CHILD("1"), CHILD("1")}},
        {"than is left", {REPLY, CHILD("99")}},
        {"does not wait for", {REPLY, CHILD_END}},
        {"has not ended", {REPLY, CHILD("1"), CHILD_END}},
        {"before its children", {REPLY, CHILD("1"), END}},
        {"does not know",
         {REPLY, START("c1.1", "1", "a"), PAUSE("c1.1", "approval"), ANSWER("c1.1", "reject"),
          "\"kind\":\"call_refused\",\"call\":\"c1.1\",\"text\":\"no\"}"}},
        {"both accepted", {TRANSFERS, ACCEPT("c1.1"), ACCEPT("c1.2")}},
        {"no transfer", {TRANSFERS, FINISH("c1.1"), HAND("c1.1")}},
        {"handed over twice", {TRANSFERS, ACCEPT("c1.1"), HAND("c1.1"), HAND("c1.1")}},
        {"without the handoff", {TRANSFERS, ACCEPT("c1.1"), FINISH("c1.2"), TURN}},
    };
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(s);
        for (size_t k = 0; k < COUNT(rows[i].bodies) && rows[i].bodies[k] != NULL; k++) {
            CHECK(s->failure[0] == '\0', "row %zu, event %zu: %s", i, k, s->failure);
            append(s, k + 1, 1, rows[i].bodies[k]);
        }
        CHECK(strstr(s->failure, rows[i].rule) != NULL, "row %zu, %s: %s", i, rows[i].rule,
              s->failure);
    }
    sim_finish(s);
}

static void append_to(sim *s, sim_record *r, const char *body)
{
    haft__buf_clear(&s->line);
    haft__event_write(&s->line, r->seen_seq + 1, 1000000, haft__str(r->id), haft__str(body));
    haft_str line = help_keep(haft__buf_str(&s->line));
    sim_store_append(s, r, line, 1);
}

/* ---- steps of graphs ---- */

#define STEP(step, left, nodes, next)                                                              \
    "\"kind\":\"graph_step\",\"step\":" step ",\"nodes\":[" nodes "],\"updates\":{\"log\":[]},"    \
    "\"remaining_steps\":" left ",\"next\":[" next "]}"
#define NODE(name) "{\"node\":\"" name "\",\"by\":[\"start\"]}"
#define BEGUN      STEP("0", "3", "", NODE("a") "," NODE("b"))
#define NODE_CALL(call, node)                                                                      \
    "\"kind\":\"call_started\",\"call\":\"" call "\",\"tool\":\"look\",\"arguments\":{},"          \
    "\"attempt\":1,\"idempotency_key\":\"run:" call "\",\"node\":\"" node "\"}"
#define FOUND(call)                                                                                \
    "\"kind\":\"call_finished\",\"call\":\"" call "\",\"ok\":true,\"result\":\"found " call "\"}"

/* A seed of graphs whose recursion limit is 3. */
static void begin_graph(sim *s)
{
    uint64_t seed = 0;
    do {
        sim_begin(s, ++seed, SIM_SOUND);
    } while (s->root != SIM_GRAPH
             || haft__object_number(s->records[0].spec.graph, "recursion_limit", 0) != 3);
    s->records[0].exists = true;
    sim_watch_claim(s, &s->records[0], 1);
}

TEST(a_log_of_a_graph_that_breaks_a_rule_is_found)
{
    static const struct {
        const char *rule;
        const char *bodies[6]; /* the last one breaks the rule */
    } rows[] = {
        {"before its barrier", {NODE_CALL("n1.1", "a")}},
        {"before its barrier", {BEGUN, NODE_CALL("n2.1", "a")}},
        {"before its barrier",
         {BEGUN, NODE_CALL("n1.1", "a"), STEP("1", "2", NODE("a") "," NODE("b"), "")}},
        {"not to run", {BEGUN, NODE_CALL("n1.3", "a")}},
        {"not to run", {BEGUN, NODE_CALL("n1.1", "b")}},
        {"not to run", {BEGUN, STEP("1", "2", NODE("a"), "")}},
        {"before n1.1 has its result", {BEGUN, NODE_CALL("n1.1", "a"), NODE_CALL("n1.1.2", "a")}},
        {"it has its result",
         {BEGUN, NODE_CALL("n1.1", "a"), FOUND("n1.1"), NODE_CALL("n1.1.2", "a")}},
        {"its last step", {BEGUN, STEP("2", "1", NODE("a") "," NODE("b"), "")}},
        {"its last step", {BEGUN, BEGUN}},
        {"its limit is", {STEP("0", "9", "", NODE("a"))}},
        {"the order of their names", {STEP("0", "3", "", NODE("b") "," NODE("a"))}},
        {"the order of the nodes",
         {BEGUN, NODE_CALL("n1.1", "a"), FOUND("n1.1"),
          STEP("1", "2", NODE("a") "," NODE("b"), "")}},
        {"is to run", {BEGUN, "\"kind\":\"run_finished\",\"end\":\"done\",\"answer\":\"[]\"}"}},
        {"is not the state",
         {STEP("0", "3", "", ""),
          "\"kind\":\"run_finished\",\"end\":\"done\",\"answer\":\"[1]\"}"}},
    };
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin_graph(s);
        for (size_t k = 0; k < COUNT(rows[i].bodies) && rows[i].bodies[k] != NULL; k++) {
            CHECK(s->failure[0] == '\0', "row %zu, event %zu: %s", i, k, s->failure);
            append(s, k + 1, 1, rows[i].bodies[k]);
        }
        CHECK(strstr(s->failure, rows[i].rule) != NULL, "row %zu, %s: %s", i, rows[i].rule,
              s->failure);
    }
    sim_finish(s);
}

/* A child that exists, with or without the event of its parent. */
static sim_record *add_child(sim *s)
{
    sim_record *child = sim_store_add(s, HAFT__LIT(CHILD_RUN), HAFT__LIT(CHILD_RUN), SIM_LEAF);
    child->parent = &s->records[0];
    child->exists = true;
    sim_watch_claim(s, child, 1);
    append_to(s, child, "\"kind\":\"run_started\",\"call\":\"c1.1\"}");
    return child;
}

TEST(a_child_belongs_to_its_parent)
{
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    begin(s);
    (void)add_child(s);
    CHECK(strstr(s->failure, "has not started it") != NULL, "%s", s->failure);
    begin(s);
    append_to(s, &s->records[0], REPLY);
    append_to(s, &s->records[0], CHILD("1"));
    sim_record *child = add_child(s);
    sim_watch_write(s, &s->records[0]);
    append_to(s, child, END);
    child->end = HAFT__LIT("failed");
    CHECK(s->failure[0] == '\0', "%s", s->failure);
    append_to(s, &s->records[0], CHILD_END);
    CHECK(strstr(s->failure, "not the end of its run") != NULL, "%s", s->failure);
    sim_finish(s);
}

TEST(sequence_numbers_and_epochs_are_checked)
{
    static const struct {
        uint64_t seq, epoch;
        const char *rule;
    } rows[] = {{2, 2, ""}, {3, 2, "dense"}, {1, 2, "dense"}, {2, 1, "epoch"}, {2, 3, "epoch"}};
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(s);
        append(s, 1, 1, REPLY);
        sim_watch_claim(s, &s->records[0], 2);
        append(s, rows[i].seq, rows[i].epoch, START("c1.1", "1", "a"));
        CHECK(strstr(s->failure, rows[i].rule) != NULL, "row %zu: %s", i, s->failure);
        CHECK((s->failure[0] == '\0') == (rows[i].rule[0] == '\0'), "row %zu: %s", i, s->failure);
    }
    begin(s);
    sim_watch_claim(s, &s->records[0], 1);
    CHECK(strstr(s->failure, "does not follow") != NULL, "%s", s->failure);
    begin(s);
    append(s, 1, 1, REPLY);
    s->records[0].log.len = 0;
    append(s, 2, 1, START("c1.1", "1", "a"));
    CHECK(strstr(s->failure, "no longer stored") != NULL, "%s", s->failure);
    sim_finish(s);
}

TEST(a_fork_starts_no_child_for_a_call_of_the_other_run)
{
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    begin(s);
    append(s, 1, 1, REPLY);
    append(s, 2, 1, START("c1.1", "1", "a"));
    sim_watch_fork(s, &s->records[0]);
    append(s, 3, 1, CHILD("1"));
    CHECK(strstr(s->failure, "starts another child") != NULL, "%s", s->failure);
    sim_finish(s);
}

static sim_slot slot_of(sim *s, const char *id, uint32_t attempt, sim_class class, const char *q)
{
    sim_slot slot = {.used = true, .record = &s->records[0], .attempt = attempt, .class = class};
    haft__json_member member = {haft__json_string(HAFT__LIT("q")), haft__json_string(haft__str(q))};
    slot.arguments = sim_hash(s, haft__json_object(&member, 1));
    (void)snprintf(slot.id, sizeof(slot.id), "%s", id);
    (void)snprintf(slot.key, sizeof(slot.key), "run:%s", id);
    return slot;
}

TEST(an_effect_that_breaks_a_rule_is_found)
{
    static const struct {
        const char *rule, *id;
        uint32_t attempt;
        sim_class class;
        const char *q;
        bool before; /* attempt 1 has had its effect */
    } rows[] = {
        {"", "c1.1", 1, SIM_ONCE, "a", false},
        {"again", "c1.1", 1, SIM_ONCE, "a", true},
        {"not in the log", "c1.1", 2, SIM_ONCE, "a", false},
        {"not in the log", "c9.1", 1, SIM_ONCE, "a", false},
        {"as recorded", "c1.1", 1, SIM_ONCE, "b", false},
        {"declined", "c1.2", 1, SIM_ONCE, "a", false},
        {"", "c9.1", 1, SIM_READ_ONLY, "a", false},
    };
    sim *s = test_alloc(sizeof(*s));
    sim_init(s);
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const char *const bodies[] = {REPLY, START("c1.1", "1", "a"),
                                             PAUSE("c1.2", "approval"), ANSWER("c1.2", "reject")};
        begin(s);
        for (size_t k = 0; k < COUNT(bodies); k++) {
            append(s, k + 1, 1, bodies[k]);
        }
        sim_slot slot = slot_of(s, rows[i].id, rows[i].attempt, rows[i].class, rows[i].q);
        if (rows[i].before) {
            sim_watch_effect(s, &slot);
        }
        sim_watch_effect(s, &slot);
        CHECK((s->failure[0] == '\0') == (rows[i].rule[0] == '\0'), "row %zu: %s", i, s->failure);
        CHECK(strstr(s->failure, rows[i].rule) != NULL, "row %zu: %s", i, s->failure);
    }
    begin(s);
    append(s, 1, 1, REPLY);
    append(s, 2, 1, START("c1.1", "1", "a"));
    sim_call *call = &s->records[0].calls[0];
    call->attempt = 2; /* the second start was not recorded as a repetition */
    call->started_with[2] = call->started_with[1];
    for (uint32_t attempt = 1; attempt <= 2; attempt++) {
        sim_slot slot = slot_of(s, "c1.1", attempt, SIM_ONCE, "a");
        sim_watch_effect(s, &slot);
    }
    CHECK(strstr(s->failure, "more than once") != NULL, "%s", s->failure);
    sim_finish(s);
}
