/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/rules/offline_int.h - what the parts of the offline planner share.
 *
 *     offline_past    what it has called in this run, and what came back
 *     offline_aim     what kind of question the task is
 *     offline_words   what the task is about
 *     offline_scope   ... where, and what kind of files
 *     offline_like    ... and words that mean much the same
 *     offline_match   whether they are in a line
 *     offline_search  the expressions that look for it
 *     offline_found   files and lines in the results
 *     offline_form    what a line does: define, declare, call, explain
 *     offline_rank    ... the most important first
 *     offline_kinds   what kinds of files there are
 *     offline_facts   values in other tools' results
 *     offline_args    arguments from a schema
 *     offline_values  ... and what they are about
 *     offline_hints   ... addresses, dates and numbers that the task has
 *     offline_sample  ... a text that a pattern takes
 *     offline_tools   which tools there are, and which of them to call
 *     offline_text    quoting what others wrote
 *     offline_report  the report
 *     offline_answer  the answer and the summary
 *     offline_short   the answer to a question about files: places
 *     offline_count   ... how many, and which
 *     offline_compare ... what two things have in common, and what not
 *     offline_overview .. a file or a tree in short
 *     offline_calls   one call: is it new, valid and worth it
 *     offline_gather  the plan for files: list, search, read
 *     offline         the plan
 *
 * Everything lives in the arena of the request that is being answered.
 */
#ifndef HAFT_MODEL_RULES_OFFLINE_INT_H
#define HAFT_MODEL_RULES_OFFLINE_INT_H

#include "base/limits.h"
#include "base/map.h"
#include "model/rules/offline.h"

/* The plan is the same in every process, so the key of its tables is, too. What they hold is
 * bounded by HAFT__LIMIT_OFFLINE_FILES and the calls of a run. */
#define HAFT__OFFLINE_KEY ((haft__hash_key){1, 2})

/* In the place of an index: there is none. */
#define HAFT__OFFLINE_NONE SIZE_MAX

/* ---- the past ---- */

typedef struct haft__offline_call {
    haft_str name;
    haft__json arguments; /* null when they are not JSON */
    haft_str result;      /* what came back, without the marks that haft puts behind it */
    bool answered;
    bool failed;  /* it was an error or a refusal */
    bool not_run; /* there were too many calls in the turn: it may be made again */
    bool cut;     /* the result is not whole */
} haft__offline_call;

typedef struct haft__offline_past {
    haft_str task;
    haft__offline_call *calls;
    size_t count;
    haft__map made;     /* haft__offline_sign() of every call that was not `not_run` */
    haft_str missing;   /* what haft last said must be done before the end; "" for nothing */
    size_t since;       /* what has happened since complete_workflow was last called */
    bool one_at_a_time; /* more calls than one in a reply were too many */
} haft__offline_past;

HAFT_MUST_USE haft_status haft__offline_past_read(const haft__request *request, haft__arena *arena,
                                                  haft__offline_past *ret_past, haft_error *err);

/* What a call is remembered by: its tool and its canonical arguments. */
HAFT_MUST_USE haft_status haft__offline_sign(haft__arena *arena, haft_str name,
                                             haft__json arguments, haft_str *ret_key,
                                             haft_error *err);

/* The text of a call's argument; "" when it has none. */
haft_str haft__offline_argument(const haft__offline_call *call, const char *key);

/* ---- what kind of question it is ---- */

typedef enum haft__offline_aim {
    HAFT__OFFLINE_AIM_PLACE,
    HAFT__OFFLINE_AIM_DEFINED,
    HAFT__OFFLINE_AIM_DECLARED,
    HAFT__OFFLINE_AIM_SIGNATURE,
    HAFT__OFFLINE_AIM_CALLED,
    HAFT__OFFLINE_AIM_VALUE,
    HAFT__OFFLINE_AIM_MEANING,
    HAFT__OFFLINE_AIM_DOCUMENTED,
    HAFT__OFFLINE_AIM_REASON,
    HAFT__OFFLINE_AIM_COUNT,
    HAFT__OFFLINE_AIM_LIST,
    HAFT__OFFLINE_AIM_COMPARE,
    HAFT__OFFLINE_AIM_SUMMARY,
} haft__offline_aim;

