/* zip_format.h - the layout of a zip archive, for its reader and writer
 *
 * SPDX-License-Identifier: MIT
 *
 * Members, each after a local header; then the directory, one central header per member; then the
 * end records. All numbers are little-endian. Field offsets are those of PKWARE's APPNOTE.
 */
#ifndef ISG_ZIP_FORMAT_H
#define ISG_ZIP_FORMAT_H

#include <stdint.h>

#define ISG_ZIP_LOCAL     UINT32_C(0x04034b50)
#define ISG_ZIP_CENTRAL   UINT32_C(0x02014b50)
#define ISG_ZIP_END       UINT32_C(0x06054b50)
#define ISG_ZIP64_END     UINT32_C(0x06064b50)
#define ISG_ZIP64_LOCATOR UINT32_C(0x07064b50)

/* A field with all bits set says that the value is in the zip64 extra field or end record. */
#define ISG_ZIP_WIDE32 UINT32_C(0xffffffff)
#define ISG_ZIP_WIDE16 UINT32_C(0xffff)

enum {
    ISG_ZIP_LOCAL_BYTES = 30,
    ISG_ZIP_CENTRAL_BYTES = 46,
    ISG_ZIP_END_BYTES = 22,
    ISG_ZIP64_END_BYTES = 56,
    ISG_ZIP64_LOCATOR_BYTES = 20,

    ISG_ZIP_STORED = 0, /* methods */
    ISG_ZIP_DEFLATED = 8,

    ISG_ZIP_ENCRYPTED = 1 << 0,  /* flags */
    ISG_ZIP_DESCRIPTOR = 1 << 3, /* sizes and checksum follow the data, not the local header */
    ISG_ZIP_PATCHED = 1 << 5,
    ISG_ZIP_STRONG = 1 << 6,
    ISG_ZIP_UTF8 = 1 << 11,
    ISG_ZIP_MASKED = 1 << 13,

    ISG_ZIP64_EXTRA = 1 /* extra field that holds the wide values */
};

static inline uint16_t isg_load16(const uint8_t *at) {
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t isg_load32(const uint8_t *at) {
    return (uint32_t)isg_load16(at) | (uint32_t)isg_load16(at + 2) << 16;
}

static inline uint64_t isg_load64(const uint8_t *at) {
    return (uint64_t)isg_load32(at) | (uint64_t)isg_load32(at + 4) << 32;
}

static inline void isg_store16(uint8_t *at, uint64_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void isg_store32(uint8_t *at, uint64_t value) {
    isg_store16(at, value);
    isg_store16(at + 2, value >> 16);
}

static inline void isg_store64(uint8_t *at, uint64_t value) {
    isg_store32(at, value);
    isg_store32(at + 4, value >> 32);
}

#endif
