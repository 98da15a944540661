/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - `haft doctor`: checks what this machine has for haft, and what it lacks.
 *
 * For keys it prints the names of variables, never a value. Tests: tests/cli/doctor_test.py.
 */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/variables.h"
#include "cli/input/spec_file.h"
#include "cli/sandbox_probe.h"
#include "cli/session.h"
#include "cli/terminal/print.h"
#include "engine/ops/mcp_changes.h"
#include "engine/ops/store_access.h"
#include "exec/exec.h"
#include "exec/files/root.h"
#include "exec/sql/database_check.h"
#include "io/environment.h"
#include "io/libraries.h"
#include "model/provider.h"
#include "store/store.h"
#include "json/object.h"
#include "json/write.h"

/* One check. */
typedef struct finding {
    const char *what;
    bool good;
    haft_str text; /* what was found */
    haft_str hint; /* what to do if the result is not good */
} finding;

enum { MAX_FINDINGS = 16, MIN_SERVER_FILES = 1024 };

/* The results of the store's own checks. */
typedef struct store_checks {
    const haft__store_finding *items;
    size_t count;
} store_checks;

typedef struct doctor_report {
    haft__cli *cli;
    const haft__args *args;
    finding findings[MAX_FINDINGS];
    size_t count;
    store_checks store;
    haft_status status;
    haft_error *err;
} doctor_report;

static void add_finding(doctor_report *e, const char *what, bool good, haft_str text,
                        const char *hint)
{
    if (text.ptr == NULL) {
        e->status = haft__arena_fail(&e->cli->arena, e->err);
    } else if (e->count < MAX_FINDINGS) {
        e->findings[e->count++] = (finding){what, good, text, haft__str(good ? "" : hint)};
    }
}

/* ---- checks ---- */

