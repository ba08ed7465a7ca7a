import { asString, asObject, objectsOf } from '../../../fhir/json-object.ts';
import { escape } from '../../../search/parse/escape.ts';
import type { QueryPair } from '../../../search/request.ts';
import { sampleOf } from '../../context.ts';
import type { TestContext } from '../../context.ts';
import { meaningOf } from '../../judge.ts';
import type { Known } from '../../records.ts';
import type { DeclaredType } from '../../statement.ts';
import { queryOf } from '../../url.ts';
import { targetsOf } from '../references.ts';
import { call } from './call.ts';

/**
 * `$lastn` of a subject and a code: records of both, and none that is older than a record of the sample which is
 * absent. https://hl7.org/fhir/R4/observation-operation-lastn.html
 */
export async function checkLastn(context: TestContext, type: DeclaredType): Promise<void> {
  const { findings, records, model, client } = context;
  const sample = sampleOf(context, type.name);
  const pairs = sample.map(known => criteriaOf(context, known, type)).find(one => one !== undefined);
  const definition = model.types.get(type.name);
  if (pairs === undefined || definition === undefined) return;
  const meaning = meaningOf(definition, [pairs], { model, records, base: client.base });
  if (meaning === undefined) return;
  const subject = `${type.name}/$lastn?${queryOf(pairs)}`;
  const exchange = await call(context, 'operation.lastn', subject);
  if (exchange === undefined) return;
  const { resourceType, type: kind, entry } = exchange.json ?? {};
  const isBundle = resourceType === 'Bundle' && kind === 'searchset';
  const came = `${String(resourceType)} of type ${String(kind)}`;
  if (!findings.decide(isBundle, 'operation.lastn', subject, came, 'A Bundle of type searchset', exchange)) return;
  const found = objectsOf(entry).flatMap(({ resource, search }) => {
    const isMatch = (asString(asObject(search)['mode']) ?? 'match') === 'match';
    const known = isMatch ? records.read(asObject(resource)) : undefined;
    return known?.type === type.name ? [known] : [];
  });
  const extra = found.find(known => meaning.verdict(known) === 'no');
  const newest = Math.max(...found.map(known => timeOf(known) ?? Infinity));
  const newer = sample.find(known => {
    const isAbsent = found.every(({ id }) => id !== known.id);
    return isAbsent && isCounted(known) && (timeOf(known) ?? -Infinity) > newest && meaning.verdict(known) === 'yes';
  });
  const text =
    extra === undefined ? `${newer?.id} is newer than what is returned` : `${extra.id} is of another subject or code`;
  const isRight = extra === undefined && newer === undefined;
  findings.decide(isRight, 'operation.lastn', subject, text, 'The newest record of the subject and the code', exchange);
}

/** The subject and the code of a record, if the type is searched by both. */
function criteriaOf(
  context: TestContext,
  known: Known,
  { name, parameters }: DeclaredType,
): readonly QueryPair[] | undefined {
  const offered = new Set(parameters.map(({ name }) => name));
  const by = ['patient', 'subject'].find(code => offered.has(code));
  const param = by === undefined ? undefined : context.model.types.get(name)?.parameters.get(by);
  const [reference] = param === undefined ? [] : targetsOf(context, param, known);
  const [coding = {}] = objectsOf(asObject(known.resource['code'])['coding']);
  const { system, code: text } = coding;
  if (by === undefined || !offered.has('code') || typeof system !== 'string' || typeof text !== 'string')
    return undefined;
  if (reference === undefined) return undefined;
  return [
    [by, reference],
    ['code', `${escape(system)}|${escape(text)}`],
  ];
}

/** Milliseconds since 1970 UTC of a time with an offset; undefined for others, which are not certain. */
function timeOf({ resource: { effectiveDateTime, effectiveInstant } }: Known): number | undefined {
  const text = asString(effectiveDateTime) ?? asString(effectiveInstant) ?? '';
  return /T.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : undefined;
}

/** A server may leave out what was not measured, or was recorded in error. */
const isCounted = ({ resource: { status } }: Known): boolean =>
  status === 'final' || status === 'amended' || status === 'corrected';
