/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - finds and reads the settings files, and decides which value of a setting counts.
 *
 * The working directory may come from a stranger. The settings of a project are therefore
 * restricted: they cannot send a key or a run to another place. Tests: tests/cli/config_test.py.
 */
#include "cli/config/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/prices.h"
#include "cli/config/variables.h"
#include "cli/terminal/diagnostic.h"
#include "io/environment.h"
#include "io/file.h"
#include "io/random.h"
#include "spec/load/document/parse.h"

#define PROJECT "haft.config.yaml"
#define DOTENV  ".env"

/* Generated at build time from config.schema.json. */
extern const char haft__config_schema[];
extern const size_t haft__config_schema_size;

haft_str haft__config_schema_text(void)
{
    return (haft_str){haft__config_schema, haft__config_schema_size};
}

static const struct {
    const char *key, *variable, *fallback;
} settings[] = {
#define X(name, variable, fallback) {#name, variable, fallback},
    HAFT__SETTINGS(X)
#undef X
};

/* The state of haft__config_load. */
typedef struct search {
    haft__cli *cli;
    haft__config *config;
    haft_status status;
    size_t errors; /* in settings files */
    haft_error *err;
} search;

/* ---- paths ---- */

static const char *join(search *s, haft_str directory, const char *name)
{
    haft_str path = haft__arena_format(&s->cli->arena, "%.*s%s%s", (int)directory.len,
                                       directory.ptr, directory.len == 1 ? "" : "/", name);
    if (path.ptr == NULL) {
        s->status = haft__arena_fail(&s->cli->arena, s->err);
    }
    return path.ptr;
}

static haft_str parent_of(haft_str directory)
{
    while (directory.len > 1 && directory.ptr[directory.len - 1] != '/') {
        directory.len--;
    }
    directory.len -= directory.len > 1;
    return directory;
}

static bool is_beneath(haft_str path, haft_str directory)
{
    return haft__str_starts_with(path, directory)
           && (directory.len == 1 || path.len == directory.len || path.ptr[directory.len] == '/');
}

/* Returns the topmost directory in which a project file is searched: the nearest directory with a
 * .git, else the home directory if it contains `here`, else `here`. */
static haft_str find_boundary(search *s, haft_str here)
{
    const char *home = getenv("HOME");
    haft_str directory = here;
    for (bool more = true; more && s->status == HAFT_OK; directory = parent_of(directory)) {
        const char *git = join(s, directory, ".git");
        if (git != NULL && access(git, F_OK) == 0) {
            return directory;
        }
        more = directory.len > 1;
    }
    bool at_home =
        home != NULL && home[0] == '/' && home[1] != '\0' && is_beneath(here, haft__str(home));
    return at_home ? haft__str(home) : here;
}

/* Returns the first project file from `here` up to the boundary. If none exists, returns the path
 * of a project file in `here`. */
static const char *find_project(search *s, haft_str here)
{
    haft_str boundary = find_boundary(s, here);
    for (haft_str at = here; s->status == HAFT_OK; at = parent_of(at)) {
        const char *path = join(s, at, PROJECT);
        if (path != NULL && access(path, F_OK) == 0) {
            return path;
        }
        if (at.len <= boundary.len || at.len <= 1) {
            break;
        }
    }
    return join(s, here, PROJECT);
}

const char *haft__config_user_path(haft__arena *arena, const char *name)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (base != NULL && base[0] == '/') {
        return haft__arena_format(arena, "%s/haft/%s", base, name).ptr;
    }
    return home != NULL && home[0] == '/'
               ? haft__arena_format(arena, "%s/.config/haft/%s", home, name).ptr
               : NULL;
}

static const char *find_dotenv(search *s, haft_str here)
{
    const haft__config_file *project = &s->config->project;
    if (project->trust == HAFT__TRUST_FOUND) {
        const char *in_project = join(s, parent_of(haft__str(project->path)), DOTENV);
        if (in_project != NULL && access(in_project, F_OK) == 0) {
            return in_project;
        }
    }
    return join(s, here, DOTENV);
}

