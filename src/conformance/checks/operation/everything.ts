import { isDeepStrictEqual } from 'node:util';
import { asObject, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { sampleOf } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { DeclaredType } from '../../statement.ts';
import { linkOf } from '../answer.ts';
import { versionOf } from '../../version-of.ts';
import { call } from './call.ts';

/** Pages that are read. */
const mostPages = 3;

/**
 * `$everything` of a record: a searchset that has the record itself, as a read shows it. Which others are returned is
 * the choice of the server ("should"). https://hl7.org/fhir/R4/patient-operation-everything.html
 */
export async function checkEverything(context: Context, { name }: DeclaredType): Promise<void> {
  const [known] = sampleOf(context, name);
  if (known === undefined) return;
  const { client, findings } = context;
  const own = `${name}/${known.id}`;
  const subject = `${own}/$everything`;
  const first = await call(context, 'operation.everything', subject);
  if (first === undefined) return;
  const isBundle = first.json?.['resourceType'] === 'Bundle' && first.json['type'] === 'searchset';
  const came = `${String(first.json?.['resourceType'])} of type ${String(first.json?.['type'])}`;
  if (!findings.decide(isBundle, 'operation.everything', subject, came, 'A Bundle of type searchset', first)) return;
  const resources: JsonObject[] = [];
  let page: typeof first | undefined = first;
  let isWhole = false;
  for (let count = 1; page !== undefined; count += 1) {
    resources.push(...objectsOf(page.json?.['entry']).map(({ resource }) => asObject(resource)));
    const next = linkOf(page, 'next');
    isWhole = next === undefined;
    page =
      next === undefined || count === mostPages ? undefined : await client.get(new URL(next, `${client.base}/`).href);
  }
  const shown = resources.find(({ resourceType, id }) => resourceType === name && id === known.id);
  if (shown === undefined && !isWhole) {
    findings.open('operation.everything', own, `${mostPages} pages were read, of more`);
    return;
  }
  const isOlder = versionOf(shown) !== versionOf(known.resource); // it was changed meanwhile
  const isRight = shown !== undefined && (isOlder || isDeepStrictEqual(shown, known.resource));
  const text = shown === undefined ? `None of ${resources.length} records is ${own}` : `${own} with other content`;
  findings.decide(isRight, 'operation.everything', own, text, 'The record itself among the entries', first);
}
