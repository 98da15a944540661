/* SPDX-License-Identifier: Apache-2.0 */
/* core.c - libhaft-core alone: declares a tool, prints its schema, calls it and validates input,
 * without a model or a runtime. Tools are unit-tested this way.
 * Build it: cc core.c $(pkg-config --cflags --libs haft-core) */
#include <haft.h>
#include <stdio.h>

HAFT_TOOL_WITH(HAFT_READ_ONLY, convert, "Convert a length.", HAFT_NUMBER(length, "How long it is"),
               HAFT_ENUM(from, "The unit it is in", "metre", "mile"))
{
    bool is_mile = args->from.ptr[1] == 'i';
    return is_mile ? haft_replyf(call, "%.1f metre", args->length * 1609.344)
                   : haft_replyf(call, "%.4f mile", args->length / 1609.344);
}

/* The schema that the model gets. */
static void show_schema(void)
{
    char *schema = NULL;
    if (haft_tool_schema(&convert_tool, &schema, NULL) == HAFT_OK) {
        printf("schema: %s\n", schema);
    }
    haft_free(schema);
}

/* Arguments as a model may write them: converted if nothing is lost, otherwise rejected. */
static void try_it(const char *arguments)
{
    haft_error err = {HAFT_OK, "", "", ""};
    char *text = NULL;
    if (haft_tool_try(&convert_tool, arguments, NULL, &text, &err) == HAFT_OK) {
        printf("%s -> %s\n", arguments, text);
    } else {
        printf("%s -> %s: %s %s\n", arguments, haft_status_name(err.status), err.where,
               err.message);
    }
    haft_free(text);
}

/* All failures at once, for any schema and JSON text. */
static void check(const char *schema, const char *json)
{
    haft_error err = {HAFT_OK, "", "", ""};
    char *failures = NULL;
    if (haft_check_json(schema, json, &failures, &err) != HAFT_OK) {
        printf("%s: %s (%s)\n", err.where, err.message, err.hint);
    } else {
        printf("%s: %s\n", json, failures == NULL ? "valid" : failures);
    }
    haft_free(failures);
}

int main(void)
{
    show_schema();
    try_it("{\"length\": 2, \"from\": \"mile\"}");
    try_it("{\"length\": \"500\", \"from\": \"metre\"}");
    try_it("{\"length\": 500, \"from\": \"yard\"}");
    check("{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}", "[1, 2]");
    check("{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}", "[1, \"two\", 2.5]");
    check("{\"pattern\": \"^a\"}", "\"b\"");
    return 0;
}