/* ---- reading ---- */

static haft_str read_file(search *s, haft__config_file *file, bool follow)
{
    haft_str text = {NULL, 0};
    if (s->status != HAFT_OK || file->path == NULL) {
        file->trust = HAFT__TRUST_ABSENT;
        return text;
    }
    s->status = haft__trusted_file_read(&s->cli->arena, file->path, HAFT__LIMIT_CONFIG_BYTES,
                                        follow, &file->trust, &text, &file->why, s->err);
    if (s->status == HAFT_OK && file->trust == HAFT__TRUST_REFUSED) {
        char message[256];
        (void)snprintf(message, sizeof(message), "not read: %s", file->why);
        haft__diagnostic c = {
            .file_or_option = haft__str(file->path),
            .warning = true,
            .message = haft__str(message),
            .hint = HAFT__LIT("you must own the file, and no other user may write it; "
                              "--no-config ignores it")};
        haft__diagnostic_print(s->cli->errors, &c);
    }
    return text;
}

/* ---- settings ---- */

static void print_problems(search *s, haft__config_file *file, haft_str text,
                           const haft__spec_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        const haft__spec_problem *problem = &problems->items[i];
        haft__diagnostic c = {.file_or_option = haft__str(file->path),
                              .line = problem->line,
                              .column = problem->column,
                              .extent = problem->extent,
                              .source_line = haft__spec_line_text(text, problem->line),
                              .warning = problem->warning,
                              .message = problem->message,
                              .hint = problem->hint};
        haft__diagnostic_print(s->cli->errors, &c);
        if (s->errors == 0 && !problem->warning) {
            char where[32];
            (void)snprintf(where, sizeof(where), "%u:%u", problem->line, problem->column);
            (void)haft__fail(&s->cli->problem, HAFT_BAD_INPUT, where, "%.*s",
                             HAFT__ARG(problem->message));
            haft__error_prepend_location(&s->cli->problem, file->path);
        }
    }
    haft__diagnostic_print_summary(s->cli->errors, haft__str(file->path), problems->errors,
                                   problems->warnings, problems->count);
    s->errors += problems->errors;
    file->bad = problems->errors > 0;
}

/* Adds an error about the value of a key. */
static void add_problem(haft__spec_problems *problems, const haft__spec_document *document,
                        const char *key, const char *message, const char *hint)
{
    char pointer[32];
    (void)snprintf(pointer, sizeof(pointer), "/%s", key);
    haft__config_add_problem(problems, document, haft__str(pointer), false, message, hint);
}

/* Whether a path of a project file is inside the directory of that file. Resolves symbolic links of
 * the part of the path that exists. */
static bool stays_beneath(search *s, haft_str directory, haft_str path)
{
    haft_str rest = path;
    while (rest.len > 0) {
        if (haft__str_equal(haft__str_split(&rest, '/'), HAFT__LIT(".."))) {
            return false;
        }
    }
    if (path.len == 0 || path.ptr[0] == '/') {
        return false;
    }
    haft_str whole = haft__arena_format(&s->cli->arena, "%.*s/%.*s", (int)directory.len,
                                        directory.ptr, (int)path.len, path.ptr);
    haft_str top = haft__arena_copy(&s->cli->arena, directory);
    char *real_top = top.ptr != NULL ? realpath(top.ptr, NULL) : NULL, *real = NULL;
    for (haft_str at = whole; at.ptr != NULL && real == NULL && at.len > directory.len;
         at = parent_of(at)) {
        haft_str name = haft__arena_copy(&s->cli->arena, at);
        real = name.ptr != NULL ? realpath(name.ptr, NULL) : NULL;
    }
    bool beneath =
        real_top != NULL && (real == NULL || is_beneath(haft__str(real), haft__str(real_top)));
    free(real_top);
    free(real);
    return beneath;
}

