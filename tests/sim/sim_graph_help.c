/* SPDX-License-Identifier: Apache-2.0 */
/* sim_graph_help.c - specs of graphs from the seed: nodes of every kind beside each other, a map, a
 * join, a loop and graphs inside graphs; and what a broken worker does to a graph. */
#include "graph/run/graph_run.h"
#include "sim_help.h"
#include "spec/load/load.h"
#include "json/object.h"

/* ---- nodes ---- */

/* The levels of graphs: each runs the next one. */
static const struct {
    sim_role role;
    const char *name, *inner; /* inner: the graph that its nodes run */
} levels[] = {{SIM_GRAPH, "main", "inner"}, {SIM_INNER, "inner", "deep"}, {SIM_DEEP, "deep", ""}};

/* The content of a node, apart from keys that every node may have. */
static const struct {
    const char *text;
    bool tool, graph; /* it calls a tool; it runs the graph below */
} kinds[] = {
    {"\"tool\":\"look\",\"args\":{\"q\":\"/q\"},\"out\":{\"log\":\"\"}", true, false},
    {"\"tool\":\"put\",\"args\":{\"q\":{\"value\":\"p\"}},\"out\":{\"log\":\"\"}", true, false},
    {"\"tool\":\"send\",\"args\":{\"q\":{\"value\":\"s\"}},\"out\":{\"log\":\"\"}", true, false},
    {"\"tool\":\"pay\",\"args\":{\"q\":{\"value\":\"y\"}},\"out\":{\"log\":\"\"}", true, false},
    {"\"ask\":\"Which one?\",\"out\":{\"log\":\"\"}", false, false},
    {"\"ask\":{\"question\":\"Which one?\",\"deadline\":\"20s\",\"on_expire\":{\"answer\":"
     "\"late\"}},\"out\":{\"log\":\"\"}",
     false, false},
    {"\"do\":[{\"set\":{\"log\":\"did\",\"sum\":2}}]", false, false},
    {"\"do\":[{\"ask\":\"Which?\",\"as\":\"a\"},{\"ask\":\"Why?\"},{\"text\":{\"log\":\"{/a} "
     "{/$/answer}\"}}]",
     false, false},
    {"\"agent\":\"leaf\",\"task\":\"find {/q}\",\"out\":{\"log\":\"\"}", false, false},
    {"\"graph\":\"%s\",\"out\":{\"log\":\"/log\"}", false, true},
    {"\"do\":[{\"call\":\"%s\",\"in\":{\"q\":\"/q\"},\"out\":{\"log\":\"/log\"}}]", false, true},
};

/* Keys that say what happens before, after and instead of the node. */
static void add_manners(sim *s, haft__buf *text, size_t kind)
{
    static const char *const pauses[] = {"before", "after", "both"};
    uint32_t pause = sim_pick(s, 24), handler = sim_pick(s, 10);
    uint32_t attempts = 2 + sim_pick(s, 2);
    bool backoff = sim_chance(s, 30);
    if (kinds[kind].tool && sim_chance(s, 40)) {
        haft__buf_addf(text, ",\"retry\":{\"attempts\":%u%s}", attempts,
                       backoff ? ",\"backoff\":\"2s\"" : "");
    }
    if (pause < COUNT(pauses)) {
        haft__buf_addf(text, ",\"pause\":\"%s\"", pauses[pause]);
    }
    if (handler < 6) {
        haft__buf_add_str(text, HAFT__LIT(",\"on_error\":{\"do\":[{\"set\":{\"log\":\"failed\"}}"));
        haft__buf_add_str(text, handler == 0 ? HAFT__LIT(",{\"goto\":\"end\"}") : HAFT__LIT(""));
        haft__buf_add_str(text, HAFT__LIT("]}"));
    }
}

static void add_node(sim *s, haft__buf *text, const char *name, const char *inner)
{
    size_t kind = sim_pick(s, COUNT(kinds));
    while (kinds[kind].graph && inner[0] == '\0') {
        kind = sim_pick(s, COUNT(kinds));
    }
    haft__buf_addf(text, "\"%s\":{", name);
    for (const char *at = kinds[kind].text; *at != '\0'; at++) {
        bool hole = at[0] == '%' && at[1] == 's';
        haft__buf_add_str(text, hole ? haft__str(inner) : (haft_str){at, 1});
        at += hole;
    }
    add_manners(s, text, kind);
    haft__buf_add_str(text, HAFT__LIT("},"));
}

/* ---- graphs ---- */

/* The names of the nodes that run beside each other; their order is not that of the file. */
typedef struct layer {
    char names[4][4];
    size_t count;
} layer;

