/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_help.h - a simulated world around a few runs, made from one seed: workers that crash, stop
 * and wake up, a store that loses replies, clocks that jump, a model and tools with every
 * behaviour, and people who answer twice or differently. Runs start child runs, follow each other
 * in a thread, are forked, are handed to another agent, and get another spec. Some are graphs. All
 * randomness comes from the seed.
 *
 * The runs themselves are real: workers use the functions of the engine (run/decide/decide.h,
 * host.h, pause/command.h), and the store has the rules of real stores (store/check.c). A reader
 * that does not use fold and decide (sim_watch_help.c, sim_tree_help.c, sim_handoff_help.c,
 * sim_step_help.c) checks the rules at each committed event and effect.
 *
 *     sim_init(&sim);
 *     if (!sim_run(&sim, 7, SIM_SOUND)) puts(sim.failure);
 */
#ifndef HAFT_TESTS_SIM_HELP_H
#define HAFT_TESTS_SIM_HELP_H

#include "engine/ops/fork.h"
#include "run/pause/command.h"
#include "run/run_help.h"
#include "run/thread_queue.h"
#include "store/backend.h"

enum {
    SIM_WORKERS = 3,
    SIM_SLOTS = 16,    /* calls that run at once in one worker */
    SIM_CALLS = 256,   /* calls of a run */
    SIM_RECORDS = 96,  /* runs of one seed */
    SIM_LINKS = 32,    /* children of a run */
    SIM_TASKS = 32,    /* nodes of a step */
    SIM_MAIL = 64,     /* pending messages of a run; people may send half as many */
    SIM_ATTEMPTS = 16, /* attempts of a call whose arguments are compared */
    SIM_ORPHANS = 64,  /* attempts whose worker has stopped */
    SIM_CALM = 4000,   /* steps without faults, for each run, within which all runs must end */
    SIM_LEASE = 30000, /* milliseconds */
};

/* Defects that a test can put into the store or the workers (`broken`), and the rule that must
 * detect each. The faults of a sound simulation (crashes, lost replies, clocks) are no defects. */
#define SIM_BREAKS(X)                                                                              \
    X(SOUND, "nothing", "")                                                                        \
    X(EPOCH, "the store does not check the epoch of an append", "epoch")                           \
    X(SEQ, "the store does not check the sequence number of an append", "dense")                   \
    X(LOST, "a crash loses the last event", "stored")                                              \
    X(EARLY, "effects do not wait until their start is durable", "not in the log")                 \
    X(CLAIM, "a run can be claimed without a new epoch", "does not follow")                        \
    X(KEY, "each attempt has a key of its own", "one key")                                         \
    X(REPEAT, "recovery repeats a call that may run only once", "may not be repeated")             \
    X(TWICE, "a second answer is recorded", "answered at most once")                               \
    X(OTHER, "a different second answer is accepted", "second answer")                             \
    X(MEANT, "an answer to one pause is applied to another", "sender saw")                         \
    X(UNSEEN, "a command is applied to a pause that was not seen", "sender saw")                   \
    X(YES, "a repeated approval runs the call again", "old approval")                              \
    X(DECLINED, "a declined call runs all the same", "declined")                                   \
    X(EDITED, "a call runs with the arguments of the model", "as recorded")                        \
    X(UNASKED, "no approval is requested", "approval")                                             \
    X(TERMINAL, "the end is recorded twice", "terminal")                                           \
    X(SKIP, "the last call of a batch is never made", "stuck")                                     \
    X(TURN, "the next turn starts before the batch has its results", "results")                    \
    X(AGAIN, "recovery repeats finished calls", "never again")                                     \
    X(CANCEL, "the run continues after a cancel", "cancel")                                        \
    X(PHANTOM, "a worker folds an event that it does not record", "state")                         \
    X(DECISION, "a decision is recorded differently", "replay")                                    \
    X(ABANDON, "no worker claims an interrupted run", "stuck")                                     \
    X(UNBORN, "a child is not created with the event that starts it", "has no run")                \
    X(SECOND, "recovery starts a child again", "second child")                                     \
    X(SILENT, "the end of a child is not sent to its parent", "stuck")                             \
    X(FORGED, "a parent records another end of its child", "end of its run")                       \
    X(SURVIVE, "a cancel is not sent to the children", "does not go down")                         \
    X(RUNAWAY, "children are not told that a budget is used up", "does not go down")               \
    X(ORPHAN, "a cancelled run ends before its children", "before its children")                   \
    X(GREEDY, "a child gets a larger budget than is left", "than is left")                         \
    X(HURRY, "a run does not wait for its thread", "of its thread")                                \
    X(FORK, "a run can be forked at any point", "of the forked run")                               \
    X(RELAPSE, "a run continues with its old spec", "without approval")                            \
    X(STAY, "an accepted transfer is not performed", "without the handoff")                        \
    X(HANDED, "a handoff is recorded twice", "handed over twice")                                  \
    X(LOOP, "handoffs are not counted", "more often than")                                         \
    X(FORGET, "a handoff loses the last message", "the history of")                                \
    X(BARRIER, "a step is recorded while a node has no result", "before its barrier")              \
    X(TWOFOLD, "a step is recorded twice", "its last step")                                        \
    X(MIXED, "results are applied in the order in which they come", "the order of the nodes")      \
    X(UNWOKEN, "a step has another node than was woken", "was not to run")                         \
    X(ENDLESS, "the recursion limit is not counted", "its limit is")                               \
    X(ANEW, "a node that is done runs again", "it has its result")                                 \
    X(UNTRUE, "a graph answers with another state", "is not the state")

