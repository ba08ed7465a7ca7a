import { describe, expect, it } from 'vitest';
import { objectsOf } from '../../src/fhir/json-object.ts';
import { typeInteractions } from '../../src/fhir/interaction.ts';
import { handlers } from '../../src/interaction/dispatch.ts';
import { operations } from '../../src/model/implemented.ts';
import { servedInteractions } from '../../src/model/interactions.ts';
import { loadOnly, ours, searchParameter, statement } from '../support/definition-files.ts';

// https://hl7.org/fhir/R4/capabilitystatement.html: what a statement declares, the server does.

const at = 'rest[0].resource[0]';
const group = (fields: object = {}) => ({
  type: 'Group',
  extension: [ours('smart-scope', { valueString: 'system/Group.rs' })],
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  ...fields,
});
const only = (...codes: string[]) => ({ interaction: codes.map(code => ({ code })) });
const implemented = [...operations.keys()].map(code => `\`$${code}\``).join(', ');
const operation = (name: string): string => `http://hl7.org/fhir/OperationDefinition/${name}`;

describe('a declaration that this server cannot keep stops the start', () => {
  it('each interaction of a type may be declared, and no other code', async () => {
    expect((await loadOnly(statement([group(only(...typeInteractions))]))).problems).toEqual([]);
    const { problems, model } = await loadOnly(statement([group(only('read', 'pach'))]));
    const of = typeInteractions.map(code => `\`${code}\``).join(', ');
    expect(problems).toEqual([
      {
        file: 'capability/ours.json',
        path: `${at}.interaction[1].code`,
        text: `\`pach\` is not an interaction of a type. Did you mean \`patch\`? They are ${of}.`,
      },
    ]);
    expect(model).toBeUndefined();
  });

  it.each<[string, object, path: string, text: string]>([
    [
      'an operation',
      group({ operation: [{ name: 'graphql', definition: operation('Resource-graphql') }] }),
      'operation[0].definition',
      `The operation \`$graphql\` is not served yet; remove it. ${implemented} are served.`,
    ],
    [
      'conditional updates',
      group({ conditionalUpdate: true }),
      'conditionalUpdate',
      '`conditionalUpdate` needs the interactions `update` and `search-type`; declare them, or remove it.',
    ],
    [
      'conditional deletes',
      group({ conditionalDelete: 'single' }),
      'conditionalDelete',
      '`conditionalDelete` needs the interactions `delete` and `search-type`; declare them, or remove it.',
    ],
    [
      'updates that create',
      group({ updateCreate: true }),
      'updateCreate',
      '`updateCreate` needs the interaction `update`; declare it, or remove it.',
    ],
    [
      'updates that name a version',
      group({ versioning: 'versioned-update' }),
      'versioning',
      '`versioned-update` needs the interaction `update`; declare it, or write `versioned`.',
    ],
    [
      'reads of former versions',
      group({ readHistory: true }),
      'readHistory',
      '`readHistory` needs the interaction `vread`; declare it, or remove it.',
    ],
    [
      'conditional creates without create',
      group({ conditionalCreate: true }),
      'conditionalCreate',
      '`conditionalCreate` needs the interactions `create` and `search-type`; declare them, or remove it.',
    ],
    [
      'conditional creates without search',
      group({ ...only('create', 'read'), conditionalCreate: true }),
      'conditionalCreate',
      '`conditionalCreate` needs the interactions `create` and `search-type`; declare them, or remove it.',
    ],
    [
      'conditional reads without read',
      group({ ...only('search-type'), conditionalRead: 'full-support' }),
      'conditionalRead',
      '`conditionalRead` needs the interaction `read`; declare it, or remove it.',
    ],
    [
      'references that are resolved',
      group({ referencePolicy: ['literal', 'resolves'] }),
      'referencePolicy[1]',
      'References by identifier are not resolved; remove `resolves`.',
    ],
    [
      'references that are enforced where nothing is created',
      group({ referencePolicy: ['literal', 'enforced'] }),
      'referencePolicy[1]',
      '`enforced` needs the interaction `create` or `update`; declare one, or remove it.',
    ],
    [
      'included resources without a search',
      group({ interaction: [{ code: 'read' }], searchInclude: ['*'] }),
      'searchInclude',
      '`searchInclude` needs the interaction `search-type`; declare it, or remove it.',
    ],
  ])('%s', async (_what, resource, path, text) => {
    const { problems } = await loadOnly(statement([resource]));
    expect(problems).toEqual([{ file: 'capability/ours.json', path: `${at}.${path}`, text }]);
  });

  it('a parameter of type special that has no meaning here', async () => {
    const special = searchParameter('odd', { base: ['Group'], type: 'special', expression: 'Group.name' });
    const { problems } = await loadOnly(statement([group({ searchParam: [{ name: 'odd', type: 'special' }] })]), {
      'searchparameters/odd.json': special,
    });
    expect(problems).toEqual([
      {
        file: 'capability/ours.json',
        path: `${at}.searchParam[0].name`,
        text: 'The parameter `odd` is of type special and is neither a position nor `referred-by` another; remove it.',
      },
    ]);
  });

  it.each<[string, object, path: string, text: string]>([
    [
      'Turtle',
      { format: ['xml', 'application/fhir+turtle'] },
      'format[1]',
      '`application/fhir+turtle` is not served; resources are `application/fhir+json` and `application/fhir+xml`.',
    ],
    [
      'patches',
      { patchFormat: ['application/json-patch+json'] },
      'patchFormat',
      '`patchFormat` needs the interaction `patch` on a type; declare it, or remove it.',
    ],
    ['messages', { messaging: [{ documentation: 'x' }] }, 'messaging', 'Messages are not served; remove `messaging`.'],
    [
      'documents',
      { document: [{ mode: 'producer', profile: 'https://example.org/p' }] },
      'document',
      'The exchange of documents is not served; remove `document`.',
    ],
    [
      'statements of elsewhere',
      { imports: ['https://example.org/cs'] },
      'imports',
      'Imported statements are not read; remove `imports`, and declare what they declare.',
    ],
  ])('%s', async (_what, fields, path, text) => {
    const { problems } = await loadOnly({ ...statement([group()]), ...fields });
    expect(problems).toEqual([{ file: 'capability/ours.json', path, text }]);
  });

  it('patches in a format that is not served', async () => {
    const fields = { patchFormat: ['application/json-patch+json', 'application/xml-patch+xml'] };
    const { problems } = await loadOnly({ ...statement([group(only('read', 'patch'))]), ...fields });
    const text =
      '`application/xml-patch+xml` is not served; patches are `application/json-patch+json`, ' +
      '`application/fhir+json`, `application/merge-patch+json`, `application/fhir+xml`.';
    expect(problems).toEqual([{ file: 'capability/ours.json', path: 'patchFormat[1]', text }]);
  });

  it.each<[string, object]>([
    ['what is served', group(only('create', 'read', 'search-type'))],
    ['versions', group({ ...only('read', 'vread', 'history-instance', 'history-type'), readHistory: true })],
    ['patches', group({ ...only('patch', 'search-type'), conditionalUpdate: true, versioning: 'versioned-update' })],
    ['updates and deletes', group({ ...only('update', 'delete'), updateCreate: true, versioning: 'versioned-update' })],
    ['conditional creates with search', group({ ...only('create', 'search-type'), conditionalCreate: true })],
    [
      'what is declared as not supported',
      group({
        conditionalUpdate: false,
        conditionalDelete: 'not-supported',
        readHistory: false,
        updateCreate: false,
        conditionalCreate: false,
      }),
    ],
    [
      'references that are enforced',
      group({ ...only('create'), referencePolicy: ['literal', 'logical', 'local', 'enforced'] }),
    ],
  ])('but not %s', async (_what, resource) => {
    expect((await loadOnly({ ...statement([resource]), format: ['json', 'application/fhir+json'] })).problems).toEqual(
      [],
    );
  });

  it('holds the lists to what is implemented', () => {
    // A job has its interactions wherever an operation that starts one is declared.
    const open = ['capabilities', 'operation', 'job-cancel', 'job-file', 'job-status'];
    expect(
      Object.keys(handlers)
        .filter(code => !open.includes(code))
        .toSorted(),
    ).toEqual([...servedInteractions]);
    expect([...operations.keys()]).toEqual([...operations.keys()].toSorted());
  });
});

