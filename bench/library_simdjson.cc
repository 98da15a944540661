/* SPDX-License-Identifier: Apache-2.0 */
/* library_simdjson.cc - Debian's simdjson (C++), its DOM with one parser used again and again. The
 * text is copied with the padding it needs, as its own loader does for text that has none. */
#include <simdjson.h>

#include <string>

#include "bench.h"

namespace
{

struct state {
    simdjson::dom::parser parser;
    simdjson::dom::element value;
    std::string text;
};

void *create()
{
    return new state;
}

void destroy(void *context)
{
    delete static_cast<state *>(context);
}

bool parse(void *context, const char *text, size_t length)
{
    state *s = static_cast<state *>(context);
    return s->parser.parse(text, length).get(s->value) == simdjson::SUCCESS;
}

size_t write_value(void *context)
{
    state *s = static_cast<state *>(context);
    s->text = simdjson::to_string(s->value);
    return s->text.size();
}

} // namespace

extern "C" const bench_library bench_simdjson = {"simdjson", create, destroy, parse, write_value};
