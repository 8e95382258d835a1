/* test_raster.c - pictures, read back with libpng
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "helper_allocation.h"
#include "helper_scratch.h"

#undef fail /* a name of failure.h, which the helpers take from cmocka */
#include "raster.h"

static char path[64];

static int set_up(void **state) {
    make_directory(state);
    snprintf(path, sizeof path, "%.48s/p.png", directory);
    return 0;
}

static int tear_down(void **state) {
    unlink(path);
    assert_int_equal(count_files(""), 0);
    return remove_directory(state);
}

static void expect_pixels(const uint8_t *pixels, size_t width, size_t height, size_t channels) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.format, channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY);
    uint8_t *decoded = malloc(width * height * channels);
    assert_non_null(decoded);
    assert_true(png_image_finish_read(&image, NULL, decoded, 0, NULL));
    assert_memory_equal(decoded, pixels, width * height * channels);
    free(decoded);
}

static isg_status write_pixels(const char *to, const uint8_t *pixels, size_t width, size_t height,
                               size_t channels) {
    /* A picture owns its pixels, but writing it does not touch them. */
    const raster picture = {(uint8_t *)(uintptr_t)pixels, width, height, channels};
    return raster_write(&picture, to);
}

static void fill(uint8_t *pixels, size_t count) {
    uint32_t word = 1;
    for (size_t k = 0; k < count; k++) {
        word = word * 1664525u + 1013904223u;
        pixels[k] = (uint8_t)(word >> 24);
    }
}

static void test_write(void **state) {
    (void)state;
    static uint8_t pixels[37 * 53 * 3];
    fill(pixels, sizeof pixels);
    static const size_t sizes[][2] = {{1, 1}, {37, 53}, {53, 37}, {1, 1961}, {1961, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t channels = 1; channels <= 3; channels += 2) {
            const size_t width = sizes[k][0], height = sizes[k][1];
            assert_int_equal(write_pixels(path, pixels, width, height, channels), ISG_OK);
            expect_pixels(pixels, width, height, channels);
        }
    }
    assert_int_equal(count_files(""), 1);
}

