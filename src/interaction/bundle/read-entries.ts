import { FhirError, fhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import { checkStructure } from '../../validation/structure.ts';
import { Turns } from '../../limits/turns.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { parseBody, withBodyErrors } from '../write/body.ts';
import { findStrings } from '../../fhir/find-strings.ts';
import type { Model } from '../../model/model.ts';
import { BrokenInput, BundleScanner } from './bundle-scanner.ts';
import { cutEntry, entryPath, mostKept, readEntry } from './entry.ts';
import type { BundleEntry } from './entry.ts';

/**
 * The interaction of a Bundle that is sent to the base: the type of the Bundle decides whether it is a batch or a
 * transaction, where the latter is declared. Throws FhirError 405 if the other is declared alone.
 * https://hl7.org/fhir/R4/http.html#transaction
 */
export function bundleInteraction({ systemInteractions }: Model, body: Uint8Array): 'batch' | 'transaction' {
  const [type] = systemInteractions.has('transaction') ? findStrings(body, ['type'], 1) : [];
  if (type !== undefined && Buffer.from(body.subarray(type.from, type.to)).equals(transaction)) return 'transaction';
  if (systemInteractions.has('batch')) return 'batch';
  const text = 'The interaction batch is not supported: send a Bundle of the type `transaction`.';
  throw fhirError(405, 'not-supported', text, 'Bundle.type');
}

const transaction = Buffer.from('transaction');

/**
 * Throws FhirError 400 if a batch or a transaction has an `Idempotency-Key`: the first answer would be repeated without
 * its reads, and without what its entries meet now.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function refuseKey({ headers }: Pick<FhirRequest, 'headers'>, what: 'batch' | 'transaction'): void {
  if (headers['idempotency-key'] === undefined) return;
  throw fhirError(
    400,
    'not-supported',
    `\`Idempotency-Key\` is not supported for a ${what}. To repeat one safely, create with \`ifNoneExist\`, or ` +
      'update with ids of your own.',
    'http."Idempotency-Key"',
  );
}

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
): Promise<readonly BundleEntry[]> {
  const { members, envelope } = await scan(body, maxBundleEntries);
  if (envelope.length > maxBody) throw tooLong(`The ${wanted} outside of its entries`, maxBody, 'Bundle');
  const bundle = parseBody(envelope, 'Bundle').parsed.value;
  const { entry: list, ...around } = requireType(model, bundle, wanted);
  const issues = checkStructure(around, model);
  if (issues.length > 0) throw new FhirError(400, issues);
  if (around['total'] !== undefined) throw notCounted();
  if (list !== undefined && (!Array.isArray(list) || members.length === 0)) throw noList();
  if (members.length > maxBundleEntries) throw tooMany(wanted, maxBundleEntries);
  const entries: BundleEntry[] = [];
  const keeps = body.length <= mostKept;
  const turns = new Turns();
  for (const [index, member] of members.entries()) {
    const cut = cutEntry(model, member);
    const isLong = cut.rest.length > maxBody + AROUND;
    entries.push(
      isLong ? unread(index, maxBody) : withBodyErrors(entryPath(index), () => readEntry(cut, index, keeps)),
    );
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

/** An entry that is too long to be read. */
const unread = (index: number, most: number): BundleEntry => ({
  value: {},
  named: undefined,
  index,
  contents: [],
  resource: () => undefined,
  failure: tooLong('The entry', most, `${entryPath(index)}.resource`),
});

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
export const inOrder = <Entry extends BundleEntry>(entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((a, b) => rankOf(a) - rankOf(b));

const ranks = ['DELETE', 'POST', 'PUT', 'PATCH', 'GET', 'HEAD'];

const rankOf = (entry: BundleEntry): number => ranks.indexOf(methodOf(entry));

/** The method of the request of an entry. */
export function methodOf({ value: { request } }: BundleEntry): string {
  return isObject(request) ? String(request['method']) : '';
}
