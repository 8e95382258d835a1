/* pending.c - until the library has them */
#include "pending.h"
void isg_set_own_threads(size_t threads) { (void)threads;  }
isg_status isg_classifier_decisions(const isg_classifier *classifier, const isg_dataset *data, isg_matd out, const isg_progress *progress) { (void)classifier; (void)data; (void)out; (void)progress; return ISG_ERR_UNSUPPORTED; }
isg_status isg_chains_restore(isg_chains *chains, uint64_t sweeps) { (void)chains; (void)sweeps; return ISG_ERR_UNSUPPORTED; }
isg_status isg_rbm_copy(isg_rbm **out, const isg_rbm *rbm) { (void)out; (void)rbm; return ISG_ERR_UNSUPPORTED; }
