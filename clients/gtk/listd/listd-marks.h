// SPDX-License-Identifier: Apache-2.0
/* Which items of a list are selected, also those that nobody holds. */
#pragma once

#include <listd.h>

G_BEGIN_DECLS

typedef struct _ListdMarks ListdMarks;

/* `changed` is called with `data` whenever the selection is another. */
ListdMarks *listd_marks_new (ListdList *list, void (*changed) (gpointer data), gpointer data);
void listd_marks_free (ListdMarks *marks);
ListdList *listd_marks_get_list (ListdMarks *marks);
gboolean listd_marks_has (ListdMarks *marks, const char *id, guint item);
guint listd_marks_get_n (ListdMarks *marks);
/* Makes the selection be these references, or adds them. The refused ones stay as they are. */
void listd_marks_select (ListdMarks *marks, const ListdRef *refs, gsize n, gboolean only);
void listd_marks_deselect (ListdMarks *marks, const ListdRef *refs, gsize n);
void listd_marks_clear (ListdMarks *marks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ListdMarks, listd_marks_free)

G_END_DECLS
