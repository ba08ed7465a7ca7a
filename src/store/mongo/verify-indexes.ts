import type { ResourceType } from '../../model/model.ts';
import { ownersDiffer, printOwners } from '../keys/owners.ts';
import { createdOrder } from '../port/indexes.ts';
import type { StoreFinding } from '../port/transfer.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import type { Checked } from '../upkeep/indexes.ts';
import { ofPartition } from './attachment-bucket.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { createdTimes } from './created.ts';
import { noFields } from './entries.ts';
import type { IndexFields } from './layout.ts';
import { createdField, nameOf, orderField, updatedField } from './names.ts';
import { pagesOf } from './pages.ts';
import { readyCodes } from './parameters.ts';
import { fieldsOf, keptFields, readable, type Readable, zoned } from './rewrite-fields.ts';

/**
 * Compares the index fields of documents with those of their texts. Pending indexes are skipped. One finding per
 * resource and parameter that differ, and one for a text that is not JSON. A database index cannot differ from its
 * documents.
 */
export async function* verifyType(core: Core, partition: PartitionInfo, type: ResourceType): AsyncIterable<Checked> {
  const { p } = partition;
  const options = { within: ofPartition(p), project: { ...readable, text: 1 } };
  // Read before the documents: an index that is completed meanwhile may still lack entries in them.
  let codes = codesByName(type, await readyCodes(core, partition, type));
  for await (const page of pagesOf<Readable>(resources(core, type.name), { p }, options)) {
    const current = page.filter(({ text }) => text !== undefined);
    const created = await createdTimes(core, p, type, current);
    const findings = page.flatMap(document =>
      differencesOf(core, partition, type, codes, document, created.get(document._id)),
    );
    yield { checked: current.length, findings };
    codes = codesByName(type, await readyCodes(core, partition, type));
  }
}

/** The codes of complete indexes, by their names in terms and fields. */
function codesByName(type: ResourceType, ready: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map([
    ['*', '_id'],
    [updatedField, '_lastUpdated'],
  ]);
  for (const code of ready) {
    if (code === createdOrder) names.set(createdField, code);
    const pair = type.pairs.find(one => one.code === code);
    const name = pair === undefined ? nameOf(code) : `${nameOf(pair.owner.code)}+${nameOf(pair.token.code)}`;
    // With wide intervals, and with the lowest value.
    for (const one of [name, `${name}~`, ...(pair === undefined ? [orderField(code, true)] : [])]) names.set(one, code);
  }
  return names;
}

function differencesOf(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
  codes: ReadonlyMap<string, string>,
  document: Readable,
  created: number | undefined,
): readonly StoreFinding[] {
  const name = { partition: partition.id, what: `${type.name}/${document._id.slice(partition.p.length + 1)}` };
  const kept = byCode(keptFields(document), codes);
  const { text } = document;
  const { extract } = core.options;
  const entries = text === undefined ? [] : entriesOfStored({ extract }, type, text, zoned(partition));
  if (entries === undefined) return [{ is: 'text', ...name, why: 'its text is not JSON' }];
  // A tombstone has none.
  const fields = text === undefined ? noFields : fieldsOf(core, partition, type, document, created, entries);
  const expected = byCode(fields, codes);
  const finding = (why: string): StoreFinding => ({ is: 'index', ...name, why });
  const isOther = ownersDiffer(type, document.owners, text === undefined ? undefined : printOwners(type, entries));
  const differing = [...new Set([...expected.keys(), ...kept.keys()])].flatMap(code => {
    const [wanted, there] = [expected.get(code) ?? none, kept.get(code) ?? none];
    return [
      ...([...wanted].every(entry => there.has(entry)) ? [] : [finding(`\`${code}\` lacks an entry`)]),
      ...([...there].every(entry => wanted.has(entry)) ? [] : [finding(`\`${code}\` has an entry too many`)]),
    ];
  });
  return isOther ? [finding('the owners differ'), ...differing] : differing;
}

const none: ReadonlySet<string> = new Set();

/** The content of fields, as texts by the code of a parameter. */
function byCode(
  { t, s, w = [], d, n, c, o }: IndexFields,
  codes: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (name: string, entry: unknown): void => {
    const code = codes.get(name);
    if (code === undefined) return;
    const entries = found.get(code) ?? new Set();
    found.set(code, entries.add(JSON.stringify(entry)));
  };
  const nameIn = (term: string): string => term.split('|')[1] ?? '';
  for (const term of t) add(nameIn(term), ['t', term]);
  for (const term of s) add(nameIn(term), ['s', term]);
  for (const words of w) add(nameIn(words), ['w', words]);
  for (const { k, lo, hi } of d) add(nameIn(k), ['d', k, lo, hi]);
  for (const { k, lo, hi } of n) add(nameIn(k), ['n', k, lo, hi]);
  for (const tuple of c) add(nameIn(tuple.k), ['c', tuple]);
  for (const [field, key] of Object.entries(o)) add(field, ['o', field, key]);
  return found;
}