typedef enum sim_break {
#define X(name, what, rule) SIM_##name,
    SIM_BREAKS(X)
#undef X
        SIM_BREAK_COUNT
} sim_break;

/* The class of a tool: whether its calls may be repeated. */
typedef enum sim_class { SIM_READ_ONLY, SIM_IDEMPOTENT, SIM_ONCE, SIM_NO_EFFECT } sim_class;

typedef struct sim_answer {
    char verdict[16]; /* "" for none */
    uint64_t value;   /* hash of the value */
    bool asked;       /* the tool itself asked */
} sim_answer;

/* The state of a call in the log, and its effects in the world under its key. */
typedef struct sim_call {
    char id[HAFT__CALL_ID_SIZE], tool[32];
    sim_class class;
    bool approval;      /* a person must approve it first */
    bool open;          /* it has no result */
    bool pending, asks; /* it is pending; the tool itself asks */
    haft__pause pause;  /* the kind of the open pause, or of the last one */
    bool approved, declined, may_repeat;
    bool policy;        /* the spec allows a repetition */
    bool judged_again;  /* another spec was accepted while it waited for a person */
    uint32_t inherited; /* attempts of the run that was forked */
    uint32_t
        declined_after; /* attempts before a person declined it: a new spec asked for approval */
    uint64_t arguments; /* hash of the arguments it starts with or was approved with */
    uint64_t started_with[SIM_ATTEMPTS]; /* the same of each attempt: a person may edit them, and an
                                            earlier attempt has its effect later */
    uint32_t attempt;                    /* number of the last start; 0: not started */
    char key[64];                        /* idempotency key of the first start */
    uint64_t made;                       /* a bit for each attempt that was made in the world */
    uint32_t effects, repeats;
    bool closed;                           /* a person's edit of the graph has closed it */
    bool answered;                         /* it was pending and is not any more */
    sim_answer answers[HAFT__PAUSE_KINDS]; /* the last answer to each kind of pause */
    char found[40];                        /* the result of a tool in a graph; "" for none */
} sim_call;

/* A child that a run has started, in its log. */
typedef struct sim_link {
    char call[HAFT__CALL_ID_SIZE], child[HAFT__ID_LENGTH + 1];
    uint64_t turns; /* its budget; when it has finished, what it used */
    bool finished;
} sim_link;

typedef struct sim_message {
    uint64_t id;
    haft_str body; /* in the arena of the simulation */
} sim_message;

/* The specs of a seed: two roots, of which the second replaces the first, two agents that are child
 * runs, one that runs are only handed to, and graphs on three levels. */
typedef enum sim_role {
    SIM_ROOT,
    SIM_AGENT,
    SIM_LEAF,
    SIM_DESK,
    SIM_NEXT,
    SIM_GRAPH,
    SIM_INNER,
    SIM_DEEP,
    SIM_ROLES
} sim_role;

