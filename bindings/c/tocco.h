/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tocco: the sound of things touching, as a C library. docs/c.md tells it in order.
 *
 * Threads. A session has two halves. A function marked [control] uses the control half, [audio] the audio half, [both] both.
 * Each half is used by one thread at a time; the two halves may be used by two threads at the same time. [audio] functions
 * neither allocate nor lock nor call the system, and leave no error text. Functions without a mark may be called anywhere.
 * Two sessions have nothing in common.
 *
 * Errors. What can fail returns null, 0 or NaN and leaves one line at tocco_error(), which belongs to the calling thread, as do
 * tocco_text() and tocco_numbers(). Nothing unwinds into the caller. A session in which something inside has failed is closed:
 * its functions fail from then on; free it.
 *
 * Text is UTF-8 with its length in bytes, or TOCCO_NUL for text that ends with a zero byte. Ticks are samples since the start,
 * as doubles; one that has passed means now.
 */

#ifndef TOCCO_H
#define TOCCO_H

/* Made by cbindgen from bindings/c/src; do not edit. */

#include <stddef.h>
#include <stdint.h>

/*
 As a length: the text ends with a zero byte.
 */
#define TOCCO_NUL ~0

/*
 The directory of a scene, and the scene in words.
 */
typedef struct ToccoNames ToccoNames;

/*
 A scene that is playing.
 */
typedef struct ToccoSession ToccoSession;

/*
 Brings a recording that a scene names: writes where its samples are (one channel, full scale is 1), how many, and their
 rate, and returns 1; 0 if there is none. Of a baked body (`type = "mesh"`) it brings the text, a byte a sample, at any rate. What it
 brings is copied before the function that asks for it returns.
 */
typedef uint32_t (*ToccoFetch)(void *user, const char *file, const float **samples, size_t *count, double *rate_hz);

/*
 How to play. All zero is: as the program renders.
 */
typedef struct ToccoSetup {
  /*
   Samples a second; 0: the scene's own.
   */
  double rate_hz;
  /*
   Least number of channels; a mono scene is then heard on the first two. 0: the scene's own.
   */
  uint32_t channels;
  /*
   Not 0: true peaks are limited to -1 dBTP in what `tocco_play` gives, which delays it by the look-ahead.
   */
  uint32_t limiter;
  /*
   Not 0: the scene gets the voices that its `[midi]` table says, and notes can be played.
   */
  uint32_t notes;
  /*
   Brings recordings and baked bodies; may be null. `tocco_replace` asks it, too, on the thread that calls that.
   */
  ToccoFetch fetch;
  /*
   Handed to `fetch`.
   */
  void *user;
} ToccoSetup;

/*
 A contact that has begun or ended.
 */
typedef struct ToccoTouch {
  /*
   Tick of the sample.
   */
  double at;
  /*
   Sum of force times time of a contact that ends, N s.
   */
  double impulse_n_s;
  /*
   Number of the contact, in the order of the scene.
   */
  uint32_t contact;
  /*
   1: it begins, 0: it ends.
   */
  uint32_t begins;
} ToccoTouch;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Room for `len` bytes, zeroed, where numbers of any kind may stand; null if there is none.
 */
uint8_t *tocco_alloc(size_t len);

/*
 Gives the room back.

 # Safety
 `bytes` came from [`tocco_alloc`] with the same `len` and has not been given back, or `len` is 0.
 */
void tocco_dealloc(uint8_t *bytes, size_t len);

/*
 Version of the library, "0.1.0".
 */
const char *tocco_version(void);

/*
 Last error of this thread as UTF-8 with a zero byte behind; valid until the next call that fails.
 */
const char *tocco_error(void);

/*
 Length of the last error in bytes.
 */
size_t tocco_error_len(void);

/*
 Last answer in words of this thread as UTF-8 with a zero byte behind; valid until the next.
 */
const char *tocco_text(void);

/*
 Length of the last answer in words in bytes.
 */
size_t tocco_text_len(void);

/*
 Last answer in numbers of this thread; valid until the next.
 */
const double *tocco_numbers(void);

/*
 How many numbers that answer has.
 */
size_t tocco_numbers_len(void);

/*
 The names of a scene from TOML or JSON as it is played at `rate_hz`, or at the scene's own rate if that is 0; null on
 error.

 # Safety
 `text` points to `len` bytes.
 */
struct ToccoNames *tocco_names(const char *text, size_t len, double rate_hz);