/* Tries to write. A failure is a finding, not an error. */
static haft_status check_writable(doctor_report *e, haft_runtime *runtime,
                                  haft__store_finding *ret_finding, haft_error *err)
{
    haft_error failed = {0};
    haft__arena *arena = &e->cli->arena;
    haft__store_request request = {.verb = HAFT__STORE_TRY_WRITE};
    if (haft__session_store_execute(e->cli, runtime, &request, &failed) == HAFT_OK) {
        *ret_finding = (haft__store_finding){"writable", HAFT__LIT("yes"), true, ""};
        return HAFT_OK;
    }
    haft_str text = haft__arena_format(arena, "no: %s", failed.message);
    haft_str hint = haft__arena_format(
        arena, "%s", failed.hint[0] != '\0' ? failed.hint : "name another store with --store");
    *ret_finding = (haft__store_finding){"writable", text, false, hint.ptr};
    return text.ptr != NULL && hint.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* Runs the store's checks. */
static haft_status examine_store(doctor_report *e, haft_runtime *runtime, haft_error *err)
{
    haft__store_request request = {.verb = HAFT__STORE_DOCTOR};
    haft_status status = haft__session_store_execute(e->cli, runtime, &request, err);
    if (status != HAFT_OK) {
        return status;
    }
    size_t count = request.finding_count;
    haft__store_finding *items =
        haft__arena_array(&e->cli->arena, count + 1, sizeof(*request.findings));
    if (items == NULL) {
        return haft__arena_fail(&e->cli->arena, err);
    }
    memcpy(items, request.findings, count * sizeof(*items));
    e->store = (store_checks){items, count + 1};
    return check_writable(e, runtime, &items[count], err);
}

/* Checks whether this user can create the store, which does not exist yet. */
static void check_missing_store(doctor_report *e, const char *url, const char *path)
{
    bool good = haft__store_access_can_create(path);
    add_finding(
        e, "store", good,
        haft__arena_format(&e->cli->arena, "%s (does not exist; %s)", url,
                           good ? "the first run creates it" : "this user cannot create it"),
        "give the user write permission for its directory, or name another store with --store");
}

static void check_store(doctor_report *e)
{
    const char *url = NULL;
    haft_runtime *runtime = NULL;
    haft_error failed = {0};
    haft_status status = haft__session_store_url(e->cli, e->args, &url, &failed);
    if (status == HAFT_OK && haft__store_access_missing_file(url) != NULL) {
        check_missing_store(e, url, haft__store_access_missing_file(url));
        return;
    }
    if (status == HAFT_OK) {
        status = haft__session_open_existing(e->cli, e->args, &runtime, &failed);
    }
    if (status == HAFT_OK) {
        status = examine_store(e, runtime, &failed);
    }
    haft_runtime_destroy(runtime);
    haft_str text = status == HAFT_OK
                        ? haft__store_display_url(url, &e->cli->arena)
                        : haft__arena_format(&e->cli->arena, "%s%s%s", failed.where,
                                             failed.where[0] != '\0' ? ": " : "", failed.message);
    add_finding(e, "store", status == HAFT_OK, text,
                "name another store with --store: " HAFT__STORE_URLS);
}

static void check_guard(doctor_report *e)
{
    char *path = NULL;
    bool found = haft__guard_find(NULL, &path, NULL) == HAFT_OK;
    add_finding(e, "guard", found,
                haft__arena_format(&e->cli->arena, "%s", found ? path : "not found"),
                "command tools need libexec/haft/guard; make install installs it");
    free(path);
}

static void check_sandbox(doctor_report *e)
{
    haft__sandbox sandbox;
    haft_error failed = {0};
    haft__arena *arena = &e->cli->arena;
    bool works = haft__sandbox_probe_here(arena, false, &sandbox, &failed) == HAFT_OK;
    haft_str text =
        works
            ? haft__arena_format(arena, "%s%s%.*s%s, Landlock %d, Python %.*s (%s): the probe held",
                                 haft__sandbox_profile_name(sandbox.profile),
                                 sandbox.weaker.len > 0 ? " (no namespaces: " : "",
                                 HAFT__ARG(sandbox.weaker), sandbox.weaker.len > 0 ? ")" : "",
                                 sandbox.landlock, HAFT__ARG(sandbox.version), sandbox.interpreter)
            : haft__arena_format(arena, "python_execution disabled: %s%s%s. Fix: %s", failed.where,
                                 failed.where[0] != '\0' ? ": " : "", failed.message, failed.hint);
    add_finding(e, "sandbox", true, text, ""); /* most agents need no sandbox */
}

/* Returns the source of a variable; NULL if it is not set. */
static const char *source_of(const doctor_report *e, haft_str name)
{
    const haft__config *config = e->cli->config;
    if (haft__environment_get(NULL, name).len > 0) {
        return "environment";
    }
    return haft__config_get_variable(e->cli->config, name).len > 0 ? config->dotenv_file.path
                                                                   : NULL;
}

static void check_keys(doctor_report *e)
{
    size_t count = 0;
    const haft__provider *providers = haft__providers(&count);
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    for (size_t i = 0; i < count; i++) {
        haft_str name = haft__str(providers[i].key_env);
        if (name.len > 0 && source_of(e, name) != NULL) {
            haft__buf_addf(&text, "%s%s (%s)", text.len > 0 ? ", " : "", providers[i].name,
                           providers[i].key_env);
        }
    }
    if (text.len == 0) {
        haft__buf_add_str(&text, HAFT__LIT("none; the model `offline` needs none"));
    }
    add_finding(e, "keys", true, haft__arena_copy(&e->cli->arena, haft__buf_str(&text)), "");
    haft__buf_finish(&text);
}

static void check_files(doctor_report *e)
{
    int root = -1;
    bool works = haft__files_root_open(HAFT__LIT(""), HAFT__LIT("."), &root, NULL) == HAFT_OK;
    if (root >= 0) {
        (void)close(root);
    }
    add_finding(e, "files", works,
                works ? HAFT__LIT("openat2 confines glob, grep and read to their root")
                      : HAFT__LIT("this kernel has no openat2"),
                "glob, grep and read need Linux 5.6 or newer");
}

/* `haft serve` needs a file for each connection; it raises the soft limit itself. */
static void check_server(doctor_report *e)
{
    struct rlimit files = {0, 0};
    haft_error err = {0};
    bool library = haft__libraries_check_server(&err) == HAFT_OK;
    bool enough = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max >= MIN_SERVER_FILES;
    if (!library) {
        add_finding(e, "server", false, haft__arena_format(&e->cli->arena, "%s", err.message),
                    "haft serve and haft mcp --listen need libmicrohttpd");
        return;
    }
    add_finding(e, "server", enough,
                haft__arena_format(&e->cli->arena, "up to %llu open files",
                                   (unsigned long long)files.rlim_max),
                "raise the limit of open files: ulimit -Hn, or LimitNOFILE= of the unit");
}

static void check_libraries(doctor_report *e)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    haft__libraries_add(&text);
    haft__buf_addf(&text, ", SQLite %s", haft__store_sqlite_version());
    add_finding(e, "libraries", true, haft__arena_copy(&e->cli->arena, haft__buf_str(&text)), "");
    haft__buf_finish(&text);
}

