package shim

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
)

// completeWord is the command by which a shell's completion asks. It is in no
// help, and no toolkit can bear such a name.
const completeWord = "__complete"

// completionWait is how long a shell waits at most for a host that accepts and
// does not answer.
const completionWait = 2 * time.Second

// forBash comes before the end of the last word that bash will replace, and then
// the words. What bash inserts comes first in each line then.
const forBash = "--bash"

// complete prints what may stand in place of the last of these words of a command
// line, the first of which is the program: a word, a tab and what it means, one a
// line. No tool is called, and whatever goes wrong costs nothing but suggestions:
// there is a half-typed line on the terminal.
func (p *Process) complete(ctx context.Context, words []string) int {
	part, isBash := "", len(words) > 1 && words[0] == forBash
	if isBash {
		part, words = words[1], words[2:]
	}
	if len(words) < 2 {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, completionWait)
	defer cancel()
	quiet := *p
	quiet.Stderr = io.Discard
	last := len(words) - 1
	typed := readTyped(words[last])
	for i, word := range words {
		words[i] = readTyped(word).text
	}
	var text strings.Builder
	for _, s := range quiet.suggest(ctx, filepath.Base(words[0]), words[1:last], words[last]) {
		if isBash {
			inserted, ok := typed.inBash(s.Word, part)
			if !ok {
				continue
			}
			text.WriteString(inserted + "\t")
		}
		fmt.Fprintf(&text, "%s\t%s\n", s.Word, s.Help)
	}
	_, _ = io.WriteString(p.Stdout, text.String()) // who asked is gone
	return 0
}

// suggest is what may follow the words after the program, as far as it begins
// with the word that is being typed.
func (p *Process) suggest(ctx context.Context, program string, args []string, typed string) []argv.Suggestion {
	if kit, ok := strings.CutPrefix(program, "agentos-"); ok {
		return p.suggestIn(ctx, kit, args, typed)
	}
	if len(args) == 0 {
		return append(argv.Suggest(ownCommands(), nil, typed), p.suggestToolkits(ctx, typed)...)
	}
	switch path, _, err := argv.Resolve(ownCommands(), args[:1]); {
	case err == nil:
		return p.suggestAfter(ctx, path[0], args, typed)
	case isWord(args[0]):
		return p.suggestIn(ctx, args[0], args[1:], typed)
	}
	return argv.Suggest(ownCommands(), args, typed)
}

// suggestAfter suggests the words of one of agentos's own commands, the first of
// which is its name.
func (p *Process) suggestAfter(ctx context.Context, command string, args []string, typed string) []argv.Suggestion {
	rest := args[1:]
	switch command {
	case "call", "describe", "help":
		switch {
		case len(rest) > 0 && command == "call":
			return p.suggestIn(ctx, rest[0], rest[1:], typed)
		case len(rest) > 0:
			return p.suggestTools(ctx, rest[0], rest[1:], typed)
		}
	case "list-tools":
		if slices.ContainsFunc(rest, isWord) {
			return argv.Suggest(ownCommands(), args, typed)
		}
	default:
		return argv.Suggest(ownCommands(), args, typed)
	}
	// The next word is a toolkit, and for help also a command of agentos's own.
	switch {
	case !isWord(typed):
		return argv.Suggest(ownCommands(), args, typed)
	case command == "help":
		return append(argv.Suggest(ownCommands(), nil, typed), p.suggestToolkits(ctx, typed)...)
	}
	return p.suggestToolkits(ctx, typed)
}

func isWord(arg string) bool { return !strings.HasPrefix(arg, "-") }

// suggestToolkits suggests the names of toolkits.
func (p *Process) suggestToolkits(ctx context.Context, typed string) (found []argv.Suggestion) {
	_ = p.briefly(ctx, func(from source) error {
		defs, err := from.Definitions(ctx, "")
		for _, def := range defs {
			if strings.HasPrefix(def.Name, typed) {
				found = append(found, argv.Suggestion{Word: def.Name, Help: argv.Inline(def.Summary)})
			}
		}
		return err
	})
	return found
}