/*
 The same of a scene as [`tocco_open`](crate::session::tocco_open) plays it with this setup: at its rate, with what its `fetch` brings,
 with voices if it has notes. `setup` may be null.

 # Safety
 `text` points to `len` bytes; `setup` is null or points to a setup whose `fetch` keeps its promises during the call.
 */
struct ToccoNames *tocco_names_with(const char *text,
                                    size_t len,
                                    const struct ToccoSetup *setup);

/*
 Gives the names back.

 # Safety
 `names` came from [`tocco_names`] and has not been freed; null is allowed.
 */
void tocco_names_free(struct ToccoNames *names);

/*
 Answers with the scene as JSON: bodies, contacts, paths, controls, signals, outputs, inputs. 1 or, on error, 0.

 # Safety
 `names` is alive, or null.
 */
uint32_t tocco_describe(const struct ToccoNames *names);

/*
 Answers with the shape values of the modes at the place that a touch names (`{"touch": "bar.tip", "place": [0.3]}`),
 for [`tocco_touch`](crate::session::tocco_touch) in another instance. 1 or, on error, 0.

 # Safety
 `names` is alive, or null; `line` points to `len` bytes.
 */
uint32_t tocco_shape_at(const struct ToccoNames *names, const char *line, size_t len);

/*
 Answers with the values of all modes' shapes at places of a body, one place after the other; `axes` of the `count` numbers say
 where a place is, as fractions. 1 or, on error, 0.

 # Safety
 `names` is alive, or null; `places` points to `count` numbers.
 */
uint32_t tocco_shapes(const struct ToccoNames *names,
                      uint32_t body,
                      size_t axes,
                      const double *places,
                      size_t count);

/*
 Answers with the values of all modes' shapes at every port of a body, one port after the other; nothing of a body without modes.
 1 or, on error, 0.

 # Safety
 `names` is alive, or null.
 */
uint32_t tocco_port_shapes(const struct ToccoNames *names,
                           uint32_t body);

/*
 Answers with what a value of a path or control does: number and value of each parameter that it moves. 1 or, on error, 0.

 # Safety
 `names` is alive, or null; `path` points to `len` bytes.
 */
uint32_t tocco_moves(const struct ToccoNames *names,
                     const char *path,
                     size_t len,
                     double value);

/*
 Answers with the value of every path and then of every control, in the order of [`tocco_describe`], given where every parameter
 stands ([`tocco_settings`](crate::session::tocco_settings)). 1 or, on error, 0.

 # Safety
 `names` is alive, or null; `settings` points to `count` numbers.
 */
uint32_t tocco_readings(const struct ToccoNames *names,
                        const double *settings,
                        size_t count);

/*
 Begins to play a scene from TOML or JSON at `rate_hz`, or at the scene's own rate if that is 0; null on error.

 # Safety
 `text` points to `len` bytes.
 */
struct ToccoSession *tocco_load(const char *text, size_t len, double rate_hz);

/*
 Begins to play a scene from TOML or JSON; null on error. `setup` may be null: as the program renders. The names of shipped
 scenes are known as parts.

 # Safety
 `text` points to `len` bytes; `setup` is null or points to a setup whose `fetch` keeps its promises as long as the session lives.
 */
struct ToccoSession *tocco_open(const char *text,
                                size_t len,
                                const struct ToccoSetup *setup);

/*
 Goes on from a state ([`tocco_state`]); null on error. Its recordings are in it; `fetch` is for scenes that replace it.

 # Safety
 As for [`tocco_open`].
 */
struct ToccoSession *tocco_open_state(const char *text, size_t len, const struct ToccoSetup *setup);

/*
 Answers with the text of a scene that comes with the library. 1 or, on error, 0.

 # Safety
 `name` points to `len` bytes.
 */
uint32_t tocco_shipped(const char *name, size_t len);

/*
 Ends a session.

 # Safety
 `session` came from this library and has not been freed; null is allowed.
 */
void tocco_free(struct ToccoSession *session);

