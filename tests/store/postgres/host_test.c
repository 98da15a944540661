/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: URLs with several hosts. */
#include "store/postgres/proxy_help.h"

TEST(lists_of_hosts_are_rotated)
{
    static const struct {
        const char *list;
        unsigned by, count;
        const char *wanted;
    } cases[] = {
        {"a,b,c", 0, 3, "a,b,c"}, {"a,b,c", 1, 3, "b,c,a"}, {"a,b,c", 2, 3, "c,a,b"},
        {"a,b,c", 3, 3, "a,b,c"}, {"a,b,c", 7, 3, "b,c,a"}, {"5432", 1, 3, "5432"},
        {",5", 1, 2, "5,"},       {"5,", 1, 2, ",5"},       {"", 1, 2, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf rotated;
        haft__buf_init(&rotated, 100);
        haft__pg_host_list_rotate(&rotated, cases[i].list, cases[i].by, cases[i].count);
        CHECK_INT(rotated.status, HAFT_OK, "case %zu", i);
        CHECK_STR(haft__str(rotated.ptr), haft__str(cases[i].wanted), "case %zu", i);
        haft__buf_finish(&rotated);
    }
    CHECK_INT(haft__pg_host_count(NULL), 0, "no hosts");
    CHECK_INT(haft__pg_host_count("a,,b"), 3, "an empty entry counts as a host");
}

TEST(display_names_have_every_host_and_port)
{
    static const struct {
        const char *url, *display_name;
    } cases[] = {
        {"postgres://u:p@h/d", "postgres://h/d"},
        {"postgres://u:p@h:5/d", "postgres://h:5/d"},
        {"postgres://u:p@h:5,i:6/d", "postgres://h:5,i:6/d"},
        {"postgres://h,i:6/d", "postgres://h,i:6/d"},
        {"postgres:///d?host=h,i&port=7", "postgres://h:7,i:7/d"},
        {"postgres:///d?hostaddr=127.0.0.1&port=7", "postgres://127.0.0.1:7/d"},
        {"postgres:///d", "postgres:///d"},
    };
    haft__pg pg = {.url = NULL};
    if (haft__libpq_load(&pg.lib, NULL) != HAFT_OK) {
        test_skip("there is no libpq");
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        pg.options = pg.lib->conninfoParse(cases[i].url, NULL);
        const char *host = haft__pg_conninfo_option(&pg, "host");
        pg.hosts =
            haft__pg_host_count(host != NULL ? host : haft__pg_conninfo_option(&pg, "hostaddr"));
        haft__pg_set_display_name(&pg);
        CHECK_STR(haft__str(pg.display_name), haft__str(cases[i].display_name), "%s", cases[i].url);
        pg.lib->conninfoFree(pg.options);
    }
}

/* A host that accepts and stays silent does not prevent the use of the next one. */
TEST(the_next_host_is_used_after_a_silent_one)
{
    help_proxy proxy;
    help_store s;
    if (!help_proxy_start(&proxy)) {
        return;
    }
    const char *real = strstr(help_pg_url(), "?host=") + strlen("?host=");
    help_store_open(&s, "postgres");
    help_store_shut(&s);
    (void)snprintf(s.url, sizeof(s.url), "%.1000s,%.1000s&connect_timeout=1", proxy.url, real);
    proxy.repeat = 100;
    help_proxy_expect(&proxy, HELP_SILENCE, "haft");
    help_store_reopen(&s);
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n"), "events");
    CHECK_INT(proxy.happened, 1, "the silent host was tried");
    CHECK_INT(help_pg(&s)->host, 1, "the working host is tried first from now on");
    help_store_close(&s);
    help_proxy_stop(&proxy);
}
