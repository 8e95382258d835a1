/* buffer.h - the size of read buffers
 *
 * SPDX-License-Identifier: MIT
 *
 * Readers read files in pieces of this size, and refuse longer lines and text fields. Fuzzing
 * builds use a few hundred bytes, so that small inputs also reach the ends of buffers and the
 * limits.
 */
#ifndef ISG_BUFFER_H
#define ISG_BUFFER_H

#ifndef ISG_BUFFER_BYTES
#define ISG_BUFFER_BYTES (1 << 16)
#endif

#endif
