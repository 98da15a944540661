/* SPDX-License-Identifier: Apache-2.0 */
/* io/http/public_address.h - which IP addresses are public. */
#ifndef HAFT_IO_HTTP_PUBLIC_ADDRESS_H
#define HAFT_IO_HTTP_PUBLIC_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a request that an untrusted party can influence may go to this address: 4 bytes of
 * AF_INET or 16 of AF_INET6, in network order. An address that embeds an IPv4 address (mapped,
 * NAT64, 6to4, Teredo) is public if the embedded address is public. Addresses of other families are
 * not public. */
bool haft__address_is_public(int family, const uint8_t *bytes);

#endif
