/**
 * What every page is sent with: it is kept nowhere, runs nothing but the script it names, and refers to nobody. Forms are sent to
 * this origin alone: browsers apply `form-action` to every redirect that follows, so that a way out to an app is no redirect but a
 * page that goes on by itself (onward.ts). `frameAncestors` are the origins that may show pages in a frame.
 * Nothing is said of openers (Cross-Origin-Opener-Policy): apps sign in in a window that reports back to the one which opened it.
 * https://www.w3.org/TR/CSP3/
 */
export function securityHeaders(
  frameAncestors: readonly string[],
  { script, tls }: { readonly script: boolean; readonly tls: boolean },
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
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
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    ...(tls ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
