/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/import.c: servers of a file that a spec names. */
#include "base/error.h"
#include "spec/spec_help.h"

#define SEARCHES "builtins: {enabled: [tool_search]}\n"

static haft_status read_file(void *context, haft__arena *arena, haft_str spec, haft_str path,
                             haft_str *ret_text, haft_error *err)
{
    (void)arena;
    CHECK_STR(spec, HAFT__LIT("/here/spec.yaml"), "path of the spec");
    CHECK_STR(path, HAFT__LIT("mcp.json"), "path of the imported file");
    if (context == NULL) {
        return haft__fail(err, HAFT_IO, "mcp.json", "there is no such file");
    }
    *ret_text = haft__str(context);
    return HAFT_OK;
}

static haft_str no_variable(void *context, haft_str name)
{
    (void)context, (void)name;
    return (haft_str){NULL, 0};
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a context is not const */
static void import(loaded *f, const char *spec, char *file, bool env)
{
    haft__spec_options options = {.hash_key = {1, 2},
                                  .path = HAFT__LIT("/here/spec.yaml"),
                                  .read_file = read_file,
                                  .read_context = file};
    if (env) {
        options.env.get = no_variable;
    }
    load_with(f, haft__str(spec), &options);
}

static char two[] = "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"b\":{\"command\":\"y\"}}}";

TEST(imported_servers_are_added_to_those_of_the_spec)
{
    loaded f;
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    import(
        &f,
        "mcp: {import: mcp.json, servers: {b: {command: [own]}, c: {url: 'http://h'}}}\n" SEARCHES,
        two, false);
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    haft__json_write(&buf, f.spec->mcp);
    CHECK_STR(keep(&buf),
              HAFT__LIT("{\"import\":\"mcp.json\",\"servers\":{\"a\":{\"command\":[\"x\"],"
                        "\"enabled\":true,\"imported\":true},\"b\":{\"command\":[\"own\"]},"
                        "\"c\":{\"url\":\"http://h\"}}}"),
              "servers of the spec come first");
    unload(&f);
}

TEST(hash_of_a_spec_includes_imported_servers)
{
    static char other[] = "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"b\":{\"command\":\"z\"}}}";
    loaded f, g;
    import(&f, "mcp: {import: mcp.json}\n", two, false);
    import(&g, "mcp: {import: mcp.json}\n", other, false);
    CHECK(!haft__str_equal(f.spec->hash, g.spec->hash), "a changed command gives another hash");
    unload(&f);
    unload(&g);
}

/* The spec stored with a run has a hash instead of the servers, and loads unchanged. */
TEST(source_of_a_spec_has_no_secret_of_the_imported_file)
{
    static char secret[] =
        "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"env\":{\"KEY\":\"s3cret\"}}}}",
                changed[] =
                    "{\"mcpServers\":{\"a\":{\"command\":\"y\",\"env\":{\"KEY\":\"s3cret\"}}}}",
                renewed[] =
                    "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"env\":{\"KEY\":\"other\"}}}}";
    loaded f, again, away;
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    import(&f, "mcp: {import: mcp.json}\n" SEARCHES, secret, false);
    haft__json_write(&buf, f.spec->source);
    haft_str kept = keep(&buf);
    CHECK(strstr(kept.ptr, "s3cret") == NULL && strstr(kept.ptr, "sha256") != NULL, "%s", kept.ptr);
    import(&again, kept.ptr, secret, false);
    CHECK_STR(again.listing, HAFT__LIT(""), "the source loads without problems");
    CHECK_STR(again.spec->hash, f.spec->hash, "the source has the same hash");
    unload(&again);
    import(&again, kept.ptr, renewed, false);
    CHECK_STR(again.listing, HAFT__LIT(""), "a changed key in the file is accepted");
    unload(&again);
    load(&away, kept.ptr);
    CHECK_STR(away.spec->hash, f.spec->hash, "the hash is the same without the file");
    unload(&away);
    import(&again, kept.ptr, changed, false);
    CHECK(again.spec == NULL, "a changed command in the file is rejected");
    CHECK(strstr(again.listing.ptr, "the servers in mcp.json have changed") != NULL, "%s",
          again.listing.ptr);
    unload(&again);
    unload(&f);
}

TEST(failed_import_reports_the_reason)
{
    static char cut[] = "{\"mcpServers\":", none[] = "{}",
                old[] = "{\"mcpServers\":{\"a\":{\"url\":\"http://h\",\"type\":\"sse\"}}}",
                word[] = "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[\"${X}\"]}}}",
                off[] = "{\"mcpServers\":{\"a\":{\"command\":\"${X}\",\"disabled\":true}}}",
                some[] = "{\"mcpServers\":{\"bad\":{},\"good\":{\"command\":\"x\"}}}",
                variable[] = "{\"mcpServers\":{\"a\":{\"command\":\"${X}\",\"cwd\":\"${Y}\"}}}";
    static const struct {
        char *file;
        const char *problems;
    } cases[] = {
        {NULL, "1:15: mcp.json: mcp.json: there is no such file"},
        {cut, "1:15: mcp.json: 1:15 (byte 14): expected a value, found the end of the text"},
        {none, "1:15: mcp.json: found no mcpServers and no servers (it should look like "
               "{\"mcpServers\": {\"docs\": {\"command\": \"npx\", \"args\": [..]}}})"},
        {old, "1:15: warning: mcp.json: a: the transport sse is no longer supported; haft tries "
              "Streamable HTTP"},
        {variable, "1:15: warning: mcp.json: the server 'a': the variable Y is not set; it is "
                   "skipped (set it in the environment or in .env)"},
        {word, "1:15: warning: mcp.json: the server 'a': the variable X is not set; it is skipped "
               "(set it in the environment or in .env)"},
        {off, ""},
        {some,
         "1:15: warning: mcp.json: the server 'bad': it has no command and no url; it is skipped"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded f;
        import(&f, "mcp: {import: mcp.json}\n" SEARCHES, cases[i].file, true);
        CHECK_STR(f.listing, haft__str(cases[i].problems), "case %zu", i);
        unload(&f);
    }
}

/* A problem of one server is a warning, and the other servers are loaded; but it is an error if the
 * spec names the server in `allow`. */
TEST(invalid_server_is_skipped_unless_the_spec_names_it)
{
    static char file[] = "{\"mcpServers\":{\"bad\":{},\"lacks\":{\"command\":\"${X}\"},"
                         "\"good\":{\"command\":\"x\"}}}";
    static const struct {
        const char *spec, *problem;
    } cases[] = {
        {"mcp: {import: mcp.json}\n", NULL},
        {"mcp: {import: mcp.json, allow: [\"good:*\", \"*:say\"]}\n", NULL},
        {"mcp: {import: mcp.json, allow: [\"bad:*\"]}\n",
         "mcp.json: the server 'bad': it has no command and no url; `allow` in the spec names it"},
        {"mcp: {import: mcp.json, allow: [\"lacks:say\"]}\n",
         "mcp.json: the server 'lacks': the variable X is not set; `allow` in the "
         "spec names it"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded f;
        import(&f, cases[i].spec, file, true);
        CHECK((f.spec != NULL) == (cases[i].problem == NULL), "case %zu: %s", i, f.listing.ptr);
        CHECK(cases[i].problem == NULL || strstr(f.listing.ptr, cases[i].problem) != NULL,
              "case %zu: %s", i, f.listing.ptr);
        if (f.spec != NULL) {
            haft__buf buf;
            haft__buf_init(&buf, 1 << 16);
            haft__json_write(&buf, f.spec->mcp);
            haft_str kept = keep(&buf);
            CHECK(strstr(kept.ptr, "\"good\":{\"command\":[\"x\"],\"enabled\":true") != NULL
                      && strstr(kept.ptr, "\"lacks\":{\"command\":[\"${X}\"],\"enabled\":false")
                             != NULL
                      && strstr(kept.ptr, "\"bad\"") == NULL,
                  "case %zu: %s", i, kept.ptr);
        }
        unload(&f);
    }
}

TEST(every_failed_allocation_of_an_import_is_survived)
{
    haft__spec_options options = {.hash_key = {1, 2},
                                  .path = HAFT__LIT("/here/spec.yaml"),
                                  .read_file = read_file,
                                  .read_context = two};
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        const haft__spec *spec;
        haft__spec_report report;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status =
            haft__spec_load(&arena, HAFT__LIT("mcp: {import: mcp.json, servers: {b: {url: x}}}\n"),
                            &options, &spec, &report, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
