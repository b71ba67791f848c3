package toolkit

import "testing"

// TestCase_B017: a run of capitals is one word.
func TestCase_B017(t *testing.T) {
	for _, row := range []struct{ wire, cli, snake string }{
		{"city", "city", "city"},
		{"City", "city", "city"},
		{"fullPage", "full-page", "full_page"},
		{"userID", "user-id", "user_id"},
		{"user_id", "user-id", "user_id"},
		{"HTTPServer2", "http-server2", "http_server2"},
		{"x_y", "x-y", "x_y"},
		{"X_Y", "x-y", "x_y"},
		{"already-kebab", "already-kebab", "already_kebab"},
		{"noCache", "no-cache", "no_cache"},
		{"ID", "id", "id"},
		{"aB", "a-b", "a_b"},
		{"", "", ""},
		{"résumé", "résumé", "résumé"},
	} {
		if got := CLIName(row.wire); got != row.cli {
			t.Errorf("CLIName(%q): got %q, want %q", row.wire, got, row.cli)
		}
		if got := SnakeName(row.wire); got != row.snake {
			t.Errorf("SnakeName(%q): got %q, want %q", row.wire, got, row.snake)
		}
	}
}
