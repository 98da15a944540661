/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/mcp/setup.c. */
#include "exec/mcp/mcp_int.h"

#include "exec/mcp_help.h"

static haft__mcp_connection *make_link(help_mcp *m, const char *server)
{
    char text[1024];
    haft__mcp_server_configs servers;
    haft__mcp_connection *connection = NULL;
    haft_error err = {0};
    (void)snprintf(text, sizeof(text), "{'servers':{'a':%s}}", server);
    help_mcp_servers(m, text);
    CHECK_INT(haft__mcp_server_configs_read(&m->exec.arena, m->exec.spec.mcp, &servers, &err),
              HAFT_OK, "%s", err.message);
    CHECK_INT(haft__mcp_connection_pool_get(m->exec.exec, &m->exec.spec, &servers.items[0],
                                            &connection, &err),
              HAFT_OK, "%s", err.message);
    return connection;
}

static haft_str join(help_mcp *m, const char *const *words)
{
    haft_str all = HAFT__LIT("");
    for (; *words != NULL; words++) {
        all = help_join(m, all, haft__str(*words));
    }
    return all;
}

TEST(only_literal_private_addresses_are_private)
{
    static const struct {
        const char *url;
        bool private;
    } cases[] = {
        {"http://localhost:3000/mcp", true},
        {"http://LOCALHOST/mcp", true},
        {"http://127.0.0.1/mcp", true},
        {"http://10.1.2.3:80?x", true},
        {"http://192.168.1.1#y", true},
        {"http://[::1]:3000/mcp", true},
        {"http://user:word@127.0.0.1/", true},
        {"http://169.254.169.254/latest", true},
        {"https://8.8.8.8/mcp", false},
        {"https://example.com/mcp", false},
        {"https://example.com/@127.0.0.1", false},
        {"https://localhost.example.com/", false},
        {"https://[2001:4860:4860::8888]/", false},
        {"https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
         false},
        {"", false},
        {"http://", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__mcp_setup_is_private(haft__str(cases[i].url)), cases[i].private, "%s",
                  cases[i].url);
    }
}

TEST(a_server_program_gets_its_arguments_and_a_small_environment)
{
    help_mcp m;
    haft_error err = {0};
    const char **argv = NULL, **env = NULL, *cwd = NULL;
    help_mcp_begin(&m);
    haft__mcp_connection *connection = make_link(
        &m, "{'command':['prog','${TOKEN}'],'env':{'KEY':'a ${TOKEN}','LANG':'de'},'cwd':'/tmp'}");
    CHECK_INT(haft__mcp_setup_argv(connection, &argv, &err), HAFT_OK, "%s", err.message);
    haft_str words = join(&m, argv);
    CHECK(haft__str_ends_with(words, HAFT__LIT("-- prog ${TOKEN} ")), "%.*s", HAFT__ARG(words));
    CHECK_INT(haft__mcp_setup_env(connection, &env, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(join(&m, env), HAFT__LIT("PATH=/usr/bin:/bin LANG=de HOME=/nowhere KEY=a s3cr3t "),
              "environment");
    CHECK_INT(haft__mcp_setup_cwd(connection, &cwd, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(haft__str(cwd), HAFT__LIT("/tmp"), "cwd");
    help_mcp_end(&m);
}

TEST(setup_errors_are_explained)
{
    static const struct {
        const char *server, *message;
    } cases[] = {
        {"{'command':['x'],'env':{'A':'${NOT_THERE}'}}", "NOT_THERE"},
        {"{'command':['x'],'env':{'A=B':'x'}}", "contain '='"},
        {"{'command':['x'],'cwd':'/nonexistent'}", "cannot enter the directory"},
        {"{'command':['x'],'roots':['/nonexistent']}", "does not exist"},
        {"{'command':['x\\u0000y']}", "NUL"},
        {"{'url':'http://${NOT_THERE}/'}", "NOT_THERE"},
        {"{'url':'http://localhost:9/','headers':{'A':'${NOT_THERE}'}}", "NOT_THERE"},
        {"{'url':'http://localhost:9/','headers':{'X-T':'a\\r\\nb: 1'}}",
         "the value of the header X-T contains a control character"},
    };
    help_mcp m;
    help_mcp_begin(&m);
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)make_link(&m, cases[i].server);
        help_mcp_list(&m);
        CHECK(memmem(m.errors.ptr, m.errors.len, cases[i].message, strlen(cases[i].message))
                  != NULL,
              "%s: %.*s", cases[i].server, HAFT__ARG(m.errors));
    }
    help_mcp_end(&m);
}

TEST(headers_and_roots_follow_the_configuration)
{
    help_mcp m;
    haft_error err = {0};
    const haft__mcp_root *roots = NULL;
    size_t count = 0;
    help_mcp_begin(&m);
    haft__mcp_connection *connection =
        make_link(&m, "{'url':'http://localhost:1/${HOME}','headers':{'Authorization':'Bearer "
                      "${TOKEN}'},'roots':['/tmp/../tmp']}");
    CHECK_INT(haft__mcp_setup_http(connection, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(connection->url, HAFT__LIT("http://localhost:1//nowhere"), "url");
    CHECK_INT(connection->header_count, 1, "headers");
    CHECK_STR(connection->headers[0], HAFT__LIT("Authorization: Bearer s3cr3t"), "header");
    CHECK_INT(haft__mcp_setup_roots(connection, &roots, &count, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(count, 1, "roots");
    CHECK_STR(roots[0].uri, HAFT__LIT("file:///tmp"), "uri");
    CHECK_STR(roots[0].name, HAFT__LIT("tmp"), "name");
    help_mcp_end(&m);
}
