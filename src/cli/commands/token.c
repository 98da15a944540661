/* SPDX-License-Identifier: Apache-2.0 */
/* token.c - `haft token`: the tokens of a server, in a file. Tests: tests/cli/token_test.py. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/terminal/print.h"
#include "engine/access/token.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/random.h"
#include "tool/duration.h"

#define PREFIX "haft_"
enum { TOKEN_BYTES = 32 };

typedef struct token_request {
    haft__cli *cli;
    const haft__args *args;
    const char *path;
    haft__token_set set;
    haft_error *err;
} token_request;

/* ---- the file ---- */

/* A file that does not exist has no tokens. */
static haft_status read_file(token_request *r, bool may_be_missing)
{
    struct stat info;
    haft_str text = {NULL, 0};
    if (may_be_missing && stat(r->path, &info) != 0) {
        return HAFT_OK;
    }
    haft_status status = haft__file_read_arena(&r->cli->arena, r->path,
                                               HAFT__LIMIT_SERVE_TOKEN_FILE_BYTES, &text, r->err);
    haft_str begin = haft__str_trim(text);
    if (status == HAFT_OK && begin.len > 0 && *begin.ptr != '{') {
        status = haft__fail(r->err, HAFT_BAD_INPUT, r->path,
                            "it has a plain token, which only its owner can change");
        return haft__hint(r->err, status, "name another file with --token-file");
    }
    if (status == HAFT_OK) {
        status = haft__token_read(&r->cli->arena, text, haft__random_hash_key(), &r->set, r->err);
        if (status != HAFT_OK) {
            haft__error_prepend_location(r->err, r->path);
        }
    }
    return status;
}

/* Writes all tokens except `without`, then `added`; both may be NULL. */
static haft_status write_file(token_request *r, const haft__token *without,
                              const haft__token *added)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SERVE_TOKEN_FILE_BYTES);
    for (size_t i = 0; i < r->set.count; i++) {
        if (&r->set.items[i] != without) {
            haft__token_write(&text, &r->set.items[i]);
        }
    }
    if (added != NULL) {
        haft__token_write(&text, added);
    }
    haft_status status = haft__buf_check(&text, r->err);
    if (status == HAFT_OK) { /* readable only for its owner */
        status = haft__file_replace(r->path, haft__buf_str(&text), r->err);
    }
    haft__buf_finish(&text);
    return status;
}

static const haft__token *find(const token_request *r, haft_str name)
{
    for (size_t i = 0; i < r->set.count; i++) {
        if (haft__str_equal(r->set.items[i].principal.name, name)) {
            return &r->set.items[i];
        }
    }
    return NULL;
}

/* ---- create ---- */

static haft_status read_roles(const char *text, unsigned *ret_roles, haft_error *err)
{
    haft_str rest = haft__str(text);
    *ret_roles = 0;
    while (rest.len > 0) {
        haft_str name = haft__str_trim(haft__str_split(&rest, ','));
        haft__role role = haft__role_find(name);
        if (role == HAFT__ROLE_NONE) {
            return haft__fail(err, HAFT_BAD_INPUT, "--roles",
                              "expected read, run, answer, admin or metrics, found '%.*s'",
                              HAFT__ARG(name));
        }
        *ret_roles |= role;
    }
    return HAFT_OK;
}

