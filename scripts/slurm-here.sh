#!/usr/bin/env bash
# Runs a command with a temporary Slurm of one node, this host, to try srun and sbatch without a
# cluster:
#   scripts/slurm-here.sh srun -n 2 --mpi=pmix build/release/kette train ...
# Its files are in a temporary folder; its daemons end with the command. Exits with the command's
# exit code. The node claims 64 processors (SLURM_HERE_CPUS), for tests with more tasks than cores.
set -euo pipefail

if (($# == 0)); then
  echo "slurm-here.sh: expected a command, given none" >&2
  exit 2
fi
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd srun; do
  command -v $program > /dev/null && continue
  echo "slurm-here.sh: expected $program, given none" \
    "(Debian: apt-get install munge slurmctld slurmd slurm-client libpmix2)" >&2
  exit 1
done

folder=$(mktemp -d)
daemons=()
trap 'kill "${daemons[@]}" 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
until_true() { # until_true WHAT LOG COMMAND...: tries the command for 20 s
  for _ in {1..200}; do "${@:3}" &> /dev/null && return; sleep 0.1; done
  echo "slurm-here.sh: expected $1 within 20 s, given: $(tail -n 3 "$2")" >&2
  exit 1
}
start() { "$@" > "$folder/$1.log" 2>&1 & daemons+=($!); }
is_idle() { [[ $(sinfo -h -o %T) == idle ]]; }
host=$(hostname -s) user=$(id -un) port=$((10000 + $$ % 10000))
export SLURM_CONF=$folder/slurm.conf
(umask 077 && head -c 128 /dev/urandom > "$folder/key")
cat > "$SLURM_CONF" << END
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 10000))
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
StateSaveLocation=$folder
SlurmdSpoolDir=$folder
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
NodeName=$host NodeAddr=127.0.0.1 CPUs=${SLURM_HERE_CPUS:-64}
PartitionName=here Nodes=$host Default=YES
END

start munged --foreground --force --key-file="$folder/key" --socket="$folder/munge" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.txt" --seed-file="$folder/seed"
until_true "a socket of munged" "$folder/munged.log" test -S "$folder/munge"
start slurmctld -D
start slurmd -D
until_true "an idle node" "$folder/slurmd.log" is_idle
"$@"