/* Resolves a path relative to the directory of the settings file. */
static const char *resolve(search *s, haft_str directory, const char *scheme, haft_str path)
{
    bool absolute = path.len > 0 && path.ptr[0] == '/';
    haft_str resolved =
        absolute ? haft__arena_format(&s->cli->arena, "%s%.*s", scheme, (int)path.len, path.ptr)
                 : haft__arena_format(&s->cli->arena, "%s%.*s/%.*s", scheme, (int)directory.len,
                                      directory.ptr, (int)path.len, path.ptr);
    if (resolved.ptr == NULL) {
        s->status = haft__arena_fail(&s->cli->arena, s->err);
    }
    return resolved.ptr;
}

/* Whether the model of a project file reads no file outside of the project. */
static bool stays_inside(search *s, haft_str directory, haft_str model)
{
    haft_str path = model, scheme = haft__str_split(&path, ':');
    bool file = haft__str_equal(scheme, HAFT__LIT("script"))
                || haft__str_equal(scheme, HAFT__LIT("replay"));
    return !file || stays_beneath(s, directory, path);
}

/* Returns the value of a key. If it is not allowed, adds a problem and returns NULL. */
static const char *read_setting(search *s, const haft__config_file *file, haft__setting_id name,
                                haft__json value, const haft__spec_document *document,
                                haft__spec_problems *problems)
{
    bool project = file == &s->config->project;
    haft_str directory = parent_of(haft__str(file->path)), text = haft__json_text(value);
    haft_str scheme = HAFT__LIT("sqlite:");
    switch (name) {
    case HAFT__SETTING_model:
        if (!project || stays_inside(s, directory, text)) {
            return text.ptr;
        }
        add_problem(problems, document, "model",
                    "the script of a project must be in the directory of this file",
                    "name a script elsewhere with --model, HAFT_MODEL or your own config.yaml");
        return NULL;
    case HAFT__SETTING_lease: return text.ptr; /* session.c parses it */
    case HAFT__SETTING_plain: return value.kind == HAFT__JSON_TRUE ? "true" : "false";
    case HAFT__SETTING_store:
        if (haft__str_equal(text, HAFT__LIT("memory"))
            || haft__str_equal(text, HAFT__LIT("memory:"))) {
            return "memory:"; /* a trailing colon needs quotes in YAML */
        }
        if (haft__str_starts_with(text, scheme)) {
            text = haft__str_skip(text, scheme.len);
            if (!project || stays_beneath(s, directory, text)) {
                return resolve(s, directory, scheme.ptr, text);
            }
        } else if (!project) {
            return text.ptr;
        }
        add_problem(problems, document, "store",
                    "the store of a project must be memory:, or sqlite: and "
                    "a path in the directory of this file",
                    "name a store elsewhere with --store, HAFT_STORE or your own config.yaml");
        return NULL;
    case HAFT__SETTING_artifacts:
        if (!project || stays_beneath(s, directory, text)) {
            return resolve(s, directory, "", text);
        }
        add_problem(problems, document, "artifacts",
                    "the artifacts of a project must be in the directory of this file",
                    "name a directory elsewhere with --artifacts, HAFT_ARTIFACTS or your own "
                    "config.yaml");
        return NULL;
    }
    HAFT__UNREACHABLE();
}

/* Reads prices from the user's file only: a price of 0 in a project would disable the limits in
 * dollars of a spec. */
static void read_prices(search *s, const haft__config_file *file,
                        const haft__spec_document *document, haft__spec_problems *problems)
{
    if (file == &s->config->user) {
        s->status = haft__config_prices_read(&s->cli->arena, document, problems, &s->config->prices,
                                             s->err);
    } else if (haft__json_get(document->value, HAFT__LIT("prices")) != NULL) {
        haft__config_add_problem(problems, document, HAFT__LIT("/prices"), true,
                                 "a project cannot set the prices of models",
                                 "write the prices into your own config.yaml, or into the specs: "
                                 "model: {price: {input: .., output: ..}}");
    }
}

