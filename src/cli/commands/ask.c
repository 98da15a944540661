/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - `haft ask`: agentic search in one line. Runs the graph of examples/search.yaml, which is
 * built into the program, or the graph of --spec. Tests: tests/cli/ask_test.py. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/follow/spec_choice.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "engine/ops/ask/ask_result.h"
#include "engine/run.h"
#include "json/object.h"

extern const char haft__search_spec[];
extern const size_t haft__search_spec_size;

/* ---- the paths to search ---- */

typedef struct searched_paths {
    haft_str root;   /* absolute */
    haft_str within; /* a JSON list of paths relative to the root; "": the whole root */
} searched_paths;

static haft_status resolve(haft__cli *cli, const char *path, haft_str *ret_path, bool *ret_file,
                           haft_error *err)
{
    char resolved[PATH_MAX];
    struct stat info;
    if (realpath(path, resolved) == NULL || stat(resolved, &info) != 0) {
        return haft__fail(err, HAFT_BAD_INPUT, path, "no such file or directory");
    }
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
        return haft__fail(err, HAFT_BAD_INPUT, path, "neither a file nor a directory");
    }
    *ret_file = !S_ISDIR(info.st_mode);
    *ret_path = haft__arena_copy(&cli->arena, haft__str(resolved));
    return ret_path->ptr != NULL ? HAFT_OK : haft__arena_fail(&cli->arena, err);
}

/* Returns the directory that contains the path: "/" for "/a". */
static haft_str parent_of(haft_str path)
{
    while (path.len > 1 && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    path.len -= path.len > 1 ? 1 : 0;
    return path;
}

static bool is_below(haft_str path, haft_str directory)
{
    return directory.len == 1
           || (haft__str_starts_with(path, directory)
               && (path.len == directory.len || path.ptr[directory.len] == '/'));
}

/* Finds the root. A single directory is the root itself. For a file or several paths the root is
 * the directory that contains them. */
static haft_status find_paths(haft__cli *cli, const haft__args *args, searched_paths *ret_paths,
                              haft_error *err)
{
    size_t count = args->word_count - 1;
    haft_str *paths = haft__arena_array(&cli->arena, count + 1, sizeof(*paths));
    bool file = false, any_file = false;
    if (paths == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count + (count == 0) && status == HAFT_OK; i++) {
        status = resolve(cli, count > 0 ? args->words[1 + i] : ".", &paths[i], &file, err);
        any_file = any_file || file;
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft_str root = any_file && count == 1 ? parent_of(paths[0]) : paths[0];
    for (size_t i = 0; i < count; i++) {
        while (!is_below(paths[i], root)) {
            root = parent_of(root);
        }
    }
    if (any_file && haft__str_equal(root, paths[0])) { /* the same file twice */
        root = parent_of(root);
    }
    ret_paths->root = root;
    ret_paths->within = HAFT__LIT("");
    if (count <= 1 && !any_file) {
        return HAFT_OK;
    }
    haft__buf list;
    haft__json_writer w;
    haft__buf_init(&list, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &list);
    haft__json_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        bool is_root = paths[i].len <= root.len;
        haft__json_add_str(&w, is_root ? HAFT__LIT(".")
                                       : haft__str_skip(paths[i], root.len + (root.len > 1)));
    }
    haft__json_end_array(&w);
    status = haft__buf_check(&list, err);
    ret_paths->within = haft__arena_copy(&cli->arena, haft__buf_str(&list));
    haft__buf_finish(&list);
    return ret_paths->within.ptr != NULL ? status : haft__arena_fail(&cli->arena, err);
}

/* ---- the spec ---- */

/* Returns the text PATH=VALUE of a setting; NULL if out of memory. */
static const char *setting(haft__cli *cli, const char *path, haft_str value)
{
    return haft__arena_format(&cli->arena, "%s=%.*s", path, HAFT__ARG(value)).ptr;
}

static haft_status check_number(const haft__args *args, const char *name, uint64_t max,
                                haft_error *err)
{
    uint64_t number = haft__args_number(args, name, 1);
    char where[32];
    (void)snprintf(where, sizeof(where), "--%s", name);
    return number >= 1 && number <= max
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, where, "expected 1 to %llu, found %llu",
                            (unsigned long long)max, (unsigned long long)number);
}

