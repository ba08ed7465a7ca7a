import { describe, expect, it } from 'vitest';
import { declared, loadOnly, loadWith, searchParameter, statement } from '../../support/definition-files.ts';

// A SearchParameter that cannot be indexed, or that no search can name, stops a start.

const practitioner = (fields: object = {}) => declared('Practitioner', fields);
const official = 'http://hl7.org/fhir/SearchParameter/';
const at = 'rest[0].resource[0]';

describe('a search parameter is refused', () => {
  it.each<[string, { type?: string; [name: string]: unknown }, [path: string, text: unknown]]>([
    [
      'with an expression that does not parse',
      { expression: 'Practitioner.name.' },
      ['expression', expect.stringMatching(/^`Practitioner\.name\.` does not compile for Practitioner: /)],
    ],
    [
      'with an element that does not exist',
      { expression: 'Practitioner.nam' },
      ['expression', expect.stringMatching(/^`Practitioner\.nam` does not compile for Practitioner: .*nam/)],
    ],
    [
      'with a function that does not exist',
      { expression: 'Practitioner.name.frist()' },
      ['expression', expect.stringMatching(/frist/)],
    ],
    [
      'with an expression that is nested too deep',
      { expression: `${'('.repeat(500)}Practitioner.active${')'.repeat(500)}` },
      ['expression', expect.stringContaining('nested too deep')],
    ],
    [
      'with an expression that is too long',
      { expression: `Practitioner.active${'.not()'.repeat(5_000)}` },
      ['expression', expect.stringContaining('too long')],
    ],
    [
      'whose type finds nothing in what the expression gives',
      { type: 'date', expression: 'Practitioner.active' },
      [
        'expression',
        '`Practitioner.active` gives `boolean`, which a parameter of type date cannot index; it can ' +
          'index `date`, `dateTime`, `instant`, `Period`, `Timing`.',
      ],
    ],
    [
      'without an expression',
      { expression: undefined },
      ['expression', 'The parameter `x` has no FHIRPath `expression`, so it cannot be indexed.'],
    ],
    [
      'with an expression of another type',
      { expression: 'Patient.name' },
      ['expression', 'No part of `Patient.name` applies to Practitioner, which is a `base` of the parameter.'],
    ],
    [
      'as a composite with a component that finds nothing',
      {
        type: 'composite',
        expression: 'Practitioner',
        component: [
          { definition: `${official}Practitioner-name`, expression: 'name' },
          { definition: `${official}Practitioner-active`, expression: 'birthDate' },
        ],
      },
      ['component[1].expression', expect.stringMatching(/^`birthDate` gives `date`, which a parameter of type token/)],
    ],
    [
      'as a composite with one component',
      {
        type: 'composite',
        expression: 'Practitioner',
        component: [{ definition: `${official}Practitioner-name`, expression: 'name' }],
      },
      ['component', 'A composite parameter needs two components or more.'],
    ],
  ])('%s, in its own file', async (_what, fields, [path, text]) => {
    const parameter = searchParameter('x', {
      base: ['Practitioner'],
      type: 'token',
      expression: 'Practitioner.identifier',
      ...fields,
    });
    const declared = practitioner({
      searchParam: [{ name: 'x', definition: 'https://example.org/SearchParameter/x', type: fields.type ?? 'token' }],
    });
    const { problems } = await loadWith({
      'capability/p.json': statement([declared]),
      'searchparameters/x.json': parameter,
    });
    expect(problems).toEqual([{ file: 'searchparameters/x.json', path, text }]);
  });

  const offer =
    'The types are `number`, `date`, `string`, `token`, `reference`, `composite`, `quantity`, `uri`, `special`.';
  it.each<[string, object, [path: string, text: string]]>([
    [
      'without a base',
      { base: undefined },
      [
        'base',
        'The SearchParameter has no `base`; write the resource types that can be searched by it, such as ' +
          '`"base": ["Practitioner"]`.',
      ],
    ],
    [
      'with a base that is no list',
      { base: 'Practitioner' },
      ['base', '`base` is a list; write `"base": ["Practitioner"]`.'],
    ],
    [
      'with a base that does not exist',
      { base: ['Pratitioner'] },
      ['base[0]', '`Pratitioner` is not a resource type of FHIR R4. Did you mean `Practitioner`?'],
    ],
    [
      'with a type that does not exist',
      { type: 'tokn' },
      ['type', `\`tokn\` is not a type of search parameter. Did you mean \`token\`? ${offer}`],
    ],
    [
      'without a type',
      { type: undefined },
      ['type', `The SearchParameter has no \`type\`; write its type of search. ${offer}`],
    ],
    [
      'without a code',
      { code: undefined },
      [
        'code',
        'The SearchParameter has no `code`; write the name by which clients search, such as `"code": "license"`.',
      ],
    ],
    [
      'without a url',
      { url: undefined },
      [
        'url',
        'The SearchParameter has no `url`; write the canonical URL by which other definitions name it, ' +
          'such as `"url": "https://example.org/fhir/SearchParameter/x"`.',
      ],
    ],
  ])('%s, whether a type names it or not', async (_what, fields, [path, text]) => {
    const parameter = { base: ['Practitioner'], type: 'token', expression: 'Practitioner.identifier', ...fields };
    const files = { 'searchparameters/x.json': searchParameter('x', parameter) };
    const named = { name: 'x', definition: 'https://example.org/SearchParameter/x', type: 'token' };
    for (const searchParam of [[named], undefined]) {
      const { problems } = await loadOnly(statement([practitioner({ searchParam })]), files);
      const own = problems.filter(({ file }) => file === 'beside/searchparameters/x.json');
      expect(own.map(one => [one.path, one.text])).toEqual([[path, text]]);
      const others = problems.filter(({ file }) => file !== 'beside/searchparameters/x.json');
      // Without a url it is unknown what the capability file names.
      expect(others.length).toBe(path === 'url' && searchParam !== undefined ? 1 : 0);
    }
  });

  it.each(['a:b', 'a b', 'a.b', 'a,b', 'a|b', 'é', ''])(
    'with the code `%s`, which no search could name',
    async code => {
      const parameter = searchParameter('x', {
        base: ['Practitioner'],
        type: 'token',
        expression: 'Practitioner.active',
        code,
      });
      const declared = practitioner({ searchParam: [{ name: code, definition: parameter.url, type: 'token' }] });
      const { problems } = await loadWith({
        'capability/p.json': statement([declared]),
        'searchparameters/x.json': parameter,
      });
      expect(problems.map(({ file, path }) => `${file} ${path}`)).toContain('searchparameters/x.json code');
    },
  );

  it('where a code is another one’s too, unless the capability file says which is meant', async () => {
    const own = searchParameter('name', {
      base: ['Practitioner'],
      type: 'string',
      expression: 'Practitioner.name.text',
    });
    const files = (searchParam: object) => ({
      'capability/p.json': statement([practitioner({ searchParam: [searchParam] })]),
      'searchparameters/name.json': own,
    });
    const { problems } = await loadWith(files({ name: 'name', type: 'string' }));
    expect(problems).toEqual([
      {
        file: 'capability/p.json',
        path: `${at}.searchParam[0].name`,
        text:
          `Practitioner has several parameters with the code \`name\`: \`${official}Practitioner-name\` ` +
          `(profiles/r4-core.ndjson) and \`${own.url}\` (searchparameters/name.json). Name the one that is ` +
          'meant in a `definition`.',
      },
    ]);
    const named = await loadWith(files({ name: 'name', definition: own.url, type: 'string' }));
    expect(named.problems).toEqual([]);
    expect(named.model?.types.get('Practitioner')?.parameters.get('name')?.expression).toBe('Practitioner.name.text');
  });
});
