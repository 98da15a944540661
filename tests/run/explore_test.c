/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every possible run with few tools and few turns, through the real loop: haft__decide and
 * haft__run_fold, a host that runs every call and a person who answers every question. In each turn
 * every possible move of a model is tried. The demand of each turn is compared with the naive
 * policy of tests/choice/oracle.h, applied to the events.
 *
 * Data tools are interchangeable, so one is called only after those before it: runs that differ
 * only in names are explored once. The continuations of all violations are the same: they are
 * explored for the first kind, and for the others the test only checks that they repeat.
 */
#include "choice/oracle.h"
#include "run/replay/replay.h"
#include "run_help.h"
#include "json/value.h"

enum { TOOLS = 4, BUILTINS = 3, SHOWN_FAILURES = 5, REPLAY_EACH = 64 };

/* With AddressSanitizer, where each piece of an arena is a malloc, the runs are shorter. */
enum { TURNS = HAFT__ASAN ? 3 : 4 };

static const char *const data_names[TOOLS] = {"alpha", "beta", "gamma", "delta"};
static const char *const builtin_names[BUILTINS] = {"store_artifact", "complete_workflow",
                                                    "request_user_input"};

/* The moves of a model. */
typedef enum move_kind {
    MOVE_TEXT,
    MOVE_EMPTY,
    MOVE_UNKNOWN,  /* a call of an unknown tool */
    MOVE_GOOD,     /* a successful call */
    MOVE_INVALID,  /* a call of a data tool with an unknown argument */
    MOVE_REJECTED, /* a call that a person rejects */
} move_kind;

typedef struct model_move {
    move_kind what;
    const char *tool; /* NULL if the move calls no tool */
    size_t touches;   /* how many data tools were called before */
} model_move;

/* A kind of run to explore. */
typedef struct setup {
    size_t data;
    bool builtin[BUILTINS];
    bool workflow, approval;
    int min_tools; /* 0: not set */
    int turns;
} setup;

/* The facts so far, according to the events. */
typedef struct facts {
    oracle_world world;
    bool open;      /* a turn has recorded that the gate is open */
    size_t touched; /* data tools that were called, from the first */
    const char
        *wrong; /* the violation that must follow the last reply, "" for none, NULL: it was seen */
    oracle_answer asked;
    bool ended;
    bool repeats; /* only the last reply is sent again */
} facts;

typedef struct explorer {
    const setup *setup;
    char words[256];
    haft__arena spec_arena, run_arena, event_arena;
    help_spec spec;
    haft__run run;
    haft__decider decider;
    haft__buf log, line, body;
    facts facts;
    model_move last; /* the last reply */
    size_t runs, replies, events, replayed, opened, failures;
    size_t passed, refused, ends[HAFT__END_EXPIRED + 1];
} explorer;

static void expect(explorer *e, bool good, const char *what)
{
    if (good || e->failures++ >= SHOWN_FAILURES) {
        return;
    }
    haft__buf story;
    haft__buf_init(&story, 1 << 20);
    haft_str rest = haft__buf_str(&e->log);
    while (rest.len > 0) {
        haft__buf_add_str(&story, HAFT__LIT("\n#   "));
        help_summarise(&story, haft__str_split(&rest, '\n'));
        story.len--; /* without its line end */
    }
    CHECK(good, "%s: %s%.*s", what, e->words, HAFT__ARG(haft__buf_str(&story)));
    haft__buf_finish(&story);
}

/* ---- reading events ---- */

static const char *find_name(const oracle_list *list, haft_str name)
{
    for (int i = 0; i < list->count; i++) {
        if (haft__str_equal(name, haft__str(list->names[i]))) {
            return list->names[i];
        }
    }
    return "unknown";
}

static haft_str text_of(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
}

static bool is(haft_str text, const char *word)
{
    return haft__str_equal(text, haft__str(word));
}

static bool flag_of(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL && value->kind == HAFT__JSON_TRUE;
}

static bool lists(const explorer *e, haft__json object, const char *key, const oracle_list *wanted)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    oracle_list offer = oracle_offer(&e->facts.world), found = {0};
    for (size_t i = 0; value != NULL && i < value->count; i++) {
        oracle_put(&found, find_name(&offer, haft__json_text(value->items[i])));
    }
    return value != NULL && (int)value->count == found.count && oracle_same(&found, wanted);
}

