/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The C library as its callers see it; also compiled as C++. Prints "ok" and returns 0 if everything holds. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tocco.h"

#define HOLDS(claim) \
    do { \
        if (!(claim)) { \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #claim, tocco_error()); \
            failures += 1; \
        } \
    } while (0)

static int failures = 0;

static const char *const BAR =
    "[body.hammer]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -1.0\n"
    "[body.bar]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.05 }]\n"
    "[contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar']\n[[tap]]\nof = 'bar'\n"
    "[[control]]\nname = 'hard'\npath = 'hit/stiffness'\nrange = [1e6, 1e9]\nscale = 'log'\n"
    "[[control]]\nname = 'heavy'\npath = 'hammer/mass_kg'\nrange = [0.005, 0.05]\nscale = 'log'\n"
    "[midi]\nnotes = 'pitch'\nstrike = 'hammer'\nretune = 'bar'\nvoices = 2\nrelease_s = 0.02\nslide = 'hard'\npressure = 'heavy'\n";

static const char *const HEARS =
    "[body.ball]\ntype = 'mass'\n[body.bar]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.05 }]\n"
    "[[drive]]\npath = 'bar/force_n'\nwav = 'noise.wav'\n[[tap]]\nof = 'bar'\n";

static uint32_t bring(void *user, const char *file, const float **samples, size_t *count, double *rate_hz)
{
    static const float noise[4] = {0.5f, -0.5f, 0.25f, 0.0f};
    *(int *)user += 1;
    *samples = noise;
    *count = 4;
    *rate_hz = 48000.0;
    return strcmp(file, "noise.wav") == 0;
}

/* The text of a baked body, a byte a sample: one vertex, one mode that moves it along x. */
static uint32_t bring_body(void *user, const char *file, const float **samples, size_t *count, double *rate_hz)
{
    static const char *const body =
        "mesh = 1\nsource = 'x'\nmaterial = 'steel'\nmass_kg = 1\ncentre_m = [0, 0, 0]\n"
        "axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\ngyration_m = [0.1, 0.1, 0.1]\nvertex_unit_m = 1e-3\nvertices = 'AQAAAAAA'\n"
        "normals = 'fwAA'\ntriangles = ''\n[[modes]]\nfreq_hz = 440\ndecay_s = 0.5\nshape_unit = 1\nshape = 'AQAAAAAA'\n";
    static float text[1024];
    size_t i;
    for (i = 0; body[i] != 0; i += 1) {
        text[i] = (float)(unsigned char)body[i];
    }
    *(int *)user += 1;
    *samples = text;
    *count = i;
    *rate_hz = 1.0;
    return strcmp(file, "own.toml") == 0;
}

static const char *const RINGS =
    "[body.thing]\ntype = 'mesh'\nfile = 'own.toml'\n[body.thing.port]\nend = [0.001, 0, 0, 1, 0, 0]\n"
    "[[event]]\nat_s = 0\nhit = 'thing.end'\nimpulse_n_s = 0.01\n[[tap]]\nof = 'thing.end'\n";

/* Whatever of the two is asked for. */
static uint32_t bring_both(void *user, const char *file, const float **samples, size_t *count, double *rate_hz)
{
    return (strcmp(file, "own.toml") == 0 ? bring_body : bring)(user, file, samples, count, rate_hz);
}

static const char *const TWO =
    "[body.hammer]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -1.0\n"
    "[body.bar]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.05 }]\n"
    "[contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar']\n[[tap]]\nof = 'bar'\n"
    "[[tap]]\nof = 'bar'\ngain = 0.25\nto = 'shaker'\n[output.main]\nchannels = [0]\n[output.shaker]\nchannels = [1]\n";

/* First sample that is not zero, of so many; -1: none. */
static int first(const float *out, int count)
{
    int i;
    for (i = 0; i < count; i += 1) {
        if (out[i] != 0.0f) {
            return i;
        }
    }
    return -1;
}

