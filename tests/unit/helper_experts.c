/* helper_experts.c - small data of several classes
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_experts.h"

#include "base/rng.h"
#include "test.h"

isg_dataset *make_classes(uint64_t seed) {
    static const int64_t names[CLASS_COUNT] = {20, 3, 11};
    static int8_t pattern[CLASS_COUNT][CLASS_UNITS], spins[CLASS_SAMPLES * CLASS_UNITS];
    static int64_t labels[CLASS_SAMPLES];
    isg_dataset *data = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < CLASS_COUNT; k++)
        for (size_t i = 0; i < CLASS_UNITS; i++)
            pattern[k][i] = isg_next_below(&random, 2) ? 1 : -1;
    for (size_t a = 0; a < CLASS_SAMPLES; a++) {
        const size_t k = a == 7 ? 1 : a == 8 ? 2 : a % CLASS_COUNT; /* 24, 25 and 26 of them */
        labels[a] = names[k];
        for (size_t i = 0; i < CLASS_UNITS; i++)
            spins[a * CLASS_UNITS + i] =
                (int8_t)(isg_next_below(&random, 4) ? pattern[k][i] : -pattern[k][i]);
    }
    assert_ok(isg_dataset_create(&data, CLASS_SAMPLES, CLASS_UNITS, spins, labels));
    return data;
}
