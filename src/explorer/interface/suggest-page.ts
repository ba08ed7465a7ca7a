import { FhirError } from '../../fhir/error.ts';
import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import { viewOf } from '../record/open-view.ts';
import { marksOf, recordTitle } from '../record/title.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';

/** Most suggestions of a type, and most types that are searched. */
const most = 6;
const mostTypes = 3;

/**
 * Options for a field that holds a reference: records of the types (`types`) that the typed text (`text`) finds among
 * those that the visitor may see. A type without a text to search by is left out.
 */
export async function suggestPage(visit: Visit): Promise<Reply> {
  const { options, engine } = visit;
  const text = (options.get('text') ?? '').trim().slice(0, 100);
  const types = (options.get('types') ?? '').split(' ').flatMap(name => engine.model.types.get(name) ?? []);
  const searched = types.flatMap(type => {
    const code = nameParameter(type);
    return code === undefined || text === '' ? [] : [{ type, code }];
  });
  const found = await Promise.all(searched.slice(0, mostTypes).map(({ type, code }) => find(visit, type, code, text)));
  const view = viewOf(visit, []);
  return {
    kind: 'fragment',
    body: html`${found.flat().map(record => {
      const target = `${asString(record['resourceType']) ?? ''}/${asString(record['id']) ?? ''}`;
      const text = [recordTitle(record, view) ?? target, ...marksOf(record, view)].join(' – ');
      return html`<option value="${target}">${text}</option>`;
    })}`,
  };
}

/** The parameter that finds a record by what people call it: of a whole name, or else the first of texts. */
function nameParameter({ parameters, interactions }: ResourceType): string | undefined {
  if (!interactions.has('search-type')) return undefined;
  const texts = [...parameters.values()].filter(({ type, reads }) => type === 'string' && reads === undefined);
  return (texts.find(({ dataTypes }) => dataTypes.has('HumanName')) ?? texts[0])?.code;
}

async function find(
  { ask }: Visit,
  { name }: ResourceType,
  code: string,
  text: string,
): Promise<readonly JsonObject[]> {
  const query = new URLSearchParams({ [code]: text, _count: String(most) }).toString();
  try {
    const { json } = await ask(`${name}?${query}`);
    return objectsOf(json['entry']).flatMap(({ resource }) => (isObject(resource) ? [resource] : []));
  } catch (error) {
    if (error instanceof FhirError && error.status === 403) return []; // no scope for this type
    throw error;
  }
}
