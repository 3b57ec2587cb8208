// SPDX-License-Identifier: Apache-2.0
#include "gallery-tile.h"

#include "gallery-contents.h"

#include <math.h>

struct _GalleryTile
{
  GtkWidget parent_instance;

  GdkTexture *texture;
};

G_DEFINE_FINAL_TYPE (GalleryTile, gallery_tile, GTK_TYPE_WIDGET)

static void
gallery_tile_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GalleryTile *self = GALLERY_TILE (widget);

  if (self->texture != NULL)
    gtk_snapshot_append_texture (snapshot, self->texture,
                                 &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget), (float) gtk_widget_get_height (widget)));
}

static void
gallery_tile_finalize (GObject *object)
{
  g_clear_object (&GALLERY_TILE (object)->texture);
  G_OBJECT_CLASS (gallery_tile_parent_class)->finalize (object);
}

static void
gallery_tile_class_init (GalleryTileClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = gallery_tile_finalize;
  GTK_WIDGET_CLASS (klass)->snapshot = gallery_tile_snapshot;
}

static void
gallery_tile_init (GalleryTile *self)
{
}

GtkWidget *
gallery_tile_new (void)
{
  return g_object_new (GALLERY_TYPE_TILE, NULL);
}

typedef struct
{
  double height, r, g, b;
} Stop;

static void
paint (double height, double slope, guchar *pixel)
{
  static const Stop stops[] = { { -1.2, 40, 84, 128 },     { -0.35, 70, 128, 168 },  { -0.08, 118, 176, 200 }, { -0.004, 158, 206, 214 },
                                { 0.0, 232, 220, 182 },    { 0.03, 214, 212, 160 },  { 0.07, 156, 190, 122 },  { 0.25, 122, 164, 98 },
                                { 0.45, 172, 172, 122 },   { 0.62, 164, 140, 112 },  { 0.80, 186, 176, 168 },  { 0.95, 248, 248, 250 },
                                { 9, 255, 255, 255 } };
  guint i = 0;
  double part, light;

  while (i + 2 < G_N_ELEMENTS (stops) && height > stops[i + 1].height)
    i++;
  part = CLAMP ((height - stops[i].height) / (stops[i + 1].height - stops[i].height), 0, 1);
  light = height > 0 ? CLAMP (1 + slope * 0.55, 0.72, 1.22) : 1;
  pixel[0] = (guchar) CLAMP ((stops[i].r + (stops[i + 1].r - stops[i].r) * part) * light, 0, 255);
  pixel[1] = (guchar) CLAMP ((stops[i].g + (stops[i + 1].g - stops[i].g) * part) * light, 0, 255);
  pixel[2] = (guchar) CLAMP ((stops[i].b + (stops[i + 1].b - stops[i].b) * part) * light, 0, 255);
}

/* Between four samples in one direction, so that slopes have no edges. */
static double
curve (double a, double b, double c, double d, double t)
{
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

void
gallery_tile_show (GalleryTile *self, ListdItem *item)
{
  enum { samples = GALLERY_TILE_SAMPLES, cells = GALLERY_TILE_SAMPLES - 3 };
  const int size = GALLERY_TILE_SIZE * gtk_widget_get_scale_factor (GTK_WIDGET (self));
  GVariant *value = listd_item_get_value (item, "land");
  g_autofree double *columns = NULL, *heights = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const gint16 *land;
  guchar *pixels;
  gsize n = 0;

  g_clear_object (&self->texture);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (value == NULL || !g_variant_is_of_type (value, G_VARIANT_TYPE ("an")))
    return;
  land = g_variant_get_fixed_array (value, &n, sizeof *land);
  if (n != samples * samples)
    return;
  /* First along each row of samples, then down the columns of pixels. */
  columns = g_new (double, (gsize) samples * (gsize) (size + 1));
  heights = g_new (double, (gsize) (size + 1) * (gsize) (size + 1));
  for (int y = 0; y < samples; y++)
    for (int x = 0; x <= size; x++)
      {
        const double place = (double) x * cells / size + 1;
        const int i = MIN ((int) place, samples - 3);
        const gint16 *row = land + y * samples + i;
        columns[y * (size + 1) + x] = curve (row[-1], row[0], row[1], row[2], place - i) / 16384;
      }
  for (int y = 0; y <= size; y++)
    {
      const double place = (double) y * cells / size + 1;
      const int i = MIN ((int) place, samples - 3);
      for (int x = 0; x <= size; x++)
        {
          const double *column = columns + i * (size + 1) + x;
          heights[y * (size + 1) + x] = curve (column[-(size + 1)], column[0], column[size + 1], column[2 * (size + 1)], place - i);
        }
    }
  pixels = g_malloc ((gsize) size * (gsize) size * 3);
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++)
      {
        const double *here = heights + y * (size + 1) + x;
        const double slope = (here[0] - here[1] + here[0] - here[size + 1]) * 0.625 * size;
        paint (here[0], -slope, pixels + (y * size + x) * 3);
      }
  bytes = g_bytes_new_take (pixels, (gsize) size * (gsize) size * 3);
  self->texture = gdk_memory_texture_new (size, size, GDK_MEMORY_R8G8B8, bytes, (gsize) size * 3);
}
