// SPDX-License-Identifier: Apache-2.0
#include "gallery-contents.h"

#include <math.h>

static const char *const first_names[]
    = { "Ada",   "Aino",  "Alma", "Amir",  "Anouk",  "Bela",   "Bruno", "Carla", "Chiara", "Dara",  "Edda",  "Elif",  "Emil",  "Enzo", "Farah", "Freya",
        "Gita",  "Greta", "Hana", "Hugo",  "Ida",    "Ines",   "Ivo",   "Jonas", "Jun",    "Kaia",  "Karim", "Lea",   "Leif",  "Lina", "Luca",  "Mads",
        "Maren", "Mika",  "Mila", "Nadia", "Niklas", "Noor",   "Olga",  "Oskar", "Paula",  "Pavel", "Petra", "Rania", "Remy",  "Rosa", "Runa",  "Samir",
        "Selma", "Sofia", "Sven", "Tarek", "Thea",   "Tomasz", "Una",   "Vera",  "Viktor", "Wanda", "Yara",  "Yusuf", "Zora",  "Zeno" };
static const char *const last_names[]
    = { "Abbas",   "Adler",  "Almeida", "Andersen", "Bauer",  "Bergström", "Bianchi", "Blom",   "Castillo", "Dahl",   "Diallo",   "Eriksen",
        "Faure",   "Fischer", "Gallo",  "Haas",     "Hansen", "Hoffmann",  "Ito",     "Jansen", "Kaya",     "Keller", "Kowalski", "Laine",
        "Lindgren", "Lopes",  "Marin",  "Meyer",    "Moreau", "Nagy",      "Nakano",  "Nielsen", "Novak",   "Okafor", "Olsen",    "Ortega",
        "Pettersen", "Popescu", "Ricci", "Roos",    "Salo",   "Sato",      "Schulz",  "Silva",  "Sousa",    "Tanaka", "Toivonen", "Varga",
        "Vogel",   "Weber",  "Winter",  "Ziegler" };
static const char *const places[]
    = { "Bergen",  "Bologna", "Bordeaux", "Brno", "Cádiz",  "Dakar",   "Dresden", "Gdańsk", "Genova", "Ghent",    "Graz",   "Izmir",  "Kaunas", "Kyoto",  "Leiden", "Lisbon",
        "Lyon",    "Malmö",   "Nantes",   "Odense", "Oulu", "Porto",   "Recife",  "Riga",   "Sapporo", "Sevilla", "Tallinn", "Tampere", "Tartu", "Torino", "Tromsø", "Utrecht",
        "Valencia", "Viborg", "Wrocław",  "Zagreb" };

static guint
mix (guint number)
{
  number ^= number >> 16;
  number *= 0x7feb352d;
  number ^= number >> 15;
  number *= 0x846ca68b;
  return number ^ number >> 16;
}

char *
gallery_person_name (guint number)
{
  const guint picked = mix (number + 1);

  return g_strconcat (first_names[picked % G_N_ELEMENTS (first_names)], " ", last_names[(picked >> 8) % G_N_ELEMENTS (last_names)], NULL);
}

const char *
gallery_person_place (guint number)
{
  return places[(mix (number + 1) >> 20) % G_N_ELEMENTS (places)];
}

GVariant *
gallery_contents_person (guint number)
{
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);
  g_autofree char *name = gallery_person_name (number);

  g_variant_dict_insert (&fields, "name", "s", name);
  g_variant_dict_insert (&fields, "place", "s", gallery_person_place (number));
  g_variant_dict_insert (&fields, "number", "u", number + 1);
  g_variant_dict_insert (&fields, "height", "u", 56);
  return g_variant_dict_end (&fields);
}

/* Photographs */

GVariant *
gallery_contents_photo (guint number)
{
  static const char *const subjects[] = { "Ridge", "Valley", "Pass", "Summit", "Lake", "Foothills", "Plateau", "Glacier" };
  static const char *const times[] = { "at dawn", "in the morning", "at noon", "in the haze", "at dusk", "after sunset", "by moonlight" };
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);
  const guint picked = mix (number + 77);
  g_autofree char *name = g_strdup_printf ("%s %s", subjects[picked % G_N_ELEMENTS (subjects)], times[(picked >> 8) % G_N_ELEMENTS (times)]);

  g_variant_dict_insert (&fields, "name", "s", name);
  g_variant_dict_insert (&fields, "seed", "u", picked);
  g_variant_dict_insert (&fields, "width", "u", 216);
  g_variant_dict_insert (&fields, "height", "u", 184);
  return g_variant_dict_end (&fields);
}

/* The map */

