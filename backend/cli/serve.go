package cli

import (
	"cmp"
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/web"
)

func (e *env) serve() *cobra.Command {
	var port int
	var open bool
	c := &cobra.Command{
		Use: "serve", Short: e.t("short.serve"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if port < 0 || port > 65535 {
				return fault.New("port_invalid", fault.P("port", port))
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			info, err := s.Info(c.Context(), api.InfoRequest{})
			if err != nil {
				return err
			}
			if err := s.TidyUploads(c.Context()); err != nil && c.Context().Err() == nil {
				e.complain(err) // what is left over keeps nobody from working
			}
			return web.Serve(c.Context(), web.Config{
				Service: s, Events: s, Assets: e.page, Port: port, Uploads: filepath.Join(info.Workspace, app.UploadsFolder), Backups: filepath.Join(info.Workspace, app.BackupsFolder),
				ErrorBody: func(lang string, err error) api.ErrorBody {
					return i18n.ErrorBody(cmp.Or(lang, e.lang), err)
				},
				Ready: func(url string) {
					if e.json {
						_ = e.writeJSON(map[string]string{"url": url}) // a closed stdout must not stop the server
					} else {
						e.line("%s\n%s", url, e.t("serve.stop"))
					}
					if open {
						openBrowser(c.Context(), url)
					}
				},
			})
		},
	}
	c.Flags().IntVar(&port, "port", 0, e.t("flag.port"))
	c.Flags().BoolVar(&open, "open", false, e.t("flag.open"))
	return c
}

// openBrowser asks the desktop to show url; without one the printed address
// remains.
func openBrowser(ctx context.Context, url string) {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	command := exec.CommandContext(ctx, opener[0], append(opener[1:], url)...)
	if command.Start() == nil {
		go func() { _ = command.Wait() }() // reaped; how it ended does not matter
	}
}

func (e *env) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: e.t("short.doctor"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			r, err := s.Doctor(c.Context(), api.DoctorRequest{})
			if err != nil {
				return err
			}
			if !r.OK {
				e.code = exitError
			}
			if e.json {
				return e.writeJSON(r)
			}
			for _, check := range r.Checks {
				status := e.good(e.t("check." + check.Status))
				if check.Status != "ok" {
					status = e.bad(e.t("check." + check.Status))
				}
				e.line("%s  %s  %s", status, pad(e.checkName(check.Name), 28), e.dim(check.Detail))
				if check.Error != nil {
					e.line("    %s", check.Error.Message)
				}
			}
			return nil
		},
	}
}

// checkName says what was looked at: a kind and, perhaps, its name.
func (e *env) checkName(name string) string {
	kind, rest, named := strings.Cut(name, " ")
	kind = i18n.Text(e.lang, "doctor.name."+kind)
	if named {
		kind += " " + rest
	}
	return kind
}
