/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.c - the hosts of a URL. libpq always tries them in order from the first, so a host that does
 * not answer would use up the time for the others. To begin with another host, haft rotates the
 * list. Tests: tests/store/postgres/host_test.c.
 */
#include "base/str.h"
#include "store/postgres/postgres_int.h"

unsigned haft__pg_host_count(const char *list)
{
    unsigned count = list != NULL && list[0] != '\0';
    for (const char *c = list; count > 0 && *c != '\0'; c++) {
        count += *c == ',';
    }
    return count;
}

void haft__pg_host_list_rotate(haft__buf *to, const char *list, unsigned by, unsigned count)
{
    haft_str all = haft__str(list != NULL ? list : ""), rest = all;
    bool turned = haft__pg_host_count(list) == count && count > 0;
    for (unsigned i = 0; turned && i < by % count; i++) {
        (void)haft__str_split(&rest, ',');
    }
    size_t passed = all.len - rest.len;
    haft__buf_add(to, all.ptr + passed, rest.len);
    if (passed > 0) {
        haft__buf_add_char(to, ',');
        haft__buf_add(to, all.ptr, passed - 1);
    }
    haft__buf_add_char(to, '\0');
}

const char *haft__pg_conninfo_option(const haft__pg *pg, const char *keyword)
{
    const PQconninfoOption *option = pg->options;
    while (option->keyword != NULL && strcmp(option->keyword, keyword) != 0) {
        option++;
    }
    return option->keyword != NULL ? option->val : NULL;
}

/* The element with this index, or the only one. */
static haft_str element(const char *list, unsigned at, unsigned count)
{
    haft_str rest = haft__str(list != NULL ? list : "");
    haft_str found = haft__str_split(&rest, ',');
    for (unsigned i = 0; i < at && haft__pg_host_count(list) == count; i++) {
        found = haft__str_split(&rest, ',');
    }
    return found;
}

unsigned haft__pg_host_index(const haft__pg *pg, const PGconn *conn)
{
    const char *hosts = haft__pg_conninfo_option(pg, "host"),
               *ports = haft__pg_conninfo_option(pg, "port");
    hosts = hosts != NULL ? hosts : haft__pg_conninfo_option(pg, "hostaddr");
    haft_str host = haft__str(pg->lib->host(conn)), port = haft__str(pg->lib->port(conn));
    unsigned at = 0;
    for (; at + 1 < pg->hosts; at++) { /* if no earlier host matches, it is the last */
        haft_str named = element(ports, at, pg->hosts);
        if (haft__str_equal(element(hosts, at, pg->hosts), host)
            && (named.len == 0 || haft__str_equal(named, port))) {
            break;
        }
    }
    return at;
}

void haft__pg_set_display_name(haft__pg *pg)
{
    const char *hosts = haft__pg_conninfo_option(pg, "host"),
               *ports = haft__pg_conninfo_option(pg, "port");
    const char *database = haft__pg_conninfo_option(pg, "dbname");
    hosts = hosts != NULL ? hosts : haft__pg_conninfo_option(pg, "hostaddr");
    size_t size = sizeof(pg->display_name),
           used = (size_t)snprintf(pg->display_name, size, "postgres://");
    for (unsigned i = 0; i < pg->hosts && used < size; i++) {
        haft_str host = element(hosts, i, pg->hosts), port = element(ports, i, pg->hosts);
        int added = snprintf(pg->display_name + used, size - used, "%s%.*s%s%.*s", i > 0 ? "," : "",
                             HAFT__ARG(host), port.len > 0 ? ":" : "", HAFT__ARG(port));
        used += added > 0 ? (size_t)added : 0;
    }
    if (used < size) {
        (void)snprintf(pg->display_name + used, size - used, "/%s",
                       database != NULL ? database : "");
    }
}
