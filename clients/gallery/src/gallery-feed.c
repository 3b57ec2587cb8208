// SPDX-License-Identifier: Apache-2.0
#include "gallery-feed.h"

#include <glib/gstdio.h>
#include <stdio.h>

/* A tenth line of the feed is about weather, so that there is always one on the screen. */
static const char *const entries[] = {
  "journal|2035-11-06T08:00:00Z|Ines|We are down. The dust has settled on the windows, and for a long while nobody says a word. Then Pavel asks who has the tea.",
  "message|2035-11-06T09:10:00Z|Ground|Welcome to Mars. You were eleven minutes late, and we did not mind.",
  "weather|2035-11-07T16:00:00Z|-12,-81,05:40,18:01,clear",
  "journal|2035-11-08T19:20:00Z|Ines|The habitat holds its pressure. Two of us slept in it, or tried to: the wind makes the walls hum in a low fifth, and Jun, who plays the cello, could not stop "
  "listening for the third.",
  "message|2035-11-09T06:30:00Z|Home|The cat has found the box that your suit came in. We have stopped looking for another place for her.",
  "journal|2035-11-11T17:45:00Z|Ines|First drive. Twelve kilometres out along the old river bed, and the tracks were gone when we came back along them. We navigated by the one boulder that we had "
  "photographed from both sides. From now on we shall photograph every boulder from both sides.",
  "message|2035-11-12T07:00:00Z|Ground|Please check the left rear wheel before the next drive: its motor drew more current than the others.",
  "weather|2035-11-13T16:00:00Z|-7,-74,05:41,17:59,haze",
  "journal|2035-11-13T20:05:00Z|Pavel|It was a pebble. It is now in a drawer with a label: “Wheel, left rear”.",
  "journal|2035-11-15T20:10:00Z|Ines|The beans have come up, all but one row. Pavel talks to that one in the evenings. He says that it is shy.",
  "message|2035-11-16T12:30:00Z|Home|It snowed today. We built one with a helmet.",
  "journal|2035-11-17T18:00:00Z|Jun|Drilled to four metres. At three the drill sang, at three and a half it stopped, and what came up was white. We passed it round in its glass without opening it. "
  "It melted while we looked, and then there were five people in a small room watching water.",
  "message|2035-11-18T14:00:00Z|Ground|We have received your pictures of the core. The whole floor stood up. Please do not drink it.",
  "weather|2035-11-18T16:00:00Z|-9,-78,05:42,17:58,dust",
  "journal|2035-11-18T15:30:00Z|Ines|Dust in the north. The station says three days; the barometer says two.",
  "message|2035-11-18T16:20:00Z|Ground|Storm confirmed. Bring everything inside that you want to find again.",
  "journal|2035-11-19T09:15:00Z|Ines|The sky went from butterscotch to brick in an hour. We can hear the sand on the hull, like somebody sweeping a floor in the next room, very patiently, for ever.",
  "journal|2035-11-20T21:40:00Z|Jun|Second day of the storm. Power at a fifth. We keep the lamps for the beans and sit in the dark, telling films. Ines does all the voices.",
  "weather|2035-11-21T16:00:00Z|-31,-64,05:43,17:57,storm",
  "message|2035-11-21T17:05:00Z|Home|We look for you every night. You are the orange one, just above the neighbours' chimney.",
  "journal|2035-11-22T07:30:00Z|Ines|Two days. The barometer was right. Everything outside has a small dune behind it, all pointing the same way, like a village that has turned its head.",
  "message|2035-11-22T08:00:00Z|Ground|Good morning. Panels are back at nine tenths. Your left rear wheel reports that it is fine, too.",
  "weather|2035-11-22T16:00:00Z|-10,-77,05:43,17:57,clear",
  "journal|2035-11-22T18:20:00Z|Pavel|The last row of beans has come up.",
};
static const char *const arriving[] = {
  "message|2035-11-22T19:00:00Z|Home|We have read the line about the beans aloud, twice. Congratulations to the last row.",
  "message|2035-11-22T19:40:00Z|Ground|Orbit two will pass over you at 20:14. If you go out and look south, you can wave; we shall count that as telemetry.",
  "journal|2035-11-22T20:20:00Z|Ines|We waved.",
  "message|2035-11-22T20:35:00Z|Ground|Telemetry received: five arms, nominal.",
  "weather|2035-11-23T16:00:00Z|-8,-75,05:44,17:56,clear",
  "message|2035-11-23T16:30:00Z|Home|The snowman has lost his helmet, and we think that he is happier.",
  "journal|2035-11-23T18:10:00Z|Jun|Six metres. The white goes on.",
  "message|2035-11-23T18:50:00Z|Ground|We are all standing up again.",
};
static guint arrived;

static void
write_line (FILE *file, const char *entry, guint number)
{
  g_auto (GStrv) parts = g_strsplit (entry, "|", 4);

  if (g_str_equal (parts[0], "weather"))
    {
      g_auto (GStrv) facts = g_strsplit (parts[2], ",", 5);
      fprintf (file, "{\"kind\":\"weather\",\"id\":\"weather-%u\",\"date\":\"%s\",\"high\":%s,\"low\":%s,\"sunrise\":\"%s\",\"sunset\":\"%s\",\"condition\":\"%s\"}\n", number, parts[1],
               facts[0], facts[1], facts[2], facts[3], facts[4]);
    }
  else
    fprintf (file, "{\"kind\":\"%s\",\"id\":\"%s-%u\",\"date\":\"%s\",\"author\":\"%s\",\"text\":\"%s\"}\n", parts[0], parts[0], number, parts[1], parts[2], parts[3]);
}

static void
write_feed (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, "feed.jsonl", NULL);
  g_autofree char *part = g_strconcat (path, ".part", NULL);
  FILE *file = fopen (part, "we");

  if (file == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    write_line (file, entries[i], i);
  for (guint i = 0; i < arrived; i++)
    write_line (file, arriving[i], G_N_ELEMENTS (entries) + i);
  if (fclose (file) == 0)
    g_rename (part, path);
}

void
gallery_feed_begin (const char *directory)
{
  write_feed (directory);
}

gboolean
gallery_feed_append (const char *directory)
{
  if (arrived == G_N_ELEMENTS (arriving))
    return FALSE;
  arrived++;
  write_feed (directory);
  return TRUE;
}
