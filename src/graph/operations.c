/* SPDX-License-Identifier: Apache-2.0 */
/* operations.c - reads the operations of `do` in the source. Tests: tests/graph/graph_test.c. */
#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"

size_t haft__graph_op_find(haft__json op, haft__graph_op_kind *ret_kind, haft_str *ret_key,
                           haft__json *ret_value)
{
    static const char *const keys[] = {
        [HAFT__OP_SET] = "set",
        [HAFT__OP_COPY] = "copy",
        [HAFT__OP_SUM] = "sum",
        [HAFT__OP_TEXT] = "text",
        [HAFT__OP_OVERWRITE] = "overwrite",
        [HAFT__OP_IF] = "if",
        [HAFT__OP_GOTO] = "goto",
        [HAFT__OP_SEND] = "send",
        [HAFT__OP_ASK] = "ask",
        [HAFT__OP_CALL] = "call",
        [HAFT__OP_FAIL] = "fail",
        [HAFT__OP_PARENT] = "parent",
        [HAFT__OP_EFFECT] = "effect",
        [HAFT__OP_DELAY] = "delay",
        [HAFT__OP_RETURN] = "return",
    };
    size_t found = 0;
    for (uint32_t m = 0; op.kind == HAFT__JSON_OBJECT && m < op.count; m++) {
        haft_str key = haft__json_text(op.members[m].key);
        for (size_t k = 0; k < COUNT(keys); k++) {
            if (haft__str_equal(key, haft__str(keys[k]))) {
                *ret_kind = (haft__graph_op_kind)k;
                *ret_key = key;
                *ret_value = op.members[m].value;
                found++;
                break;
            }
        }
    }
    return found;
}

void haft__graph_visit_ops(haft__json ops, bool sure, haft__graph_visit_op *visit, void *context)
{
    for (uint32_t i = 0; ops.kind == HAFT__JSON_ARRAY && i < ops.count; i++) {
        haft__graph_op_kind kind;
        haft_str key;
        haft__json value;
        if (haft__graph_op_find(ops.items[i], &kind, &key, &value) == 0) {
            continue;
        }
        visit(context, kind, ops.items[i], value, sure);
        if (kind == HAFT__OP_IF) {
            haft__graph_visit_ops(haft__object_array(ops.items[i], "then"), false, visit, context);
            haft__graph_visit_ops(haft__object_array(ops.items[i], "else"), false, visit, context);
        }
    }
}

void haft__graph_visit_targets(haft__graph_op_kind kind, haft__json value,
                               haft__graph_visit_name *visit, void *context)
{
    if (kind == HAFT__OP_GOTO && value.kind == HAFT__JSON_STRING) {
        visit(context, value);
    } else if (kind == HAFT__OP_SEND && value.kind == HAFT__JSON_OBJECT) {
        visit(context, haft__object_get(value, "to"));
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        if (kind == HAFT__OP_GOTO) {
            visit(context, value.items[i]);
        } else if (kind == HAFT__OP_SEND) {
            visit(context, haft__object_get(value.items[i], "to"));
        }
    }
}