#define MAX_SETTINGS 4

static haft_status read_spec(haft__cli *cli, const haft__args *args, haft__spec_file *ret_file,
                             haft_error *err)
{
    static const char *const numbers[][2] = {
        {"workers", "graph.channels.workers.default"},
        {"turns", "graph.nodes.worker.agent.limits.turns"},
    };
    const char *settings[MAX_SETTINGS];
    size_t count = 0;
    searched_paths paths;
    haft_status status = find_paths(cli, args, &paths, err);
    if (status != HAFT_OK) {
        return status;
    }
    settings[count++] = setting(cli, "root", paths.root);
    if (paths.within.len > 0) {
        settings[count++] = setting(cli, "within", paths.within);
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const char *value = haft__args_text(args, numbers[i][0], NULL);
        if (value != NULL) {
            settings[count++] = setting(cli, numbers[i][1], haft__str(value));
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (settings[i] == NULL) {
            return haft__arena_fail(&cli->arena, err);
        }
    }
    const char *path = haft__args_text(args, "spec", NULL);
    haft_str text = {haft__search_spec, haft__search_spec_size};
    return haft__spec_file_read_with(cli, path, text, args, settings, count, ret_file, err);
}

/* ---- the result ---- */

typedef struct linked_references {
    const haft__ask_result *result;
    haft_str root;
} linked_references;

/* Whether a code span is the reference, as in "src/a.c:12" or "see src/a.c:12-14". */
static bool is_text_of(haft_str text, const haft__reference *reference)
{
    const char *space = text.len > 0 ? memrchr(text.ptr, ' ', text.len) : NULL;
    if (!haft__str_starts_with(text, reference->file) && space != NULL) {
        text = haft__str_skip(text, (size_t)(space + 1 - text.ptr));
    }
    haft_str rest = haft__str_skip(text, reference->file.len);
    if (!haft__str_starts_with(text, reference->file) || rest.len < 2
        || (rest.ptr[0] != ':' && rest.ptr[0] != '#')) {
        return false;
    }
    uint64_t line = 0;
    rest = haft__str_skip(rest, rest.ptr[1] == 'L' ? 2 : 1);
    haft_str digits = rest;
    for (digits.len = 0; digits.len < rest.len && haft__ascii_is_digit(rest.ptr[digits.len]);) {
        digits.len++;
    }
    return haft__str_to_u64(digits, &line) && line == reference->first;
}

/* Writes the URL of a good reference, for a link in a terminal. */
static bool link_reference(const void *context, haft_str text, haft__buf *url)
{
    const linked_references *linked = context;
    const haft__reference *found = NULL;
    for (size_t i = 0; i < linked->result->reference_count && found == NULL; i++) {
        const haft__reference *one = &linked->result->references[i];
        found = one->verdict == HAFT__REFERENCE_GOOD && is_text_of(text, one) ? one : NULL;
    }
    if (found == NULL || !haft__str_starts_with(linked->root, HAFT__LIT("/"))) {
        return false;
    }
    haft__buf_add_str(url, HAFT__LIT("file://"));
    haft__print_add_url(url, linked->root);
    haft__buf_add_str(url, linked->root.len > 1 ? HAFT__LIT("/") : HAFT__LIT(""));
    haft__print_add_url(url, found->path);
    haft__buf_addf(url, "#L%llu", (unsigned long long)found->first);
    return true;
}

static haft_status print_json(haft__cli *cli, const haft_run *run, const haft__ask_result *result,
                              haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__ask_result_write(&text, &run->state, result);
    haft_status status = haft__print_json_line(cli->out, &text, err);
    cli->answered = cli->answered || status == HAFT_OK;
    haft__buf_finish(&text);
    return status;
}

/* Prints the checked answer. */
static haft_status print_result(void *context, haft__cli *cli, const haft__args *args,
                                const haft_run *run, haft_error *err)
{
    haft__ask_result result;
    (void)context;
    haft_status status = haft__ask_result_read(&run->state, &cli->arena, &result, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (haft__args_has(args, "json")) {
        return print_json(cli, run, &result, err);
    }
    if (!haft__args_has(args, "events") && result.answer.len > 0) {
        haft__terminal_caps caps =
            haft__terminal_caps_detect(cli->out, haft__config_is_plain(cli, args));
        linked_references linked = {&result, run->state.spec->root};
        haft__markdown_links links = {link_reference, &linked};
        haft__print_markdown_linked(cli->out, result.answer, &caps, &links);
    }
    if (result.dropped > 0 && !haft__args_has(args, "events")) {
        (void)fprintf(cli->errors, "haft: %zu reference%s of the answer %s wrong and removed\n",
                      result.dropped, result.dropped == 1 ? "" : "s",
                      result.dropped == 1 ? "was" : "were");
    }
    return HAFT_OK;
}

/* ---- the run ---- */

/* Writes the task {"question": ...}. A question that looks like JSON stays a text. */
static haft_status write_task(haft__cli *cli, const char *question, const char **ret_task,
                              haft_error *err)
{
    haft__buf task;
    haft__json_writer w;
    haft__buf_init(&task, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &task);
    haft__json_begin_object(&w);
    haft__field_string(&w, "question", question);
    haft__json_end_object(&w);
    haft_status status = haft__buf_check(&task, err);
    *ret_task = haft__arena_copy(&cli->arena, haft__buf_str(&task)).ptr;
    haft__buf_finish(&task);
    return status == HAFT_OK && *ret_task == NULL ? haft__arena_fail(&cli->arena, err) : status;
}

static const haft__follow_printer printer = {print_result, NULL, "haft ask --resume"};

static haft__exit_status start(haft__cli *cli, const haft__args *args, haft_agent *agent,
                               haft_error *err)
{
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    options.user = haft__session_user(args);
    options.traceparent = haft__session_traceparent();
    haft_run *run = NULL;
    const char *task = NULL;
    haft_status status = write_task(cli, args->words[0], &task, err);
    if (status == HAFT_OK) {
        status = haft_run_start(agent, task, &options, &run, err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__exit_status result = haft__follow_run_with(cli, args, run, &printer, err);
    haft_run_release(run);
    return result;
}

static haft__exit_status ask_with(haft__cli *cli, const haft__args *args,
                                  const haft__spec_file *file, haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft_agent *agent = NULL;
    haft_status status = haft__session_open(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    status = haft__agent_create(runtime, file->spec, &agent, err);
    if (status == HAFT_OK) {
        agent->origin = file->origin;
    }
    haft__exit_status result =
        status == HAFT_OK ? start(cli, args, agent, err) : haft__session_agent_exit_status(status);
    haft_agent_release(agent);
    haft_runtime_destroy(runtime);
    return result;
}

/* ---- --resume ---- */

static haft__exit_status resume_run(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                    haft_error *err)
{
    const char *id = haft__args_text(args, "resume", "");
    haft_run *run = NULL;
    haft_status status = haft__cli_resolve_run(cli, runtime, &id, err);
    if (status == HAFT_OK) {
        status = haft_run_open(runtime, id, &run, err);
    }
    haft__exit_status result = status == HAFT_OK
                                   ? haft__follow_run_with(cli, args, run, &printer, err)
                                   : haft__session_exit_status(status);
    haft_run_release(run);
    return result;
}

/* Continues a run that stopped. Prints the checked answer of a run that has ended. */
static haft__exit_status resume(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft__spec_choice choice;
    haft_status status = haft__session_open_existing(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__exit_status result = HAFT__EXIT_USAGE;
    if (haft__spec_choice_watch(&choice, cli, args, runtime, err) == HAFT_OK) {
        result = resume_run(cli, args, runtime, err);
    }
    haft__spec_choice_finish(&choice);
    haft_runtime_destroy(runtime);
    return result;
}

/* ---- the command ---- */

/* Either a question, or --resume without the options of a new run. */
static haft_status check_resume(const haft__args *args, haft_error *err)
{
    static const char *const others[] = {"workers", "turns", "spec", "user"};
    if (args->word_count > 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "--resume",
                          "a run that is resumed has its question");
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        if (haft__args_has(args, others[i])) {
            return haft__fail(err, HAFT_BAD_INPUT, "--resume", "--%s is only for a new run",
                              others[i]);
        }
    }
    return HAFT_OK;
}

static haft_status check_words(const haft__args *args, haft_error *err)
{
    if (haft__args_has(args, "resume")) {
        return check_resume(args, err);
    }
    if (haft__args_has(args, "accept-spec") || haft__args_has(args, "stored-spec")) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "--accept-spec and --stored-spec are only for --resume");
    }
    if (args->word_count == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "QUESTION", "expected a question, or --resume ID");
    }
    if (haft__str_trim(haft__str(args->words[0])).len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "QUESTION", "the question is empty");
    }
    haft_status status = check_number(args, "workers", HAFT__LIMIT_ASK_WORKERS, err);
    return status == HAFT_OK ? check_number(args, "turns", HAFT__LIMIT_ASK_TURNS, err) : status;
}

static haft__exit_status ask(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    haft_status status = check_words(args, err);
    if (status == HAFT_OK) {
        status = haft__follow_check_options(cli, args, err);
    }
    if (status == HAFT_OK && haft__args_has(args, "resume")) {
        return resume(cli, args, err);
    }
    if (status == HAFT_OK) {
        status = read_spec(cli, args, &file, err);
    }
    if (status == HAFT_OK && !haft__spec_file_usable(&file, cli)) {
        status = HAFT_BAD_INPUT; /* the problems of the spec were already printed */
    }
    return status == HAFT_OK ? ask_with(cli, args, &file, err) : HAFT__EXIT_USAGE;
}

static const haft__option options[] = {
    {"workers", 'w', HAFT__OPTION_NUMBER, "N",
     "how many workers search at the same time; 4 by default"},
    {"turns", 't', HAFT__OPTION_NUMBER, "N", "turns of each worker; 8 by default"},
    {"model", 'm', HAFT__OPTION_TEXT, "M", "the model of all agents: provider:model"},
    {"spec", 0, HAFT__OPTION_TEXT, "FILE",
     "run this graph instead of the one that is built in (examples/search.yaml)"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    HAFT__OPTION_USER,
    {"resume", 0, HAFT__OPTION_TEXT, "ID",
     "continue a run that stopped, or print the result of a run again"},
    HAFT__OPTIONS_SPEC_CHOICE,
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_OUTPUT,
    {0},
};

static const haft__example examples[] = {
    {"haft ask 'Where is the Retry-After header parsed?'", "search the current directory"},
    {"haft ask 'Which header declares getaddrinfo?' /usr/include --json",
     "search another directory; print one JSON object"},
    {"haft ask 'What does it count?' letter.txt --workers 2 --quiet", "search one file"},
    {"haft ask --resume last", "continue the newest run, or print its result again"},
    {0},
};

const haft__command haft__cmd_ask = {
    .name = "ask",
    .usage = "QUESTION [DIR|FILE]... | --resume ID",
    .summary = "answer a question about files, with references",
    .help =
        "Splits the question into sub-queries. One worker searches for each sub-query, all at\n"
        "the same time, each with the cheapest tool first. The answer uses only their findings.\n"
        "Each reference FILE:LINE of the answer is compared with the file; wrong references are\n"
        "removed. Without DIR and FILE the current directory is searched. Files outside of these\n"
        "paths are not read. The model is `offline` by default: it works by rules, without a key\n"
        "and without a network.\n"
        "The spec is examples/search.yaml: any graph with an input `question` can take its "
        "place.\n\n"
        "--resume ID continues a run whose process is gone, as `haft resume` does, and compares\n"
        "its references, which `haft resume` does not. It also prints the result of a run that\n"
        "has ended.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 0,
    .max_words = 1 + HAFT__LIMIT_ASK_PATHS,
    .run = ask,
    .result = true,
};
