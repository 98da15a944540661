/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/config/config.h - settings from configuration files. docs/config.md documents them.
 *
 *     haft.config.yaml                   project: in the working directory or a parent of it
 *     $XDG_CONFIG_HOME/haft/config.yaml  user
 *     .env                               variables: next to haft.config.yaml, or in the working
 *                                        directory
 *
 * Precedence: option, environment, project, user. Only the command reads these files; the library
 * does not.
 */
#ifndef HAFT_CLI_CONFIG_CONFIG_H
#define HAFT_CLI_CONFIG_CONFIG_H

#include "cli/command.h"
#include "cli/config/dotenv.h"
#include "cli/config/trusted_file.h"
#include "engine/runtime.h"

/* A row of the option tables of all commands that read settings. */
#define HAFT__OPTION_NO_CONFIG                                                                     \
    {                                                                                              \
        "no-config", 0, HAFT__OPTION_FLAG, NULL,                                                   \
            "do not read haft.config.yaml, config.yaml or .env"                                    \
    }

#define HAFT__SETTINGS(X)                                                                          \
    X(model, "HAFT_MODEL", "offline")                                                              \
    X(store, "HAFT_STORE", "haft/haft.db in your state directory")                                 \
    X(plain, "HAFT_PLAIN", "false")                                                                \
    X(lease, "HAFT_LEASE", "30s")                                                                  \
    X(artifacts, "HAFT_ARTIFACTS", "none are written")

typedef enum haft__setting_id {
#define X(name, variable, fallback) HAFT__SETTING_##name,
    HAFT__SETTINGS(X)
#undef X
} haft__setting_id;

enum { HAFT__SETTING_COUNT = HAFT__SETTING_artifacts + 1 };

typedef struct haft__setting {
    const char *value; /* NULL: not set */
    const char *from;  /* "--store", "HAFT_STORE", the path of a file, or "default" */
} haft__setting;

/* A file that haft searched for. */
typedef struct haft__config_file {
    const char *kind; /* "project", "user" or ".env" */
    const char *path; /* NULL: its directory is unknown */
    haft__trust trust;
    const char *why; /* reason for a refusal */
    bool bad;        /* the file was read, but its settings are invalid */
    const char *values[HAFT__SETTING_COUNT];
} haft__config_file;

typedef struct haft__config {
    haft__config_file project, user, dotenv_file;
    haft__dotenv dotenv;
    haft__price_table prices; /* of the user's file */
    bool off;                 /* --no-config */
    bool approvals_reported;  /* a warning about approvals.json was printed */
} haft__config;

/* Finds and reads all files into cli->config, and warns about refused files. Fails with BAD_INPUT
 * if a file has errors; these are already printed, and cli->problem has the first. */
HAFT_MUST_USE haft_status haft__config_load(haft__cli *cli, const haft__args *args,
                                            haft_error *err);

/* Returns a setting and its source. */
haft__setting haft__config_get(const haft__cli *cli, const haft__args *args, haft__setting_id name);
bool haft__config_is_plain(const haft__cli *cli, const haft__args *args);

/* The default as text, the name, and the environment variable of a setting. */
const char *haft__setting_default_text(haft__setting_id name);
const char *haft__setting_key(haft__setting_id name);
const char *haft__setting_variable(haft__setting_id name);

/* Returns the value of a variable from the environment, or else from .env if .env may set it. Has
 * the type of haft__spec_env.get; the context is the haft__config, or NULL. */
haft_str haft__config_get_variable(void *context, haft_str name);

/* Returns the environment for a runtime: the variables, and the prices. */
haft__runtime_env haft__config_env(const haft__cli *cli);

/* Returns the path of a file in the user's directory of settings; NULL if XDG_CONFIG_HOME and HOME
 * are both unset, or if out of memory. */
const char *haft__config_user_path(haft__arena *arena, const char *name);

/* The text of config.schema.json. */
haft_str haft__config_schema_text(void);

#endif
