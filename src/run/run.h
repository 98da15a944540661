/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/run.h - the state of a run: what its events add up to.
 *
 *     state   = fold(state, event)      haft__run_fold
 *     effect  = decide(state)           run/decide/decide.h
 *
 * Nothing else holds run state. fold reads decisions and never makes them, so that a newer binary
 * never changes an old run.
 */
#ifndef HAFT_RUN_RUN_H
#define HAFT_RUN_RUN_H

#include "choice/choice.h"
#include "model/model.h"
#include "run/event.h"
#include "run/pause/pause.h"
#include "spec/spec.h"

/* Where a run stands. */
typedef enum haft__run_stage {
    HAFT__RUN_NEW,            /* no event yet */
    HAFT__RUN_IDLE,           /* between turns: the next one is to be decided */
    HAFT__RUN_AWAITING_REPLY, /* a turn has started: the model is to be asked (again) */
    HAFT__RUN_JUDGING,        /* a reply has come and is to be judged */
    HAFT__RUN_CALLING,        /* its calls are judged and run; some may wait for a person */
    HAFT__RUN_ENDED,
} haft__run_stage;

/* How a run can end. */
#define HAFT__STOP_TOKENS(X)                                                                       \
    X(DONE, "done")                                                                                \
    X(DIRECT, "direct")                                                                            \
    X(EXHAUSTED, "exhausted")                                                                      \
    X(INCOMPLETE, "incomplete")                                                                    \
    X(REFUSED, "refused")                                                                          \
    X(VIOLATED, "violated")                                                                        \
    X(FAILED, "failed")                                                                            \
    X(CANCELLED, "cancelled")                                                                      \
    X(EXPIRED, "expired")

typedef enum haft__end {
#define X(name, text) HAFT__END_##name,
    HAFT__STOP_TOKENS(X)
#undef X
} haft__end;

const char *haft__end_name(haft__end end);

/* Where a call stands. */
typedef enum haft__call_stage {
    HAFT__CALL_ARRIVED,  /* the model wrote it; not judged yet */
    HAFT__CALL_PAUSED,   /* waits for a person or a client */
    HAFT__CALL_ANSWERED, /* they have spoken; what follows from it is to be decided */
    HAFT__CALL_STARTED,  /* runs, or is about to */
    HAFT__CALL_FINISHED,
    HAFT__CALL_REFUSED,
} haft__call_stage;

/* What was said to a call that waited. */
typedef struct haft__pause_answer {
    haft_str verdict; /* approve, edit, reject, respond, answer, retry, expire; "" for nothing */
    haft__json value;
    haft__json elicitation; /* what the tool itself had asked; or null */
    haft_str message;       /* the id of the message that it came as; "" for none */
} haft__pause_answer;

/* Who answers what a server has asked and taken back. */
#define HAFT__BY_SERVER HAFT__LIT("server")

typedef struct haft__run_call {
    haft_str id; /* c3.1: turn 3, first call */
    haft_str model_call, name, raw;
    haft_str malformed;     /* why it could not be read; "" when it could */
    bool repaired;          /* it was mended while it was read */
    bool renamed;           /* the model left the server out of the name (run/call_target.h) */
    bool redacted;          /* `raw` is not what the model wrote: it had a secret in it */
    const haft__tool *tool; /* NULL when there is none of that name */
    haft__call_stage stage;
    bool started;     /* a call_started has been seen */
    bool approved;    /* by a person */
    haft_str binding; /* what is approved, or is to be (run/pause/binding.h); "" for none */
    bool consented;   /* it has begun with an approval, */
    haft_str bound;   /* of this binding; "" for none, */
    haft__json bound_arguments; /* which is of these: people may have changed them */
    bool spec_changed;          /* the spec has changed since it began */
    bool needs_new_approval;    /* a yes was for another thing: nothing but another yes starts it */
    uint32_t attempt;           /* of the last call_started */
    uint32_t repeats;           /* of it by itself: nobody said so */
    haft__json arguments;       /* as they run; null before that is known */
    uint64_t signature;         /* hash of tool and canonical arguments; 0 before */
    haft_str cache_key; /* tool and canonical arguments; empty when it is not to be cached */
    haft_str note;      /* put behind the result the model sees */
    haft__pause pause;
    uint64_t paused_seq;  /* of the event that said so last: a question of its own each time */
    uint64_t deadline_ms; /* 0: none */
    haft__json on_expire;
    haft__json
        elicitation;  /* what the tool itself asks: {message, mode, schema, url, server}; or null */
    bool pinned;      /* only the process that runs the call can answer it */
    haft__json state; /* what the tool wants back with the answer */
    uint64_t within_ms; /* how long the answer may take; 0: as long as it likes */
    bool answer_due;    /* what the tool asked has been answered: it waits for that */
    bool lost;          /* of an unknown outcome: what the tool asked went with its process */
    haft__json resume;  /* {state, answers} for a tool that is called again with an answer; null */
    haft_str verdict;   /* of the last answer: approve, edit, reject, respond, answer */
    haft__json value;   /* of it */
    bool overdue;       /* nobody answered: that is what happens at its deadline */
    haft__pause_answer answers[HAFT__PAUSE_KINDS]; /* the last answer to each kind of pause: the
                                               same may be said again when it waits for the next */
    bool withdrawn;                                /* the tool has taken back what it asked */
    bool stored;                                   /* its artifact has been recorded */
    bool searched;                                 /* of tool_search: what it found is there */
    const haft__tool **hits;                       /* that, best first */
    size_t hit_count, shown_count;                 /* of them, the first so many are declared */
    uint64_t finished_ms;
    bool ok;             /* of a finished call */
    haft_str result;     /* whole, as the tool gave it (or the error as text) */
    haft_str shown;      /* what the model sees */
    bool counts_invalid; /* was refused as unknown or invalid */
} haft__run_call;

