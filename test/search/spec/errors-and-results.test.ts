// https://hl7.org/fhir/R4/search.html#errors and https://hl7.org/fhir/R4/search.html#return
import { describe, expect, it } from 'vitest';
import { printSort } from '../../../src/search/print.ts';
import { parseSearch } from '../../../src/search/parse/search.ts';
import { context, explain, pairs, refusal, search, thing } from '../thing.ts';

const offered =
  '`_id`, `_lastUpdated`, `active`, `author`, `born`, `code`, `code-size`, `date`, `focus`, `form`, ' +
  '`identifier`, `kind`, `link`, `name`, `narrative`, `near`, `patient`, `phone`, `plan`, `position`, `remark`, ' +
  '`score`, `site`, `size`, `sound`, `source`, `status`, `subject`, `url`, `when`';

describe('what is not understood', () => {
  it('names the nearest parameter and all that are offered', () => {
    expect(refusal('nmae=a')).toBe(
      '400 not-supported http.nmae: Observation has no search parameter `nmae`. Did you mean ' +
        `\`name\`? Use ${offered}.`,
    );
    expect(refusal('_cuont=1')).toContain('Did you mean `_count`?');
    expect(refusal('Name=a')).toContain('Did you mean `name`?');
    expect(refusal('nmae:exact=a')).toContain('no search parameter `nmae`');
  });

  it.each([
    '_has:Observation:patient:code',
    '_include',
    '_include:iterate',
    '_revinclude',
    '_filter',
    '_query',
    '_text',
    '_content',
    '_list',
    '_contained',
    'patient.name',
    'patient:Patient.name',
  ])('says that `%s` is not supported', name => {
    expect(refusal(`${name}=a`)).toBe(`400 not-supported http.${name}: \`${name}\` is not supported: omit it.`);
  });

  it('refuses a special parameter', () => expect(refusal('near=1|2')).toContain('400 not-supported http.near'));

  it('leaves out the unknown and the empty under lenient handling, and says so', () => {
    const request = search('nmae=a&name=ann&code=&patient=Patient/&_include=x&_total=', { handling: 'lenient' });
    expect(request.used).toEqual([['name', 'ann']]);
    expect(request.self).toEqual(request.used);
    expect(request.warnings.map(({ severity, expression }) => `${severity} ${expression}`)).toEqual([
      'warning http.nmae',
      'warning http.code',
      'warning http.patient',
      'warning http._include',
      'warning http._total',
    ]);
    expect(request.warnings[1]?.text).toBe('Ignored: `code` has no value: give it one or omit it.');
  });

  it.each([
    'name:text=a',
    'date=yesterday',
    'name=a,',
    '_count=-1',
    '_count=1&_count=2',
    '_sort=code-size',
    'patient=Group/1',
    'patient.name=a',
    'patient:Patient.name=a',
    'nmae.family=a',
    'nmae:Patient.name=a',
    '_has:Observation:patient:code=a',
    '_filter=name eq a',
    '_text=a',
    '_content=a',
    '_list=1',
    '_query=a',
  ])('refuses %s under lenient handling too', query => {
    expect(refusal(query, { handling: 'lenient' })).toMatch(/^400 /);
    expect(refusal(`${query}&name=ann`, { handling: 'lenient' })).toBe(refusal(query, { handling: 'lenient' }));
  });

  it('treats the names of properties of every object as unknown parameters', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(refusal(`${name}=a`)).toContain(`no search parameter \`${name}\``);
    }
  });

  it('refuses more than a search can be asked', () => {
    expect(refusal(`code=${'a,'.repeat(1000)}a`)).toContain('400 too-costly');
    expect(refusal('code=a&'.repeat(101))).toContain('400 too-costly');
  });
});

describe('what is found when nothing is asked', () => {
  it('is everything', () => expect(explain('', []).ast).toBe('(all)'));
});

