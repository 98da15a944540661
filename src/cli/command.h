/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/command.h - the commands of haft, as a table.
 *
 * A command is one file, commands/<name>.c ('_' where the name has '-'), that defines `const
 * haft__command haft__cmd_<name>`, and one row in HAFT__COMMANDS below (and the file's name in
 * src/meson.build). Help, usage errors and the lookup of a command all use the table. version.c is
 * a small command to start from.
 */
#ifndef HAFT_CLI_COMMAND_H
#define HAFT_CLI_COMMAND_H

#include <stdio.h>

#include "base/id.h"
#include "cli/args.h"
#include "cli/exit_status.h"

/* In the order of the help. */
#define HAFT__COMMANDS(X)                                                                          \
    X(run)                                                                                         \
    X(ask)                                                                                         \
    X(chat)                                                                                        \
    X(explain)                                                                                     \
    X(check)                                                                                       \
    X(tools)                                                                                       \
    X(runs)                                                                                        \
    X(pending)                                                                                     \
    X(answer)                                                                                      \
    X(approve)                                                                                     \
    X(reject)                                                                                      \
    X(approvals)                                                                                   \
    X(resume)                                                                                      \
    X(cancel)                                                                                      \
    X(worker)                                                                                      \
    X(migrate)                                                                                     \
    X(parse)                                                                                       \
    X(render)                                                                                      \
    X(validate)                                                                                    \
    X(search)                                                                                      \
    X(sql)                                                                                         \
    X(graph)                                                                                       \
    X(mcp)                                                                                         \
    X(serve)                                                                                       \
    X(token)                                                                                       \
    X(mock_model)                                                                                  \
    X(models)                                                                                      \
    X(sandbox)                                                                                     \
    X(doctor)                                                                                      \
    X(bench)                                                                                       \
    X(completion)                                                                                  \
    X(help)                                                                                        \
    X(version)

/* The context of a command. */
typedef struct haft__cli {
    FILE *out;         /* for results; the caller checks at the end whether writing succeeded */
    FILE *errors;      /* for problems of files, and progress */
    haft__arena arena; /* lives as long as the command runs */
    struct haft__config *config; /* settings from files (cli/config/config.h); NULL: not read */
    haft_error problem;          /* an error that was already printed, for --json */
    bool answered;               /* the JSON object has been printed */
    const struct haft__services *services; /* the servers that commands run */
    char run[HAFT__ID_LENGTH + 1]; /* the run that the command is about, once known; or "" */
} haft__cli;

/* Runs the command. `err` is zeroed before the call. On failure the function sets it, and the
 * caller prints it; an error without a message is not printed. */
typedef haft__exit_status haft__command_handler(haft__cli *cli, const haft__args *args,
                                                haft_error *err);

/* A subcommand; the row after the last has no name. */
typedef struct haft__subcommand {
    const char *name;
    const char *usage;   /* the arguments after the name */
    const char *summary; /* one line, lower case, no full stop */
} haft__subcommand;

/* The row after the last has no command line. tests/cli/help_test.py runs every example. */
typedef struct haft__example {
    const char *line;    /* the command line */
    const char *summary; /* one line, lower case, no full stop */
} haft__example;

/* The exit statuses of commands that continue a run; other commands list their own. */
#define HAFT__RUN_EXIT_STATUSES "0 1 2 3 4 5 6 7 130"

typedef struct haft__command {
    const char *name;
    const char *usage;                   /* its arguments: "SCHEMA INSTANCE"; "" for none */
    const char *summary;                 /* one line, lower case, no full stop */
    const char *help;                    /* a paragraph or more, each line ended; "" for none */
    const haft__option *options;         /* NULL for none */
    const haft__subcommand *subcommands; /* NULL for none */
    const haft__example *examples;       /* NULL for none */
    const char *exits;           /* numbers of exit_status.h, separated by spaces; NULL: "0 1 2" */
    size_t min_words, max_words; /* number of arguments */
    haft__command_handler *run;
    bool result; /* with --json, it prints the result of a run as one object, even on failure */
    bool object; /* with --json, it prints its own objects, or an object with `error` */
    bool examines_config; /* runs also if a settings file has errors, and reports them */
    bool hidden;          /* not shown in the list of commands */
} haft__command;

#define X(name) extern const haft__command haft__cmd_##name;
HAFT__COMMANDS(X)
#undef X

/* The table, in its order. */
const haft__command *const *haft__command_table(size_t *ret_count);

/* Finds a command. If `name` is unknown, returns NULL and a BAD_INPUT error that suggests the
 * nearest name. */
const haft__command *haft__command_find(const char *name, haft_error *err);

/* Runs a complete command line; argv[0] is ignored. `services` are the servers that commands run.
 * Errors are printed to `errors`. */
haft__exit_status haft__cli_run(int argc, char *const *argv, const struct haft__services *services,
                                FILE *out, FILE *errors);

/* The --help option, which every command has and no table lists. */
extern const haft__option haft__option_help;

/* Calls `visit` for each exit status of a command, in ascending order. */
void haft__command_each_exit_status(const haft__command *command,
                                    void (*visit)(void *context, int number, const char *text),
                                    void *context);

/* The output of `haft --help` and `haft help COMMAND`. */
void haft__help_print_all(FILE *out);
void haft__help_print_command(FILE *out, const haft__command *command);

/* The same for man(1): haft.1, or haft-COMMAND.1. */
void haft__manual_print_all(FILE *out);
void haft__manual_print_command(FILE *out, const haft__command *command);

/* Prints docs/commands.md. */
void haft__reference_print(FILE *out);

#endif
