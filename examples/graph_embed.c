/* SPDX-License-Identifier: Apache-2.0 */
/* graph_embed.c - a graph in a C program: two sensors are read at once, until there are enough
 * values. Its nodes, and the way in which values are joined, are functions of the program.
 * Build it: cc graph_embed.c $(pkg-config --cflags --libs haft)
 * Run it:   ./a.out 6 */
#include <haft.h>
#include <stdio.h>

/* ---- a node: reads one sensor ---- */

static haft_reply measure(haft_call *call, const haft_graph_view *view)
{
    char json[64];
    double degrees = view->node[0] == 'i' ? 20.5 : 4.5; /* "inside" or "outside" */
    if (haft_cancelled(call)) {
        return haft_reply_error(call, "The measurement was cancelled.");
    }
    (void)snprintf(json, sizeof(json), "{\"update\":{\"stats\":%.1f}}", degrees + view->step);
    return haft_reply_command(call, json);
}

/* ---- a reducer: a channel that has the number of all values and their mean ---- */

static haft_reply add_to_mean(haft_call *call, haft_str value, haft_str update)
{
    char text[96];
    int count = 0;
    double mean = 0, degrees = 0;
    (void)snprintf(text, sizeof(text), "%.*s", HAFT_STR(update));
    /* haft wrote these numbers, so none overflows. NOLINTNEXTLINE(cert-err34-c) */
    if (sscanf(text, "%lf", &degrees) != 1) {
        return haft_reply_error(call, "expected a number, found %s", text);
    }
    (void)snprintf(text, sizeof(text), "%.*s", HAFT_STR(value)); /* at first: no value */
    /* NOLINTNEXTLINE(cert-err34-c): as above */
    (void)sscanf(text, "{\"count\":%d,\"mean\":%lf}", &count, &mean);
    (void)snprintf(text, sizeof(text), "{\"count\":%d,\"mean\":%.3f}", count + 1,
                   (mean * count + degrees) / (count + 1));
    return haft_reply_json(call, text);
}

/* ---- a tool ---- */

HAFT_TOOL_WITH(HAFT_READ_ONLY, report, "Write the report.", HAFT_INTEGER(count, "How many values"),
               HAFT_NUMBER(mean, "Their mean"))
{
    return haft_replyf(call, "%lld values, %.2f degrees", args->count, args->mean);
}

/* ---- the graph ---- */

static void build(haft_graph *graph, const char *enough)
{
    haft_graph_channel(graph, "stats", "{\"reducer\":\"custom:mean\"}");
    haft_graph_channel(graph, "text", NULL);
    haft_graph_node(graph, "round", "{\"do\":[]}");
    haft_graph_node_function(graph, "inside", "measure");
    haft_graph_node_function(graph, "outside", "measure");
    haft_graph_node(graph, "judge", "{\"do\":[]}");
    haft_graph_node_tool(graph, "report", "report",
                         "{\"count\":\"/stats/count\",\"mean\":\"/stats/mean\"}",
                         "{\"text\":\"\"}");
    haft_graph_edge(graph, "start", "round");
    haft_graph_edge_json(graph, "{\"from\":\"round\",\"to\":[\"inside\",\"outside\"]}");
    haft_graph_edge_json(graph, "{\"from\":[\"inside\",\"outside\"],\"to\":\"judge\"}");
    haft_graph_edge_if(graph, "judge", "/stats/count", "lt", enough, "round", "report");
    haft_graph_set(graph, "/graph/output", "\"/text\"");
}

static haft_status work(haft_runtime *runtime, haft_graph *graph, haft_error *err)
{
    haft_agent *agent = NULL;
    haft_run *run = NULL;
    haft_status status =
        haft_graph_function_add(runtime, "measure", measure, NULL, HAFT_READ_ONLY, err);
    if (status == HAFT_OK) {
        status = haft_graph_reducer_add(runtime, "mean", add_to_mean, NULL, err);
    }
    if (status == HAFT_OK) {
        status = haft_tool_add(runtime, &report_tool, err);
    }
    if (status == HAFT_OK) {
        status = haft_graph_agent(runtime, graph, &agent, err);
    }
    if (status == HAFT_OK) {
        status = haft_run_start(agent, "{}", NULL, &run, err);
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
    haft_graph *graph = NULL;
    haft_status status = haft_runtime_create(NULL, &runtime, &err);
    if (status == HAFT_OK) {
        status = haft_graph_create("sensors", &graph, &err);
    }
    if (status == HAFT_OK) {
        build(graph, argc > 1 ? argv[1] : "6");
        status = work(runtime, graph, &err);
    }
    haft_graph_destroy(graph);
    haft_runtime_destroy(runtime);
    if (status != HAFT_OK) {
        (void)fprintf(stderr, "%s: %s (%s)\n", err.where, err.message, err.hint);
    }
    return status == HAFT_OK ? 0 : 1;
}
