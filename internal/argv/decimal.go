package argv

import (
	"strconv"
	"strings"
)

// isInteger reports whether the text is an integer as the command line and JSON
// accept it: -?(0|[1-9][0-9]*)(\.0+)?
func isInteger(text string) bool {
	whole, fraction, hasFraction := strings.Cut(text, ".")
	if hasFraction && (fraction == "" || strings.Trim(fraction, "0") != "") {
		return false
	}
	return isWhole(strings.TrimPrefix(whole, "-"))
}

// isWhole reports whether the text is 0 or digits without a leading zero.
func isWhole(text string) bool {
	return isDigits(text) && (len(text) == 1 || text[0] != '0')
}

func isDigits(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// isNumber reports whether the text is a number in JSON's grammar (RFC 8259 §6).
func isNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	mantissa, exponent, hasExponent := cutExponent(text)
	if hasExponent && !isExponent(exponent) {
		return false
	}
	whole, fraction, hasFraction := strings.Cut(mantissa, ".")
	return isWhole(whole) && (!hasFraction || isDigits(fraction))
}

// looksNegative reports whether a word that begins with a dash is meant as a
// number. It need not be one in JSON's grammar: -007 and -.5 are better answered
// as wrong numbers than as unknown options.
func looksNegative(word string) bool {
	text, negative := strings.CutPrefix(word, "-")
	mantissa, exponent, hasExponent := cutExponent(text)
	if hasExponent && !isExponent(exponent) {
		return false
	}
	return negative && isDigits(strings.Replace(mantissa, ".", "", 1))
}

func isExponent(text string) bool {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return isDigits(text)
}

func cutExponent(text string) (mantissa, exponent string, found bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// decimal is the exact value of a number's text: 0.digits × 10^exponent, with
// digits that begin and end with another digit than 0. Zero has none.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// maxClamped is where exponents are cut off. Texts of numbers are so short that
// two of them can meet there only if both have an exponent of 18 digits or more.
const maxClamped = int64(1e18)

// newDecimal reads the text of a JSON number.
func newDecimal(text string) decimal {
	text, negative := strings.CutPrefix(text, "-")
	mantissa, exponentText, _ := cutExponent(text)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent := clamped(exponentText) + int64(len(whole)-(len(whole)+len(fraction)-len(digits)))
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return decimal{}
	}
	return decimal{negative, digits, exponent}
}

// clamped is the integer's value, cut off at ±maxClamped; "" is 0.
func clamped(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil && text != "" {
		value = maxClamped
		if text[0] == '-' {
			value = -maxClamped
		}
	}
	return max(-maxClamped, min(maxClamped, value))
}

// compareNumbers orders the texts of two JSON numbers by value, exactly: it is
// negative, zero or positive as a is below, equal to or above b.
func compareNumbers(a, b string) int {
	x, y := newDecimal(a), newDecimal(b)
	switch {
	case x.sign() != y.sign():
		return x.sign() - y.sign()
	case x.negative:
		return y.compareMagnitude(x)
	}
	return x.compareMagnitude(y)
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compareMagnitude orders the absolute values.
func (d decimal) compareMagnitude(other decimal) int {
	switch {
	case d.exponent < other.exponent:
		return -1
	case d.exponent > other.exponent:
		return 1
	}
	return strings.Compare(d.digits, other.digits)
}

// maxAligned is how many digits of two numbers are brought to the same power of ten.
const maxAligned = 18

// isMultiple reports whether a number is a whole multiple of a step above zero. It is
// not known for numbers of many digits.
func isMultiple(text, step string) (is, known bool) {
	n, by := newDecimal(text), newDecimal(step)
	if n.sign() == 0 || by.sign() <= 0 {
		return n.sign() == 0, by.sign() > 0
	}
	power := min(n.exponent-int64(len(n.digits)), by.exponent-int64(len(by.digits)))
	if n.exponent-power > maxAligned || by.exponent-power > maxAligned {
		return false, false
	}
	return n.scaled(power)%by.scaled(power) == 0, true
}

// scaled is the absolute value divided by a power of ten that leaves no fraction.
func (d decimal) scaled(power int64) int64 {
	digits := d.digits + strings.Repeat("0", int(d.exponent-power)-len(d.digits))
	value, _ := strconv.ParseInt(digits, 10, 64) // at most maxAligned digits
	return value
}