static void plays_at_the_sample(void)
{
    float out[512], left[512], right[512], extra[512];
    float *planes[3];
    ToccoSession *one = tocco_open(BAR, TOCCO_NUL, NULL), *two = tocco_open(BAR, strlen(BAR), NULL);
    HOLDS(one != NULL && two != NULL && tocco_channels(one) == 1 && tocco_rate_hz(one) == 48000.0);
    HOLDS(tocco_strike(one, "hammer", TOCCO_NUL, 1.0, 100.0) == 1);
    HOLDS(tocco_strike(two, "hammer", 6, 1.0, 100.0) == 1);
    HOLDS(tocco_play(one, NULL, 0, out, 512) == 1 && first(out, 512) == 100);
    planes[0] = left;
    planes[1] = right;
    planes[2] = extra;
    right[7] = 1.0f;
    HOLDS(tocco_play_planar(two, NULL, 0, planes, 3, 512) == 1);
    HOLDS(memcmp(out, left, sizeof out) == 0 && first(right, 512) == -1 && first(extra, 512) == -1);
    HOLDS(tocco_tick(two) == 512.0 && tocco_poll(two) == 1);
    HOLDS(tocco_is_quiet(two) == 0);
    HOLDS(tocco_play(one, NULL, 0, out, 0) == 1 && tocco_play(one, NULL, 0, NULL, 12) == 0);
    HOLDS(tocco_play_planar(two, NULL, 0, planes, 3, 0) == 1);
    planes[1] = NULL;
    HOLDS(tocco_play_planar(two, NULL, 0, planes, 3, 512) == 0 && tocco_tick(two) == 512.0);
    tocco_free(one);
    tocco_free(two);
}

static void plays_two_channels_apart_or_side_by_side(void)
{
    float out[1024], left[512], right[512];
    float *planes[2];
    int i;
    ToccoSession *one = tocco_open(TWO, TOCCO_NUL, NULL), *other = tocco_open(TWO, TOCCO_NUL, NULL);
    planes[0] = left;
    planes[1] = right;
    HOLDS(tocco_channels(one) == 2);
    HOLDS(tocco_strike(one, "hammer", TOCCO_NUL, 1.0, 100.0) == 1 && tocco_play(one, NULL, 0, out, 512) == 1);
    HOLDS(tocco_strike(other, "hammer", TOCCO_NUL, 1.0, 100.0) == 1);
    HOLDS(tocco_play_planar(other, NULL, 0, planes, 2, 512) == 1);
    for (i = 0; i < 512; i += 1) {
        HOLDS(out[2 * i] == left[i] && out[2 * i + 1] == right[i]);
    }
    HOLDS(first(left, 512) == 100 && first(right, 512) == 100 && memcmp(left, right, sizeof left) != 0);
    tocco_free(one);
    tocco_free(other);
}

static void refuses_in_words(void)
{
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, NULL);
    double nan = strtod("nan", NULL);
    HOLDS(tocco_open("version = 1\n[body.bar]\ntype = 'modle'\n", TOCCO_NUL, NULL) == NULL);
    HOLDS(strstr(tocco_error(), "modal") != NULL && strlen(tocco_error()) == tocco_error_len());
    HOLDS(tocco_open(NULL, 5, NULL) == NULL && strstr(tocco_error(), "null") != NULL);
    HOLDS(tocco_open("\xff", 1, NULL) == NULL && strstr(tocco_error(), "UTF-8") != NULL);
    HOLDS(tocco_set(session, "hit/stifness", TOCCO_NUL, 1.0, 0.0) == 0);
    HOLDS(strcmp(tocco_error(), "no parameter 'hit/stifness'; did you mean 'hit/stiffness'?") == 0);
    HOLDS(tocco_set(session, "hit/stiffness", TOCCO_NUL, nan, 0.0) == 0 && strstr(tocco_error(), "not a number") != NULL);
    HOLDS(tocco_strike(session, "bar", TOCCO_NUL, 1.0, 0.0) == 0 && strstr(tocco_error(), "not a mass") != NULL);
    HOLDS(tocco_strike(session, "hammer", TOCCO_NUL, 1.0, nan) == 0);
    HOLDS(tocco_strike(NULL, "hammer", TOCCO_NUL, 1.0, 0.0) == 0 && strstr(tocco_error(), "no session") != NULL);
    HOLDS(tocco_play(NULL, NULL, 0, NULL, 16) == 0 && tocco_channels(NULL) == 0);
    HOLDS(tocco_note_on(session, 1, 0, 60, 1.0, 0.0, 0.0) == 0);
    HOLDS(tocco_param_id(session, "hard", TOCCO_NUL) == 0 && strstr(tocco_error(), "setup with notes") != NULL);
    HOLDS(tocco_alloc(SIZE_MAX) == NULL);
    /* Blocks that no memory holds: an error, and the session goes on. */
    HOLDS(tocco_render(session, SIZE_MAX / 4) == NULL && strstr(tocco_error(), "no memory for") != NULL);
    HOLDS(tocco_render(session, SIZE_MAX) == NULL && tocco_tick(session) == 0.0);
    HOLDS(tocco_render(session, 16) != NULL && tocco_tick(session) == 16.0);
    HOLDS(tocco_heard(session, 1.0, 0, SIZE_MAX / 64) == NULL && strstr(tocco_error(), "no memory for") != NULL);
    HOLDS(tocco_heard(session, 1.0, 0, 2) != NULL);
    HOLDS(tocco_shipped("marimbo", TOCCO_NUL) == 0 && strstr(tocco_error(), "marimba") != NULL);
    HOLDS(tocco_open_state("{}", TOCCO_NUL, NULL) == NULL);
    tocco_free(session);
    tocco_free(NULL);
}

