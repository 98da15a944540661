/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/gather.c: which call the planner makes next, and how many it makes. */
#include "model/rules/offline_help.h"
#include "tool/builtin.h"

/* A request with some built-in tools and earlier calls. */
typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__tool made[8];
    const haft__tool *tools[8];
    bool allowed[8];
    haft__reply reply;
} fixture;

static void begin(fixture *f, const char *task, haft__choice_mode mode, const char *names)
{
    *f = (fixture){.reply = {.call_count = 0}};
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, task);
    haft_str rest = haft__str(names);
    while (rest.len > 0) {
        size_t i = f->r.request.tool_count++;
        haft_str name = haft__str_split(&rest, ' ');
        CHECK_INT(haft__builtin_tool(&f->arena, name, &f->made[i], NULL), HAFT_OK,
                  "the built-in tool");
        f->tools[i] = &f->made[i];
        f->allowed[i] = true;
    }
    f->r.request.tools = f->tools;
    f->r.request.allowed = f->allowed;
    f->r.request.mode = mode;
}

/* The calls that the planner makes: "name arguments; name arguments". */
static haft_str ask(fixture *f)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__offline_ask(&f->r.request, &f->arena, &f->reply, NULL), HAFT_OK,
              "ask the planner");
    offline_check_mode(&f->r.request, &f->reply);
    for (size_t i = 0; i < f->reply.call_count; i++) {
        haft__buf_addf(&buf, "%s%.*s %.*s", i > 0 ? "; " : "", HAFT__ARG(f->reply.calls[i].name),
                       HAFT__ARG(f->reply.calls[i].arguments));
    }
    haft_str kept = haft__arena_copy(&f->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

static void check_ask(fixture *f, const char *calls, const char *what)
{
    CHECK_STR(ask(f), haft__str(calls), "%s", what);
    haft__arena_finish(&f->arena);
}

#define ALL  "{\"pattern\":\"**/*\"}"
#define GATE "(?:[Gg]ate|GATE)"
#define OPEN "(?:[Oo]pen|OPEN)"
#define TWO  GATE ".{0,80}" OPEN "|" OPEN ".{0,80}" GATE
#define MANY                                                                                       \
    "a.c:5:gate opens\nb.c:70:gate opens\nc.md:9:gate opens\nd.c:1:gate opens\n"                   \
    "e.c:1:gate opens\nf.c:1:gate opens"

TEST(the_planner_lists_files_first)
{
    fixture f;
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "glob grep read");
    check_ask(&f, "glob " ALL, "all files");
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "glob grep read");
    offline_request_add(&f.r, "glob", ALL, "too many files", true);
    check_ask(&f, "glob {\"pattern\":\"*\"}", "fewer files after that failed");
    begin(&f, "the gate opens in x.c", HAFT__MODE_AUTO, "glob grep read");
    offline_request_add(&f.r, "glob", ALL, "a.c\nb.c\n", false);
    check_ask(&f, "glob {\"pattern\":\"**/x.c\"}", "a file that the task names and no list has");
}

TEST(the_planner_searches_after_listing)
{
    fixture f;
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "glob grep read");
    offline_request_add(&f.r, "glob", ALL, "a.c\nb.c\nc.md\n", false);
    check_ask(&f, "grep {\"pattern\":\"" TWO "\",\"limit\":400}", "both words");
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep");
    check_ask(&f, "grep {\"pattern\":\"" TWO "\",\"limit\":400}", "everything without a list");
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep");
    offline_request_add(&f.r, "grep", "{\"pattern\":\"" TWO "\",\"limit\":400}", "a.c:1:x", false);
    check_ask(&f,
              "grep {\"pattern\":\"" GATE "|" OPEN
              "\",\"glob\":\"**/{*gate*,*gate*/**,*open*,*open*/**}"
              "\",\"limit\":400}",
              "files that are called so");
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep");
    offline_request_add(&f.r, "grep", "{\"pattern\":\"" TWO "\",\"limit\":400}", MANY, false);
    check_ask(&f, "", "no more when that was enough");
}