static void check_gate(explorer *e, haft__json turn, const oracle_answer *wanted)
{
    oracle_world *w = &e->facts.world;
    const haft__json *gate = haft__json_get(turn, HAFT__LIT("gate"));
    bool on = gate != NULL && gate->kind == HAFT__JSON_OBJECT;
    expect(e, on == w->gate, "the gate is on when it should be");
    if (!on) {
        return;
    }
    uint64_t threshold = 99;
    bool open = flag_of(*gate, "open");
    (void)haft__str_to_u64(text_of(*gate, "threshold"), &threshold);
    expect(e, lists(e, *gate, "called", &wanted->counted), "what was called");
    expect(e, threshold == (uint64_t)wanted->threshold, "the threshold");
    e->facts.world.fixed = (int)threshold; /* the threshold never rises */
    expect(e, open == wanted->open, "the gate is open when it should be");
    expect(e, open || !e->facts.open, "the gate does not close again");
    expect(e, open == w->opened, "the event gate_opened comes before");
    bool way_out = false;
    for (int i = 0; i < w->data.count; i++) {
        way_out = way_out
                  || (!oracle_has(&w->finished, w->data.names[i])
                      && !oracle_has(&w->rejected, w->data.names[i]));
    }
    expect(e, open || way_out, "a closed gate can be opened");
    e->facts.open = open;
}

static void on_turn(explorer *e, haft__json turn)
{
    oracle_world *w = &e->facts.world;
    uint64_t number = 0;
    w->turn++;
    oracle_answer wanted = oracle_decide(w);
    oracle_list offer = oracle_offer(w);
    (void)haft__str_to_u64(text_of(turn, "turn"), &number);
    expect(e, number == (uint64_t)w->turn, "turns are counted");
    expect(e, is(text_of(turn, "mode"), wanted.mode), "the mode");
    expect(e, text_of(turn, "tool").len == 0, "no tool is named");
    expect(e, lists(e, turn, "allowed", &wanted.allowed), "the allowed tools");
    expect(e, lists(e, turn, "declared", &offer), "the declared tools");
    expect(e, flag_of(turn, "final") == (strcmp(wanted.rule, "limit") == 0), "the last turn");
    check_gate(e, turn, &wanted);
    if (is(text_of(turn, "mode"), "any")) {
        oracle_list artifact = {1, {"store_artifact"}};
        bool only = lists(e, turn, "allowed", &artifact) && offer.count == 1;
        bool stores = false;
        const haft__json *allowed = haft__json_get(turn, HAFT__LIT("allowed"));
        for (size_t i = 0; allowed != NULL && i < allowed->count; i++) {
            stores = stores || is(haft__json_text(allowed->items[i]), "store_artifact");
        }
        expect(e, only || !stores, "an artifact is not forced");
    }
    e->facts.asked = wanted;
}

/* Checks whether a control call has passed its guard. */
static void on_guard(explorer *e, haft_str tool, bool passed)
{
    const oracle_world *w = &e->facts.world;
    bool control = is(tool, "complete_workflow") || is(tool, "request_user_input");
    if (control) {
        bool early = is(tool, "complete_workflow") ? oracle_completion_is_early(w)
                                                   : oracle_question_is_early(w);
        expect(e, passed != early, passed ? "the guard should refuse" : "the guard should not");
        e->passed += passed;
        e->refused += !passed;
    }
    expect(e, control || passed, "only control tools have a guard");
}

static void on_end(explorer *e, haft_str end)
{
    e->facts.ended = true;
    for (int i = 0; i <= HAFT__END_EXPIRED; i++) {
        e->ends[i] += is(end, haft__end_name((haft__end)i));
    }
}

/* Whether the event is one that must follow a reply. */
static void check_reply(explorer *e, const haft__event *event)
{
    const char *wrong = e->facts.wrong;
    bool violation = event->kind == HAFT__EVENT_VIOLATION;
    if (wrong == NULL) {
        expect(e, !violation, "one reply is one violation");
        return;
    }
    expect(e, is(violation ? text_of(event->object, "came") : HAFT__LIT(""), wrong),
           "the violation");
    e->facts.wrong = NULL;
}

