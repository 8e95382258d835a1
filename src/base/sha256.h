/* sha256.h - SHA-256 (FIPS 180-4), to recognize data sets and damaged files
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_SHA256_H
#define ISG_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { ISG_SHA256_HEX = 65 }; /* 64 digits and the terminating zero */

typedef struct isg_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
} isg_sha256;

void isg_sha256_start(isg_sha256 *hash);
void isg_sha256_add(isg_sha256 *hash, const void *bytes, size_t count);
void isg_sha256_finish(isg_sha256 *hash, char hex[ISG_SHA256_HEX]);

#endif
