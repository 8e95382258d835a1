/* hdf5.c - HDF5 files: superblock, object headers, trees and groups
 *
 * SPDX-License-Identifier: MIT
 *
 * The superblock says where the header of the root group is. A header is a list of messages, in one
 * or more blocks. A group's message leads to a tree, whose leaves list the members in the order of
 * their names, and to a local heap with the names.
 */
#include "io/hdf5.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/hdf5_format.h"

enum {
    SUPERBLOCK_BYTES = 96, /* of version 0; version 1 has 4 more before the addresses */
    HEADER_BYTES = 16,
    MESSAGE_BYTES = 8,
    MOST_BLOCKS = 1024, /* of a header; each attribute may have needed another */
    NODE_BYTES = 24,
    LEAF_BYTES = 8,
    ENTRY_BYTES = 40,
    SOFT_LINK = 2
};

isg_status isg_h5_damaged(const char *name, const char *how) {
    return isg_fail(ISG_ERR_FORMAT, "%s: the HDF5 file is damaged: %s", name, how);
}

isg_status isg_h5_read_at(isg_h5 *h5, const char *name, uint64_t address, void *bytes, size_t count,
                          const char *what) {
    if (address > h5->end || count > h5->end - address)
        return isg_fail(ISG_ERR_FORMAT, "%s: the HDF5 file is damaged: %s is outside of it", name,
                        what);
    return isg_file_read_at(h5->file, address, bytes, count);
}

/* ---- the superblock --------------------------------------------------------------------------- */

/* Which h5py writes only if asked to. */
static isg_status newer(const char *name, const char *what) {
    return isg_fail(ISG_ERR_UNSUPPORTED,
                    "%s: has %s, which this reader does not know" ISG_H5_REWRITE
                    ", but without libver or track_order",
                    name, what);
}

static isg_status ends_early(const isg_h5 *h5) {
    return isg_fail(ISG_ERR_FORMAT, "%s: the file ends early: %llu bytes expected, %llu found",
                    isg_file_name(h5->file), (unsigned long long)h5->end,
                    (unsigned long long)isg_file_size(h5->file));
}

