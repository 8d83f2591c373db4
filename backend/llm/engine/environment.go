package engine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// parentVar tells a child of the engine whose it is: its value is the process id of
// the parent. Without it the child's commands do not exist, so that nobody starts
// them by hand.
const parentVar = "RAGDESK_ENGINE_PARENT"

// environment is the program's own without what would change the engine: every
// setting of the user's Ollama and of its libraries, and the home folder, below
// which the server keeps keys and looks for models. Proxies stay, for downloads.
func environment(own []string, c Config) []string {
	home := filepath.Join(c.Dir, "home")
	out := make([]string, 0, len(own))
	for _, entry := range own {
		key, _, _ := strings.Cut(entry, "=")
		key = strings.ToUpper(key)
		drop := key == "HOME" || key == "USERPROFILE" || key == parentVar
		for _, prefix := range []string{"OLLAMA_", "GGML_", "LLAMA_", "GIN_"} {
			drop = drop || strings.HasPrefix(key, prefix)
		}
		if !drop {
			out = append(out, entry)
		}
	}
	return append(out,
		"HOME="+home, "USERPROFILE="+home,
		parentVar+"="+strconv.Itoa(os.Getpid()),
		"OLLAMA_MODELS="+c.Models(),
		// Pruning deletes every blob that no manifest names, such as one that is being
		// imported by another process.
		"OLLAMA_NOPRUNE=1",
		// A second slot would double the memory of the window.
		"OLLAMA_NUM_PARALLEL=1",
		// Two models at once: one that answers and one that judges.
		"OLLAMA_MAX_LOADED_MODELS=2",
		"OLLAMA_KEEP_ALIVE=10m",
	)
}
