/* pending.c - until the library has them */
#include "pending.h"

isg_status isg_dataset_from_values(isg_dataset **out, const isg_values *values, const isg_dataset_options *options, const isg_progress *progress) { (void)out; (void)values; (void)options; (void)progress; return ISG_ERR_UNSUPPORTED; }
const isg_encoding * isg_encoding_retain(const isg_encoding *encoding) { (void)encoding; return encoding; }
void isg_encoding_release(const isg_encoding *encoding) { (void)encoding;  }
isg_status isg_patterns_set_encoding(isg_patterns *patterns, const isg_encoding *encoding) { (void)patterns; (void)encoding; return ISG_ERR_UNSUPPORTED; }
isg_status isg_patterns_set_image(isg_patterns *patterns, size_t height, size_t width) { (void)patterns; (void)height; (void)width; return ISG_ERR_UNSUPPORTED; }
isg_status isg_encoding_from_thresholds(const isg_encoding **out, size_t n_visible, const double *thresholds, const char *const *unit_names) { (void)out; (void)n_visible; (void)thresholds; (void)unit_names; return ISG_ERR_UNSUPPORTED; }
void isg_bytes_free(void *bytes) { (void)bytes;  }
isg_status isg_rbm_to_bytes(const isg_rbm *rbm, uint64_t seed, const char *command, void **bytes, size_t *size) { (void)rbm; (void)seed; (void)command; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
isg_status isg_rbm_from_bytes(isg_rbm **out, const char *name, const void *bytes, size_t size) { (void)out; (void)name; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
isg_status isg_patterns_to_bytes(const isg_patterns *patterns, uint64_t seed, const char *command, void **bytes, size_t *size) { (void)patterns; (void)seed; (void)command; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
isg_status isg_patterns_from_bytes(isg_patterns **out, const char *name, const void *bytes, size_t size) { (void)out; (void)name; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
isg_status isg_classifier_to_bytes(const isg_classifier *classifier, uint64_t seed, const char *command, void **bytes, size_t *size) { (void)classifier; (void)seed; (void)command; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
isg_status isg_classifier_from_bytes(isg_classifier **out, const char *name, const void *bytes, size_t size) { (void)out; (void)name; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
isg_status isg_dataset_to_bytes(const isg_dataset *data, uint64_t seed, const char *command, void **bytes, size_t *size) { (void)data; (void)seed; (void)command; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
isg_status isg_dataset_from_bytes(isg_dataset **out, const char *name, const void *bytes, size_t size) { (void)out; (void)name; (void)bytes; (void)size; return ISG_ERR_UNSUPPORTED; }
void isg_set_own_threads(size_t threads) { (void)threads;  }
isg_status isg_classifier_decisions(const isg_classifier *classifier, const isg_dataset *data, isg_matd out, const isg_progress *progress) { (void)classifier; (void)data; (void)out; (void)progress; return ISG_ERR_UNSUPPORTED; }
isg_status isg_chains_restore(isg_chains *chains, uint64_t sweeps) { (void)chains; (void)sweeps; return ISG_ERR_UNSUPPORTED; }
isg_status isg_rbm_copy(isg_rbm **out, const isg_rbm *rbm) { (void)out; (void)rbm; return ISG_ERR_UNSUPPORTED; }
