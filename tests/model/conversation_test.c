/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/conversation.c that hold for every wire format. The bytes of requests are
 * tested in the folder of each. */
#include "model/conversation.h"

#include "base/str.h"
#include "test.h"

static const haft__tool tool = {.name = HAFT__LIT("look"), .description = HAFT__LIT("Looks.")};
static const haft__tool *const tools[] = {&tool};
static const bool allowed[] = {true};
static haft__message items[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find it.")},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("It is here.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("And that?")},
};

static haft__request request_of(const haft__messages *messages, const char *format)
{
    return (haft__request){.model = HAFT__LIT("m"),
                           .messages = messages,
                           .tools = tools,
                           .allowed = allowed,
                           .tool_count = 1,
                           .mode = HAFT__MODE_AUTO,
                           .format = haft__str(format)};
}

static void write(haft__provider_conversation *conversation, const haft__request *request,
                  haft__buf *body)
{
    static const haft__provider_request_options options = {.stream = false};
    haft__buf_clear(body);
    CHECK_INT(haft__conversation_write(conversation, request, &options, body, NULL), HAFT_OK, "%s",
              conversation->provider->name);
}

/* Each row: what changes between two requests; the second is that of a fresh conversation. */
TEST(kept_text_is_dropped_if_it_does_not_fit_any_more)
{
    static const struct {
        const char *name, *format, *model;
        size_t tools;
        bool apart;
    } rows[] = {
        {"nothing", "native", "m", 1, false},
        {"another format", "hermes", "m", 1, true},
        {"another model", "native", "other", 1, false},
        {"no tools", "native", "m", 0, false},
    };
    size_t count = 0;
    const haft__provider *providers = haft__providers(&count);
    haft__messages first = {.items = items, .count = 2}, all = {.items = items, .count = 4};
    haft__buf found, wanted;
    haft__buf_init(&found, 1 << 16);
    haft__buf_init(&wanted, 1 << 16);
    for (size_t i = 0; i < count * COUNT(rows); i++) {
        const haft__provider *provider = &providers[i / COUNT(rows)];
        size_t r = i % COUNT(rows);
        haft__provider_conversation *kept = NULL, *fresh = NULL;
        CHECK_INT(haft__conversation_create(provider, &kept, NULL), HAFT_OK, "create");
        CHECK_INT(haft__conversation_create(provider, &fresh, NULL), HAFT_OK, "create");
        haft__request before = request_of(&first, "native");
        haft__request request = request_of(&all, rows[r].format);
        request.model = haft__str(rows[r].model);
        request.tool_count = rows[r].tools;
        write(kept, &before, &found);
        write(kept, &request, &found);
        write(fresh, &request, &wanted);
        CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "%s: %s", provider->name,
                  rows[r].name);
        CHECK_INT(kept->apart, rows[r].apart, "%s: %s", provider->name, rows[r].name);
        CHECK_INT(kept->stable, fresh->stable, "%s: %s", provider->name, rows[r].name);
        haft__conversation_destroy(kept);
        haft__conversation_destroy(fresh);
    }
    haft__buf_finish(&found);
    haft__buf_finish(&wanted);
}

TEST(a_request_begins_with_the_stable_bytes_of_the_one_before)
{
    static const char *const formats[] = {"native", "hermes"};
    size_t count = 0;
    const haft__provider *providers = haft__providers(&count);
    haft__buf before, now;
    haft__buf_init(&before, 1 << 16);
    haft__buf_init(&now, 1 << 16);
    for (size_t i = 0; i < count * COUNT(formats); i++) {
        haft__provider_conversation *conversation = NULL;
        CHECK_INT(haft__conversation_create(&providers[i / 2], &conversation, NULL), HAFT_OK,
                  "create");
        haft__messages messages = {.items = items, .count = 2};
        haft__request request = request_of(&messages, formats[i % 2]);
        request.correction = HAFT__LIT("Again.");
        write(conversation, &request, &before);
        haft_str stable = {before.ptr, conversation->stable};
        messages.count = COUNT(items);
        write(conversation, &request, &now);
        CHECK(stable.len > 0 && haft__str_starts_with(haft__buf_str(&now), stable), "%s, %s: %.*s",
              providers[i / 2].name, formats[i % 2], HAFT__ARG(stable));
        CHECK(!conversation->apart && conversation->stable > stable.len, "it grows");
        haft__conversation_destroy(conversation);
    }
    haft__buf_finish(&before);
    haft__buf_finish(&now);
    haft__conversation_destroy(NULL);
}

/* A member that is reported as sent may be suspected when the server rejects the request. */
TEST(only_members_of_the_request_are_reported_as_sent)
{
    size_t count = 0;
    const haft__provider *providers = haft__providers(&count);
    haft__messages messages = {.items = items, .count = 2};
    haft__request request = request_of(&messages, "native");
    for (size_t i = 0; i < count; i++) {
        haft__provider_conversation *conversation = NULL;
        haft__member_set sent = 0;
        haft__provider_request_options options = {.sent = &sent};
        haft__buf body;
        haft__buf_init(&body, 1 << 16);
        CHECK_INT(haft__conversation_create(&providers[i], &conversation, NULL), HAFT_OK, "create");
        CHECK_INT(haft__conversation_write(conversation, &request, &options, &body, NULL), HAFT_OK,
                  "%s", providers[i].name);
        haft__member_set absent = HAFT__MEMBER_BIT(HAFT__MEMBER_NAMED_CHOICE)
                                  | HAFT__MEMBER_BIT(HAFT__MEMBER_ALLOWED_TOOLS)
                                  | HAFT__MEMBER_BIT(HAFT__MEMBER_PARALLEL)
                                  | HAFT__MEMBER_BIT(HAFT__MEMBER_SCHEMA);
        CHECK((sent & absent) == 0, "%s: %llx", providers[i].name, (unsigned long long)sent);
        haft__conversation_destroy(conversation);
        haft__buf_finish(&body);
    }
}
