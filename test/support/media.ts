import { createHash } from 'node:crypto';
import type { Answer, Served } from './serve.ts';
import { attachmentsIn } from './attached.ts';

/** Bytes that begin as a PNG does. */
export const png = (size = 100): Buffer =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(Math.max(0, size - 8), 7)]);

export const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('base64');

type Fields = Readonly<Record<string, unknown>>;

/** The Media of section 2.8 of the interface's description; `content` adds to what it carries. */
export const media = (fields: Fields = {}, content: Fields = {}) => ({
  resourceType: 'Media',
  status: 'completed',
  type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/media-type', code: 'image' }] },
  subject: { reference: 'Patient/p1' },
  content: { contentType: 'image/png', data: png().toString('base64'), title: 'Wound, left arm', ...content },
  ...fields,
});

/** Sends a resource, or a body as it is. */
export function post(
  server: Served,
  type: string,
  body: object | string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return server.ask('POST', `/${type}`, {
    headers: { 'Content-Type': 'application/fhir+json', ...headers },
    body: text,
  });
}

/** The issues of an OperationOutcome as `code expression`. */
export const issuesOf = (answer: Answer): readonly string[] =>
  answer.json.issue.map(({ code, expression }: { code: string; expression?: string[] }) =>
    [code, ...(expression ?? [])].join(' '),
  );

/** The bytes that are kept for the records of a type, by id. */
export async function keptBytes(server: Served, type: string): Promise<Map<string, Buffer[]>> {
  const found = new Map<string, Buffer[]>();
  for (const { id, digest } of await attachmentsIn(server.partition, type)) {
    const chunks: Buffer[] = [];
    for await (const chunk of (await server.partition.attachment(digest)) ?? []) chunks.push(chunk as Buffer);
    found.set(id, [...(found.get(id) ?? []), Buffer.concat(chunks)]);
  }
  return found;
}