// suggestIn suggests the words of a toolkit's command line.
func (p *Process) suggestIn(ctx context.Context, kit string, args []string, typed string) (found []argv.Suggestion) {
	_ = p.briefly(ctx, func(from source) error {
		shown, err := present(ctx, from, kit, args)
		if err == nil {
			found = argv.Suggest(shown.Definition, args, typed)
		}
		return err
	})
	return found
}

// suggestTools suggests a toolkit's commands alone, to read about one.
func (p *Process) suggestTools(ctx context.Context, kit string, args []string, typed string) (found []argv.Suggestion) {
	_ = p.briefly(ctx, func(from source) error {
		shown, err := from.Present(ctx, kit, argv.LeadingWords(args))
		if err != nil {
			return err
		}
		for _, s := range argv.Suggest(shown.Definition, args, typed) {
			if _, _, err := argv.Resolve(shown.Definition, append(slices.Clip(args), s.Word)); err == nil {
				found = append(found, s)
			}
		}
		return nil
	})
	return found
}

// completionScript is what a shell reads to complete agentos and agentos-NAME.
// The function in it asks by completeWord and leaves to the shell what nobody
// knows: names of files.
func completionScript(shell string) string {
	switch shell {
	case "zsh":
		return zshCompletion
	case "fish":
		return fishCompletion
	}
	return bashCompletion
}

// Bash takes = and : for the ends of words, and puts only the last part of such a
// word in place; what it lists may say more than what it inserts. What it inserts is
// as agentos has quoted it. Nothing is suggested in the middle of a word.
const bashCompletion = `# Completion of agentos and agentos-NAME in bash: source <(agentos completion bash)

_agentos() {
	local cur=${COMP_WORDS[COMP_CWORD]} rest=${COMP_LINE:-${COMP_WORDS[*]}}
	local last=${2-$cur} part inserted word help
	local -a words=() list=()
	COMPREPLY=()
	[[ -n ${COMP_LINE-} && ${COMP_LINE:COMP_POINT:1} == [![:space:]] ]] && return
	for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
		if ((${#words[@]})) && [[ $rest == [![:space:]]* ]]; then
			words[-1]+=$part
		else
			words+=("$part")
			rest=${rest#"${rest%%[![:space:]]*}"}
		fi
		rest=${rest#"$part"}
	done
	while IFS=$'\t' read -r inserted word help; do
		COMPREPLY+=("$inserted")
		printf -v help '%-24s %s' "$word" "$help"
		list+=("${help:0:${COLUMNS:-80}-1}")
	done < <(agentos __complete --bash "${last##[=:]*}" "${words[@]}" 2>/dev/null)
	if [[ ${COMP_TYPE-} == 63 ]] && ((${#list[@]} > 1)); then
		COMPREPLY=("${list[@]}")
	fi
}

mapfile -t _agentos < <(compgen -c agentos-)
complete -o default -F _agentos -- agentos "${_agentos[@]}"
unset -v _agentos
`

const zshCompletion = `# Completion of agentos and agentos-NAME in zsh: source <(agentos completion zsh)

_agentos() {
	local word help
	local -a found
	while IFS=$'\t' read -r word help; do
		word=${word//\\/\\\\}
		found+=("${word//:/\\:}${help:+:$help}")
	done < <(agentos __complete "${(@)words[1,CURRENT-1]}" "$PREFIX" 2>/dev/null)
	if (($#found)); then
		_describe agentos found
	else
		_files
	fi
}

if ((!$+functions[compdef])); then
	autoload -Uz compinit && compinit -i
fi
compdef _agentos agentos
compdef -p _agentos 'agentos-*'
`

const fishCompletion = `# Completion of agentos and agentos-NAME in fish: agentos completion fish | source

function __agentos_complete
	set -l typed (commandline -ct)
	set -l found (agentos __complete (commandline -opc) "$typed" 2>/dev/null)
	if set -q found[1]
		printf '%s\n' $found
	else
		__fish_complete_path "$typed"
	end
end

complete -c agentos -f -a '(__agentos_complete)'
complete -c 'agentos-*' -f -a '(__agentos_complete)'
`