static void observe(explorer *e, const haft__event *event)
{
    oracle_world *w = &e->facts.world;
    oracle_list offer = oracle_offer(w);
    haft_str tool = text_of(event->object, "tool"), why = text_of(event->object, "why");
    expect(e, !e->facts.ended, "nothing comes after the end");
    if (event->kind != HAFT__EVENT_MODEL_REPLIED) {
        check_reply(e, event);
    }
    switch (event->kind) {
    case HAFT__EVENT_TURN_STARTED: on_turn(e, event->object); break;
    case HAFT__EVENT_GATE_OPENED:
        expect(e, !w->opened && w->gate, "the gate opens once");
        w->opened = true;
        e->opened++;
        break;
    case HAFT__EVENT_CALL_STARTED: on_guard(e, tool, true); break;
    case HAFT__EVENT_CALL_FINISHED: oracle_put(&w->finished, find_name(&offer, tool)); break;
    case HAFT__EVENT_CALL_REFUSED:
        if (is(why, "denied")) {
            oracle_put(&w->rejected, find_name(&offer, tool));
        } else if (is(why, "guard")) {
            on_guard(e, tool, false);
        }
        break;
    case HAFT__EVENT_ARTIFACT_STORED: w->stored = true; break;
    case HAFT__EVENT_RUN_FINISHED: on_end(e, text_of(event->object, "end")); break;
    default: break;
    }
}

/* ---- the loop ---- */

static uint64_t now_of(const explorer *e)
{
    return 1000000 + e->run.seq * 10;
}

static bool append(explorer *e, haft_str body)
{
    haft_error err = {0};
    haft__event event;
    haft__buf_clear(&e->line);
    haft__event_write(&e->line, e->run.seq + 1, now_of(e), haft__str(HELP_RUN), body);
    haft_str line = haft__buf_str(&e->line);
    haft__arena_reset(&e->event_arena);
    haft_status status = haft__event_read(&e->event_arena, line, HELP_KEY, &event, &err);
    if (status == HAFT_OK) {
        status = haft__run_fold(&e->run, line, &err);
    }
    haft__buf_add_str(&e->log, line);
    haft__buf_add_char(&e->log, '\n');
    expect(e, status == HAFT_OK, err.message);
    if (status == HAFT_OK) {
        e->events++;
        observe(e, &event);
    }
    return status == HAFT_OK;
}

static const haft__run_call *call_at(const explorer *e, haft__call_stage stage)
{
    for (size_t i = e->run.batch; i < e->run.call_count; i++) {
        if (e->run.calls[i].stage == stage) {
            return &e->run.calls[i];
        }
    }
    return NULL;
}

/* The host runs a call. */
static bool run_call(explorer *e)
{
    const haft__run_call *call = call_at(e, HAFT__CALL_STARTED);
    haft__outcome outcome = {.ok = true, .text = HAFT__LIT("found")};
    expect(e, call != NULL, "a call to be run");
    if (call == NULL) {
        return false;
    }
    haft__buf_clear(&e->body);
    haft__input_call_finished(&e->body, &e->run, call, &outcome);
    return append(e, haft__buf_str(&e->body));
}

/* A person answers. */
static bool answer(explorer *e)
{
    const haft__run_call *call = call_at(e, HAFT__CALL_PAUSED);
    expect(e, call != NULL, "a call that waits");
    if (call == NULL) {
        return false;
    }
    const char *yes = call->pause == HAFT__PAUSE_APPROVAL ? "approve" : "answer";
    haft__buf_clear(&e->body);
    haft__input_answered(&e->body, call->id, HAFT__LIT("ada"),
                         haft__str(e->last.what == MOVE_REJECTED ? "reject" : yes),
                         haft__json_null());
    return append(e, haft__buf_str(&e->body));
}

/* The maximum number of events: each turn has its start, two replies with a violation or reminder
 * each, and one call with pause, answer, start, artifact and result. */
static uint64_t most_events(const explorer *e)
{
    return 3 + (uint64_t)e->setup->turns * (1 + 2 * 2 + 5);
}

