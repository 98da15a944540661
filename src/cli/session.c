/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - opens the store and the runtime of a command. Tests: tests/cli/store_test.py. */
#include "cli/session.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/print.h"
#include "engine/ops/store_access.h"
#include "engine/telemetry/telemetry.h"
#include "io/environment.h"
#include "tool/duration.h"

#define STORE_HINT "name a store with --store: " HAFT__STORE_URLS

const char *haft__session_user(const haft__args *args)
{
    const char *user = haft__args_text(args, "user", NULL);
    return user != NULL ? user : haft__environment_get(NULL, HAFT__LIT("HAFT_USER")).ptr;
}

const char *haft__session_traceparent(void)
{
    return haft__environment_get(NULL, HAFT__LIT("TRACEPARENT")).ptr;
}

haft_status haft__session_store_url(haft__cli *cli, const haft__args *args, const char **ret_url,
                                    haft_error *err)
{
    const char *given = haft__config_get(cli, args, HAFT__SETTING_store).value;
    const char *why = NULL;
    if (given != NULL && given[0] != '\0') {
        *ret_url = given;
        return HAFT_OK;
    }
    haft_str path = haft__environment_state_path(&cli->arena, "haft.db", &why);
    if (why != NULL) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "no directory for the store: %s", why);
        return haft__hint(err, status, "%s", STORE_HINT);
    }
    haft_str url = haft__arena_format(&cli->arena, "sqlite:%s", path.ptr != NULL ? path.ptr : "");
    *ret_url = url.ptr;
    return path.ptr != NULL && url.ptr != NULL ? HAFT_OK : haft__arena_fail(&cli->arena, err);
}

/* Reads the lease in milliseconds; 0 if it is not set. */
static haft_status read_lease(haft__cli *cli, const haft__args *args, uint64_t *ret_ms,
                              haft_error *err)
{
    haft__setting lease = haft__config_get(cli, args, HAFT__SETTING_lease);
    *ret_ms = 0;
    if (lease.value == NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__duration_parse(haft__str(lease.value), ret_ms, err);
    bool fits = *ret_ms >= HAFT__LIMIT_RUN_LEASE_MIN_MS && *ret_ms <= HAFT__LIMIT_RUN_LEASE_MAX_MS;
    if (status == HAFT_OK && !fits) {
        status =
            haft__fail(err, HAFT_BAD_INPUT, "", "expected 1s to 1h, found \"%s\"", lease.value);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, lease.from);
    }
    return status;
}

/* ---- telemetry ---- */

static void warn(void *context, haft_str line)
{
    const haft__cli *cli = context;
    (void)fputs("haft: warning: ", cli->errors);
    haft__print_escaped(cli->errors, line);
    (void)fputc('\n', cli->errors);
}

static void write_log(void *context, haft_str line)
{
    const haft__cli *cli = context;
    (void)fwrite(line.ptr, 1, line.len, cli->errors);
    (void)fflush(cli->errors);
}

/* Starts the telemetry that the environment's variables ask for. */
static haft_status start_telemetry(haft__cli *cli, haft_runtime *runtime, bool metrics,
                                   haft_error *err)
{
    haft__telemetry_output output = {warn, write_log, cli};
    return haft__telemetry_start(runtime, &runtime->env, &output, metrics, err);
}

haft_status haft__session_start_metrics(haft__cli *cli, haft_runtime *runtime, haft_error *err)
{
    return start_telemetry(cli, runtime, true, err);
}

static haft_status open_store(haft__cli *cli, const haft__args *args, const char *url,
                              bool read_only, haft_runtime **ret_runtime, haft_error *err)
{
    haft_error ignored = {0};
    haft_error *found = err != NULL ? err : &ignored;
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    haft__runtime_env env = haft__config_env(cli);
    env.read_only_store = read_only;
    options.store = url;
    haft_status status = read_lease(cli, args, &options.lease_ms, found);
    if (status != HAFT_OK) {
        return status;
    }
    haft_runtime *runtime = NULL;
    status = haft__store_access_as_io_error(haft__runtime_create(&options, &env, &runtime, found),
                                            found);
    if (status == HAFT_OK) {
        status = start_telemetry(cli, runtime, false, found);
    }
    if (status != HAFT_OK) {
        haft_runtime_destroy(runtime);
        return status;
    }
    *ret_runtime = runtime;
    return HAFT_OK;
}

haft_status haft__session_open(haft__cli *cli, const haft__args *args, haft_runtime **ret_runtime,
                               haft_error *err)
{
    const char *url = NULL;
    haft_status status = haft__session_store_url(cli, args, &url, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = open_store(cli, args, url, false, ret_runtime, err);
    bool by_default = haft__config_get(cli, args, HAFT__SETTING_store).value == NULL;
    if (status == HAFT_IO && by_default && err != NULL && err->hint[0] == '\0') {
        status = haft__hint(err, status, "%s",
                            STORE_HINT); /* for example, the home directory cannot be written */
    }
    return status;
}

haft_status haft__session_open_existing(haft__cli *cli, const haft__args *args,
                                        haft_runtime **ret_runtime, haft_error *err)
{
    const char *url = NULL;
    haft_status status = haft__session_store_url(cli, args, &url, err);
    const char *missing = status == HAFT_OK ? haft__store_access_missing_file(url) : NULL;
    if (missing != NULL) {
        status = haft__fail(err, HAFT_IO, missing, "the store does not exist");
        return haft__hint(err, status,
                          "the first `haft run` creates it; --store names another store");
    }
    return status == HAFT_OK ? open_store(cli, args, url, true, ret_runtime, err) : status;
}

haft_status haft__session_store_execute(haft__cli *cli, haft_runtime *runtime,
                                        haft__store_request *request, haft_error *err)
{
    return haft__store_access_execute(runtime, &cli->arena, request, err);
}

bool haft__session_is_store_error(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *url = NULL;
    bool known = err->where[0] != '\0' && haft__session_store_url(cli, args, &url, NULL) == HAFT_OK;
    const char *path = known ? haft__store_url_path(url) : NULL;
    haft_str where =
        haft__str(err->where); /* errors of PostgreSQL have the address of the server */
    bool is_store = path != NULL ? strcmp(err->where, path) == 0
                                 : known && haft__str_starts_with(where, HAFT__LIT("postgres://"));
    if (is_store) {
        (void)haft__store_access_as_io_error(err->status, err);
    }
    return is_store;
}

haft__exit_status haft__session_exit_status(haft_status status)
{
    bool usage = status == HAFT_BAD_INPUT || status == HAFT_NOT_FOUND || status == HAFT_UNSUPPORTED
                 || status == HAFT_TOO_BIG;
    return usage ? HAFT__EXIT_USAGE : HAFT__EXIT_FAILED;
}

haft__exit_status haft__session_agent_exit_status(haft_status status)
{
    return status == HAFT_IO ? HAFT__EXIT_USAGE : haft__session_exit_status(status);
}
