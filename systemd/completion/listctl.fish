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
