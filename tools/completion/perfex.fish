# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of perfex's command line for fish. Options, events and processors are what the program itself lists.

# Prints what perfex prints with these arguments, for the processor of --cpu on the line, if it is there.
function __perfex_print
    set -l cpu (string match -r -- '\s--cpu[= ]\s*([^\s=]+)' (commandline -c))[2]
    perfex (test -n "$cpu"; and printf '%s\n' --cpu $cpu) $argv 2>/dev/null
end

# Prints the words, each after what the current word has up to its last comma or brace.
function __perfex_list
    set -l before (string match -r -- '^(?:--[a-z-]+=)?(.*[,{])' (commandline -ct))[2]
    printf "$before%s\n" $argv
end

function __perfex_events
    __perfex_list (__perfex_print -l | string match -rg '^  (\S+)')
end

function __perfex_metrics
    __perfex_list list (__perfex_print -M list | string match -rg '^  ([a-z]\S*)')
end

function __perfex_processors
    printf '%s\n' native list (perfex --cpu list 2>/dev/null | string match -rg '^  (\S+)')
end

function __perfex_processes
    __perfex_list (string match -rg '^/proc/(\d+)$' /proc/*)
end

# The words from the command on; fails where an option or its argument is written.
function __perfex_operands
    set -l words (commandline -opc)[2..] (commandline -ct)
    while set -q words[2]; and string match -q -- '-?*' $words[1]
        set -l option $words[1]
        set -e words[1]
        test $option = --; and break
        if contains -- $option $__perfex_with_argument
            set -q words[2]; or return 1
            set -e words[1]
        end
    end
    if string match -q -- '-*' $words[1]
        return 1
    end
    printf '%s\n' $words
end

# Files for --from; else the command and its arguments.
function __perfex_complete_operands
    set -l words (__perfex_operands)
    if string match -qr -- '\s--from\s' (commandline -c)
        __fish_complete_path (commandline -ct)
    else
        complete -C "$words"
    end
end

# A row of the table of options: letter, name, kind of the argument, its words, help.
function __perfex_option
    set -l option -c perfex -l $argv[2] -d $argv[5]
    set -l kind $argv[3]
    set -l dashed --$argv[2]
    if test $argv[1] != -
        set -a option -s $argv[1]
        set -a dashed -$argv[1]
    end
    if test -n "$kind" -a "$kind" != words
        set -g -a __perfex_with_argument $dashed
    end
    switch $kind
        case ''
            complete $option -f
        case words
            complete $option -f -a "(__perfex_list $argv[4])"
        case word
            complete $option -x -a $argv[4]
        case events
            complete $option -x -a '(__perfex_events)'
        case metrics
            complete $option -x -a '(__perfex_metrics)'
        case cpu
            complete $option -x -a '(__perfex_processors)'
        case processes
            complete $option -x -a '(__perfex_processes)'
        case processors
            complete $option -x -a '(cat /sys/devices/system/cpu/online)'
        case cgroup
            complete $option -x -a '(find /sys/fs/cgroup -mindepth 1 -type d -printf "/%P\n" 2>/dev/null)'
        case command
            complete $option -x -a '(__fish_complete_command)'
        case file
            complete $option -r -F
        case '*'
            complete $option -x
    end
end

set -g __perfex_with_argument
perfex --help=completions 2>/dev/null | while read -d \t -l letter name kind words help
    __perfex_option $letter $name "$kind" "$words" "$help"
end
complete -c perfex -f -n __perfex_operands -a '(__perfex_complete_operands)'
