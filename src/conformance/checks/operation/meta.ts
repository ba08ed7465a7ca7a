import { asObject, asString, objectsOf, stringsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { sampleOf } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { DeclaredType } from '../../statement.ts';
import { call } from './call.ts';

/**
 * `$meta` of a record: the profiles, security labels and tags that a read shows, and no others; of a record with labels
 * if the sample has one. https://hl7.org/fhir/R4/resource-operation-meta.html
 */
export async function checkMeta(context: Context, { name }: DeclaredType): Promise<void> {
  const sample = sampleOf(context, name);
  const known = sample.find(({ resource }) => labelsOf(asObject(resource['meta'])).length > 0) ?? sample[0];
  if (known === undefined) return;
  const { client, findings } = context;
  const subject = `${name}/${known.id}/$meta`;
  const exchange = await call(context, 'operation.meta', subject);
  if (exchange === undefined) return;
  const { resourceType, parameter } = exchange.json ?? {};
  const [answer] = objectsOf(parameter).filter(one => one['name'] === 'return');
  const isRight = resourceType === 'Parameters' && answer?.['valueMeta'] !== undefined;
  const came = `${String(resourceType)} ${answer === undefined ? 'without `return`' : 'without `valueMeta`'}`;
  if (!findings.decide(isRight, 'operation.meta', subject, came, 'Parameters with `return` as Meta', exchange)) return;
  const read = await client.get(`${name}/${known.id}`); // its present labels
  if (read.status !== 200) return;
  const wanted = labelsOf(asObject(read.json?.['meta'])).join(', ');
  const shown = labelsOf(asObject(answer?.['valueMeta'])).join(', ');
  findings.decide(shown === wanted, 'operation.meta', `labels of ${subject}`, shown, wanted, exchange);
}

/** Each label once, in one order. */
function labelsOf({ profile, security, tag }: JsonObject): readonly string[] {
  const codings = [security, tag].map((list, at) =>
    objectsOf(list).map(
      one => `${at === 0 ? 'security' : 'tag'} ${asString(one['system']) ?? ''}|${asString(one['code']) ?? ''}`,
    ),
  );
  return [...new Set([...stringsOf(profile).map(url => `profile ${url}`), ...codings.flat()])].toSorted();
}
