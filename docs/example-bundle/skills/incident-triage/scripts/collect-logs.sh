#!/bin/sh
# @description Prints the last minutes of a service's log, newest line last
# @tags incident
# @param {string} service - name of the service, for example checkout
# @param {number} minutes - how far back, 15 when left out
set -eu
service=${1:?usage: collect-logs.sh SERVICE [MINUTES]}
minutes=${2:-15}
journalctl --unit "$service" --since "$minutes minutes ago" --no-pager