static double
lattice (int x, int y)
{
  return mix ((guint) x * 0x9e3779b1u ^ mix ((guint) y + 0x51ed270bu)) / 4294967295.0;
}

/* One of 256 directions for each place of the lattice. */
static inline double
slope (const double (*directions)[2], int x, int y, double dx, double dy)
{
  const double *direction = directions[mix ((guint) x * 0x9e3779b1u ^ mix ((guint) y + 0x51ed270bu)) >> 24];

  return direction[0] * dx + direction[1] * dy;
}

static const double (*get_directions (void))[2]
{
  static double directions[256][2];
  static gsize made;

  if (g_once_init_enter (&made))
    {
      for (guint i = 0; i < 256; i++)
        {
          directions[i][0] = cos (i * 2 * G_PI / 256);
          directions[i][1] = sin (i * 2 * G_PI / 256);
        }
      g_once_init_leave (&made, 1);
    }
  return directions;
}

/* Gradient noise, -1 to 1. */
static double
noise (double x, double y)
{
  const int left = (int) floor (x), top = (int) floor (y);
  const double u = x - left, v = y - top, s = u * u * u * (u * (u * 6 - 15) + 10), t = v * v * v * (v * (v * 6 - 15) + 10);
  const double (*d)[2] = get_directions ();
  const double upper = slope (d, left, top, u, v) * (1 - s) + slope (d, left + 1, top, u - 1, v) * s;
  const double lower = slope (d, left, top + 1, u, v - 1) * (1 - s) + slope (d, left + 1, top + 1, u - 1, v - 1) * s;

  return (upper * (1 - t) + lower * t) * 1.5;
}

static double
fractal (double x, double y, int octaves)
{
  double sum = 0, weight = 1, total = 0;

  for (int octave = 0; octave < octaves; octave++)
    {
      /* Turned by some angle each time, so that no lines of the lattice show. */
      const double turned = 0.8 * x - 0.6 * y;
      sum += weight * noise (x, y);
      total += weight;
      weight *= 0.5;
      y = (0.6 * x + 0.8 * y) * 2.02 + 17;
      x = turned * 2.02 + 31;
    }
  return sum / total;
}

double
gallery_contents_height (double x, double y)
{
  const double dx = x / GALLERY_MAP_COLUMNS - 0.5, dy = y / GALLERY_MAP_ROWS - 0.5;
  const double edge = MAX (fabs (dx), fabs (dy)) * 2;
  const double u = x / 8.5, v = y / 8.5;
  const double bent = u + 0.22 * noise (u * 1.5 + 5, v * 1.5), warped = v + 0.22 * noise (u * 1.5, v * 1.5 + 9);
  const double land = fractal (bent, warped, 6);
  const double ridges = 1 - fabs (fractal (u * 1.3 + 50, v * 1.3 + 50, 4)) * 2.2;

  return land * 1.6 + 0.05 + (land > 0.1 ? (land - 0.1) * MAX (0, ridges) * 1.6 : 0) - MAX (0, edge - 0.9) * 7;
}

GVariant *
gallery_contents_tile (guint column, guint row)
{
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);
  gint16 heights[GALLERY_TILE_SAMPLES * GALLERY_TILE_SAMPLES];

  for (guint y = 0; y < GALLERY_TILE_SAMPLES; y++)
    for (guint x = 0; x < GALLERY_TILE_SAMPLES; x++)
      {
        /* One sample around the tile, so that the slope at its edge is known. */
        const double step = 1.0 / (GALLERY_TILE_SAMPLES - 3);
        const double height = gallery_contents_height (column + ((double) x - 1) * step, row + ((double) y - 1) * step);
        heights[y * GALLERY_TILE_SAMPLES + x] = (gint16) CLAMP (height * 16384, -32767, 32767);
      }
  g_variant_dict_insert (&fields, "x", "u", column * GALLERY_TILE_SIZE);
  g_variant_dict_insert (&fields, "y", "u", row * GALLERY_TILE_SIZE);
  g_variant_dict_insert (&fields, "width", "u", GALLERY_TILE_SIZE);
  g_variant_dict_insert (&fields, "height", "u", GALLERY_TILE_SIZE);
  g_variant_dict_insert_value (&fields, "land", g_variant_new_fixed_array (G_VARIANT_TYPE_INT16, heights, G_N_ELEMENTS (heights), sizeof *heights));
  return g_variant_dict_end (&fields);
}

typedef struct
{
  guint x, y; /* pixels */
} Town;

