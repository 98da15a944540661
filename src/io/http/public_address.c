/* SPDX-License-Identifier: Apache-2.0 */
/*
 * public_address.c - which IP addresses are public.
 *
 * IPv4: addresses in IANA's special-purpose registry (RFC 6890) are not public. IPv6: only
 * addresses in 2000::/3 are public, with exceptions. If an IPv6 address embeds an IPv4 address, the
 * IPv4 address decides, because the packets are delivered there. Tests:
 * tests/io/http/public_address_test.c.
 */
#include "io/http/public_address.h"

#include <netinet/in.h>
#include <string.h>

#include "base/macros.h"

static const struct {
    uint8_t prefix[4];
    uint32_t bits;
} not_public_4[] = {
    {{0}, 8},                 /* this host, this network */
    {{10}, 8},                /* private */
    {{100, 64}, 10},          /* carrier-grade NAT; metadata services of some clouds */
    {{127}, 8},               /* loopback */
    {{168, 63, 129, 16}, 32}, /* a cloud's service address for its guests; looks public */
    {{169, 254}, 16},         /* link-local; metadata services of most clouds */
    {{172, 16}, 12},          /* private */
    {{192, 0, 0}, 24},        /* protocol assignments */
    {{192, 0, 2}, 24},        /* documentation */
    {{192, 88, 99}, 24},      /* 6to4 relays */
    {{192, 168}, 16},         /* private */
    {{198, 18}, 15},          /* benchmarks */
    {{198, 51, 100}, 24},     /* documentation */
    {{203, 0, 113}, 24},      /* documentation */
    {{224}, 4},               /* multicast */
    {{240}, 4},               /* reserved, broadcast */
};

typedef enum verdict {
    YES,
    NO,
    EMBEDDED, /* public if the embedded IPv4 address is */
    TEREDO,   /* public if both embedded IPv4 addresses are; the second has inverted bits */
} verdict;

/* The first match decides. */
static const struct {
    uint8_t prefix[16];
    uint32_t bits;
    verdict verdict;
    uint32_t at; /* offset of the embedded address */
} rules_6[] = {
    {{[10] = 0xFF, [11] = 0xFF}, 96, EMBEDDED, 12}, /* ::ffff:a.b.c.d */
    {{0x00, 0x64, 0xFF, 0x9B}, 96, EMBEDDED, 12},   /* NAT64; 64:ff9b:1::/48 is local */
    {{0x20, 0x01, 0x00, 0x00}, 32, TEREDO, 0},      /* 2001:0::/32 */
    {{0x20, 0x01, 0x00}, 23, NO, 0},                /* protocol assignments, benchmarks */
    {{0x20, 0x01, 0x0D, 0xB8}, 32, NO, 0},          /* documentation */
    {{0x20, 0x02}, 16, EMBEDDED, 2},                /* 6to4 */
    {{0x3F, 0xFF}, 20, NO, 0},                      /* documentation */
    {{0x20}, 3, YES, 0},                            /* global unicast */
    {{0}, 0, NO, 0},                                /* ::, ::1, fc00::/7, fe80::/10 and the rest */
};

static bool has_prefix(const uint8_t *bytes, const uint8_t *prefix, uint32_t bits)
{
    uint32_t whole = bits / 8, rest = bits % 8;
    return memcmp(bytes, prefix, whole) == 0
           && (rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0);
}

static bool is_public_4(const uint8_t *bytes)
{
    for (size_t i = 0; i < COUNT(not_public_4); i++) {
        if (has_prefix(bytes, not_public_4[i].prefix, not_public_4[i].bits)) {
            return false;
        }
    }
    return true;
}

static bool is_public_teredo(const uint8_t *bytes)
{
    uint8_t client[4];
    for (size_t i = 0; i < sizeof(client); i++) {
        client[i] = (uint8_t)~bytes[12 + i];
    }
    return is_public_4(bytes + 4) && is_public_4(client);
}

static bool is_public_6(const uint8_t *bytes)
{
    size_t i = 0;
    while (!has_prefix(bytes, rules_6[i].prefix, rules_6[i].bits)) {
        i++; /* the last one matches all */
    }
    switch (rules_6[i].verdict) {
    case YES: return true;
    case NO: return false;
    case EMBEDDED: return is_public_4(bytes + rules_6[i].at);
    case TEREDO: return is_public_teredo(bytes);
    }
    HAFT__UNREACHABLE();
}

bool haft__address_is_public(int family, const uint8_t *bytes)
{
    return (family == AF_INET && is_public_4(bytes)) || (family == AF_INET6 && is_public_6(bytes));
}
