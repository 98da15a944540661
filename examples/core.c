/* SPDX-License-Identifier: Apache-2.0 */
/* core.c - libhaft-core alone: a tool is declared, shown, called and its input checked, with
 * neither a model nor a runtime near. That is how tools are unit-tested.
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

/* What the model is told about it. */
static void show_schema(void)
{
    char *schema = NULL;
    if (haft_tool_schema(&convert_tool, &schema, NULL) == HAFT_OK) {
        printf("schema: %s\n", schema);
    }
    haft_free(schema);
}

/* Arguments as a model may write them: converted where nothing is lost, refused where it would. */
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

/* Every failure at once, for a text that need not be a tool's. */
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
