/**
 * The headers of every page: no caching, no script but its own file, no referrer. Forms are sent to this origin only.
 * Browsers apply `form-action` to every redirect that follows, so the way to an app is not a redirect but a page that
 * continues automatically (onward.ts). `frameAncestors` are the origins that may frame pages, `images` sources of
 * images in addition to this origin. `opener` separates the page from windows of
 * other origins; the pages of sign-in lack it, since apps open them in a window that reports back to its opener.
 * https://www.w3.org/TR/CSP3/, https://html.spec.whatwg.org/multipage/browsers.html#cross-origin-opener-policies
 */
export function securityHeaders(
  frameAncestors: readonly string[],
  {
    script,
    tls,
    images = [],
    opener,
  }: {
    readonly script: boolean;
    readonly tls: boolean;
    readonly images?: readonly string[];
    readonly opener?: 'same-origin';
  },
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    ["img-src 'self'", ...images].join(' '),
    ...(script ? ["script-src 'self'", "connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    ...(frameAncestors.length === 0 ? { 'X-Frame-Options': 'DENY' } : {}),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    ...(opener === undefined ? {} : { 'Cross-Origin-Opener-Policy': opener }),
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    ...(tls ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
