import type { ImplementedOperation, ImplementedOperations } from './implemented-operation.ts';

const all = [
  {
    code: 'everything',
    scopes: { type: ['s'], instance: ['r'] },
    parameters: ['start', 'end', '_since', '_type', '_count'],
    ofCompartment: true,
  },
  {
    code: 'expand',
    scopes: { type: 'any', instance: 'any' },
    parameters: [
      'url',
      'valueSet',
      'valueSetVersion',
      'filter',
      'offset',
      'count',
      'includeDesignations',
      'designation',
      'includeDefinition',
      'activeOnly',
      'excludeNested',
      'displayLanguage',
    ],
  },
  {
    code: 'lastn',
    scopes: { type: ['s'] },
    parameters: ['max'],
    searchParameters: ['code', 'date'],
  },
  {
    code: 'lookup',
    scopes: { type: 'any' },
    parameters: ['code', 'system', 'version', 'coding', 'displayLanguage', 'property'],
  },
  {
    code: 'meta',
    scopes: { system: 'parts', type: ['s'], instance: ['r'] },
  },
  {
    code: 'meta-add',
    scopes: { instance: ['u'] },
  },
  {
    code: 'meta-delete',
    scopes: { instance: ['u'] },
  },
  {
    code: 'subsumes',
    scopes: { type: 'any', instance: 'any' },
    parameters: ['codeA', 'codeB', 'system', 'version', 'codingA', 'codingB'],
  },
  {
    code: 'translate',
    scopes: { type: 'any', instance: 'any' },
    parameters: [
      'url',
      'conceptMap',
      'conceptMapVersion',
      'code',
      'system',
      'version',
      'source',
      'coding',
      'codeableConcept',
      'target',
      'targetsystem',
      'reverse',
    ],
  },
  {
    code: 'validate',
    scopes: { type: ['c', 'r'], instance: ['r'] },
    withBody: ['type'],
  },
  {
    code: 'validate-code',
    scopes: { type: 'any', instance: 'any' },
    parameters: [
      'url',
      'valueSet',
      'valueSetVersion',
      'codeSystem',
      'version',
      'code',
      'system',
      'display',
      'coding',
      'codeableConcept',
      'abstract',
      'displayLanguage',
    ],
  },
] as const satisfies readonly ImplementedOperation[];

export type OperationCode = (typeof all)[number]['code'];

/**
 * Every operation that the engine implements, by code: the definitions select those that it serves, and one that they
 * declare and that is not here prevents the start. `index.ts` has the functions, which a command does not load.
 */
export const operations: ImplementedOperations = new Map(all.map(one => [one.code, one]));
