/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/otlp/resource.h - the parts that requests of all signals have: the process that sends
 * them, and attributes. */
#ifndef HAFT_TELEMETRY_OTLP_RESOURCE_H
#define HAFT_TELEMETRY_OTLP_RESOURCE_H

#include "telemetry/otlp/writer.h"
#include "telemetry/span.h"

/* An attribute of the resource: service.name, ... */
typedef struct haft__resource_attribute {
    haft_str key, value;
} haft__resource_attribute;

/* The process that sends telemetry. */
typedef struct haft__resource {
    const haft__resource_attribute *attributes;
    size_t count;
    haft_str version; /* of haft, for the scope */
} haft__resource;

/* Writes the member `resource` of ResourceSpans or ResourceMetrics. */
void haft__otlp_add_resource(haft__otlp_writer *w, const haft__resource *resource);

/* Writes the member `scope` of ScopeSpans or ScopeMetrics. */
void haft__otlp_add_scope(haft__otlp_writer *w, const haft__resource *resource);

/* Adds an item of the open list of attributes. */
void haft__otlp_add_attribute(haft__otlp_writer *w, uint32_t field, haft_str key,
                              const haft__attribute *value);

#endif