static isg_status read_superblock(isg_h5 *h5) {
    uint8_t block[SUPERBLOCK_BYTES + 4] = {0};
    const char *name = isg_file_name(h5->file);
    const uint64_t size = isg_file_size(h5->file);
    ISG_TRY(
        isg_file_read_at(h5->file, 0, block, size < sizeof block ? (size_t)size : sizeof block));
    if (memcmp(block, "\x89HDF\r\n\x1a\n", 8) != 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected an HDF5 file, found other bytes", name);
    h5->end = SUPERBLOCK_BYTES;
    if (size < h5->end)
        return ends_early(h5);
    if (block[8] == 2 || block[8] == 3)
        return newer(name, "the structures of HDF5 1.8 or later");
    if (block[8] > 3)
        return newer(name, "an unknown version of HDF5");
    if (block[13] != 8 || block[14] != 8)
        return isg_fail(
            ISG_ERR_UNSUPPORTED,
            "%s: expected addresses and lengths of 8 bytes, found %u and %u" ISG_H5_REWRITE, name,
            block[13], block[14]);
    const uint8_t *addresses = block + 24 + (block[8] == 1 ? 4 : 0);
    h5->end = isg_load64(addresses + 16);
    h5->root = isg_load64(addresses + 40);
    if (isg_load64(addresses) != 0)
        return isg_fail(ISG_ERR_UNSUPPORTED, "%s: begins with a user block" ISG_H5_REWRITE, name);
    return h5->end > size ? ends_early(h5) : ISG_OK;
}

isg_status isg_h5_open(isg_h5 **out, isg_file *file) {
    isg_h5 *h5 = NULL;
    ISG_TRY(ISG_ALLOCATE(h5, 1));
    h5->file = file;
    const isg_status status = read_superblock(h5);
    if (status == ISG_OK)
        *out = h5;
    else
        isg_h5_close(h5);
    return status;
}

void isg_h5_close(isg_h5 *h5) {
    if (!h5)
        return;
    for (size_t k = 0; k < ISG_H5_HEAPS; k++)
        isg_release(h5->heaps[k].bytes);
    isg_release(h5);
}

/* ---- object headers --------------------------------------------------------------------------- */

/* A list of blocks that are still to be read. */
typedef struct blocks {
    uint64_t address[MOST_BLOCKS], size[MOST_BLOCKS];
    size_t count;
    uint64_t bytes; /* of all of them: no more than the file has, since they do not overlap */
} blocks;

static isg_status add_block(isg_h5_object *object, blocks *list, uint64_t address, uint64_t size) {
    if (list->count == MOST_BLOCKS || size > object->h5->end - list->bytes)
        return isg_h5_damaged(object->name, "its header goes on for ever");
    list->address[list->count] = address;
    list->size[list->count++] = size;
    list->bytes += size;
    return ISG_OK;
}

/* Adds the messages of a block to those of the object. */
static isg_status read_block(isg_h5_object *object, blocks *list, size_t k) {
    const size_t size = (size_t)list->size[k], first = object->used;
    ISG_TRY(isg_grow(&object->messages, &object->capacity, first + size + 1, 1));
    uint8_t *block = (uint8_t *)object->messages + first;
    ISG_TRY(isg_h5_read_at(object->h5, object->name, list->address[k], block, size, "its header"));
    size_t at = 0;
    while (size - at >= MESSAGE_BYTES) {
        const uint8_t *message = block + at;
        const size_t length = isg_load16(message + 2);
        if (length > size - at - MESSAGE_BYTES)
            return isg_h5_damaged(object->name, "a message of its header is cut off");
        if (isg_load16(message) == ISG_H5_CONTINUATION) {
            if (length < 16)
                return isg_h5_damaged(object->name, "a message of its header is too short");
            ISG_TRY(add_block(object, list, isg_load64(message + 8), isg_load64(message + 16)));
        }
        at += MESSAGE_BYTES + length;
    }
    object->used = first + at; /* what is left is a gap */
    return ISG_OK;
}

static isg_status read_header(isg_h5_object *object, uint64_t address) {
    uint8_t header[HEADER_BYTES];
    isg_status status = ISG_OK;
    blocks *list = NULL;
    ISG_TRY(isg_h5_read_at(object->h5, object->name, address, header, sizeof header, "its header"));
    if (memcmp(header, "OHDR", 4) == 0)
        return newer(object->name, "the structures of HDF5 1.8 or later");
    if (header[0] != 1)
        return isg_h5_damaged(object->name, "there is no header where one should be");
    ISG_TRY(ISG_ALLOCATE(list, 1));
    ISG_TRY_GOTO(add_block(object, list, address + HEADER_BYTES, isg_load32(header + 8)));
    for (size_t k = 0; k < list->count; k++)
        ISG_TRY_GOTO(read_block(object, list, k));
done:
    isg_release(list);
    return status;
}

bool isg_h5_next_message(const isg_h5_object *object, size_t *at, isg_h5_message *out) {
    if (*at >= object->used)
        return false;
    const uint8_t *message = (const uint8_t *)object->messages + *at;
    *out = (isg_h5_message){.type = isg_load16(message),
                            .flags = message[4],
                            .size = isg_load16(message + 2),
                            .body = message + MESSAGE_BYTES};
    *at += MESSAGE_BYTES + out->size;
    return true;
}

bool isg_h5_find_message(const isg_h5_object *object, unsigned type, isg_h5_message *out) {
    for (size_t at = 0; isg_h5_next_message(object, &at, out);)
        if (out->type == type)
            return true;
    return false;
}

/* ---- trees ------------------------------------------------------------------------------------ */

/* Goes down to a node; `level` is what it must have, or -1 for the root, which may have any. */
static isg_status enter(isg_h5_tree *tree, uint64_t address, int level) {
    uint8_t node[NODE_BYTES];
    ISG_TRY(isg_h5_read_at(tree->h5, tree->name, address, node, sizeof node, "a node of its tree"));
    const unsigned used = isg_load16(node + 6);
    if (memcmp(node, "TREE", 4) != 0 || node[4] != tree->kind)
        return isg_h5_damaged(tree->name, "there is no tree where one should be");
    if (level < 0 ? node[5] >= ISG_H5_MOST_LEVELS : node[5] != level || used == 0)
        return isg_h5_damaged(tree->name, "the levels of its tree are out of order");
    if (level < 0)
        tree->depth = node[5] + 1u; /* path[0] is a leaf */
    tree->path[node[5]].address = address;
    tree->path[node[5]].used = used;
    tree->path[node[5]].next = 0;
    return ISG_OK;
}

isg_status isg_h5_tree_start(isg_h5_tree *tree, uint64_t root) {
    return enter(tree, root, -1);
}

isg_status isg_h5_tree_next(isg_h5_tree *tree, uint8_t key[ISG_H5_MOST_KEY], uint64_t *child,
                            bool *has_child) {
    size_t level = 0;
    *has_child = false;
    while (level < tree->depth && tree->path[level].next == tree->path[level].used)
        level++;
    for (; level < tree->depth; level--) {
        uint8_t entry[ISG_H5_MOST_KEY + 8];
        const size_t bytes = tree->key_bytes + 8;
        ISG_TRY(isg_h5_read_at(tree->h5, tree->name,
                               tree->path[level].address + NODE_BYTES +
                                   bytes * tree->path[level].next++,
                               entry, bytes, "a node of its tree"));
        *child = isg_load64(entry + tree->key_bytes);
        if (level == 0) {
            memcpy(key, entry, tree->key_bytes);
            *has_child = true;
            return ISG_OK;
        }
        ISG_TRY(enter(tree, *child, (int)level - 1));
    }
    return ISG_OK;
}

/* ---- groups ----------------------------------------------------------------------------------- */

typedef struct member {
    const char *name;
    uint64_t address; /* ISG_H5_NOWHERE for a link to another path or file */
} member;

typedef isg_status visit_member(void *user, const member *found);

/* The names of a group: its local heap, with a zero at the end. */
static isg_status read_names(const isg_h5_object *group, uint64_t address, char **out,
                             size_t *size) {
    uint8_t header[32];
    ISG_TRY(isg_h5_read_at(group->h5, group->name, address, header, sizeof header,
                           "the heap of its names"));
    const uint64_t bytes = isg_load64(header + 8);
    if (memcmp(header, "HEAP", 4) != 0 || bytes > group->h5->end)
        return isg_h5_damaged(group->name, "there is no heap where its names should be");
    *size = (size_t)bytes;
    ISG_TRY(ISG_ALLOCATE(*out, *size + 1));
    return isg_h5_read_at(group->h5, group->name, isg_load64(header + 24), *out, *size,
                          "the heap of its names");
}

/* Visits the members in one leaf. *last is the name before; names must grow, so a leaf that is
   visited twice is an error. */
static isg_status visit_leaf(const isg_h5_object *group, uint64_t address, const char *names,
                             size_t size, const char **last, visit_member *visit, void *user) {
    uint8_t header[LEAF_BYTES], entry[ENTRY_BYTES];
    ISG_TRY(isg_h5_read_at(group->h5, group->name, address, header, sizeof header,
                           "a list of its members"));
    const size_t count = isg_load16(header + 6);
    if (memcmp(header, "SNOD", 4) != 0 || count == 0)
        return isg_h5_damaged(group->name, "there is no list of its members where one should be");
    for (size_t k = 0; k < count; k++) {
        ISG_TRY(isg_h5_read_at(group->h5, group->name, address + LEAF_BYTES + k * ENTRY_BYTES,
                               entry, sizeof entry, "a list of its members"));
        const uint64_t offset = isg_load64(entry);
        if (offset >= size)
            return isg_h5_damaged(group->name, "the name of a member is outside of its heap");
        const member found = {names + offset, isg_load32(entry + 16) == SOFT_LINK
                                                  ? ISG_H5_NOWHERE
                                                  : isg_load64(entry + 8)};
        for (size_t i = 0, step; found.name[i]; i += step)
            if ((step = isg_utf8_length(found.name + i, size - offset - i)) == 0)
                return isg_h5_damaged(group->name, "the name of a member is not UTF-8");
        if (!found.name[0] || (*last && strcmp(*last, found.name) >= 0))
            return isg_h5_damaged(group->name, "the names of its members are out of order");
        *last = found.name;
        ISG_TRY(visit(user, &found));
    }
    return ISG_OK;
}

static isg_status visit_members(const isg_h5_object *group, visit_member *visit, void *user) {
    isg_h5_message table;
    isg_h5_tree tree = {.h5 = group->h5, .name = group->name, .key_bytes = 8};
    isg_status status = ISG_OK;
    char *names = NULL;
    const char *last = NULL;
    size_t size = 0;
    if (!isg_h5_find_message(group, ISG_H5_SYMBOL_TABLE, &table))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected a group, found a data set", group->name);
    if (table.size < 16)
        return isg_h5_damaged(group->name, "a message of its header is too short");
    ISG_TRY_GOTO(read_names(group, isg_load64(table.body + 8), &names, &size));
    ISG_TRY_GOTO(isg_h5_tree_start(&tree, isg_load64(table.body)));
    for (;;) {
        uint8_t key[ISG_H5_MOST_KEY];
        uint64_t leaf = 0;
        bool has_leaf = false;
        ISG_TRY_GOTO(isg_h5_tree_next(&tree, key, &leaf, &has_leaf));
        if (!has_leaf)
            break;
        ISG_TRY_GOTO(visit_leaf(group, leaf, names, size, &last, visit, user));
    }
done:
    isg_release(names);
    return status;
}

typedef struct plain_visit {
    isg_h5_visit *visit;
    void *user;
} plain_visit;

static isg_status visit_name(void *user, const member *found) {
    const plain_visit *plain = user;
    return plain->visit(plain->user, found->name);
}

isg_status isg_h5_members(const isg_h5_object *group, isg_h5_visit *visit, void *user) {
    plain_visit plain = {visit, user};
    return visit_members(group, visit_name, &plain);
}

/* ---- objects ---------------------------------------------------------------------------------- */

typedef struct search {
    const char *name;
    size_t length;
    uint64_t address;
    bool is_found;
} search;

static isg_status compare_member(void *user, const member *found) {
    search *wanted = user;
    if (strlen(found->name) == wanted->length &&
        memcmp(found->name, wanted->name, wanted->length) == 0) {
        wanted->is_found = true;
        wanted->address = found->address;
    }
    return ISG_OK;
}

/* The object at the address, named after the first `length` letters of the path. */
static isg_status open_object(isg_h5_object **out, isg_h5 *h5, const char *path, size_t length,
                              uint64_t address) {
    isg_h5_object *object = NULL;
    const char *file = isg_file_name(h5->file);
    const size_t room = strlen(file) + length + sizeof "(/)";
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(object, 1));
    object->h5 = h5;
    ISG_TRY_GOTO(ISG_ALLOCATE(object->name, room));
    snprintf(object->name, room, "%s(%.*s)", file, length ? (int)length : 1, length ? path : "/");
    if (address == ISG_H5_NOWHERE)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_UNSUPPORTED, "%s: is a link to another place" ISG_H5_REWRITE,
                              object->name));
    ISG_TRY_GOTO(read_header(object, address));
    *out = object;
    object = NULL;