/* Whether a file has only comments: that is no error. */
static bool is_empty(haft_str text)
{
    while (text.len > 0) {
        haft_str line = haft__str_trim(haft__str_split(&text, '\n'));
        if (line.len > 0 && line.ptr[0] != '#') {
            return false;
        }
    }
    return true;
}

static void read_settings(search *s, haft__config_file *file, haft_str text)
{
    haft__spec_problems problems;
    haft__spec_document document = {.value = haft__json_null()};
    haft__hash_key hash_key = haft__random_hash_key();
    if (s->status != HAFT_OK || file->trust != HAFT__TRUST_FOUND || is_empty(text)) {
        return;
    }
    haft__arena *arena = &s->cli->arena;
    haft__spec_problems_init(&problems, arena);
    s->status = haft__spec_parse(arena, text, hash_key, &problems, &document, s->err);
    if (s->status == HAFT_OK && problems.errors == 0) {
        s->status = haft__spec_check_with(arena, haft__config_schema_text(), &document, hash_key,
                                          &problems, s->err);
    }
    for (size_t i = 0; i < COUNT(settings) && s->status == HAFT_OK && problems.errors == 0; i++) {
        const haft__json *value = haft__json_get(document.value, haft__str(settings[i].key));
        if (value != NULL) {
            file->values[i] =
                read_setting(s, file, (haft__setting_id)i, *value, &document, &problems);
        }
    }
    if (s->status == HAFT_OK && problems.errors == 0) {
        read_prices(s, file, &document, &problems);
    }
    if (s->status == HAFT_OK && problems.count > 0) {
        haft__spec_problems_sort(&problems);
        print_problems(s, file, text, &problems);
    }
}

/* ---- variables ---- */

static void read_variables(search *s, haft_str text)
{
    haft__config_file *file = &s->config->dotenv_file;
    haft_error failed = {0};
    if (s->status != HAFT_OK || file->trust != HAFT__TRUST_FOUND) {
        return;
    }
    haft_status status = haft__dotenv_read(&s->cli->arena, text, &s->config->dotenv, &failed);
    if (status == HAFT_TOO_BIG) {
        file->trust = HAFT__TRUST_REFUSED;
        file->why = "it has too many variables";
    } else if (status != HAFT_OK) {
        s->status = haft__arena_fail(&s->cli->arena, s->err);
    }
}

static bool is_from_dotenv(const haft__config *config, const char *name)
{
    haft_str key = haft__str(name);
    return haft__environment_get(NULL, key).ptr == NULL
           && haft__dotenv_get(&config->dotenv, key).ptr != NULL;
}

/* Warns that OPENAI_API_KEY is set but not sent. */
static void warn_of_base_url(search *s)
{
    static const char address[] = "OPENAI_BASE_URL", key[] = "OPENAI_API_KEY";
    const haft__config *config = s->config;
    if (s->status == HAFT_OK && is_from_dotenv(config, address)
        && haft__environment_get(NULL, haft__str(key)).len > 0
        && haft__dotenv_get(&config->dotenv, haft__str(key)).ptr == NULL) {
        haft__diagnostic c = {
            .file_or_option = haft__str(config->dotenv_file.path),
            .warning = true,
            .message = HAFT__LIT("OPENAI_BASE_URL comes from this file: the OPENAI_API_KEY of the "
                                 "environment is not sent there"),
            .hint = HAFT__LIT("set OPENAI_BASE_URL in the environment if you trust the address, or "
                              "put a key for it into the file")};
        haft__diagnostic_print(s->cli->errors, &c);
    }
}

haft_str haft__config_get_variable(void *context, haft_str name)
{
    const haft__config *config = context;
    haft_str value = haft__environment_get(NULL, name);
    const haft__variable_row *row = haft__variable_find(name);
    if (value.ptr != NULL || config == NULL || (row != NULL && !row->dotenv)) {
        return value;
    }
    return haft__dotenv_get(&config->dotenv, name);
}

