// Full-text search on real records. https://hl7.org/fhir/R4/search.html#content
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { objectsOf } from '../../src/fhir/json-object.ts';
import { indexSteps } from '../store/support/verified.ts';
import { r4Of } from '../support/r4-of.ts';
import { serve, type Served } from '../support/serve.ts';

const allR4 = ['--capability', r4Of(['Condition', 'Group', 'Observation', 'Patient'])];
const narrative = (...paragraphs: readonly string[]): object => ({
  status: 'generated',
  div: `<div xmlns="http://www.w3.org/1999/xhtml">${paragraphs.map(text => `<p>${text}</p>`).join('')}</div>`,
});

const records = [
  {
    resourceType: 'Patient',
    id: 'a',
    text: narrative('Anna <b>Roy</b>, chest pain since Monday'),
    name: [{ family: 'Roy', given: ['Anna', 'Maria'] }],
  },
  {
    resourceType: 'Patient',
    id: 'b',
    text: narrative('Pain of the chest', 'Jean-Pierre Élie'),
    name: [{ family: 'Élie', given: ['Jean-Pierre'] }],
    contact: [{ name: { text: 'Thorax clinic' } }],
  },
  { resourceType: 'Patient', id: 'c', name: [{ family: 'Chest', given: ['Maria'] }] },
  {
    resourceType: 'Condition',
    id: 'd',
    text: narrative('Fever'),
    code: { text: 'Acute chest pain' },
    subject: { reference: 'Patient/a' },
  },
  ...[
    ['g1', 'Cough and fever, and again cough'],
    ['g2', 'Cough, cough'],
    ['g3', 'Nothing'],
  ].map(([id, text = '']) => ({ resourceType: 'Group', id, type: 'person', actual: true, text: narrative(text) })),
  { resourceType: 'Observation', id: 'e', status: 'final', code: { text: 'x' }, subject: { reference: 'Patient/b' } },
];

