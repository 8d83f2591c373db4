package app

import (
	"context"
	"time"

	"ragdesk/backend/watch"
)

// settle is how long files must be at rest before they are read again.
const settle = time.Second

// Watch calls changed whenever something under paths has changed and come to
// rest, until ctx is cancelled or changed returns an error.
func (s *Service) Watch(ctx context.Context, paths []string, changed func() error) error {
	return watch.Run(ctx, paths, settle, changed)
}
