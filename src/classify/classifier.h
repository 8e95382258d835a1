/* classifier.h - what is inside an isg_classifier
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_CLASSIFIER_H
#define ISG_CLASSIFIER_H

#include "classify/expert_features.h"
#include "data/data.h"
#include "io/npz.h"
#include "isinglass/classify.h"

struct isg_classifier {
    isg_labels classes; /* one label for each */
    isg_feature_map map;
    isg_logistic *logistic;
    size_t image_height, image_width; /* 0 if the visible units are no image */
};

/* The classifier in an archive that is open: what isg_classifier_load() does with a file. */
isg_status isg_classifier_read(isg_classifier **out, isg_zip *zip);

#endif
