/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/config/config.h - settings that nobody typed: files that are found. docs/config.md is the
 * page about them.
 *
 *     haft.config.yaml                   of the project: from the working directory upwards
 *     $XDG_CONFIG_HOME/haft/config.yaml  of the user
 *     .env                               variables: beside the former, or in the working directory
 *
 * An option goes before the environment, that before the project, that before the user. Only the
 * command reads these files; the library does not know of them.
 */
#ifndef HAFT_CLI_CONFIG_CONFIG_H
#define HAFT_CLI_CONFIG_CONFIG_H

#include "cli/command.h"
#include "cli/config/dotenv.h"
#include "cli/config/trusted_file.h"
#include "engine/runtime.h"

/* The row of the option table of every command that looks at settings. */
#define HAFT__OPTION_NO_CONFIG                                                                     \
    {                                                                                              \
        "no-config", 0, HAFT__OPTION_FLAG, NULL, "read no haft.config.yaml, config.yaml and .env"  \
    }

#define HAFT__SETTINGS(X)                                                                          \
    X(model, "HAFT_MODEL", "offline")                                                              \
    X(store, "HAFT_STORE", "haft/haft.db in your state directory")                                 \
    X(plain, "HAFT_PLAIN", "false")                                                                \
    X(lease, "HAFT_LEASE", "30s")                                                                  \
    X(artifacts, "HAFT_ARTIFACTS", "none are written")

typedef enum haft__setting_id {
#define X(name, variable, otherwise) HAFT__SETTING_##name,
    HAFT__SETTINGS(X)
#undef X
} haft__setting_id;

enum { HAFT__SETTING_COUNT = HAFT__SETTING_artifacts + 1 };

typedef struct haft__setting {
    const char *value; /* NULL: nobody has set it */
    const char *from;  /* "--store", "HAFT_STORE", the path of a file, or "default" */
} haft__setting;

/* A file that was looked for. */
typedef struct haft__config_file {
    const char *kind; /* "project", "user" or ".env" */
    const char *path; /* NULL: there is no place for it */
    haft__trust trust;
    const char *why; /* it was refused */
    bool bad;        /* it was read, and its settings cannot be used */
    const char *values[HAFT__SETTING_COUNT];
} haft__config_file;

typedef struct haft__config {
    haft__config_file project, user, dotenv_file;
    haft__dotenv dotenv;
    bool off; /* --no-config */
} haft__config;

/* Finds and reads all of them into cli->config, and warns of those that are refused. BAD_INPUT when
 * one has errors: they are told already, and cli->problem has the first. */
HAFT_MUST_USE haft_status haft__config_load(haft__cli *cli, const haft__args *args,
                                            haft_error *err);

/* A setting, wherever it comes from. */
haft__setting haft__config_get(const haft__cli *cli, const haft__args *args, haft__setting_id name);
bool haft__config_is_plain(const haft__cli *cli, const haft__args *args);

/* What it is when nobody has set it, in words; its name; the variable that sets it. */
const char *haft__setting_default_text(haft__setting_id name);
const char *haft__setting_key(haft__setting_id name);
const char *haft__setting_variable(haft__setting_id name);

/* Variables: those of the environment, and behind them those of .env that may come from there. A
 * haft__spec_env's `get`; the context is the haft__config, or NULL. */
haft_str haft__config_get_variable(void *context, haft_str name);

/* The same for a runtime. */
haft__runtime_env haft__config_env(const haft__cli *cli);

/* The text of config.schema.json. */
haft_str haft__config_schema_text(void);

#endif
