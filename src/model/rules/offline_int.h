/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/rules/offline_int.h - types and functions that the files of the offline planner share.
 *
 *     history      calls of this run and their results
 *     angle        from which side a task looks at a question
 *     duty         agents without tools: split a question, plan, merge findings
 *     merge        one answer from the findings of several workers
 *     question     what kind of question the task is
 *     words        the words of the task to search for
 *     match        whether a word is in a line or in a path
 *     search       regular expressions for grep
 *     findings     files and lines in the results
 *     line_kind    whether a line defines, declares, calls or comments on a name
 *     rank         the best files and lines first
 *     task_values  texts of the task for an argument
 *     results      texts of the results for an argument
 *     arguments    arguments that match a schema
 *     tools        which tools are offered, and how safe each is to call
 *     calls        one call: is it allowed, new and valid
 *     gather       the plan for files: list, search, read
 *     query        questions for a database
 *     quote        quoting untrusted text
 *     report       the report
 *     answer       the answer
 *     offline      the plan
 *
 * Everything lives in the arena of the request.
 */
#ifndef HAFT_MODEL_RULES_OFFLINE_INT_H
#define HAFT_MODEL_RULES_OFFLINE_INT_H

#include "base/limits.h"
#include "base/map.h"
#include "model/rules/offline.h"

/* The plan must be the same in every process, so the hash key is fixed. The tables are bounded by
 * HAFT__LIMIT_OFFLINE_FILES and the calls of a run. */
#define HAFT__OFFLINE_KEY ((haft__hash_key){1, 2})

/* An index that refers to nothing. */
#define HAFT__OFFLINE_NONE SIZE_MAX

/* ---- history ---- */

typedef struct haft__offline_call {
    haft_str name;
    haft__json arguments; /* null if they are not JSON */
    haft_str result;      /* without the marks that haft appends */
    bool answered;
    bool failed;  /* an error or a rejection */
    bool not_run; /* the turn had too many calls: the call may be repeated */
    bool cut;     /* the result is truncated */
} haft__offline_call;

typedef struct haft__offline_history {
    haft_str task;
    haft__offline_call *calls;
    size_t count;
    haft__map made;          /* haft__offline_call_key() of each call that was run */
    haft_str missing;        /* haft's last reminder of what is missing; "" for none */
    size_t since_completion; /* results and reminders since the last complete_workflow */
    bool one_at_a_time;      /* haft rejected a second call in a reply */
} haft__offline_history;

HAFT_MUST_USE haft_status haft__offline_history_read(const haft__request *request,
                                                     haft__arena *arena,
                                                     haft__offline_history *ret_history,
                                                     haft_error *err);

/* Identifies a call: the tool and its canonical arguments. */
HAFT_MUST_USE haft_status haft__offline_call_key(haft__arena *arena, haft_str name,
                                                 haft__json arguments, haft_str *ret_key,
                                                 haft_error *err);

/* A text argument of a call; "" if it is absent. */
haft_str haft__offline_argument(const haft__offline_call *call, const char *key);

/* Whether the call is of that tool. */
bool haft__offline_is_call_of(const haft__offline_call *call, const char *tool);

/* ---- the kind of question ---- */

typedef enum haft__offline_question {
    HAFT__OFFLINE_QUESTION_PLACE,
    HAFT__OFFLINE_QUESTION_DEFINITION,
    HAFT__OFFLINE_QUESTION_DECLARATION,
    HAFT__OFFLINE_QUESTION_CALLERS,
    HAFT__OFFLINE_QUESTION_VALUE,
    HAFT__OFFLINE_QUESTION_MEANING,
    HAFT__OFFLINE_QUESTION_DOCUMENTATION,
    HAFT__OFFLINE_QUESTION_REASON,
    HAFT__OFFLINE_QUESTION_COUNT, /* is searched like a value; nothing is counted */
} haft__offline_question;

haft__offline_question haft__offline_question_of(haft_str task);

/* Cue words give the kind of question, not its subject: they are not searched for. */
typedef enum haft__offline_cue {
    HAFT__OFFLINE_NO_CUE,
    HAFT__OFFLINE_CUE,
    HAFT__OFFLINE_CUE_FILE,    /* file, header: a cue after "which" only */
    HAFT__OFFLINE_CUE_KEYWORD, /* function, struct, macro: a name may follow */
} haft__offline_cue;
haft__offline_cue haft__offline_cue_of(haft_str lower_word);

