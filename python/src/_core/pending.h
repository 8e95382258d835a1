/* pending.h - declarations that the library is about to get; removed when it has them */
#ifndef PENDING_H
#define PENDING_H
#include <isinglass.h>
typedef enum isg_number { ISG_NUMBER_BOOL, ISG_NUMBER_INT8, ISG_NUMBER_UINT8, ISG_NUMBER_INT16, ISG_NUMBER_UINT16, ISG_NUMBER_INT32, ISG_NUMBER_UINT32, ISG_NUMBER_INT64, ISG_NUMBER_UINT64, ISG_NUMBER_FLOAT32, ISG_NUMBER_FLOAT64 } isg_number;
typedef struct isg_values {
    const char *name;
    size_t rows, columns;
    size_t image_height, image_width;
    isg_number type;
    const void *data;
    ptrdiff_t row_stride, column_stride;
    const void *indices;
    const void *indptr;
    isg_number index_type;
    size_t n_stored;
    const char *const *labels;
    const char *const *unit_names;
    const char *const *ids;
} isg_values;
isg_status isg_dataset_from_values(isg_dataset **out, const isg_values *values, const isg_dataset_options *options, const isg_progress *progress);
const isg_encoding *isg_encoding_retain(const isg_encoding *encoding);
void isg_encoding_release(const isg_encoding *encoding);
isg_status isg_patterns_set_encoding(isg_patterns *patterns, const isg_encoding *encoding);
isg_status isg_patterns_set_image(isg_patterns *patterns, size_t height, size_t width);
isg_status isg_encoding_from_thresholds(const isg_encoding **out, size_t n_visible, const double *thresholds, const char *const *unit_names);
void isg_bytes_free(void *bytes);
isg_status isg_rbm_to_bytes(const isg_rbm *rbm, uint64_t seed, const char *command, void **bytes, size_t *size);
isg_status isg_rbm_from_bytes(isg_rbm **out, const char *name, const void *bytes, size_t size);
isg_status isg_patterns_to_bytes(const isg_patterns *patterns, uint64_t seed, const char *command, void **bytes, size_t *size);
isg_status isg_patterns_from_bytes(isg_patterns **out, const char *name, const void *bytes, size_t size);
isg_status isg_classifier_to_bytes(const isg_classifier *classifier, uint64_t seed, const char *command, void **bytes, size_t *size);
isg_status isg_classifier_from_bytes(isg_classifier **out, const char *name, const void *bytes, size_t size);
isg_status isg_dataset_to_bytes(const isg_dataset *data, uint64_t seed, const char *command, void **bytes, size_t *size);
isg_status isg_dataset_from_bytes(isg_dataset **out, const char *name, const void *bytes, size_t size);
void isg_set_own_threads(size_t threads);
isg_status isg_classifier_decisions(const isg_classifier *classifier, const isg_dataset *data, isg_matd out, const isg_progress *progress);
isg_status isg_chains_restore(isg_chains *chains, uint64_t sweeps);
isg_status isg_rbm_copy(isg_rbm **out, const isg_rbm *rbm);
#endif
