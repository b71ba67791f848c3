package wire

import (
	"fmt"
	"slices"
	"strings"
)

// Slot is a byte stream beside the JSON of a call, in one direction; 0 is none.
type Slot uint8

// The slots that every call may have. Those of files follow.
const (
	Stdin Slot = iota + 1
	Stdout
	Stderr
)

var slotNames = [...]string{"no slot", "stdin", "stdout", "stderr"}

// String is for people: the name of a standard slot, the number of another.
func (s Slot) String() string {
	if int(s) < len(slotNames) {
		return slotNames[s]
	}
	return fmt.Sprintf("slot %d", uint8(s))
}

// The limits of a call's slots.
const (
	MaxSlots    = 64
	MaxSlotName = 256 // bytes
)

// SlotNames are the slots of a call by name, as CALL lists them: "stdin",
// "stdout", "stderr", and for a file the JSON pointer (RFC 6901) of its parameter
// in the input, such as "/photo". The n-th file is slot 3+n.
type SlotNames []string

// Slot is the slot of that name, 0 for a name that is not listed.
func (n SlotNames) Slot(name string) Slot {
	file := Stderr
	for _, listed := range n {
		slot := standardSlot(listed)
		if slot == 0 {
			file++
			slot = file
		}
		if listed == name {
			return slot
		}
	}
	return 0
}

func (n SlotNames) check() error {
	if len(n) > MaxSlots {
		return fmt.Errorf("%d slots, the limit is %d", len(n), MaxSlots)
	}
	for i, name := range n {
		if !isSlotName(name) {
			return fmt.Errorf("no slot %.40q", name)
		}
		if slices.Contains(n[:i], name) {
			return fmt.Errorf("slot %.40q: given twice", name)
		}
	}
	return nil
}

// standardSlot is the slot of that name, 0 if it is none that every call may have.
func standardSlot(name string) Slot {
	return Slot(slices.Index(slotNames[Stdin:], name) + 1)
}

func isSlotName(name string) bool { return standardSlot(name) != 0 || isPointer(name) }

// isPointer reports whether the text is a JSON pointer to a part of a document.
func isPointer(text string) bool {
	plain := strings.NewReplacer("~0", "", "~1", "").Replace(text)
	return strings.HasPrefix(text, "/") && !strings.Contains(plain, "~") && len(text) <= MaxSlotName
}

func checkSlot(slot Slot) error {
	if slot == 0 {
		return fmt.Errorf("a message for %s", slot)
	}
	return nil
}

func checkOffsets(offsets map[string]int64) error {
	if len(offsets) > MaxSlots {
		return fmt.Errorf("offsets of %d slots, the limit is %d", len(offsets), MaxSlots)
	}
	for name, offset := range offsets {
		if !isSlotName(name) || offset < 0 {
			return fmt.Errorf("offset %d of slot %.40q", offset, name)
		}
	}
	return nil
}
