/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - opens what a command works with. Tests: tests/cli/store_test.py. */
#include "cli/session.h"

#include <stdlib.h>

#include "base/error.h"

haft_status haft__session_store(haft__cli *cli, const haft__args *args, const char **ret_url,
                                haft_error *err)
{
    const char *given = haft__config_get(cli, args, HAFT__SETTING_store).value;
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    haft_str url;
    if (given != NULL && given[0] != '\0') {
        *ret_url = given;
        return HAFT_OK;
    }
    if (state != NULL && state[0] == '/') {
        url = haft__arena_format(&cli->arena, "sqlite:%s/haft/haft.db", state);
    } else if (home != NULL && home[0] == '/') {
        url = haft__arena_format(&cli->arena, "sqlite:%s/.local/state/haft/haft.db", home);
    } else {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                        "there is no place for a store: "
                                        "neither XDG_STATE_HOME nor HOME is set");
        return haft__hint(err, status,
                          "--store sqlite:PATH names one, --store memory: does "
                          "without");
    }
    *ret_url = url.ptr;
    return url.ptr != NULL ? HAFT_OK : haft__arena_fail(&cli->arena, err);
}

haft_status haft__session_open(haft__cli *cli, const haft__args *args, haft_runtime **ret_runtime,
                               haft_error *err)
{
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    haft__runtime_env env = haft__config_env(cli);
    haft_status status = haft__session_store(cli, args, &options.store, err);
    return status == HAFT_OK ? haft__runtime_create(&options, &env, ret_runtime, err) : status;
}

haft_status haft__session_ask(haft__cli *cli, haft_runtime *runtime, haft__store_request *request,
                              haft_error *err)
{
    request->arena = &cli->arena;
    request->now_ms = haft__runtime_now(runtime);
    return haft__store_wait(runtime->store, request, err);
}

haft__exit haft__session_exit(haft_status status)
{
    bool usage = status == HAFT_BAD_INPUT || status == HAFT_NOT_FOUND || status == HAFT_UNSUPPORTED
                 || status == HAFT_TOO_BIG;
    return usage ? HAFT__EXIT_USAGE : HAFT__EXIT_FAILED;
}
