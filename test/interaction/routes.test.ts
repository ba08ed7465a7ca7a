// https://hl7.org/fhir/R4/http.html#summary
import { describe, expect, it } from 'vitest';
import { FhirError } from '../../src/fhir/error.ts';
import type { InteractionCode, TypeInteraction } from '../../src/fhir/interaction.ts';
import { typeInteractions } from '../../src/fhir/interaction.ts';
import { resolveRoute } from '../../src/interaction/routes.ts';
import type { Segments, Shape } from '../../src/interaction/routes.ts';
import type { Model, Operation, OperationCall, OperationLevel, ResourceType } from '../../src/model/model.ts';

const type = (
  name: string,
  interactions: readonly TypeInteraction[],
  conditional: boolean,
  operations: readonly (readonly [string, Operation])[] = [],
): [string, ResourceType] => [
  name,
  {
    name,
    interactions: new Set(interactions),
    operations: new Map(operations),
    conditionalUpdate: conditional,
    conditionalDelete: conditional ? 'single' : 'not-supported',
    compartmentLinks: new Map(name === 'Observation' ? [['Patient', []]] : []),
  } as unknown as ResourceType, // what routes look at
];

const operation = (
  code: string,
  level: OperationLevel,
  ...methods: OperationCall['methods']
): readonly [string, Operation] => [
  code,
  { code, url: `https://example.org/${code}`, levels: { [level]: { methods, scopes: [] } }, parameters: new Map() },
];

const model = (systemInteractions: readonly InteractionCode[], compartments: boolean): Model =>
  ({
    types: new Map([
      type('Patient', ['read', 'search-type'], false),
      type('Media', ['create'], false, [
        operation('on-type', 'type', 'POST'),
        operation('on-instance', 'instance', 'GET', 'POST'),
      ]),
      type('Observation', typeInteractions, true),
      type('Condition', ['update', 'patch', 'delete'], false),
    ]),
    systemInteractions: new Set(systemInteractions),
    systemOperations: new Map([operation('on-system', 'system', 'GET', 'POST')]),
    searchedCompartments: new Map(compartments ? [['Patient', {}]] : []),
    definitions: { resourceTypes: new Set(['Patient', 'Media', 'Observation', 'Condition', 'Account']) },
  }) as unknown as Model; // what routes look at

/** `GET /r4/:partition/:type` with its segments → `read Patient 1`, or `405 GET, HEAD`. */
function resolve(
  method: string,
  shape: string,
  segments: Segments,
  system: readonly InteractionCode[] = [],
  compartments = false,
): string {
  try {
    const route = resolveRoute(model(system, compartments), `/r4/:partition${shape}` as Shape, method, segments);
    const of = route.compartment && `in ${route.compartment.type}/${route.compartment.id}`;
    return [route.interaction, route.resourceType, route.id, route.version, route.operation, of]
      .filter(part => part !== undefined)
      .join(' ');
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return [error.status, error.headers['Allow']].filter(part => part !== undefined).join(' ');
  }
}

const patient = { type: 'Patient' };
const patient1 = { type: 'Patient', id: '1' };
const version = { ...patient1, version: '2' };
const observation = { type: 'Observation' };
const observation1 = { type: 'Observation', id: '1' };