typedef struct haft__artifact {
    haft_str name, media_type, sha256, call;
    uint64_t bytes;
} haft__artifact;

/* What searches have made of a deferred tool. */
typedef enum haft__tool_reveal {
    HAFT__TOOL_REVEAL_NONE,   /* none has found it; also what every tool is that is not deferred */
    HAFT__TOOL_REVEAL_SHOWN,  /* it is declared */
    HAFT__TOOL_REVEAL_LISTED, /* it was named to the model: not declared, though it can be called */
    HAFT__TOOL_REVEAL_HIDDEN, /* it was evicted: not declared any more, though it can be called */
} haft__tool_reveal;

/* What has become of a tool and its calls. */
typedef struct haft__tool_history {
    bool finished;
    haft__tool_reveal found;
    uint64_t found_seq;   /* of the search that showed it last; to list it is not enough */
    uint32_t found_rank;  /* in that one, from 0 */
    uint32_t shown_order; /* when it was declared: those that were later stand behind */
    uint64_t called_seq;  /* of its last call */
    uint32_t rejected;    /* calls a person rejected */
    uint32_t kept;        /* calls that finished */
    bool gone;            /* its server does not list it any more */
} haft__tool_history;

/* A server, as it was when tools were searched for last. */
typedef struct haft__run_server {
    haft_str name;
    haft_str error;        /* "" when there is none */
    const haft_str *names; /* of its tools that may be used, without the server's */
    size_t name_count;
    const haft_str *changed; /* those that are not what was used or accepted */
    size_t changed_count;
    bool unnamed; /* it is not known what they are called */
} haft__run_server;

struct haft__run;

/* What was said of a server last; NULL when nothing was, or there is no run. */
const haft__run_server *haft__run_find_server(const struct haft__run *run, haft_str name);

/* How a run gets at a spec that takes the place of its own: that of the event `seq`. It must
 * outlive the run. `load` is NULL where nobody can. */
typedef struct haft__run_specs {
    haft_status (*load)(void *context, haft__json source, uint64_t seq, const haft__spec **ret_spec,
                        haft_error *err);
    void *context;
} haft__run_specs;