TEST(a_forced_planner_searches_although_it_has_enough)
{
    fixture f;
    begin(&f, "the gate opens", HAFT__MODE_ANY, "grep");
    offline_request_add(&f.r, "grep", "{\"pattern\":\"x\"}", MANY, false);
    check_ask(&f, "grep {\"pattern\":\"" TWO "\",\"limit\":400}", "though it has enough");
    begin(&f, "", HAFT__MODE_ANY, "grep");
    offline_request_add(&f.r, "grep", "{\"pattern\":\"^#\",\"limit\":401}", "", false);
    check_ask(&f, "grep {\"pattern\":\"^#\",\"limit\":400}", "though it has no words");
}

TEST(the_planner_reads_after_searching)
{
    fixture f;
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep read");
    offline_request_add(&f.r, "grep", "{}", MANY, false);
    check_ask(&f,
              "read {\"path\":\"a.c\",\"offset\":1,\"limit\":48}; "
              "read {\"path\":\"b.c\",\"offset\":58,\"limit\":48}; "
              "read {\"path\":\"d.c\",\"offset\":1,\"limit\":48}",
              "around the best");
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep read");
    offline_request_add(&f.r, "grep", "{}", MANY, false);
    offline_request_add(&f.r, "read", "{\"path\":\"a.c\"}", "no such file", true);
    check_ask(&f,
              "read {\"path\":\"b.c\",\"offset\":58,\"limit\":48}; "
              "read {\"path\":\"d.c\",\"offset\":1,\"limit\":48}; "
              "read {\"path\":\"e.c\",\"offset\":1,\"limit\":48}",
              "another when one cannot be read");
    begin(&f, "the gate opens in x.c", HAFT__MODE_AUTO, "read");
    check_ask(&f, "read {\"path\":\"x.c\",\"offset\":1,\"limit\":48}",
              "a file that the task names");
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "read");
    check_ask(&f, "read {\"path\":\"README.md\",\"offset\":1,\"limit\":48}",
              "README.md without any listing");
    begin(&f, "zebra", HAFT__MODE_ANY, "glob read");
    offline_request_add(&f.r, "glob", ALL, "a.c\nb.md\nREADME\n", false);
    check_ask(&f, "read {\"path\":\"README\",\"offset\":1,\"limit\":48}", "a README in the list");
    begin(&f, "zebra", HAFT__MODE_ANY, "glob read");
    offline_request_add(&f.r, "glob", ALL, "a.c\nb.md\n", false);
    check_ask(&f, "read {\"path\":\"b.md\",\"offset\":1,\"limit\":48}", "a document");
    begin(&f, "zebra", HAFT__MODE_ANY, "glob read");
    offline_request_add(&f.r, "glob", ALL, "a.c\nb.c\n", false);
    check_ask(&f, "read {\"path\":\"a.c\",\"offset\":1,\"limit\":48}", "any file of the list");
    begin(&f, "zebra", HAFT__MODE_AUTO, "glob read");
    offline_request_add(&f.r, "glob", ALL, "a.c\nzebra.c\n", false);
    check_ask(&f, "read {\"path\":\"zebra.c\",\"offset\":1,\"limit\":48}",
              "a file with the name of the subject");
}

TEST(a_tool_that_keeps_failing_is_not_called_again)
{
    fixture f;
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "glob grep read");
    offline_request_add(&f.r, "glob", ALL, "no", true);
    offline_request_add(&f.r, "glob", "{\"pattern\":\"*\"}", "no", true);
    offline_request_add(&f.r, "grep", "{\"pattern\":\"a\"}", "no", true);
    offline_request_add(&f.r, "grep", "{\"pattern\":\"b\"}", "no", true);
    check_ask(&f, "read {\"path\":\"README.md\",\"offset\":1,\"limit\":48}",
              "another tool after two failures");
}

