/* SPDX-License-Identifier: Apache-2.0 */
/* model_hint.c - see model_hint.h. Tests: tests/cli/models_test.py. */
#include "cli/models/model_hint.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/models/model_probe.h"
#include "cli/terminal/print.h"
#include "json/value.h"

#define MAX_SHOWN 5

static bool must_hint(const haft__args *args, const haft__spec *spec)
{
    return haft__json_get(spec->source, HAFT__LIT("model")) == NULL
           && !haft__args_has(args, "quiet") && !haft__args_has(args, "json")
           && !haft__args_has(args, "events");
}

/* Ignores errors: if the search for models fails, no hint is printed. */
void haft__model_hint_print(haft__cli *cli, const haft__args *args, const haft__spec *spec)
{
    const haft__model_probe_options options = {.local_only = true,
                                               .timeout_ms = HAFT__LIMIT_MODEL_HINT_MS};
    const haft__found_model *models = NULL;
    size_t count = 0, shown = 0, more = 0;
    haft_error ignored = {0};
    if (!must_hint(args, spec)
        || haft__model_probe(cli, &options, &models, &count, &ignored) != HAFT_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!models[i].reachable || models[i].provider == NULL) {
            continue;
        }
        if (shown == MAX_SHOWN) {
            more++;
            continue;
        }
        (void)fputs(shown++ == 0 ? "haft: no model is named, so offline answers; found " : ", ",
                    cli->errors);
        haft__print_escaped(cli->errors, models[i].model);
        (void)fputs(" (", cli->errors);
        haft__print_escaped(cli->errors, models[i].why);
        (void)fputs(")", cli->errors);
    }
    if (more > 0) {
        (void)fprintf(cli->errors, " and %zu more", more);
    }
    if (shown > 0) {
        (void)fputs("; choose one with --model\n", cli->errors);
    }
}
