/**
 * Whether a URL is another one or below it, by the segments of its path: `http://a/b` is above `http://a/b/c` and not
 * above `http://a/bc`; `http://a/b/` is above what begins with it. https://hl7.org/fhir/R4/search.html#uri
 */
export function isBelow(uri: string, root: string): boolean {
  return root.endsWith('/') ? uri.startsWith(root) : uri === root || uri.startsWith(`${root}/`);
}

/** All URLs that a URL is below, itself first, up to its host. */
export function urlsAbove(url: string): readonly string[] {
  const host = hostEnd(url);
  const above = new Set([url]);
  for (let at = url.length - 1; at >= host; at -= 1) {
    if (url[at] !== '/') continue;
    above.add(url.slice(0, at + 1));
    above.add(url.slice(0, at));
  }
  return [...above];
}

/** Whether a URI has a path: URNs have none. */
export const hasPath = (uri: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s]/.test(uri);

/** The position behind `scheme://host`. */
function hostEnd(url: string): number {
  const start = url.indexOf('://') + 3;
  const slash = url.indexOf('/', start);
  return slash === -1 ? url.length : slash;
}
