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
    expect(found?.criteria).toEqual([
      ['code', '{code}'],
      ['member', 'Patient/{member}'],
      ['code:not', 'a&b'],
    ]);
    expect([...(found?.parameters.values() ?? [])]).toEqual([
      { name: 'code', required: true, repeats: true, type: 'token' },
      { name: 'member', required: false, repeats: false, type: 'string' },
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
      'The query has no parameter `who` of the criterion `member={who}`.',
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