static layer make_layer(sim *s, haft__buf *text, char letter, uint32_t min, uint32_t max,
                        const char *inner)
{
    layer l = {.count = min + sim_pick(s, max - min + 1)};
    for (size_t i = 0; i < l.count; i++) {
        (void)snprintf(l.names[i], sizeof(l.names[i]), "%c%u", letter,
                       (unsigned)((7 * (i + 1) + sim_pick(s, 3) * 10) % 40));
        for (size_t k = 0; k < i; k++) {
            if (strcmp(l.names[k], l.names[i]) == 0) {
                l.count = i;
                return l;
            }
        }
        add_node(s, text, l.names[i], inner);
    }
    return l;
}

static void add_names(haft__buf *text, const layer *l)
{
    haft__buf_add_char(text, '[');
    for (size_t i = 0; i < l->count; i++) {
        haft__buf_addf(text, "%s\"%s\"", i > 0 ? "," : "", l->names[i]);
    }
    haft__buf_add_char(text, ']');
}

/* From `l` to the node `to`: a join, or an edge for each. */
static void add_meeting(sim *s, haft__buf *text, const layer *l, const char *to)
{
    if (l->count > 1 && sim_chance(s, 60)) {
        haft__buf_add_str(text, HAFT__LIT(",{\"from\":"));
        add_names(text, l);
        haft__buf_addf(text, ",\"to\":\"%s\"}", to);
        return;
    }
    for (size_t i = 0; i < l->count; i++) {
        haft__buf_addf(text, ",{\"from\":\"%s\",\"to\":\"%s\"}", l->names[i], to);
    }
}

/* Two layers with a join behind the first; workers; then a decision that leads back or ends. */
static void add_graph(sim *s, haft__buf *text, const char *inner, bool outer)
{
    bool workers = sim_chance(s, 40), second = sim_chance(s, 60), limit = sim_chance(s, 25);
    uint32_t steps = outer ? 3 + sim_pick(s, 6) : 4 + sim_pick(s, 4);
    haft__buf_addf(text,
                   "{\"input\":[\"q\"],\"output\":\"/log\",\"recursion_limit\":%u,%s"
                   "\"channels\":{\"q\":{},\"log\":{\"reducer\":\"append\"},\"sum\":{\"reducer\":"
                   "\"add\"},\"rounds\":{\"reducer\":\"add\"},\"items\":{\"default\":[1,2,3]}},"
                   "\"nodes\":{",
                   steps, limit ? "\"on_limit\":\"z\"," : "");
    layer first = make_layer(s, text, 'a', 1, outer ? 4 : 2, inner);
    layer then = make_layer(s, text, 'k', 0, second ? 2 : 0, "");
    haft__buf_add_str(text, limit ? HAFT__LIT("\"z\":{\"do\":[{\"set\":{\"log\":\"limit\"}}]},")
                                  : HAFT__LIT(""));
    if (workers) {
        add_node(s, text, "w", "");
    }
    haft__buf_addf(text,
                   "\"j\":{\"do\":[{\"set\":{\"sum\":1}}]},\"t\":{%s\"do\":[{\"set\":{\"rounds\":"
                   "1}}]}},\"edges\":[{\"from\":\"start\",\"to\":",
                   sim_chance(s, 30) ? "\"defer\":true," : "");
    add_names(text, &first);
    haft__buf_add_char(text, '}');
    add_meeting(s, text, &first, "j");
    if (workers) {
        haft__buf_addf(text,
                       ",{\"from\":\"%s\",\"map\":{\"over\":\"/items\",\"to\":\"w\",\"as\":\"item"
                       "\",\"with\":[\"q\"]}}",
                       first.names[0]);
    }
    if (then.count > 0) {
        haft__buf_add_str(text, HAFT__LIT(",{\"from\":\"j\",\"to\":"));
        add_names(text, &then);
        haft__buf_add_char(text, '}');
        add_meeting(s, text, &then, "t");
    } else {
        haft__buf_add_str(text, HAFT__LIT(",{\"from\":\"j\",\"to\":\"t\"}"));
    }
    haft__buf_addf(text,
                   ",{\"from\":\"t\",\"choose\":[{\"when\":{\"at\":\"/rounds\",\"op\":\"ge\","
                   "\"value\":%u},\"to\":\"end\"},{\"to\":",
                   1 + sim_pick(s, outer ? 3 : 1));
    first.count = sim_chance(s, 70) ? first.count : 1; /* one alone leaves a join half full */
    add_names(text, &first);
    haft__buf_add_str(text, HAFT__LIT("}]}]}"));
}

