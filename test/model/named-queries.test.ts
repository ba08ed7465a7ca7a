// Named queries and lists in definitions: each mistake stops the start and is named with its place.
// https://hl7.org/fhir/R4/operationdefinition.html
import { describe, expect, it } from 'vitest';
import { loadOnly, ours, searchParameter, statement } from '../support/definition-files.ts';

const url = 'https://example.org/OperationDefinition/members-since';
const parameter = (name: string, more: object = {}) => ({
  name,
  use: 'in',
  min: 0,
  max: '1',
  type: 'string',
  searchType: 'token',
  ...more,
});
const criteria = (text: string, type?: string) =>
  ours('query-criteria', {
    extension: [
      ...(type === undefined ? [] : [{ url: 'type', valueCode: type }]),
      { url: 'criteria', valueString: text },
    ],
  });
const query = (fields: object = {}) => ({
  resourceType: 'OperationDefinition',
  extension: [criteria('code={code}')],
  url,
  name: 'MembersSince',
  status: 'active',
  kind: 'query',
  code: 'members-since',
  resource: ['Group'],
  system: false,
  type: true,
  instance: false,
  parameter: [parameter('code')],
  ...fields,
});
const group = (fields: object = {}) => ({
  type: 'Group',
  extension: [ours('smart-scope', { valueString: 'system/Group.rs' })],
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  operation: [{ name: 'members-since', definition: url }],
  searchParam: [
    { name: 'code', type: 'token' },
    { name: 'member', type: 'reference' },
  ],
  ...fields,
});
const load = (definition: object, resource: object = group()) =>
  loadOnly(statement([resource]), { 'capability/query.json': definition });

/** An operation that is a search, with the parts of each of its criteria. */
const operation = (cases: readonly Readonly<Record<string, string>>[], fields: object = {}) =>
  query({
    kind: 'operation',
    extension: cases.map(parts =>
      ours(
        'query-criteria',
        Object.entries(parts).map(([name, text]) =>
          name === 'latest' ? { url: name, valueCode: text } : { url: name, valueString: text },
        ),
      ),
    ),
    parameter: [
      { name: 'code', use: 'in', min: 1, max: '*', type: 'Coding' },
      { name: 'member', use: 'in', min: 0, max: '1', type: 'id' },
      { name: 'return', use: 'out', min: 1, max: '1', type: 'Bundle' },
    ],
    ...fields,
  });

describe('an operation that is a search', () => {
  const plain = { criteria: 'code={code}&member=Patient/{member}' };

  it('is compiled with its parameters and its cases', async () => {
    const { model, problems } = await load(
      operation([
        { when: 'code=a', none: 'There are none.' },
        { when: 'member:missing=true', criteria: 'code={code}' },
        plain,
      ]),
    );
    expect(problems).toEqual([]);
    const { levels, query: found } = model?.types.get('Group')?.operations.get('members-since') ?? {};
    expect(levels).toEqual({ type: { methods: ['GET', 'POST'], scopes: ['s'], startsJob: false } });
    expect([...(found?.parameters.values() ?? [])]).toEqual([
      { name: 'code', required: true, repeats: true, type: 'token', dataType: 'Coding' },
      { name: 'member', required: false, repeats: false, type: 'token', dataType: 'id' },
    ]);
    expect(found?.cases).toMatchObject([
      { when: [['code', 'a']], criteria: [], none: 'There are none.' },
      { when: [['member', undefined]], criteria: [['code', '{code}']], none: undefined },
      { when: [], latest: undefined },
    ]);
  });

  const at = 'extension[0]';
  it.each<[string, object, string, string]>([
    [
      'with criteria and a reason for none',
      operation([{ ...plain, none: 'There are none.' }]),
      at,
      'Give either `criteria`, or `none` with the reason why no record is found.',
    ],
    [
      'with neither',
      operation([{ when: 'code=a' }, plain]),
      at,
      'Give either `criteria`, or `none` with the reason why no record is found.',
    ],
    [
      'with the latest of none',
      operation([{ when: 'code=a', none: 'None.', latest: 'code' }, plain]),
      at,
      '`latest` needs `criteria`.',
    ],
    [
      'with a latest by no date',
      operation([{ ...plain, latest: 'code' }]),
      at,
      '`latest` of the operation `$members-since` is `code`, no date parameter of Group.',
    ],
    [
      'with a condition on the last criteria',
      operation([{ ...plain, when: 'code=a' }]),
      at,
      'The last criteria apply to all other calls: remove `when`, or add criteria without it.',
    ],
    [
      'with criteria that never apply',
      operation([plain, plain]),
      at,
      'These criteria have no `when`, so that those after them never apply: write them last.',
    ],
    [
      'with a condition on an unknown parameter',
      operation([{ ...plain, when: 'membr=a' }, plain]),
      at,
      'The operation `$members-since` has no parameter `membr` of `when`. Did you mean `member`?',
    ],
    [
      'with a condition of another kind',
      operation([{ ...plain, when: 'member:not=a' }, plain]),
      at,
      '`member:not=a`: write `member:missing=true`, or `member=` and a value.',
    ],
    [
      'with a criterion that is no search',
      operation([{ criteria: 'cod={code}&member=Patient/{member}' }]),
      at,
      'The criterion `cod={code}` of the operation `$members-since` is no search of Group: ' +
        'Group has no search parameter `cod`. Did you mean `code`? Use `code`, `member`.',
    ],
    [
      'with a parameter that has no use',
      operation([{ criteria: 'code={code}' }]),
      'parameter',
      'No criterion has the parameter `{member}`.',
    ],
    [
      'with a parameter of another type',
      operation([plain], { parameter: [{ name: 'code', use: 'in', min: 1, max: '1', type: 'Quantity' }] }),
      'parameter[0].type',
      'A parameter of an operation with `query-criteria` has one of the types `string`, `id`, `code`, `boolean`, ' +
        '`Coding`, `Identifier`, `Reference`, `date`, `dateTime`, `instant`, `integer`, `decimal`, `uri`, `url`, ' +
        '`canonical`.',
    ],
    [
      'of an instance',
      operation([plain], { instance: true }),
      'type',
      'An operation with `query-criteria` is a search of a type; write `"type": true` alone.',
    ],
  ])('%s stops the start', async (_, definition, path, text) => {
    const { problems } = await load(definition);
    expect(problems.map(one => [one.path, one.text])).toContainEqual([path, text]);
  });
});