describe('a declared interaction', () => {
  it.each<[string, string, Segments, string]>([
    ['GET', '/:type/:id', patient1, 'read Patient 1'],
    ['HEAD', '/:type/:id', patient1, 'read Patient 1'],
    ['GET', '/:type', patient, 'search-type Patient'],
    ['POST', '/:type/_search', patient, 'search-type Patient'],
    ['GET', '/:type/_search', patient, 'search-type Patient'],
    ['GET', '/metadata', {}, 'capabilities'],
    ['HEAD', '/metadata', {}, 'capabilities'],
    ['POST', '/:type', { type: 'Media' }, 'create Media'],
    ['GET', '/:type/:id/_history/:version', { ...observation1, version: '2' }, 'vread Observation 1 2'],
    ['GET', '/:type/:id/_history', observation1, 'history-instance Observation 1'],
    ['GET', '/:type/_history', observation, 'history-type Observation'],
    ['PUT', '/:type/:id', observation1, 'update Observation 1'],
    ['PATCH', '/:type/:id', observation1, 'patch Observation 1'],
    ['DELETE', '/:type/:id', observation1, 'delete Observation 1'],
    ['PUT', '/:type', observation, 'update Observation'],
    ['PATCH', '/:type', observation, 'patch Observation'],
    ['DELETE', '/:type', observation, 'delete Observation'],
    ['GET', '/:type', { type: '$on-system' }, 'operation on-system'],
    ['POST', '/:type', { type: '$on-system' }, 'operation on-system'],
    ['POST', '/:type/:id', { type: 'Media', id: '$on-type' }, 'operation Media on-type'],
    [
      'POST',
      '/:type/:id/:operation',
      { type: 'Media', id: '1', operation: '$on-instance' },
      'operation Media 1 on-instance',
    ],
    [
      'GET',
      '/:type/:id/:operation',
      { type: 'Media', id: '1', operation: '$on-instance' },
      'operation Media 1 on-instance',
    ],
  ])('%s %s %o → %s', (method, shape, segments, expected) => {
    expect(resolve(method, shape, segments)).toBe(expected);
  });

  it.each<[string, string, InteractionCode, string]>([
    ['POST', '', 'batch', 'batch'],
    ['POST', '/', 'transaction', 'batch'],
    ['GET', '', 'search-system', 'search-system'],
    ['POST', '/_search', 'search-system', 'search-system'],
    ['GET', '/_search', 'search-system', 'search-system'],
    ['GET', '/_history', 'history-system', 'history-system'],
  ])('on the system: %s %s with %s → %s', (method, shape, declared, expected) => {
    expect(resolve(method, shape, {}, [declared])).toBe(expected);
  });
});