/* Continues until the model is asked. False: the run has ended, or there is an error. */
static bool advance(explorer *e)
{
    for (bool good = true; good;) {
        haft_error err = {0};
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        haft_status status = haft__decide(&e->decider, &e->run, now_of(e), &effect, &err);
        bool bounded = e->run.seq <= most_events(e);
        expect(e, status == HAFT_OK, err.message);
        expect(e, bounded, "the run ends");
        if (status != HAFT_OK || !bounded) {
            return false;
        }
        switch (effect.kind) {
        case HAFT__EFFECT_EVENT: good = append(e, effect.body); break;
        case HAFT__EFFECT_RUN_CALLS: good = run_call(e); break;
        case HAFT__EFFECT_WAIT: good = answer(e); break;
        case HAFT__EFFECT_CALL_MODEL: return true;
        case HAFT__EFFECT_SEARCH_TOOLS: expect(e, false, "nobody has servers"); return false;
        case HAFT__EFFECT_READ_THREAD: expect(e, false, "nobody has a graph"); return false;
        case HAFT__EFFECT_END: expect(e, e->facts.ended, "the end is an event"); return false;
        }
    }
    return false;
}

static haft_str arguments_of(const char *tool, move_kind what)
{
    if (what == MOVE_INVALID) {
        return HAFT__LIT("{\"nosuch\":1}");
    }
    if (strcmp(tool, "store_artifact") == 0) {
        return HAFT__LIT("{\"name\":\"a.txt\",\"content\":\"x\"}");
    }
    if (strcmp(tool, "request_user_input") == 0) {
        return HAFT__LIT("{\"question\":\"Which one?\"}");
    }
    return strcmp(tool, "complete_workflow") == 0 ? HAFT__LIT("{\"summary\":\"done\"}")
                                                  : HAFT__LIT("{\"q\":\"x\"}");
}

/* The model replies. */
static bool reply(explorer *e, model_move move)
{
    haft__message_call call = {0};
    haft__reply reply = {.stop = HAFT__STOP_END, .model = HAFT__LIT("m")};
    oracle_list calls = {0};
    reply.content = move.what == MOVE_TEXT ? HAFT__LIT("Here it is.") : HAFT__LIT("");
    if (move.tool != NULL) {
        call = (haft__message_call){.id = HAFT__LIT("q"),
                                    .name = haft__str(move.tool),
                                    .arguments = arguments_of(move.tool, move.what)};
        reply.calls = &call;
        reply.call_count = 1;
        oracle_put(&calls, move.tool);
    }
    e->last = move;
    e->replies++;
    e->facts.touched = move.touches;
    e->facts.wrong = oracle_judge(&e->facts.world, &e->facts.asked, move.what == MOVE_TEXT, &calls);
    haft__buf_clear(&e->body);
    haft__input_model_replied(&e->body, &e->run, &reply, 1);
    return append(e, haft__buf_str(&e->body));
}

/* ---- all continuations ---- */

static size_t data_moves(const explorer *e, model_move *moves)
{
    size_t count = 0, touched = e->facts.touched;
    for (size_t i = 0; i < e->setup->data && i <= touched; i++) {
        size_t touches = i < touched ? touched : i + 1;
        moves[count++] = (model_move){MOVE_GOOD, data_names[i], touches};
        moves[count++] = (model_move){MOVE_INVALID, data_names[i], touches};
        if (e->setup->approval) {
            moves[count++] = (model_move){MOVE_REJECTED, data_names[i], touches};
        }
    }
    return count;
}

/* Lists all moves that are possible now. In the last turn, only text or no text matters. */
static size_t find_moves(const explorer *e, model_move *moves)
{
    size_t count = 0, touched = e->facts.touched;
    moves[count++] = (model_move){MOVE_TEXT, NULL, touched};
    if (strcmp(e->facts.asked.rule, "limit") == 0) {
        bool calls = e->runs % 2 == 0;
        moves[count++] =
            (model_move){calls ? MOVE_UNKNOWN : MOVE_EMPTY, calls ? "nosuch" : NULL, touched};
        return count;
    }
    moves[count++] = (model_move){MOVE_EMPTY, NULL, touched};
    moves[count++] = (model_move){MOVE_UNKNOWN, "nosuch", touched};
    for (size_t i = 0; i < BUILTINS; i++) {
        if (e->setup->builtin[i]) {
            moves[count++] = (model_move){MOVE_GOOD, builtin_names[i], touched};
        }
    }
    return count + data_moves(e, moves + count);
}