static haft_str get_dotenv_variable(void *context, haft_str name)
{
    const haft__config *config = context;
    return haft__dotenv_get(&config->dotenv, name);
}

haft__runtime_env haft__config_env(const haft__cli *cli)
{
    haft__config *config = cli->config;
    if (config == NULL) {
        return (haft__runtime_env){.env = {haft__environment_get, NULL}};
    }
    return (haft__runtime_env){.env = {haft__config_get_variable, config},
                               .key_env = {get_dotenv_variable, config},
                               .variables = config->dotenv.items,
                               .variable_count = config->dotenv.count,
                               .prices = &config->prices};
}

/* ---- loading ---- */

haft_status haft__config_load(haft__cli *cli, const haft__args *args, haft_error *err)
{
    search s = {.cli = cli, .status = HAFT_OK, .err = err};
    haft_str here = haft__file_absolute(&cli->arena, ".");
    s.config = haft__arena_array(&cli->arena, 1, sizeof(*s.config));
    if (here.ptr == NULL || s.config == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    here = haft__str_ends_with(here, HAFT__LIT("/.")) && here.len > 2
               ? (haft_str){here.ptr, here.len - 2}
               : here;
    *s.config = (haft__config){.project = {.kind = "project", .trust = HAFT__TRUST_ABSENT},
                               .user = {.kind = "user", .trust = HAFT__TRUST_ABSENT},
                               .dotenv_file = {.kind = ".env", .trust = HAFT__TRUST_ABSENT},
                               .off = haft__args_has(args, "no-config")};
    cli->config = s.config;
    if (s.config->off) {
        return HAFT_OK;
    }
    s.config->project.path = find_project(&s, here);
    read_settings(&s, &s.config->project, read_file(&s, &s.config->project, false));
    s.config->user.path = haft__config_user_path(&cli->arena, "config.yaml");
    read_settings(&s, &s.config->user, read_file(&s, &s.config->user, true));
    s.config->dotenv_file.path = find_dotenv(&s, here);
    read_variables(&s, read_file(&s, &s.config->dotenv_file, false));
    warn_of_base_url(&s);
    return s.status == HAFT_OK && s.errors > 0 ? HAFT_BAD_INPUT : s.status;
}

/* ---- precedence ---- */

const char *haft__setting_default_text(haft__setting_id name)
{
    return settings[name].fallback;
}

const char *haft__setting_key(haft__setting_id name)
{
    return settings[name].key;
}

const char *haft__setting_variable(haft__setting_id name)
{
    return settings[name].variable;
}

haft__setting haft__config_get(const haft__cli *cli, const haft__args *args, haft__setting_id name)
{
    static const char *const options[] = {
#define X(key, variable, fallback) "--" #key,
        HAFT__SETTINGS(X)
#undef X
    };
    const haft__config *config = cli->config;
    const char *value = haft__args_text(args, settings[name].key, NULL);
    if (haft__args_has(args, settings[name].key)) {
        return (haft__setting){value != NULL ? value : "true", options[name]};
    }
    value = getenv(settings[name].variable);
    if (value != NULL && value[0] != '\0') {
        return (haft__setting){value, settings[name].variable};
    }
    if (config != NULL && config->project.values[name] != NULL) {
        return (haft__setting){config->project.values[name], config->project.path};
    }
    if (config != NULL && config->user.values[name] != NULL) {
        return (haft__setting){config->user.values[name], config->user.path};
    }
    return (haft__setting){NULL, "default"};
}

bool haft__config_is_plain(const haft__cli *cli, const haft__args *args)
{
    const char *value = haft__config_get(cli, args, HAFT__SETTING_plain).value;
    return value != NULL && strcmp(value, "false") != 0 && strcmp(value, "0") != 0;
}
