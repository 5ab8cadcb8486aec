def get_user(n):
    return {'id': n}
