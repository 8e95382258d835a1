/* test_pictures.c - images of spins, weights and counts, read back with libpng
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "pictures.h" /* before cmocka, which has a macro that is called as a function of failure.h */

#include "test.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_scratch.h"

/* A picture as rows of red, green and blue. */
typedef struct seen {
    size_t width, height;
    uint8_t *rgb;
} seen;

static seen look_at(const char *name) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, in(directory, name)));
    image.format = PNG_FORMAT_RGB;
    seen found = {image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
    assert_non_null(found.rgb);
    assert_true(png_image_finish_read(&image, NULL, found.rgb, 0, NULL));
    return found;
}

static void expect_color(const seen *found, size_t x, size_t y, int red, int green, int blue) {
    const uint8_t *pixel = found->rgb + 3 * (y * found->width + x);
    assert_int_equal(pixel[0] << 16 | pixel[1] << 8 | pixel[2], red << 16 | green << 8 | blue);
}

enum { HEIGHT = 2, WIDTH = 3, UNITS = HEIGHT * WIDTH };

/* Three samples in two classes: up at unit 0, up at unit 5, all down. */
static isg_dataset *make_samples(void) {
    static const int8_t spins[3][UNITS] = {{1}, {0, 0, 0, 0, 0, 1}, {0}};
    static const int64_t labels[] = {7, 8, 7};
    isg_dataset *data = NULL;
    FILE *file = fopen(in(directory, "x.csv"), "w");
    assert_non_null(file);
    for (size_t a = 0; a < 3; a++) {
        fprintf(file, "c%d", (int)labels[a]);
        for (size_t i = 0; i < UNITS; i++)
            fprintf(file, ",%d", spins[a][i]);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "1";
    options.image_height = HEIGHT;
    options.image_width = WIDTH;
    assert_ok(isg_dataset_load(&data, in(directory, "x.csv"), &options, NULL));
    return data;
}

static void test_check_image(void **state) {
    (void)state;
    assert_int_equal(check_image("x.csv", 6, 2, 3, ""), EXIT_DONE);
    assert_int_equal(check_image("x.csv", 6, 0, 0, "; see --shape"), EXIT_BAD_INPUT);
    assert_string_equal(
        failure_sentence(),
        "x.csv: cannot be drawn: its units are not known to be pixels; see --shape");
    static const size_t wrong[][2] = {{3, 3}, {SIZE_MAX, 2}, {6, 0}, {1, 5}, {4, 2}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(check_image("x.csv", 6, wrong[k][0], wrong[k][1], ""), EXIT_BAD_INPUT);
    assert_string_equal(failure_sentence(),
                        "x.csv: has 6 units, which do not fit an image of 4 x 2");
}

/* Tiles at zoom 2 with margins of 4: tile (r, c) begins at (4 + c (6 + 4), 4 + r (4 + 4)). */
static void test_classes(void **state) {
    (void)state;
    isg_dataset *data = make_samples();
    assert_int_equal(draw_classes(in(directory, "c.png"), data, 2), EXIT_DONE);
    const seen found = look_at("c.png");
    assert_true(found.width == 2 * 6 + 3 * 4 && found.height == 2 * 4 + 3 * 4);
    expect_color(&found, 4, 4, 255, 255, 255);   /* unit 0 of the first sample of class c7 */
    expect_color(&found, 6, 4, 0, 0, 0);         /* its unit 1 */
    expect_color(&found, 14, 4, 0, 0, 0);        /* unit 0 of the second */
    expect_color(&found, 8, 14, 255, 255, 255);  /* unit 5 of the only one of class c8 */
    expect_color(&found, 14, 12, 128, 128, 128); /* which has no second */
    free(found.rgb);
    isg_dataset_free(data);
}

static isg_rbm *make_rbm(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, UNITS, 2, 1));
    assert_ok(isg_rbm_set_image(rbm, HEIGHT, WIDTH));
    isg_matd w = isg_rbm_weights(rbm);
    w.data[0] = 100; /* beyond the scale, as it is far from the others */
    w.data[w.stride] = -100;
    return rbm;
}