describe('a named query', () => {
  it('is compiled with its parameters and criteria', async () => {
    const { model, problems } = await load(
      query({
        extension: [criteria('code={code}&member=Patient/{member}&code:not=a%26b'), criteria('code=x', 'Patient')],
        parameter: [parameter('code', { min: 1, max: '*' }), parameter('member', { searchType: 'string' })],
      }),
    );
    expect(problems).toEqual([]);
    const found = model?.types.get('Group')?.queries.get('members-since');
    expect(found?.cases[0]?.criteria).toEqual([
      ['code', '{code}'],
      ['member', 'Patient/{member}'],
      ['code:not', 'a&b'],
    ]);
    expect([...(found?.parameters.values() ?? [])]).toEqual([
      { name: 'code', required: true, repeats: true, type: 'token', dataType: 'string' },
      { name: 'member', required: false, repeats: false, type: 'string', dataType: 'string' },
    ]);
  });

  const at = 'extension[0]';
  it.each<[string, object, string, string]>([
    [
      'of no criteria',
      query({ extension: undefined }),
      '',
      'The query `members-since` has no `query-criteria` for Group.',
    ],
    [
      'with criteria of another type only',
      query({ extension: [criteria('code={code}', 'Patient')] }),
      '',
      'The query `members-since` has no `query-criteria` for Group.',
    ],
    [
      'by a parameter that the type does not offer',
      query({ extension: [criteria('cod={code}')] }),
      at,
      'The criterion `cod={code}` of the query `members-since` is no search of Group: ' +
        'Group has no search parameter `cod`. Did you mean `code`? Use `code`, `member`.',
    ],
    [
      'by a modifier that the parameter does not have',
      query({ extension: [criteria('code:text={code}')] }),
      at,
      'The criterion `code:text={code}` of the query `members-since` is no search of Group: ' +
        'The modifier `:text` is not supported on `code`. Use `:missing`, `:not`.',
    ],
    [
      'with a placeholder of no parameter',
      query({ extension: [criteria('code={code}&member={who}')] }),
      at,
      'The query `members-since` has no parameter `who` of the criterion `member={who}`.',
    ],
    [
      'with a placeholder in a name',
      query({ extension: [criteria('{code}={code}')] }),
      at,
      '`{code}`: a placeholder is a value, not a name.',
    ],
    [
      'with a part of a value that may be a list',
      query({ extension: [criteria('member=Patient/{code}')], parameter: [parameter('code', { max: '*' })] }),
      at,
      'The parameter `code` may have several values, so that it is the whole value of `member`; write ' +
        '`member={code}`, or `"max": "1"`.',
    ],
    [
      'with a control',
      query({ extension: [criteria('code={code}&_count=5')] }),
      at,
      '`_count` cannot be a criterion of a named query.',
    ],
    [
      'of itself',
      query({ extension: [criteria('code={code}&_query=members-since')] }),
      at,
      '`_query` cannot be a criterion of a named query.',
    ],
    [
      'with a parameter that has no use',
      query({ parameter: [parameter('code'), parameter('more')] }),
      'parameter',
      'No criterion has the parameter `{more}`.',
    ],
    [
      'with a parameter without a search type',
      query({ parameter: [parameter('code'), parameter('code', { searchType: undefined })] }),
      'parameter[1].searchType',
      'A parameter of a named query has one of the search types `number`, `date`, `string`, `token`, `reference`, ' +
        '`quantity`, `uri`.',
    ],
    [
      'with a parameter that is a result',
      query({ parameter: [parameter('code', { use: 'out' })] }),
      'parameter[0].use',
      'A parameter of a named query is of use `in`.',
    ],
    [
      'of the whole system',
      query({ type: false }),
      'type',
      'A named query is a search of a type; write `"type": true`.',
    ],
    [
      'of the latest record',
      query({
        extension: [
          ours('query-criteria', [
            { url: 'criteria', valueString: 'code={code}' },
            { url: 'latest', valueCode: 'code' },
          ]),
        ],
      }),
      '',
      'A named query selects records, whatever their order: `latest` is for operations.',
    ],
  ])('%s stops the start', async (_, definition, path, text) => {
    const { problems, model } = await load(definition);
    expect(problems.filter(({ file }) => file.endsWith('query.json')).map(one => [one.path, one.text])).toContainEqual([
      path,
      text,
    ]);
    expect(model).toBeUndefined();
  });

  it.each<[string, object, string, string]>([
    [
      'under another name',
      group({ operation: [{ name: 'members', definition: url }] }),
      'operation[0].name',
      'The query is called `members-since` by its definition, not `members`.',
    ],
    [
      'of a type that cannot be searched',
      group({ interaction: [{ code: 'read' }], searchParam: undefined }),
      'operation[0]',
      'A named query needs the interaction `search-type` of Group; declare it, or remove it.',
    ],
    [
      'of another type',
      group({ type: 'Location', extension: undefined, searchParam: undefined }),
      'operation[0].definition',
      `\`${url}\` is a query of Group, not of Location.`,
    ],
  ])('offered %s stops the start', async (_, resource, path, text) => {
    const { problems } = await load(query(), resource);
    expect(problems.map(one => [one.path, one.text])).toContainEqual([`rest[0].resource[0].${path}`, text]);
  });
});