/* ---- specs ---- */

static void load(sim *s, sim_role role, haft_str text)
{
    haft_error err = {0};
    haft__spec_report report;
    const haft__spec *loaded = NULL;
    const haft__spec_options options = {.hash_key = HELP_KEY, .schema = s->schema};
    if (haft__spec_load(&s->arena, haft__arena_copy(&s->arena, text), &options, &loaded, &report,
                        &err)
            != HAFT_OK
        || loaded == NULL) {
        sim_fail(s, "the spec of a graph is not valid: %s: %.*s",
                 report.count > 0 ? report.problems[0].message.ptr : err.message, HAFT__ARG(text));
        return;
    }
    s->specs[role].help.spec = *loaded;
}

/* One text with all graphs; each level has its own in the place of `graph`. */
void sim_make_graphs(sim *s)
{
    static const char *const unknown[] = {"", "", "on_unknown=tell", "on_unknown=retry"};
    haft_str graphs[COUNT(levels)];
    uint32_t turns = 3 + sim_pick(s, 20), parallel = 1 + sim_pick(s, 4);
    const char *policy = unknown[sim_pick(s, COUNT(unknown))];
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    for (size_t i = 0; i < COUNT(levels); i++) {
        haft__buf_clear(&text);
        add_graph(s, &text, levels[i].inner, i == 0);
        graphs[i] = haft__arena_copy(&s->arena, haft__buf_str(&text));
    }
    for (size_t i = 0; i < COUNT(levels); i++) {
        sim_spec *spec = &s->specs[levels[i].role];
#define SCHEMA                                                                                     \
    "\"description\":\"Does what the test wants.\",\"command\":[\"x\"],\"input_schema\":{\"type\"" \
    ":\"object\",\"properties\":{\"q\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\","         \
    "\"default\":7}},\"additionalProperties\":false},\"traits\":"
        haft__buf_clear(&text);
        haft__buf_addf(&text,
                       "{\"haft\":1,\"kind\":\"graph\",\"name\":\"%s\",\"limits\":{\"turns\":%u,"
                       "\"parallel\":%u},%s\"tools\":[",
                       levels[i].name, turns, parallel,
                       policy[0] == '\0'        ? ""
                       : strstr(policy, "tell") ? "\"on_unknown\":\"tell\","
                                                : "\"on_unknown\":\"retry\",");
        haft__buf_add_str(&text, HAFT__LIT("{\"name\":\"look\"," SCHEMA "{\"read_only\":true}},"
                                           "{\"name\":\"put\"," SCHEMA "{\"idempotent\":true}},"
                                           "{\"name\":\"send\"," SCHEMA "{}},"
                                           "{\"name\":\"pay\"," SCHEMA));
        haft__buf_addf(&text,
                       "{\"needs_approval\":%s}}],\"agents\":{\"leaf\":{\"haft\":1,\"name\":"
                       "\"leaf\",\"model\":\"offline\"}},\"graph\":%.*s",
                       s->broken == SIM_UNASKED ? "false" : "true", HAFT__ARG(graphs[i]));
        for (size_t k = 1; k < COUNT(levels); k++) {
            haft__buf_addf(&text, "%s\"%s\":%.*s", k == 1 ? ",\"graphs\":{" : ",", levels[k].name,
                           HAFT__ARG(graphs[k]));
        }
        haft__buf_add_str(&text, HAFT__LIT("}}"));
        (void)snprintf(spec->words, sizeof(spec->words), "graph; %s", policy);
        load(s, levels[i].role, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
}

sim_role sim_role_of(haft_str agent)
{
    for (size_t i = 0; i < COUNT(levels); i++) {
        if (haft__str_starts_with(agent, HAFT__LIT(HAFT__GRAPH_CALL_TOOL))
            && haft__str_equal(haft__str_skip(agent, strlen(HAFT__GRAPH_CALL_TOOL)),
                               haft__str(levels[i].name))) {
            return levels[i].role;
        }
    }
    return haft__str_equal(agent, HAFT__LIT("leaf")) ? SIM_LEAF : SIM_AGENT;
}

/* ---- forks ---- */

/* After a step, with another state or without; or where nodes have failed. */
haft__fork_options sim_pick_step(sim *s, const sim_record *r)
{
    static const char *const names[] = {"t", "j", "start"};
    bool failed = haft__str_equal(r->end, HAFT__LIT("failed"));
    haft__fork_options options = {.point = HAFT__FORK_AT_STEP,
                                  .number = sim_pick(s, (uint32_t)r->graph.steps + 1),
                                  .by = HAFT__LIT("ada")};
    uint32_t as = sim_pick(s, 6);
    bool edits = sim_chance(s, 50);
    if (failed && sim_chance(s, 60)) {
        options.point = HAFT__FORK_AT_FAILURE;
    } else if (edits) {
        if (r->end.len == 0 && sim_chance(s, 50)) { /* where it is: perhaps it waits for a person */
            options.point = HAFT__FORK_AT_END;
        }
        options.values = help_json(&s->arena, "{\"log\":\"edited\",\"sum\":5}");
        options.as = as < COUNT(names)         ? names[as]
                     : r->graph.next_count > 0 ? r->graph.next[0].name
                                               : NULL;
    }
    return options;
}

/* The event of a person that the fork ends with; "" for none. */
bool sim_write_change(sim *s, haft__run *run, const haft__fork_options *options, haft_error *err)
{
    haft__buf_clear(&s->text);
    if (options->values.kind == HAFT__JSON_OBJECT) {
        haft_str as = options->as != NULL ? haft__str(options->as) : HAFT__LIT("");
        return haft__graph_write_edit(run, options->values, as, options->by, &s->text, err)
               == HAFT_OK;
    }
    return options->point != HAFT__FORK_AT_FAILURE
           || haft__graph_write_retry(run, options->by, &s->text, err) == HAFT_OK;
}

/* ---- defects ---- */

/* Two results of the step change places, as if the order in which they came mattered. */
static haft_str swap_results(sim *s, haft_str body)
{
    haft_str parts[2] = {{NULL, 0}, {NULL, 0}};
    haft_str mark = HAFT__LIT("\"found ");
    size_t count = 0;
    for (size_t i = 0; i + mark.len < body.len && count < 2; i++) {
        if (memcmp(body.ptr + i, mark.ptr, mark.len) == 0) {
            size_t length = mark.len;
            while (i + length < body.len && body.ptr[i + length] != '"') {
                length++;
            }
            parts[count++] = (haft_str){body.ptr + i, length + 1};
            i += length;
        }
    }
    if (count < 2) {
        return body;
    }
    const char *end = body.ptr + body.len, *after = parts[1].ptr + parts[1].len;
    const char *between = parts[0].ptr + parts[0].len;
    haft__buf_clear(&s->text);
    haft__buf_add(&s->text, body.ptr, (size_t)(parts[0].ptr - body.ptr));
    haft__buf_add_str(&s->text, parts[1]);
    haft__buf_add(&s->text, between, (size_t)(parts[1].ptr - between));
    haft__buf_add_str(&s->text, parts[0]);
    haft__buf_add(&s->text, after, (size_t)(end - after));
    return haft__arena_copy(&s->arena, haft__buf_str(&s->text));
}

haft_str sim_break_step(sim *s, haft_str body)
{
    if (haft__str_starts_with(body, HAFT__LIT("\"kind\":\"graph_step\""))) {
        return s->broken == SIM_MIXED ? swap_results(s, body)
               : s->broken == SIM_UNWOKEN
                   ? sim_replace(s, body, "\"nodes\":[{\"node\":\"", "\"nodes\":[{\"node\":\"x")
                   : body;
    }
    bool ends = haft__str_starts_with(body, HAFT__LIT("\"kind\":\"run_finished\""));
    return ends && s->broken == SIM_UNTRUE
               ? sim_replace(s, body, "\"answer\":\"[", "\"answer\":\"[0,")
               : body;
}

/* A node that is done runs again. */
static void restart_node(haft__graph_execution *x)
{
    for (size_t i = 0; i < x->task_count; i++) {
        haft__graph_task *task = &x->tasks[i];
        if (task->state == HAFT__TASK_DONE && x->graph->nodes[task->node].kind == HAFT__NODE_TOOL) {
            task->state = HAFT__TASK_READY;
            task->has_result = false;
            task->program.output = (haft__graph_output){0};
            x->done--;
            x->cursor = 0;
            return;
        }
    }
}

void sim_break_graph(sim *s, sim_worker *w, haft_str body)
{
    haft__graph_execution *x = w->run.graph != NULL ? w->run.graph->x : NULL;
    bool step = haft__str_starts_with(body, HAFT__LIT("\"kind\":\"graph_step\""));
    if (x == NULL) {
        return;
    }
    if (s->broken == SIM_TWOFOLD && step) {
        sim_worker_forge(s, w, body);
    }
    if (s->broken == SIM_ENDLESS) {
        x->limit = 100;
    }
    if (s->broken == SIM_ANEW && !step && x->busy > 0 && x->done > 0) {
        restart_node(x);
    }
}