describe('on an interface that declares it', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve(records, allR4);
  }, 120_000);
  afterAll(() => server.close());

  const found = async (search: string): Promise<readonly [number, string]> => {
    const { status, json } = await server.get(encodeURI(`/${search}&_sort=_id`).replaceAll('#', '%23'));
    return [
      status,
      objectsOf(json.entry)
        .map(({ resource }) => (resource as { id: string }).id)
        .join(' '),
    ];
  };

  it.each([
    ['Patient?_text=chest', 'a b'],
    ['Patient?_text=pain chest', 'a b'],
    ['Patient?_text="chest pain"', 'a'],
    ['Patient?_text="chest jean"', ''],
    ['Patient?_text=jean-pierre', 'b'],
    ['Patient?_text=elie,monday', 'a b'],
    ['Patient?_text=mon*', 'a'],
    ['Patient?_text:missing=true', 'c'],
    ['Patient?_content=chest', 'a b c'],
    ['Patient?_content=thorax', 'b'],
    ['Patient?_content="thorax clin*"', 'b'],
    ['Patient?name:text=maria roy', 'a'],
    ['Patient?name:text="anna roy"', ''],
    ['Patient?name:text=jean', 'b'],
    ['Patient?family:text=ma*', ''],
    ['Patient?_text=chest&name=roy', 'a'],
    ['Patient?_filter=not(_text co "pain chest")', 'c'],
    ['Patient?_filter=not(_text co "\\"chest pain\\"")', 'b c'],
    ['Patient?_filter=_text co "roy, chest"', 'a'],
    ['Patient?_filter=_text pr false', 'c'],
    ['Patient?phonetic=roi', 'a'],
    ['Patient?phonetic=jon pyere elly', 'b'],
    ['Patient?_filter=phonetic eq "mareea, roi"', 'a'],
    ['Observation?subject:Patient.phonetic=elly', 'e'],
    ['Condition?_content="acute chest"', 'd'],
    ['Condition?subject:Patient._text=monday', 'd'],
    ['Patient?_has:Condition:patient:_text=fever', 'a'],
    ['Observation?subject:Patient.name:text=jean pierre', 'e'],
    ['?_type=Patient,Condition&_content=chest', 'a b c d'],
  ])('%s', async (search, ids) => {
    expect(await found(search)).toEqual([200, ids]);
  });

  it.each([
    ['Patient?_text="chest', '_text', '`"chest` is not a value for `_text`: a `"` is not closed'],
    ['Patient?_content=...', '_content', 'has no letter or digit to search for'],
    ['Patient?name:text=a OR b', 'name:text', '`OR` is no operator here'],
    ['Group?_text=cough&_score=yes', '_score', '`yes` is not a value for `_score`'],
    ['Patient?_filter=_text eq "chest"', '_filter', 'has no operator `eq` in a filter. Use `co`, `pr`.'],
    ['Patient?_text:contains=a', '_text:contains', 'The modifier `:contains` is not supported on `_text`'],
  ])('refuses %s', async (search, name, text) => {
    const { status, json } = await server.get(`/${encodeURI(search)}`);
    expect([status, json.issue[0].expression]).toEqual([400, [`http.${name}`]]);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  const scored = async (search: string): Promise<string> => {
    const { json } = await server.get(encodeURI(`/${search}`));
    return objectsOf(json.entry)
      .map(({ resource, search: mode }) => `${(resource as { id: string }).id} ${(mode as { score?: number }).score}`)
      .join(', ');
  };

  it.each([
    ['Group?_text=cough&_sort=-_score', 'g2 0.8628, g1 0.8496'],
    ['Group?_text=cough&_sort=_score', 'g1 0.8496, g2 0.8628'],
    ['Group?_text=cough fever&_sort=_id', 'g1 0.7941'],
    ['Group?_text=cough,fever&_sort=-_score,_id', 'g2 0.8628, g1 0.8496'],
    ['Group?_filter=_text co cough or _id eq g3&_sort=-_score', 'g2 0.8628, g1 0.8496, g3 undefined'],
    ['Group?_text=cough&_sort=-_score&_score=true', 'g2 0.8628, g1 0.8496'],
    ['Group?_text=cough&_sort=-_score&_score=false', 'g2 undefined, g1 undefined'],
    ['Group?_sort=_id&_id=g1', 'g1 undefined'],
    ['Group?_sort=_id&_id=g1&_score=true', 'g1 undefined'],
    ['Group?_has:List:item:_text=x', ''],
  ])('gives matches a score: %s', async (search, scores) => {
    expect(await scored(search)).toBe(scores);
  });

  it('goes through pages in the order of the score', async () => {
    const first = await server.get('/Group?_text=cough&_sort=-_score&_count=1');
    const next = objectsOf(first.json.link).find(({ relation }) => relation === 'next')?.['url'];
    const second = await server.get(String(next).slice(server.base.length));
    const ids = [first, second].map(({ json }) =>
      json.entry.map(({ resource }: { resource: { id: string } }) => resource.id),
    );
    expect(ids).toEqual([['g2'], ['g1']]);
  });

  it('refuses an order by the score of a search without words', async () => {
    const { status, json } = await server.get('/Group?_sort=-_score');
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('Only matches of a full-text')]);
  });

  it('answers a POST', async () => {
    const body = new URLSearchParams({ _text: '"chest pain"', _total: 'accurate' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, json } = await server.ask('POST', '/Patient/_search', { headers, body });
    expect([status, json.total, json.entry[0].resource.id]).toEqual([200, 1, 'a']);
  });

  it('finds a record by its current text only', async () => {
    const put = async (text: string | undefined): Promise<void> => {
      const id = 'z';
      const resource = JSON.stringify({
        resourceType: 'Group',
        id,
        type: 'person',
        actual: true,
        text: narrative(text ?? ''),
      });
      await server.partition.write([
        text === undefined
          ? { kind: 'remove', type: 'Group', id }
          : { kind: 'put', type: 'Group', id, text: splitForStamp(resource, id) },
      ]);
    };
    const all = async (): Promise<string> =>
      (await Promise.all(['one', 'two', '"two words"'].map(word => found(`Group?_text=${word}`))))
        .map(([, ids]) => ids)
        .join();
    await put('one');
    expect(await all()).toBe('z,,');
    await put('two words');
    expect(await all()).toBe(',z,z');
    await put(undefined);
    expect(await all()).toBe(',,');
  });

  it('has indexes without a difference', async () => {
    const steps = await indexSteps(server.running.engine.store, 'demo');
    expect(steps.flatMap(({ findings }) => findings)).toEqual([]);
  });

  it('is listed with its parameters', async () => {
    const { json } = await server.get('/metadata');
    const type = objectsOf(json.rest[0].resource).find(one => one['type'] === 'Patient');
    const parameter = (name: string) => objectsOf(type?.['searchParam']).find(one => one['name'] === name);
    expect(parameter('_text')).toMatchObject({
      definition: 'http://hl7.org/fhir/SearchParameter/DomainResource-text|4.0.1',
      type: 'string',
    });
    expect(parameter('_content')).toMatchObject({ type: 'string' });
    expect(parameter('name')?.['extension']).toMatchObject([{ valueCode: 'text' }]);
    expect(parameter('_text')?.['extension']).toBeUndefined();
  });
});

describe('on an interface that does not declare it', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve([]);
  });
  afterAll(() => server.close());

  it.each(['_text', '_content', 'name:text', '_score'])('refuses %s', async name => {
    const { status, json } = await server.get(`/Patient?${name}=a`);
    expect([status, json.issue[0].expression]).toEqual([400, [`http.${name}`]]);
  });

  it('refuses an order by the score', async () => {
    const { status, json } = await server.get('/Patient?_sort=-_score');
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('cannot be sorted by `_score`')]);
  });
});
