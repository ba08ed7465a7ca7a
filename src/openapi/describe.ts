import type { Operation, ResourceType } from '../model/model.ts';
import { primitives } from '../fhir/primitive.ts';
import type { Call } from './calls.ts';
import type { Description } from './description.ts';
import { describeDelete, describePatch, describeUpdate } from './describe-write.ts';
import {
  bundleResponse,
  createdResponse,
  fhirContent,
  header,
  recordBody,
  recordResponse,
  requestBody,
  resourceResponse,
  searchResponse,
} from './responses.ts';
import { typeSchema } from './schemas.ts';
import { severalFields, typeFields } from './search-fields.ts';
import type { Field } from './search-fields.ts';
import type { Source } from './source.ts';

/** What a call takes and returns. https://hl7.org/fhir/R4/http.html */
export function describe(call: Call, source: Source): Description {
  const { interaction, operation } = call;
  switch (interaction) {
    case 'read':
      return { ...describeRead(typeOf(call), source), summary: `Read ${typeOf(call).name}` };
    case 'vread':
      return { ...describeRead(typeOf(call), source), summary: `Read a version of ${typeOf(call).name}` };
    case 'search-type':
    case 'search-system':
      return describeSearch(call, source);
    case 'history-instance':
    case 'history-type':
    case 'history-system':
      return describeHistory(call, source);
    case 'create':
      return describeCreate(typeOf(call), source);
    case 'update':
      return describeUpdate(typeOf(call), call.hasId, source);
    case 'patch':
      return describePatch(typeOf(call), call.hasId, source);
    case 'delete':
      return describeDelete(typeOf(call), call.hasId, source);
    case 'batch':
    case 'transaction':
      return describeBatch(source);
    case 'capabilities':
      return {
        summary: 'The CapabilityStatement',
        fields: subsetFields,
        headers: ['if-none-match'],
        responses: {
          200: {
            ...resourceResponse('The CapabilityStatement.', source),
            headers: { ETag: header('ETag-of-statement', 'Changes with the statement: for If-None-Match.', source) },
          },
        },
        errors: [304, 400],
      };
    case 'job-status':
      return {
        summary: 'The state of a job, and what it has made',
        fields: [],
        headers: [],
        responses: { 200: { description: 'It is complete.' }, 202: { description: 'It is not complete yet.' } },
        errors: [404],
      };
    case 'job-cancel':
      return {
        summary: 'Cancel a job, or delete its files',
        fields: [],
        headers: [],
        responses: { 202: { description: 'It is gone.' } },
        errors: [404],
      };
    case 'job-file':
      return {
        summary: 'A file of a job',
        fields: [],
        headers: [],
        responses: { 200: { description: 'The file, or the range of it that was asked for.' } },
        errors: [404],
      };
    case 'operation':
      if (operation === undefined) throw new Error('The call of an operation names none');
      return describeOperation(call, operation, source);
    default:
      return interaction satisfies never;
  }
}

/** The type of a call that has one. */
function typeOf({ type, path }: Call): ResourceType {
  if (type === undefined) throw new Error(`The call of ${path} has no type`);
  return type;
}

const subsetFields: readonly Field[] = [
  { name: '_summary', schema: { type: 'string', enum: ['true', 'text', 'data', 'false'] }, example: 'false' },
  {
    name: '_elements',
    description: 'Top-level elements, separated by commas; others are left out of the answer.',
    schema: { type: 'string' },
    example: 'id,meta',
  },
];

function describeRead(type: ResourceType, source: Source): Omit<Description, 'summary'> {
  const { conditionalRead: how } = type;
  const byTag = how === 'full-support' || how === 'not-match';
  const byDate = how === 'full-support' || how === 'modified-since';
  return {
    fields: subsetFields,
    headers: [...(byTag ? (['if-none-match'] as const) : []), ...(byDate ? (['if-modified-since'] as const) : [])],
    responses: { 200: recordResponse(type, source) },
    errors: [...(byTag || byDate ? ([304] as const) : []), 400, 404, 410],
  };
}

const historyFields: readonly Field[] = [
  { name: '_count', description: 'Versions on a page.', schema: { type: 'integer', minimum: 1 }, example: 10 },
  {
    name: '_since',
    description: 'The earliest time of a version.',
    schema: { type: 'string' },
    example: '2024-01-01T00:00:00Z',
  },
  {
    name: '_at',
    description: 'The time or period in which the versions were current.',
    schema: { type: 'string' },
    example: '2024-01',
  },
  { name: '_sort', schema: { type: 'string', enum: ['-_lastUpdated', '_lastUpdated'] }, example: '-_lastUpdated' },
  { name: '_page_token', description: 'From the `next` link of a page.', schema: { type: 'string' } },
];

