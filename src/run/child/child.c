/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - see run/child/child.h. Tests: tests/run/child/child_test.c. */
#include "run/child/child.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "run/run.h"
#include "json/object.h"

/* Replaces the first bytes by the turn and the number of a call such as c3.1, so that children
 * which start in the same millisecond are listed in the order of their calls. */
static void add_order(haft_str key, uint8_t digest[HAFT__SHA256_BYTES])
{
    uint64_t turn = 0, number = 0;
    haft_str rest = haft__str_skip(key, key.len > 0);
    haft_str first = haft__str_split(&rest, '.');
    if (haft__str_starts_with(key, HAFT__LIT("c")) && haft__str_to_u64(first, &turn)
        && haft__str_to_u64(rest, &number) && turn <= UINT16_MAX && number <= UINT16_MAX) {
        digest[0] = (uint8_t)(turn >> 8);
        digest[1] = (uint8_t)turn;
        digest[2] = (uint8_t)(number >> 8);
        digest[3] = (uint8_t)number;
    }
}

void haft__child_make_id(haft_str parent, haft_str key, uint64_t ms, char to[HAFT__ID_LENGTH + 1])
{
    haft__sha256 hash;
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, parent);
    haft__sha256_add(&hash, HAFT__LIT("/"));
    haft__sha256_add(&hash, key);
    haft__sha256_end(&hash, digest);
    add_order(key, digest);
    haft__id_make(ms, digest, to);
}

const haft__agent_tool *haft__spec_agent_tool(const haft__spec *spec, haft_str tool)
{
    for (size_t i = 0; i < spec->agent_tool_count; i++) {
        if (haft__str_equal(spec->agent_tools[i].tool, tool)) {
            return &spec->agent_tools[i];
        }
    }
    return NULL;
}

uint32_t haft__child_depth(haft_str path)
{
    uint32_t depth = path.len > 0;
    for (size_t i = 0; i < path.len; i++) {
        depth += path.ptr[i] == '/';
    }
    return depth;
}

haft__child *haft__child_find(const haft__run *run, haft_str key)
{
    for (size_t i = run->child_count; i-- > 0;) {
        if (haft__str_equal(run->children[i]->key, key)) {
            return run->children[i];
        }
    }
    return NULL;
}

bool haft__child_any_open(const haft__run *run)
{
    return run->open_children > 0;
}

bool haft__child_is_closing(const haft__run *run)
{
    return run->stage != HAFT__RUN_ENDED
           && (run->cancel_asked || run->expired || run->wall_reached || run->denied_by.len > 0);
}

haft__child_close haft__child_find_close(const haft__run *run)
{
    bool active = run->stage != HAFT__RUN_ENDED;
    bool finish = run->wall_reached || run->parent_limit_reached;
    return active && (run->cancel_asked || run->expired) ? HAFT__CHILD_CLOSE_CANCEL
           : active && finish                            ? HAFT__CHILD_CLOSE_FINISH
                                                         : HAFT__CHILD_CLOSE_NONE;
}

haft__tree_usage haft__child_own_usage(const haft__run *run)
{
    return (haft__tree_usage){.runs = 1,
                              .turns = run->turn,
                              .calls = run->usage.calls,
                              .input_tokens = run->usage.input_tokens,
                              .output_tokens = run->usage.output_tokens,
                              .cached_tokens = run->usage.cached_tokens,
                              .cost_parts = run->cost_parts};
}

void haft__tree_usage_add(haft__tree_usage *sum, const haft__tree_usage *usage)
{
    sum->runs += usage->runs;
    sum->turns += usage->turns;
    sum->calls += usage->calls;
    sum->input_tokens += usage->input_tokens;
    sum->output_tokens += usage->output_tokens;
    sum->cached_tokens += usage->cached_tokens;
    sum->cost_parts += usage->cost_parts;
}

haft__tree_usage haft__child_tree_usage(const haft__run *run)
{
    haft__tree_usage tree = haft__child_own_usage(run);
    haft__tree_usage_add(&tree, &run->child_usage);
    return tree;
}

/* ---- budgets ---- */

static uint64_t subtract(uint64_t from, uint64_t amount)
{
    return from > amount ? from - amount : 0;
}