haft__offline_aim haft__offline_aim_of(haft_str task);
const char *haft__offline_aim_name(haft__offline_aim aim);

/* Whether a word, in lower case, says what is asked rather than what it is asked about. */
typedef enum haft__offline_cue {
    HAFT__OFFLINE_NO_CUE,
    HAFT__OFFLINE_CUE,
    HAFT__OFFLINE_CUE_FILE, /* file, header: behind "which" */
    HAFT__OFFLINE_CUE_FORM, /* function, struct, macro: a name may follow */
} haft__offline_cue;
haft__offline_cue haft__offline_cue_of(haft_str lower_word);

/* The word that a definition of that form has: "define" for a macro. */
haft_str haft__offline_keyword_of(haft_str form);

/* ---- the words of the task ---- */

typedef struct haft__offline_word {
    haft_str text;  /* lower case, without its ending; as it was written when it is exact */
    haft_str shown; /* as it was written */
    bool exact;     /* quoted, or a name such as read_file or readFile */
    bool joined;    /* has hyphens or dots, which may be missing or others in a line: retry-after */
    bool weak;      /* says what is done with the rest: handled, checked, computed */
    const char *const *like; /* stems that mean much the same, NULL at the end; or NULL */
} haft__offline_word;

/* Words that mean much the same as this stem, NULL at the end; NULL when there are none. */
const char *const *haft__offline_like(haft_str stem);

/* Whether the stem is of a verb that says what is done with something. */
bool haft__offline_is_weak(haft_str stem);

#define HAFT__OFFLINE_HINTS 4
#define HAFT__OFFLINE_TAKEN 24

/* Where something is looked for, and what kind of files is asked for. */
typedef struct haft__offline_scope {
    haft_str place;  /* a directory, in a pattern: src/json, or json anywhere; "" for all */
    haft_str hint;   /* a word that may be one, if a listing has it */
    haft_str ending; /* of the files that are asked for: *.c; "" for any */
    haft_str glob;   /* both of them: src/json/ and any depth, *.c */
    const char *taken[HAFT__OFFLINE_TAKEN]; /* words that say so, and are not looked for */
    size_t taken_count;
    bool files;    /* files are asked for */
    bool tests;    /* ... that are called like tests */
    bool source;   /* ... with sources, of whatever kind */
    bool holds;    /* ... that have something in them */
    bool includes; /* ... in a line that includes it */
    bool lines;    /* lines are asked for */
    bool other;    /* something in files is asked for: functions */
    bool how_many;
} haft__offline_scope;

typedef struct haft__offline_words {
    haft_str whole; /* as much of the task as was looked at */
    haft_str task;  /* the same without white space around it */
    haft__offline_aim aim;
    haft_str form; /* what a definition has that is asked for: struct, define; "" when none is */
    haft__offline_word items[HAFT__LIMIT_OFFLINE_WORDS];
    size_t count;
    haft_str paths[HAFT__OFFLINE_HINTS]; /* names of files */
    size_t path_count;
    haft_str numbers[HAFT__OFFLINE_HINTS];
    size_t number_count;
    bool only_cues; /* there is nothing else in it */
    haft__offline_scope scope;
} haft__offline_words;

/* Finds out where and what; *aim may become a surer one. */
HAFT_MUST_USE haft_status haft__offline_scope_read(haft_str task, haft__offline_aim *aim,
                                                   haft__arena *arena,
                                                   haft__offline_scope *ret_scope, haft_error *err);

/* What listings have decides whether a word is a directory. */
HAFT_MUST_USE haft_status haft__offline_scope_settle(const haft__offline_past *past,
                                                     haft__offline_words *words, haft__arena *arena,
                                                     haft_error *err);

