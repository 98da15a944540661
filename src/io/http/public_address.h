/* SPDX-License-Identifier: Apache-2.0 */
/* io/http/public_address.h - which addresses belong to the public network. */
#ifndef HAFT_IO_HTTP_PUBLIC_ADDRESS_H
#define HAFT_IO_HTTP_PUBLIC_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a request that somebody outside had a say in may go to this address: 4 bytes of AF_INET
 * or 16 of AF_INET6, in network order. An address that stands for one of IPv4 (mapped, NAT64, 6to4,
 * Teredo) is as public as that one. Of any other family nothing is public. */
bool haft__address_is_public(int family, const uint8_t *bytes);

#endif
