# SPDX-License-Identifier: Apache-2.0
# Completes darkroomctl in fish: commands, options, files, and the lists the daemon knows.

function __darkroomctl_lists
    darkroomctl list 2>/dev/null | awk -F '\t' '{ print $2 "\tlist " $1 }'
end

complete -c darkroomctl -f
complete -c darkroomctl -l root -x -a '(__fish_complete_directories)' -d 'darkroomd was started with this root'
complete -c darkroomctl -l socket -r -F -d 'Control socket'
complete -c darkroomctl -l json -d 'One JSON object instead of words'
complete -c darkroomctl -s h -l help -d 'Help'
complete -c darkroomctl -l version -d 'The version'

complete -c darkroomctl -n __fish_use_subcommand -a status -d 'How darkroomd is and what it does'
complete -c darkroomctl -n __fish_use_subcommand -a list -d 'All lists'
complete -c darkroomctl -n __fish_use_subcommand -a inbox -d 'The files in the inbox and what becomes of each'
complete -c darkroomctl -n __fish_use_subcommand -a show -d 'One list and its photos'
complete -c darkroomctl -n __fish_use_subcommand -a wait -d 'Wait until lists are finished'
complete -c darkroomctl -n __fish_use_subcommand -a pause -d 'Start nothing more of a list'
complete -c darkroomctl -n __fish_use_subcommand -a resume -d 'Go on with a paused list'
complete -c darkroomctl -n __fish_use_subcommand -a cancel -d 'Give a list up'
complete -c darkroomctl -n __fish_use_subcommand -a flush -d 'Ask hosts that do not answer again, now'
complete -c darkroomctl -n __fish_use_subcommand -a reload -d 'Have darkroomd read its settings again'
complete -c darkroomctl -n __fish_use_subcommand -a watch -d 'What is downloaded now'
complete -c darkroomctl -n __fish_use_subcommand -a cache -d 'What the cache of originals holds'
complete -c darkroomctl -n __fish_use_subcommand -a develop -d 'Filter local pictures, without darkroomd'
complete -c darkroomctl -n __fish_use_subcommand -a check -d 'Read a photo list and say what is wrong with it'
complete -c darkroomctl -n __fish_use_subcommand -a help -d 'The commands, or more on one of them'

complete -c darkroomctl -n '__fish_seen_subcommand_from show wait pause resume cancel watch' -a '(__darkroomctl_lists)'
complete -c darkroomctl -n '__fish_seen_subcommand_from cache' -a clear -d 'Empty it'
complete -c darkroomctl -n '__fish_seen_subcommand_from show' -l state -x -a 'new downloaded filtered failed' -d 'Only photos in this state'
complete -c darkroomctl -n '__fish_seen_subcommand_from wait' -l timeout -x -d 'How long to wait'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop check' -F
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -s o -l output -x -a '(__fish_complete_directories)' -d 'Where prints go'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -l filter -x -d 'What is done to the pictures'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -l quality -x -a 'source' -d 'Of the prints of JPEGs'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -l metadata -x -a 'keep copyright strip' -d 'What comes along beside the pixels'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -s j -l jobs -x -d 'So many pictures at once'
complete -c darkroomctl -n '__fish_seen_subcommand_from develop' -s f -l force -d 'Replace prints that exist'
complete -c darkroomctl -n '__fish_seen_subcommand_from help' -a 'status list show wait pause resume cancel flush reload watch cache develop check'
