/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Plays a scene that comes with the library through ALSA: live SCENE [DEVICE [SECONDS]]. A line on standard input is a gesture in
 * the form of takes: {"strike": "hammer", "velocity_m_s": 1.0}. The device's thread has the audio half, main the control half. */
#include <alsa/asoundlib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "tocco.h"

#define FRAMES 256

struct Playing {
    ToccoSession *session;
    snd_pcm_t *device;
    unsigned channels;
    long blocks; /* how many at most; negative: until the end of the input */
    atomic_int stop;
};

static void *play(void *argument)
{
    struct Playing *playing = (struct Playing *)argument;
    float *out = (float *)calloc((size_t)FRAMES * playing->channels, sizeof(float));
    while (out != NULL && !atomic_load(&playing->stop) && playing->blocks != 0) {
        snd_pcm_sframes_t written;
        tocco_play(playing->session, NULL, 0, out, FRAMES);
        written = snd_pcm_writei(playing->device, out, FRAMES);
        if (written < 0 && snd_pcm_recover(playing->device, (int)written, 1) < 0) {
            break;
        }
        if (playing->blocks > 0) {
            playing->blocks -= 1;
        }
    }
    atomic_store(&playing->stop, 1);
    free(out);
    return NULL;
}

int main(int count, char **words)
{
    struct Playing playing;
    ToccoSetup setup = {0.0, 2, 1, 0, NULL, NULL};
    char line[4096];
    pthread_t thread;
    int status;

    if (count < 2 || !tocco_shipped(words[1], TOCCO_NUL)) {
        fprintf(stderr, "live: %s\n", count < 2 ? "usage: live SCENE [DEVICE [SECONDS]]" : tocco_error());
        return 1;
    }
    setup.rate_hz = 48000.0;
    playing.session = tocco_open(tocco_text(), tocco_text_len(), &setup);
    if (playing.session == NULL) {
        fprintf(stderr, "live: %s\n", tocco_error());
        return 1;
    }
    playing.channels = tocco_channels(playing.session);
    playing.blocks = count > 3 ? (long)(atof(words[3]) * 48000.0 / FRAMES) : -1;
    atomic_init(&playing.stop, 0);
    status = snd_pcm_open(&playing.device, count > 2 ? words[2] : "default", SND_PCM_STREAM_PLAYBACK, 0);
    if (status >= 0) {
        status = snd_pcm_set_params(playing.device, SND_PCM_FORMAT_FLOAT, SND_PCM_ACCESS_RW_INTERLEAVED,
                                    playing.channels, 48000, 1, 20000);
    }
    if (status < 0) {
        fprintf(stderr, "live: %s\n", snd_strerror(status));
        tocco_free(playing.session);
        return 1;
    }
    if (pthread_create(&thread, NULL, play, &playing) != 0) {
        return 1;
    }
    while (!atomic_load(&playing.stop) && fgets(line, sizeof line, stdin) != NULL) {
        if (!tocco_gesture(playing.session, line, TOCCO_NUL, 0.0)) {
            fprintf(stderr, "live: %s\n", tocco_error());
        }
        tocco_poll(playing.session);
    }
    if (playing.blocks < 0) {
        atomic_store(&playing.stop, 1);
    }
    pthread_join(thread, NULL);
    tocco_poll(playing.session);
    printf("%.0f frames\n", tocco_tick(playing.session));
    snd_pcm_close(playing.device);
    tocco_free(playing.session);
    return 0;
}