static void refuses_more_channels_than_there_are(void)
{
    ToccoSetup setup = {48000.0, UINT32_MAX, 0, 0, NULL, NULL};
    ToccoSession *session;
    HOLDS(tocco_open(BAR, TOCCO_NUL, &setup) == NULL && strstr(tocco_error(), "4294967295 channels; at most 64") != NULL);
    setup.notes = 1;
    HOLDS(tocco_open(BAR, TOCCO_NUL, &setup) == NULL && strstr(tocco_error(), "at most 64") != NULL);
    setup.channels = 65;
    HOLDS(tocco_open(BAR, TOCCO_NUL, &setup) == NULL && strstr(tocco_error(), "at most 64") != NULL);
    setup.channels = 64;
    session = tocco_open(BAR, TOCCO_NUL, &setup);
    HOLDS(tocco_channels(session) == 64);
    tocco_free(session);
}

/* A scene that is wrong has no names, and nobody need ask before using them. */
static void answers_of_no_names_that_there_are_none(void)
{
    const double half = 0.5;
    const char *const touch = "{\"touch\": \"bar\", \"place\": [0.5]}";
    ToccoNames *names = tocco_names("[body.bar]\ntype = 'modle'\n", TOCCO_NUL, 0.0);
    HOLDS(names == NULL && strstr(tocco_error(), "modal") != NULL);
    HOLDS(tocco_describe(names) == 0 && strstr(tocco_error(), "there are no names") != NULL);
    HOLDS(tocco_shape_at(names, touch, TOCCO_NUL) == 0 && tocco_shapes(names, 1, 1, &half, 1) == 0);
    HOLDS(tocco_port_shapes(names, 1) == 0 && tocco_moves(names, "hard", TOCCO_NUL, 0.5) == 0);
    HOLDS(tocco_readings(names, &half, 1) == 0);
    tocco_names_free(names);
    names = tocco_names(BAR, TOCCO_NUL, 0.0);
    HOLDS(tocco_describe(names) == 1 && strstr(tocco_text(), "hit/stiffness") != NULL);
    HOLDS(tocco_port_shapes(names, 1) == 1 && tocco_numbers_len() == 1 && tocco_numbers()[0] == 1.0);
    HOLDS(tocco_port_shapes(names, 99) == 1 && tocco_numbers_len() == 0);
    HOLDS(tocco_shape_at(names, NULL, 5) == 0 && tocco_moves(names, NULL, 5, 0.5) == 0);
    tocco_names_free(names);
}

