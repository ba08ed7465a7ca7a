import { setImmediate } from 'node:timers/promises';
import { cutBody } from '../../attachment/cut.ts';
import type { CutBody } from '../../attachment/cut.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { findStrings } from '../../fhir/find-strings.ts';
import { isObject } from '../../fhir/json-object.ts';
import { compactJson } from '../../fhir/json.ts';
import { properties } from '../../fhir/resource-text.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { Engine } from '../interaction.ts';
import { parseBody, pathOf } from '../write/body.ts';
import type { BatchEntry } from './batch-entry.ts';
import { BrokenInput } from './broken-input.ts';
import { BundleScanner } from './bundle-scanner.ts';

/** Entries of one Bundle at most. */
const MOST_ENTRIES = 1_000;
/** Bytes of one Bundle without attachments at most, in maximum sizes of a resource. */
export const MOST_RESOURCES = 16;
/** Milliseconds after which no further entry begins. */
export const LONGEST = 60_000;
/** How long entries are read until other requests have their turn, in milliseconds. */
const TURN = 20;

const wantedTypes = ['batch', 'transaction'] as const;
type Wanted = (typeof wantedTypes)[number];

/**
 * The entries of a Bundle of a type. Attachments are cut out before the rest is parsed, entry by entry, so that other
 * requests have their turn. Throws FhirError 400 with all errors outside of the entries, or with the first in them, and
 * 413 for too many bytes beside attachments.
 */
export async function readEntries(
  { model, maxBody }: Pick<Engine, 'model' | 'maxBody'>,
  wanted: Wanted,
  body: Buffer,
): Promise<readonly BatchEntry[]> {
  const { members, envelope } = scan(body);
  const bundle = parseBody(envelope, 'Bundle').parsed.value;
  const { entry: list, ...around } = requireType(model, bundle, wanted);
  const issues = checkStructure(around, model);
  if (issues.length > 0) throw new FhirError(400, issues);
  if (around['total'] !== undefined) throw notCounted();
  if (list !== undefined && (!Array.isArray(list) || members.length === 0)) throw noList();
  if (members.length > MOST_ENTRIES) throw tooMany(wanted, members.length);
  const entries: BatchEntry[] = [];
  let left = maxBody * MOST_RESOURCES - envelope.length;
  let turned = performance.now();
  for (const [index, member] of members.entries()) {
    const cut = cutEntry(model, member);
    left -= cut.rest.length;
    if (left < 0) throw tooLong(wanted, maxBody * MOST_RESOURCES);
    entries.push(readEntry(member, cut, index));
    if (performance.now() - turned < TURN) continue;
    await setImmediate();
    turned = performance.now();
  }
  return entries;
}

function scan(body: Buffer): { readonly members: readonly Buffer[]; readonly envelope: Buffer } {
  const scanner = new BundleScanner();
  try {
    const members = scanner.push(body).map(({ buffer, byteOffset, byteLength }) => {
      return Buffer.from(buffer, byteOffset, byteLength);
    });
    return { members, envelope: Buffer.from(scanner.envelope()) };
  } catch (error) {
    if (error instanceof BrokenInput) throw noList();
    throw error;
  }
}

function requireType(model: Engine['model'], bundle: unknown, wanted: Wanted): Readonly<Record<string, unknown>> {
  const type = isObject(bundle) && bundle['resourceType'] === 'Bundle' ? bundle['type'] : undefined;
  if (isObject(bundle) && type === wanted) return bundle;
  const offered = wantedTypes.filter(code => model.systemInteractions.has(code));
  const what =
    type === 'transaction' ? 'Transactions are not supported' : `The body is not a ${offered.join(' or a ')}`;
  const types = offered.map(code => `\`${code}\``).join(' or ');
  throw fhirError(400, 'not-supported', `${what}: send a Bundle with the type ${types}.`, 'Bundle.type');
}

/** An entry without the attachments of its resource. Throws FhirError 413 for too many. */
function cutEntry(model: Engine['model'], member: Buffer): CutBody {
  const [name] = findStrings(member, ['resource', 'resourceType'], 1);
  const type = name === undefined ? undefined : model.types.get(member.toString('latin1', name.from, name.to));
  if (type?.attachment === undefined) return { rest: member, spans: [] };
  return cutBody(member, ['resource', ...pathOf(type.attachment)]);
}

function readEntry(member: Buffer, { rest, spans }: CutBody, index: number): BatchEntry {
  const { text, parsed } = parseBody(rest, `Bundle.entry[${index}]`);
  const compact = parsed.compact ? text : compactJson(text);
  const resource = properties(compact).find(({ name }) => name === '"resource"')?.value;
  const value = isObject(parsed.value) ? parsed.value : {};
  const contents = spans.map(({ from, to }) => member.subarray(from, to));
  return { value, index, resource, contents, decimals: parsed.decimals };
}

const noList = () =>
  fhirError(400, 'structure', '`Bundle.entry` must be a list of objects, not empty, or be omitted.', 'Bundle.entry');

/** https://hl7.org/fhir/R4/bundle.html#inv-bdl-1 */
const notCounted = () =>
  fhirError(
    400,
    'invariant',
    '`Bundle.total` is for the results of searches and for histories: omit it (bdl-1).',
    'Bundle.total',
  );

const tooMany = (wanted: Wanted, count: number) =>
  fhirError(
    400,
    'too-costly',
    `The ${wanted} has ${count} entries, but the limit is ${MOST_ENTRIES}: send several.`,
    'Bundle.entry',
  );

const tooLong = (wanted: Wanted, most: number) =>
  fhirError(
    413,
    'too-long',
    `The ${wanted} exceeds the size limit of ${most} bytes beside attachments: send several.`,
    'Bundle.entry',
  );

/** The entries in the order in which they are carried out. https://hl7.org/fhir/R4/http.html#trules */
export const inOrder = <Entry extends BatchEntry>(entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((a, b) => rankOf(a) - rankOf(b));

const ranks = ['DELETE', 'POST', 'PUT', 'PATCH', 'GET', 'HEAD'];

function rankOf({ value }: BatchEntry): number {
  const { method } = isObject(value['request']) ? value['request'] : {};
  return ranks.indexOf(String(method));
}
