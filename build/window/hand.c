// What a user's hand does to a window and no tool at hand can: hand drag FILE X Y
// offers FILE under the pointer and drops it at X,Y of the screen; hand close
// WINDOW asks a window to close, as the cross in its frame does.
#include <gtk/gtk.h>
#include <gdk/gdkx.h>
#include <stdlib.h>
#include <string.h>

static char *uri;
static int to_x, to_y, step;

static void offer(GtkWidget *w, GdkDragContext *c, GtkSelectionData *d, guint info, guint t, gpointer p) {
	(void)w, (void)c, (void)info, (void)t, (void)p;
	char *uris[] = {uri, NULL};
	gtk_selection_data_set_uris(d, uris);
}

static void ended(GtkWidget *w, GdkDragContext *c, gpointer p) {
	(void)w, (void)c, (void)p;
	gtk_main_quit();
}

static void run(const char *command) {
	if (system(command) != 0) exit(1);
}

// The pointer presses, moves in small steps, as a drag wants, and lets go.
static gboolean move(gpointer p) {
	(void)p;
	char command[80];
	const int steps = 20;
	if (step == 0) {
		run("xdotool mousemove 30 30 mousedown 1");
	} else if (step <= steps) {
		snprintf(command, sizeof command, "xdotool mousemove %d %d", 30 + (to_x - 30) * step / steps, 30 + (to_y - 30) * step / steps);
		run(command);
	} else if (step == steps + 8) {
		run("xdotool mouseup 1");
	} else if (step > steps + 60) {
		gtk_main_quit();
	}
	step++;
	return G_SOURCE_CONTINUE;
}

static void close_window(const char *id) {
	Display *d = gdk_x11_get_default_xdisplay();
	Window w = strtoul(id, NULL, 0);
	XEvent e = {0};
	e.xclient.type = ClientMessage;
	e.xclient.window = w;
	e.xclient.message_type = XInternAtom(d, "WM_PROTOCOLS", False);
	e.xclient.format = 32;
	e.xclient.data.l[0] = XInternAtom(d, "WM_DELETE_WINDOW", False);
	XSendEvent(d, w, False, NoEventMask, &e);
	XSync(d, False);
}

int main(int argc, char **argv) {
	gtk_init(&argc, &argv);
	if (argc == 3 && strcmp(argv[1], "close") == 0) {
		close_window(argv[2]);
		return 0;
	}
	if (argc != 5 || strcmp(argv[1], "drag") != 0) return 2;
	uri = g_filename_to_uri(argv[2], NULL, NULL);
	to_x = atoi(argv[3]), to_y = atoi(argv[4]);
	GtkWidget *w = gtk_window_new(GTK_WINDOW_POPUP);
	gtk_window_set_default_size(GTK_WINDOW(w), 60, 60);
	gtk_window_move(GTK_WINDOW(w), 0, 0);
	GtkWidget *box = gtk_event_box_new();
	gtk_container_add(GTK_CONTAINER(w), box);
	gtk_drag_source_set(box, GDK_BUTTON1_MASK, NULL, 0, GDK_ACTION_COPY);
	gtk_drag_source_add_uri_targets(box);
	g_signal_connect(box, "drag-data-get", G_CALLBACK(offer), NULL);
	g_signal_connect(box, "drag-end", G_CALLBACK(ended), NULL);
	gtk_widget_show_all(w);
	g_timeout_add(60, move, NULL);
	gtk_main();
	return 0;
}