/* The keyword in the source: "define" for "macro". */
haft_str haft__offline_keyword_of(haft_str cue_word);

/* ---- angles ---- */

typedef enum haft__offline_angle {
    HAFT__OFFLINE_ANGLE_CONCEPTS, /* the plain words; also of a task without an angle */
    HAFT__OFFLINE_ANGLE_NAMES,    /* definitions of names that have the words */
    HAFT__OFFLINE_ANGLE_CALLERS,
    HAFT__OFFLINE_ANGLE_DOCS,
    HAFT__OFFLINE_ANGLE_TESTS,
} haft__offline_angle;
#define HAFT__OFFLINE_ANGLES 5

const char *haft__offline_angle_name(haft__offline_angle angle);

/* The task without "(angle: NAME)": the text before it, or the text after it if none is before. */
haft_str haft__offline_angle_split(haft_str task, haft__offline_angle *ret_angle);

/* The n-th best angle for a kind of question, from 0. */
haft__offline_angle haft__offline_angle_nth(haft__offline_question question, size_t n);

/* Files are ranked for an angle as for this kind of question. */
haft__offline_question haft__offline_angle_question(haft__offline_angle angle,
                                                    haft__offline_question question);

/* The files of an angle; "" for all. */
haft_str haft__offline_angle_glob(haft__offline_angle angle);

/* ---- the words of the task ---- */

typedef struct haft__offline_word {
    haft_str text;  /* stem in lower case; as written if `exact` */
    haft_str shown; /* as written */
    bool exact;     /* quoted, or an identifier such as read_file or readFile */
    bool joined;    /* has hyphens, which a line may write in another way: retry-after */
    bool weak;      /* a general verb: handled, checked, computed */
} haft__offline_word;

#define HAFT__OFFLINE_PATHS 4

typedef struct haft__offline_words {
    haft_str whole; /* the start of the task, as far as it is read */
    haft_str task;  /* `whole` without surrounding white space */
    haft__offline_question question;
    haft__offline_angle angle;
    haft_str keyword; /* of the definition that is asked for: struct, define; "" for none */
    haft__offline_word items[HAFT__LIMIT_OFFLINE_WORDS];
    size_t count;
    haft_str paths[HAFT__OFFLINE_PATHS]; /* files that the task names */
    size_t path_count;
} haft__offline_words;

HAFT_MUST_USE haft_status haft__offline_words_read(haft_str task, haft__arena *arena,
                                                   haft__offline_words *ret_words, haft_error *err);

/* Lower case without its ending: "deciding" and "decides" give "decid". `room` has the length of
 * the word. */
haft_str haft__offline_stem(haft_str word, char *room);

/* The length of the quoted text that starts at `at`; 0 if there is none. An apostrophe is not a
 * quote: it is inside a word, or a letter follows the second one. */
size_t haft__offline_quoted_length(haft_str text, size_t at);

/* Removes punctuation around a word. */
haft_str haft__offline_trim_marks(haft_str token);

/* Whether the word is an identifier: letters, digits, underscores. */
bool haft__offline_is_name(const haft__offline_word *word);

/* ---- matching ---- */

/* The offset of the word in the text, at the start of a word or of a part of one (tool_call,
 * toolCall); HAFT__OFFLINE_NONE if it is absent. */
size_t haft__offline_word_at(const haft__offline_word *word, haft_str text);
bool haft__offline_word_in(const haft__offline_word *word, haft_str text);

/* The words in the text, one bit for each. */
uint32_t haft__offline_words_in(const haft__offline_words *words, haft_str text);

/* The words in a path. A name also matches in another case, or if the file is named after a part
 * of it. */
uint32_t haft__offline_words_in_path(const haft__offline_words *words, haft_str path);

/* Whether `name` is in `text` as a whole word, in the same case. */
bool haft__offline_has_name(haft_str text, haft_str name);

/* Whether a file is minor: a test, an example, generated or foreign text. Not if the task names it,
 * or looks for such files. */
bool haft__offline_is_minor(const haft__offline_words *words, haft_str path);

/* Whether the list, separated by spaces, has the word. */
bool haft__offline_in_list(haft_str word, const char *list);

/* ---- kinds of lines and files ---- */