static void refuses_notes_that_are_none(void)
{
    static float out[4800];
    double nan = strtod("nan", NULL);
    ToccoSetup setup = {48000.0, 1, 0, 1, NULL, NULL};
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, &setup);
    HOLDS(tocco_note_on(session, 1, 16, 69, 1.0, 0.0, 0.0) == 0 && tocco_note_on(session, 1, 0, 128, 1.0, 0.0, 0.0) == 0);
    HOLDS(tocco_note_on(session, 1, 0, 69, nan, 0.0, 0.0) == 0 && tocco_note_on(session, 1, 0, 69, 1.0, nan, 0.0) == 0);
    HOLDS(tocco_note_on(session, 1, 0, 69, 1.0, 0.0, nan) == 0);
    HOLDS(tocco_play(session, NULL, 0, out, 4800) == 1 && first(out, 4800) == -1);
    HOLDS(tocco_note_on(session, 1, 0, 69, 1.0, 0.0, 0.0) == 1);
    HOLDS(tocco_note_tune(session, 1, -1, -1, nan, 0.0) == 0 && tocco_note_press(session, 1, -1, -1, nan, 0.0) == 0);
    HOLDS(tocco_note_brighten(session, 1, -1, -1, nan, 0.0) == 0 && tocco_note_off(session, 1, -1, -1, nan) == 0);
    /* Only -1 is any: these would silence the note. */
    HOLDS(tocco_note_choke(session, -1, 300, -1, 0.0) == 0 && tocco_note_choke(session, -1, -1, -2, 0.0) == 0);
    HOLDS(tocco_note_choke(session, -1, 16, 69, 0.0) == 0 && tocco_note_choke(session, -1, 0, 128, 0.0) == 0);
    HOLDS(tocco_play(session, NULL, 0, out, 4800) == 1 && fabs(out[4799]) + fabs(out[4750]) > 1e-9);
    tocco_free(session);
}

/* A note is pressed, brightened and choked: 0 untouched, else one of these. */
static void expressed(int how, float *out, int count)
{
    ToccoSetup setup = {48000.0, 1, 0, 1, NULL, NULL};
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, &setup);
    HOLDS(tocco_note_on(session, 5, 0, 69, 0.7, 0.0, 0.0) == 1);
    HOLDS(how != 1 || tocco_note_press(session, 5, -1, -1, 0.9, 500.0) == 1);
    HOLDS(how != 2 || tocco_note_brighten(session, 5, 0, 69, 0.9, 500.0) == 1);
    HOLDS(how != 3 || tocco_note_choke(session, -1, -1, 69, 500.0) == 1);
    /* The hammer feels what it weighs and how hard it is. */
    HOLDS(tocco_strike(session, "hammer", TOCCO_NUL, 1.0, 1000.0) == 1);
    HOLDS(tocco_play(session, NULL, 0, out, (size_t)count) == 1);
    tocco_free(session);
}

static void plays_with_expression(void)
{
    static float still[2400], moved[2400];
    int how;
    expressed(0, still, 2400);
    for (how = 1; how <= 3; how += 1) {
        expressed(how, moved, 2400);
        HOLDS(memcmp(still, moved, 500 * sizeof still[0]) == 0 && memcmp(still, moved, sizeof still) != 0);
    }
}

static void plays_notes_and_numbers(void)
{
    static float out[48000];
    ToccoSetup setup = {48000.0, 1, 0, 1, NULL, NULL};
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, &setup);
    uint32_t hard = tocco_param_id(session, "hard", TOCCO_NUL);
    int32_t ended = 0;
    HOLDS(session != NULL && hard != 0);
    HOLDS(tocco_param_set(session, hard, 0.5, 10.0) == 1 && tocco_param_set(session, hard + 1, 0.5, 0.0) == 0);
    HOLDS(tocco_note_on(session, 77, 0, 69, 0.7, 0.25, 321.0) == 1);
    HOLDS(tocco_play(session, NULL, 0, out, 1000) == 1 && first(out, 1000) == 321);
    HOLDS(tocco_note_tune(session, 77, -1, -1, 0.5, 1100.0) == 1 && tocco_note_off(session, 77, -1, -1, 2000.0) == 1);
    HOLDS(tocco_note_ended(session, &ended) == 0);
    HOLDS(tocco_play(session, NULL, 0, out, 48000) == 1);
    HOLDS(tocco_note_ended(session, &ended) == 1 && ended == 77 && tocco_note_ended(session, &ended) == 0);
    HOLDS(tocco_poll(session) == 1 && fabs(tocco_value(session, "hard", TOCCO_NUL) - 0.5) < 1e-12);
    HOLDS(tocco_play(session, NULL, 0, out, 48000) == 1 && tocco_is_quiet(session) == 1);
    tocco_free(session);
}

