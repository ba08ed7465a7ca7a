import type { Access } from '../../auth/access.ts';
import { isVersionWithin, restriction } from '../../auth/restrict.ts';
import type { Letter } from '../../auth/scope.ts';
import { fhirError } from '../../fhir/error.ts';
import type { Extract } from '../../indexing/extract.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Position } from '../../search/ast.ts';
import { mostPageText } from '../../store/port/pages.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import type { HistoryScope, VersionKey } from '../../store/port/transfer.ts';
import { Turns } from '../../limits/turns.ts';
import { findPage } from '../search/find.ts';
import { anyOrder } from '../search/joined.ts';
import type { HistoryRequest } from './request.ts';

/** Up to this many visible records are named to the store; of more, all versions of the type are read. */
const mostNamed = 2_000;

/** Versions that are read for one page at most. */
const mostRead = 20_000;

/** The versions that are requested, and who requests them. */
export interface Wanted {
  readonly partition: Partition;
  readonly extract: Extract;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  readonly access: Access;
  readonly letter: Letter;
  readonly types: readonly ResourceType[];
  /** Only the versions of this record, of the one type. */
  readonly id?: string | undefined;
}

export interface VersionPage {
  readonly versions: readonly StoredVersion[];
  /** Position of the last version, if there are more. */
  readonly next: Position | undefined;
}

/**
 * A page of versions that the caller may see: those of records that the caller may see now. The records are found by a
 * search if they are few; otherwise all versions of the type are read, so that the page is soon full. Throws FhirError
 * 403 `too-costly`.
 */
export async function findVersions(wanted: Wanted, request: HistoryRequest): Promise<VersionPage> {
  const { order, count, from, to, after } = request;
  const of = await Promise.all(wanted.types.map(type => recordsOf(wanted, type)));
  const scope = { order, of, from, to, after: after === undefined ? undefined : keyAt(after), slice: count + 1 };
  const isShown = createIsShown(wanted, request);
  const versions: StoredVersion[] = [];
  let [read, characters] = [0, 0];
  const turns = new Turns();
  for await (const { attachments: _, ...version } of wanted.partition.export(scope)) {
    if ((read += 1) > mostRead) throw tooCostly();
    await turns.next();
    if (!(await isShown(version))) continue;
    const last = versions.at(-1);
    characters += version.text?.length ?? 0;
    const isFull = versions.length === count || characters > mostPageText;
    if (isFull && last !== undefined) return { versions, next: positionAt(last) };
    versions.push(version);
  }
  return { versions, next: undefined };
}

async function recordsOf(wanted: Wanted, type: ResourceType): Promise<HistoryScope['of'][number]> {
  const { access, letter, id } = wanted;
  if (id !== undefined) return { type: type.name, ids: [id] };
  const query = restriction(access, type, letter);
  if (query.kind === 'all') return { type: type.name };
  const search = { type, query, sort: anyOrder, limit: mostNamed, after: undefined };
  const { versions, next } = await findPage(search, wanted);
  return next === undefined ? { type: type.name, ids: versions.map(one => one.id) } : { type: type.name };
}

type IsShown = (version: StoredVersion) => Promise<boolean>;

function createIsShown(
  { partition, extract, access, letter, types }: Wanted,
  { currentAt }: Pick<HistoryRequest, 'currentAt'>,
): IsShown {
  const current = new Map<string, Promise<StoredVersion | undefined>>();
  const currentOf = (type: string, id: string): Promise<StoredVersion | undefined> => {
    const key = `${type}/${id}`;
    const known = current.get(key) ?? partition.read(type, id);
    current.set(key, known);
    return known;
  };
  const isCurrentAt: IsShown = async ({ type, id, version, lastUpdated, text }) => {
    if (currentAt === undefined || lastUpdated > currentAt) return true;
    if (text === undefined) return false;
    const next = await partition.read(type, id, version + 1);
    return next === undefined || next.lastUpdated > currentAt;
  };
  return async version => {
    const type = types.find(({ name }) => name === version.type);
    if (type === undefined) return false;
    const rule = restriction(access, type, letter);
    const now = rule.kind === 'all' ? undefined : await currentOf(version.type, version.id);
    return isVersionWithin(rule, type, { version, current: now }, extract, partition) && isCurrentAt(version);
  };
}

/** The place of a version in a page token. */
const positionAt = ({ lastUpdated, type, id, version }: VersionKey): Position => ({
  keys: [lastUpdated, type, version],
  id,
});

function keyAt({ keys: [lastUpdated, type, version], id }: Position): VersionKey {
  return { lastUpdated: Number(lastUpdated), type: String(type), id, version: Number(version) };
}

const tooCostly = () =>
  fhirError(
    403,
    'too-costly',
    'Too many versions must be read to find those that were requested. Narrow the request by `_since`, or read the ' +
      'history of one type or record.',
  );