typedef enum haft__offline_line_kind {
    HAFT__OFFLINE_LINE_OTHER, /* the name is not in it as a whole word */
    HAFT__OFFLINE_LINE_MENTION,
    HAFT__OFFLINE_LINE_COMMENT,
    HAFT__OFFLINE_LINE_CALL,
    HAFT__OFFLINE_LINE_DECLARATION,
    HAFT__OFFLINE_LINE_DEFINITION, /* a heading defines its subject */
} haft__offline_line_kind;

/* Classifies a line; *ret_name is the name that it defines or declares, or "". */
haft__offline_line_kind haft__offline_line_kind_of(haft_str path, haft_str text,
                                                   haft_str *ret_name);

/* How the line uses the name. */
haft__offline_line_kind haft__offline_line_use_of(haft_str path, haft_str text, haft_str name);

/* Whether people read the file as a document: README, *.md. */
bool haft__offline_is_document(haft_str path);

/* ---- searches ---- */

typedef struct haft__offline_search {
    haft_str pattern;
    haft_str glob; /* "" for all files */
} haft__offline_search;

/* The search of one round; each round is wider than the one before. The pattern is "" if the round
 * does not apply to these words. *ret_last is true in the last round. */
HAFT_MUST_USE haft_status haft__offline_round(const haft__offline_words *words, size_t round,
                                              haft__arena *arena, haft__offline_search *ret_search,
                                              bool *ret_last, haft_error *err);

/* ---- findings ---- */

typedef struct haft__offline_line {
    uint32_t file, number;
    uint32_t order; /* of arrival */
    uint32_t words; /* one bit for each */
    uint32_t score;
    haft__offline_line_kind kind;
    bool read; /* by read, not by grep */
    haft_str text;
} haft__offline_line;

typedef struct haft__offline_file {
    haft_str path;
    size_t first, count;         /* its lines */
    uint32_t matches;            /* lines with words of the task */
    uint32_t read_from, read_to; /* 0 if it was not read */
    uint32_t score;
    bool strong; /* has a strong match */
    bool unread; /* reading it failed */
} haft__offline_file;

typedef struct haft__offline_findings {
    haft__offline_file *files;
    size_t file_count;
    haft__offline_line *lines; /* sorted by file and number */
    size_t line_count;
    uint32_t *ranked;        /* all files, best first */
    uint32_t matches;        /* lines with words of the task */
    uint32_t matching_files; /* files with such lines */
    uint32_t strong;         /* strong matches: lines with three words, all words, or a name */
    uint32_t strong_files;
    uint32_t defined; /* lines that define or declare a name of the task */
    uint32_t called;  /* lines that call one */
    bool cut;         /* a limit of this module was reached */
} haft__offline_findings;

HAFT_MUST_USE haft_status haft__offline_findings_read(const haft__offline_history *history,
                                                      const haft__offline_words *words,
                                                      haft__arena *arena,
                                                      haft__offline_findings *ret_findings,
                                                      haft_error *err);

/* Scores and sorts the findings: the last step of haft__offline_findings_read(). */
HAFT_MUST_USE haft_status haft__offline_rank(haft__offline_findings *findings,
                                             const haft__offline_words *words, haft__arena *arena,
                                             haft_error *err);

/* Whether the tool had more to return. */
bool haft__offline_is_partial(const haft__offline_call *call);

/* The line of the file with the highest score; NULL if no line has a score. */
const haft__offline_line *haft__offline_best_line(const haft__offline_findings *findings,
                                                  size_t file);

/* The line number to read the file from: a little before the best matches. */
uint32_t haft__offline_best_start(const haft__offline_findings *findings, size_t file);

/* How many lines one call of read asks for. */
#define HAFT__OFFLINE_READ_LINES 48U

/* ---- the planner ---- */

/* Tools with a known use; all others are called by their schemas. */
typedef enum haft__offline_builtin {
    HAFT__OFFLINE_GLOB,
    HAFT__OFFLINE_GREP,
    HAFT__OFFLINE_READ,
    HAFT__OFFLINE_STORE,
    HAFT__OFFLINE_COMPLETE,
    HAFT__OFFLINE_ASK,
} haft__offline_builtin;
#define HAFT__OFFLINE_BUILTINS 6

/* The beginning of the answer if every search has failed; the error follows. */
#define HAFT__OFFLINE_UNSEARCHED "The files could not be searched: "

/* The calls of one tool in this run. */
typedef struct haft__offline_tally {
    uint32_t made, succeeded;
    uint32_t failures; /* in a row */
} haft__offline_tally;