/* The same pixels give the same bytes, and there is nothing in them but pixels: no time, no text. */
static void test_deterministic(void **state) {
    (void)state;
    static uint8_t pixels[64 * 64];
    fill(pixels, sizeof pixels);
    size_t first_size = 0, second_size = 0;
    assert_int_equal(write_pixels(path, pixels, 64, 64, 1), ISG_OK);
    uint8_t *first = read_file(path, &first_size);
    assert_int_equal(write_pixels(path, pixels, 64, 64, 1), ISG_OK);
    uint8_t *second = read_file(path, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    char chunks[256] = "";
    for (size_t at = 8; at + 12 <= first_size;) {
        const uint8_t *c = first + at;
        const size_t length =
            (size_t)c[0] << 24 | (size_t)c[1] << 16 | (size_t)c[2] << 8 | (size_t)c[3];
        strncat(chunks, (const char *)c + 4, 4);
        at += 12 + length;
    }
    assert_string_equal(chunks, "IHDRIDATIEND");
    free(first);
    free(second);
}

/* An SVG is a frame around the same PNG, whatever its length modulo three. */
static void test_svg(void **state) {
    (void)state;
    static uint8_t pixels[40];
    char svg[80], line[200];
    fill(pixels, sizeof pixels);
    snprintf(svg, sizeof svg, "%s/p.svg", directory);
    for (size_t width = 1; width <= sizeof pixels; width++) {
        size_t size = 0;
        assert_int_equal(write_pixels(path, pixels, width, 1, 1), ISG_OK);
        uint8_t *expected = read_file(path, &size);
        assert_int_equal(write_pixels(svg, pixels, width, 1, 1), ISG_OK);
        snprintf(line, sizeof line, "sed -n \"s/.*base64,\\([^']*\\).*/\\1/p\" %s | base64 -d",
                 svg);
        FILE *decoded = popen(line, "r");
        uint8_t found[4096];
        assert_non_null(decoded);
        assert_int_equal(fread(found, 1, sizeof found, decoded), size);
        assert_int_equal(pclose(decoded), 0);
        assert_memory_equal(found, expected, size);
        free(expected);
    }
    FILE *file = fopen(svg, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, "<svg xmlns='http://www.w3.org/2000/svg' "
                              "xmlns:xlink='http://www.w3.org/1999/xlink' width='40' height='1' "
                              "viewBox='0 0 40 1'>\n");
    unlink(svg);
}

static void test_bad_sizes(void **state) {
    (void)state;
    unlink(path);
    const uint8_t pixel = 0;
    static const size_t sizes[][2] = {{0, 1}, {1, 0}, {1000001, 1}, {1, SIZE_MAX}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        assert_int_equal(write_pixels(path, &pixel, sizes[k][0], sizes[k][1], 1), ISG_ERR_ARGUMENT);
    assert_string_equal(isg_error_message(),
                        "picture: expected 1 to 1000000 pixels each way, found 1 by "
                        "18446744073709551615");
    assert_int_equal(count_files(""), 0);
}

static void test_unwritable(void **state) {
    (void)state;
    const uint8_t pixel = 0;
    char elsewhere[128], message[256];
    snprintf(elsewhere, sizeof elsewhere, "%s/none/p.png", directory);
    snprintf(message, sizeof message, "%s: could not be written: No such file or directory",
             elsewhere);
    assert_int_equal(write_pixels(elsewhere, &pixel, 1, 1, 1), ISG_ERR_IO);
    assert_string_equal(isg_error_message(), message);
    assert_int_equal(write_pixels(directory, &pixel, 1, 1, 1), ISG_ERR_IO);
}

/* A limit on file sizes stands in for a full disk. */
static void test_disk_full(void **state) {
    (void)state;
    enum { SIDE = 512 };
    uint8_t *pixels = malloc(SIDE * SIDE);
    assert_non_null(pixels);
    fill(pixels, SIDE * SIDE);
    unlink(path);
    struct rlimit before, limited;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limited = before;
    signal(SIGXFSZ, SIG_IGN);
    static const rlim_t limits[] = {0, 100, 65536, 100000, 200000};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        limited.rlim_cur = limits[k];
        setrlimit(RLIMIT_FSIZE, &limited);
        const isg_status status = write_pixels(path, pixels, SIDE, SIDE, 1);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, ISG_ERR_IO);
        assert_non_null(
            strstr(isg_error_message(), "/p.png: could not be written: File too large"));
        assert_int_equal(count_files(""), 0);
    }
    assert_int_equal(write_pixels(path, pixels, SIDE, SIDE, 1), ISG_OK);
    free(pixels);
}

static void test_grid(void **state) {
    (void)state;
    const raster_grid grid = {.rows = 2,
                              .cols = 3,
                              .tile_width = 2,
                              .tile_height = 1,
                              .channels = 1,
                              .zoom = 2,
                              .margin = 1,
                              .background = 9};
    raster picture;
    assert_int_equal(raster_create(&picture, &grid), ISG_OK);
    static const uint8_t a[] = {1, 2}, b[] = {3, 4}, c[] = {5, 6};
    raster_place(&picture, &grid, 0, 0, a);
    raster_place(&picture, &grid, 0, 2, b);
    raster_place(&picture, &grid, 1, 1, c);
    static const uint8_t expected[] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, /**/
                                       9, 1, 1, 2, 2, 9, 9, 9, 9, 9, 9, 3, 3, 4, 4, 9, /**/
                                       9, 1, 1, 2, 2, 9, 9, 9, 9, 9, 9, 3, 3, 4, 4, 9, /**/
                                       9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, /**/
                                       9, 9, 9, 9, 9, 9, 5, 5, 6, 6, 9, 9, 9, 9, 9, 9, /**/
                                       9, 9, 9, 9, 9, 9, 5, 5, 6, 6, 9, 9, 9, 9, 9, 9, /**/
                                       9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    assert_int_equal(picture.width, 16);
    assert_int_equal(picture.height, 7);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    assert_int_equal(raster_write(&picture, path), ISG_OK);
    expect_pixels(expected, 16, 7, 1);
    raster_free(&picture);
    raster_free(&picture);
}

