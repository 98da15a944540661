/* SPDX-License-Identifier: Apache-2.0 */
/* follow_report.c - reports of one line, for --quiet and for runs that wait for their thread.
 * Tests: tests/cli/run_test.py. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow/follow_int.h"
#include "cli/terminal/pending.h"
#include "cli/terminal/width.h"
#include "cli/timeline/timeline.h"
#include "engine/run.h"

bool haft__follow_queue_changed(haft__follow_reported_queue *reported, const haft_run *run)
{
    bool other = haft__queue_is_waiting(run) && strcmp(reported->id, run->queue.ahead.id) != 0;
    if (other) {
        memcpy(reported->id, run->queue.ahead.id, sizeof(reported->id));
    }
    return other;
}

void haft__follow_report_run_ahead(haft__cli *cli, const char *id, haft_str ahead,
                                   haft__run_state state, bool abandoned)
{
    (void)fprintf(cli->errors, "%s waits for the end of %.*s, ahead of it in its thread", id,
                  HAFT__ARG(ahead));
    if (state == HAFT__RUN_STATE_WAITING) {
        (void)fputs(", which waits for an answer", cli->errors);
    } else if (abandoned) {
        (void)fprintf(cli->errors, ", whose process is gone; continue it: haft resume %.*s",
                      HAFT__ARG(ahead));
    }
    (void)fputc('\n', cli->errors);
    (void)fflush(cli->errors);
}

void haft__follow_report_queue(haft__cli *cli, const haft_run *run)
{
    haft__follow_report_run_ahead(cli, run->id, haft__str(run->queue.ahead.id),
                                  run->queue.ahead.state, run->queue.ahead.abandoned);
}

void haft__follow_report_end(haft__cli *cli, const haft__args *args, const haft_run *run)
{
    const haft__run *state = &run->state;
    haft_state now = haft_run_state(run);
    bool quiet = haft__args_has(args, "quiet") && !haft__args_has(args, "json")
                 && !haft__args_has(args, "events");
    if (quiet && now == HAFT_WAITING) {
        haft__pending_print(cli->errors, args, run);
    }
    if (!quiet || now != HAFT_ENDED || state->end == HAFT__END_DONE
        || state->end == HAFT__END_DIRECT) {
        return;
    }
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    haft__buf_addf(&line, "haft: %s: ", haft__end_name(state->end));
    (void)haft__escape_add_line(&line, state->end_reason, HAFT__REASON_COLUMNS, HAFT__LIT("..."));
    haft__buf_add_char(&line, '\n');
    if (haft__buf_check(&line, NULL) == HAFT_OK) {
        (void)fwrite(line.ptr, 1, line.len, cli->errors);
    }
    haft__buf_finish(&line);
}
