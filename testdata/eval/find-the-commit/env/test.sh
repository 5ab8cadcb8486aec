[ "$(cat limit)" -le 10 ]