/* Restores the run from the log. */
static void refold(explorer *e)
{
    haft_error err = {0};
    haft__arena_reset(&e->run_arena);
    haft_status status = haft__run_init(&e->run, &e->run_arena, &e->spec.spec, HELP_KEY, &err);
    haft_str rest = haft__buf_str(&e->log);
    while (rest.len > 0 && status == HAFT_OK) {
        status = haft__run_fold(&e->run, haft__str_split(&rest, '\n'), &err);
    }
    expect(e, status == HAFT_OK, err.message);
}

static void check_replay(explorer *e)
{
    haft_error err = {0};
    haft__replay replay = {0};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__replay_log(&arena, &e->spec.spec, haft__buf_str(&e->log), HELP_KEY, &replay, &err);
    expect(e, status == HAFT_OK && replay.identical, "it replays");
    expect(e, replay.events == e->run.seq, "all of it was replayed");
    haft__arena_finish(&arena);
    e->replayed++;
}

static void explore(explorer *e)
{
    if (!advance(e)) {
        expect(e, e->run.stage == HAFT__RUN_ENDED, "every run ends");
        if (e->runs++ % REPLAY_EACH == 0) {
            check_replay(e);
        }
        return;
    }
    model_move moves[3 + BUILTINS + 3 * TOOLS];
    size_t count = e->facts.repeats ? 1 : find_moves(e, moves), length = e->log.len;
    moves[0] = e->facts.repeats ? e->last : moves[0];
    e->facts.repeats = false;
    bool violated = false;
    const facts before = e->facts;
    for (size_t i = 0; i < count && e->failures < SHOWN_FAILURES; i++) {
        if (i > 0) {
            e->log.len = length;
            e->facts = before;
            refold(e);
        }
        bool good = reply(e, moves[i]);
        bool wrong = e->facts.wrong != NULL && e->facts.wrong[0] != '\0';
        e->facts.repeats = wrong && violated;
        violated = violated || wrong;
        if (good) {
            explore(e);
        }
    }
}

/* ---- every kind of run ---- */

static void write_words(explorer *e)
{
    const setup *s = e->setup;
    haft__buf words;
    haft__buf_init(&words, sizeof(e->words));
    haft__buf_addf(&words, "%s; turns=%d; violations=1; reminders=1; invalid_calls=1",
                   s->workflow ? "workflow" : "agent", s->turns);
    if (s->min_tools > 0) {
        haft__buf_addf(&words, "; min_tools=%d", s->min_tools);
    }
    const char *before = "; tools=";
    for (size_t i = 0; i < BUILTINS; i++) {
        if (s->builtin[i]) {
            haft__buf_addf(&words, "%s%s", before, builtin_names[i]);
            before = ",";
        }
    }
    for (size_t i = 0; i < s->data; i++) {
        haft__buf_addf(&words, "%s%s%s", before, data_names[i], s->approval ? "!approval" : "");
        before = ",";
    }
    (void)snprintf(e->words, sizeof(e->words), "%.*s", HAFT__ARG(haft__buf_str(&words)));
    haft__buf_finish(&words);
}

static void start(explorer *e)
{
    const setup *s = e->setup;
    e->facts = (facts){.world = {.gate = s->workflow || s->min_tools > 0,
                                 .min_tools_for_auto = s->min_tools > 0 ? s->min_tools : 5,
                                 .turns = s->turns,
                                 .wish = "auto"}};
    oracle_world *w = &e->facts.world;
    for (size_t i = 0; i < s->data; i++) {
        oracle_put(&w->data, data_names[i]);
    }
    for (size_t i = 0; i < BUILTINS; i++) {
        if (s->builtin[i]) {
            oracle_put(i == 0 ? &w->artifact : &w->control, builtin_names[i]);
        }
    }
    haft_str none = {NULL, 0};
    haft__buf_clear(&e->log);
    haft__buf_clear(&e->body);
    refold(e);
    haft__input_run_started(&e->body, &e->spec.spec, HAFT__LIT("do it"), haft__str(HELP_THREAD),
                            none, none);
    (void)append(e, haft__buf_str(&e->body));
}

