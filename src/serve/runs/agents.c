/* SPDX-License-Identifier: Apache-2.0 */
/* agents.c - see agents.h. Tests: tests/serve/api_test.py. */
#include "serve/runs/agents.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/clock.h"
#include "io/file.h"

/* How often files are compared with what was read. */
#define REFRESH_MS 500

static void warn(const haft__served_agents *agents, const char *path, const char *what)
{
    char text[512];
    int length = snprintf(text, sizeof(text), "%s: %s", path, what);
    if (length > 0) {
        agents->host->warn(agents->host->context, haft__str(text));
    }
}

/* ---- one file ---- */

static uint64_t stamp_of(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return 0;
    }
    return ((uint64_t)info.st_mtim.tv_sec * 1000000000U + (uint64_t)info.st_mtim.tv_nsec)
           ^ ((uint64_t)info.st_ino << 1) ^ (uint64_t)info.st_size;
}

/* The file's name without its extension, for a spec without a name. */
static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    haft_str name = haft__str(slash != NULL ? slash + 1 : path);
    return haft__str_duplicate(haft__str_split(&name, '.'));
}

static void set_name(haft__served_agent *one)
{
    bool named = one->agent != NULL && one->agent->spec->name.len > 0;
    one->name = named ? one->agent->spec->name : haft__str(one->own_name);
}

/* Reads the file. A spec that cannot be used keeps its place, with the error. */
static void read_agent(haft__served_agents *agents, haft__served_agent *one)
{
    haft_agent *agent = NULL;
    one->stamp = stamp_of(one->path);
    one->error = (haft_error){0};
    haft_status status =
        haft__agent_load_file(agents->runtime, one->path, NULL, 0, &agent, &one->error);
    haft_agent_release(one->agent);
    one->agent = status == HAFT_OK ? agent : NULL;
    set_name(one);
    agents->version++;
}

static void free_agent(haft__served_agent *one)
{
    haft_agent_release(one->agent);
    free(one->path);
    free(one->own_name);
    free(one);
}

static haft__served_agent *find_path(const haft__served_agents *agents, const char *path)
{
    haft__served_agent *one = agents->first;
    while (one != NULL && strcmp(one->path, path) != 0) {
        one = one->next;
    }
    return one;
}

static haft__served_agent *find_name(const haft__served_agents *agents, haft_str name,
                                     const haft__served_agent *except)
{
    haft__served_agent *one = agents->first;
    while (one != NULL && (one == except || !haft__str_equal(one->name, name))) {
        one = one->next;
    }
    return one;
}

static void insert(haft__served_agents *agents, haft__served_agent *one)
{
    haft__served_agent **at = &agents->first;
    while (*at != NULL && haft__str_compare((*at)->name, one->name) < 0) {
        at = &(*at)->next;
    }
    one->next = *at;
    *at = one;
}

static haft_status add_file(haft__served_agents *agents, const char *path, bool in_directory,
                            haft_error *err)
{
    haft__served_agent *one = calloc(1, sizeof(*one));
    if (one == NULL) {
        return haft__fail_no_memory(err);
    }
    one->in_directory = in_directory;
    one->seen = true;
    one->path = haft__str_duplicate(haft__str(path));
    one->own_name = base_name(path);
    if (one->path == NULL || one->own_name == NULL) {
        free_agent(one);
        return haft__fail_no_memory(err);
    }
    read_agent(agents, one);
    const haft__served_agent *same = find_name(agents, one->name, one);
    haft_status status = HAFT_OK;
    if (same != NULL) {
        status = haft__fail(err, HAFT_BAD_INPUT, path, "the agent '%.*s' is already served from %s",
                            HAFT__ARG(one->name), same->path);
    } else if (one->agent == NULL && !in_directory) {
        status = one->error.status;
        *err = one->error;
    }
    if (status != HAFT_OK) {
        free_agent(one);
        return status;
    }
    if (one->agent == NULL) {
        warn(agents, one->error.where, one->error.message);
    }
    insert(agents, one);
    return HAFT_OK;
}

/* ---- directories ---- */

static bool has_extension(haft_str name)
{
    return haft__str_ends_with(name, HAFT__LIT(".yaml"))
           || haft__str_ends_with(name, HAFT__LIT(".yml"))
           || haft__str_ends_with(name, HAFT__LIT(".json"));
}

/* Whether the file has the member "haft" of specs at its top: a line "haft:" in YAML. */
static bool is_spec(const char *path)
{
    haft__buf text;
    bool found = false;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    if (haft__file_read(path, &text, NULL) == HAFT_OK) {
        haft_str rest = haft__buf_str(&text);
        while (rest.len > 0 && !found) {
            haft_str line = haft__str_split(&rest, '\n');
            haft_str trimmed = haft__str_trim(line);
            found = haft__str_starts_with(line, HAFT__LIT("haft:"))
                    || haft__str_starts_with(trimmed, HAFT__LIT("\"haft\":"))
                    || haft__str_starts_with(trimmed, HAFT__LIT("{\"haft\":"))
                    || haft__str_starts_with(trimmed, HAFT__LIT("{haft:"));
        }
    }
    haft__buf_finish(&text);
    return found;
}