static haft_status read_expiry(const token_request *r, uint64_t *ret_ms)
{
    const char *text = haft__args_text(r->args, "expires", NULL);
    uint64_t ms = 0;
    *ret_ms = 0;
    if (text == NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__duration_parse(haft__str(text), &ms, r->err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(r->err, "--expires");
    }
    *ret_ms = haft__clock_now() + ms;
    return status;
}

static haft_status make_token(token_request *r, haft__token *ret_token, char secret[128])
{
    uint8_t random[TOKEN_BYTES];
    char digits[2 * TOKEN_BYTES + 1], *created;
    haft__token *token = ret_token;
    haft_str name = haft__str(r->args->words[1]);
    token->principal.name = name;
    token->principal.user = haft__str(haft__args_text(r->args, "user", r->args->words[1]));
    token->principal.all_users = haft__args_has(r->args, "all-users");
    if (name.len == 0 || find(r, name) != NULL) {
        return haft__fail(r->err, HAFT_BAD_INPUT, "", "a token '%.*s' already exists",
                          HAFT__ARG(name));
    }
    if (r->set.count >= HAFT__LIMIT_SERVE_TOKENS) {
        return haft__fail(r->err, HAFT_TOO_BIG, r->path, "expected at most %d tokens",
                          HAFT__LIMIT_SERVE_TOKENS);
    }
    if (!haft__random_bytes(random, sizeof(random))) {
        return haft__fail(r->err, HAFT_IO, "", "the system has no random bytes");
    }
    created = haft__arena_alloc(&r->cli->arena, HAFT__TIME_SIZE);
    if (created == NULL) {
        return haft__arena_fail(&r->cli->arena, r->err);
    }
    haft__hex_write(digits, random, sizeof(random));
    digits[2 * TOKEN_BYTES] = '\0';
    (void)snprintf(secret, 128, PREFIX "%s", digits);
    haft__sha256_hex(haft__str(secret), token->sha256);
    haft__time_format(haft__clock_now(), created);
    token->created = haft__str(created);
    haft_status status = read_roles(haft__args_text(r->args, "roles", "read,run,answer"),
                                    &token->principal.roles, r->err);
    return status == HAFT_OK ? read_expiry(r, &token->expires_ms) : status;
}

static haft_status create(token_request *r)
{
    haft__token token = {.expires_ms = 0};
    char secret[128];
    haft_status status = read_file(r, true);
    if (status == HAFT_OK) {
        status = make_token(r, &token, secret);
    }
    if (status == HAFT_OK) {
        status = write_file(r, NULL, &token);
    }
    if (status == HAFT_OK) { /* the only time that it is shown */
        (void)fprintf(r->cli->out, "%s\n", secret);
    }
    return status;
}

/* ---- list and revoke ---- */

static void print_roles(FILE *out, unsigned roles)
{
    const char *separator = "";
    for (unsigned role = 1; role <= HAFT__ROLE_METRICS; role *= 2) {
        if ((roles & role) != 0) {
            (void)fprintf(out, "%s%s", separator, haft__role_name((haft__role)role));
            separator = ",";
        }
    }
}

static haft_status list(token_request *r)
{
    haft_status status = read_file(r, false);
    for (size_t i = 0; status == HAFT_OK && i < r->set.count; i++) {
        const haft__token *token = &r->set.items[i];
        FILE *out = r->cli->out;
        bool expired = token->expires_ms != 0 && token->expires_ms <= haft__clock_now();
        haft__print_escaped(out, token->principal.name);
        (void)fputs("  ", out);
        print_roles(out, token->principal.roles);
        (void)fputs("  ", out);
        if (token->principal.all_users) {
            (void)fputs("all users", out);
        } else {
            (void)fputs("user ", out);
            haft__print_escaped(out, token->principal.user);
        }
        (void)fputs("  ", out);
        haft__print_escaped(out, token->created);
        (void)fputs(expired ? "  expired\n" : "\n", out);
    }
    return status;
}

static haft_status revoke(token_request *r)
{
    haft_status status = read_file(r, false);
    const haft__token *token = status == HAFT_OK ? find(r, haft__str(r->args->words[1])) : NULL;
    if (status == HAFT_OK && token == NULL) {
        status = haft__fail(r->err, HAFT_NOT_FOUND, r->path, "no token '%s'", r->args->words[1]);
        return haft__hint(r->err, status, "`haft token list` shows the tokens");
    }
    return status == HAFT_OK ? write_file(r, token, NULL) : status;
}

/* ---- the command ---- */

/* Changes the file while no other command does. */
static haft_status change(token_request *r, haft_status (*perform)(token_request *r))
{
    int lock = -1;
    haft_status status = haft__file_lock(r->path, &lock, r->err);
    if (status == HAFT_OK) {
        status = perform(r);
        haft__file_unlock(lock);
    }
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    token_request request = {.cli = cli,
                             .args = args,
                             .path = haft__args_text(args, "token-file", "haft-tokens.jsonl"),
                             .err = err};
    const char *verb = args->words[0];
    bool named = args->word_count == 2;
    haft_status status;
    if (strcmp(verb, "create") == 0 && named) {
        status = change(&request, create);
    } else if (strcmp(verb, "list") == 0 && !named) {
        status = list(&request);
    } else if (strcmp(verb, "revoke") == 0 && named) {
        status = change(&request, revoke);
    } else {
        status = haft__fail(err, HAFT_BAD_INPUT, "",
                            "expected create NAME, list or revoke NAME, found '%s'", verb);
    }
    return status == HAFT_OK                               ? HAFT__EXIT_DONE
           : status == HAFT_IO || status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED
                                                           : HAFT__EXIT_USAGE;
}

static const haft__option options[] = {
    {"token-file", 0, HAFT__OPTION_TEXT, "FILE",
     "the file of the server; by default haft-tokens.jsonl"},
    {"roles", 0, HAFT__OPTION_TEXT, "NAMES",
     "read, run, answer, admin or metrics, separated by commas; by default read,run,answer"},
    {"user", 0, HAFT__OPTION_TEXT, "NAME",
     "the user whose runs it may use; by default the token's name"},
    {"all-users", 0, HAFT__OPTION_FLAG, NULL, "it may use the runs of all users"},
    {"expires", 0, HAFT__OPTION_TEXT, "TIME", "when it expires, such as 30d; by default never"},
    {0},
};

static const haft__subcommand subcommands[] = {
    {"create", "NAME", "make a token and print it; it is not shown again"},
    {"list", "", "list the tokens, without the tokens themselves"},
    {"revoke", "NAME", "remove a token; a running server rejects it from then on"},
    {0},
};

static const haft__example examples[] = {
    {"haft token create anna --token-file tokens.jsonl", "a token for the user anna"},
    {"haft token create ci --roles read --all-users --token-file tokens.jsonl",
     "a token that reads the runs of all users"},
    {0},
};

const haft__command haft__cmd_token = {
    .name = "token",
    .usage = "create|list|revoke [NAME]",
    .summary = "make, list and revoke the tokens of haft serve",
    .help =
        "The tokens of `haft serve --token-file FILE`. The file has a line for each token, with "
        "its\n"
        "SHA-256 and not the token. A running server reads a changed file again. The roles are in\n"
        "docs/security.md.\n",
    .options = options,
    .subcommands = subcommands,
    .examples = examples,
    .min_words = 1,
    .max_words = 2,
    .run = run,
};
