/* SPDX-License-Identifier: Apache-2.0 */
#include "io/server/listener.h"

#include <fcntl.h>
#include <unistd.h>

#include "test.h"

TEST(invalid_addresses_are_rejected)
{
    static const haft_str cases[] = {
        HAFT__LIT(""),
        HAFT__LIT("8080"),
        HAFT__LIT(":8080"),
        HAFT__LIT("127.0.0.1"),
        HAFT__LIT("127.0.0.1:"),
        HAFT__LIT("127.0.0.1:x"),
        HAFT__LIT("127.0.0.1:-1"),
        HAFT__LIT("127.0.0.1:65536"),
        HAFT__LIT("127.0.0.1:99999999999999999999"),
        HAFT__LIT("127.0.0:80"),
        HAFT__LIT("127.0.0.1\0:80"),
        HAFT__LIT("::1:80"),
        HAFT__LIT("[::1:80"),
        HAFT__LIT("::1]:80"),
        HAFT__LIT("[]:80"),
        HAFT__LIT("[]"),
        HAFT__LIT("[127.0.0.1]:80"),
        HAFT__LIT("[localhost]:80"),
        HAFT__LIT("example.org:80"),
        HAFT__LIT("[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:80"),
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__listener at = {.fd = -1};
        haft_error err = {0};
        CHECK_INT(haft__listener_open(cases[i], &at, &err), HAFT_BAD_INPUT, "%.*s",
                  HAFT__ARG(cases[i]));
        CHECK(strstr(err.message, "ADDRESS:PORT") != NULL, "%s", err.message);
        CHECK(err.hint[0] != '\0' && at.fd == -1, "case %zu", i);
    }
}

TEST(port_0_selects_a_free_port)
{
    static const char *const cases[] = {"127.0.0.1:0", "localhost:0", "0.0.0.0:0"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__listener at;
        haft_error err = {0};
        CHECK_INT(haft__listener_open(haft__str(cases[i]), &at, &err), HAFT_OK, "%s", err.message);
        char wanted[64];
        (void)snprintf(wanted, sizeof(wanted), "%s:%u", i == 2 ? "0.0.0.0" : "127.0.0.1", at.port);
        CHECK_STR(haft__str(at.address), haft__str(wanted), "%s", cases[i]);
        CHECK((fcntl(at.fd, F_GETFD) & FD_CLOEXEC) != 0,
              "child processes would inherit the descriptor");
        CHECK((fcntl(at.fd, F_GETFL) & O_NONBLOCK) != 0, "the descriptor is blocking");
        haft__listener second;
        CHECK_INT(haft__listener_open(haft__str(at.address), &second, &err), HAFT_IO,
                  "an address in use");
        CHECK_STR(haft__str(err.where), haft__str(wanted), "where");
        (void)close(at.fd);
    }
}

TEST(an_address_of_another_machine_is_rejected)
{
    haft__listener at;
    haft_error err = {0};
    CHECK_INT(haft__listener_open(HAFT__LIT("192.0.2.1:0"), &at, &err), HAFT_IO,
              "an address of another machine");
    CHECK_STR(haft__str(err.where), HAFT__LIT("192.0.2.1:0"), "where");
}

TEST(paths_of_unix_sockets_are_checked)
{
    static const struct {
        const char *address;
        haft_status status;
    } cases[] = {
        {"unix:/tmp/a.sock", HAFT_OK},
        {"unix:a", HAFT_OK},
        {"unix:", HAFT_BAD_INPUT},
    };
    char longest[5 + 107 + 2] = "unix:";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK_INT(haft__listener_check_address(haft__str(cases[i].address), NULL), cases[i].status,
                  "%s", cases[i].address);
    }
    memset(longest + 5, 'a', 107);
    CHECK_INT(haft__listener_check_address(haft__str(longest), NULL), HAFT_OK, "107 bytes");
    longest[5 + 107] = 'a';
    CHECK_INT(haft__listener_check_address(haft__str(longest), NULL), HAFT_BAD_INPUT, "108 bytes");
}
