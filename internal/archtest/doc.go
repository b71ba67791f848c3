// Package archtest keeps the shape of this repository: which package may import
// which, where each dependency may be used, what may be linked into the guest
// binary, and a few habits of naming and documentation. Its tests read the tree
// and fail on anything else.
//
// The rules are data. [Floors] is the building, one [Row] a package, in building
// order: a row uses only rows above it, so arrows point down and form no circle.
// [Dependencies] names the users of every module that is not ours. [GuestBinary]
// is the allow-list of the one program that runs inside a sandbox.
//
// A new package or module fails the tests until it has a row, and adding the row
// is the moment to ask whether it stands in the right place.
//
// Sources are read whatever their build constraints, so an arrow in a file for
// another platform counts too. Tests may import what they like: the rules are
// about what users of a package inherit.
package archtest