typedef struct haft__offline {
    const haft__request *request;
    haft__arena *arena;
    haft__checker *checker;
    haft_error *err;
    haft_status status; /* sticky: after a failure nothing is proposed */
    haft__offline_history history;
    haft__offline_words words;
    haft__offline_findings findings;
    haft__offline_tally *tallies;            /* for each tool of the request */
    haft_str *unknown;                       /* ... a required argument without a known value */
    size_t builtins[HAFT__OFFLINE_BUILTINS]; /* index of each builtin in the request */
    haft__message_call calls[HAFT__LIMIT_OFFLINE_AT_ONCE];
    size_t call_count;
    const char *text; /* accompanies the calls */
} haft__offline;

/* Records a failure if it is the first. True if there was none. */
bool haft__offline_ok(haft__offline *o, haft_status status);

/* Returns `text`, or "" and records the failure if `text.ptr` is NULL. */
haft_str haft__offline_check_text(haft__offline *o, haft_str text);

/* ---- arguments ---- */

/* Makes arguments for a tool from its schema. *ret_valid tells whether they match it. Another
 * `attempt` gives other arguments if the schema leaves a choice. */
HAFT_MUST_USE haft_status haft__offline_arguments(haft__offline *o, const haft__tool *tool,
                                                  unsigned attempt, haft__json *ret_arguments,
                                                  bool *ret_valid);

/* The first required argument for which the task has no value; "" if there is none. */
haft_str haft__offline_unknown_argument(haft__offline *o, const haft__tool *tool);

/* Checks arguments against the tool's schema. */
HAFT_MUST_USE haft_status haft__offline_check_arguments(haft__offline *o, const haft__tool *tool,
                                                        haft__json arguments, bool *ret_valid);

/* The nth text of the task that fits an argument by its format or its name; "" if there is none. */
haft_str haft__offline_task_value(haft__offline *o, const haft__tool *tool, haft_str name,
                                  haft__json schema, unsigned nth);

/* The nth column of numbers in a result that is a JSON table: an array of objects, or one object.
 * Ids are not columns. "" if there is none. */
haft_str haft__offline_result_column(haft__offline *o, unsigned nth);

/* The task and the start of each result, for a tool that writes; "" without a result. */
haft_str haft__offline_results_text(haft__offline *o);

/* The first number in the task; false if there is none. */
bool haft__offline_task_number(haft_str task, int64_t *ret_number);

/* ---- tools ---- */

/* Fills in `builtins` and `tallies`. */
HAFT_MUST_USE haft_status haft__offline_tools_read(haft__offline *o);

/* glob, grep or read. */
bool haft__offline_is_file_tool(const haft__offline *o, size_t tool);

/* Whether one of them is allowed. */
bool haft__offline_has_file_tools(const haft__offline *o);

/* How risky it is to call a tool, lowest first. */
typedef enum haft__offline_risk {
    HAFT__OFFLINE_RISK_REQUESTED, /* the task asks for the tool */
    HAFT__OFFLINE_RISK_READS,
    HAFT__OFFLINE_RISK_WAITS,       /* for a client */
    HAFT__OFFLINE_RISK_WRITES,      /* writes a text, and is idempotent */
    HAFT__OFFLINE_RISK_APPROVAL,    /* somebody has to approve */
    HAFT__OFFLINE_RISK_CHANGES,     /* changes things, to judge by its name */
    HAFT__OFFLINE_RISK_DESTRUCTIVE, /* called only if nothing else is allowed */
} haft__offline_risk;
haft__offline_risk haft__offline_risk_of(const haft__offline *o, size_t tool);

/* Whether the tool writes a text, to judge by its name: write_summary, save_note. */
bool haft__offline_is_writer(const haft__tool *tool);

/* ---- calls ---- */

typedef enum haft__offline_need {
    HAFT__OFFLINE_OPTIONAL,    /* does not call a tool that keeps failing */
    HAFT__OFFLINE_FORCED,      /* may call such a tool */
    HAFT__OFFLINE_LAST_RESORT, /* may also repeat a call, or make an invalid one */
} haft__offline_need;

/* Adds a call to the reply if it is allowed, valid and new, and the reply has room. */
bool haft__offline_propose(haft__offline *o, size_t tool, haft__json arguments,
                           haft__offline_need need);

/* Whether the reply has as many calls as it may have. */
bool haft__offline_is_full(const haft__offline *o);

