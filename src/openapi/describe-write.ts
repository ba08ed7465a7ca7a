import type { JsonObject } from '../fhir/json-object.ts';
import type { ResourceType } from '../model/model.ts';
import type { Description } from './description.ts';
import type { ErrorStatus } from './errors.ts';
import { createdResponse, fhirContent, recordBody, recordResponse } from './responses.ts';
import { typeSchema } from './schemas.ts';
import { criteriaField } from './search-fields.ts';
import type { Field } from './search-fields.ts';
import type { Source } from './source.ts';

/** https://hl7.org/fhir/R4/http.html#update, https://hl7.org/fhir/R4/http.html#cond-update */
export function describeUpdate(type: ResourceType, hasId: boolean, source: Source): Description {
  const creates = type.updateCreate || !hasId;
  const errors: readonly ErrorStatus[] = [400, ...(creates ? [] : ([405] as const)), 409, 412, 422];
  return {
    summary: `Update ${which(type, hasId)}`,
    fields: fieldsOf(hasId, source),
    headers: ['if-match', 'if-unmodified-since', 'prefer'],
    body: recordBody(type, source),
    responses: {
      200: recordResponse(type, source),
      ...(creates ? { 201: createdResponse(type, source) } : {}),
    },
    errors,
  };
}

/** https://hl7.org/fhir/R4/http.html#patch */
export function describePatch(type: ResourceType, hasId: boolean, source: Source): Description {
  return {
    summary: `Patch ${which(type, hasId)}`,
    fields: fieldsOf(hasId, source),
    headers: ['if-match', 'if-unmodified-since', 'prefer'],
    body: patchBody(source),
    responses: { 200: recordResponse(type, source) },
    errors: [400, 404, ...(hasId ? ([410] as const) : []), 412, 422],
  };
}

/** https://hl7.org/fhir/R4/http.html#patch, https://hl7.org/fhir/R4/fhirpatch.html */
const patchBody = (source: Source): JsonObject => ({
  description: 'A JSON Patch, a merge patch, or a FHIRPath Patch as Parameters.',
  required: true,
  content: {
    'application/json-patch+json': {
      schema: jsonPatch(source),
      example: [{ op: 'test', path: '/id', value: '123' }],
    },
    'application/fhir+json': { schema: typeSchema('Parameters', source) },
    'application/merge-patch+json': { schema: { type: 'object' }, example: { language: 'en' } },
  },
});

/** https://www.rfc-editor.org/rfc/rfc6902#section-4 */
const jsonPatch = ({ components }: Source): JsonObject =>
  components.share('schemas', 'json-patch', () => ({
    type: 'array',
    items: {
      type: 'object',
      required: ['op', 'path'],
      properties: {
        op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
        path: { type: 'string' },
        from: { type: 'string' },
        value: {},
      },
    },
  }));

/** https://hl7.org/fhir/R4/http.html#delete, https://hl7.org/fhir/R4/http.html#cdelete */
export function describeDelete(type: ResourceType, hasId: boolean, source: Source): Description {
  const isSeveral = !hasId && type.conditionalDelete === 'multiple';
  return {
    summary: isSeveral ? `Delete each ${type.name} that matches` : `Delete ${which(type, hasId)}`,
    fields: fieldsOf(hasId, source),
    headers: ['if-match', 'if-unmodified-since', 'prefer'],
    responses: {
      200: source.components.share('responses', 'deleted', () => ({
        description: 'An OperationOutcome, if the delete prefers that.',
        ...fhirContent(typeSchema('OperationOutcome', source)),
      })),
      204: source.components.share('responses', 'deleted-without-text', () => ({
        description: 'Nothing matches any more.',
      })),
    },
    errors: [400, 409, 412],
  };
}

const which = ({ name }: ResourceType, hasId: boolean): string => (hasId ? name : `the ${name} that matches`);

/** The criteria of a write without an id. */
const fieldsOf = (hasId: boolean, source: Source): readonly Field[] =>
  hasId ? [] : [{ ...criteriaField(source), required: true }];