static void tells_touches_and_keeps_states(void)
{
    static float out[4800], again[4800];
    ToccoTouch touch;
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, NULL), *other;
    HOLDS(tocco_watch_touches(session, 1) == 1 && tocco_next_touch(session, &touch) == 0);
    HOLDS(tocco_set(session, "hard", TOCCO_NUL, 0.25, 0.0) == 1);
    HOLDS(tocco_strike(session, "hammer", TOCCO_NUL, 1.0, 100.0) == 1 && tocco_play(session, NULL, 0, out, 4800) == 1);
    HOLDS(tocco_next_touch(session, &touch) == 1 && touch.begins == 1 && touch.at == 100.0 && touch.contact == 0);
    HOLDS(tocco_next_touch(session, &touch) == 1 && touch.begins == 0 && touch.at > 100.0 && touch.impulse_n_s > 0.005);
    HOLDS(tocco_state(session) == 1);
    other = tocco_open_state(tocco_text(), tocco_text_len(), NULL);
    HOLDS(other != NULL && tocco_value(other, "hard", TOCCO_NUL) == tocco_value(session, "hard", TOCCO_NUL));
    HOLDS(tocco_replace(session, tocco_text(), 3, 0) == 0);
    tocco_free(other);
    other = tocco_open(BAR, TOCCO_NUL, NULL);
    HOLDS(tocco_set(other, "hard", TOCCO_NUL, 0.25, 0.0) == 1 && tocco_strike(other, "hammer", TOCCO_NUL, 1.0, 100.0) == 1);
    HOLDS(tocco_play(other, NULL, 0, again, 4800) == 1 && memcmp(out, again, sizeof out) == 0);
    tocco_free(other);
    tocco_free(session);
}

static void fetches_recordings(void)
{
    float out[64];
    int asked = 0;
    ToccoSetup setup = {0.0, 0, 0, 0, NULL, NULL};
    ToccoSession *session;
    HOLDS(tocco_open(HEARS, TOCCO_NUL, &setup) == NULL && strstr(tocco_error(), "noise.wav") != NULL);
    setup.fetch = bring;
    setup.user = &asked;
    session = tocco_open(HEARS, TOCCO_NUL, &setup);
    HOLDS(session != NULL && asked == 1 && tocco_play(session, NULL, 0, out, 64) == 1 && first(out, 64) >= 0);
    tocco_free(session);
    HOLDS(tocco_open(RINGS, TOCCO_NUL, &setup) == NULL && strstr(tocco_error(), "own.toml") != NULL);
    setup.fetch = bring_body;
    asked = 0;
    session = tocco_open(RINGS, TOCCO_NUL, &setup);
    HOLDS(session != NULL && asked == 1 && tocco_play(session, NULL, 0, out, 64) == 1 && first(out, 64) >= 0);
    tocco_free(session);
}

/* What another scene names is brought as it was for the first. */
static void replaces_with_what_is_brought(void)
{
    static float out[4800], again[4800];
    int asked = 0;
    ToccoSetup setup = {48000.0, 1, 0, 0, bring_both, &asked};
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, &setup), *other = tocco_open(HEARS, TOCCO_NUL, &setup);
    HOLDS(asked == 1 && tocco_play(session, NULL, 0, out, 512) == 1 && first(out, 512) == -1);
    HOLDS(tocco_replace(session, HEARS, TOCCO_NUL, 0) == 1 && asked == 2);
    HOLDS(tocco_play(session, NULL, 0, out, 4800) == 1 && tocco_play(other, NULL, 0, again, 4800) == 1);
    /* The one before rings out for 10 ms. */
    HOLDS(memcmp(out + 480, again + 480, (4800 - 480) * sizeof out[0]) == 0 && first(out, 4800) >= 0);
    HOLDS(tocco_replace(session, RINGS, strlen(RINGS), 0) == 1 && asked == 3 && tocco_poll(session) == 1);
    HOLDS(tocco_play(session, NULL, 0, out, 4800) == 1 && first(out + 480, 4000) >= 0);
    HOLDS(tocco_set(session, "thing/freq_scale", TOCCO_NUL, 1.5, 0.0) == 1 && tocco_set(session, "bar/force_n", TOCCO_NUL, 0.0, 0.0) == 0);
    /* More channels than playing began with are refused, and what sounds goes on; fewer are not. */
    HOLDS(tocco_replace(session, TWO, TOCCO_NUL, 0) == 0);
    HOLDS(strstr(tocco_error(), "2 channels, but playing began with 1") != NULL && tocco_channels(session) == 1);
    HOLDS(tocco_play(session, NULL, 0, out, 480) == 1 && first(out, 480) >= 0);
    tocco_free(other);
    tocco_free(session);
    setup.channels = 2;
    session = tocco_open(BAR, TOCCO_NUL, &setup);
    HOLDS(tocco_replace(session, TWO, TOCCO_NUL, 0) == 1 && tocco_replace(session, BAR, TOCCO_NUL, 0) == 1);
    HOLDS(tocco_strike(session, "hammer", TOCCO_NUL, 1.0, 0.0) == 1 && tocco_channels(session) == 2);
    HOLDS(tocco_play(session, NULL, 0, out, 2400) == 1 && out[4798] == out[4799] && first(out + 960, 2000) >= 0);
    tocco_free(session);
    session = tocco_open(BAR, TOCCO_NUL, NULL);
    HOLDS(tocco_replace(session, HEARS, TOCCO_NUL, 0) == 0);
    HOLDS(strstr(tocco_error(), "noise.wav: no recordings can be had here") != NULL);
    HOLDS(tocco_replace(session, RINGS, TOCCO_NUL, 0) == 0 && strstr(tocco_error(), "own.toml: no shipped body") != NULL);
    tocco_free(session);
}

