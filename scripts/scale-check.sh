#!/usr/bin/env bash
# Checks the predictions of scripts/scale_model.py: trains with two single-threaded processes over
# several networks, and prints predicted and measured times of steps. Needs two idle cores, Open
# MPI, a release build, and root for networks of 1 Gbit/s.
#   scripts/scale-check.sh [NETWORK...]      (default: all)
#     memory       shared memory of one host
#     loopback     TCP over lo
#     loopback-1g  the same with lo at 1 Gbit/s, for both directions together
#     hosts-1g     two network namespaces joined by a link of 1 Gbit/s each way
# Exit code 1 if a time is off by 15 % or a share waited by 5 points.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
networks=("$@")
if (($# == 0)); then networks=(memory loopback loopback-1g hosts-1g); fi
kette=$PWD/build/release/kette
model=$PWD/scripts/scale_model.py
work=$(mktemp -d)
names=(kette-a kette-b)
tear_down() {
  tc qdisc del dev lo root 2> /dev/null || true
  for name in "${names[@]}"; do ip netns del "$name" 2> /dev/null || true; done
}
trap 'tear_down; rm -rf "$work"' EXIT
build/release/kette-corpus --train 20000 --valid 50 --out "$work/text" > /dev/null
cd "$work"

# Open MPI starts processes on another host by this instead of ssh: HOST COMMAND...
cat > agent << 'END'
#!/usr/bin/env bash
while [[ $1 == -* ]]; do shift; done
name=kette-$([[ $1 == 10.77.0.1 ]] && echo a || echo b)
shift
exec ip netns exec "$name" unshare --uts bash -c "hostname $name; $*"
END
chmod +x agent

launch=() hide=0
set_up() { # set_up NETWORK
  local over_tcp=(--mca btl "tcp,self" --mca pml ob1)
  launch=(mpirun.openmpi --allow-run-as-root -n 2) hide=0
  case "$1" in
    memory) ;;
    loopback) launch+=("${over_tcp[@]}" --mca btl_tcp_if_include lo) ;;
    loopback-1g)
      tc qdisc add dev lo root tbf rate 1gbit burst 128kb latency 50ms
      launch+=("${over_tcp[@]}" --mca btl_tcp_if_include lo) hide=0.9
      ;;
    hosts-1g)
      local i
      for name in "${names[@]}"; do ip netns add "$name"; done
      ip link add kette0 netns kette-a type veth peer name kette0 netns kette-b
      for i in 0 1; do
        ip -n "${names[i]}" addr add "10.77.0.$((i + 1))/24" dev kette0
        ip -n "${names[i]}" link set kette0 up
        ip -n "${names[i]}" link set lo up
        ip netns exec "${names[i]}" tc qdisc add dev kette0 root tbf rate 1gbit burst 128kb latency 50ms
      done
      launch=(ip netns exec kette-a mpirun.openmpi --allow-run-as-root --bind-to none --host "10.77.0.1:1,10.77.0.2:1" -n 2 --mca plm_rsh_agent "$work/agent"
        "${over_tcp[@]}" --mca btl_tcp_if_include kette0 --mca oob_tcp_if_include kette0) hide=0.9
      ;;
    *)
      echo "scale-check.sh: expected memory, loopback, loopback-1g or hosts-1g, given $1" >&2
      exit 2
      ;;
  esac
}

# Batches of 1,024 tokens, of a model of 2 million parameters: 8 MB of gradients.
train() { # train OUT LEAVES PREFIX...: a training, after this command prefix
  "${@:3}" "$kette" train --src text/train.en --tgt text/train.de --valid-src text/valid.en --valid-tgt text/valid.de \
    --preset tiny --vocab 1000 --batch-tokens 1024 --accumulate "$2" --steps "$((8 + 32 / $2))" --threads 1 --seed 1 \
    --no-validate-bleu --validate-every 100000 --quiet --out "$work/$1" > "$1.log" 2>&1 || { cat "$1.log"; exit 1; }
}
row() { # row OUT PROCESSES LEAVES: a row for scale_model.py --measured
  python3 - "$@" << 'END'
import json, struct, sys
out, processes, leaves = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(f"{out}/training.safetensors", "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
steps = [row for line in open(f"{out}/log.jsonl") if "loss" in (row := json.loads(line))]
first, last, counted = steps[3], steps[-1], steps[4:]  # the first steps are slow
print(json.dumps({"processes": processes, "leaves": leaves, "threads": 1,
                  "parameters": header["parameters"]["shape"][0],
                  "tokens": sum(row["target_tokens"] for row in counted) / len(counted) / leaves,
                  "seconds_per_step": (last["seconds"] - first["seconds"]) / len(counted),
                  "waited": last.get("waited", 0)}))
END
}

failed=0
for network in "${networks[@]}"; do
  tear_down
  set_up "$network"
  for mebibytes in 1 4 16 64; do
    "${launch[@]}" "$kette" bench exchange --mebibytes "$mebibytes" --threads 1 --json | grep '^{' >> "$network.exchange"
  done
  # One process alone, with the second core kept as busy: a core alone is faster than one of two.
  for i in 1 2 3; do
    train "$network-beside-$i" 1 env &
    train "$network-alone-$i" 1 env
    wait
    row "$network-alone-$i" 1 1 >> "$network.steps"
  done
  for leaves in 2 4 8 16; do
    train "$network-$leaves" "$leaves" "${launch[@]}"
    row "$network-$leaves" 2 "$leaves" >> "$network.steps"
  done
  printf '\n%s, ' "$network"
  # The embedding has a ninth of the parameters.
  "$model" --machine laptop --fit "$network.exchange" --measured "$network.steps" --hide "$hide" --last 0.11 || failed=1
done
exit $failed
