// SPDX-License-Identifier: Apache-2.0

/// The script that makes a shell complete listctl's words. It calls `listctl complete`.
enum CompletionScript {
    /// A shell for which there is a script.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static let bash = #"""
        # bash completion for listctl, as "listctl completion bash" prints it          -*- shell-script -*-
        _listctl() {
            local current=${COMP_WORDS[COMP_CWORD]} candidate quoted
            COMPREPLY=()
            while IFS= read -r candidate; do
                if [[ $candidate == :file ]]; then
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                    compopt -o filenames
                    return
                fi
                printf -v quoted %q "$candidate"
                [[ $candidate != "$current"* && $quoted != "$current"* ]] || COMPREPLY+=("$quoted")
            done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
        }
        complete -F _listctl listctl

        """#

    private static let zsh = #"""
        #compdef listctl
        # zsh completion for listctl, as "listctl completion zsh" prints it
        local -a candidates
        candidates=("${(@f)$(_call_program candidates listctl complete -- ${(q)words[2,CURRENT]} 2>/dev/null)}")
        case ${candidates[1]} in
            :file) _files ;;
            *=) compadd -S '' -- "${candidates[@]}" ;;
            ?*) compadd -- "${candidates[@]}" ;;
        esac

        """#

    private static let fish = #"""
        # fish completion for listctl, as "listctl completion fish" prints it
        function __listctl_candidates
            set -l candidates (listctl complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
            if test "$candidates[1]" = ":file"
                __fish_complete_path (commandline -ct)
            else
                printf '%s\n' $candidates
            end
        end
        complete -c listctl -f -a '(__listctl_candidates)'

        """#
}
