/* helper_progress.c - a user who watches, and may lose patience
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_progress.h"

#include "test.h"

bool lose_patience(void *user, double fraction) {
    patience *p = user;
    assert_true((p->may_stay ? fraction >= p->fraction : fraction > p->fraction) && fraction <= 1);
    p->fraction = fraction;
    return ++p->calls != p->last_call;
}

bool cancel_at_once(void *user, double fraction) {
    (void)user, (void)fraction;
    return false;
}
