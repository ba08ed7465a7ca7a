import { BSON, type CollationOptions, type Db, type Document } from 'mongodb';

/** The document that a write changes, in a collection of its database. */
export interface Target {
  readonly collection: string;
  readonly id: unknown;
}

/** A document as it is or was: null where there is none. */
export interface Image extends Target {
  readonly document: Document | null;
}

/** Documents by `keyOf`. */
export type Images = Map<string, Image>;

/** The commands whose target is known before they run. */
export const writes: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);

/** One text for each document of a database. */
export const keyOf = ({ collection, id }: Target): string =>
  `${collection} ${Buffer.from(BSON.serialize({ id })).toString('base64')}`;

/**
 * The documents that a write would change now. A statement that names one plain `_id` is taken to change it. Statements
 * of one command are looked at beside each other: none sees what those before it would do.
 */
export async function targetsOf(database: Db, name: string, command: Document): Promise<readonly Target[]> {
  const collection = String(command[name]);
  const ids: unknown[] = [];
  if (name === 'insert') for (const { _id } of list(command['documents'])) ids.push(_id);
  if (name === 'update')
    for (const { q, multi, collation } of list(command['updates']))
      ids.push(...(await matching(database, collection, { filter: q, many: multi === true, collation })));
  if (name === 'delete')
    for (const { q, limit, collation } of list(command['deletes']))
      ids.push(...(await matching(database, collection, { filter: q, many: Number(limit) === 0, collation })));
  if (name === 'findAndModify')
    ids.push(...(await matching(database, collection, { filter: command['query'] ?? {}, sort: command['sort'] })));
  return ids.map(id => ({ collection, id }));
}

/** The documents that an upsert has added, which only its reply names. */
export function upserted(name: string, command: Document, reply: Document): readonly Target[] {
  const collection = String(command[name]);
  const added: unknown = name === 'findAndModify' ? reply['lastErrorObject']?.['upserted'] : undefined;
  const ids = list(reply['upserted']).map(({ _id }) => _id as unknown);
  return [...ids, ...(added === undefined ? [] : [added])].map(id => ({ collection, id }));
}

/** The collections that a command reads or writes, with those of the stages of an aggregation. */
export function collectionsOf(name: string, command: Document): ReadonlySet<string> {
  const names = new Set([String(name === 'getMore' ? command['collection'] : command[name])]);
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === 'string' && ['from', 'coll', '$unionWith', '$out', '$merge', 'into'].includes(key))
          names.add(inner);
        walk(inner);
      }
  };
  walk(command['pipeline']);
  return names;
}

/** Reads documents as they are now. */
export async function imagesOf(database: Db, targets: readonly Target[]): Promise<Images> {
  const images: Images = new Map(targets.map(target => [keyOf(target), { ...target, document: null }]));
  for (const [collection, some] of Map.groupBy(images.values(), target => target.collection)) {
    const found = database.collection(collection).find({ _id: { $in: some.map(({ id }) => id) } } as Document);
    for await (const document of found) {
      const image = { collection, id: document._id, document };
      images.set(keyOf(image), image);
    }
  }
  return images;
}

/** Makes documents what these images say; removals come first, since the added may take their unique values. */
export async function putImages(database: Db, images: Iterable<Image>): Promise<void> {
  for (const [collection, some] of Map.groupBy(images, image => image.collection)) {
    const removed = some.filter(({ document }) => document === null).map(({ id }) => id);
    const present = some.filter(({ document }) => document !== null);
    const into = database.collection(collection);
    if (removed.length > 0) await into.deleteMany({ _id: { $in: removed } } as Document);
    if (present.length === 0) continue;
    await into.bulkWrite(
      present.map(({ id, document }) => {
        const filter: Document = { _id: id };
        return { replaceOne: { filter, replacement: document ?? {}, upsert: true } };
      }),
    );
  }
}

interface Matching {
  readonly filter: Document;
  readonly many?: boolean;
  readonly sort?: Document;
  readonly collation?: CollationOptions;
}

async function matching(database: Db, collection: string, asked: Matching): Promise<readonly unknown[]> {
  const { filter, many = false, sort, collation } = asked;
  const id: unknown = filter['_id'];
  if (id !== undefined && !many && !hasOperators(id)) return [id];
  const options = { projection: { _id: 1 }, ...(sort && { sort }), ...(collation && { collation }) };
  const found = database.collection(collection).find(filter, options);
  const ids = await (many ? found : found.limit(1)).toArray();
  return ids.map(({ _id }) => _id);
}

const hasOperators = (value: unknown): boolean =>
  value instanceof BSON.BSONRegExp ||
  (typeof value === 'object' && value !== null && Object.keys(value).some(key => key.startsWith('$')));

const list = (value: unknown): readonly Document[] => (Array.isArray(value) ? (value as readonly Document[]) : []);
