# Runs inside the sandbox. Each line shows a command, its output, and fails
# when the output or the exit status is not what it should be.

wrong=0

# show STATUS PATTERN COMMAND: the shell pattern is matched against all output.
show() {
	printf '\n$ %s\n' "$3"
	status=0
	output=$(eval "$3" 2>&1) || status=$?
	printf '%s\n' "$output"
	case $output in
	$2) ;;
	*) printf '!! expected: %s\n' "$2"; wrong=$((wrong + 1)) ;;
	esac
	if [ "$status" -ne "$1" ]; then
		printf '!! exit status %s, expected %s\n' "$status" "$1"
		wrong=$((wrong + 1))
	fi
}

printf '%s\n' '# What is there'
show 0 '*weather — *forecast  --city*' 'agentos list-tools'
show 0 '*--city <string>*' 'agentos list-tools weather'
show 0 '*"toolkits":[{"name":"files"*' 'agentos list-tools --json'
show 0 '*Usage: agentos-weather forecast --city <string>*' 'agentos-weather forecast --help'
show 0 '*"input":{*' 'agentos describe weather forecast'
show 0 '*## Host tools*### agentos-weather*' 'agentos prompt'

printf '\n%s\n' '# One tool, every form of input'
show 0 '{"ok":true,"result":{"temperature":*' 'agentos-weather forecast --city Paris --days 3'
show 0 '{"ok":true,"result":{"temperature":*' "agentos-weather forecast --json '{\"city\":\"Paris\",\"days\":3}'"
printf '{"city":"Paris","days":3}' > /tmp/input.json
show 0 '{"ok":true,"result":{"temperature":*' 'agentos-weather forecast --json-file /tmp/input.json'
show 0 '{"ok":true,"result":{"temperature":*' "echo '{\"city\":\"Paris\"}' | agentos-weather forecast"
show 0 '{"ok":true,"result":{"temperature":*' 'agentos weather forecast --city Paris'
show 0 '{"ok":true,"result":{"temperature":*' 'agentos call weather forecast --city Paris'

printf '\n%s\n' '# Only what is needed'
show 0 '[0-9-]*' 'agentos-weather forecast --city Paris --month 7 --field /temperature'
show 0 '{"temperature":*' 'agentos-weather forecast --city Paris --output result'

printf '\n%s\n' '# A chain: files and weather, with && and a variable'
show 0 '*"packing.txt"*' 'agentos-files list notes'
show 0 '*Paris: *' 'city=$(agentos-files read notes/city.txt --field /text) && degrees=$(agentos-weather forecast --city "$city" --month 7 --field /temperature) && echo "$city: $degrees degrees in July"'

printf '\n%s\n' '# Bytes: stdin and stdout of a tool, and files by name'
show 0 '{"bytes":9}' 'printf "%s" "any bytes" | agentos-files write notes/new --output result'
show 0 '*"bytes":9}}' 'agentos-files cat notes/new | agentos-files hash'
show 0 'any bytes' 'agentos-files copy notes/new --to /tmp/new >/dev/null && cat /tmp/new'

printf '\n%s\n' '# Mistakes say what to do'
show 2 '{"ok":false,"error":"VALIDATION_ERROR","message":"city: required*' 'agentos-weather forecast'
show 2 '{"ok":false,"error":"USAGE_ERROR",*--city*' 'agentos-weather forecast --cty Paris'
show 3 '{"ok":false,"error":"NOT_FOUND",*' 'agentos-weather forecast --city Atlantis'
show 2 '*"TOOL_NOT_FOUND"*forecast*' 'agentos-weather forcast --city Paris'
show 127 '*"TOOLKIT_NOT_FOUND"*' 'agentos whether forecast'
show 1 '*"ok":false*' 'agentos-files read ../secret && echo "this is not reached"; false'

printf '\n%s\n' '# The link'
show 0 '*ok*the host answered*' 'agentos doctor'
show 0 'agentos *protocol 1' 'agentos version'

printf '\n'
if [ "$wrong" -ne 0 ]; then
	printf '%s\n' "demo: $wrong results are wrong"
	exit 1
fi
printf '%s\n' 'demo: every result is right'
