import users

alias = users.get_user