/* Whether the word, a part of the task, says what is asked for. */
bool haft__offline_is_taken(const haft__offline_scope *scope, haft_str word);

/* Whether the file is below the directory; all are below "". */
bool haft__offline_is_below(haft_str path, haft_str place);

/* Whether the file is of the kind that is asked for. */
bool haft__offline_is_of_kind(haft_str path, const haft__offline_scope *scope);

/* Whether it is asked how many there are, or which. */
bool haft__offline_counts(haft__offline_aim aim);

/* Whether files of a kind, or in a place, are asked for and nothing else. */
bool haft__offline_counts_files(const haft__offline_words *words);

/* Whether files are asked for that have the words. */
bool haft__offline_wants_files(const haft__offline_words *words);

/* A name with an ending such as ".c". */
bool haft__offline_is_path(haft_str token);

HAFT_MUST_USE haft_status haft__offline_words_read(haft_str task, haft__arena *arena,
                                                   haft__offline_words *ret_words, haft_error *err);

/* Whether the word, or one that begins with it, is in the text: at the start of a word or of a part
 * of one (tool_call, toolCall). */
bool haft__offline_word_in(const haft__offline_word *word, haft_str text);

/* Where it stands; HAFT__OFFLINE_NONE when it does not. */
size_t haft__offline_word_at(const haft__offline_word *word, haft_str text);

/* Which of the words are in the text, a bit for each. */
uint32_t haft__offline_words_in(const haft__offline_words *words, haft_str text);

/* The same for a path: names count in any case, and so does a file that is called like a part of
 * one of them. */
uint32_t haft__offline_words_in_path(const haft__offline_words *words, haft_str path);

/* Lower case, without its ending: "deciding" and "decides" are "decid". `room` has the length of
 * the word. */
haft_str haft__offline_stem(haft_str word, char *room);

/* ---- what a line does ---- */

typedef enum haft__offline_form {
    HAFT__OFFLINE_LACKS, /* the name is not there as a whole */
    HAFT__OFFLINE_MENTIONS,
    HAFT__OFFLINE_EXPLAINS, /* in a comment */
    HAFT__OFFLINE_CALLS,
    HAFT__OFFLINE_DECLARES,
    HAFT__OFFLINE_DEFINES, /* a heading defines what it is about */
} haft__offline_form;

/* What the line defines or declares, if it does. */
haft__offline_form haft__offline_form_of(haft_str path, haft_str text, haft_str *ret_name);

/* What the line does with the name. */
haft__offline_form haft__offline_use_of(haft_str path, haft_str text, haft_str name);

/* ---- searches ---- */

typedef struct haft__offline_search {
    haft_str pattern;
    haft_str glob; /* "" for all files */
} haft__offline_search;

/* The searches of one round, at most 2; each round asks for less than the one before. None, and
 * *ret_last true, when there are no more rounds. */
HAFT_MUST_USE haft_status haft__offline_round(const haft__offline_words *words, haft_str docs,
                                              haft_str code, size_t round, haft__arena *arena,
                                              haft__offline_search ret_searches[2],
                                              size_t *ret_count, bool *ret_last, haft_error *err);

/* Whether the word can be a name in a program: letters, digits, underscores. */
bool haft__offline_is_name(const haft__offline_word *word);

/* Appends what the pattern of a round looks for, in words; false when it is of none. */
bool haft__offline_add_round(haft__buf *buf, const haft__offline_words *words, haft_str pattern);

/* ---- what was found ---- */

typedef struct haft__offline_line {
    uint32_t file, number;
    uint32_t order; /* of arrival */
    uint32_t words; /* a bit for each */
    uint32_t score;
    haft__offline_form form; /* what it does with a name of the task, or else in itself */
    bool read;               /* by read, not by grep */
    haft_str text;
} haft__offline_line;

typedef struct haft__offline_file {
    haft_str path;
    size_t first, count;         /* its lines */
    uint32_t hits;               /* how many of them have words of the task */
    uint32_t read_from, read_to; /* 0 when it was not read */
    uint32_t score;
    bool strong; /* has lines with more than one word of the task, if there are more */
    bool listed; /* by glob */
    bool unread; /* reading it failed */
} haft__offline_file;