describe('controls', () => {
  it('have defaults', () => {
    const { count, summary, elements, total, used, after, sort } = search('');
    expect({ count, summary, elements, total, used, after }).toEqual({
      count: 50,
      summary: 'false',
      elements: undefined,
      total: 'none',
      used: [],
      after: undefined,
    });
    expect(printSort(sort)).toBe('(default)');
  });

  it.each([
    ['as asked', '_count=7', 7, '7'],
    ['at most what the type allows', '_count=5000', 1000, '1000'],
    ['however large', `_count=${'9'.repeat(40)}`, 1000, '1000'],
    ['with zeros in front', '_count=007', 7, '7'],
  ])('_count is %s: %s', (_, query, count, shown) => {
    const request = search(query);
    expect(request.count).toBe(count);
    expect(request.used).toEqual([['_count', shown]]);
  });

  it.each(['_count=0', '_summary=count', '_summary=count&_count=10', '_count=0&_total=none'])(
    'counts only with %s',
    query => {
      expect(search(query)).toMatchObject({ count: 0, summary: 'count', total: 'accurate' });
    },
  );

  it.each([
    ['_sort=_id', '_id'],
    ['_sort=-_lastUpdated,date,-born', '-_lastUpdated,date,-born'],
    ['_sort=name,-code,patient,size,-score,url', 'name,-code,patient,size,-score,url'],
  ])('sorts by %s', (query, sort) => expect(printSort(search(query).sort)).toBe(sort));

  it.each([
    ['_elements=code,value,valueQuantity,effective[x]', ['code', 'value', 'effective']],
    ['_elements=id,meta', ['id', 'meta']],
  ])('takes %s', (query, elements) => expect(search(query).elements).toEqual(elements));

  it.each([
    ['_count=', '`_count` has no value'],
    ['_count=-1', '`-1` is not a value for `_count`: write a whole number, 0 or more.'],
    ['_count=1.5', 'write a whole number'],
    ['_count=1e3', 'write a whole number'],
    ['_count=10&_count=10', '`_count` is repeated: send it once.'],
    ['_sort=date&_sort=born', '`_sort` is repeated'],
    ['_sort=date,-date', '`_sort` names `date` twice'],
    ['_sort=', '`_sort` has no value'],
    [
      '_sort=code-size',
      'Observation cannot be sorted by `code-size`. Use `_id`, `_lastUpdated`, `active`, `author`, `born`, `code`, ' +
        '`date`, `focus`, `form`, `identifier`, `kind`, `link`, `name`, `patient`, `phone`, `plan`, `remark`, ' +
        '`score`, `site`, `size`, `source`, `status`, `subject`, `url`, `when`, each with `-` before it ' +
        'for descending.',
    ],
    ['_sort=date,', 'cannot be sorted by ``'],
    ['_sort=nmae', 'cannot be sorted by `nmae`. Did you mean `name`?'],
    ['_sort=near', 'cannot be sorted by `near`.'],
    [
      '_sort:desc=date',
      '400 code-invalid http._sort:desc: The modifier `:desc` is not supported on `_sort`. It has none.',
    ],
    ['_summary=yes', '`yes` is not a value for `_summary`: write one of `true`, `text`, `data`, `count`, `false`.'],
    ['_total=exact', 'write one of `none`, `estimate`, `accurate`.'],
    ['_elements=code,nmae', 'Observation has no top-level element `nmae`.'],
    ['_elements=Observation.code', 'has no top-level element'],
    ['_page_token=abc', '400 value http._page_token'],
  ])('refuses %s', (query, error) => expect(refusal(query)).toContain(error));

  it('gives the same request for what was used', () => {
    const query = 'name=ann&_count=5000&_sort=-date&code=http://s|a,b&_total=accurate';
    const request = search(query);
    expect(parseSearch(thing, request.used, context)).toEqual(request);
    expect(request.used.map(([name]) => name)).toEqual(pairs(query).map(([name]) => name));
  });
});
