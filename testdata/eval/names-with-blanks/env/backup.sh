#!/bin/sh
mkdir -p backup
for f in $(ls $1/*.txt); do
  cp $f backup/
done
