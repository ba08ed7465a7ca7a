import { cutBody } from '../../attachment/cut.ts';
import type { CutBody } from '../../attachment/cut.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { findStrings } from '../../fhir/find-strings.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import { compactJson } from '../../fhir/json.ts';
import { checkStructure } from '../../validation/structure.ts';
import { Turns } from '../../limits/turns.ts';
import type { Engine } from '../interaction.ts';
import { parseBody, pathOf } from '../write/body.ts';
import type { BatchEntry } from './batch-entry.ts';
import { BrokenInput } from './broken-input.ts';
import { BundleScanner } from './bundle-scanner.ts';
import { entryPath, resourceIn } from './entry.ts';
import type { EntryResource } from './entry.ts';
import { mostKept, ownCopy } from './own-copy.ts';

/** Milliseconds after which no further entry begins. */
export const LONGEST = 60_000;
/** Bytes that are scanned before other requests have their turn. */
const PIECE = 1024 * 1024;

const wantedTypes = ['batch', 'transaction'] as const;
type Wanted = (typeof wantedTypes)[number];

/** The limits of Bundles. */
export type BundleLimits = Pick<Engine, 'model' | 'maxBody' | 'maxBundleEntries'>;

/**
 * The entries of a Bundle of a type. Attachments are cut out before the rest is parsed, entry by entry, so that other
 * requests have their turn; one that is too long beside its attachments is not read, and has a failure. Throws
 * FhirError 400 with all errors outside of the entries, or with the first in them, and 413 for too many bytes outside.
 */
export async function readEntries(
  { model, maxBody, maxBundleEntries }: BundleLimits,
  wanted: Wanted,
  body: Buffer,
): Promise<readonly BatchEntry[]> {
  const { members, envelope } = await scan(body, maxBundleEntries);
  if (envelope.length > maxBody) throw tooLong(`The ${wanted} outside of its entries`, maxBody, 'Bundle');
  const bundle = parseBody(envelope, 'Bundle').parsed.value;
  const { entry: list, ...around } = requireType(model, bundle, wanted);
  const issues = checkStructure(around, model);
  if (issues.length > 0) throw new FhirError(400, issues);
  if (around['total'] !== undefined) throw notCounted();
  if (list !== undefined && (!Array.isArray(list) || members.length === 0)) throw noList();
  if (members.length > maxBundleEntries) throw tooMany(wanted, maxBundleEntries);
  const entries: BatchEntry[] = [];
  const keeps = body.length <= mostKept;
  const turns = new Turns();
  for (const [index, member] of members.entries()) {
    const cut = cutEntry(model, member);
    const isLong = cut.rest.length > maxBody + AROUND;
    entries.push(isLong ? unread(index, maxBody) : readEntry(member, cut, index, keeps));
    await turns.next();
  }
  return entries;
}

/** Bytes of an entry around its resource, beyond `max-body`. */
const AROUND = 64 * 1024;

/** The members of `entry`, as views of the body: at most one more than `most`. */
async function scan(
  body: Buffer,
  most: number,
): Promise<{ readonly members: readonly Buffer[]; readonly envelope: Buffer }> {
  const scanner = new BundleScanner(Infinity);
  const members: Buffer[] = [];
  const turns = new Turns();
  try {
    for (let from = 0; from < body.length; from += PIECE) {
      for (const { buffer, byteOffset, byteLength } of scanner.push(body.subarray(from, from + PIECE)))
        if (members.length <= most) members.push(Buffer.from(buffer, byteOffset, byteLength));
      await turns.next();
    }
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

/** An entry that is too long to be read. */
const unread = (index: number, most: number): BatchEntry => ({
  value: {},
  named: undefined,
  index,
  contents: [],
  resource: () => undefined,
  failure: tooLong('The entry', most, `${entryPath(index)}.resource`),
});

function readEntry(member: Buffer, { rest, spans }: CutBody, index: number, keeps: boolean): BatchEntry {
  const { value, resource } = parseEntry(rest, index);
  const { resource: given, ...around } = value;
  const { resourceType, id } = isObject(given) ? given : {};
  const named = resource && { type: asString(resourceType), id: asString(id) };
  const contents = spans.map(({ from, to }) => member.subarray(from, to));
  if (keeps) return { value: around, named, index, contents, resource: () => resource };
  return { ...ownCopy({ value: around, named }), index, contents, resource: parsedAgain(rest, index) };
}

/** In a function of its own: nothing but the bytes stays in memory. */
const parsedAgain = (rest: Buffer, index: number) => (): EntryResource | undefined => parseEntry(rest, index).resource;

function parseEntry(rest: Buffer, index: number): ReturnType<typeof resourceIn> {
  const { text, parsed } = parseBody(rest, entryPath(index));
  return resourceIn(parsed.compact ? text : compactJson(text), parsed);
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

const tooMany = (wanted: Wanted, most: number) =>
  fhirError(
    400,
    'too-costly',
    `The ${wanted} has more than ${most} entries, the limit (\`max-bundle-entries\`): send several.`,
    'Bundle.entry',
  );

const tooLong = (what: string, most: number, place: string) =>
  fhirError(413, 'too-long', `${what} exceeds the limit of ${most} bytes (\`max-body\`) beside attachments.`, place);

/** The entries in the order in which they are carried out. https://hl7.org/fhir/R4/http.html#trules */
export const inOrder = <Entry extends BatchEntry>(entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((a, b) => rankOf(a) - rankOf(b));

const ranks = ['DELETE', 'POST', 'PUT', 'PATCH', 'GET', 'HEAD'];

function rankOf({ value }: BatchEntry): number {
  const { method } = isObject(value['request']) ? value['request'] : {};
  return ranks.indexOf(String(method));
}
