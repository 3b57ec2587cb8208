// SPDX-License-Identifier: Apache-2.0
#include "gallery-art.h"

#include <glib/gstdio.h>
#include <math.h>

typedef struct
{
  double r, g, b;
} Colour;

typedef struct
{
  const char *time;
  Colour top, middle, horizon, far, near, sun;
  double height; /* of the sun over the horizon, in heights of the picture; below 0: none */
  gboolean stars;
} Light;

static const Light lights[] = {
  { "dawn", { .33, .36, .62 }, { .93, .62, .58 }, { 1, .86, .66 }, { .78, .55, .62 }, { .17, .16, .30 }, { 1, .96, .84 }, 0.07, FALSE },
  { "morning", { .35, .58, .84 }, { .62, .80, .93 }, { .95, .95, .90 }, { .62, .74, .82 }, { .12, .27, .30 }, { 1, 1, .95 }, 0.28, FALSE },
  { "noon", { .16, .45, .80 }, { .45, .71, .92 }, { .84, .93, .97 }, { .55, .69, .80 }, { .10, .30, .22 }, { 1, 1, 1 }, -1, FALSE },
  { "haze", { .70, .75, .78 }, { .82, .85, .85 }, { .93, .92, .88 }, { .78, .81, .81 }, { .28, .36, .40 }, { 1, 1, .97 }, 0.34, FALSE },
  { "dusk", { .20, .19, .42 }, { .76, .38, .46 }, { 1, .67, .40 }, { .60, .35, .47 }, { .10, .09, .20 }, { 1, .87, .60 }, 0.03, FALSE },
  { "sunset", { .11, .16, .36 }, { .35, .36, .58 }, { .92, .62, .55 }, { .38, .36, .55 }, { .06, .08, .17 }, { 1, 1, 1 }, -1, FALSE },
  { "moonlight", { .03, .06, .16 }, { .09, .16, .32 }, { .27, .39, .56 }, { .20, .29, .45 }, { .02, .04, .09 }, { .97, .97, .92 }, 0.40, TRUE },
};