static void explore_setup(explorer *e, const setup *s)
{
    e->setup = s;
    write_words(e);
    haft__arena_reset(&e->spec_arena);
    help_spec_init(&e->spec, &e->spec_arena, haft__str(e->words));
    start(e);
    explore(e);
}

static void explorer_init(explorer *e)
{
    *e = (explorer){0};
    haft__arena_init(&e->spec_arena, 0);
    haft__arena_init(&e->run_arena, 0);
    haft__arena_init(&e->event_arena, 0);
    haft__buf_init(&e->log, 1 << 24);
    haft__buf_init(&e->line, 1 << 20);
    haft__buf_init(&e->body, 1 << 20);
    CHECK_INT(haft__decider_init(&e->decider, NULL), HAFT_OK, "init");
}

static void explorer_finish(explorer *e)
{
    haft__decider_finish(&e->decider);
    haft__buf_finish(&e->log);
    haft__buf_finish(&e->line);
    haft__buf_finish(&e->body);
    haft__arena_finish(&e->spec_arena);
    haft__arena_finish(&e->run_arena);
    haft__arena_finish(&e->event_arena);
}

static void report(explorer *e)
{
    printf("# %zu runs, %zu replies, %zu events, %zu replayed; gate opened %zu times, guards "
           "passed %zu and refused %zu; ends:",
           e->runs, e->replies, e->events, e->replayed, e->opened, e->passed, e->refused);
    for (int i = 0; i <= HAFT__END_EXPIRED; i++) {
        if (e->ends[i] > 0) {
            printf(" %s %zu", haft__end_name((haft__end)i), e->ends[i]);
        }
    }
    printf("\n");
    CHECK(e->opened > 0 && e->passed > 0 && e->refused > 0,
          "the gate did not open, or the guard did not pass and refuse");
    CHECK_INT(e->failures, 0, "failures in %zu runs", e->runs);
}

/* Both kinds, every minimum, with people to ask and without. For up to three tools a minimum of 5,
 * the default of a workflow, equals one of 3: people are asked in one of them. */
static void explore_tools(explorer *e, setup s, size_t count)
{
    static const int minimums[] = {0, 2, 3, 5};
    for (size_t i = 0; i < 2 * COUNT(minimums); i++) {
        s.workflow = i % 2 == 1;
        s.min_tools = minimums[i / 2];
        s.turns = count <= 1 && s.min_tools == 0 ? TURNS + 1 : TURNS;
        s.approval = false;
        explore_setup(e, &s);
        s.approval = s.data > 0 && s.min_tools < (s.workflow ? 3 : 5);
        if (s.approval) {
            explore_setup(e, &s);
        }
    }
}

TEST(every_run_with_few_tools_does_what_the_policy_says)
{
    explorer e;
    explorer_init(&e);
    for (size_t bits = 0; bits < 1U << BUILTINS; bits++) {
        setup s = {.builtin = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}};
        size_t builtins = (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1);
        for (s.data = 0; s.data + builtins <= 3; s.data++) {
            explore_tools(&e, s, s.data + builtins);
        }
    }
    report(&e);
    explorer_finish(&e);
}

TEST(runs_with_more_tools_or_turns_do_what_the_policy_says)
{
    static const setup sets[] = {
        {.data = 4, .min_tools = 5, .turns = TURNS, .approval = true},
        {.data = 3, .builtin = {false, true, false}, .workflow = true, .turns = TURNS},
        {.data = 2,
         .builtin = {true, true, false},
         .workflow = true,
         .turns = TURNS,
         .approval = true},
        {.data = 2,
         .builtin = {false, true, true},
         .workflow = true,
         .turns = TURNS,
         .approval = true},
        {.data = 1, .builtin = {false, true, false}, .workflow = true, .turns = TURNS + 1},
        {.data = 1, .builtin = {true, true, true}, .workflow = true, .turns = TURNS},
    };
    explorer e;
    explorer_init(&e);
    for (size_t i = 0; i < COUNT(sets); i++) {
        explore_setup(&e, &sets[i]);
    }
    report(&e);
    explorer_finish(&e);
}