static void describes_what_is_brought(void)
{
    int asked = 0;
    ToccoSetup setup = {44100.0, 1, 0, 1, bring_both, &asked};
    ToccoNames *names = tocco_names_with(HEARS, TOCCO_NUL, &setup);
    HOLDS(asked == 1 && tocco_describe(names) == 1 && strstr(tocco_text(), "44100") != NULL);
    tocco_names_free(names);
    names = tocco_names_with(RINGS, TOCCO_NUL, &setup);
    HOLDS(asked == 2 && tocco_port_shapes(names, 0) == 1 && tocco_numbers_len() > 0);
    tocco_names_free(names);
    names = tocco_names_with(BAR, strlen(BAR), &setup);
    HOLDS(tocco_describe(names) == 1 && strstr(tocco_text(), "hammer~2") != NULL);
    tocco_names_free(names);
    names = tocco_names_with(BAR, TOCCO_NUL, NULL);
    HOLDS(tocco_describe(names) == 1 && strstr(tocco_text(), "hammer~2") == NULL);
    tocco_names_free(names);
    HOLDS(tocco_names(HEARS, TOCCO_NUL, 0.0) == NULL && strstr(tocco_error(), "no recordings can be had here") != NULL);
    HOLDS(tocco_names_with(NULL, 5, &setup) == NULL && tocco_names_with("[body.bar]\ntype = 'modle'\n", TOCCO_NUL, NULL) == NULL);
}

/* Another scene ends notes, and the host is told. */
static void tells_that_notes_end_with_their_scene(void)
{
    static float out[480];
    ToccoSetup setup = {48000.0, 1, 0, 1, NULL, NULL};
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, &setup);
    int32_t one = 0, two = 0, three = 0;
    HOLDS(tocco_note_on(session, 5, 0, 69, 0.7, 0.0, 0.0) == 1 && tocco_note_on(session, 6, 0, 72, 0.7, 0.0, 0.0) == 1);
    HOLDS(tocco_play(session, NULL, 0, out, 480) == 1 && tocco_note_ended(session, &one) == 0);
    HOLDS(tocco_replace(session, BAR, TOCCO_NUL, 0) == 1 && tocco_play(session, NULL, 0, out, 480) == 1);
    HOLDS(tocco_note_ended(session, &one) == 1 && tocco_note_ended(session, &two) == 1 && one + two == 11 && one != two);
    HOLDS(tocco_play(session, NULL, 0, out, 480) == 1 && tocco_note_ended(session, &three) == 0);
    HOLDS(tocco_note_on(session, 7, 0, 69, 0.7, 0.0, 0.0) == 0);
    tocco_free(session);
}

static void keeps_its_take_when_another_is_refused(void)
{
    static float out[512];
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, NULL);
    HOLDS(tocco_record(session) == 1 && tocco_strike(session, "hammer", TOCCO_NUL, 1.0, 100.0) == 1);
    HOLDS(tocco_play(session, NULL, 0, out, 512) == 1 && tocco_poll(session) == 1);
    HOLDS(tocco_record(session) == 0 && strstr(tocco_error(), "begins at the beginning") != NULL);
    HOLDS(tocco_take(session) == 1 && strstr(tocco_text(), "\"strike\"") != NULL);
    HOLDS(strstr(tocco_text(), "as a C library") != NULL && tocco_take(session) == 0);
    tocco_free(session);
}

