/* SPDX-License-Identifier: Apache-2.0 */
/* approvals.c - `haft approvals`: lists and revokes the standing approvals of the user. Tests:
 * tests/cli/approvals_test.py. */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/config/user_approvals.h"
#include "cli/terminal/print.h"
#include "json/object.h"

static haft__exit_status exit_status(haft_status status)
{
    return status == HAFT_OK                                      ? HAFT__EXIT_DONE
           : status == HAFT_BAD_INPUT || status == HAFT_NOT_FOUND ? HAFT__EXIT_USAGE
                                                                  : HAFT__EXIT_FAILED;
}

/* ---- list ---- */

static void add_item(haft__json_writer *w, const haft__user_approval *approval)
{
    haft__json_begin_object(w);
    haft__field_text(w, "id", (haft_str){approval->hash.ptr, HAFT__USER_APPROVAL_ID_LENGTH});
    haft__field_text(w, "tool", approval->tool);
    haft__field_text(w, "source", approval->source);
    haft__field_text_or_null(w, "directory", approval->directory);
    haft__field_flag(w, "destructive", approval->destructive);
    haft__field_text(w, "since", approval->since);
    haft__json_end_object(w);
}

static haft_status print_json(haft__cli *cli, const haft__user_approvals *approvals,
                              haft_error *err)
{
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "approvals");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < approvals->count; i++) {
        add_item(&w, &approvals->items[i]);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft__buf_add_char(&text, '\n');
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        haft__print_json(cli->out, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
    return status;
}

static void print_line(FILE *out, const haft__user_approval *approval)
{
    (void)fprintf(out, "%.*s  ", HAFT__USER_APPROVAL_ID_LENGTH, approval->hash.ptr);
    haft_str day = approval->since; /* the time of day is in the JSON */
    haft__print_escaped(out, haft__str_split(&day, 'T'));
    (void)fputs("  ", out);
    haft__print_escaped(out, approval->tool);
    (void)fputs("  ", out);
    haft__print_escaped(out, approval->source);
    (void)fputs(approval->destructive ? "  destructive" : "", out);
    if (approval->directory.len > 0) {
        (void)fprintf(out, "\n%*s  in ", HAFT__USER_APPROVAL_ID_LENGTH, "");
        haft__print_escaped(out, approval->directory);
    }
    (void)fputc('\n', out);
}

static haft_status list(haft__cli *cli, const haft__args *args, const char *path, haft_error *err)
{
    haft__user_approvals approvals;
    haft_status status = haft__user_approvals_read(&cli->arena, path, &approvals, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (haft__args_has(args, "json")) {
        return print_json(cli, &approvals, err);
    }
    for (size_t i = 0; i < approvals.count; i++) {
        print_line(cli->out, &approvals.items[i]);
    }
    if (approvals.count == 0) {
        (void)fputs("No standing approvals.\n", cli->errors);
    }
    return HAFT_OK;
}

/* ---- revoke ---- */

static haft_status revoke(haft__cli *cli, const haft__args *args, const char *path, haft_error *err)
{
    const char *id = args->word_count > 1 ? args->words[1] : "";
    bool all = haft__args_has(args, "all");
    size_t removed = 0;
    if (all == (id[0] != '\0')) {
        return haft__fail(err, HAFT_BAD_INPUT, "revoke", "expected either an ID or --all");
    }
    if (!all && strlen(id) < HAFT__USER_APPROVAL_ID_LENGTH) {
        return haft__fail(err, HAFT_BAD_INPUT, "revoke", "expected the %d digits of an ID",
                          HAFT__USER_APPROVAL_ID_LENGTH);
    }
    haft_status status = haft__user_approvals_remove(path, haft__str(id), &removed, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (!all && removed == 0) {
        status = haft__fail(err, HAFT_NOT_FOUND, id, "no standing approval has this ID");
        return haft__hint(err, status, "`haft approvals` lists them");
    }
    if (haft__args_has(args, "json")) {
        (void)fprintf(cli->out, "{\"revoked\":%zu}\n", removed);
    } else {
        (void)fprintf(cli->out, "revoked %zu\n", removed);
    }
    return HAFT_OK;
}

/* ---- the command ---- */

static const haft__subcommand rows[] = {
    {"list", "", "list the standing approvals, the oldest first"},
    {"revoke", "[ID]", "revoke a standing approval, or all with --all"},
    {0},
};

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *name = args->word_count > 0 ? args->words[0] : "list";
    const char *path = haft__config_user_path(&cli->arena, "approvals.json");
    bool revokes = strcmp(name, "revoke") == 0;
    if (!revokes && (strcmp(name, "list") != 0 || args->word_count > 1)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "expected list or revoke, found '%s'",
                       args->word_count > 1 ? args->words[1] : name);
        (void)haft__hint(err, status, "see 'haft help approvals'");
        return HAFT__EXIT_USAGE;
    }
    if (path == NULL) {
        (void)haft__fail(err, HAFT_IO, "", "no directory for settings: HOME is not set");
        return HAFT__EXIT_FAILED;
    }
    return exit_status((revokes ? revoke : list)(cli, args, path, err));
}

static const haft__option options[] = {
    {"all", 0, HAFT__OPTION_FLAG, NULL, "with revoke: all standing approvals"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    {0},
};

static const haft__example examples[] = {
    {"haft approvals", "list the standing approvals"},
    {"haft approvals revoke --all", "ask again before every call"},
    {0},
};

const haft__command haft__cmd_approvals = {
    .name = "approvals",
    .usage = "[list | revoke ID]",
    .summary = "list and revoke standing approvals",
    .help = "`A` at an approval adds a standing approval: later calls of the tool run without a\n"
            "question, in all your runs, until the tool or its server changes. For a tool that\n"
            "starts a program the approval also depends on the directory of the spec.\n",
    .options = options,
    .subcommands = rows,
    .examples = examples,
    .min_words = 0,
    .max_words = 2,
    .run = run,
    .object = true,
};
