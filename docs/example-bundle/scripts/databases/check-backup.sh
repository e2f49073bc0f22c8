#!/bin/sh
# @description Says how many rows each table of a database has, to compare a backup with the original
# @tags backup, postgres
# @param {string} database - name of the database
set -eu
database=${1:?usage: check-backup.sh DATABASE}
psql --no-align --tuples-only --dbname "$database" \
  --command "select relname, n_live_tup from pg_stat_user_tables order by relname"