typedef struct sim_spec {
    char words[600];
    help_spec help;
    haft__agent_tool agents[2];
    haft__agent_spec named[2]; /* that it can hand a run to */
    haft__handoff handoffs[2];
} sim_spec;

/* A node that is to run in the next step of a graph. */
typedef struct sim_task {
    char name[8];
    uint64_t number; /* in the ids of its calls */
    bool worker;     /* of a map */
    char by[8][8];   /* the nodes that have woken it */
    size_t by_count;
} sim_task;

/* The facts that the watcher knows of a graph. */
typedef struct sim_steps {
    uint64_t steps; /* the last one */
    bool begun;     /* step 0 is recorded */
    bool limited;   /* the recursion limit is reached: only the node of the limit may run */
    sim_task next[SIM_TASKS];
    size_t next_count;
    uint64_t last_number; /* of the tasks of the open step */
    haft_str log;         /* the items of the channel `log`, in the arena */
} sim_steps;

/* A run in the store, and what the watcher knows of it. */
typedef struct sim_record {
    char id[HAFT__ID_LENGTH + 1], thread[HAFT__ID_LENGTH + 1];
    sim_role role;
    haft__spec spec;           /* as it began: that of its role, with its own limits */
    const char *words;         /* of its current spec, by its log */
    haft__multitask multitask; /* of a root */
    struct sim_record *parent; /* of a child */

    /* the store */
    bool exists, refused; /* refused: its thread was not free */
    haft__store_run row;
    char owner[16];
    haft_str end, answer; /* when it has ended; in the arena */
    haft__buf log;
    sim_message mail[SIM_MAIL];
    size_t mail_count;

    /* the watcher */
    sim_call calls[SIM_CALLS];
    size_t call_count, batch;
    sim_link links[SIM_LINKS];
    size_t link_count, inherited_links; /* inherited: of the run that was forked */
    uint64_t seen_seq, seen_epoch, seen_bytes, turns;
    unsigned terminals;
    bool cancel_seen, limit_seen, begun, spec_changed;
    const sim_spec *agent;             /* that the run was handed to; NULL: its own spec */
    char transfer[HAFT__CALL_ID_SIZE]; /* accepted, and the run has not been handed over yet */
    unsigned handoffs;
    sim_steps graph;
} sim_record;

/* One attempt of a call, in a worker or after its crash. */
typedef struct sim_slot {
    bool used, effect_done, asked, asks, times_out;
    sim_record *record;
    size_t call;
    uint32_t attempt;
    sim_class class;
    char id[HAFT__CALL_ID_SIZE], key[80];
    uint64_t arguments;
} sim_slot;

/* A child that a write creates, and a message that it sends. */
typedef struct sim_birth {
    char id[HAFT__ID_LENGTH + 1];
    sim_role role;
    haft__spec spec;
    haft_str line;
} sim_birth;

typedef struct sim_letter {
    char to[HAFT__ID_LENGTH + 1];
    haft_str body;
} sim_letter;

typedef struct sim_worker {
    unsigned number, life;
    char owner[16]; /* a new name after each restart */
    bool frozen, has_run;
    sim_record *record; /* if it has a run */
    haft__arena arena;  /* memory of the run */
    haft__run run;
    haft__messages earlier; /* of its thread */
    bool created;
    bool queued;       /* it waits for earlier runs of its thread */
    bool cancels_sent; /* to these runs */
    sim_birth births[SIM_LINKS];
    sim_letter letters[SIM_LINKS + 1];
    size_t birth_count, letter_count;
    size_t born;            /* children of the run whose creation was written or is being written */
    haft__child_close told; /* what its children know about its end */
    uint64_t epoch, durable_seq, writing_seq;
    haft__buf gathered, written; /* lines */
    uint64_t delivered[SIM_MAIL], acked_writing[SIM_MAIL];
    size_t delivered_count, heard_written_count;
    bool writing, performed;
    haft_status write_status;
    bool writing_ended; /* the pending write ends the run */
    haft__effect_kind effect;
    bool asking;
    sim_slot slots[SIM_SLOTS];
    int64_t skew_ms; /* of its clock */
} sim_worker;

