package wire

import "fmt"

// encode appends the message's payload to dst. What Receive would refuse is an
// error here, before anything is sent.
func encode(dst []byte, msg Message) ([]byte, error) {
	if err := msg.check(); err != nil {
		return dst, err
	}
	start := len(dst)
	if data, ok := msg.(*Data); ok {
		dst = append(dst, data.Bytes...)
	} else {
		var err error
		if dst, err = appendObject(dst, msg.members); err != nil {
			return dst, err
		}
	}
	if n, limit := len(dst)-start, msg.Type().maxMessage(); n == 0 || n > limit {
		return dst, fmt.Errorf("a message of %d bytes, the limits are 1 and %d", n, limit)
	}
	return dst, nil
}

// decode is the message of a payload that came from the peer. A Data keeps the
// payload; of other messages nothing in it is used afterwards.
func decode(typ Type, slot Slot, payload []byte) (Message, error) {
	msg := newMessage(typ, slot)
	if data, ok := msg.(*Data); ok {
		data.Bytes = payload
		return data, nil
	}
	err := readObject(payload, msg.members, typ == typeCall)
	if err == nil {
		err = msg.check()
	}
	if err == nil {
		return msg, nil
	}
	if foreign := decodeForeign(typ, payload); foreign != nil {
		return foreign, nil
	}
	return nil, fmt.Errorf("%w: %s: %w", ErrProtocol, typ, err)
}

func slotOf(msg Message) Slot {
	switch m := msg.(type) {
	case *Data:
		return m.Slot
	case *End:
		return m.Slot
	case *Credit:
		return m.Slot
	}
	return 0
}

func newMessage(typ Type, slot Slot) Message {
	switch typ {
	case typeOpen:
		return &Open{}
	case typePresent:
		return &Present{}
	case typeCall:
		return &Call{}
	case typeAttach:
		return &Attach{}
	case typeAccepted:
		return &Accepted{}
	case typeData:
		return &Data{Slot: slot}
	case typeEnd:
		return &End{Slot: slot}
	case typeCredit:
		return &Credit{Slot: slot}
	case typeCancel:
		return &Cancel{}
	case typeNote:
		return &Note{}
	case typeResult:
		return &Result{}
	case typeAck:
		return &Ack{}
	case typePing:
		return &Ping{}
	case typePong:
		return &Pong{}
	default:
		return &Fail{}
	}
}
