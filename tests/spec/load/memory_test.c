/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/memory.c: memory files and AGENTS.md in the source of a spec. */
#include "base/error.h"
#include "spec/spec_help.h"

/* The files of the tests: notes.md, big.md (one byte too long), full.md (as long as allowed),
 * binary.md, nul.md, empty.md. */
static haft_status read_memory(haft__arena *arena, haft_str spec, haft_str path, haft_str *ret_text,
                               haft_error *err)
{
    CHECK_STR(spec, HAFT__LIT("/here/spec.yaml"), "path of the spec");
    if (haft__str_equal(path, HAFT__LIT("notes.md"))) {
        *ret_text = HAFT__LIT("Write in English.\n");
    } else if (haft__str_equal(path, HAFT__LIT("binary.md"))) {
        *ret_text = HAFT__LIT("ab\xff");
    } else if (haft__str_equal(path, HAFT__LIT("nul.md"))) {
        *ret_text = (haft_str){"a\0b", 3};
    } else if (haft__str_equal(path, HAFT__LIT("empty.md"))) {
        *ret_text = HAFT__LIT("");
    } else if (haft__str_equal(path, HAFT__LIT("big.md"))
               || haft__str_equal(path, HAFT__LIT("full.md"))) {
        size_t size = HAFT__LIMIT_MEMORY_FILE_BYTES + (path.ptr[0] == 'b');
        char *text = haft__arena_array(arena, size, 1);
        memset(text, 'x', size);
        *ret_text = (haft_str){text, size};
    } else {
        return haft__fail(err, HAFT_IO, "gone.md", "cannot be read: no such file");
    }
    return HAFT_OK;
}

static haft_status read_agents_md(haft__arena *arena, haft_str spec, haft_str root,
                                  haft_str *ret_path, haft_str *ret_text, haft_error *err)
{
    (void)arena, (void)spec, (void)err;
    bool found = haft__str_equal(root, HAFT__LIT("src"));
    *ret_path = found ? HAFT__LIT("src/../AGENTS.md") : (haft_str){NULL, 0};
    *ret_text = HAFT__LIT("Run make test.");
    return HAFT_OK;
}

static void load_memory(loaded *f, const char *text)
{
    haft__spec_options options = {.hash_key = {1, 2},
                                  .path = HAFT__LIT("/here/spec.yaml"),
                                  .read_memory = read_memory,
                                  .read_agents_md = read_agents_md};
    load_with(f, haft__str(text), &options);
}

static haft_str source_of(const loaded *f, const char *key)
{
    haft__buf buf;
    const haft__json *value = haft__json_get(f->spec->source, haft__str(key));
    haft__buf_init(&buf, 1 << 20);
    if (value != NULL) {
        haft__json_write(&buf, *value);
    }
    return keep(&buf);
}

TEST(the_source_has_the_texts)
{
    loaded f;
    load_memory(&f, "memory: [notes.md, empty.md]\nagents_md: true\nroot: src\n"
                    "tools: [{builtin: [read]}]");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_STR(source_of(&f, "memory"),
              HAFT__LIT("[{\"file\":\"notes.md\",\"text\":\"Write in English.\\n\"},"
                        "{\"file\":\"empty.md\",\"text\":\"\"}]"),
              "memory");
    CHECK_STR(source_of(&f, "agents_md"),
              HAFT__LIT("{\"file\":\"src/../AGENTS.md\",\"text\":\"Run make test.\"}"),
              "agents_md");
    CHECK_INT(f.spec->memory_count, 3, "files");
    CHECK(f.spec->memory[2].project && !f.spec->memory[0].project, "AGENTS.md is untrusted");
    CHECK_STR(f.spec->memory[0].sha256,
              HAFT__LIT("642e9576a2c45887e289dd5d66ab5574504b36502fc4ca792337aec93572d399"),
              "hash");
    unload(&f);
}

TEST(a_stored_spec_reads_no_file)
{
    static const char stored[] = "memory: [{file: gone.md, text: old}]\nagents_md: {}";
    loaded f, same;
    load_memory(&f, stored);
    load_kept(&same, stored);
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_INT(f.spec->memory_count, 1, "only the stored text");
    CHECK_STR(f.spec->memory[0].text, HAFT__LIT("old"), "the stored text");
    CHECK_STR(f.spec->hash, same.spec->hash, "a load without files");
    unload(&f);
    unload(&same);
}

TEST(the_hash_of_a_spec_depends_on_its_memory)
{
    loaded f, g;
    load_memory(&f, "memory: [notes.md]");
    load_memory(&g, "memory: [{file: notes.md, text: Other.}]");
    CHECK(!haft__str_equal(f.spec->hash, g.spec->hash), "another text");
    unload(&f);
    unload(&g);
}

static const problem_case cases[] = {
    {"memory: [full.md]", ""},
    {"memory: [big.md]",
     "1:10: big.md has 65537 bytes, and a memory file has at most 65536 (the model reads it in "
     "every request: keep what every task needs, and let a skill have the rest)"},
    {"memory: [gone.md]",
     "1:10: gone.md: cannot be read: no such file (the path is relative to the spec)"},
    {"memory: [binary.md]", "1:10: binary.md is not a text: byte 2 is not UTF-8 (a memory file is "
                            "Markdown or plain text in UTF-8)"},
    {"memory: [nul.md]", "1:10: nul.md is not a text: byte 1 is NUL (a memory file is Markdown or "
                         "plain text in UTF-8)"},
    {"memory: [full.md, full.md, full.md, full.md]", ""},
    {"memory: [full.md, full.md, full.md, full.md, notes.md]",
     "1:9: the memory files have 262162 bytes together, and a spec has at most 262144 (the model "
     "reads all of them in every request)"},
    {"agents_md: true", "1:12: warning: no AGENTS.md was found (haft looks in `root`, and "
                        "above it up to the directory with .git)"},
    {"agents_md: false", ""},
    {"memory: [notes.md]\nkind: graph\ngraph: {nodes: {a: {do: []}}, edges: [{from: start, to: "
     "a}]}",
     "1:1: warning: \"memory\" has no effect: a graph asks no model itself; its agents have these "
     "keys"},
};

TEST(unusable_files_are_reported)
{
    CHECK_INT(HAFT__LIMIT_MEMORY_BYTES, 262144, "the limit of the cases");
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded f;
        load_memory(&f, cases[i].text);
        CHECK_STR(f.listing, haft__str(cases[i].problems), "%s", cases[i].text);
        unload(&f);
    }
}

TEST(at_most_16_files)
{
    haft_str many = problems_of("memory: [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a]");
    CHECK(HAFT__LIMIT_MEMORY_FILES == 16 && many.len > 0, "%s", many.ptr);
    CHECK_STR(problems_of("memory: [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a]"),
              HAFT__LIT(""), "as many as allowed");
}
