/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/wire_name.c. */
#include "tool/wire_name.h"

#include "base/limits.h"
#include "test.h"
#include "tool_help.h"

TEST(names_have_the_expected_wire_names)
{
    static const struct {
        const char *name, *wire;
    } cases[] = {
        {"grep", "grep"},
        {"search_database", "search_database"},
        {"a-b", "a-b"},
        {"a-_b", "a-_b"},
        {"_", "_"},
        {"__", "__"},
        {"docs:search", "docs_-_search"},
        {"docs:_x", "docs_-__x"},
        {"docs_:x", "docs__-_x"},
        {"a_-b", "a_-ub"},
        {"a_-_b", "a_-u_b"},
        {"_-", "_-u"},
        {"__-", "__-u"},
        {"_--", "_-u-"},
        {"a:-b", "a_-_-b"},
        {"_:-", "__-_-"},
        {"v1.read", "v1_-h2eread"},
        {"a/b", "a_-h2fb"},
        {"_.", "__-h2e"},
        {"0", "_-h30"},
        {"9a", "_-h39a"},
        {"-a", "_-h2da"},
        {"a9-", "a9-"},
        {":a", "_-_a"},
        {"\xff", "_-hff"},
        {"caf\xc3\xa9", "caf_-hc3_-ha9"},
        {"_-hc3", "_-uhc3"},
        {"_-z0123456789abcdef", "_-uz0123456789abcdef"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
        /* These must never change: histories and caches contain them. */
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_-z876304e88f9a58d0"},
        {"server:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "server_-_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_-zf815099f047d6d83"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__wire_name wire = haft__wire_name_encode(haft__str(cases[i].name));
        CHECK_STR(haft__wire_name_str(&wire), haft__str(cases[i].wire), "%s", cases[i].name);
        CHECK(wire.text[wire.len] == '\0', "%s: the wire name does not end with a NUL byte",
              cases[i].name);
    }
}

TEST(only_encodings_are_decoded)
{
    static const char *const cases[] = {
        "",
        "_-",
        "a_-",
        "_-x",
        "_-h",
        "_-h6",
        "_-h61",  /* 'a' needs no escape */
        "a_-h30", /* a digit needs no escape, except at the start */
        "_-h2E",
        "_-h3a", /* ':' has its own escape */
        "_-hg0",
        "_-h0g",
        "0",
        "-a",
        "a:b",
        "a.b",
        "a_-z0123456789abcdef",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char to[HAFT__WIRE_NAME_BYTES];
        size_t length = 77;
        CHECK(!haft__wire_name_decode(haft__str(cases[i]), to, &length), "%s", cases[i]);
        CHECK_INT(length, 77, "%s: the output was written", cases[i]);
    }
}

static bool fits_the_alphabet(haft_str wire)
{
    for (size_t i = 0; i < wire.len; i++) {
        char c = wire.ptr[i];
        bool start = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!start && (i == 0 || !((c >= '0' && c <= '9') || c == '-'))) {
            return false;
        }
    }
    return wire.len >= 1 && wire.len <= HAFT__WIRE_NAME_BYTES;
}

static bool is_plain_name(haft_str name)
{
    bool escape = false;
    for (size_t i = 1; i < name.len; i++) {
        escape = escape || (name.ptr[i - 1] == '_' && name.ptr[i] == '-');
    }
    return !escape && fits_the_alphabet(name);
}

/* The length of the encoding without a hash, computed in another way than in the code: the number
 * of bytes, plus what each escape adds. */
static size_t full_length(haft_str name)
{
    size_t length = name.len;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool digit = c >= '0' && c <= '9', dash = c == '-';
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool pair = dash && i > 0 && name.ptr[i - 1] == '_';
        bool plain = letter || (i > 0 && (digit || dash));
        length += pair ? 1 : plain ? 0 : c == ':' ? 2 : 4;
    }
    return length;
}

/* Checks all properties of the encoding of a name. Returns what is wrong, or NULL. `seen` maps each
 * encoding so far to its name. */
static const char *problem(haft__map *seen, haft_str name)
{
    haft__wire_name wire = haft__wire_name_encode(name);
    haft_str text = haft__wire_name_str(&wire);
    char to[HAFT__WIRE_NAME_BYTES];
    size_t length = 0;
    if (!fits_the_alphabet(text)) {
        return "does not fit the alphabet";
    }
    if (is_plain_name(name) && !haft__str_equal(text, name)) {
        return "a plain name was changed";
    }
    bool hashed = full_length(name) > HAFT__WIRE_NAME_BYTES;
    bool decoded = haft__wire_name_decode(text, to, &length);
    if (decoded == hashed) {
        return hashed ? "a hashed name was decoded" : "a name was not decoded";
    }
    if (decoded && !haft__str_equal((haft_str){to, length}, name)) {
        return "decoded to something else";
    }
    const haft_str *other = haft__map_get(seen, text);
    if (other != NULL) {
        return haft__str_equal(*other, name) ? NULL : "has the encoding of another name";
    }
    haft_str *copy = haft__arena_alloc(seen->arena, sizeof(*copy));
    haft_str key = haft__arena_copy(seen->arena, text);
    *copy = haft__arena_copy(seen->arena, name);
    return haft__map_put(seen, key, copy, NULL) == HAFT_OK ? NULL : "no memory";
}

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 33);
}