/** https://hl7.org/fhir/R4/http.html#history */
function describeHistory({ type, hasId }: Call, source: Source): Description {
  const of = type === undefined ? 'every type' : hasId ? `one ${type.name}` : `every ${type.name}`;
  return {
    summary: `The versions of ${of}`,
    fields: historyFields,
    responses: { 200: bundleResponse(type, source) },
    errors: hasId ? [400, 404, 410] : [400],
  };
}

/** https://hl7.org/fhir/R4/http.html#create */
function describeCreate(type: ResourceType, source: Source): Description {
  return {
    summary: `Create ${type.name}`,
    headers: ['prefer', 'idempotency-key', ...(type.conditionalCreate ? (['if-none-exist'] as const) : [])],
    body: recordBody(type, source),
    responses: {
      ...(type.conditionalCreate ? { 200: recordResponse(type, source) } : {}),
      201: createdResponse(type, source),
    },
    errors: [400, ...(type.conditionalCreate ? ([412] as const) : []), 422],
  };
}

/** https://hl7.org/fhir/R4/http.html#transaction */
function describeBatch(source: Source): Description {
  const { systemInteractions } = source.model;
  const types = (['batch', 'transaction'] as const).filter(type => systemInteractions.has(type));
  const [type] = types;
  const example = source.components.share('examples', String(type), () => ({
    value: { resourceType: 'Bundle', type, entry: [{ request: { method: 'GET', url: 'metadata' } }] },
  }));
  return {
    summary: `A ${types.join(' or a ')}`,
    headers: ['prefer'],
    body: requestBody(typeSchema('Bundle', source), example),
    responses: {
      200: { description: 'A Bundle with the answer of each entry.', ...fhirContent(typeSchema('Bundle', source)) },
    },
    errors: [400, 409, 412, 422],
  };
}

/** https://hl7.org/fhir/R4/http.html#search */
function describeSearch(call: Call, source: Source): Description {
  const { type, method } = call;
  return {
    summary: summaryOf(call),
    fields: type === undefined ? severalFields(source) : typeFields(type, source),
    isForm: method === 'post',
    headers: ['prefer'],
    responses: { 200: searchResponse(type, source) },
    errors: [400],
  };
}

function summaryOf({ type, compartment, method }: Call): string {
  const form = method === 'post' ? ', as a form' : '';
  if (type !== undefined) return `Search ${type.name}${form}`;
  if (compartment === undefined) return `Search several types${form}`;
  const of = `the records of one ${compartment.type.name}`;
  return compartment.members === undefined ? `Search ${of}${form}` : `Search ${of} of one type${form}`;
}

/** https://hl7.org/fhir/R4/operations.html#executing */
function describeOperation(call: Call, operation: Operation, source: Source): Description {
  const { type, method, hasId } = call;
  const startsJob = Object.values(operation.levels).some(level => level.startsJob);
  const of = type === undefined ? '' : hasId ? ` of one ${type.name}` : ` of ${type.name}`;
  const names = ['Parameters', ...(type === undefined ? [] : [type.name])];
  const body = {
    ...requestBody({ anyOf: [...new Set(names)].map(name => typeSchema(name, source)) }),
    required: false,
  };
  const result = source.components.share('responses', 'result', () => resourceResponse('The result.', source));
  return {
    summary: `\`$${operation.code}\`${of}: ${operation.url}`,
    fields: fieldsOf(operation, method, source),
    ...(method === 'post' ? { body } : {}),
    responses: startsJob ? { 202: jobStarted(source) } : { 200: result },
    errors: [400, ...(hasId ? ([404, 410] as const) : [])],
  };
}

const jobStarted = (source: Source): Description['responses'][number] => ({
  description: 'A job was started.',
  headers: { 'Content-Location': header('URL-of-job', 'The URL of the state of the job.', source) },
});

/** The parameters that a URL can have: those of primitive types, and all of a search, whose values are texts. */
const fieldsOf = ({ parameters, query }: Operation, method: Call['method'], source: Source): readonly Field[] =>
  [...parameters.values()].flatMap(({ name, type = '', max, min, supported }) => {
    const isPrimitive = primitives.has(type);
    if (!supported || (!isPrimitive && query === undefined)) return [];
    const one = isPrimitive ? typeSchema(type, source) : { type: 'string' };
    return [{ name, schema: max === 1 ? one : { type: 'array', items: one }, required: method === 'get' && min > 0 }];
  });
