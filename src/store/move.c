/* SPDX-License-Identifier: Apache-2.0 */
/* move.c - owner names of runs that are being moved. Tests: tests/store/move_test.c. */
#include "store/move.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"

static const struct {
    const char *word, *state, *hint;
} steps[] = {
    [HAFT__MOVE_TO] = {"to", "is being moved to", "if the move was interrupted"},
    [HAFT__MOVE_DONE] = {"moved", "has been moved to", "the move did not finish"},
    [HAFT__MOVE_FROM] = {"from", "is being moved here from", "if the move was interrupted"},
};

bool haft__move_parse_owner(haft_str owner, haft__move *ret_move)
{
    haft_str rest = owner;
    bool move = haft__str_equal(haft__str_split(&rest, '/'), HAFT__LIT("haft migrate"));
    haft_str id = haft__str_split(&rest, '/'), word = haft__str_split(&rest, '/');
    for (size_t i = 0; move && id.len == HAFT__MOVE_ID_BYTES && i < COUNT(steps); i++) {
        if (haft__str_equal(word, haft__str(steps[i].word))) {
            *ret_move = (haft__move){.id = id, .step = (haft__move_step)i, .store = rest};
            return true;
        }
    }
    return false;
}

haft_str haft__move_format_owner(const haft__move *move, char *to, size_t size)
{
    int length = snprintf(to, size, "haft migrate/%.*s/%s/%.*s", HAFT__ARG(move->id),
                          steps[move->step].word, HAFT__ARG(move->store));
    size_t needed = length > 0 ? (size_t)length : 0;
    return (haft_str){to, needed < size ? needed : size - 1};
}

haft_status haft__move_fail(haft_str run, const haft__move *move, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_BAD_STATE, "", "the run %.*s %s %.*s", HAFT__ARG(run),
                                    steps[move->step].state, HAFT__ARG(move->store));
    return haft__hint(err, status, "%s: repeat the same `haft migrate --move`",
                      steps[move->step].hint);
}
