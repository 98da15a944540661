/* SPDX-License-Identifier: Apache-2.0 */
/* scenario_help.c - see scenario_help.h. */
#include "scenario_help.h"

#include <dirent.h>

#define FOLDER "tests/run/scenarios"
#define MOST   200

static const char *root(void)
{
    const char *given = getenv("HAFT_SOURCE_ROOT");
    return given != NULL ? given : ".";
}

/* The text after the line "--- NAME", up to the next such line. */
static haft_str section(haft_str text, const char *name)
{
    haft_str found = {NULL, 0};
    bool inside = false;
    while (text.len > 0) {
        haft_str line = haft__str_split(&text, '\n');
        if (haft__str_starts_with(line, HAFT__LIT("--- "))) {
            inside = haft__str_equal(haft__str_skip(line, 4), haft__str(name));
            found = inside ? (haft_str){text.ptr, 0} : found;
        } else if (inside) {
            found.len = (size_t)(line.ptr + line.len + 1 - found.ptr);
        }
    }
    return found;
}

static help_scenario read_scenario(const char *path)
{
    haft_str text = test_read_file(path), rest = text;
    CHECK(text.ptr != NULL, "cannot read %s", path);
    haft_str title = haft__str_split(&rest, '\n'), spec = haft__str_split(&rest, '\n');
    CHECK(haft__str_starts_with(title, HAFT__LIT("# ")), "%s has no title", path);
    CHECK(haft__str_starts_with(spec, HAFT__LIT("spec: ")), "%s has no spec", path);
    return (help_scenario){.path = path,
                           .text = text,
                           .title = haft__str_skip(title, 2),
                           .spec = haft__str_skip(spec, 6),
                           .script = section(rest, "script"),
                           .actions = section(rest, "actions"),
                           .events = section(rest, "events")};
}

const help_scenario *help_scenarios(size_t *ret_count)
{
    help_scenario *all = test_alloc(MOST * sizeof(*all));
    struct dirent **entries = NULL;
    haft_str folder = help_keep(haft__str(root()));
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", folder.ptr, FOLDER);
    int count = scandir(path, &entries, NULL, alphasort);
    CHECK(count > 2 && count < MOST, "found %d files in %s", count, path);
    *ret_count = 0;
    for (int i = 0; i < count; i++) {
        haft_str name = haft__str(entries[i]->d_name);
        if (haft__str_ends_with(name, HAFT__LIT(".txt"))) {
            (void)snprintf(path, sizeof(path), "%s/%s", FOLDER, entries[i]->d_name);
            all[(*ret_count)++] = read_scenario(help_keep(haft__str(path)).ptr);
        }
        free(entries[i]);
    }
    free(entries);
    return all;
}

const help_scenario *help_scenario_named(const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s.txt", FOLDER, name);
    help_scenario *scenario = test_alloc(sizeof(*scenario));
    *scenario = read_scenario(help_keep(haft__str(path)).ptr);
    return scenario;
}

static haft_status act(help_run *r, haft_str action)
{
    haft_str first = haft__str_split(&action, ' ');
    if (haft__str_equal(first, HAFT__LIT("at"))) {
        uint64_t at = 0;
        CHECK(haft__str_to_u64(action, &at), "not a time: %.*s", HAFT__ARG(action));
        r->now_ms = at > r->now_ms ? at : r->now_ms;
        return haft__drive_on(&r->drive, &r->err);
    }
    bool wall = haft__str_equal(first, HAFT__LIT("wall"));
    if (wall || haft__str_equal(first, HAFT__LIT("cancel"))) {
        haft__buf body;
        haft__buf_init(&body, 4096);
        if (wall) {
            haft__input_wall_reached(&body, &r->drive.run, r->drive.run.spec->limits.wall_ms + 5);
        } else {
            haft__input_cancel_asked(&body, HAFT__LIT("test"), HAFT__LIT("enough"));
        }
        haft_status status = haft__drive_append(&r->drive, haft__buf_str(&body), &r->err);
        haft__buf_finish(&body);
        return status == HAFT_OK ? haft__drive_on(&r->drive, &r->err) : status;
    }
    haft_str verdict = help_keep(haft__str_split(&action, ' '));
    return help_run_answer(r, help_keep(first).ptr, verdict.ptr, help_keep(action).ptr);
}

/* How many actions the events so far came from. */
static size_t actions_done(const help_run *r)
{
    haft_str rest = haft__buf_str(&r->summary);
    size_t count = 0;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        count += haft__str_starts_with(line, HAFT__LIT("answered by=\"test\""))
                 || haft__str_starts_with(line, HAFT__LIT("cancel_asked"))
                 || haft__str_starts_with(line, HAFT__LIT("limit_reached"));
    }
    return count;
}

haft_status help_scenario_play(const help_scenario *scenario, help_run *r)
{
    size_t skipped = actions_done(r);
    haft_status status =
        r->drive.run.seq == 0 ? help_run_go(r) : haft__drive_on(&r->drive, &r->err);
    haft_str rest = scenario->actions;
    while (rest.len > 0 && status == HAFT_OK) {
        haft_str action = haft__str_split(&rest, '\n');
        bool of_clock = haft__str_starts_with(action, HAFT__LIT("at "));
        if (skipped > 0) {
            skipped -= !of_clock;
        } else {
            status = act(r, action);
        }
    }
    return status;
}

haft_str help_scenario_log(const help_scenario *scenario)
{
    help_run r;
    help_run_init_str(&r, scenario->spec, scenario->script);
    CHECK_INT(help_scenario_play(scenario, &r), HAFT_OK, "%s: %s %s", scenario->path, r.err.where,
              r.err.message);
    haft_str log = help_keep(haft__buf_str(&r.log));
    help_run_finish(&r);
    return log;
}

bool help_renew(const char *path, haft_str found)
{
    if (getenv("HAFT_RENEW") == NULL) {
        return false;
    }
    char whole[4096];
    (void)snprintf(whole, sizeof(whole), "%s/%s", root(), path);
    FILE *file = fopen(whole, "wbe");
    CHECK(file != NULL && fwrite(found.ptr, 1, found.len, file) == found.len, "cannot write %s",
          whole);
    if (file != NULL) {
        (void)fclose(file);
    }
    return true;
}
