"""What a test starts instead of ``python -m akm_ls serve``; see `warm_server`.

It hands its own stdin, stdout and stderr over to a server that is forked for it, waits for that
one's end, and ends with its exit code. Started with ``-I -S`` this takes a hundredth of a second.
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    place = json.dumps([os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(connection, [b"%d\n" % len(place)], [0, 1, 2])
    connection.sendall(place)
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    sys.exit(int(connection.recv(16) or b"1"))
