/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/reply_reader.c: bodies with one value per line, by a small decoder. Event
 * streams and whole replies are tested with the decoders, tests/model/providers/. */
#include "model/reply_help.h"
#include "model/reply_reader.h"
#include "test.h"
#include "json/object.h"

static const haft__stop_word words[] = {{"stop", HAFT__STOP_END, false},
                                        {"length", HAFT__STOP_LENGTH, false},
                                        {"broken", HAFT__STOP_END, true},
                                        {0}};

/* {"text":..,"think":..,"item":..,"stop":..} */
static haft_status read_value(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err)
{
    haft__delta item = {.kind = HAFT__DELTA_ITEM, .text = haft__object_string(value, "item")};
    (void)name;
    reader->has_message = true;
    haft_status status =
        haft__reply_reader_add_text(reader, haft__object_string(value, "text"), err);
    if (status == HAFT_OK) {
        status = haft__reply_reader_add_reasoning(reader, haft__object_string(value, "think"), err);
    }
    if (status == HAFT_OK && item.text.len > 0) {
        status = haft__reply_reader_emit(reader, &item, err);
    }
    haft__reply_reader_set_stop(reader, words, haft__object_string(value, "stop"));
    return status == HAFT_OK
               ? haft__reply_reader_set_model(reader, haft__object_string(value, "model"), err)
               : status;
}

static const haft__reply_decoder decoder = {
    .lines = true, .find_error = haft__server_error_find_wrapped, .read_value = read_value};

static void init_stream(haft__provider_stream *stream, const haft__provider_stream_options *options)
{
    haft__reply_reader_init((haft__reply_reader *)stream, &decoder, options);
}

static const haft__provider_api api = {.stream_size = sizeof(haft__reply_reader),
                                       .init_stream = init_stream,
                                       .finish_stream = haft__reply_reader_finish_stream,
                                       .feed = haft__reply_reader_feed_stream,
                                       .end = haft__reply_reader_end_stream};

static const struct {
    const char *name, *body, *wanted;
} cases[] = {
    {"one line", "{'text':'hi','model':'m','stop':'stop'}", "hi||stop|0 0 0|m"},
    {"lines, and an empty one", "{'text':'a'}\n\n{'text':'b','think':'t'}\r\n{'stop':'length'}\n",
     "ab|t|length|0 0 0|"},
    {"items", "{'item':'1','text':'a'}\n{'item':'[2]','stop':'stop'}\n",
     "a||stop|0 0 0||items [1,[2]]"},
    {"no stop", "{'text':'a'}\n", "cut 0 the reply was cut off before its end"},
    {"half a line",
     "{'text':'a','stop':'stop'}\n{'text':", "cut 0 the reply was cut off before its end"},
    {"an error", "{'text':'a'}\n{'error':'no memory'}\n",
     "other 0 the model server reported an error: no memory"},
    {"a failed stop", "{'stop':'broken'}\n",
     "transient 0 the model server aborted the reply (stop reason broken)"},
    {"nothing", " \n", "cut 0 the model server ended its response before a reply began"},
};

TEST(lines_are_read_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_answer(&api, help_quotes(cases[i].body), NULL, cases[i].wanted, cases[i].name);
        help_check_memory(&api, help_quotes(cases[i].body), NULL, cases[i].name);
    }
}

TEST(a_line_that_is_not_json_is_not_a_reply)
{
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    CHECK_INT(help_answer(&api, HAFT__LIT("{\"text\":nope}\n"), 0, NULL, &found), HAFT_OK,
              "read the line");
    CHECK(haft__str_starts_with(haft__buf_str(&found), HAFT__LIT("garbled 0 ")), "%.*s",
          HAFT__ARG(haft__buf_str(&found)));
    haft__buf_finish(&found);
}
