import { randomUUID } from 'node:crypto';
import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TestContext } from '../context.ts';
import type { DeclaredType } from '../statement.ts';
import { draftOf, idIn } from './created.ts';
import type { Created, Draft } from './created.ts';

/** A create and a read that fails: each has its own status. https://hl7.org/fhir/R4/http.html#transaction */
export async function checkBatch(context: TestContext, { name }: DeclaredType, created: Created): Promise<void> {
  const { client, findings, statement } = context;
  const draft = draftOf(context, name);
  if (!statement.interactions.has('batch') || draft === undefined) return;
  const unknown = { request: { method: 'GET', url: `${name}/qzxj-no-such-id` } };
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: [entryOf(draft), unknown] });
  const exchange = await client.send('POST', client.base, { body });
  const statuses = answersIn(exchange.json).map(({ status }) => status.slice(0, 3));
  noteAll(exchange.json, [draft], created);
  const isRight = exchange.status === 200 && exchange.json?.['type'] === 'batch-response' && statuses[0] === '201';
  const isAlone = statuses.length === 2 && statuses[1]?.startsWith('4') === true;
  const came = `Status ${exchange.status}, entries with ${statuses.join(' and ')}`;
  findings.decide(isRight && isAlone, 'write.batch', name, came, 'A batch-response with 201 and 404', exchange);
}

/**
 * A record that refers to another by its `fullUrl`, and a transaction that must fail as a whole.
 * https://hl7.org/fhir/R4/http.html#trules
 */
export async function checkTransaction(
  context: TestContext,
  types: readonly DeclaredType[],
  created: Created,
): Promise<void> {
  if (!context.statement.interactions.has('transaction')) return;
  await checkReferences(context, types, created);
  await checkAtomic(context, types, created);
}

async function checkReferences(context: TestContext, types: readonly DeclaredType[], created: Created): Promise<void> {
  const { client, findings } = context;
  const pair = referringPair(context, types);
  if (pair === undefined) return;
  const { target, source, property } = pair;
  const fullUrl = `urn:uuid:${randomUUID()}`;
  const held = source.resource[property];
  const reference = { reference: fullUrl };
  const referring = {
    ...source,
    resource: { ...source.resource, [property]: Array.isArray(held) ? [reference] : reference },
  };
  const entry = [
    { fullUrl, ...entryOf(target) },
    { fullUrl: `urn:uuid:${randomUUID()}`, ...entryOf(referring) },
  ];
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
  const exchange = await client.send('POST', client.base, { body });
  const [made, referred] = noteAll(exchange.json, [target, referring], created);
  const read = referred === undefined ? undefined : await client.get(referred);
  const value: unknown = read?.json?.[property];
  const shown = asString(asObject(Array.isArray(value) ? (value as unknown[])[0] : value)['reference']) ?? 'none';
  const isRight = exchange.status === 200 && made !== undefined && (shown === made || shown.endsWith(`/${made}`));
  const came = `Status ${exchange.status}; the reference is then ${shown}`;
  const expected = `A transaction-response; the reference is then ${made ?? 'that of the first record'}`;
  findings.decide(isRight, 'write.transaction', 'references', came, expected, exchange);
}

/** A type with an element that refers to another type, and the property of it. */
function referringPair(
  context: TestContext,
  types: readonly DeclaredType[],
): { readonly target: Draft; readonly source: Draft; readonly property: string } | undefined {
  for (const { name } of types) {
    const source = draftOf(context, name);
    const elements = [...(context.model.definitions.get(name)?.elements.values() ?? [])];
    for (const { types: choices, max } of elements) {
      const type = choices.find(({ code }) => code === 'Reference');
      const other = types.find(
        one => type !== undefined && (type.targets.length === 0 || type.targets.includes(one.name)),
      );
      const target = other && draftOf(context, other.name);
      if (source === undefined || target === undefined || type === undefined) continue;
      const { property } = type;
      return {
        target,
        property,
        source: { ...source, resource: { ...source.resource, [property]: max > 1 ? [] : {} } },
      };
    }
  }
  return undefined;
}

/** One entry is right, the other an update of a version that does not exist: neither may be done. */
async function checkAtomic(context: TestContext, types: readonly DeclaredType[], created: Created): Promise<void> {
  const { client, findings } = context;
  const drafts = types.flatMap(({ name, interactions }) =>
    interactions.has('update') ? (draftOf(context, name) ?? []) : [],
  );
  const draft = drafts.find(({ criterion }) => criterion !== undefined);
  if (draft === undefined) return;
  const id = `qzxj-${randomUUID().slice(0, 8)}`;
  const wrong = {
    resource: { ...draft.resource, id },
    request: { method: 'PUT', url: `${draft.type}/${id}`, ifMatch: 'W/"qzxj-no-such-version"' },
  };
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: [entryOf(draft), wrong] });
  const exchange = await client.send('POST', client.base, { body });
  noteAll(exchange.json, [draft], created);
  const found = await client.get(`${draft.type}?${draft.criterion ?? ''}`);
  const left = objectsOf(found.json?.['entry']).flatMap(({ resource }) => asString(asObject(resource)['id']) ?? []);
  for (const one of left) created.noteName(`${draft.type}/${one}`);
  const isRight = exchange.status >= 400 && exchange.status < 500 && left.length === 0;
  const came = `Status ${exchange.status}; then ${left.length} of its records are found`;
  findings.decide(isRight, 'write.transaction', 'all or nothing', came, 'An error, and no record', exchange);
}

const entryOf = ({ type, resource }: Draft) => ({ resource, request: { method: 'POST', url: type } });

interface EntryAnswer {
  readonly status: string;
  readonly location: string;
}

const answersIn = (bundle: JsonObject | undefined): readonly EntryAnswer[] =>
  objectsOf(bundle?.['entry']).map(entry => {
    const { status, location } = asObject(entry['response']);
    return { status: asString(status) ?? '', location: asString(location) ?? '' };
  });

/** The records that the first entries have made. */
function noteAll(
  bundle: JsonObject | undefined,
  drafts: readonly Draft[],
  created: Created,
): readonly (string | undefined)[] {
  return drafts.map(({ type }, at) => {
    const id = idIn(answersIn(bundle)[at]?.location ?? '', type);
    return id === undefined ? undefined : created.noteName(`${type}/${id}`);
  });
}