typedef struct sim {
    uint64_t seed, random_state;
    sim_break broken;
    bool tracing;
    haft__buf trace;
    char failure[600]; /* the first failure; "" if there is none */

    sim_spec specs[SIM_ROLES];
    sim_role root; /* of runs that people start */
    haft__arena arena, scratch, schemas;
    const haft__schema *schema; /* of specs; in `schemas` */
    haft__decider decider;
    haft__buf body, line, text;

    uint64_t now_ms; /* of the store; it advances by itself */
    unsigned steps;
    bool calm;               /* no more faults */
    unsigned fault_interval; /* workers crash, freeze or get a wrong clock only in each n-th step */
    bool cancels;            /* a person may cancel */
    bool changes;            /* a person may change the spec */
    bool walls;              /* runs may use up their time */
    bool loops;              /* models hand their run over again and again */
    unsigned roots_left, forks_left; /* runs that people may still start, and forks */
    haft__store head;                /* for the rules of store/check.c: only its clock */
    uint64_t last_mail;
    sim_record records[SIM_RECORDS];
    size_t record_count;
    sim_worker workers[SIM_WORKERS];
    sim_slot orphans[SIM_ORPHANS];
    haft_str last_command;       /* the last command of a person; in `arena` */
    sim_record *last_command_to; /* its run */

    /* statistics over all seeds */
    struct {
        uint64_t seeds, runs, children, forks, queued, changed, handoffs, steps, events, effects,
            crashes, freezes, refused, unknown, recoveries, answers, seconds, unnamed, cancels,
            walls, graphs, graph_steps, graph_changes, graph_edits_inside,
            ends[HAFT__END_EXPIRED + 1];
    } sum;
} sim;

void sim_init(sim *s);
void sim_finish(sim *s);

/* Plays one seed. False: a rule was broken, and `failure` names it. */
bool sim_run(sim *s, uint64_t seed, sim_break broken);

/* The world before the first step. */
void sim_begin(sim *s, uint64_t seed, sim_break broken);

const char *sim_break_text(sim_break broken);
const char *sim_break_rule(sim_break broken);

/* ---- shared by the parts ---- */

uint32_t sim_pick(sim *s, uint32_t count); /* one of 0 ... count - 1 */
bool sim_chance(sim *s, uint32_t percent); /* true with that frequency */
bool sim_fault(sim *s, uint32_t percent);  /* the same, and never in the phase without faults */
void sim_trace(sim *s, const char *format, ...) HAFT__PRINTF(2, 3); /* a line of the trace */
void sim_fail(sim *s, const char *format, ...) HAFT__PRINTF(2, 3);  /* only the first one counts */
uint64_t sim_hash(sim *s, haft__json value);                        /* of its canonical text */

/* sim_spec_help.c: the specs of the seed, and the replies of the models. */
void sim_make_specs(sim *s);
sim_class sim_class_of(const haft__tool *tool);
void sim_reply(sim *s, sim_worker *w);

/* sim_graph_help.c: specs of graphs, forks of their runs, and defects. */
void sim_make_graphs(sim *s);
sim_role sim_role_of(haft_str agent); /* of a child */
haft__fork_options sim_pick_step(sim *s, const sim_record *r);
bool sim_write_change(sim *s, haft__run *run, const haft__fork_options *options, haft_error *err);
haft_str sim_break_step(sim *s, haft_str body);             /* of an event that is decided */
void sim_break_graph(sim *s, sim_worker *w, haft_str body); /* after an event */

/* sim_store_help.c */
sim_record *sim_store_add(sim *s, haft_str id, haft_str thread, sim_role role); /* not stored yet */
sim_record *sim_store_find(sim *s, haft_str id); /* a run that is stored; NULL without one */
bool sim_store_due(const sim *s, const sim_record *r);
void sim_store_perform(sim *s, sim_worker *w); /* the pending write */
bool sim_store_claim(sim *s, sim_worker *w, sim_record *r);
void sim_store_renew(sim *s, const sim_worker *w);
void sim_store_release(sim *s, sim_record *r, uint64_t epoch, bool waits, uint64_t wake_ms);
bool sim_store_send(sim *s, sim_record *r, haft_str body);
void sim_store_append(sim *s, sim_record *r, haft_str lines, uint64_t epoch);
bool sim_store_has_predecessor(const sim *s, const sim_record *r); /* an open run of its thread */