static void check_servers(doctor_report *e)
{
    haft_str place;
    size_t count = 0, damaged = 0;
    haft_status status =
        haft__mcp_changes_count_servers(&e->cli->arena, &place, &count, &damaged, e->err);
    if (status != HAFT_OK) {
        e->status = status;
        return;
    }
    haft_str text = place.ptr == NULL
                        ? HAFT__LIT("no state directory to remember servers")
                        : haft__arena_format(&e->cli->arena, "%zu server%s known in %.*s", count,
                                             count == 1 ? "" : "s", HAFT__ARG(place));
    if (damaged > 0 && text.ptr != NULL) {
        text = haft__arena_format(&e->cli->arena, "%.*s; %zu file%s damaged", HAFT__ARG(text),
                                  damaged, damaged == 1 ? " is" : "s are");
    }
    add_finding(e, "mcp", damaged == 0, text, "see `haft tools SPEC`");
}

/* The databases of SPEC. */
static void check_databases(doctor_report *e)
{
    haft__spec_file file;
    const haft__database_finding *findings = NULL;
    haft__spec_env env = haft__config_env(e->cli).env;
    haft_str text = HAFT__LIT("none"), hint = HAFT__LIT("");
    bool good = true;
    if (e->args->word_count == 0 || e->status != HAFT_OK) {
        return;
    }
    e->status = haft__spec_file_inspect(e->cli, e->args->words[0], e->args, &file, e->err);
    if (e->status == HAFT_OK && file.spec == NULL) {
        add_finding(e, "databases", false, HAFT__LIT("the spec has errors"),
                    "see `haft check SPEC`");
        return;
    }
    if (e->status == HAFT_OK) {
        e->status = haft__database_check(&e->cli->arena, file.spec, &env, &findings, e->err);
    }
    for (size_t i = 0; e->status == HAFT_OK && i < file.spec->database_count; i++) {
        text = haft__arena_format(&e->cli->arena, "%.*s%s%.*s: %.*s",
                                  HAFT__ARG(i > 0 ? text : HAFT__LIT("")), i > 0 ? "; " : "",
                                  HAFT__ARG(findings[i].name), HAFT__ARG(findings[i].text));
        hint = good ? findings[i].hint : hint;
        good = good && findings[i].good;
    }
    if (e->status == HAFT_OK) {
        haft_str kept = haft__arena_copy(&e->cli->arena, hint);
        add_finding(e, "databases", good, text, kept.ptr != NULL ? kept.ptr : "");
    }
}

static void check_config(doctor_report *e)
{
    const haft__config *config = e->cli->config;
    const haft__config_file *files[] = {&config->project, &config->user, &config->dotenv_file};
    size_t found = 0, bad = 0;
    for (size_t i = 0; i < COUNT(files); i++) {
        found += files[i]->trust == HAFT__TRUST_FOUND;
        bad += files[i]->bad || files[i]->trust == HAFT__TRUST_REFUSED;
    }
    haft_str text = config->off ? haft__arena_format(&e->cli->arena, "not read")
                                : haft__arena_format(&e->cli->arena, "%zu file%s found", found,
                                                     found == 1 ? "" : "s");
    add_finding(e, "config", bad == 0, text,
                "a settings file is refused or has errors; see the messages on stderr and "
                "docs/config.md");
}

/* ---- output ---- */

static const char *state_of(const haft__config_file *file)
{
    switch (file->trust) {
    case HAFT__TRUST_ABSENT: return "absent";
    case HAFT__TRUST_REFUSED: return "refused";
    case HAFT__TRUST_FOUND: return file->bad ? "bad" : "found";
    }
    HAFT__UNREACHABLE();
}