describe('a parameter of members', () => {
  const member = 'http://hl7.org/fhir/SearchParameter/Group-member';
  const within = (canonical: string) =>
    searchParameter('within', {
      base: ['Resource'],
      type: 'special',
      extension: [ours('referred-by', { valueCanonical: canonical })],
    });
  const offered = [{ name: 'within', type: 'special' }];
  const load = (canonical: string, ...resources: object[]) =>
    loadOnly(statement(resources, { searchParam: offered }), { 'searchparameters/within.json': within(canonical) });

  it('needs a reference parameter that is indexed, of a type that can be searched', async () => {
    const plain = group({ operation: undefined });
    const { model, problems } = await load(member, plain);
    expect(problems).toEqual([]);
    const type = model?.types.get('Group');
    expect(type?.parameters.get('within')?.special).toMatchObject({ kind: 'members', by: { code: 'member' } });
    expect(type?.indexed.has('within')).toBe(false);
    const without = await load(member, group({ operation: undefined, searchParam: [{ name: 'code', type: 'token' }] }));
    expect(without.problems.map(({ text }) => text)).toEqual([
      '`within` needs the parameter `member` of Group, http://hl7.org/fhir/SearchParameter/Group-member|4.0.1; ' +
        'offer it, or declare it as `indexed-only`.',
    ]);
    const other = { ...plain, type: 'Location', extension: undefined, searchParam: undefined };
    const undeclared = await load(member, other);
    expect(undeclared.problems.map(({ text }) => text)).toEqual([
      '`within` needs Group with `search-type`; declare it.',
    ]);
  });

  it.each([
    [
      'http://hl7.org/fhir/SearchParameter/nothing',
      'No SearchParameter `http://hl7.org/fhir/SearchParameter/nothing` is loaded.',
    ],
    [
      'http://hl7.org/fhir/SearchParameter/Group-code',
      '`http://hl7.org/fhir/SearchParameter/Group-code` is not a reference parameter of one type.',
    ],
    [
      'http://hl7.org/fhir/SearchParameter/clinical-patient',
      '`http://hl7.org/fhir/SearchParameter/clinical-patient` is not a reference parameter of one type.',
    ],
  ])('with `referred-by` %s stops the start', async (canonical, text) => {
    const { problems } = await load(canonical, group({ operation: undefined }));
    expect(problems.map(one => one.text)).toContain(text);
  });
});
