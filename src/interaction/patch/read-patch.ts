import { exactOf, isExactObject, printExact } from '../../fhir/exact-json.ts';
import type { ExactJson } from '../../fhir/exact-json.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import { readStored } from '../../fhir/stored-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { parseBody, requiredBody, requireLength } from '../write/body.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { applyPathOperations } from './fhirpath-patch.ts';
import { applyJsonPatch, readJsonPatch } from './json-patch.ts';
import { withSafeNarrative } from './narrative.ts';
import { readPathOperations } from './parameters.ts';

/** The body of the version that a patch makes of another one. Throws FhirError 422 if it cannot be applied. */
export type Patch = (former: Pick<FormerVersion, 'text'>) => Buffer;

/**
 * The patch of a request: a JSON Patch, or a FHIRPath Patch as Parameters. Throws FhirError 400 and 413 if it is not
 * valid, before any record is read. https://hl7.org/fhir/R4/http.html#patch
 */
export function readPatch(
  engine: Pick<Engine, 'model' | 'maxBody'>,
  type: ResourceType,
  { contentType, ...request }: Pick<FhirRequest, 'body' | 'bodyFailure' | 'contentType'>,
): Patch {
  const body = requiredBody(request);
  requireLength(body, engine.maxBody, undefined);
  const apply = contentType === 'application/json-patch+json' ? readJson(body) : readParameters(engine, type, body);
  return ({ text }) => {
    const [before, record] = [readExact(text), readExact(text)];
    const after = withSafeNarrative(before, apply(record));
    const printed = printExact(after);
    // As it is stored, so that a patch without a change makes no version.
    return Buffer.from(printed === printExact(before) ? text : printed);
  };
}

type Apply = (record: ExactJson) => ExactJson;

const readExact = (text: string): ExactJson => exactOf(readStored(text));

function readJson(body: Buffer): Apply {
  const { parsed } = parseBody(body, '$this');
  if (!Array.isArray(parsed.value))
    throw fhirError(400, 'structure', 'A JSON Patch is an array of operations.', '$this');
  const operations = readJsonPatch(exactOf(parsed));
  return record => applyJsonPatch(operations, record);
}

function readParameters({ model }: Pick<Engine, 'model'>, { definition }: ResourceType, body: Buffer): Apply {
  const { parsed } = parseBody(body, 'Parameters');
  if (!isObject(parsed.value) || parsed.value['resourceType'] !== 'Parameters') {
    const text =
      'The body is not a FHIRPath Patch: send a Parameters resource, or a JSON Patch as `application/json-patch+json`.';
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
