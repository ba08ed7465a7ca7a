import { properties } from '../../fhir/resource-text.ts';
import { asObject } from '../../fhir/json-object.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import { declaredType } from '../declared.ts';
import { tooManyWrites } from '../if-match.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../interaction.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { findCurrent, requireChangeable } from '../write/current.ts';
import { writeRecord } from '../write/write.ts';
import { readArguments } from './arguments.ts';
import { answerMeta } from './meta.ts';
import { elementsOf, labelsOf, withLabels, withoutLabels } from './meta-labels.ts';
import type { Labels } from './meta-labels.ts';

/**
 * `$meta-add`: adds profiles, security labels and tags to a record; those that it has stay as they are. Answers with
 * the new Meta. https://hl7.org/fhir/R4/resource-operation-meta-add.html
 */
export const metaAdd: Interaction = (engine, request) => changeMeta(engine, request, withLabels);

/**
 * `$meta-delete`: removes profiles, security labels and tags from a record; those that it does not have are ignored.
 * Answers with the new Meta. https://hl7.org/fhir/R4/resource-operation-meta-delete.html
 */
export const metaDelete: Interaction = (engine, request) => changeMeta(engine, request, withoutLabels);

/**
 * Writes the record with its labels changed, as an update: a new version, unless nothing changes. Throws FhirError as
 * an update does, and 404 and 410 as a read.
 */
async function changeMeta(
  engine: Engine,
  request: FhirRequest,
  change: (labels: Labels, given: Labels) => Labels,
): Promise<FhirResponse> {
  const type = declaredType(engine.model, request);
  const given = labelsOf(readArguments(engine, request).object('meta'));
  const find = async () => {
    const current = await findCurrent(engine, type, request, 'u');
    const former = requireChangeable(engine, type, request, { current, what: `\`$${request.operation}\`` });
    return { id: former.id, former };
  };
  const bodyOf = (former: FormerVersion | undefined): Buffer =>
    Buffer.from(withMeta(former?.text ?? '{}', labels => change(labels, given)));
  const draft = { type, letter: 'u', bodyOf, bodyId: 'required' } as const;
  const written = await writeRecord(engine, request, draft, find);
  const { text } = written;
  if (text === undefined) throw tooManyWrites();
  return answerMeta({ ...written, type: type.name, text });
}

/** The text of a record with changed labels; other elements of its Meta stay as they are. */
function withMeta(text: string, change: (labels: Labels) => Labels): string {
  const before = asObject(asObject(parseStored(text))['meta']);
  const labels = labelsOf(before);
  const changed = elementsOf(change(labels));
  if (JSON.stringify(changed) === JSON.stringify(elementsOf(labels))) return text;
  const { profile: _profile, security: _security, tag: _tag, ...others } = before;
  const meta = { ...others, ...changed };
  const own = properties(text).filter(({ name }) => name !== '"meta"');
  return `{${[...own.map(({ name, value }) => `${name}:${value}`), `"meta":${JSON.stringify(meta)}`].join(',')}}`;
}