TEST(calls_are_made_one_at_a_time_after_a_refusal)
{
    fixture f;
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep read");
    offline_request_add(&f.r, "grep", "{}", MANY, false);
    offline_request_add(&f.r, "read", "{\"path\":\"a.c\",\"offset\":1,\"limit\":48}",
                        "Not run: at most 1 calls run in one turn.", true);
    check_ask(&f, "read {\"path\":\"a.c\",\"offset\":1,\"limit\":48}",
              "one call instead of several");
}

TEST(searches_have_a_limit)
{
    for (int made = HAFT__LIMIT_OFFLINE_SEARCHES - 1; made <= HAFT__LIMIT_OFFLINE_SEARCHES + 1;
         made++) {
        fixture f;
        begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep");
        for (int i = 0; i < made; i++) {
            haft_str arguments = haft__arena_format(&f.arena, "{\"pattern\":\"%d\"}", i);
            offline_request_add(&f.r, "grep", arguments.ptr, "", false);
        }
        (void)ask(&f);
        CHECK_INT(f.reply.call_count, made < HAFT__LIMIT_OFFLINE_SEARCHES ? 1 : 0,
                  "%d searches made", made);
        haft__arena_finish(&f.arena);
    }
}

TEST(reads_have_a_limit)
{
    for (int made = HAFT__LIMIT_OFFLINE_READS - 4; made <= HAFT__LIMIT_OFFLINE_READS + 1; made++) {
        fixture f;
        begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep read");
        offline_request_add(&f.r, "grep", "{}", MANY, false);
        for (int i = 0; i < made; i++) {
            haft_str arguments = haft__arena_format(&f.arena, "{\"path\":\"%d\"}", i);
            offline_request_add(&f.r, "read", arguments.ptr, "1\tx", false);
        }
        (void)ask(&f);
        int left = HAFT__LIMIT_OFFLINE_READS - made;
        left = left < 0 ? 0 : left > 3 ? 3 : left;
        CHECK_INT(f.reply.call_count, left, "%d reads made", made);
        haft__arena_finish(&f.arena);
    }
}

TEST(a_forced_planner_always_makes_a_new_call)
{
    static const char *const names[] = {"glob", "grep", "read"};
    static const char *const tasks[] = {"the gate opens", "", "\"*?\" x.c", "[\\/]"};
    for (size_t i = 0; i < COUNT(names) * COUNT(tasks); i++) {
        fixture f;
        begin(&f, tasks[i / COUNT(names)], HAFT__MODE_ANY, names[i % COUNT(names)]);
        haft__map seen;
        haft__map_init(&seen, &f.arena, OFFLINE_KEY);
        for (unsigned n = 0; n < 60; n++) {
            (void)ask(&f);
            for (size_t k = 0; k < f.reply.call_count; k++) {
                haft_str arguments = f.reply.calls[k].arguments;
                CHECK(haft__map_get(&seen, arguments) == NULL, "%s again with %.*s",
                      names[i % COUNT(names)], HAFT__ARG(arguments));
                CHECK_INT(haft__map_put(&seen, arguments, &f, NULL), HAFT_OK, "record the call");
                offline_request_add(&f.r, names[i % COUNT(names)], arguments.ptr,
                                    n % 3 == 0 ? "a.c\n" : "nothing", n % 4 == 3);
            }
        }
        haft__arena_finish(&f.arena);
    }
}

TEST(a_custom_tool_named_grep_gets_arguments_of_its_schema)
{
    fixture f;
    begin(&f, "the gate opens", HAFT__MODE_AUTO, "grep");
    haft__json_member property = {haft__json_string(HAFT__LIT("pattern")), haft__json_bool(true)};
    haft__json properties = haft__json_object(&property, 1);
    haft__json_member members = {haft__json_string(HAFT__LIT("properties")), properties};
    f.made[0].input_schema = haft__json_object(&members, 1);
    check_ask(&f, "grep {\"pattern\":\"" TWO "\"}", "only arguments that the tool has");
    begin(&f, "the gate opens", HAFT__MODE_ANY, "grep");
    f.made[0].input_schema = haft__json_object(NULL, 0);
    check_ask(&f, "grep {}", "arguments by the schema if it has others");
}
