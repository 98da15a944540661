/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_help.h - a simulated world around one run, made from one seed: workers that crash, stop and
 * wake up, a store that loses replies, clocks that jump, a model and tools with every behaviour,
 * and people who answer twice or differently. One thread; all randomness comes from the seed.
 *
 * The run itself is real: workers use the functions of the engine (run/decide/decide.h, host.h,
 * pause/command.h), and the store has the rules of real stores (store/check.c). A reader that does
 * not use fold and decide (sim_watch_help.c) checks the rules at each committed event and effect.
 *
 *     sim_init(&sim);
 *     if (!sim_run(&sim, 7, SIM_SOUND)) puts(sim.failure);
 */
#ifndef HAFT_TESTS_SIM_HELP_H
#define HAFT_TESTS_SIM_HELP_H

#include "run/pause/command.h"
#include "run/run_help.h"
#include "store/backend.h"

enum {
    SIM_WORKERS = 3,
    SIM_SLOTS = 16,    /* calls that run at once in one worker */
    SIM_CALLS = 160,   /* calls of a run */
    SIM_MAIL = 24,     /* pending messages */
    SIM_ORPHANS = 64,  /* attempts whose worker has stopped */
    SIM_CALM = 4000,   /* steps without faults within which a run must end */
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
    X(ABANDON, "no worker claims an interrupted run", "stuck")

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
    uint64_t arguments; /* hash of the arguments it starts with or was approved with */
    uint32_t attempt;   /* number of the last start; 0: not started */
    char key[64];       /* idempotency key of the first start */
    uint64_t made;      /* a bit for each attempt that was made in the world */
    uint32_t effects, repeats;
    bool answered;                         /* it was pending and is not any more */
    sim_answer answers[HAFT__PAUSE_KINDS]; /* the last answer to each kind of pause */
} sim_call;

/* One attempt of a call, in a worker or after its crash. */
typedef struct sim_slot {
    bool used, effect_done, asked, asks, times_out;
    size_t call;
    uint32_t attempt;
    sim_class class;
    char id[HAFT__CALL_ID_SIZE], key[80];
    uint64_t arguments;
} sim_slot;

typedef struct sim_message {
    uint64_t id;
    char body[400];
} sim_message;

typedef struct sim_store {
    haft__store head; /* for the rules of store/check.c: only its clock */
    bool exists;
    haft__store_run row;
    char owner[16], end[16];
    haft__buf log;
    sim_message mail[SIM_MAIL];
    size_t mail_count;
    uint64_t last_mail;
} sim_store;

typedef struct sim_worker {
    unsigned number, life;
    char owner[16]; /* a new name after each restart */
    bool frozen, has_run;
    haft__arena arena; /* memory of the run */
    haft__run run;
    bool created;
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

    char words[600];
    help_spec spec;
    haft__arena arena, scratch;
    haft__decider decider;
    haft__buf body, line, text;

    uint64_t now_ms; /* of the store; it advances by itself */
    unsigned steps;
    bool calm;               /* no more faults */
    unsigned fault_interval; /* workers crash, freeze or get a wrong clock only in each n-th step */
    bool cancels;            /* a person may cancel */
    sim_store store;
    sim_worker workers[SIM_WORKERS];
    sim_slot orphans[SIM_ORPHANS];

    /* the state of the watcher */
    sim_call calls[SIM_CALLS];
    size_t call_count, batch;
    uint64_t seen_seq, seen_epoch, seen_bytes;
    unsigned terminals;
    bool cancel_seen;
    haft_str last_command; /* the last command of a person; in `arena` */

    /* statistics over all seeds */
    struct {
        uint64_t runs, steps, events, effects, crashes, freezes, refused, unknown, recoveries,
            answers, seconds, unnamed, cancels, ends[HAFT__END_EXPIRED + 1];
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

/* sim_spec_help.c: the spec of the run, and the replies of its model. */
void sim_make_spec(sim *s);
sim_class sim_class_of(const haft__tool *tool);
void sim_reply(sim *s, sim_worker *w);

/* sim_store_help.c */
void sim_store_start(sim *s);
void sim_store_perform(sim *s, sim_worker *w); /* the pending write */
bool sim_store_claim(sim *s, sim_worker *w);
void sim_store_renew(sim *s, const sim_worker *w);
void sim_store_release(sim *s, const sim_worker *w, uint64_t epoch);
bool sim_store_send(sim *s, haft_str body);

/* sim_worker_help.c */
void sim_worker_start(sim *s, sim_worker *w); /* restarts the process */
void sim_worker_crash(sim *s, sim_worker *w);
void sim_worker_drop(sim *s, sim_worker *w); /* it no longer owns the run */
void sim_worker_claim_or_create(sim *s, sim_worker *w);
void sim_worker_continue(sim *s, sim_worker *w);
void sim_worker_written(sim *s, sim_worker *w);
void sim_worker_read_messages(sim *s, sim_worker *w);
uint64_t sim_worker_now(const sim *s, const sim_worker *w);
bool sim_worker_durable(const sim_worker *w);
bool sim_worker_append(sim *s, sim_worker *w, haft_str body, uint64_t now);
bool sim_worker_command(sim *s, sim_worker *w, const haft__run_command *command, bool direct);
void sim_worker_forge(sim *s, sim_worker *w, haft_str body); /* an event that is not a decision */

/* sim_tools_help.c: attempts, and their effects in the world. */
void sim_slots_start(sim *s, sim_worker *w);
void sim_slots_abandon(sim *s, sim_worker *w); /* its operations may continue without it */
void sim_slot_effect(sim *s, sim_worker *w, sim_slot *slot);
void sim_slot_result(sim *s, sim_worker *w, sim_slot *slot);
void sim_orphan_effect(sim *s, sim_slot *slot);

/* sim_people_help.c */
void sim_person(sim *s);

/* sim_watch_help.c: the rules. */
void sim_watch_event(sim *s, haft_str line, uint64_t epoch);
void sim_watch_claim(sim *s, uint64_t epoch);
void sim_watch_effect(sim *s, const sim_slot *slot);
void sim_watch_command(sim *s, const sim_worker *w, const haft__run_command *command,
                       haft_status status, bool recorded);
void sim_watch_state(sim *s,
                     const sim_worker *w); /* folding the log gives the state of the worker */
void sim_watch_end(sim *s);
sim_call *sim_find_call(sim *s, haft_str id);
bool sim_was_answered(const sim_call *call); /* by a person, at any time */

#endif