typedef struct haft__offline_kind {
    haft_str ending; /* without the dot; "" for none */
    haft_str example;
    uint32_t count;
} haft__offline_kind;

typedef struct haft__offline_found {
    haft__offline_file *files;
    size_t file_count;
    haft__offline_line *lines; /* by file and number */
    size_t line_count;
    uint32_t *ranked; /* files, best first; all of them */
    haft__offline_kind *kinds;
    size_t kind_count;     /* most files first */
    uint32_t listed;       /* files that glob listed */
    uint32_t hits;         /* lines with words of the task */
    uint32_t strong;       /* ... with more than one of them, if there are more */
    uint32_t strong_files; /* that have such lines */
    uint32_t defined;      /* lines that define or declare a name of the task */
    uint32_t called;       /* lines that call one */
    bool cut;              /* there was more than is kept here */
} haft__offline_found;

HAFT_MUST_USE haft_status haft__offline_found_read(const haft__offline_past *past,
                                                   const haft__offline_words *words,
                                                   haft__arena *arena,
                                                   haft__offline_found *ret_found, haft_error *err);

/* How much a result has: paths, matching lines, lines of a file, or lines. */
size_t haft__offline_count(const haft__offline_call *call);

/* Whether there was more than the result has. */
bool haft__offline_is_partial(const haft__offline_call *call);

/* The pattern of the most frequent kinds of documents or of programs, such as "*.{c,h}"; "" when
 * there are none. */
typedef enum haft__offline_class {
    HAFT__OFFLINE_DOCS,
    HAFT__OFFLINE_CODE,
    HAFT__OFFLINE_OTHER,
} haft__offline_class;
haft__offline_class haft__offline_class_of(haft_str path);
HAFT_MUST_USE haft_status haft__offline_kind_glob(const haft__offline_found *found,
                                                  haft__offline_class wanted, haft__arena *arena,
                                                  haft_str *ret_glob, haft_error *err);

/* The line of the file with the highest score; NULL when none has one. */
const haft__offline_line *haft__offline_best_line(const haft__offline_found *found, size_t file);

/* The number of the line to read the file from: a little before where most was found. */
uint32_t haft__offline_best_start(const haft__offline_found *found, size_t file);

/* How many lines are read at once. */
#define HAFT__OFFLINE_READ_LINES 48U

/* ---- values in results ---- */

typedef struct haft__offline_fact {
    haft_str key;
    haft__json value; /* no array and no object */
} haft__offline_fact;

typedef struct haft__offline_facts {
    haft__offline_fact items[HAFT__LIMIT_OFFLINE_FACTS];
    size_t count; /* newest result first */
} haft__offline_facts;

HAFT_MUST_USE haft_status haft__offline_facts_read(const haft__offline_past *past,
                                                   haft__arena *arena,
                                                   haft__offline_facts *ret_facts, haft_error *err);

/* ---- the one who answers ---- */

/* Tools that it knows how to use; all others by their schemas. */
typedef enum haft__offline_tool {
    HAFT__OFFLINE_GLOB,
    HAFT__OFFLINE_GREP,
    HAFT__OFFLINE_READ,
    HAFT__OFFLINE_STORE,
    HAFT__OFFLINE_COMPLETE,
    HAFT__OFFLINE_ASK,
} haft__offline_tool;
#define HAFT__OFFLINE_KNOWN 6

typedef struct haft__offline_tally {
    uint32_t made, good;
    uint32_t row; /* errors since the last that was good */
} haft__offline_tally;