/* A state that was saved goes on as an instrument. */
static void plays_notes_from_a_state(void)
{
    static float out[4800], again[4800];
    ToccoSetup setup = {48000.0, 1, 0, 1, NULL, NULL};
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, &setup), *other;
    uint32_t hard = tocco_param_id(session, "hard", TOCCO_NUL);
    HOLDS(tocco_set(session, "hard", TOCCO_NUL, 0.25, 0.0) == 1 && tocco_state(session) == 1);
    other = tocco_open_state(tocco_text(), tocco_text_len(), &setup);
    HOLDS(other != NULL && fabs(tocco_value(other, "hard", TOCCO_NUL) - 0.25) < 1e-12);
    HOLDS(tocco_param_id(other, "hard", TOCCO_NUL) == hard);
    HOLDS(tocco_note_on(session, 1, 0, 69, 0.7, 0.0, 2000.0) == 1 && tocco_note_on(session, 2, 0, 72, 0.7, 0.0, 2100.0) == 1);
    HOLDS(tocco_note_on(other, 1, 0, 69, 0.7, 0.0, 2000.0) == 1 && tocco_note_on(other, 2, 0, 72, 0.7, 0.0, 2100.0) == 1);
    HOLDS(tocco_play(session, NULL, 0, out, 4800) == 1 && tocco_play(other, NULL, 0, again, 4800) == 1);
    HOLDS(first(out, 4800) == 2000 && memcmp(out, again, sizeof out) == 0);
    tocco_free(session);
    tocco_free(other);
}

enum { BLOCKS = 400, BLOCK = 64 };

static void *steers(void *session)
{
    int i;
    for (i = 0; i < BLOCKS; i += 1) {
        ToccoSession *one = (ToccoSession *)session;
        HOLDS(tocco_strike(one, "hammer", TOCCO_NUL, 1.0, 100.0 + 50.0 * i) == 1);
        HOLDS(tocco_set(one, "hard", TOCCO_NUL, (i % 10) / 10.0, 0.0) == 1 && tocco_poll(one) == 1);
        HOLDS(tocco_set(one, "hrad", TOCCO_NUL, 0.5, 0.0) == 0 && strstr(tocco_error(), "'hard'") != NULL);
    }
    return NULL;
}

/* One thread has the control half while this one has the audio half, as the header allows. */
static void plays_while_another_thread_steers(void)
{
    float out[BLOCK];
    int i, sounding = 0;
    pthread_t thread;
    ToccoSession *session = tocco_open(BAR, TOCCO_NUL, NULL);
    HOLDS(pthread_create(&thread, NULL, steers, session) == 0);
    for (i = 0; i < BLOCKS; i += 1) {
        HOLDS(tocco_play(session, NULL, 0, out, BLOCK) == 1);
    }
    HOLDS(pthread_join(thread, NULL) == 0);
    HOLDS(tocco_strike(session, "hammer", TOCCO_NUL, 1.0, 0.0) == 1);
    for (i = 0; i < 10; i += 1) {
        HOLDS(tocco_play(session, NULL, 0, out, BLOCK) == 1 && tocco_poll(session) == 1);
        sounding += first(out, BLOCK) >= 0;
    }
    HOLDS(sounding > 0 && tocco_tick(session) == (double)((BLOCKS + 10) * BLOCK));
    HOLDS(fabs(tocco_value(session, "hard", TOCCO_NUL) - 0.9) < 1e-12);
    tocco_free(session);
}

int main(void)
{
    plays_at_the_sample();
    plays_two_channels_apart_or_side_by_side();
    refuses_in_words();
    refuses_more_channels_than_there_are();
    answers_of_no_names_that_there_are_none();
    refuses_notes_that_are_none();
    plays_with_expression();
    plays_notes_and_numbers();
    tells_touches_and_keeps_states();
    fetches_recordings();
    replaces_with_what_is_brought();
    describes_what_is_brought();
    tells_that_notes_end_with_their_scene();
    keeps_its_take_when_another_is_refused();
    plays_notes_from_a_state();
    plays_while_another_thread_steers();
    if (failures == 0) {
        printf("ok %s\n", tocco_version());
    }
    return failures != 0;
}
