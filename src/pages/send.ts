import { pageDocument } from './document.ts';
import type { Reply } from './reply.ts';
import type { Site } from './site.ts';
import type { PageVisit } from './visit.ts';

/**
 * Sends a reply, which is never cached. `take` receives the bytes of the page before they are sent; its errors are
 * thrown.
 */
export async function sendReply<V extends PageVisit>(
  site: Site<V>,
  visit: V,
  reply: Reply,
  take: (bytes: number) => void = () => undefined,
): Promise<void> {
  const { request, response, language, link } = visit;
  if (!request.complete) request.resume(); // the rest is discarded, so that the browser reads the answer
  if (site.policy.frameAncestors.length > 0) response.removeHeader('X-Frame-Options'); // which cannot name origins
  const headers = {
    ...securityHeaders(site, reply.kind === 'page' && (reply.scripts ?? []).length > 0),
    ...site.headers,
  };
  if (reply.kind === 'see') {
    response.writeHead(303, { ...headers, Location: link(reply.path), 'Content-Length': 0 }).end();
    return;
  }
  if (reply.kind === 'bytes') {
    response.writeHead(200, { ...headers, 'Content-Type': reply.type, 'Content-Length': reply.bytes.length });
    response.end(reply.bytes);
    return;
  }
  if (reply.kind === 'download') {
    const disposition = `attachment; filename="${reply.name}"`;
    await reply.send(Object.entries({ ...headers, 'Content-Disposition': disposition }).flat());
    return;
  }
  const bytes = Buffer.from((reply.kind === 'page' ? pageDocument(site, visit, reply) : reply.body).text);
  take(bytes.length);
  response.writeHead(reply.status ?? 200, {
    ...headers,
    ...(reply.kind === 'page' ? reply.headers : {}),
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Length': bytes.length,
  });
  response.end(bytes);
}

/**
 * The headers of every page: no caching, no script but those of this server, and only on pages with a script, no
 * referrer. Forms are sent to this origin only. Browsers apply `form-action` to every redirect that follows, so the way
 * to an app is not a redirect but a page that continues automatically (smart/pages/onward.ts).
 * https://www.w3.org/TR/CSP3/, https://html.spec.whatwg.org/multipage/browsers.html#cross-origin-opener-policies
 */
function securityHeaders(
  { publicUrl, policy: { frameAncestors, images, isSeparate } }: Pick<Site<PageVisit>, 'publicUrl' | 'policy'>,
  hasScript: boolean,
): Readonly<Record<string, string>> {
  const directives = [
    "default-src 'none'",
    "style-src 'self'",
    ["img-src 'self'", ...images].join(' '),
    ...(hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ];
  return {
    'Content-Security-Policy': directives.join('; '),
    ...(frameAncestors.length === 0 ? { 'X-Frame-Options': 'DENY' } : {}),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    ...(isSeparate ? { 'Cross-Origin-Opener-Policy': 'same-origin' } : {}),
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    ...(publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
