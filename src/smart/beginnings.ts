/** Most authorization requests that one network may begin, and in which time, in milliseconds: a hospital begins fewer. */
const most = 300;
const within = 10_000;
/** Most networks that are told apart. */
const mostNetworks = 10_000;

/**
 * Tells whether a network may begin one more authorization request: what waits for its user is kept in the store, and anybody may
 * begin one, so that otherwise whoever floods the server would fill the disk. Each process counts for itself. `time` in milliseconds,
 * from whenever.
 */
export function createBeginnings(time: () => number = () => performance.now()): (network: string) => boolean {
  let since = -Infinity;
  const counts = new Map<string, number>();
  return network => {
    if (time() - since >= within || counts.size >= mostNetworks) {
      since = time();
      counts.clear();
    }
    const count = (counts.get(network) ?? 0) + 1;
    counts.set(network, count);
    return count <= most;
  };
}

/** How long to wait where it may not, in seconds. */
export const waitToBegin = within / 1000;
