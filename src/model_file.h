/* model_file.h - RBMs in .npz files
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_MODEL_FILE_H
#define ISG_MODEL_FILE_H

#include "io/npz.h"
#include "rbm.h"

/* The RBM in an archive that is open: what isg_rbm_load() does with a file. */
isg_status isg_rbm_read(isg_rbm **out, isg_zip *zip);

/* Everything of a model file but W, b and c, which a checkpoint has anyway. */
isg_status isg_rbm_write_rest(const isg_rbm *rbm, uint64_t seed, const char *command,
                              isg_npz_writer *writer);

#endif
