# SPDX-License-Identifier: Apache-2.0
# Completes darkroomctl in fish: commands, options, files, and the lists and hosts the daemon knows.

function __darkroomctl_lists
    darkroomctl --plain list 2>/dev/null | awk -F '\t' '{ print $2 "\tlist " $1 }'
end

function __darkroomctl_hosts
    darkroomctl --plain status 2>/dev/null | awk -F '\t' '$1 == "host" { print $2 "\t" $3 }'
end

complete -c darkroomctl -f
complete -c darkroomctl -l root -x -a '(__fish_complete_directories)' -d 'Use the darkroomd that was started with this root'
complete -c darkroomctl -l socket -r -F -d 'Use this control socket'
complete -c darkroomctl -l json -d 'Print results and errors as JSON'
complete -c darkroomctl -l plain -d 'Print columns for scripts'
complete -c darkroomctl -l no-pager -d 'Show long results without a pager'
complete -c darkroomctl -s h -l help -d 'Show the help'
complete -c darkroomctl -l version -d 'Print the version'

complete -c darkroomctl -n __fish_use_subcommand -a status -d 'Show the state of darkroomd'
complete -c darkroomctl -n __fish_use_subcommand -a list -d 'Show all lists'
complete -c darkroomctl -n __fish_use_subcommand -a inbox -d 'Show the files in the inbox and their fate'
complete -c darkroomctl -n __fish_use_subcommand -a submit -d 'Give a list or pictures to darkroomd'
complete -c darkroomctl -n __fish_use_subcommand -a show -d 'Show a list and its photos'
complete -c darkroomctl -n __fish_use_subcommand -a why -d 'Show what photos wait for'
complete -c darkroomctl -n __fish_use_subcommand -a wait -d 'Wait until lists are finished'
complete -c darkroomctl -n __fish_use_subcommand -a pause -d 'Start no more photos of a list'
complete -c darkroomctl -n __fish_use_subcommand -a resume -d 'Continue a paused list'
complete -c darkroomctl -n __fish_use_subcommand -a cancel -d 'Abandon a list'
complete -c darkroomctl -n __fish_use_subcommand -a retry -d 'Do again what failed'
complete -c darkroomctl -n __fish_use_subcommand -a remove -d 'Remove a list that is over, with its prints'
complete -c darkroomctl -n __fish_use_subcommand -a quality -d 'Change the class of a list'
complete -c darkroomctl -n __fish_use_subcommand -a focus -d 'Let photos go first for a while'
complete -c darkroomctl -n __fish_use_subcommand -a unfocus -d 'End the focus on a list'
complete -c darkroomctl -n __fish_use_subcommand -a flush -d 'Retry failing hosts now'
complete -c darkroomctl -n __fish_use_subcommand -a reload -d 'Make darkroomd read its settings again'
complete -c darkroomctl -n __fish_use_subcommand -a config -d 'Show the settings in force and their files'
complete -c darkroomctl -n __fish_use_subcommand -a watch -d 'Show the downloads in progress'
complete -c darkroomctl -n __fish_use_subcommand -a cache -d 'Show or empty the cache of originals'
complete -c darkroomctl -n __fish_use_subcommand -a develop -d 'Filter local pictures, without darkroomd'
complete -c darkroomctl -n __fish_use_subcommand -a check -d 'Check a photo list for errors'
complete -c darkroomctl -n __fish_use_subcommand -a help -d 'Show the commands, or the help of one of them'

complete -c darkroomctl -n '__fish_seen_subcommand_from show why wait pause resume cancel retry remove quality focus unfocus watch' -a '(__darkroomctl_lists)'
complete -c darkroomctl -n '__fish_seen_subcommand_from flush' -a '(__darkroomctl_hosts)'
complete -c darkroomctl -n '__fish_seen_subcommand_from quality' -a 'userInteractive userInitiated default utility background' -d 'Class'
complete -c darkroomctl -n '__fish_seen_subcommand_from cache' -a clear -d 'Empty the cache'
complete -c darkroomctl -n '__fish_seen_subcommand_from status' -l check -d 'Print one line for a monitoring system'
complete -c darkroomctl -n '__fish_seen_subcommand_from show' -l state -x -a 'new downloaded filtered failed' -d 'Only photos in this state'
complete -c darkroomctl -n '__fish_seen_subcommand_from list' -l state -x -a 'accepted running paused finished cancelled' -d 'Only lists in this state'
complete -c darkroomctl -n '__fish_seen_subcommand_from list' -l user -x -a '(__fish_complete_users)' -d 'Only lists of this user'
complete -c darkroomctl -n '__fish_seen_subcommand_from focus' -l for -x -d 'Length of the focus'
complete -c darkroomctl -n '__fish_seen_subcommand_from wait submit' -l timeout -x -d 'How long to wait'
complete -c darkroomctl -n __fish_use_subcommand -a journal -d 'Verify, dump or stat the journal file'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop check submit' -F
complete -c darkroomctl -n '__fish_seen_subcommand_from journal' -a 'verify dump stat'
complete -c darkroomctl -n '__fish_seen_subcommand_from journal' -a '(__fish_complete_directories)'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -s o -l output -x -a '(__fish_complete_directories)' -d 'Folder for the prints'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop submit' -l filter -x -d 'Filter for the pictures'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop submit' -l quality -x -a 'source' -d 'Quality of JPEG prints'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop submit' -l metadata -x -a 'keep copyright strip' -d 'Metadata to keep'
complete -c darkroomctl -n '__fish_seen_subcommand_from submit' -l name -x -d 'Name of the list'
complete -c darkroomctl -n '__fish_seen_subcommand_from submit' -l wait -d 'Wait until it is finished'
complete -c darkroomctl -n '__fish_seen_subcommand_from submit' -l quality-of-service -x -a 'userInteractive userInitiated default utility background' -d 'Class of the list'
complete -c darkroomctl -n '__fish_seen_subcommand_from submit' -l notify -x -d 'URL to notify when it is over'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -s j -l jobs -x -d 'Number of pictures at once'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -s f -l force -d 'Replace existing prints'
complete -c darkroomctl -n '__fish_seen_subcommand_from help' -a 'status list inbox submit show why wait pause resume cancel retry remove quality focus unfocus flush reload config watch cache develop check journal'