typedef struct haft__run {
    haft__arena *arena; /* everything below lives here */
    haft__arena
        *scratch; /* for an event while it is taken in; NULL: haft__run_fold takes its own */
    const haft__spec *spec;
    haft__run_specs specs; /* set behind haft__run_init */
    haft_str file;         /* the hash of the file that the spec came from; "" when unknown */
    haft__json sets;       /* what was changed in it on the way, a list of "path=value"; or null */
    const haft__tools *tools; /* of this run: the spec's own, until others are revealed */
    haft__tools *more_tools;  /* what `tools` is from then on, the spec's first; else NULL */
    haft__hash_key hash_key;
    haft_str id, thread;
    uint64_t seq, started_ms, last_ms; /* of the last event */
    uint64_t worked_ms; /* that models and tools took: not people, and not a time between hosts */
    haft__run_stage stage;

    /* the turn */
    uint32_t turn;
    haft__choice_mode mode;
    haft_str mode_tool;
    bool by_limit;       /* mode none, because a budget is used up */
    bool *allowed;       /* for each tool of the run */
    uint32_t numbered;   /* calls of this turn's replies so far, those asked again included */
    uint32_t violations; /* of this turn so far */
    haft_str correction; /* what the model is told when it is asked again; "" at first */
    haft__constraint_kind constraint; /* of the request that is made, or of the last one */
    haft_str constrained_format;      /* of that request, when there is one */

    /* the reply that is being judged or whose calls run */
    haft__reply reply;
    bool settled; /* its message is part of the conversation */
    haft__model_failure failure;
    bool failed; /* the model call failed */

    haft__run_call *calls; /* all of the run, in order */
    size_t call_count, call_capacity;
    size_t batch; /* where those of the last reply start */

    haft__messages messages;
    const haft__messages *earlier; /* of the thread; may be NULL */
    haft_str task;
    haft__tool_history *past; /* for each tool of the run */
    haft__usage usage;
    uint64_t cost_parts;     /* micro-dollars times a million: exact */
    bool constraint_refused; /* by the server: it is not sent any more */
    bool gate_opened, default_satisfied, completed, cancel_asked, expired;
    bool initial_search_done; /* tools have been searched for before the first turn */
    bool nothing_to_search;   /* and there were none, nor a server that may still have some */
    uint64_t deferred;        /* how many the last search looked through */
    uint32_t shown_count;     /* of tools that were ever declared after a search */
    uint32_t turn_shown;      /* that, when the last turn began */
    uint64_t turn_seq;        /* of the event with which it did */
    const haft__run_server *servers;
    size_t server_count;
    haft_str cancel_why;
    uint32_t reminders, invalid_replies;
    haft__no_progress progress;
    haft__map results; /* cache_key -> haft__run_call */
    const haft__artifact **artifacts;
    size_t artifact_count, artifact_capacity;
    haft_str observation; /* the last result, as shown */

    /* the end */
    haft__end end;
    haft_str answer, end_reason;
    bool forced_final;
    haft__json end_error; /* null or {status, where, message, hint} */

    bool unopened; /* the store has it wait, whatever its events say: a fork that nobody has opened;
                      set by who has looked there */
} haft__run;

/* `spec` must outlive the run. */
HAFT_MUST_USE haft_status haft__run_init(haft__run *run, haft__arena *arena, const haft__spec *spec,
                                         haft__hash_key hash_key, haft_error *err);

/* Says what earlier runs of the thread said, before the first event: it stands between the system
 * prompt and the task. Borrowed; must outlive the run. */
void haft__run_set_earlier(haft__run *run, const haft__messages *earlier);

/* What earlier runs said has become known after the run was started, before its first turn: it is
 * put where it would have stood. */
HAFT_MUST_USE haft_status haft__run_insert_earlier(haft__run *run, haft_error *err);

/* Adds what a run that has ended leaves to its thread: its task and its answer. Both are borrowed
 * and must live as long as the messages. */
HAFT_MUST_USE haft_status haft__run_append_exchange(haft_str task, haft_str answer,
                                                    haft__messages *to, haft_error *err);

/* Takes one event in: `line` is copied. BAD_INPUT when it does not follow what came before. After
 * an error the run must not be used any more. */
HAFT_MUST_USE haft_status haft__run_fold(haft__run *run, haft_str line, haft_error *err);

#define HAFT__CALL_ID_SIZE 32

/* The id of the n-th call of a turn, both from 1: c3.1. Returns it in `to`. */
haft_str haft__run_call_id(char to[HAFT__CALL_ID_SIZE], uint32_t turn, uint64_t number);

/* Whether every call of the last reply has its result. */
bool haft__run_batch_done(const haft__run *run);

/* The call of that id, ours or the model's own; the newest. NULL when there is none. */
const haft__run_call *haft__run_find_call(const haft__run *run, haft_str id);

/* For those who only look at a run whose process is gone: what tools had asked there went with it,
 * and the outcome of these calls is unknown. Whoever takes the run up records that. */
void haft__run_drop_lost_questions(haft__run *run);

/* Whether nobody has begun with the call yet, but somebody was asked about it: another spec may ask
 * otherwise. */
bool haft__call_may_be_judged_again(const haft__run_call *call);

/* Whether somebody has said no before it began: it needs no tool for that. */
bool haft__call_is_declined(const haft__run_call *call);

/* The index of the tool among the run's. The tool is one of them. */
size_t haft__run_tool_index(const haft__run *run, const haft__tool *tool);

/* Hashes that decisions compare: the same in every process, so that a replay decides the same. */
uint64_t haft__run_hash(haft_str text);

/* Appends what a call is remembered by: its tool's name and its canonical arguments. */
HAFT_MUST_USE haft_status haft__run_call_key(haft__buf *buf, haft_str tool, haft__json arguments,
                                             haft_error *err);

/* Costs in dollars, exactly, as a JSON number. */
void haft__run_add_cost(haft__buf *buf, const haft__run *run);

#endif