static uint64_t min_of(uint64_t amount, uint64_t limit)
{
    return amount < limit ? amount : limit;
}

/* The sum of the budgets that are reserved for open children. */
static haft__child_budget reserved_by_children(const haft__run *run)
{
    haft__child_budget sum = {0};
    for (size_t i = 0; i < run->child_count; i++) {
        const haft__child *child = run->children[i];
        if (!child->finished) {
            sum.turns += child->limits.turns;
            sum.calls += child->limits.calls;
            sum.tokens += child->limits.tokens;
            sum.usd_micros += child->limits.usd_micros;
        }
    }
    return sum;
}

/* The remaining budgets of the run. An agent reserves one turn for its own answer; a graph does
 * not, because it asks no model. */
static haft__child_budget remaining_budget(const haft__run *run)
{
    const haft__spec_limits *limits = &run->spec->limits;
    haft__child_budget reserved = reserved_by_children(run);
    haft__tree_usage used = haft__child_tree_usage(run);
    uint64_t micros = used.cost_parts / 1000000U;
    return (haft__child_budget){
        .turns = subtract(limits->turns, used.turns + reserved.turns + !haft__run_is_graph(run)),
        .calls = subtract(limits->calls, used.calls + reserved.calls),
        .tokens =
            subtract(limits->tokens, used.input_tokens + used.output_tokens + reserved.tokens),
        .has_usd = limits->has_usd,
        .usd_micros = subtract(limits->usd_micros, micros + reserved.usd_micros),
        .wall_ms = subtract(limits->wall_ms, run->worked_ms)};
}

/* The budget of one child: the amount that the tool requests (0: an equal share), limited to the
 * remaining amount and the child's own limit. */
static uint64_t share(uint64_t remaining, uint64_t requested, uint64_t sharers, uint64_t own_limit)
{
    uint64_t amount = requested > 0 ? requested : remaining / sharers;
    return min_of(min_of(amount, remaining), own_limit);
}

haft__child_refusal haft__child_reserve(const haft__run *run, const haft__agent_tool *tool,
                                        size_t waiting, haft__child_budget *ret_budget)
{
    if (tool == NULL) {
        return HAFT__CHILD_NO_AGENT;
    }
    if (haft__child_depth(run->path) >= HAFT__LIMIT_CHILD_DEPTH) {
        return HAFT__CHILD_TOO_DEEP;
    }
    if (run->child_count >= HAFT__LIMIT_CHILD_COUNT) {
        return HAFT__CHILD_TOO_MANY;
    }
    if (run->parent_limit_reached) {
        return HAFT__CHILD_NO_BUDGET;
    }
    haft__child_budget left = remaining_budget(run);
    const haft__spec_limits *own = &tool->spec->limits;
    const haft__agent_limits *requested = &tool->limits;
    uint64_t children = waiting > 0 ? waiting : 1;
    uint64_t sharers = children + !haft__run_is_graph(run); /* an agent keeps a share itself */
    bool has_usd = left.has_usd || requested->has_usd || own->has_usd;
    uint64_t usd = left.has_usd ? share(left.usd_micros, requested->usd_micros, sharers, UINT64_MAX)
                   : requested->has_usd ? requested->usd_micros
                                        : own->usd_micros;
    *ret_budget =
        (haft__child_budget){.turns = share(left.turns, requested->turns, children, own->turns),
                             .calls = share(left.calls, requested->calls, sharers, own->calls),
                             .tokens = share(left.tokens, requested->tokens, sharers, own->tokens),
                             .has_usd = has_usd,
                             .usd_micros = own->has_usd ? min_of(usd, own->usd_micros) : usd,
                             .wall_ms = share(left.wall_ms, requested->wall_ms, 1, own->wall_ms)};
    bool enough = ret_budget->turns > 0 && ret_budget->tokens > 0 && ret_budget->wall_ms > 0
                  && (!has_usd || ret_budget->usd_micros > 0);
    return enough ? HAFT__CHILD_ALLOWED : HAFT__CHILD_NO_BUDGET;
}

