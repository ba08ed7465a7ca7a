import type { AnswerRoom } from '../../interaction/answer-room.ts';
import { securityHeaders } from '../../pages/security-headers.ts';
import { frame } from './layout.ts';
import type { Reply, Visit } from './visit.ts';

/** The headers by which an answer of a FHIR path may differ, and by which JSON of the same path does. */
const vary = 'Accept, Accept-Language, Authorization, Cookie, Origin, Prefer';

/**
 * Sends a reply. It is never cached, and no page of another origin reads it. Throws FhirError 503 if the answers of all
 * requests leave no room for a page.
 */
export function send(visit: Visit, reply: Reply, room: AnswerRoom): void {
  const { request, response, language, link, parts } = visit;
  for (const name of response.getHeaderNames()) {
    if (name.startsWith('access-control-')) response.removeHeader(name); // those of JSON
  }
  const security = {
    ...securityHeaders([], {
      script: true,
      tls: parts.publicUrl.startsWith('https:'),
      images: ['data:'],
      opener: 'same-origin',
    }),
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: vary,
  };
  if (reply.kind === 'see') {
    response.writeHead(303, { ...security, Location: link(reply.path), 'Content-Length': 0 }).end();
    return;
  }
  if (reply.kind === 'bytes') {
    response.writeHead(200, { ...security, 'Content-Type': reply.type, 'Content-Length': reply.bytes.length });
    response.end(request.method === 'HEAD' ? undefined : reply.bytes);
    return;
  }
  const body = reply.kind === 'fragment' ? reply.body : frame(visit, reply);
  const bytes = Buffer.from(body.text);
  room.take(bytes.length);
  response.writeHead(reply.status ?? 200, {
    ...security,
    ...(reply.kind === 'page' ? reply.headers : {}),
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Length': bytes.length,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
