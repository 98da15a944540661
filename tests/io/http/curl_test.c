/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/http/curl.c: addresses, proxies, TLS. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/http_help.h"
#include "test.h"

static const haft__http_client_options anywhere = {.public_only = false};

static void check_end(const web_record *record, haft__http_outcome wanted, const char *what)
{
    CHECK_STR(haft__str(haft__http_outcome_name(record->end)),
              haft__str(haft__http_outcome_name(wanted)), "%s: %s", what, record->message);
}

/* ---- addresses ---- */

TEST(private_addresses_are_rejected)
{
    web_fixture b = web_set_up(&(haft__http_client_options){.public_only = true});
    static const char *const hosts[] = {
        "127.0.0.1",
        "localhost",
        "127.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "inside.test",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "10.0.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "192.168.1.1",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "LOCALHOST",
    };
    for (size_t i = 0; i < COUNT(hosts); i++) {
        char url[128];
        (void)snprintf(url, sizeof(url), "http://%s:%u/", hosts[i], web_port(b.web));
        haft__http_request request = web_get(url);
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, HAFT__HTTP_REFUSED, url);
        CHECK(!record.sent, "%s: sent", url);
    }
    CHECK_INT(web_connections(b.web), 0, "connections");
    web_tear_down(&b);
}

/* This shows that the check above works: without the rule the same names are reachable. */
TEST(without_the_rule_the_same_addresses_are_reached)
{
    web_fixture b = web_set_up(&anywhere);
    static const char *const hosts[] = {"127.0.0.1", "0x7f.1", "2130706433", "inside.test",
                                        "[::ffff:127.0.0.1]"};
    for (size_t i = 0; i < COUNT(hosts); i++) {
        char url[128];
        (void)snprintf(url, sizeof(url), "http://%s:%u/", hosts[i], web_port(b.web));
        haft__http_request request = web_get(url);
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, HAFT__HTTP_OK, url);
    }
    web_tear_down(&b);
}

TEST(proxies_of_the_environment_are_ignored_by_default)
{
    web_fixture b = web_set_up(&anywhere);
    haft__http_client *with = NULL;
    (void)setenv("http_proxy", web_url(b.web, ""), 1);
    CHECK_INT(
        haft__http_client_create(b.loop, &(haft__http_client_options){.proxy = true}, &with, NULL),
        HAFT_OK, "no client");
    haft__http_request request = web_get("http://gone.test/");
    web_record record;
    (void)web_fetch(b.loop, b.http, &request, &record);
    check_end(&record, HAFT__HTTP_RESOLVE, "a client without a proxy");
    CHECK_INT(web_requests(b.web), 0, "requests");
    (void)web_fetch(b.loop, with, &request, &record);
    check_end(&record, HAFT__HTTP_OK, "a client with a proxy");
    CHECK_INT(web_requests(b.web), 1, "requests");
    (void)unsetenv("http_proxy");
    haft__http_client_destroy(with);
    web_tear_down(&b);
}

static void make_both(void)
{
    haft__loop *loop = NULL;
    haft__http_client *http = NULL;
    haft__http_client_options both = {.public_only = true, .proxy = true};
    (void)!haft__loop_create(&loop, NULL);
    (void)!haft__http_client_create(loop, &both, &http, NULL);
}

TEST(a_proxy_and_public_addresses_exclude_each_other)
{
    CHECK(test_aborts(make_both), "a client with both options was created");
}

/* ---- TLS, with a server and a certificate of openssl ---- */

typedef struct secure {
    char folder[32], certificate[64];
    pid_t child;
    unsigned port;
} secure;

static void write_file(const secure *s, const char *name, const char *text)
{
    char path[96];
    (void)snprintf(path, sizeof(path), "%s/%s", s->folder, name);
    FILE *file = fopen(path, "we");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        abort();
    }
}

static bool make_certificate(secure *s)
{
    char command[512];
    (void)snprintf(s->folder, sizeof(s->folder), "/tmp/haft-tls-XXXXXX");
    if (mkdtemp(s->folder) == NULL) {
        return false;
    }
    (void)snprintf(s->certificate, sizeof(s->certificate), "%s/cert.pem", s->folder);
    (void)snprintf(command, sizeof(command),
                   "cd %s && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
                   "-nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=haft-test "
                   "-addext subjectAltName=IP:127.0.0.1 >log 2>&1",
                   s->folder);
    return system(command) == 0; /* NOLINT: the command has no input from outside */
}

/* Starts the server; it prints its port. */
static bool start_server(secure *s)
{
    int out[2];
    char line[256];
    char shell[] = "sh", option[] = "-c";
    char command[] = "exec openssl s_server -HTTP -accept 127.0.0.1:0 -key key.pem -cert cert.pem";
    char *const argv[] = {shell, option, command, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(out, O_CLOEXEC) != 0) {
        return false;
    }
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addchdir_np(&actions, s->folder);
    (void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawnp(&s->child, "sh", &actions, NULL, argv, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(out[1]);
    FILE *output = fdopen(out[0], "r");
    while (started && s->port == 0 && fgets(line, sizeof(line), output) != NULL) {
        const char *at = strncmp(line, "ACCEPT", 6) == 0 ? strrchr(line, ':') : NULL;
        s->port = at != NULL ? (unsigned)strtoul(at + 1, NULL, 10) : 0;
    }
    (void)fclose(output);
    return s->port != 0;
}

static void stop_server(secure *s)
{
    char command[64];
    if (s->child > 0) {
        (void)kill(s->child, SIGKILL);
        (void)waitpid(s->child, NULL, 0);
    }
    (void)snprintf(command, sizeof(command), "rm -rf %s", s->folder);
    CHECK_INT(system(command), 0, "the directory was not removed"); /* NOLINT */
}

TEST(certificates_are_checked)
{
    secure s = {.port = 0};
    if (!make_certificate(&s) || !start_server(&s)) {
        stop_server(&s);
        test_skip("no openssl on this machine");
        return;
    }
    write_file(&s, "ok", WEB_OK(2) "ok");
    write_file(&s, "down", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n");
    const struct {
        const char *ca_file, *host, *path;
        haft__http_outcome wanted;
    } rows[] = {
        {NULL, "127.0.0.1", "ok", HAFT__HTTP_TLS}, /* self-signed */
        {"/dev/null", "127.0.0.1", "ok", HAFT__HTTP_TLS},
        {s.certificate, "inside.test", "ok", HAFT__HTTP_TLS}, /* another name */
        {s.certificate, "127.0.0.1", "ok", HAFT__HTTP_OK},
        {s.certificate, "127.0.0.1", "down", HAFT__HTTP_REFUSED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        web_fixture b = web_set_up(&(haft__http_client_options){.ca_file = rows[i].ca_file});
        char url[128];
        (void)snprintf(url, sizeof(url), "https://s3cret@%s:%u/%s", rows[i].host, s.port,
                       rows[i].path);
        web_route_redirect(b.web, "/up", "302 Found", url);
        const char *const from[] = {url, web_url(b.web, "/up")};
        for (size_t k = 0; k < COUNT(from); k++) {
            haft__http_request request = web_get(from[k]);
            request.max_redirects = 3;
            web_record record;
            (void)web_fetch(b.loop, b.http, &request, &record);
            check_end(&record, rows[i].wanted, url);
            CHECK_INT(record.sent, rows[i].wanted != HAFT__HTTP_TLS || k == 1, "row %zu: sent", i);
            CHECK(strstr(record.message, "s3cret") == NULL, "%s", record.message);
        }
        web_tear_down(&b);
    }
    stop_server(&s);
}