static haft_status visit_entry(haft__served_agents *agents, const char *directory,
                               const char *entry, bool first, haft_error *err)
{
    char path[4096];
    haft_error skipped = {0};
    bool slash = haft__str_ends_with(haft__str(directory), HAFT__LIT("/"));
    int length = snprintf(path, sizeof(path), "%s%s%s", directory, slash ? "" : "/", entry);
    if (entry[0] == '.' || !has_extension(haft__str(entry)) || length < 0
        || (size_t)length >= sizeof(path)) {
        return HAFT_OK;
    }
    haft__served_agent *known = find_path(agents, path);
    if (known != NULL) {
        known->seen = true;
        return HAFT_OK;
    }
    if (!is_spec(path)) {
        if (first) {
            warn(agents, path, "skipped: it has no 'haft: 1'");
        }
        return HAFT_OK;
    }
    haft_status status = add_file(agents, path, true, &skipped);
    if (status == HAFT_NO_MEMORY) {
        *err = skipped;
        return status;
    }
    if (status != HAFT_OK && first) {
        warn(agents, path, skipped.message);
    }
    return HAFT_OK;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Files in the order of their names, so that the same one of two agents with one name is served. */
static haft_status read_directory(haft__served_agents *agents, const char *directory, bool first,
                                  haft_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, NULL, compare_names);
    haft_status status = count >= 0 ? HAFT_OK
                                    : haft__fail(err, HAFT_BAD_INPUT, directory,
                                                 "cannot read the directory: %s", strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == HAFT_OK) {
            status = visit_entry(agents, directory, entries[i]->d_name, first, err);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* ---- all ---- */

haft_status haft__served_agents_load(haft__served_agents *agents, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < agents->spec_count; i++) {
        status = is_directory(agents->specs[i])
                     ? read_directory(agents, agents->specs[i], true, err)
                     : add_file(agents, agents->specs[i], false, err);
    }
    agents->checked_ms = haft__clock_monotonic();
    return status;
}

void haft__served_agents_finish(haft__served_agents *agents)
{
    while (agents->first != NULL) {
        haft__served_agent *one = agents->first;
        agents->first = one->next;
        free_agent(one);
    }
}

/* Reads a changed file. */
static void refresh_file(haft__served_agents *agents, haft__served_agent *one)
{
    uint64_t stamp = stamp_of(one->path);
    if (stamp == one->stamp) {
        return;
    }
    if (stamp == 0) { /* between two writes of an editor, or gone */
        return;
    }
    read_agent(agents, one);
    if (one->agent == NULL) {
        warn(agents, one->error.where, one->error.message);
    } else {
        warn(agents, one->path, "read again, because it has changed");
    }
}

/* Files of directories that are gone are no longer served. */
static void remove_unseen(haft__served_agents *agents)
{
    haft__served_agent **at = &agents->first;
    while (*at != NULL) {
        haft__served_agent *one = *at;
        if (one->seen || !one->in_directory) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        warn(agents, one->path, "no longer served: the file is gone");
        free_agent(one);
        agents->version++;
    }
}

void haft__served_agents_refresh(haft__served_agents *agents)
{
    uint64_t now = haft__clock_monotonic();
    if (now < agents->checked_ms + REFRESH_MS) {
        return;
    }
    agents->checked_ms = now;
    for (haft__served_agent *one = agents->first; one != NULL; one = one->next) {
        one->seen = false;
        refresh_file(agents, one);
    }
    for (size_t i = 0; i < agents->spec_count; i++) {
        if (is_directory(agents->specs[i])) {
            (void)!read_directory(agents, agents->specs[i], false, NULL);
        }
    }
    remove_unseen(agents);
}

haft_status haft__served_agents_find(haft__served_agents *agents, haft_str name,
                                     const haft__served_agent **ret_agent, haft_error *err)
{
    haft__served_agents_refresh(agents);
    const haft__served_agent *one = find_name(agents, name, NULL);
    if (one == NULL) {
        haft_status status =
            haft__fail(err, HAFT_NOT_FOUND, "", "no agent '%.*s' is served here", HAFT__ARG(name));
        return haft__hint(err, status, "GET /api/v1/agents lists the agents");
    }
    if (one->agent == NULL) {
        haft_status status = one->error.status == HAFT_NO_MEMORY ? HAFT_NO_MEMORY : HAFT_BAD_STATE;
        if (err != NULL) {
            *err = one->error;
            err->status = status;
        }
        return status;
    }
    *ret_agent = one;
    return HAFT_OK;
}