static void print_file(FILE *out, const doctor_report *e, const haft__config_file *file)
{
    const haft__dotenv *dotenv = &e->cli->config->dotenv;
    (void)fprintf(out, "     %-10s %-8s ", "", file->kind);
    haft__print_escaped(out, haft__str(file->path != NULL ? file->path : "-"));
    (void)fprintf(out, " (%s%s%s)", state_of(file), file->trust == HAFT__TRUST_REFUSED ? ": " : "",
                  file->trust == HAFT__TRUST_REFUSED ? file->why : "");
    if (file == &e->cli->config->dotenv_file && file->trust == HAFT__TRUST_FOUND) {
        for (size_t i = 0; i < dotenv->count; i++) {
            (void)fprintf(out, "%s%.*s", i == 0 ? ": " : ", ", HAFT__ARG(dotenv->items[i].name));
        }
        if (dotenv->bad > 0) {
            (void)fprintf(out, "; line %u is ignored: %s", dotenv->bad_line, dotenv->why);
            for (size_t k = 0; k + 1 < dotenv->bad && k < HAFT__DOTENV_MAX_REPORTED; k++) {
                (void)fprintf(out, "%s%u", k == 0 ? "; also line " : ", ", dotenv->more[k]);
            }
            (void)fputs(dotenv->bad > HAFT__DOTENV_MAX_REPORTED + 1 ? " and more" : "", out);
        }
    }
    (void)putc('\n', out);
}

/* Returns the value of a setting for output: without the password in the URL of a store. */
static const char *display_value(const doctor_report *e, haft__setting_id name, const char *value)
{
    return value != NULL && name == HAFT__SETTING_store
               ? haft__store_display_url(value, &e->cli->arena).ptr
               : value;
}

static void print_settings(FILE *out, const doctor_report *e)
{
    const haft__config *config = e->cli->config;
    size_t count;
    const haft__variable_row *rows = haft__variable_table(&count);
    if (!config->off) {
        print_file(out, e, &config->project);
        print_file(out, e, &config->user);
        print_file(out, e, &config->dotenv_file);
    }
    for (size_t i = 0; i < HAFT__SETTING_COUNT; i++) {
        haft__setting setting = haft__config_get(e->cli, e->args, (haft__setting_id)i);
        (void)fprintf(out, "     %-10s %s = ", i == 0 ? "settings" : "",
                      haft__setting_key((haft__setting_id)i));
        const char *value = display_value(e, (haft__setting_id)i, setting.value);
        haft__print_escaped(
            out,
            haft__str(value != NULL ? value : haft__setting_default_text((haft__setting_id)i)));
        (void)fputs(" (", out);
        haft__print_escaped(out, haft__str(setting.from));
        (void)fputs(")\n", out);
    }
    for (size_t i = 0; i < count; i++) {
        const char *source = source_of(e, haft__str(rows[i].name));
        if (source != NULL && rows[i].dotenv) {
            (void)fprintf(out, "     %-10s %s (", "", rows[i].name);
            haft__print_escaped(out, haft__str(source));
            (void)fputs(")\n", out);
        }
    }
}

