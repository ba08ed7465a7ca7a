import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TestContext } from '../context.ts';
import type { DeclaredType } from '../statement.ts';
import { checkBatch, checkTransaction } from './bundles.ts';
import { checkConditionalDelete, checkConditionalWrites } from './conditional.ts';
import { Created, draftOf, idIn, isSearchable, versionOf } from './created.ts';
import type { Draft } from './created.ts';
import { checkPatches } from './patch.ts';

/**
 * Creates, changes and deletes records of its own, of each type that declares create, read and delete. What it has made
 * is removed, also after an error. https://hl7.org/fhir/R4/http.html
 */
export async function checkWrites(context: TestContext): Promise<void> {
  const types = context.types.filter(({ interactions }) =>
    ['create', 'read', 'delete'].every(code => interactions.has(code)),
  );
  const created = new Created(context);
  try {
    const accepted: DeclaredType[] = [];
    for (const type of types)
      if (!context.signal.aborted && (await checkType(context, type, created))) accepted.push(type);
    const [first] = accepted;
    if (first !== undefined && !context.signal.aborted) {
      await checkBatch(context, first, created);
      await checkTransaction(context, accepted, created);
    }
  } finally {
    await created.removeAll();
  }
}

/** Returns whether the server accepts the smallest resource of the type. */
async function checkType(context: TestContext, type: DeclaredType, created: Created): Promise<boolean> {
  const draft = draftOf(context, type.name);
  const name = draft === undefined ? undefined : await checkCreate(context, draft, created);
  if (draft === undefined || name === undefined) return false;
  const first = await context.client.get(name);
  if (type.interactions.has('update')) await checkUpdate(context, type, name, first.json ?? {});
  await checkPatches(context, type, name);
  const isFound = draft.criterion !== undefined && (await isSearchable(context, draft, name.split('/')[1] ?? ''));
  if (isFound) await checkConditionalWrites(context, type, { draft, name, created });
  await checkDelete(context, draft, name, created);
  await checkConditionalDelete(context, type, created);
  return true;
}

/** Returns `Type/id`; undefined if the server does not accept the smallest resource. */
async function checkCreate(context: TestContext, draft: Draft, created: Created): Promise<string | undefined> {
  const { client, findings } = context;
  const { type, resource } = draft;
  const exchange = await client.send('POST', type, { body: JSON.stringify(resource) });
  const { status } = exchange;
  if (status >= 400 && status < 500) {
    findings.open('write.create', type, `Status ${status}: the server requires more than R4 of a ${type}`);
    return undefined;
  }
  const name = created.note(exchange, type);
  const location = exchange.headers.get('Location') ?? '';
  const isRight = status === 201 && idIn(location, type) !== undefined;
  const came = `Status ${status}, Location: ${location}`;
  const expected = `Status 201 with Location: [base]/${type}/[id]/_history/[version]`;
  if (!findings.decide(isRight, 'write.create', type, came, expected, exchange) || name === undefined) return name;
  const read = await client.get(name);
  const { language, meta } = read.json ?? {};
  const hasTag = JSON.stringify(meta ?? {}).includes(tagOf(resource));
  const shown = `Status ${read.status}, language ${JSON.stringify(language)}${hasTag ? '' : ', without its tag'}`;
  const isSame = read.status === 200 && language === 'en' && hasTag;
  findings.decide(isSame, 'write.create', name, shown, 'Status 200 with the content that was sent', read);
  return name;
}

const tagOf = ({ meta }: JsonObject): string => asString(objectsOf(asObject(meta)['tag'])[0]?.['code']) ?? '';

async function checkUpdate(
  context: TestContext,
  { interactions, versioning }: DeclaredType,
  name: string,
  before: JsonObject,
): Promise<void> {
  const { client, findings } = context;
  const version = versionOf(before);
  const match = version === undefined ? {} : { 'If-Match': `W/"${version}"` };
  const body = JSON.stringify({ ...before, language: 'fr' });
  const exchange = await client.send('PUT', name, { body, headers: match });
  const after = await client.get(name);
  const { language } = after.json ?? {};
  const isVersioned = versioning !== 'no-version' && version !== undefined;
  const isNew = !isVersioned || versionOf(after.json) !== version;
  const isRight = (exchange.status === 200 || exchange.status === 201) && language === 'fr' && isNew;
  const shown = `language ${JSON.stringify(language)}${isNew ? '' : ', the same version'}`;
  const came = `Status ${exchange.status}; then ${shown}`;
  findings.decide(isRight, 'write.update', name, came, 'Status 200, the new content, and a new versionId', exchange);
  if (!isVersioned || !isRight) return;
  const stale = await client.send('PUT', name, { body, headers: match });
  const isRefused = stale.status === 412 || stale.status === 409;
  findings.decide(isRefused, 'write.if-match', name, `Status ${stale.status}`, 'Status 412', stale);
  if (interactions.has('vread')) {
    const old = await client.get(`${name}/_history/${version}`);
    const isOld = old.status === 200 && old.json?.['language'] === 'en';
    const found = `Status ${old.status}, language ${JSON.stringify(old.json?.['language'])}`;
    findings.decide(isOld, 'write.vread', name, found, 'Status 200 with language "en"', old);
  }
  if (interactions.has('history-instance')) await checkHistory(context, name, [versionOf(after.json), version]);
}

/** https://hl7.org/fhir/R4/http.html#history */
async function checkHistory(
  { client, findings }: TestContext,
  name: string,
  versions: readonly (string | undefined)[],
): Promise<void> {
  const exchange = await client.get(`${name}/_history`);
  const shown = objectsOf(exchange.json?.['entry']).map(({ resource }) => versionOf(asObject(resource)));
  const isRight =
    exchange.status === 200 &&
    exchange.json?.['type'] === 'history' &&
    JSON.stringify(shown.slice(0, 2)) === JSON.stringify(versions);
  const came = `Status ${exchange.status}, versions ${shown.join(', ')}`;
  findings.decide(isRight, 'write.history', name, came, `A history with ${versions.join(', ')}`, exchange);
}

/** https://hl7.org/fhir/R4/http.html#delete */
async function checkDelete(context: TestContext, draft: Draft, name: string, created: Created): Promise<void> {
  const { client, findings } = context;
  const exchange = await client.send('DELETE', name);
  const { status } = await client.get(name);
  const isRight = [200, 202, 204].includes(exchange.status) && (status === 404 || status === 410);
  const came = `Status ${exchange.status}; a read is then ${status}`;
  findings.decide(isRight, 'write.delete', name, came, 'Status 200 or 204; a read is then 410 or 404', exchange);
  if (!isRight) return;
  created.forget(name);
  if (draft.criterion === undefined) return;
  const found = await client.get(`${draft.type}?${draft.criterion}`);
  const entries = objectsOf(found.json?.['entry']).filter(one => asObject(one['search'])['mode'] !== 'outcome');
  const subject = `${name} in searches`;
  const left = `A search still finds ${entries.length}`;
  findings.decide(entries.length === 0, 'write.delete', subject, left, 'No search finds it', found);
}
