test -e works && echo "$1" >>told.txt