static void write_files(haft__json_writer *w, const haft__config *config)
{
    const haft__config_file *files[] = {&config->project, &config->user, &config->dotenv_file};
    haft__json_key(w, "files");
    haft__json_begin_array(w);
    for (size_t i = 0; i < COUNT(files) && !config->off; i++) {
        bool bad_line = i == 2 && config->dotenv.bad > 0;
        haft__json_begin_object(w);
        haft__field_string(w, "kind", files[i]->kind);
        haft__field_string(w, "path", files[i]->path);
        haft__field_string(w, "state", state_of(files[i]));
        haft__field_string(w, "why",
                           files[i]->trust == HAFT__TRUST_REFUSED ? files[i]->why
                           : bad_line                             ? config->dotenv.why
                                                                  : "");
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static void write_settings(haft__json_writer *w, const doctor_report *e)
{
    haft__json_key(w, "settings");
    haft__json_begin_array(w);
    for (size_t i = 0; i < HAFT__SETTING_COUNT; i++) {
        haft__setting setting = haft__config_get(e->cli, e->args, (haft__setting_id)i);
        haft__json_begin_object(w);
        haft__field_string(w, "name", haft__setting_key((haft__setting_id)i));
        haft__field_string(w, "value", display_value(e, (haft__setting_id)i, setting.value));
        haft__field_string(w, "from", setting.from);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    size_t count;
    const haft__variable_row *rows = haft__variable_table(&count);
    haft__json_key(w, "variables");
    haft__json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        const char *source = source_of(e, haft__str(rows[i].name));
        if (source != NULL && rows[i].dotenv) { /* only names: the values are, or may be, secrets */
            haft__json_begin_object(w);
            haft__field_string(w, "name", rows[i].name);
            haft__field_string(w, "from", source);
            haft__json_end_object(w);
        }
    }
    haft__json_end_array(w);
}

static void print_store(FILE *out, const doctor_report *e)
{
    for (size_t i = 0; i < e->store.count; i++) {
        const haft__store_finding *f = &e->store.items[i];
        (void)fprintf(out, "%-4s %-10s %s: ", f->good ? "" : "BAD", "", f->name);
        haft__print_escaped(out, f->value);
        (void)fputc('\n', out);
        if (!f->good) {
            (void)fprintf(out, "     %-10s %s\n", "", f->hint);
        }
    }
}

static void write_store(haft__json_writer *w, const doctor_report *e)
{
    haft__json_key(w, "checks");
    haft__json_begin_array(w);
    for (size_t i = 0; i < e->store.count; i++) {
        const haft__store_finding *f = &e->store.items[i];
        haft__json_begin_object(w);
        haft__field_string(w, "name", f->name);
        haft__field_flag(w, "ok", f->good);
        haft__field_text(w, "found", f->value);
        haft__field_string(w, "hint", f->hint);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static void print_lines(FILE *out, const doctor_report *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const finding *f = &e->findings[i];
        (void)fprintf(out, "%-4s %-10s ", f->good ? "ok" : "BAD", f->what);
        haft__print_escaped(out, f->text);
        (void)fputc('\n', out);
        if (f->hint.len > 0) {
            (void)fprintf(out, "     %-10s %.*s\n", "", HAFT__ARG(f->hint));
        }
        if (strcmp(f->what, "config") == 0) {
            print_settings(out, e);
        }
        if (strcmp(f->what, "store") == 0) {
            print_store(out, e);
        }
    }
}

static haft_status print_json(FILE *out, const doctor_report *e)
{
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    for (size_t i = 0; i < e->count; i++) {
        haft__json_key(&w, e->findings[i].what);
        haft__json_begin_object(&w);
        haft__field_flag(&w, "ok", e->findings[i].good);
        haft__field_text(&w, "found", e->findings[i].text);
        haft__field_text(&w, "hint", e->findings[i].hint);
        if (strcmp(e->findings[i].what, "config") == 0) {
            write_files(&w, e->cli->config);
            write_settings(&w, e);
        }
        if (strcmp(e->findings[i].what, "store") == 0) {
            write_store(&w, e);
        }
        haft__json_end_object(&w);
    }
    haft__json_end_object(&w);
    haft_status status = haft__print_json_line(out, &text, e->err);
    haft__buf_finish(&text);
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    doctor_report e = {.cli = cli, .args = args, .err = err};
    add_finding(&e, "version", true, HAFT__LIT(HAFT_VERSION), "");
    check_libraries(&e);
    check_store(&e);
    check_guard(&e);
    check_files(&e);
    check_server(&e);
    check_sandbox(&e);
    check_keys(&e);
    check_servers(&e);
    check_databases(&e);
    check_config(&e);
    if (e.status == HAFT_OK && haft__args_has(args, "json")) {
        e.status = print_json(cli->out, &e);
    } else if (e.status == HAFT_OK) {
        print_lines(cli->out, &e);
    }
    bool good = e.status == HAFT_OK;
    for (size_t i = 0; i < e.count; i++) {
        good = good && e.findings[i].good;
    }
    for (size_t i = 0; i < e.store.count; i++) {
        good = good && e.store.items[i].good;
    }
    return good ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    HAFT__OPTION_STORE,
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    {0},
};

static const haft__example examples[] = {
    {"haft doctor", "check everything"},
    {"haft doctor --json --store memory:", "print JSON, and check another store"},
    {0},
};

const haft__command haft__cmd_doctor = {
    .name = "doctor",
    .usage = "[SPEC]",
    .summary = "check what haft finds on this machine, and what is missing",
    .help =
        "Checks the store and its settings and tries to write to it; checks the program\n"
        "libexec/haft/guard, the kernel, whether haft serve can run, which providers have keys\n"
        "(by the names of their variables), which settings files were found, and where each\n"
        "setting comes from. With SPEC it also connects to the databases of that spec. The exit\n"
        "status is 1 when a check fails.\n",
    .options = options,
    .examples = examples,
    .max_words = 1,
    .run = run,
    .examines_config = true,
};
