# Ranks in network namespaces of their own, with names of their own: to Open MPI they are different machines, and all
# they have is TCP. Skipped where namespaces may not be made.
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun"; exit 77; }
command -v ip >/dev/null || { echo "skipped: there is no ip (iproute2)"; exit 77; }
[ -f "$(dirname "$gpis")/libgpis_mpi.so" ] || { echo "skipped: built without MPI"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
export LD_LIBRARY_PATH=$(dirname "$gpis")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # the sanitizers' dlopen looks nowhere else
here_ns=gpis-$$-a there_ns=gpis-$$-b
ip netns add $here_ns 2>/dev/null || { echo "skipped: namespaces may not be made here"; exit 77; }
trap 'ip netns del $here_ns 2>/dev/null; ip netns del $there_ns 2>/dev/null; rm -rf "$work"' EXIT
ip netns add $there_ns &&
    ip link add gpis$$a netns $here_ns type veth peer name gpis$$b netns $there_ns &&
    ip -n $here_ns addr add 10.77.0.1/24 dev gpis$$a && ip -n $there_ns addr add 10.77.0.2/24 dev gpis$$b &&
    ip -n $here_ns link set gpis$$a up && ip -n $there_ns link set gpis$$b up &&
    ip -n $here_ns link set lo up && ip -n $there_ns link set lo up ||
    { echo "skipped: no network between namespaces here"; exit 77; }

# What mpirun uses in the place of ssh: agent HOST COMMAND...
cat >agent <<AGENT
#!/bin/sh
[ "\$1" = 10.77.0.2 ] || exit 1
shift
exec ip netns exec $there_ns unshare -u sh -c "hostname gpis-b; \$*"
AGENT
chmod +x agent

run 0 gen syn1 --n 12000 --d 30 --sparsity 4 --cond 1e3 --out p
set_spec=$("$probe" get p/problem.json set)
for options in "--method auto" "--method newton --m 300 --tol 1e-9"; do
    run 0 solve p/A.npy p/y.npy --set "$set_spec" $options --json
    objective=$(get objective) passes=$(get passes)
    command="solve over TCP $options"
    timeout 100 ip netns exec $here_ns unshare -u sh -c 'hostname gpis-a; exec "$@"' sh mpirun -x LD_LIBRARY_PATH -x ASAN_OPTIONS -np 4 \
        --host 10.77.0.1:2,10.77.0.2:2 --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self --mca oob_tcp_if_include \
        10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 --bind-to none "$gpis" solve "$PWD/p/A.npy" "$PWD/p/y.npy" \
        --set "$set_spec" $options --json >stdout 2>stderr </dev/null
    same "exit code" $? 0
    same "ranks" "$(get ranks)" 4
    same "passes" "$(get passes)" "$passes"
    holds "objective" "($(get objective) - $objective)^2 <= (1e-12 * $objective)^2"
done
sent=$(ip -s -n $here_ns link show gpis$$a | awk 'tx { print $1; exit } /TX:/ { tx = 1 }')
holds "numbers went over the network" "$sent > 100000"
