/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/content.h - the content of attributes: messages, arguments, results. It is cut to
 * HAFT__LIMIT_TELEMETRY_CONTENT_BYTES and redacted. */
#ifndef HAFT_TELEMETRY_CONTENT_H
#define HAFT_TELEMETRY_CONTENT_H

#include "run/event.h"
#include "run/redact/redact.h"

/* The texts of one span. */
typedef struct haft__content {
    const haft__redactor *redactor; /* NULL: content is off, and every text is "" */
    haft__arena arena;
} haft__content;

void haft__content_init(haft__content *content, const haft__redactor *redactor);
void haft__content_finish(haft__content *content);

/* Each returns a text that lives as long as `content`; "" if content is off or memory runs out. */
haft_str haft__content_text(haft__content *content, haft_str text);
haft_str haft__content_json(haft__content *content, haft__json value);

/* A list with one message in the form of the GenAI conventions. `reply` is the event with the calls
 * of the message; or NULL. */
haft_str haft__content_message(haft__content *content, const char *role, haft_str text,
                               const haft__event *reply);

#endif