#define PIECES 20

/* Pieces that look like encodings, and bytes that need them. */
static size_t random_name(uint64_t *state, char to[256])
{
    static const char *const pieces[PIECES] = {
        "_",  "-",   "_-", ":", "a",     "u",   "h", "z", "_-_",  "_-u",
        "__", "_-h", "2e", ".", "_-h2e", "_-z", "/", "0", "tool", "_-z0123456789abcdef",
    };
    size_t used = 0, count = 1 + next(state) % 9;
    uint32_t long_one = next(state) % 16;
    for (size_t i = 0; i < count || (long_one == 0 && used < 80); i++) {
        const char *piece = pieces[next(state) % PIECES];
        size_t length = strlen(piece);
        memcpy(to + used, piece, length);
        used += length;
    }
    return used;
}

TEST(encodings_are_distinct_and_decodable)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map seen;
    haft__map_init(&seen, &arena, (haft__hash_key){3, 4});
    uint64_t state = 20;
    unsigned wrong = 0, long_names = 0;
    for (unsigned i = 0; i < 300000 && wrong < 5; i++) {
        char name[256];
        size_t length = random_name(&state, name);
        long_names += length > HAFT__WIRE_NAME_BYTES;
        const char *what = problem(&seen, (haft_str){name, length});
        wrong += what != NULL;
        CHECK(what == NULL, "%.*s: %s", (int)length, name, what);
    }
    CHECK(seen.count > 200000 && long_names > 10000, "%u names, %u long", seen.count, long_names);
    haft__arena_finish(&arena);
}

/* All names of up to 7 bytes over the characters of escapes, and each encoding as a name. */
TEST(names_that_look_like_encodings_are_encoded_too)
{
    static const char alphabet[] = "_-:uh.";
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map seen;
    haft__map_init(&seen, &arena, (haft__hash_key){3, 4});
    unsigned wrong = 0;
    for (size_t length = 1, count = 6; length <= 7; length++, count *= 6) {
        for (size_t number = 0; number < count && wrong < 5; number++) {
            char name[8];
            size_t rest = number;
            for (size_t i = 0; i < length; i++, rest /= 6) {
                name[i] = alphabet[rest % 6];
            }
            haft__wire_name wire = haft__wire_name_encode((haft_str){name, length});
            const char *what = problem(&seen, (haft_str){name, length});
            const char *twice = what == NULL ? problem(&seen, haft__wire_name_str(&wire)) : what;
            wrong += twice != NULL;
            CHECK(twice == NULL, "%.*s: %s", (int)length, name, twice);
        }
    }
    CHECK(seen.count > 300000, "%u names", seen.count);
    haft__arena_finish(&arena);
}

TEST(every_byte_and_every_length_can_be_encoded)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map seen;
    haft__map_init(&seen, &arena, (haft__hash_key){3, 4});
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            char pair[] = {(char)a, (char)b};
            const char *what = problem(&seen, (haft_str){pair, 2});
            CHECK(what == NULL, "%02x%02x: %s", a, b, what);
        }
    }
    /* A hashed name is never truncated inside an escape. */
    for (size_t before = 0; before < 64; before++) {
        for (size_t length = before + 1; length <= HAFT__LIMIT_TOOL_NAME_BYTES; length++) {
            char name[HAFT__LIMIT_TOOL_NAME_BYTES];
            memset(name, 'n', sizeof(name));
            name[before] = '.';
            const char *what = problem(&seen, (haft_str){name, length});
            CHECK(what == NULL, "%.*s: %s", (int)length, name, what);
            haft__wire_name wire = haft__wire_name_encode((haft_str){name, length});
            const char *escape = strstr(wire.text, "_-h");
            CHECK(escape == NULL || strncmp(escape, "_-h2e", 5) == 0, "%s", wire.text);
        }
    }
    haft__arena_finish(&arena);
}

TEST(registered_tools_are_found_by_their_wire_names)
{
    static const char *const names[] = {
        "grep",
        "docs:search",
        "a_long_server_name:a_tool_with_a_name_that_is_much_longer_than_providers_take",
        "a_long_server_name:a_tool_with_a_name_that_is_much_longer_than_providers_takf",
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, (haft__hash_key){1, 2});
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__tool tool = help_tool(&arena, names[i]);
        CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_OK, "%s", names[i]);
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__wire_name wire = haft__wire_name_encode(haft__str(names[i]));
        const haft__tool *tool = haft__wire_name_find_tool(&tools, haft__wire_name_str(&wire));
        CHECK(tool != NULL && haft__str_equal(tool->name, haft__str(names[i])), "%s", names[i]);
    }
    CHECK(haft__wire_name_find_tool(&tools, HAFT__LIT("docs:search")) == NULL,
          "a name that is not a wire name");
    CHECK(haft__wire_name_find_tool(&tools, HAFT__LIT("read")) == NULL,
          "a tool that is not registered");
    haft__arena_finish(&arena);
}