/*
 Channels of the sound. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_channels(struct ToccoSession *session);

/*
 Channels of sound that the scene listens to. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_inputs(struct ToccoSession *session);

/*
 Samples a second. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
double tocco_rate_hz(struct ToccoSession *session);

/*
 Samples rendered so far. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
double tocco_tick(struct ToccoSession *session);

/*
 Does what a line says (`{"strike": "hammer", "velocity_m_s": 1.0}`: the form of takes and of the program) at a tick. 1
 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_gesture(struct ToccoSession *session,
                       const char *line,
                       size_t len,
                       double at);

/*
 Sets a parameter, a force or a control at a tick; it glides as declared. 1 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_set(struct ToccoSession *session,
                   const char *path,
                   size_t len,
                   double value,
                   double at);

/*
 The same without a glide: for what is about to be struck. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_jump(struct ToccoSession *session,
                    const char *path,
                    size_t len,
                    double value,
                    double at);

/*
 Sets a mass in motion from zero gap at a tick, m/s. 1 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_strike(struct ToccoSession *session,
                      const char *path,
                      size_t len,
                      double value,
                      double at);

/*
 An ideal impulse at a body or body.port at a tick, N s. 1 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_hit(struct ToccoSession *session,
                   const char *path,
                   size_t len,
                   double value,
                   double at);

/*
 Value last sent to a path or control, else as declared; NaN if there is none such. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
double tocco_value(struct ToccoSession *session,
                   const char *path,
                   size_t len);

/*
 The same as [`tocco_gesture`] for a touch whose place [`tocco_shape_at`](crate::names::tocco_shape_at) has solved elsewhere, from
 the names of this very scene at this rate: nothing to solve where the sound is made. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_touch(struct ToccoSession *session,
                     const char *line,
                     size_t len,
                     const double *shape,
                     size_t count,
                     double at);

/*
 Another scene from the next block on, from its beginning or, if `edits` is not 0, as an edit: what stays keeps sounding.
 Signals must be watched anew; notes end, which is told, and parameters by number. It may have fewer channels than the first, not more.
 What it names is brought by the `fetch` that the session was opened with. 1 or, on error, 0 and the old scene plays on. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_replace(struct ToccoSession *session,
                       const char *text,
                       size_t len,
                       uint32_t edits);

/*
 Fetches what has come back from the audio half: frees what is no longer needed, writes the take. Call it often where two
 threads play. 1 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_poll(struct ToccoSession *session);

/*
 Answers with the state: scene and what was set in it, as text for [`tocco_open_state`]. 1 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_state(struct ToccoSession *session);

/*
 Frames between the engine and what [`tocco_play`] gives: the look-ahead of the limiter. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_latency(struct ToccoSession *session);

/*
 Answers with two numbers for each output, since the last call: largest magnitude, and least gain of its limiter. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_meters(struct ToccoSession *session);

/*
 Answers with the values of the scene's inlets, as their signals are, after each block since the last call: the tick, then one
 number for each inlet. What a scene's drive says is among them, and what a player does. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_trace(struct ToccoSession *session);

/*
 Answers with what the scene's processes have done since the last call, the last thousand at most: five numbers each, its tick
 with a fraction, the number of the process, how strong it was, in the unit of the process, and where, m, if it knows places. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_happened(struct ToccoSession *session);

/*
 Watches these signals (one name per line) from the next render on, none of them if one is unknown. 1 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_watch(struct ToccoSession *session,
                     const char *names,
                     size_t len);

/*
 Watched signals of the last render, a row for each frame; null if there are none. Valid until the next render. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
const double *tocco_probes(struct ToccoSession *session);

/*
 Answers with where every parameter stands, by its number: what is driven now, anything else where it was told to go, whoever told
 it. [`tocco_readings`](crate::names::tocco_readings) says what that is under every name. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_settings(struct ToccoSession *session);

/*
 Answers with the energy of every body, then of every law, J. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_energies(struct ToccoSession *session);

/*
 Answers with the energy of every mode of a body, J. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_modes(struct ToccoSession *session, uint32_t body);

/*
 Answers with how bodies move, for whoever draws them: of every body the number of its ports and their positions, m, then the number of
 its modes and of each its displacement, m, and velocity, m/s, where its shape is 1, and its frequency as tuned now, rad/s. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_motions(struct ToccoSession *session);

/*
 Answers with how every contact was held since the last call, from [`tocco_watch_touches`] on: the force of largest magnitude, N, and the
 part of the samples with a force in which the surfaces slid. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_grips(struct ToccoSession *session);

/*
 Answers with unconverged solves, refused or clamped values, resets, and events left out beyond the most, since the start. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
void tocco_health(struct ToccoSession *session);

/*
 Records a take, which must be asked for before anything else. 1 or, on error, 0. `[control]`

 # Safety
 `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_record(struct ToccoSession *session);

/*
 Ends the take, after the frames rendered so far, and answers with its text; the sound goes on. 1 or, on error, 0. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_take(struct ToccoSession *session);

/*
 Number of a parameter or control by its path, for [`tocco_param_set`]: the same in every scene and version. 0: there is none. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_param_id(struct ToccoSession *session,
                        const char *path,
                        size_t len);

/*
 Sets a parameter by its number at its sample; out of range is clamped. 1, or 0 if there is none such, no room, or a NaN. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_param_set(struct ToccoSession *session,
                         uint32_t id,
                         double value,
                         double at);

/*
 A note begins at its sample: the caller's own number, channel 0 to 15, key 0 to 127, velocity 0 to 1, semitones beside
 the key. 1, or 0 if it cannot be played: a number that is none, or out of these ranges. Needs `notes` in the setup. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_note_on(struct ToccoSession *session,
                       int32_t id,
                       uint32_t channel,
                       uint32_t key,
                       double velocity,
                       double tuning,
                       double at);

/*
 Its key goes up, at its sample: it is damped if the scene says in which time. -1 means any id, channel or key. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_note_off(struct ToccoSession *session,
                        int32_t id,
                        int32_t channel,
                        int32_t key,
                        double at);

/*
 It is silenced within milliseconds. -1 means any id, channel or key. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_note_choke(struct ToccoSession *session,
                          int32_t id,
                          int32_t channel,
                          int32_t key,
                          double at);

/*
 Its pitch glides to so many semitones beside its key. -1 means any id, channel or key; with any id, of a key that is down the note that is held, not what rings from before. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_note_tune(struct ToccoSession *session,
                         int32_t id,
                         int32_t channel,
                         int32_t key,
                         double value,
                         double at);

/*
 Its pressure, 0 to 1. -1 means any id, channel or key; with any id, of a key that is down the note that is held, not what rings from before. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_note_press(struct ToccoSession *session,
                          int32_t id,
                          int32_t channel,
                          int32_t key,
                          double value,
                          double at);

/*
 Its brightness, 0 to 1. -1 means any id, channel or key; with any id, of a key that is down the note that is held, not what rings from before. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_note_brighten(struct ToccoSession *session,
                             int32_t id,
                             int32_t channel,
                             int32_t key,
                             double value,
                             double at);

/*
 The id of the next note that has ended, in `id`: rung out, or its voice was taken. 1, or 0 if there is none. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_note_ended(struct ToccoSession *session,
                          int32_t *id);

/*
 Notes from here on when contacts begin and end, or no more if `wanted` is 0. 1, or 0. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_watch_touches(struct ToccoSession *session,
                             uint32_t wanted);

/*
 The next contact that has begun or ended, in `touch`; the last thousand are kept. 1, or 0 if there is none. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_next_touch(struct ToccoSession *session,
                          struct ToccoTouch *touch);

/*
 Fills a block of interleaved frames. `inputs` are `input_channels` channels of sound that came in, each as long as the block;
 none is null and 0. 1, or 0 and nothing is written. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_play(struct ToccoSession *session,
                    const float *const *inputs,
                    size_t input_channels,
                    float *out,
                    size_t frames);

/*
 As [`tocco_play`], a plane for each of `channels` channels; at most 64. Planes beyond those of the scene are silent. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_play_planar(struct ToccoSession *session,
                           const float *const *inputs,
                           size_t input_channels,
                           float *const *out,
                           size_t channels,
                           size_t frames);

/*
 1 if nothing waits, the scene's own gestures are over and the sound has stayed below -100 dBFS for a second. `[audio]`

 # Safety
 `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
 */
uint32_t tocco_is_quiet(struct ToccoSession *session);

/*
 Room for the sound that comes in during the next block: `frames` samples for each channel that the scene listens to,
 channel after channel, zeroed; null if there is none. It is heard by the next render only. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
float *tocco_input(struct ToccoSession *session, size_t frames);

/*
 The next `frames` frames, interleaved; valid until the next render. What did not come by [`tocco_input`], with the same
 number of frames, is silence. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
const float *tocco_render(struct ToccoSession *session, size_t frames);

/*
 The last block as it is heard: through a master gain, reached by its end, and, if `limits` is not 0, the true-peak
 limiters of the outputs (delayed by their look-ahead). One block of samples for each of the device's `channels`, channel
 after channel; channels that the device lacks are dropped. Valid until the next call. `[both]`

 # Safety
 `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
 */
const float *tocco_heard(struct ToccoSession *session,
                         double gain,
                         uint32_t limits,
                         size_t channels);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TOCCO_H */