describe('a declared operation', () => {
  const definition = (fields: object) => ({
    resourceType: 'OperationDefinition',
    url: 'https://example.org/fhir/OperationDefinition/own-meta',
    name: 'OwnMeta',
    status: 'active',
    kind: 'operation',
    code: 'meta',
    system: true,
    type: true,
    instance: false,
    resource: ['Group'],
    ...fields,
  });
  const own = { name: 'meta', definition: 'https://example.org/fhir/OperationDefinition/own-meta' };

  it.each<[string, object, readonly string[]]>([
    ['is called by GET and POST', {}, ['GET', 'POST']],
    ['by POST alone if it changes something', { affectsState: true }, ['POST']],
    [
      'by POST alone if a parameter needs a body',
      { parameter: [{ name: 'about', use: 'in', min: 1, max: '1', type: 'Coding' }] },
      ['POST'],
    ],
    [
      'by GET if a body may be left out',
      { parameter: [{ name: 'about', use: 'in', min: 0, max: '1', type: 'Coding' }] },
      ['GET', 'POST'],
    ],
  ])('%s, as its OperationDefinition says', async (_what, fields, methods) => {
    const files = { 'capability/own-meta.json': definition(fields) };
    const { model, problems } = await loadOnly(statement([group({ operation: [own] })], { operation: [own] }), files);
    expect(problems).toEqual([]);
    const { levels } = model?.types.get('Group')?.operations.get('meta') ?? {};
    expect(levels).toEqual({ type: { methods, scopes: ['s'], startsJob: false } });
    expect(model?.systemOperations.get('meta')?.levels).toEqual({
      system: { methods, scopes: 'parts', startsJob: false },
    });
    const [rest] = objectsOf(model?.statement['rest']);
    expect(rest?.['operation']).toEqual([own]);
    expect(objectsOf(rest?.['resource'])[0]?.['operation']).toEqual([own]);
  });
});

describe('the statement lists the parameters that shape the answer of a search', () => {
  const listed = async (resource: object): Promise<readonly unknown[]> => {
    const { model } = await loadOnly(statement([resource]));
    return objectsOf(objectsOf(model?.statement['rest'])[0]?.['searchParam']).map(({ name, type, documentation }) => {
      expect(documentation).toEqual(expect.stringMatching(/^.{10,}\.$/));
      return [name, type];
    });
  };

  it('where a type can be searched', async () => {
    expect(await listed(group())).toEqual([
      ['_count', 'number'],
      ['_sort', 'string'],
      ['_summary', 'token'],
      ['_elements', 'string'],
      ['_total', 'token'],
    ]);
  });

  it('and not where none can', async () => {
    expect(await listed(group(only('read')))).toEqual([]);
  });
});
