import type { ImplementedOperation, ImplementedOperations } from './implemented-operation.ts';

/** The parameters of an operation, from a text. */
const names = (text: string): readonly string[] => text.trim().split(/\s+/);

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
    parameters: names(`
      url valueSet valueSetVersion context contextDirection filter date offset count includeDesignations
      designation includeDefinition activeOnly excludeNested excludeNotForUI excludePostCoordinated
      displayLanguage exclude-system system-version check-system-version force-system-version property
      useSupplement default-valueset-version tx-resource
    `),
  },
  {
    code: 'export',
    scopes: { system: 'parts', type: 'parts', instance: 'parts' },
    startsJob: true,
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
    parameters: names(`
      code system version coding date displayLanguage property system-version check-system-version
      force-system-version useSupplement tx-resource
    `),
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
    code: 'snapshot',
    scopes: { type: 'any', instance: 'any' },
  },
  {
    code: 'sql-export',
    scopes: { system: 'parts' },
    foreign: ['subject.subjectResource'],
    startsJob: true,
  },
  {
    code: 'sql-run',
    scopes: { system: 'parts' },
    foreign: ['subjectResource'],
    referencesInUrl: true,
  },
  {
    code: 'status',
    scopes: { instance: 'any' },
  },
  {
    code: 'subsumes',
    scopes: { type: 'any', instance: 'any' },
    parameters: names(`
      codeA codeB system version codingA codingB system-version check-system-version force-system-version tx-resource
    `),
  },
  {
    code: 'translate',
    scopes: { type: 'any', instance: 'any' },
    parameters: names(`
      url conceptMap conceptMapVersion code system version source coding codeableConcept target targetsystem
      dependency reverse tx-resource
    `),
  },
  {
    code: 'validate',
    scopes: { type: ['c', 'r'], instance: ['r'] },
    withBody: ['type'],
  },
  {
    code: 'validate-code',
    scopes: { type: 'any', instance: 'any' },
    parameters: names(`
      url context valueSet valueSetVersion code system systemVersion display coding codeableConcept date abstract
      displayLanguage inferSystem system-version check-system-version force-system-version useSupplement
      default-valueset-version lenient-display-validation activeOnly valueset-membership-only tx-resource codeSystem
      version
    `),
  },
  {
    code: 'viewdefinition-export',
    scopes: { system: 'parts' },
    foreign: ['view.viewResource'],
    startsJob: true,
  },
  {
    code: 'viewdefinition-run',
    scopes: { system: 'parts' },
    foreign: ['viewResource'],
    referencesInUrl: true,
  },
] as const satisfies readonly ImplementedOperation[];

export type OperationCode = (typeof all)[number]['code'];

/**
 * Every operation that the engine implements, by code: the definitions select those that it serves, and one that they
 * declare and that is not here prevents the start. `index.ts` has the functions, which a command does not load.
 */
export const operations: ImplementedOperations = new Map(all.map(one => [one.code, one]));
