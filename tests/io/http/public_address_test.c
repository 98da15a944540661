/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/http/public_address.c. */
#include "io/http/public_address.h"

#include <arpa/inet.h>

#include "test.h"

static const struct {
    const char *text;
    bool wanted;
} addresses[] = {
    {"8.8.8.8", true},
    {"1.1.1.1", true},
    {"93.184.216.34", true},
    /* The first and the last of each net, and their neighbours. */
    {"0.0.0.0", false},
    {"0.255.255.255", false},
    {"1.0.0.0", true},
    {"9.255.255.255", true},
    {"10.0.0.0", false},
    {"10.255.255.255", false},
    {"11.0.0.0", true},
    {"100.63.255.255", true},
    {"100.64.0.0", false},
    {"100.100.100.200", false},
    {"100.127.255.255", false},
    {"100.128.0.0", true},
    {"126.255.255.255", true},
    {"127.0.0.0", false},
    {"127.0.0.1", false},
    {"127.255.255.255", false},
    {"128.0.0.0", true},
    {"168.63.129.15", true},
    {"168.63.129.16", false},
    {"168.63.129.17", true},
    {"169.253.255.255", true},
    {"169.254.0.0", false},
    {"169.254.169.254", false},
    {"169.254.255.255", false},
    {"169.255.0.0", true},
    {"172.15.255.255", true},
    {"172.16.0.0", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"191.255.255.255", true},
    {"192.0.0.0", false},
    {"192.0.0.192", false},
    {"192.0.1.0", true},
    {"192.0.2.0", false},
    {"192.0.2.255", false},
    {"192.0.3.0", true},
    {"192.88.98.255", true},
    {"192.88.99.1", false},
    {"192.88.100.0", true},
    {"192.167.255.255", true},
    {"192.168.0.0", false},
    {"192.168.255.255", false},
    {"192.169.0.0", true},
    {"198.17.255.255", true},
    {"198.18.0.0", false},
    {"198.19.255.255", false},
    {"198.20.0.0", true},
    {"198.51.100.7", false},
    {"198.51.101.0", true},
    {"203.0.112.255", true},
    {"203.0.113.0", false},
    {"203.0.114.0", true},
    {"223.255.255.255", true},
    {"224.0.0.1", false},
    {"239.255.255.250", false},
    {"240.0.0.0", false},
    {"255.255.255.255", false},
    {"2606:4700:4700::1111", true},
    {"2a00:1450:4001:81b::200e", true},
    {"2000::", true},
    {"3ffe:ffff::", true},
    {"3fff::", false},
    {"3fff:fff:ffff::1", false},
    {"3fff:1000::", true},
    {"1fff:ffff::", false},
    {"4000::", false},
    {"::", false},
    {"::1", false},
    {"::8.8.8.8", false},
    {"::127.0.0.1", false},
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.1.2.3", false},
    {"::ffff:169.254.169.254", false},
    {"::ffff:0.0.0.0", false},
    {"::ffff:8.8.8.8", true},
    {"::ffff:0:8.8.8.8", false},
    {"64:ff9b::8.8.8.8", true},
    {"64:ff9b::127.0.0.1", false},
    {"64:ff9b::192.168.1.1", false},
    {"64:ff9b::169.254.169.254", false},
    {"64:ff9b:0:0:1::8.8.8.8", false},
    {"64:ff9b:1::8.8.8.8", false},
    {"64:ff9b:1:ffff::1", false},
    {"100::1", false},
    {"2001:0:808:808:0:0:f7f7:f7f7", true},  /* Teredo: 8.8.8.8 and 8.8.8.8 */
    {"2001:0:808:808:0:0:80ff:fffe", false}, /* ... and 127.0.0.1 */
    {"2001:0:808:808:0:0:3f57:fefe", false}, /* ... and 192.168.1.1 */
    {"2001:0:a00:1:0:0:f7f7:f7f7", false},   /* 10.0.0.1 and 8.8.8.8 */
    {"2001:2::1", false},
    {"2001:10::1", false},
    {"2001:20::1", false},
    {"2001:1ff:ffff::", false},
    {"2001:200::", true},
    {"2001:db7:ffff::", true},
    {"2001:db8::1", false},
    {"2001:db9::", true},
    {"2002:808:808::1", true},
    {"2002:7f00:1::1", false},
    {"2002:a00:1::1", false},
    {"2002:c0a8:101::", false},
    {"2002:a9fe:a9fe::", false},
    {"5f00::1", false},
    {"fc00::1", false},
    {"fd00:ec2::254", false},
    {"fdff:ffff::1", false},
    {"fe80::1", false},
    {"febf::1", false},
    {"fec0::1", false},
    {"feff::1", false},
    {"ff02::1", false},
    {"ff0e::1", false},
};

TEST(addresses_are_public_or_not)
{
    for (size_t i = 0; i < COUNT(addresses); i++) {
        uint8_t bytes[16] = {0};
        int family = strchr(addresses[i].text, ':') != NULL ? AF_INET6 : AF_INET;
        CHECK_INT(inet_pton(family, addresses[i].text, bytes), 1, "%s", addresses[i].text);
        CHECK_INT(haft__address_is_public(family, bytes), addresses[i].wanted, "%s",
                  addresses[i].text);
    }
}

TEST(other_families_are_never_public)
{
    uint8_t bytes[16] = {8, 8, 8, 8};
    CHECK(!haft__address_is_public(AF_UNIX, bytes), "a path is public");
    CHECK(!haft__address_is_public(AF_UNSPEC, bytes), "an unspecified address is public");
}

/* An IPv4 address has the same result in each of its IPv6 forms. */
TEST(embedded_ipv4_addresses_have_the_same_result)
{
    static const uint8_t forms[][12] = {
        {[10] = 0xFF, [11] = 0xFF},
        {0x00, 0x64, 0xFF, 0x9B},
    };
    for (uint32_t first = 0; first < 65536; first++) {
        uint8_t four[4] = {(uint8_t)(first >> 8), (uint8_t)first, 0, 1}, six[16];
        bool wanted = haft__address_is_public(AF_INET, four);
        for (size_t i = 0; i < COUNT(forms); i++) {
            memcpy(six, forms[i], 12);
            memcpy(six + 12, four, 4);
            CHECK_INT(haft__address_is_public(AF_INET6, six), wanted, "form %zu of %u.%u.0.1", i,
                      four[0], four[1]);
        }
    }
}