typedef struct haft__offline {
    const haft__request *request;
    haft__arena *arena;
    haft__checker *checker;
    haft_error *err;
    haft_status status; /* sticky: after a failure nothing more is proposed */
    haft__offline_past past;
    haft__offline_words words;
    haft__offline_found found;
    haft__offline_facts *facts;
    haft__offline_tally *tallies;      /* for each tool of the request */
    haft_str *lacking;                 /* ... the argument that nobody knows; NULL: not looked */
    size_t known[HAFT__OFFLINE_KNOWN]; /* where the tools are that it knows how to use */
    haft__message_call calls[HAFT__LIMIT_OFFLINE_AT_ONCE];
    size_t call_count;
    const char *says; /* with the calls */
} haft__offline;

/* Notes a failure, unless there was one before. True when all is well. */
bool haft__offline_ok(haft__offline *o, haft_status status);

/* ---- arguments from a schema ---- */

/* Arguments for a tool that is known by its schema only; *ret_valid tells whether they are what it
 * wants. Another `variant` gives others, where the schema leaves a choice. */
HAFT_MUST_USE haft_status haft__offline_arguments(haft__offline *o, const haft__tool *tool,
                                                  unsigned variant, haft__json *ret_arguments,
                                                  bool *ret_valid);

/* Whether the tool needs the number of something (order_id) that neither the task nor a result has:
 * others come first, which may find it. */
bool haft__offline_would_guess(haft__offline *o, const haft__tool *tool);

/* The first required argument that neither the task nor a result has anything for; "" when there is
 * none. */
haft_str haft__offline_lacking(haft__offline *o, const haft__tool *tool);

/* Whether the arguments are what the tool wants; true when nobody knows. */
HAFT_MUST_USE haft_status haft__offline_valid(haft__offline *o, const haft__tool *tool,
                                              haft__json arguments, bool *ret_valid);

/* ---- tools ---- */

/* Fills in `known` and `tallies`. */
HAFT_MUST_USE haft_status haft__offline_tools_read(haft__offline *o);

/* glob, grep or read. */
bool haft__offline_is_file_tool(const haft__offline *o, size_t tool);

/* Whether there is one that may be called. */
bool haft__offline_has_file_tools(const haft__offline *o);

/* How readily a tool is called that nobody has asked for by its name. */
typedef enum haft__offline_manner {
    HAFT__OFFLINE_ASKED_FOR, /* somebody has */
    HAFT__OFFLINE_LOOKS,
    HAFT__OFFLINE_WRITES,      /* a text for somebody to read: when there is something to write */
    HAFT__OFFLINE_WAITS,       /* for a client */
    HAFT__OFFLINE_ASKS,        /* a person for approval */
    HAFT__OFFLINE_CHANGES,     /* things, to judge by its name: only when a call is forced */
    HAFT__OFFLINE_DESTRUCTIVE, /* only when nothing else is allowed */
} haft__offline_manner;
haft__offline_manner haft__offline_manner_of(const haft__offline *o, size_t tool);

/* Whether `name` stands in `text` as a word. */
bool haft__offline_names(haft_str text, haft_str name);

/* ---- calls ---- */

/* How a call is proposed. */
typedef enum haft__offline_zeal {
    HAFT__OFFLINE_WILLING, /* not of a tool that keeps failing */
    HAFT__OFFLINE_FORCED,  /* also of such a tool */
    HAFT__OFFLINE_ANYHOW,  /* ... and the same call again, or one that is not valid */
} haft__offline_zeal;

/* Adds a call to the reply, if the tool may be called, there is room, and it is worth it. */
bool haft__offline_propose(haft__offline *o, size_t tool, haft__json arguments,
                           haft__offline_zeal zeal);

/* Whether the reply has as many calls as it may have. */
bool haft__offline_is_full(const haft__offline *o);

/* An object in the arena; members whose key is NULL are left out. */
typedef struct haft__offline_pair {
    const char *key;
    haft__json value;
} haft__offline_pair;
haft__json haft__offline_object(haft__offline *o, const haft__offline_pair *pairs, size_t count);

/* Adds a call, whatever it is. False when there is no memory. */
bool haft__offline_add_call(haft__offline *o, haft_str name, haft__json arguments);

