/**
 * Most authorization requests of one network within a window, and the window in milliseconds: a hospital begins fewer.
 */
const most = 300;
const within = 10_000;
/** Most networks that are counted separately. */
const maxNetworks = 10_000;

/**
 * A rate limit on authorization requests: returns whether a network may begin one more. The store has each request that
 * waits for its user, and anyone may begin one, so that a flood would fill the disk. Each server counts for itself.
 * `time` is in milliseconds from any origin.
 */
export function createAuthorizeRateLimit(time: () => number = () => performance.now()): (network: string) => boolean {
  let since = -Infinity;
  const counts = new Map<string, number>();
  return network => {
    if (time() - since >= within || counts.size >= maxNetworks) {
      since = time();
      counts.clear();
    }
    const count = (counts.get(network) ?? 0) + 1;
    counts.set(network, count);
    return count <= most;
  };
}

/** `Retry-After` of a rejected request, in seconds. */
export const authorizeRetryAfter = within / 1000;