static void test_color_grid(void **state) {
    (void)state;
    const raster_grid grid = {.rows = 1,
                              .cols = 2,
                              .tile_width = 1,
                              .tile_height = 2,
                              .channels = 3,
                              .zoom = 1,
                              .background = 255};
    raster picture;
    assert_int_equal(raster_create(&picture, &grid), ISG_OK);
    static const uint8_t tile[] = {1, 2, 3, 4, 5, 6};
    raster_place(&picture, &grid, 0, 1, tile);
    static const uint8_t expected[] = {255, 255, 255, 1, 2, 3, 255, 255, 255, 4, 5, 6};
    assert_int_equal(picture.width, 2);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    raster_free(&picture);
}

static void test_bad_grids(void **state) {
    (void)state;
    const raster_grid good = {1, 1, 28, 28, 1, 1, 0, 0};
    raster_grid bad[10];
    for (size_t k = 0; k < 10; k++)
        bad[k] = good;
    bad[0].rows = bad[1].cols = bad[2].tile_width = bad[3].tile_height = bad[4].zoom = 0;
    bad[5].rows = SIZE_MAX / 28 + 2;
    bad[6].zoom = SIZE_MAX / 28 + 2;
    bad[7].margin = SIZE_MAX - 10;
    bad[8].cols = 35715; /* times 28 is just above a million */
    bad[9].margin = 499987;
    raster picture;
    for (size_t k = 0; k < 10; k++)
        assert_int_equal(raster_create(&picture, &bad[k]), ISG_ERR_ARGUMENT);
    assert_string_equal(isg_error_message(),
                        "picture: 1 by 1 tiles of 28 by 28 pixels at zoom 1 with margin 499987 do "
                        "not make 1 to 1000000 pixels each way");
    bad[8].cols = 35714;
    assert_int_equal(raster_create(&picture, &bad[8]), ISG_OK);
    raster_free(&picture);
}

static void test_colors(void **state) {
    (void)state;
    static const float values[] = {0.0f, 2.0f, -2.0f, 1.0f, -1.0f, 5.0f, -INFINITY, NAN, -0.0f};
    static const uint8_t expected[][3] = {{255, 255, 255}, {190, 25, 35},   {25, 90, 180},
                                          {223, 140, 145}, {140, 173, 218}, {190, 25, 35},
                                          {25, 90, 180},   {128, 128, 128}, {255, 255, 255}};
    uint8_t rgb[9][3];
    raster_color(values, 9, 2.0f, rgb[0]);
    assert_memory_equal(rgb, expected, sizeof expected);
    raster_color(values, 9, 0.0f, rgb[0]);
    for (size_t k = 0; k < 7; k++)
        assert_memory_equal(rgb[k], expected[0], 3);
}

static isg_status draw_and_write(void *user) {
    (void)user;
    unlink(path);
    const raster_grid grid = {2, 2, 2, 2, 3, 3, 1, 0};
    static const uint8_t tile[12] = {0};
    raster picture;
    ISG_TRY(raster_create(&picture, &grid));
    raster_place(&picture, &grid, 1, 1, tile);
    const isg_status status = raster_write(&picture, path);
    raster_free(&picture);
    assert_int_equal(count_files(""), status == ISG_OK ? 1 : 0);
    return status;
}

static void test_allocation_failures(void **state) {
    (void)state;
    assert_true(sweep_allocations(draw_and_write, NULL) > 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_svg),
        cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_color_grid),
        cmocka_unit_test(test_bad_grids),
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