/* What `write` writes, in the arena. */
haft_str haft__offline_made_text(haft__offline *o,
                                 void (*write)(haft__buf *buf, const haft__offline *o));

/* Each proposes one call that has not been made: with arguments from the schema, the report for
 * store_artifact, the summary for complete_workflow, a question for request_user_input; and of any
 * tool, in the way that is known for it. */
bool haft__offline_call_by_schema(haft__offline *o, size_t tool, haft__offline_zeal zeal);
bool haft__offline_store(haft__offline *o, haft__offline_zeal zeal);
bool haft__offline_complete(haft__offline *o, haft__offline_zeal zeal);
bool haft__offline_question(haft__offline *o, haft__offline_zeal zeal);
bool haft__offline_call_tool(haft__offline *o, size_t tool, haft__offline_zeal zeal);

/* Ways to call a tool that are tried to find one that is new. */
#define HAFT__OFFLINE_VARIANTS 16U

/* Proposes what is next on the way to finding something in files: list, search, read. With
 * `only_new` only tools that have not been called. False when there is nothing to do. */
bool haft__offline_gather(haft__offline *o, bool only_new);

/* Proposes a call of glob, grep or read that has not been made. */
bool haft__offline_gather_with(haft__offline *o, size_t tool);

/* ---- text ---- */

/* Appends what others wrote as one line: control characters but tabs as spaces, at most `chars`
 * code points and an ellipsis when it is longer. */
void haft__offline_add_line(haft__buf *buf, haft_str text, size_t chars);

/* The same as Markdown code, so that nothing in it means anything. */
void haft__offline_add_code(haft__buf *buf, haft_str text, size_t chars);

/* The longest run of backquotes in the text. */
size_t haft__offline_ticks(haft_str text);

/* A line of backquotes, at least 3 and more than `ticks`. */
void haft__offline_add_fence(haft__buf *buf, size_t ticks, const char *language);

/* ---- what it writes ---- */

/* Whether the call has something to be quoted that is neither a file nor the work of haft. */
bool haft__offline_is_result(const haft__offline_call *call);
/* `path:line` as Markdown code. */
void haft__offline_add_reference(haft__buf *buf, const haft__offline *o,
                                 const haft__offline_line *line);
/* "- `path:line`: `text`", and the end of the line. */
void haft__offline_write_place(haft__buf *buf, const haft__offline *o,
                               const haft__offline_line *line);
/* The answer to a question about files: the best places first, each with its line. */
void haft__offline_write_short(haft__buf *buf, const haft__offline *o);
/* ... where it asks how many there are, or which; how two things differ; what there is in short. */
void haft__offline_write_count(haft__buf *buf, const haft__offline *o);
/* ... where rules cannot count it: places, and that they are no number. */
void haft__offline_write_uncounted(haft__buf *buf, const haft__offline *o);
void haft__offline_write_list(haft__buf *buf, const haft__offline *o);
void haft__offline_write_compare(haft__buf *buf, const haft__offline *o);
void haft__offline_write_overview(haft__buf *buf, const haft__offline *o);
/* Whether a listing, or a search, did not bring all there is. */
bool haft__offline_was_cut(const haft__offline *o, const char *tool);
/* The pattern of the files that the task wants to have counted or listed; "" when it wants
 * something else. */
haft_str haft__offline_counted_files(const haft__offline_words *words);
/* The file that the task names, or the first that was read; HAFT__OFFLINE_NONE when there is none.
 * `nth` is 0 for the first. */
size_t haft__offline_meant_file(const haft__offline *o, size_t nth);
/* What was found, in a few lines, for a tool that writes. */
void haft__offline_write_findings(haft__buf *buf, const haft__offline *o);
void haft__offline_write_report(haft__buf *buf, const haft__offline *o);
void haft__offline_write_summary(haft__buf *buf, const haft__offline *o);
/* `stored` is the name of the report; "" when it was not stored, and all is in the answer. */
void haft__offline_write_answer(haft__buf *buf, const haft__offline *o, haft_str stored);

#endif