static double
random_of (guint *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

static Colour
between (Colour a, Colour b, double part)
{
  return (Colour){ a.r + (b.r - a.r) * part, a.g + (b.g - a.g) * part, a.b + (b.b - a.b) * part };
}

static void
add_stop (cairo_pattern_t *pattern, double place, Colour colour, double alpha)
{
  cairo_pattern_add_color_stop_rgba (pattern, place, colour.r, colour.g, colour.b, alpha);
}

static void
fill_with (cairo_t *cairo, cairo_pattern_t *pattern)
{
  cairo_set_source (cairo, pattern);
  cairo_fill (cairo);
  cairo_pattern_destroy (pattern);
}

static void
draw_sky (cairo_t *cairo, double width, double height, double horizon, const Light *light, guint *state)
{
  cairo_pattern_t *pattern = cairo_pattern_create_linear (0, 0, 0, horizon);
  const double x = width * (0.2 + 0.6 * random_of (state)), y = horizon - height * light->height;

  add_stop (pattern, 0, light->top, 1);
  add_stop (pattern, 0.6, light->middle, 1);
  add_stop (pattern, 1, light->horizon, 1);
  cairo_rectangle (cairo, 0, 0, width, height);
  fill_with (cairo, pattern);

  for (guint i = 0; light->stars && i < 70; i++)
    {
      const double size = 0.4 + random_of (state) * 0.7;
      cairo_set_source_rgba (cairo, 1, 1, 1, 0.25 + random_of (state) * 0.6);
      cairo_arc (cairo, random_of (state) * width, random_of (state) * horizon * 0.9, size, 0, 2 * G_PI);
      cairo_fill (cairo);
    }
  if (light->height < 0)
    return;
  pattern = cairo_pattern_create_radial (x, y, 0, x, y, height * 0.5);
  add_stop (pattern, 0, light->sun, 0.55);
  add_stop (pattern, 1, light->sun, 0);
  cairo_rectangle (cairo, 0, 0, width, height);
  fill_with (cairo, pattern);
  cairo_set_source_rgb (cairo, light->sun.r, light->sun.g, light->sun.b);
  cairo_arc (cairo, x, y, height * 0.055, 0, 2 * G_PI);
  cairo_fill (cairo);
}

/* The line of a ridge, as sums of waves with sharp tops. */
static void
draw_ridge (cairo_t *cairo, double width, double height, double base, double size, double rough, Colour colour, Colour foot, guint *state)
{
  double phases[7], lengths[7];
  cairo_pattern_t *pattern;

  for (guint i = 0; i < 7; i++)
    {
      phases[i] = random_of (state) * 2 * G_PI;
      lengths[i] = (0.7 + random_of (state) * 0.6) * pow (1.9, i);
    }
  cairo_move_to (cairo, 0, height);
  for (double x = 0; x <= width + 1; x += 1)
    {
      double y = 0, weight = 1;
      for (guint i = 0; i < 7; i++)
        {
          const double wave = sin (x / width * 2 * G_PI * lengths[i] + phases[i]);
          y += weight * (rough > 0.5 ? 1 - 2 * fabs (wave) : wave);
          weight *= 0.34 + 0.2 * rough;
        }
      cairo_line_to (cairo, x, base - size * y);
    }
  cairo_line_to (cairo, width, height);
  cairo_close_path (cairo);
  pattern = cairo_pattern_create_linear (0, base - size * 1.4, 0, base + height * 0.22);
  add_stop (pattern, 0, colour, 1);
  add_stop (pattern, 1, foot, 1);
  fill_with (cairo, pattern);
}

static void
draw_lake (cairo_t *cairo, double width, double height, double shore, const Light *light, guint *state)
{
  cairo_pattern_t *pattern = cairo_pattern_create_linear (0, shore, 0, height);

  add_stop (pattern, 0, between (light->horizon, light->far, 0.35), 1);
  add_stop (pattern, 1, between (light->top, light->near, 0.55), 1);
  cairo_rectangle (cairo, 0, shore, width, height - shore);
  fill_with (cairo, pattern);
  for (guint i = 0; i < 26; i++)
    {
      const double y = shore + pow (random_of (state), 1.6) * (height - shore), length = 6 + random_of (state) * (8 + (y - shore));
      cairo_set_source_rgba (cairo, light->horizon.r, light->horizon.g, light->horizon.b, 0.10 + 0.16 * random_of (state));
      cairo_rectangle (cairo, random_of (state) * width - length / 2, y, length, 1);
      cairo_fill (cairo);
    }
}

static void
draw_trees (cairo_t *cairo, double width, double height, const Light *light, guint *state)
{
  const Colour colour = between (light->near, (Colour){ 0, 0, 0 }, 0.45);
  double x = -6;

  cairo_set_source_rgb (cairo, colour.r, colour.g, colour.b);
  while (x < width + 8)
    {
      const double tall = height * (0.07 + 0.10 * random_of (state)), wide = tall * 0.34;
      const double ground = height + 2 - height * 0.03 * sin (x / width * 5 + (double) (*state % 7));
      for (guint i = 0; i < 4; i++)
        {
          const double part = i / 4.0;
          cairo_move_to (cairo, x, ground - tall * (1 - part * 0.55));
          cairo_line_to (cairo, x - wide * (0.35 + part * 0.65), ground - tall * (0.62 - part * 0.6));
          cairo_line_to (cairo, x + wide * (0.35 + part * 0.65), ground - tall * (0.62 - part * 0.6));
          cairo_close_path (cairo);
        }
      cairo_fill (cairo);
      x += wide * (0.7 + random_of (state) * 2.2);
    }
}

static void
draw_landscape (cairo_t *cairo, double width, double height, guint seed, const char *name)
{
  const Light *light = &lights[1];
  guint state = seed, ridges;
  const double horizon = height * 0.62;
  const gboolean lake = g_str_has_prefix (name, "Lake") || seed % 5 == 0;

  for (guint i = 0; i < G_N_ELEMENTS (lights); i++)
    if (g_str_has_suffix (name, lights[i].time))
      light = &lights[i];
  draw_sky (cairo, width, height, horizon, light, &state);
  ridges = 3 + (guint) (random_of (&state) * 3);
  for (guint i = 0; i < ridges; i++)
    {
      const double part = (i + 1.0) / ridges;
      const Colour colour = between (light->far, light->near, pow (part, 1.3));
      const double base = height * (0.50 + 0.34 * part * (lake ? 0.55 : 1));
      const double size = height * (0.15 - 0.07 * part) * (0.7 + 0.7 * random_of (&state));
      draw_ridge (cairo, width, height, base, size, part < 0.7 ? 0.8 : 0.2, colour, between (colour, light->horizon, 0.45 * (1 - part) + 0.08), &state);
    }
  if (lake)
    draw_lake (cairo, width, height, height * 0.74, light, &state);
  if (seed % 3 != 0)
    draw_trees (cairo, width, height, light, &state);
}

gboolean
gallery_art_write_landscape (const char *path, guint seed, const char *name)
{
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, GALLERY_PHOTO_WIDTH, GALLERY_PHOTO_HEIGHT);
  cairo_t *cairo = cairo_create (surface);
  gboolean done;

  draw_landscape (cairo, GALLERY_PHOTO_WIDTH, GALLERY_PHOTO_HEIGHT, seed, name);
  cairo_destroy (cairo);
  done = cairo_surface_write_to_png (surface, part) == CAIRO_STATUS_SUCCESS && g_rename (part, path) == 0;
  cairo_surface_destroy (surface);
  if (!done)
    g_printerr ("listd-gallery: %s cannot be written\n", path);
  return done;
}

