import { asString } from '../../fhir/json-object.ts';
import type { TestContext } from '../context.ts';
import type { DeclaredType } from '../statement.ts';
import { draftOf, isSearchable } from './created.ts';
import type { Created, Draft } from './created.ts';

/** A record that a search finds by the criterion of its draft. */
interface Present {
  readonly draft: Draft;
  readonly name: string;
  readonly created: Created;
}

/** Conditional create and update, where they are declared. https://hl7.org/fhir/R4/http.html#ccreate */
export async function checkConditionalWrites(
  context: TestContext,
  type: DeclaredType,
  present: Present,
): Promise<void> {
  const { client, findings } = context;
  const { draft, name, created } = present;
  const body = JSON.stringify(draft.resource);
  if (type.conditionalCreate) {
    const headers = { 'If-None-Exist': draft.criterion ?? '' };
    const exchange = await client.send('POST', type.name, { body, headers });
    const made = exchange.status === 201 ? created.note(exchange, type.name) : undefined;
    const came = `Status ${exchange.status}${made === undefined ? '' : `, which made ${made}`}`;
    const isRight = exchange.status === 200;
    findings.decide(isRight, 'write.conditional-create', name, came, 'Status 200: there is one match', exchange);
  }
  if (type.conditionalUpdate && type.interactions.has('update')) {
    const changed = JSON.stringify({ ...draft.resource, language: 'de' });
    const exchange = await client.send('PUT', `${type.name}?${draft.criterion ?? ''}`, { body: changed });
    const made = created.note(exchange, type.name);
    const after = await client.get(name);
    const language = asString(after.json?.['language']);
    const isRight = exchange.status === 200 && language === 'de' && (made === undefined || made === name);
    const came = `Status ${exchange.status}; then language ${String(language)}`;
    findings.decide(isRight, 'write.conditional-update', name, came, `Status 200, and ${name} is changed`, exchange);
  }
}

/** https://hl7.org/fhir/R4/http.html#3.1.0.7.1 */
export async function checkConditionalDelete(
  context: TestContext,
  type: DeclaredType,
  created: Created,
): Promise<void> {
  const draft = draftOf(context, type.name);
  if (type.conditionalDelete === 'not-supported' || draft?.criterion === undefined) return;
  const { client, findings } = context;
  const made = await client.send('POST', type.name, { body: JSON.stringify(draft.resource) });
  const name = created.note(made, type.name);
  // A criterion that did not find this record alone could delete others.
  if (name === undefined || !(await isSearchable(context, draft, name.split('/')[1] ?? ''))) return;
  const exchange = await client.send('DELETE', `${type.name}?${draft.criterion}`);
  const { status } = await client.get(name);
  const isRight = [200, 202, 204].includes(exchange.status) && (status === 404 || status === 410);
  const came = `Status ${exchange.status}; a read is then ${status}`;
  const expected = 'Status 200 or 204; a read is then 410 or 404';
  if (findings.decide(isRight, 'write.conditional-delete', name, came, expected, exchange)) created.forget(name);
}
