/* pending.h - declarations that the library is about to get; removed when it has them */
#ifndef PENDING_H
#define PENDING_H
#include <isinglass.h>
void isg_set_own_threads(size_t threads);
isg_status isg_classifier_decisions(const isg_classifier *classifier, const isg_dataset *data, isg_matd out, const isg_progress *progress);
isg_status isg_chains_restore(isg_chains *chains, uint64_t sweeps);
isg_status isg_rbm_copy(isg_rbm **out, const isg_rbm *rbm);
#endif
