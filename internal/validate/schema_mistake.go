package validate

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Mistake is what is wrong with a schema itself.
type Mistake struct {
	// Path leads to the keyword or schema from the root: properties, email,
	// pattern. It is empty for the schema as a whole.
	Path   []string
	Reason string
}

// Error is the path, if there is one, and the reason.
func (m *Mistake) Error() string {
	if len(m.Path) == 0 {
		return m.Reason
	}
	return pathOf(m.Path) + ": " + m.Reason
}

// mistakes puts the library's error of compiling the document into our words, as
// joined Mistakes.
func mistakes(err error, doc any) error {
	var (
		invalid *jsonschema.SchemaValidationError
		broken  *jsonschema.ValidationError
		regex   *jsonschema.InvalidRegexError
		outside *jsonschema.LoadURLError
		pointer *jsonschema.JSONPointerNotFoundError
		anchor  *jsonschema.AnchorNotFoundError
	)
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &broken):
		return invalidSchema(invalid.URL, broken)
	case errors.As(err, &regex):
		return &Mistake{Path: pointerPath(regex.URL), Reason: fmt.Sprintf("the pattern %s is not valid: %v", quote(regex.Regex), regex.Err)}
	case errors.As(err, &outside) && errors.Is(outside.Err, errOutside):
		return badReference(doc, outside.URL, "leads out of the schema; what it refers to belongs into $defs")
	case errors.As(err, &pointer):
		return badReference(doc, pointer.URL, "leads nowhere")
	case errors.As(err, &anchor):
		return badReference(doc, anchor.Reference, "leads nowhere")
	}
	return &Mistake{Reason: outward(err.Error())}
}

// badReference is a mistake in the reference that leads to the place.
func badReference(doc any, place, reason string) error {
	ref := outward(place)
	path, found := referrer(doc, ref)
	if relative := strings.TrimPrefix(ref, "/"); !found {
		if path, found = referrer(doc, relative); found {
			ref = relative
		}
	}
	return &Mistake{Path: path, Reason: fmt.Sprintf("the reference to %s %s", quote(ref), reason)}
}

// referrer is the path of a reference in the document, the first by its path.
func referrer(v any, ref string) (path []string, found bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			if v[keyword] == ref {
				return []string{keyword}, true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if path, found := referrer(v[name], ref); found {
				return append([]string{name}, path...), true
			}
		}
	case []any:
		for i, elem := range v {
			if path, found := referrer(elem, ref); found {
				return append([]string{strconv.Itoa(i)}, path...), true
			}
		}
	}
	return nil, false
}

// invalidSchema is what the schema of schemas says of one.
func invalidSchema(place string, broken *jsonschema.ValidationError) error {
	x := &explainer{machine: &machine{options: &Options{}}}
	placeNames(broken, nil)
	x.error(broken)
	above := pointerPath(place)
	var all []error
	for _, problem := range newReport(x.problems).Problems {
		path := slices.Concat(above, problem.steps)
		all = append(all, &Mistake{Path: path, Reason: problem.Clause + olderForm(path)})
	}
	return errors.Join(all...)
}

// placeNames says where the objects are whose names are wrong, which the library
// writes into memory that it goes on using. Above is where the error's cause is: that
// object, or the schema that has it as the keyword of which the schema of schemas
// says propertyNames.
func placeNames(err *jsonschema.ValidationError, above []string) {
	if _, names := err.ErrorKind.(*kind.PropertyNames); !names {
		for _, cause := range err.Causes {
			placeNames(cause, err.InstanceLocation)
		}
		return
	}
	depth := len(err.InstanceLocation)
	err.InstanceLocation = slices.Clone(above)
	if steps := pointerPath(err.SchemaURL); len(above) < depth && len(steps) > 1 {
		err.InstanceLocation = append(err.InstanceLocation, steps[len(steps)-2])
	}
}

// olderForm tells of a keyword that drafts before 2020-12, or OpenAPI 3.0, wrote in
// another form.
func olderForm(path []string) string {
	if len(path) == 0 {
		return ""
	}
	switch path[len(path)-1] {
	case "items":
		return "; a list of schemas is prefixItems, or items of a schema whose $schema says draft-07"
	case "exclusiveMinimum", "exclusiveMaximum":
		return "; true beside a minimum or maximum is the form of OpenAPI 3.0 and draft-04"
	}
	return ""
}

// outward is a place without the host that only stands for the schema itself.
func outward(place string) string {
	return strings.ReplaceAll(strings.ReplaceAll(place, rootPlace, ""), strings.TrimSuffix(rootPlace, "/schema"), "")
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// pointerPath is the steps of the JSON pointer (RFC 6901) that is the place's
// fragment.
func pointerPath(place string) []string {
	_, fragment, _ := strings.Cut(place, "#")
	if text, err := url.PathUnescape(fragment); err == nil {
		fragment = text
	}
	steps := strings.Split(fragment, "/")[1:]
	for i := range steps {
		steps[i] = unescapePointer.Replace(steps[i])
	}
	return steps
}

// pointerToken is a step of such a pointer.
func pointerToken(step string) string { return url.PathEscape(escapePointer.Replace(step)) }
