#!/bin/sh
# One shard of a plan, as a task of an array from 1:
#
#   sbatch --array=1-100 casemill-shard.sh batches/cases
#
# A task that is killed, or whose node is lost, runs again by --requeue, and begins its shard anew.
#SBATCH --job-name=casemill-shard
#SBATCH --requeue
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --time=01:00:00
set -eu
# The batch script itself takes the signals of Slurm, and its status is that of the shard.
exec ${CASEMILL:-casemill} shard --plan "$1"
