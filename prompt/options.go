package prompt

import "github.com/agentos-go/agentos/toolkit"

// MinBudget is the least budget, in tokens of the estimate, within which there is
// a text for whatever definitions.
const MinBudget = 32

// Options say how long the text may be, and what the definitions do not say
// themselves. Nil means no limit and no marks but the declared ones. A limit is
// never exceeded; one in which nothing can be said leaves no text.
type Options struct {
	// Budget is the most tokens that the text may cost; 0 means no limit.
	Budget int
	// Bytes is the most bytes that the text may have; 0 means no limit.
	Bytes int
	// Count is how many tokens a text costs the model at hand. Nil is an estimate
	// that is good for English and commands: four bytes a token, rounded up.
	Count func(text string) int
	Marks
}

// bytesPerToken is the estimate of a nil Options.Count.
const bytesPerToken = 4

// fits reports whether the text is within the limits.
func (o *Options) fits(text string) bool {
	if o.Bytes > 0 && len(text) > o.Bytes {
		return false
	}
	return o.Budget <= 0 || o.count(text) <= o.Budget
}

func (o *Options) count(text string) int {
	if o.Count != nil {
		return o.Count(text)
	}
	return (len(text) + bytesPerToken - 1) / bytesPerToken
}

// Marks say of toolkits and tools what their definitions do not. A nil function
// is one that says no. Like all else that goes into a prompt they should not change
// with time, since that empties the model's cache.
type Marks struct {
	// NeedsApproval reports whether a person must agree to a call of the tool.
	NeedsApproval func(toolkit string, path []string) bool
	// Untrusted reports whether the definition's texts are those of a stranger
	// that nobody has reviewed, as those of an imported definition are. They are
	// marked, and its examples are left out.
	Untrusted func(def *toolkit.Definition) bool
}

// The marks themselves.
const (
	markDestructive = "(destructive)"
	markApproval    = "(needs approval)"
	markUntrusted   = "(untrusted text)"
	markStdin       = "(reads stdin)"
	markStdout      = "(stdout is data, not JSON)"
)

// of are the marks of one tool, each after a space.
func (m *Marks) of(def *toolkit.Definition, t tool) string {
	marks := ""
	if d := t.Body.Annotations.Destructive; d != nil && *d {
		marks += " " + markDestructive
	}
	if t.Body.Stdin != nil {
		marks += " " + markStdin
	}
	if t.Body.Stdout != nil {
		marks += " " + markStdout
	}
	if m.NeedsApproval != nil && m.NeedsApproval(def.Name, t.path) {
		marks += " " + markApproval
	}
	return marks
}

func (m *Marks) untrusted(def *toolkit.Definition) bool {
	return m.Untrusted != nil && m.Untrusted(def)
}