done:
    isg_h5_release(object);
    return status;
}

isg_status isg_h5_find(isg_h5_object **out, isg_h5 *h5, const char *path) {
    isg_h5_object *object = NULL, *child = NULL;
    isg_status status = ISG_OK;
    const char *at = path;
    *out = NULL;
    ISG_TRY(open_object(&object, h5, path, 0, h5->root));
    while (*(at += strspn(at, "/"))) {
        search wanted = {.name = at, .length = strcspn(at, "/")};
        at += wanted.length;
        if (!isg_h5_is_group(object))
            goto done;
        ISG_TRY_GOTO(visit_members(object, compare_member, &wanted));
        if (!wanted.is_found)
            goto done;
        ISG_TRY_GOTO(open_object(&child, h5, path, (size_t)(at - path), wanted.address));
        isg_h5_release(object);
        object = child;
        child = NULL;
    }
    *out = object;
    object = NULL;
done:
    isg_h5_release(object);
    return status;
}

void isg_h5_release(isg_h5_object *object) {
    if (!object)
        return;
    isg_release(object->messages);
    isg_release(object->name);
    isg_release(object);
}

const char *isg_h5_object_name(const isg_h5_object *object) {
    return object->name;
}

bool isg_h5_is_group(const isg_h5_object *object) {
    isg_h5_message table;
    return isg_h5_find_message(object, ISG_H5_SYMBOL_TABLE, &table);
}
