package argv

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIntegersAreTextNotGuesses(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0": true, "5": true, "-17": true, "5.0": true, "5.000": true,
		"9007199254740993": true, "18446744073709551616": true,
		"": false, "-": false, "007": false, "00": false, "5.5": false, "5.": false, ".0": false,
		"5x": false, "0x10": false, "1e3": false, "+5": false, " 5": false, "1_000": false, "--5": false,
	} {
		if got := isInteger(text); got != want {
			t.Errorf("isInteger(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestNumbersAreThoseOfJSON(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0.0": true, "1234567890.123456": true, "-1e-3": true, "1E+9": true, "1e400": true,
		"": false, "-": false, ".5": false, "5.": false, "01": false, "1e": false, "1e+": false, "1e+-2": false,
		"NaN": false, "Infinity": false, "1,5": false, "1e1.5": false, "+1": false,
	} {
		if got := isNumber(text); got != want {
			t.Errorf("isNumber(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestWordsThatLookLikeNegativeNumbers(t *testing.T) {
	for word, want := range map[string]bool{
		"-5": true, "-71.09": true, "-1e-3": true, "-007": true, "-.5": true,
		"-": false, "5": false, "-x": false, "-5x": false, "-1e": false, "--5": false, "-1.2.3": false, "-.": false,
	} {
		if got := looksNegative(word); got != want {
			t.Errorf("looksNegative(%q) = %v, want %v", word, got, want)
		}
	}
}

func TestNumbersAreComparedExactly(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{
		{"9007199254740993", "9007199254740992", 1},
		{"18446744073709551615", "18446744073709551616", -1},
		{"5.0", "5", 0}, {"-0", "0.00", 0}, {"1e3", "1000", 0}, {"100e-2", "1", 0},
		{"0.1000000000000000055", "0.1", 1}, {"-1", "-2", 1}, {"-1", "1", -1}, {"0", "-1e-400", 1},
		{"1e400", "1e399", 1}, {"1e99999999999999999999", "1e400", 1}, {"1e-99999999999999999999", "1e-400", -1},
	} {
		if got := compareNumbers(row.a, row.b); got != row.want && got*row.want <= 0 {
			t.Errorf("compareNumbers(%s, %s) = %d, want %d", row.a, row.b, got, row.want)
		}
	}
}

func TestComparisonAgreesWithRationalArithmetic(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(strings.ToLower(a))
		y, _ := new(big.Rat).SetString(strings.ToLower(b))
		if got, want := compareNumbers(a, b), x.Cmp(y); (got > 0) != (want > 0) || (got < 0) != (want < 0) {
			t.Fatalf("compareNumbers(%s, %s) = %d, want %d", a, b, got, want)
		}
		if !isNumber(a) {
			t.Fatalf("isNumber(%q) = false", a)
		}
	})
}
