/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - see run/output.h. Tests: tests/run/output_test.c. */
#include "run/output.h"

#include "base/error.h"
#include "base/str.h"
#include "tool/wire_name.h"
#include "json/read.h"

bool haft__output_is_checked(const haft__tool *tool)
{
    return tool->output != NULL;
}

static void add_start(haft__buf *why, const haft__tool *tool)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    haft__buf_addf(why, "%s ran, but its result does not match its output_schema: ", wire.text);
}

haft_status haft__output_check(const haft__tool *tool, haft__json value, haft__checker *checker,
                               haft__arena *arena, haft__buf *why, haft_error *err)
{
    haft__schema_report report = {.valid = true};
    haft_status status = haft__schema_check(tool->output, checker, value, arena, &report, err);
    if (status != HAFT_OK || report.valid) {
        return status;
    }
    add_start(why, tool);
    haft__schema_report_write(why, &report);
    return haft__buf_check(why, err);
}

haft_status haft__output_check_text(const haft__tool *tool, haft_str text, bool secret,
                                    haft__checker *checker, haft__arena *arena,
                                    haft__hash_key hash_key, haft__buf *why, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value;
    size_t before = why->len;
    options.hash_key = hash_key;
    haft_status status = haft__json_read(arena, text, &options, &value, NULL, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        add_start(why, tool);
        haft__buf_add_str(why, HAFT__LIT("expected JSON, found other text"));
        return haft__buf_check(why, err);
    }
    status = haft__output_check(tool, value, checker, arena, why, err);
    if (status == HAFT_OK && secret && why->len > before) {
        why->len = before; /* the report may quote a part of the secret */
        add_start(why, tool);
        haft__buf_add_str(why, HAFT__LIT("it contains a secret, so nothing of it is shown"));
        status = haft__buf_check(why, err);
    }
    return status;
}
