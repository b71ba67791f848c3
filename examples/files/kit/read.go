package kit

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"
)

// ReadArgs is the input of the tool read.
type ReadArgs struct {
	Path     string `json:"path" arg:"positional" help:"File below the root" validate:"required"`
	MaxBytes int64  `json:"max_bytes,omitempty" help:"Bytes to read at most" default:"65536" validate:"min=1,max=1048576"`
}

// Content is the result of the tool read.
type Content struct {
	Text      string `json:"text"`
	Size      int64  `json:"size" help:"Bytes of the whole file"`
	Truncated bool   `json:"truncated,omitempty" help:"The file goes on after the text"`
}

func (r root) read(_ context.Context, in ReadArgs) (Content, error) {
	file, info, err := r.file(in.Path)
	if err != nil {
		return Content{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, in.MaxBytes+1))
	if err != nil {
		return Content{}, err
	}
	truncated := int64(len(data)) > in.MaxBytes
	if truncated {
		data = wholeRunes(data[:in.MaxBytes])
	}
	if !isText(data) {
		return Content{}, notText.Errorf("%.200q is not UTF-8 text", in.Path)
	}
	return Content{Text: string(data), Size: info.Size(), Truncated: truncated}, nil
}

// isText takes a zero byte for a sign of a binary file, as grep does.
func isText(data []byte) bool {
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// wholeRunes drops a rune that a cut at the end of data left incomplete.
func wholeRunes(data []byte) []byte {
	for end := len(data); end > 0 && end > len(data)-utf8.UTFMax; end-- {
		if utf8.RuneStart(data[end-1]) {
			if !utf8.FullRune(data[end-1:]) {
				return data[:end-1]
			}
			break
		}
	}
	return data
}