void
gallery_art_draw_cover (cairo_t *cairo, double width, double height, guint seed, gboolean *light)
{
  static const Colour grounds[] = { { .91, .86, .75 }, { .16, .24, .36 }, { .74, .33, .25 }, { .20, .36, .32 }, { .93, .78, .42 }, { .43, .26, .38 },
                                    { .80, .84, .86 }, { .13, .15, .20 }, { .36, .53, .62 }, { .86, .60, .50 } };
  static const Colour inks[] = { { .74, .33, .25 }, { .93, .78, .42 }, { .95, .90, .80 }, { .62, .78, .70 }, { .20, .30, .40 }, { .96, .70, .56 } };
  guint state = seed * 2654435761u;
  const Colour ground = grounds[seed % G_N_ELEMENTS (grounds)];
  Colour ink = inks[(seed >> 7) % G_N_ELEMENTS (inks)];
  const double shine = 0.3 * ground.r + 0.59 * ground.g + 0.11 * ground.b;

  *light = shine > 0.55;
  if (fabs (0.3 * ink.r + 0.59 * ink.g + 0.11 * ink.b - shine) < 0.2)
    ink = between (ink, *light ? (Colour){ .15, .2, .3 } : (Colour){ 1, .95, .85 }, 0.7);
  cairo_set_source_rgb (cairo, ground.r, ground.g, ground.b);
  cairo_paint (cairo);
  cairo_set_source_rgb (cairo, ink.r, ink.g, ink.b);
  switch ((seed >> 12) % 5)
    {
    case 0: /* a sun over waves */
      cairo_arc (cairo, width * 0.5, height * 0.66, width * 0.26, 0, 2 * G_PI);
      cairo_fill (cairo);
      cairo_set_source_rgb (cairo, ground.r, ground.g, ground.b);
      for (guint i = 0; i < 4; i++)
        {
          cairo_rectangle (cairo, 0, height * (0.68 + i * 0.045), width, height * 0.014);
          cairo_fill (cairo);
        }
      break;
    case 1: /* rings */
      cairo_set_line_width (cairo, 2);
      for (guint i = 1; i <= 7; i++)
        {
          cairo_arc (cairo, width * 0.72, height * 0.74, i * width * 0.09, 0, 2 * G_PI);
          cairo_stroke (cairo);
        }
      break;
    case 2: /* hills */
      for (guint i = 0; i < 3; i++)
        {
          const double base = height * (0.62 + 0.12 * i);
          const Colour colour = between (ink, ground, 0.55 - 0.27 * i);
          cairo_set_source_rgb (cairo, colour.r, colour.g, colour.b);
          cairo_move_to (cairo, 0, height);
          for (double x = 0; x <= width; x += 2)
            cairo_line_to (cairo, x, base + sin (x / width * (3 + i) + random_of (&state) * 0.02 + i * 2) * height * 0.05);
          cairo_line_to (cairo, width, height);
          cairo_close_path (cairo);
          cairo_fill (cairo);
        }
      break;
    case 3: /* stripes */
      for (guint i = 0; i < 6; i++)
        {
          cairo_rectangle (cairo, width * (0.12 + 0.13 * i), height * (0.55 + 0.06 * random_of (&state)), width * 0.06, height * 0.34);
          cairo_fill (cairo);
        }
      break;
    default: /* a diamond */
      cairo_move_to (cairo, width * 0.5, height * 0.50);
      cairo_line_to (cairo, width * 0.80, height * 0.70);
      cairo_line_to (cairo, width * 0.5, height * 0.90);
      cairo_line_to (cairo, width * 0.20, height * 0.70);
      cairo_close_path (cairo);
      cairo_fill (cairo);
    }
}
