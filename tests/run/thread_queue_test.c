/* SPDX-License-Identifier: Apache-2.0 */
#include "run/thread_queue.h"

#include "base/str.h"
#include "test.h"

TEST(multitask_has_three_words)
{
    static const struct {
        const char *text;
        haft__multitask wanted;
        bool alone;
    } cases[] = {
        {"enqueue", HAFT__MULTITASK_ENQUEUE, false},
        {"reject", HAFT__MULTITASK_REJECT, true},
        {"interrupt", HAFT__MULTITASK_INTERRUPT, false},
        {"", HAFT__MULTITASK_ENQUEUE, false},
        {"Reject", HAFT__MULTITASK_ENQUEUE, false},
        {"rejected", HAFT__MULTITASK_ENQUEUE, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__multitask found = haft__multitask_of(haft__str(cases[i].text));
        CHECK_INT(found, cases[i].wanted, "'%s'", cases[i].text);
        CHECK(haft__queue_requires_exclusive(found) == cases[i].alone, "'%s'", cases[i].text);
    }
}

TEST(an_earlier_run_of_the_thread_is_waited_for_claimed_or_cancelled)
{
    enum { WAIT = HAFT__QUEUE_WAIT, CANCEL = HAFT__QUEUE_CANCEL_LOCAL };
    enum { SEND = HAFT__QUEUE_SEND_CANCEL, CLAIM = HAFT__QUEUE_CLAIM_AND_CANCEL };
    static const struct {
        haft__queue_ahead ahead;
        int interrupt; /* with ENQUEUE and REJECT the decision is always WAIT */
    } cases[] = {
        {{.here = false, .owned = false, .cancel_requested = false}, CLAIM},
        {{.here = false, .owned = false, .cancel_requested = true},
         CLAIM}, /* the owner that was asked to cancel has stopped */
        {{.here = false, .owned = true, .cancel_requested = false}, SEND},
        {{.here = false, .owned = true, .cancel_requested = true}, WAIT},
        {{.here = true, .owned = true, .cancel_requested = false}, CANCEL},
        {{.here = true, .owned = true, .cancel_requested = true}, WAIT},
        {{.here = true, .owned = false, .cancel_requested = false},
         CANCEL}, /* its lease has expired: this process still owns it */
        {{.here = true, .owned = false, .cancel_requested = true}, WAIT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__queue_ahead ahead = cases[i].ahead;
        CHECK_INT(haft__queue_decide(HAFT__MULTITASK_ENQUEUE, ahead), WAIT, "case %zu", i);
        CHECK_INT(haft__queue_decide(HAFT__MULTITASK_REJECT, ahead), WAIT, "case %zu", i);
        CHECK_INT(haft__queue_decide(HAFT__MULTITASK_INTERRUPT, ahead), cases[i].interrupt,
                  "case %zu", i);
    }
}
