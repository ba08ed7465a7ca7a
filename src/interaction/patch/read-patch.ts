import { exactOf, isExactObject, isSameJson, printExact } from '../../fhir/exact-json.ts';
import type { ExactJson, ExactObject } from '../../fhir/exact-json.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { PatchFormat } from '../../fhir/media-type.ts';
import { readStored } from '../../fhir/stored-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { parseBody, requireLength, requiredBody } from '../write/body.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { applyPathOperations } from './fhirpath-patch.ts';
import { applyJsonPatch, readJsonPatch } from './json-patch.ts';
import { readPathOperations } from './parameters.ts';

/**
 * Keeps the narrative of a patched record safe, which would say what the record said before: one that was generated is
 * removed if the patch changes what it may show and leaves it as it is. Throws FhirError 422 for one that has more than
 * the data. https://hl7.org/fhir/R4/http.html#patch, https://hl7.org/fhir/R4/narrative.html
 */
function withSafeNarrative(before: ExactJson, after: ExactJson): ExactJson {
  if (!isExactObject(before) || !isExactObject(after)) return after;
  const { text } = after;
  if (text === undefined || before['text'] === undefined || !isSameJson(before['text'], text)) return after;
  if (isSameJson(shown(before), shown(after))) return after;
  const status = isExactObject(text) ? text['status'] : undefined;
  if (status === 'empty') return after;
  if (status === 'additional') throw narrativeStays(asString(after['resourceType']) ?? 'Resource');
  const { text: _removed, ...others } = after;
  return others;
}

/** What a narrative may show. */
function shown({ text: _text, meta: _meta, ...others }: ExactObject): ExactObject {
  return others;
}

const narrativeStays = (type: string): Error =>
  fhirError(
    422,
    'business-rule',
    'The record has a narrative with more than its data (`additional`), which may contradict the patched data: ' +
      'patch `text` too, or send an update.',
    `${type}.text`,
  );

/** The body of the version that a patch makes of another one. Throws FhirError 422 if it cannot be applied. */
export type Patch = (former: Pick<FormerVersion, 'text'>) => Buffer;

/**
 * The patch of a request: a JSON Patch, a merge patch, or a FHIRPath Patch as Parameters. Throws FhirError 400 and 413
 * if it is not valid, before any record is read. https://hl7.org/fhir/R4/http.html#patch
 */
export function readPatch(
  engine: Pick<Engine, 'model' | 'maxBody'>,
  type: ResourceType,
  { contentType, ...request }: Pick<FhirRequest, 'body' | 'bodyFailure' | 'contentType'>,
): Patch {
  const body = requiredBody(request);
  requireLength(body, engine.maxBody, undefined);
  const apply = readFormat(engine, type, body, contentType);
  return ({ text }) => {
    const [before, record] = [readExact(text), readExact(text)];
    const after = withSafeNarrative(before, apply(record));
    const printed = printExact(after);
    // The stored text stays, so that a patch without a change makes no version.
    return Buffer.from(printed === printExact(before) ? text : printed);
  };
}

type Apply = (record: ExactJson) => ExactJson;

function readFormat(
  engine: Pick<Engine, 'model'>,
  type: ResourceType,
  body: Buffer,
  contentType: PatchFormat | undefined,
): Apply {
  if (contentType === 'application/json-patch+json') return readJson(body);
  const { parsed } = parseBody(body, contentType === 'application/merge-patch+json' ? type.name : 'Parameters');
  if (contentType !== 'application/merge-patch+json' && isOperations(parsed.value, type))
    return readParameters(engine, type, parsed);
  const part = exactOf(parsed);
  return record => mergePatch(record, part);
}

/**
 * Whether JSON is meant as operations: some clients send a part of the record, with its type or without one, which is a
 * merge patch.
 */
const isOperations = (value: unknown, { name }: ResourceType): boolean =>
  !isObject(value) || (value['resourceType'] !== undefined && value['resourceType'] !== name);

/**
 * The record with the members of a merge patch: null removes one, a list replaces the whole list.
 * https://www.rfc-editor.org/rfc/rfc7396#section-2
 */
function mergePatch(target: ExactJson, patch: ExactJson): ExactJson {
  if (!isExactObject(patch)) return patch;
  const merged = new Map(isExactObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name) ?? null, value));
  return Object.fromEntries(merged);
}

const readExact = (text: string): ExactJson => exactOf(readStored(text));

function readJson(body: Buffer): Apply {
  const { parsed } = parseBody(body, '$this');
  if (!Array.isArray(parsed.value))
    throw fhirError(400, 'structure', 'A JSON Patch is an array of operations.', '$this');
  const operations = readJsonPatch(exactOf(parsed));
  return record => applyJsonPatch(operations, record);
}

function readParameters({ model }: Pick<Engine, 'model'>, { definition }: ResourceType, parsed: ParsedJson): Apply {
  if (!isObject(parsed.value) || parsed.value['resourceType'] !== 'Parameters') {
    const text =
      'The body is not a patch: send Parameters (FHIRPath Patch), a part of the record (merge patch), or a JSON ' +
      'Patch as `application/json-patch+json`.';
    throw fhirError(400, 'structure', text, 'resourceType');
  }
  const issues = checkStructure(parsed.value, model, 'Parameters', { decimals: parsed.decimals });
  if (issues.length > 0) throw new FhirError(400, issues);
  const parameters = exactOf(parsed);
  const operations = readPathOperations(isExactObject(parameters) ? parameters : {});
  return record => {
    applyPathOperations(operations, record, { definition, types: model.definitions });
    return record;
  };
}
