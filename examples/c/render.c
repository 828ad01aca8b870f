/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Renders a scene to a file of raw 32-bit floats, interleaved: render SCENE SECONDS [GESTURES] > sound.f32
 * SCENE is a file, or the name of a scene that comes with the library. GESTURES is a file with a line for each gesture, in the
 * form of takes: {"at": 4800, "strike": "hammer", "velocity_m_s": 1.0}; or one with a line for each note, its sample and the three numbers of a
 * MIDI message: 4800 144 60 96 strikes, 9600 128 60 0 lets go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tocco.h"

#define BLOCK 512

static int fail(const char *what)
{
    fprintf(stderr, "render: %s\n", what);
    return 1;
}

/* The whole of a file, with a zero byte behind; null if there is none. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, got;
    if (file == NULL) {
        return NULL;
    }
    do {
        char *more = (char *)realloc(text, size + 65537);
        if (more == NULL) {
            break;
        }
        text = more;
        got = fread(text + size, 1, 65536, file);
        size += got;
        text[size] = '\0';
    } while (got > 0);
    fclose(file);
    return text;
}

/* A note of a line; 0 if it is none. */
static int note(ToccoSession *session, const char *line)
{
    double at;
    unsigned status, key, velocity;
    if (sscanf(line, "%lf %u %u %u", &at, &status, &key, &velocity) != 4) {
        return 0;
    }
    return status >> 4 == 9 && velocity > 0
        ? tocco_note_on(session, (int32_t)key, status & 15, key, velocity / 127.0, 0.0, at) != 0
        : tocco_note_off(session, -1, (int32_t)(status & 15), (int32_t)key, at) != 0;
}

int main(int count, char **words)
{
    ToccoSetup setup = {0.0, 0, 0, 0, NULL, NULL};
    char *text, *gestures = NULL, *line;
    float *out = NULL;
    double seconds;
    size_t left;
    ToccoSession *session;
    int status = 0;

    if (count < 3) {
        return fail("usage: render SCENE SECONDS [GESTURES]");
    }
    if (count > 3 && (gestures = read_file(words[3])) == NULL) {
        return fail("the file of gestures cannot be read");
    }
    setup.notes = gestures != NULL && gestures[0] >= '0' && gestures[0] <= '9';
    text = read_file(words[1]);
    if (text != NULL) {
        session = tocco_open(text, TOCCO_NUL, &setup);
        free(text);
    } else {
        session = tocco_shipped(words[1], TOCCO_NUL) ? tocco_open(tocco_text(), tocco_text_len(), &setup) : NULL;
    }
    if (session == NULL) {
        free(gestures);
        return fail(tocco_error());
    }
    for (line = gestures ? strtok(gestures, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
        const char *at = strstr(line, "\"at\":");
        if (setup.notes) {
            if (!note(session, line)) {
                status = fail("a line of the notes is none");
            }
        } else if (!tocco_gesture(session, line, TOCCO_NUL, at ? atof(at + 5) : 0.0)) {
            status = fail(tocco_error());
        }
    }
    seconds = atof(words[2]);
    left = (size_t)(seconds * tocco_rate_hz(session) + 0.5);
    out = (float *)malloc(sizeof(float) * BLOCK * tocco_channels(session));
    while (status == 0 && out != NULL && left > 0) {
        size_t frames = left < BLOCK ? left : BLOCK;
        if (!tocco_play(session, NULL, 0, out, frames)) {
            status = fail("the session has failed");
        }
        /* Both halves are on this thread. */
        tocco_poll(session);
        fwrite(out, sizeof(float) * tocco_channels(session), frames, stdout);
        left -= frames;
    }
    free(out);
    free(gestures);
    tocco_free(session);
    return status;
}
