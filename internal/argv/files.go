package argv

import (
	"encoding/json"
	"fmt"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// FileRef is a file of the guest that an input names.
type FileRef struct {
	// Pointer is the JSON Pointer (RFC 6901) of the parameter in the input.
	Pointer string
	// Path is the file's, as the caller wrote it.
	Path string
	// Out says that the tool writes the file; else it reads it.
	Out bool
}

// Files are the files that the input of a command names, in the order of its
// parameters. The input is an object that fits the definition.
func Files(def *toolkit.Definition, path []string, input json.RawMessage) []FileRef {
	s := scopeAt(def, path)
	if s == nil || !s.namesFiles() {
		return nil
	}
	object, err := strictjson.Parse(input)
	if err != nil {
		return nil
	}
	var refs []FileRef
	for _, p := range s.params {
		value := object.Get(p.wire)
		format := fileFormat(p)
		if format == "" || value == nil {
			continue
		}
		pointer := "/" + escapedToken.Replace(p.wire)
		if value.Kind == strictjson.String {
			refs = append(refs, FileRef{pointer, value.Text, format == toolkit.FormatOutFile})
		}
		for i, elem := range value.Elems {
			refs = append(refs, FileRef{fmt.Sprintf("%s/%d", pointer, i), elem.Text, format == toolkit.FormatOutFile})
		}
	}
	return refs
}

// namesFiles reports whether a parameter of the scope is a file.
func (s *scope) namesFiles() bool {
	for _, p := range s.params {
		if fileFormat(p) != "" {
			return true
		}
	}
	return false
}

// fileFormat is the format of a parameter that is a file or a list of files, or
// empty.
func fileFormat(p *param) string {
	schema := p.schema
	if schema != nil && schema.Items != nil {
		schema = schema.Items
	}
	if schema != nil && isFile(schema) {
		return schema.Format
	}
	return ""
}

// isFile reports whether the values of a schema are files of the guest.
func isFile(s *toolkit.Schema) bool {
	return s.Format == toolkit.FormatFile || s.Format == toolkit.FormatOutFile
}