/* Tiles at zoom 3 with margins of 6. */
static void test_weights(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm();
    assert_int_equal(draw_weights(in(directory, "w.png"), rbm), EXIT_DONE);
    const seen found = look_at("w.png");
    assert_true(found.width == 2 * 9 + 3 * 6 && found.height == 6 + 2 * 6);
    assert_true(found.rgb[3 * (6 * found.width + 6)] > found.rgb[3 * (6 * found.width + 6) + 2]);
    assert_true(found.rgb[3 * (6 * found.width + 9)] < found.rgb[3 * (6 * found.width + 9) + 2]);
    expect_color(&found, 12, 6, 255, 255, 255);
    free(found.rgb);
    isg_rbm_free(rbm);
}

/* Twelve patterns above twelve columns, ten in a row. */
static void test_patterns_above_weights(void **state) {
    (void)state;
    static int8_t xi[12][12];
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    isg_unmapping *unmapping = NULL;
    for (size_t i = 0; i < 12; i++)
        for (size_t mu = 0; mu < 12; mu++)
            xi[i][mu] = i == mu ? 1 : -1;
    assert_ok(isg_patterns_create(&patterns, 12, 12, xi[0], NULL));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    assert_ok(isg_rbm_set_image(rbm, 3, 4));
    assert_int_equal(draw_weights(in(directory, "w.png"), rbm), EXIT_DONE);
    seen found = look_at("w.png");
    assert_true(found.width == 10 * 12 + 11 * 6 && found.height == 4 * 9 + 5 * 6);
    expect_color(&found, 6, 6, 190, 25, 35);  /* pattern 0 is up at unit 0 */
    expect_color(&found, 9, 6, 25, 90, 180);  /* and down at unit 1 */
    expect_color(&found, 24, 6, 25, 90, 180); /* pattern 1 is down at unit 0 */
    free(found.rgb);
    /* Known patterns, WX and what was found are the same here, and WX is binary. */
    assert_ok(isg_unmap(&unmapping, rbm, NULL, NULL));
    assert_int_equal(draw_unmapping(in(directory, "u.png"), unmapping, rbm, isg_rbm_patterns(rbm)),
                     EXIT_DONE);
    found = look_at("u.png");
    assert_int_equal(found.height, 6 * 9 + 7 * 6);
    for (size_t band = 0; band < 3; band++) {
        expect_color(&found, 6, 6 + 15 * band, 190, 25, 35);
        expect_color(&found, 9, 6 + 15 * band, 25, 90, 180);
    }
    free(found.rgb);
    isg_unmapping_free(unmapping);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static void test_chains(void **state) {
    (void)state;
    isg_rbm *rbm = make_rbm();
    isg_chains *chains = NULL;
    const uint64_t up = 1, none = 0, clamped = 3;
    assert_ok(isg_chains_create(&chains, rbm, 3, 1));
    isg_chains_set_spins(chains, 0, &up);
    isg_chains_set_spins(chains, 1, &none);
    isg_chains_set_spins(chains, 2, &none);
    assert_int_equal(draw_chains(in(directory, "s.png"), chains, &clamped, 2, 0, 0), EXIT_DONE);
    const seen found = look_at("s.png");
    assert_true(found.width == 2 * 6 + 3 * 4 && found.height == 2 * 4 + 3 * 4);
    expect_color(&found, 4, 4, 140, 190, 255); /* up and clamped */
    expect_color(&found, 6, 4, 20, 40, 100);   /* down and clamped */
    expect_color(&found, 8, 4, 0, 0, 0);       /* down and free */
    expect_color(&found, 14, 12, 128, 128, 128);
    free(found.rgb);
    assert_int_equal(draw_chains("x.png", chains, NULL, 0, 2, 3), EXIT_MISUSED);
    assert_int_equal(draw_chains("/nowhere/x.png", chains, NULL, 2, 2, 3), EXIT_FILE);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* Where cell (0, 0) of a table in color begins, for names of two letters. */
enum { LEFT = 2 * 8 + 40, TOP = 50, LABEL = 30, SIDE = 5 };

static void test_confusion(void **state) {
    (void)state;
    static const char *const names[] = {"c7", "c8"};
    const size_t counts[] = {8, 2, 0, 10}, x = LEFT + LABEL + SIDE, y = TOP + SIDE;
    assert_int_equal(draw_confusion(in(directory, "c.png"), counts, 2, names), EXIT_DONE);
    const seen found = look_at("c.png");
    expect_color(&found, x + 46, y + 28, 25, 90, 180); /* all of class 1 is right */
    expect_color(&found, x + 46, y, 190, 25, 35);      /* the largest mistake */
    expect_color(&found, x, y + 28, 255, 255, 255);    /* none */
    free(found.rgb);
    assert_int_equal(draw_confusion("/nowhere/c.png", counts, 2, names), EXIT_FILE);
}

/* Of units 0 to 99 of two columns, those from 40 on vary most, 70 and above where column 1 is the
   larger. */
static void test_units(void **state) {
    (void)state;
    double values[200] = {0};
    const char *const labels[] = {"AA", NULL};
    for (size_t i = 40; i < 100; i++)
        values[2 * i + (i >= 70)] = 0.5;
    unit_table table = {.what = "patterns", .values = {values, 100, 2, 2}, .labels = labels};
    const size_t x = LEFT + SIDE, y = TOP + SIDE;
    assert_int_equal(draw_units(in(directory, "u.png"), &table), EXIT_DONE);
    seen found = look_at("u.png");
    for (size_t k = 0; k < 60; k += 59) {
        const size_t red = k == 0 ? 0 : 30, white = 30 - red;
        expect_color(&found, x + red, y + 16 * k, 190, 25, 35);
        expect_color(&found, x + white, y + 16 * k, 255, 255, 255);
    }
    free(found.rgb);
    /* Given ones in their order, to a given scale. */
    const size_t units[] = {99, 0, 40};
    table.units = units;
    table.n_units = 3;
    table.scale = 0.5;
    assert_int_equal(draw_units(in(directory, "u.png"), &table), EXIT_DONE);
    found = look_at("u.png");
    expect_color(&found, x + 30, y, 190, 25, 35);
    expect_color(&found, x + 30, y + 16, 255, 255, 255);
    expect_color(&found, x, y + 32, 190, 25, 35);
    free(found.rgb);
}

/* Weights and patterns that are no images. */
static void test_tables(void **state) {
    (void)state;
    static const int8_t xi[] = {1, -1, -1, 1, 1, 1};
    static const char *const labels[] = {"AA", "BB"};
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    const size_t x = LEFT - 8 + SIDE, y = TOP + SIDE; /* units are numbers of one digit */
    assert_int_equal(check_picture("p.npz", 3, 0, 0), EXIT_DONE);
    assert_int_equal(check_picture("p.npz", 3, 2, 2), EXIT_BAD_INPUT);
    assert_ok(isg_patterns_create(&patterns, 3, 2, xi, labels));
    assert_int_equal(draw_patterns(in(directory, "p.png"), patterns), EXIT_DONE);
    seen found = look_at("p.png");
    expect_color(&found, x, y, 190, 25, 35);
    expect_color(&found, x + 30, y, 25, 90, 180);
    free(found.rgb);
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    assert_int_equal(draw_weights(in(directory, "w.svg"), rbm), EXIT_DONE);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static isg_status draw_all(void *user) {
    static const size_t counts[] = {8, 2, 0, 10};
    static const char *const names[] = {"c7", "c8"};
    static const double values[] = {1, 2, 3, 4};
    const isg_dataset *data = user;
    const unit_table table = {.what = "patterns", .values = {values, 2, 2, 2}};
    exit_code code = draw_confusion(in(directory, "m.png"), counts, 2, names);
    if (code == EXIT_DONE)
        code = draw_units(in(directory, "m.png"), &table);
    if (code == EXIT_DONE)
        code = draw_classes(in(directory, "m.svg"), data, 2);
    return code == EXIT_DONE ? ISG_OK : ISG_ERR_MEMORY;
}

static void test_no_memory(void **state) {
    (void)state;
    isg_dataset *data = make_samples();
    assert_true(sweep_allocations(draw_all, data) > 10);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_image), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_weights),     cmocka_unit_test(test_patterns_above_weights),
        cmocka_unit_test(test_chains),      cmocka_unit_test(test_confusion),
        cmocka_unit_test(test_units),       cmocka_unit_test(test_tables),
        slow_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
