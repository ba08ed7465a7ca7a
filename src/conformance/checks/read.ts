import { isDeepStrictEqual } from 'node:util';
import { asObject, asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Exchange } from '../client.ts';
import { sampleOf } from '../context.ts';
import type { TestContext } from '../context.ts';
import type { Known } from '../records.ts';
import type { DeclaredType } from '../statement.ts';
import { checkMediaType, checkOutcome } from './media-type.ts';

/** Records of each type that are read. */
const reads = 3;
const unknownId = 'qzxj-no-such-id';

/** Reads, versions and conditional reads of records of the sample. https://hl7.org/fhir/R4/http.html#read */
export async function checkReads(context: TestContext, type: DeclaredType): Promise<void> {
  if (!type.interactions.has('read')) return;
  for (const known of sampleOf(context, type.name).slice(0, reads)) await checkRead(context, type, known);
  const subject = `${type.name}/${unknownId}`;
  const { findings, client } = context;
  const unknown = await client.get(subject);
  checkAbsent(context, 'read.unknown', subject, unknown);
  if (unknown.status >= 400) checkOutcome(unknown, subject, findings);
}

async function checkRead(context: TestContext, type: DeclaredType, known: Known): Promise<void> {
  const { client, findings, records } = context;
  const subject = `${known.type}/${known.id}`;
  const exchange = await client.get(subject);
  const { status, json, headers } = exchange;
  if (status !== 200 || json === undefined) {
    const isGone = status === 404 || status === 410;
    const again = isGone ? await isStillFound(context, known) : true;
    const came = `Status ${status}, though a search shows the record`;
    if (again) findings.fail('read.record', subject, came, 'Status 200 with the record', exchange);
    return;
  }
  checkMediaType(exchange, subject, findings);
  const isSame = versionOf(json) === versionOf(known.resource);
  const isRight = isSame ? isDeepStrictEqual(json, known.resource) : nameOf(json) === subject;
  const came = isSame ? 'The same version with other content' : `The record ${nameOf(json)}`;
  if (!findings.decide(isRight, 'read.record', subject, came, 'The record that the search shows', exchange)) return;
  records.add(json);
  const tag = checkHeaders(context, subject, exchange, json) ? headers.get('ETag') : null;
  await checkConditional(context, type, subject, { tag, updated: headers.get('Last-Modified') });
  await checkVersions(context, type, subject, json);
}

async function isStillFound({ client }: TestContext, { type, id }: Known): Promise<boolean> {
  const { json } = await client.get(`${type}?_id=${id}`);
  return Array.isArray(json?.['entry']) && json['entry'].length > 0;
}

const nameOf = ({ resourceType, id }: JsonObject): string => `${String(resourceType)}/${String(id)}`;
const versionOf = ({ meta }: JsonObject): string | undefined => asString(asObject(meta)['versionId']);

/** True if the ETag is right, so that a conditional read can use it. */
function checkHeaders(context: TestContext, subject: string, exchange: Exchange, resource: JsonObject): boolean {
  const { findings } = context;
  checkLastModified(context, subject, exchange, resource);
  const version = versionOf(resource);
  const tag = exchange.headers.get('ETag');
  if (version !== undefined && tag !== null)
    return findings.decide(
      tag === `W/"${version}"`,
      'read.etag',
      subject,
      `ETag: ${tag}`,
      `ETag: W/"${version}"`,
      exchange,
    );
  findings.open('read.etag', subject, 'There is no ETag, or no versionId');
  return tag !== null;
}

function checkLastModified({ findings }: TestContext, subject: string, exchange: Exchange, { meta }: JsonObject): void {
  const updated = Date.parse(asString(asObject(meta)['lastUpdated']) ?? '');
  const shown = exchange.headers.get('Last-Modified');
  if (shown === null || Number.isNaN(updated)) {
    findings.open('read.last-modified', subject, 'There is no Last-Modified, or no lastUpdated');
    return;
  }
  // The header has whole seconds; they may be rounded.
  const isRight = Math.abs(Date.parse(shown) - updated) <= 1000;
  const expected = `Last-Modified: ${new Date(updated).toUTCString()}`;
  findings.decide(isRight, 'read.last-modified', subject, `Last-Modified: ${shown}`, expected, exchange);
}

/** https://hl7.org/fhir/R4/http.html#cread */
async function checkConditional(
  { client, findings }: TestContext,
  { conditionalRead }: DeclaredType,
  subject: string,
  { tag, updated }: { readonly tag: string | null; readonly updated: string | null },
): Promise<void> {
  const full = conditionalRead === 'full-support';
  const conditions = [
    ['conditional-read.none-match', full || conditionalRead === 'not-match', 'If-None-Match', tag],
    ['conditional-read.modified-since', full || conditionalRead === 'modified-since', 'If-Modified-Since', updated],
  ] as const;
  for (const [check, isDeclared, name, value] of conditions) {
    if (!isDeclared || value === null) continue;
    const exchange = await client.get(subject, { [name]: value });
    const isRight = exchange.status === 304 && exchange.text === '';
    const came = exchange.status === 304 ? 'Status 304 with a body' : `Status ${exchange.status}`;
    findings.decide(isRight, check, subject, came, 'Status 304 without a body', exchange);
  }
}

async function checkVersions(
  context: TestContext,
  { interactions }: DeclaredType,
  subject: string,
  resource: JsonObject,
): Promise<void> {
  const version = versionOf(resource);
  if (!interactions.has('vread') || version === undefined) return;
  const { client, findings } = context;
  const exchange = await client.get(`${subject}/_history/${version}`);
  const isRight = exchange.status === 200 && isDeepStrictEqual(exchange.json, resource);
  const came = exchange.status === 200 ? 'Other content' : `Status ${exchange.status}`;
  findings.decide(isRight, 'vread.record', subject, came, 'The version that the read shows', exchange);
  const unknown = await client.get(`${subject}/_history/${unknownId}`);
  checkAbsent(context, 'vread.unknown', subject, unknown);
}

/** Other refusals are open: a server may not say what exists. */
function checkAbsent(
  { findings }: TestContext,
  check: 'read.unknown' | 'vread.unknown',
  subject: string,
  exchange: Exchange,
): void {
  const { status } = exchange;
  const isRefused = status >= 400 && status < 500;
  if (isRefused && status !== 404 && status !== 410) findings.open(check, subject, `Status ${status}`);
  else findings.decide(isRefused, check, subject, `Status ${status}`, 'Status 404 or 410', exchange);
}
