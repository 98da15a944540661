/* SPDX-License-Identifier: Apache-2.0 */
/* media_type.c - extensions and their media types. Tests: tests/run/decide/media_type_test.c. */
#include "run/decide/media_type.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"

static const struct {
    const char *extension, *type;
} types[] = {
    {"md", "text/markdown"},
    {"markdown", "text/markdown"},
    {"html", "text/html"},
    {"htm", "text/html"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"tsv", "text/tab-separated-values"},
    {"js", "text/javascript"},
    {"mjs", "text/javascript"},
    {"ics", "text/calendar"},
    {"vcf", "text/vcard"},
    {"py", "text/x-python"},
    {"c", "text/x-c"},
    {"h", "text/x-c"},
    {"sh", "application/x-sh"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"geojson", "application/geo+json"},
    {"ipynb", "application/x-ipynb+json"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"toml", "application/toml"},
    {"xml", "application/xml"},
    {"sql", "application/sql"},
    {"tex", "application/x-tex"},
    {"rtf", "application/rtf"},
    {"svg", "image/svg+xml"},
};

static bool has_extension(haft_str found, const char *extension)
{
    size_t i = 0;
    while (i < found.len && extension[i] != '\0'
           && haft__ascii_lower(found.ptr[i]) == extension[i]) {
        i++;
    }
    return i == found.len && extension[i] == '\0';
}

haft_str haft__media_type_of_name(haft_str name)
{
    size_t at = name.len;
    while (at > 0 && name.ptr[at - 1] != '.' && name.ptr[at - 1] != '/') {
        at--;
    }
    haft_str extension = haft__str_skip(name, at);
    bool dotted = at > 0 && name.ptr[at - 1] == '.';
    for (size_t i = 0; dotted && i < COUNT(types); i++) {
        if (has_extension(extension, types[i].extension)) {
            return haft__str(types[i].type);
        }
    }
    return HAFT__LIT("text/plain");
}
