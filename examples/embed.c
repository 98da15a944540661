/* SPDX-License-Identifier: Apache-2.0 */
/* embed.c - an agent inside a C program, with two of its functions as tools.
 * Build it: cc embed.c $(pkg-config --cflags --libs haft)
 * Run it:   ./a.out embed.yaml "What does Dana Frost owe?" */
#include <haft.h>
#include <stdio.h>
#include <string.h>

static const struct order {
    const char *customer, *text;
    bool paid;
} orders[] = {
    {"Ada Byron", "16: 64.00", true},
    {"Dana Frost", "17: 120.50", false},
    {"Dana Frost", "21: 15.25", true},
    {"Dana Frost", "23: 79.50", false},
};

/* ---- the tools ---- */

HAFT_TOOL_WITH(HAFT_READ_ONLY, find_orders, "Find the orders of a customer.",
               HAFT_STRING(customer, "The name, or a part of it"),
               HAFT_BOOLEAN_OR(unpaid_only, false, "Leave out paid orders"))
{
    char name[64], list[256] = "";
    int length = 0;
    (void)snprintf(name, sizeof(name), "%.*s", HAFT_STR(args->customer));
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        bool wanted = !(args->unpaid_only && orders[i].paid);
        if (wanted && strstr(orders[i].customer, name) != NULL) {
            length += snprintf(list + length, sizeof(list) - (size_t)length, "%s, %s\n",
                               orders[i].customer, orders[i].text);
        }
    }
    if (length == 0) {
        return haft_reply_error(call, "No orders of '%s'. Try a part of the name.", name);
    }
    return haft_replyf(call, "%s", list);
}

HAFT_TOOL_WITH(HAFT_READ_ONLY, add_up, "Add up amounts of money.",
               HAFT_NUMBERS(amounts, "The amounts"))
{
    double sum = 0;
    for (size_t i = 0; i < args->amounts.count; i++) {
        sum += args->amounts.items[i];
    }
    return haft_replyf(call, "%.2f", sum);
}

/* ---- the program ---- */

static haft_status work(haft_runtime *runtime, const char *spec, const char *task, haft_error *err)
{
    haft_agent *agent = NULL;
    haft_run *run = NULL;
    haft_status status = haft_tool_add(runtime, &find_orders_tool, err);
    if (status == HAFT_OK) {
        status = haft_tool_add(runtime, &add_up_tool, err);
    }
    if (status == HAFT_OK) {
        status = haft_agent_load(runtime, spec, &agent, err);
    }
    if (status == HAFT_OK) {
        status = haft_run_start(agent, task, NULL, &run, err);
    }
    while (status == HAFT_OK && haft_run_state(run) == HAFT_RUNNING) {
        status = haft_runtime_step(runtime, -1, err);
    }
    if (status == HAFT_OK) {
        printf("%s: %.*s\n", haft_run_end(run), HAFT_STR(haft_run_answer_text(run)));
    }
    haft_run_release(run);
    haft_agent_release(agent);
    return status;
}

int main(int argc, char **argv)
{
    haft_error err = {HAFT_OK, "", "", ""};
    haft_runtime *runtime = NULL;
    haft_status status = haft_runtime_create(NULL, &runtime, &err);
    if (status == HAFT_OK) {
        status = work(runtime, argc > 1 ? argv[1] : "embed.yaml",
                      argc > 2 ? argv[2] : "What does Dana Frost owe?", &err);
    }
    haft_runtime_destroy(runtime);
    if (status != HAFT_OK) {
        (void)fprintf(stderr, "%s: %s (%s)\n", err.where, err.message, err.hint);
    }
    return status == HAFT_OK ? 0 : 1;
}