/* sim_worker_help.c */
void sim_worker_start(sim *s, sim_worker *w); /* restarts the process */
void sim_worker_crash(sim *s, sim_worker *w);
void sim_worker_drop(sim *s, sim_worker *w); /* it no longer owns the run */
void sim_worker_claim_or_create(sim *s, sim_worker *w, sim_record *r);
void sim_worker_continue(sim *s, sim_worker *w);
void sim_worker_check_queue(sim *s, sim_worker *w);
void sim_worker_use_up_time(sim *s, sim_worker *w);
void sim_worker_written(sim *s, sim_worker *w);
void sim_worker_read_messages(sim *s, sim_worker *w);
uint64_t sim_worker_now(const sim *s, const sim_worker *w);
bool sim_worker_durable(const sim_worker *w);
bool sim_worker_append(sim *s, sim_worker *w, haft_str body, uint64_t now);
bool sim_worker_command(sim *s, sim_worker *w, const haft__run_command *command, bool direct);
void sim_worker_forge(sim *s, sim_worker *w, haft_str body); /* an event that is not a decision */
/* A body in which `from` is replaced by `to` once. */
haft_str sim_replace(sim *s, haft_str body, const char *from, const char *to);

/* sim_fold_help.c: the state of a stored run. */
haft__run_specs sim_specs(sim *s);
bool sim_earlier(sim *s, const sim_record *r, haft__arena *arena, haft__messages *ret_earlier);
bool sim_fold(sim *s, const sim_record *r, uint64_t last, haft__arena *arena,
              haft__messages *earlier, haft__run *run, haft_error *err);

/* sim_family_help.c: what a write creates and sends, like engine/child.c, and forks. */
void sim_family_collect(sim *s, sim_worker *w);
void sim_fork(sim *s);

/* sim_tools_help.c: attempts, and their effects in the world. */
void sim_slots_start(sim *s, sim_worker *w);
void sim_slots_abandon(sim *s, sim_worker *w); /* its operations may continue without it */
void sim_slot_effect(sim *s, sim_worker *w, sim_slot *slot);
void sim_slot_result(sim *s, sim_worker *w, sim_slot *slot);
void sim_orphan_effect(sim *s, sim_slot *slot);

/* sim_people_help.c */
void sim_person(sim *s);

/* sim_watch_help.c: the rules for one run. */
void sim_watch_event(sim *s, sim_record *r, haft_str line, uint64_t epoch);
void sim_watch_claim(sim *s, sim_record *r, uint64_t epoch);
void sim_watch_effect(sim *s, const sim_slot *slot);
void sim_watch_command(sim *s, const sim_worker *w, const haft__run_command *command,
                       haft_status status, bool recorded);
void sim_watch_state(sim *s,
                     const sim_worker *w); /* folding the log gives the state of the worker */
void sim_watch_end(sim *s, sim_record *r);
sim_call *sim_find_call(sim_record *r, haft_str id);
void sim_classify(const sim_record *r, sim_call *call); /* by the name of its tool */
bool sim_was_answered(const sim_call *call);            /* by a person, at any time */

/* sim_handoff_help.c: agents that hand runs to each other, and the rules for it. */
void sim_make_handoffs(sim *s);
void sim_watch_handoff(sim *s, sim_record *r, const haft__event *event);
void sim_watch_history(sim *s, const haft__messages *before, const haft__run *run); /* handed off */
void sim_watch_use_spec(sim *s, sim_record *r); /* another agent or another spec */

/* sim_step_help.c: the rules for steps of graphs. */
void sim_watch_step(sim *s, sim_record *r, const haft__event *event); /* before the other rules */
sim_call *sim_watch_node_call(sim *s, sim_record *r, const haft__event *event); /* a new call */

/* sim_tree_help.c: the rules for several runs. */
void sim_watch_family(sim *s, sim_record *r, const haft__event *event); /* before it is stored */
void sim_watch_write(sim *s, sim_record *r); /* after a write of the run */
void sim_watch_fork(sim *s, sim_record *r);  /* the events of the other run were copied */
void sim_watch_tree(sim *s);                 /* all runs have ended */

#endif