const char *haft__child_refusal_text(haft__child_refusal refusal)
{
    switch (refusal) {
    case HAFT__CHILD_ALLOWED: return "";
    case HAFT__CHILD_NO_AGENT: return "the agent of this tool no longer exists";
    case HAFT__CHILD_TOO_DEEP: return "agents that start agents are nested too deeply";
    case HAFT__CHILD_TOO_MANY: return "this run has started the maximum number of agents";
    case HAFT__CHILD_NO_BUDGET:
        return "the rest of the budget is needed for your own answer, so no agent can be started";
    }
    HAFT__UNREACHABLE();
}

/* ---- text ---- */

static void add_raw(haft__json_writer *w, const char *key, void (*add)(haft__buf *, uint64_t),
                    uint64_t amount)
{
    haft__json_key(w, key);
    add(w->buf, amount);
    w->after_key = false;
}

static void add_micros(haft__buf *buf, uint64_t micros)
{
    haft__cost_write(buf, micros * 1000000U);
}

void haft__child_write_limits(haft__json_writer *w, const haft__child_budget *budget)
{
    haft__json_key(w, "limits");
    haft__json_begin_object(w);
    haft__field_number(w, "turns", budget->turns);
    haft__field_number(w, "calls", budget->calls);
    haft__field_number(w, "tokens", budget->tokens);
    if (budget->has_usd) {
        add_raw(w, "usd", add_micros, budget->usd_micros);
    } else {
        haft__field_null(w, "usd");
    }
    haft__field_number(w, "wall_ms", budget->wall_ms);
    haft__json_end_object(w);
}

void haft__child_write_usage(haft__json_writer *w, const haft__tree_usage *usage)
{
    haft__field_number(w, "turns", usage->turns);
    haft__field_number(w, "calls", usage->calls);
    haft__json_key(w, "usage");
    haft__json_begin_object(w);
    haft__field_number(w, "input_tokens", usage->input_tokens);
    haft__field_number(w, "output_tokens", usage->output_tokens);
    haft__field_number(w, "cached_tokens", usage->cached_tokens);
    add_raw(w, "cost_usd", haft__cost_write, usage->cost_parts);
    haft__json_end_object(w);
}

haft__child_budget haft__child_read_limits(haft__json value)
{
    uint64_t parts = 0;
    bool has_usd = haft__cost_read(haft__object_text(value, "usd"), &parts);
    return (haft__child_budget){.turns = haft__object_number(value, "turns", 0),
                                .calls = haft__object_number(value, "calls", 0),
                                .tokens = haft__object_number(value, "tokens", 0),
                                .has_usd = has_usd,
                                .usd_micros = parts / 1000000U,
                                .wall_ms = haft__object_number(value, "wall_ms", 0)};
}

haft__tree_usage haft__child_read_usage(haft__json event)
{
    haft__json usage = haft__object_get(event, "usage");
    haft__tree_usage read = {.runs = haft__object_number(event, "runs", 1),
                             .turns = haft__object_number(event, "turns", 0),
                             .calls = haft__object_number(event, "calls", 0),
                             .input_tokens = haft__object_number(usage, "input_tokens", 0),
                             .output_tokens = haft__object_number(usage, "output_tokens", 0),
                             .cached_tokens = haft__object_number(usage, "cached_tokens", 0)};
    (void)haft__cost_read(haft__object_text(usage, "cost_usd"), &read.cost_parts);
    return read;
}

void haft__child_write_task(haft__buf *buf, haft__json arguments)
{
    const haft__json *task = haft__object_find_kind(arguments, "task", HAFT__JSON_STRING);
    bool others = arguments.kind == HAFT__JSON_OBJECT && arguments.count > (task != NULL);
    if (task != NULL) {
        haft__buf_add_str(buf, haft__json_text(*task));
    }
    if (!others) {
        return;
    }
    haft__buf_add_str(buf, task != NULL ? HAFT__LIT("\n\n") : HAFT__LIT(""));
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    for (uint32_t i = 0; i < arguments.count; i++) {
        const haft__json_member *member = &arguments.members[i];
        if (task == NULL || &member->value != task) {
            haft__json_key_str(&w, haft__json_text(member->key));
            haft__json_add(&w, member->value);
        }
    }
    haft__json_end_object(&w);
}