/* The lowest dry land in squares of the map, where there is a coast. */
static GArray *
find_towns (void)
{
  GArray *towns = g_array_new (FALSE, FALSE, sizeof (Town));

  for (guint row = 2; row + 2 < GALLERY_MAP_ROWS; row += 2)
    for (guint column = 2; column + 2 < GALLERY_MAP_COLUMNS; column += 2)
      {
        double lowest = 0.12;
        Town town = { 0, 0 };

        for (guint i = 0; i < 40; i++)
          {
            const double x = column + lattice ((int) (column * 41 + i), (int) row) * 1.6;
            const double y = row + lattice ((int) column, (int) (row * 43 + i)) * 1.6;
            const double height = gallery_contents_height (x, y);
            if (height > 0.02 && height < lowest)
              {
                lowest = height;
                town = (Town){ (guint) (x * GALLERY_TILE_SIZE), (guint) (y * GALLERY_TILE_SIZE) };
              }
          }
        if (town.x != 0 && lattice ((int) column, -(int) row) > 0.35)
          g_array_append_val (towns, town);
      }
  return towns;
}

static const GArray *
get_towns (void)
{
  static GArray *towns;

  if (g_once_init_enter (&towns))
    g_once_init_leave (&towns, find_towns ());
  return towns;
}

guint
gallery_contents_count_towns (void)
{
  return get_towns ()->len;
}

GVariant *
gallery_contents_town (guint number)
{
  static const char *const heads[] = { "Alt", "Brem", "Eich", "Fal", "Grim", "Hal", "Kir", "Lind", "Mar", "Nor", "Oster", "Rav", "Sand", "Skar", "Tor", "Vik", "Wind" };
  static const char *const tails[] = { "holm", "haven", "by", "stad", "wick", "mouth", "ness", "borg", "ford", "dal", "vik", "sund" };
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);
  const Town town = g_array_index (get_towns (), Town, number);
  const guint picked = mix (number + 4242);
  g_autofree char *name = g_strconcat (heads[picked % G_N_ELEMENTS (heads)], tails[(picked >> 9) % G_N_ELEMENTS (tails)], NULL);

  g_variant_dict_insert (&fields, "name", "s", name);
  g_variant_dict_insert (&fields, "large", "b", (picked >> 20) % 5 == 0);
  g_variant_dict_insert (&fields, "x", "u", town.x - 8);
  g_variant_dict_insert (&fields, "y", "u", town.y - 12);
  g_variant_dict_insert (&fields, "width", "u", 150);
  g_variant_dict_insert (&fields, "height", "u", 24);
  g_variant_dict_insert (&fields, "z", "u", 1);
  return g_variant_dict_end (&fields);
}

/* Shelves */

GVariant *
gallery_contents_shelf (guint shelf)
{
  static const char *const names[] = { "Just arrived",      "Sea stories",   "Botany",       "Old maps",      "Letters",     "Night walks",  "Small machines", "Cookery",
                                       "Astronomy",         "Ghosts",        "Railways",     "Poems",         "Mountains",   "Dictionaries", "Chess",          "Birds",
                                       "Architecture",      "Rivers",        "Islands",      "Fairy tales",   "Weather",     "Photography",  "Travel diaries", "Unfinished" };
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);
  g_autofree char *list = g_strdup_printf ("gallery-shelf-%u", shelf);

  g_variant_dict_insert (&fields, "name", "s", names[shelf % G_N_ELEMENTS (names)]);
  g_variant_dict_insert (&fields, "list", "s", list);
  g_variant_dict_insert (&fields, "height", "u", 236);
  return g_variant_dict_end (&fields);
}

GVariant *
gallery_contents_book (guint shelf, guint book)
{
  static const char *const adjectives[] = { "The Quiet", "The Long", "A Second", "The Northern", "The Last", "Another", "The Hidden", "A Small", "The Glass", "The Borrowed", "The Blue", "An Early" };
  static const char *const nouns[] = { "Harbour", "Winter", "Garden", "Compass", "Orchard", "Signal", "River", "Lighthouse", "Atlas", "Meridian", "Window", "Tide", "Lantern", "Crossing", "Archive" };
  g_auto (GVariantDict) fields = G_VARIANT_DICT_INIT (NULL);
  const guint picked = mix (shelf * 1000 + book + 991);
  g_autofree char *title = g_strdup_printf ("%s %s", adjectives[picked % G_N_ELEMENTS (adjectives)], nouns[(picked >> 8) % G_N_ELEMENTS (nouns)]);
  g_autofree char *author = gallery_person_name (picked);

  g_variant_dict_insert (&fields, "title", "s", title);
  g_variant_dict_insert (&fields, "author", "s", author);
  g_variant_dict_insert (&fields, "seed", "u", picked);
  g_variant_dict_insert (&fields, "width", "u", 132);
  return g_variant_dict_end (&fields);
}