/* Makes an object; members whose key is NULL are left out. */
typedef struct haft__offline_member {
    const char *key;
    haft__json value;
} haft__offline_member;
haft__json haft__offline_object(haft__offline *o, const haft__offline_member *members,
                                size_t count);

haft__json haft__offline_number(haft__offline *o, int64_t number);

/* Adds a call without any check. False if out of memory. */
bool haft__offline_add_call(haft__offline *o, haft_str name, haft__json arguments);

/* Copies what `write` writes into the arena. */
haft_str haft__offline_write(haft__offline *o,
                             void (*write)(haft__buf *buf, const haft__offline *o));

/* Each proposes one new call: with arguments from the schema, the report for store_artifact, the
 * summary for complete_workflow, a question for request_user_input, or whichever of these fits the
 * tool. */
bool haft__offline_call_by_schema(haft__offline *o, size_t tool, haft__offline_need need);
bool haft__offline_store(haft__offline *o);
bool haft__offline_complete(haft__offline *o);
bool haft__offline_ask_user(haft__offline *o);
bool haft__offline_call_tool(haft__offline *o, size_t tool);

/* How many different arguments are tried to find a new call. */
#define HAFT__OFFLINE_ATTEMPTS 16U

/* Proposes the next step with files: list, search, read. With `only_new` only tools that have not
 * been called. False if there is nothing to do. */
bool haft__offline_gather(haft__offline *o, bool only_new);

/* Proposes a new call of glob, grep or read. */
bool haft__offline_gather_with(haft__offline *o, size_t tool);

/* ---- questions for a database ---- */

/* search_schemas or execute_sql. */
bool haft__offline_is_database_tool(const haft__offline *o, size_t tool);

/* Proposes the search for tables, then one query. False if there is nothing to do. */
bool haft__offline_ask_database(haft__offline *o);

/* The last query with its rows; false if there is none. */
bool haft__offline_write_rows(haft__buf *buf, const haft__offline *o);

/* ---- quoting ---- */

/* Appends untrusted text as one line: control characters other than tabs become spaces, and an
 * ellipsis follows after `chars` code points. */
void haft__offline_quote_line(haft__buf *buf, haft_str text, size_t chars);

/* The same as Markdown code, so that nothing in it is markup. */
void haft__offline_quote_code(haft__buf *buf, haft_str text, size_t chars);

/* The start of a text as a fenced block of at most so many code points and lines. */
void haft__offline_quote_block(haft__buf *buf, haft_str text, size_t chars, size_t lines);

/* The longest run of backquotes in the text. */
size_t haft__offline_backquotes(haft_str text);

/* A line of at least 3 backquotes, more than `backquotes`. */
void haft__offline_add_fence(haft__buf *buf, size_t backquotes, const char *language);

/* ---- report and answer ---- */

/* Whether the call has a result to quote that is neither a file nor haft's own. */
bool haft__offline_is_quotable(const haft__offline_call *call);
/* A list item: "- `path:line`: `text`". */
void haft__offline_write_place(haft__buf *buf, const haft__offline *o,
                               const haft__offline_line *line);
/* One such item for each of the best files; returns how many. */
unsigned haft__offline_write_best(haft__buf *buf, const haft__offline *o);
void haft__offline_write_report(haft__buf *buf, const haft__offline *o);
void haft__offline_write_summary(haft__buf *buf, const haft__offline *o);
void haft__offline_write_answer(haft__buf *buf, const haft__offline *o);

/* ---- duties ---- */

/* The duty that the instructions of an agent without tools ask for. */
typedef enum haft__offline_duty {
    HAFT__OFFLINE_DUTY_NONE,
    HAFT__OFFLINE_DUTY_SPLIT, /* a question into sub-queries */
    HAFT__OFFLINE_DUTY_PLAN,  /* a goal into phases */
    HAFT__OFFLINE_DUTY_NEXT,  /* the next phase of a plan */
    HAFT__OFFLINE_DUTY_MERGE, /* the findings of workers into one answer */
} haft__offline_duty;
haft__offline_duty haft__offline_duty_of(const haft__request *request);

/* The rest of the line, or of the task, after "NAME" at the start of a line; "" without one. */
haft_str haft__offline_duty_field(haft_str task, const char *name, bool to_end);

/* The reply of an agent with a duty. */
void haft__offline_write_duty(haft__buf *buf, const haft__offline *o);
void haft__offline_write_merged(haft__buf *buf, const haft__offline *o);

#endif
