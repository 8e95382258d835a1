/* helper_session.h - a trainer with the RBM that it trains, to be compared with others
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_SESSION_H
#define HELPER_SESSION_H

#include "train/train.h"

typedef struct session {
    isg_rbm *rbm;
    isg_trainer *trainer;
} session;

session session_start(isg_rbm *rbm, const isg_dataset *data, const isg_train_options *options);
void session_stop(session s);
void session_advance(session s, size_t updates);

/* Where they are, their RBMs, and their persistent chains if there are any. */
void session_assert_same(session a, session b);

#endif