describe('what is not declared', () => {
  it.each<[string, string, Segments, string, string]>([
    ['GET', '/:type', { type: 'Account' }, '404', 'a type that is not offered'],
    ['PUT', '/:type/:id', { type: 'Nothing', id: '1' }, '404', 'no type of FHIR, whatever the method'],
    ['GET', '/:type', { type: 'patient' }, '404', 'types are case-sensitive'],
    ['GET', '/:type', { type: '$export' }, '404', 'an operation on the system'],
    ['GET', '/:type/:id', { type: 'Patient', id: '$everything' }, '404', 'an operation on the type'],
    ['GET', '/*', {}, '404', 'a compartment, an operation on an instance, an empty id'],
    ['POST', '/:type/:id', { type: 'Media', id: '$on-instance' }, '404', 'an operation that is on instances alone'],
    ['POST', '/:type/:id/:operation', { type: 'Media', id: '1', operation: '$on-type' }, '404', 'one on types alone'],
    ['POST', '/:type/:id/:operation', { type: 'Media', id: '1', operation: '$other' }, '404', 'one that there is not'],
    [
      'GET',
      '/:type/:id/:operation',
      { type: 'Media', id: '1', operation: 'on-instance' },
      '404',
      'one without its `$`',
    ],
    ['POST', '/:type/:id/:operation', { type: 'Media', id: '1', operation: '$' }, '404', 'one without a name'],
    ['GET', '/:type/:id', { type: 'Media', id: '$on-type' }, '405 POST', 'an operation with a body by GET'],
    ['PUT', '/:type', { type: '$on-system' }, '405 GET, HEAD, POST', 'one on the system by another method'],
    ['GET', '/:type/_history', { type: '$on-system' }, '404', 'the history of an operation'],
    [
      'PUT',
      '/:type/:id/:operation',
      { type: 'Media', id: '1', operation: '$on-instance' },
      '405 GET, HEAD, POST',
      'one on an instance by another method',
    ],
    ['GET', '/:type/:id/_history/:version', version, '405 ', 'vread'],
    ['GET', '/:type/:id/_history', patient1, '405 ', 'history of an instance'],
    ['GET', '/:type/_history', patient, '405 ', 'history of a type'],
    ['PUT', '/:type/:id', patient1, '405 GET, HEAD', 'update'],
    ['PATCH', '/:type/:id', patient1, '405 GET, HEAD', 'patch'],
    ['DELETE', '/:type/:id', patient1, '405 GET, HEAD', 'delete'],
    ['POST', '/:type/:id', patient1, '405 GET, HEAD', 'a method that instances never have'],
    ['POST', '/:type', patient, '405 GET, HEAD', 'create'],
    ['PUT', '/:type', patient, '405 GET, HEAD', 'conditional update'],
    ['DELETE', '/:type', patient, '405 GET, HEAD', 'conditional delete'],
    ['GET', '/:type', { type: 'Media' }, '405 POST', 'search on a type that is create-only'],
    ['GET', '/:type/:id', { type: 'Media', id: '1' }, '405 ', 'read on a type that is create-only'],
    ['POST', '/:type/_search', { type: 'Media' }, '405 ', 'search by POST there'],
    ['PUT', '/:type', { type: 'Condition' }, '405 ', 'conditional update where only the plain one is declared'],
    ['PATCH', '/:type', { type: 'Condition' }, '405 ', 'conditional patch there'],
    ['DELETE', '/:type', { type: 'Condition' }, '405 ', 'conditional delete there'],
    [
      'GET',
      '/:type/:id',
      { type: 'Condition', id: '1' },
      '405 PUT, PATCH, DELETE',
      'read where only writes are declared',
    ],
    ['OPTIONS', '/:type', patient, '405 GET, HEAD', 'any other method'],
    ['TRACE', '/:type/:id', patient1, '405 GET, HEAD', 'any other method on an instance'],
    ['POST', '/metadata', {}, '405 GET, HEAD', 'metadata by POST'],
    ['POST', '', {}, '405 ', 'batch and transaction'],
    ['POST', '/', {}, '405 ', 'batch and transaction with a slash at the end'],
    ['GET', '', {}, '405 ', 'search on the system'],
    ['POST', '/_search', {}, '405 ', 'search on the system by POST'],
    ['GET', '/_history', {}, '405 ', 'history of the system'],
  ])('%s %s %o → %s: %s', (method, shape, segments, expected) => {
    expect(resolve(method, shape, segments)).toBe(expected);
  });

  it('on the system, Allow lists what is declared', () => {
    expect(resolve('DELETE', '', {}, ['batch', 'search-system'])).toBe('405 GET, HEAD, POST');
  });

  it.each<[string, string, Segments, compartments: string, none: string]>([
    ['GET', '/:type/:id/:operation', { ...patient1, operation: '*' }, 'search-system in Patient/1', '404'],
    ['HEAD', '/:type/:id/:operation', { ...patient1, operation: '*' }, 'search-system in Patient/1', '404'],
    [
      'GET',
      '/:type/:id/:operation',
      { ...patient1, operation: 'Observation' },
      'search-type Observation in Patient/1',
      '404',
    ],
    ['POST', '/:type/:id/_search', patient1, 'search-system in Patient/1', '404'],
    [
      'POST',
      '/:type/:id/:member/_search',
      { ...patient1, member: 'Observation' },
      'search-type Observation in Patient/1',
      '404',
    ],
    ['POST', '/:type/:id/:member/_search', { ...patient1, member: '*' }, 'search-system in Patient/1', '404'],
    ['GET', '/:type/:id/:operation', { ...patient1, operation: 'Media' }, '404', '404'],
    ['GET', '/:type/:id/:operation', { ...patient1, operation: 'Account' }, '404', '404'],
    ['GET', '/:type/:id/:operation', { ...observation1, operation: '*' }, '404', '404'],
    ['POST', '/:type/:id/:operation', { ...patient1, operation: '*' }, '405 GET, HEAD', '404'],
    ['GET', '/:type/:id/_search', patient1, 'search-system in Patient/1', '404'],
    ['PUT', '/:type/:id/_search', patient1, '405 GET, HEAD, POST', '404'],
    ['GET', '/:type/:id/:member/_search', { type: 'Acount', id: '1', member: 'x' }, '404', '404'],
  ])('%s %s %o → %s, and %s without compartments', (method, shape, segments, compartments, none) => {
    expect(resolve(method, shape, segments, [], true)).toBe(compartments);
    expect(resolve(method, shape, segments)).toBe(none);
  });

  it('an update without an id is refused with its own reason, where only the one with an id is declared', () => {
    expect(() => resolveRoute(model([], false), '/r4/:partition/:type', 'PUT', { type: 'Condition' })).toThrow(
      'without an id it is conditional, which the interface does not declare for Condition. Send it to `Condition/{',
    );
  });

  it('a misspelt type comes with a suggestion', () => {
    expect(() => resolveRoute(model([], false), '/r4/:partition/:type', 'GET', { type: 'Pateint' })).toThrow(
      '`Pateint` is not a resource type of FHIR R4. Did you mean `Patient`?',
    );
  });
});
