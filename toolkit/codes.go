package toolkit

// The bridge's own error codes. A declared error may not bear one of them.
const (
	CodeExecutionError   = "EXECUTION_ERROR"
	CodeHandlerCrashed   = "HANDLER_CRASHED"
	CodeInvalidResult    = "INVALID_RESULT"
	CodeResultTooLarge   = "RESULT_TOO_LARGE"
	CodeResourceLimit    = "RESOURCE_LIMIT"
	CodeUsageError       = "USAGE_ERROR"
	CodeValidationError  = "VALIDATION_ERROR"
	CodeToolNotFound     = "TOOL_NOT_FOUND"
	CodeCallIDConflict   = "CALL_ID_CONFLICT"
	CodeCallNotFound     = "CALL_NOT_FOUND"
	CodeHostUnreachable  = "HOST_UNREACHABLE"
	CodeInternalError    = "INTERNAL_ERROR"
	CodeOutputError      = "OUTPUT_ERROR"
	CodeBusy             = "BUSY"
	CodeOutcomeUnknown   = "OUTCOME_UNKNOWN"
	CodePermissionDenied = "PERMISSION_DENIED"
	CodeApprovalRefused  = "APPROVAL_REFUSED"
	CodeApprovalPending  = "APPROVAL_PENDING"
	CodeTimeout          = "TIMEOUT"
	CodeToolkitNotFound  = "TOOLKIT_NOT_FOUND"
	CodeCancelled        = "CANCELLED"
)

// Code is a row of the error table: what a code means and the exit status that
// a shell sees.
type Code struct {
	Name string
	Exit int
	When string
}

// Codes is the error table, by exit status. Documentation and tests are made
// from it. CodeCancelled stands here with SIGINT's status; the shim dies of the
// signal that it got, so a shell may see 129, 130, 141 or 143.
var Codes = []Code{
	{CodeExecutionError, 1, "the tool failed"},
	{CodeHandlerCrashed, 1, "the tool's handler crashed"},
	{CodeInvalidResult, 1, "the tool's result is not what it declares"},
	{CodeResultTooLarge, 1, "the result is over the host's limit"},
	{CodeResourceLimit, 1, "the tool ran out of a resource it was granted"},
	{CodeUsageError, 2, "a word, variable, file or JSON text that cannot be read"},
	{CodeValidationError, 2, "the input breaks a rule of the tool"},
	{CodeToolNotFound, 2, "the toolkit has no such tool"},
	{CodeCallIDConflict, 2, "the call id was used with another input"},
	{CodeCallNotFound, 2, "no call of this guest has that id"},
	{CodeHostUnreachable, 69, "no host, or the link broke before the call was sent"},
	{CodeInternalError, 70, "a fault of the bridge"},
	{CodeOutputError, 74, "the call is done, but its output could not be written"},
	{CodeBusy, 75, "over a limit; nothing ran, retry later"},
	{CodeOutcomeUnknown, 76, "may have run, no recorded outcome; do not simply retry"},
	{CodePermissionDenied, 77, "policy refuses these arguments; do not retry"},
	{CodeApprovalRefused, 77, "a person refused; do not retry"},
	{CodeApprovalPending, 79, "waiting for a person"},
	{CodeTimeout, 124, "a limit fired"},
	{CodeToolkitNotFound, 127, "no such toolkit for this guest"},
	{CodeCancelled, 130, "cancelled by a signal"},
}

// CodeExit is the exit status of one of the bridge's codes, and false for a
// name that is none of them.
func CodeExit(name string) (exit int, ok bool) {
	for _, code := range Codes {
		if code.Name == name {
			return code.Exit, true
		}
	}
	return 0, false
}
