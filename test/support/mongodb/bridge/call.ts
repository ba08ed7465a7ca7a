import { BSON, type Document, type Long } from 'mongodb';
import { type Element, fieldsOf, parseExact, type Request, withElements } from './messages.ts';
import { writes } from './targets.ts';

/** What the engine, being a single server, does not take. */
const ofReplicaSet: ReadonlySet<string> = new Set([
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  '$clusterTime',
  'readConcern',
  'writeConcern',
]);

/** A client's request, with the fields that decide what becomes of it. */
export interface Call {
  readonly request: Request;
  readonly name: string;
  readonly database: string;
  readonly session: string;
  readonly number: Long | undefined;
  readonly inTransaction: boolean;
  readonly starts: boolean;
}

export function callOf(request: Request): Call {
  const { elements } = request;
  const [first] = elements ?? [];
  const field = (name: string): unknown => {
    const element = elements?.find(one => one.name === name);
    return element === undefined ? undefined : valueOf(element);
  };
  const lsid = field('lsid') as Document | undefined;
  return {
    request,
    name: first?.name ?? 'hello',
    database: String(field('$db')),
    session: lsid === undefined ? '' : sessionKey(lsid),
    number: field('txnNumber') as Long | undefined,
    inTransaction: field('autocommit') === false,
    starts: field('startTransaction') === true,
  };
}

/** One text for each session. */
export const sessionKey = (lsid: Document): string =>
  Buffer.from(BSON.serialize({ id: lsid['id'] })).toString('base64');

function valueOf({ name, bytes }: Element): unknown {
  const document = Buffer.concat([Buffer.alloc(4), bytes, Buffer.alloc(1)]);
  document.writeInt32LE(document.length, 0);
  return parseExact(document)[name];
}

/**
 * The message without what a single server refuses. A majority, which is the default of a replica set, acknowledges
 * what is in its journals.
 * https://www.mongodb.com/docs/manual/reference/write-concern/#implicit-default-write-concern
 */
export function forEngine(call: Call): Buffer {
  const { request, name } = call;
  const { elements } = request;
  if (elements === undefined) return request.whole;
  const kept = elements.filter(one => !ofReplicaSet.has(one.name)).map(({ bytes }) => bytes);
  if (call.inTransaction) return withElements(request, kept);
  const concern = elements.find(one => one.name === 'writeConcern');
  const asked = concern === undefined ? undefined : (valueOf(concern) as Document);
  if (asked !== undefined && asked['w'] !== 'majority' && asked['w'] !== undefined)
    return withElements(request, [...kept, ...(concern === undefined ? [] : [concern.bytes])]);
  return withElements(request, writes.has(name) ? [...kept, journaled] : kept);
}

const journaled = fieldsOf({ writeConcern: { w: 1, j: true } });
