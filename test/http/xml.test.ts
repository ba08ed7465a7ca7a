// https://hl7.org/fhir/R4/xml.html, https://hl7.org/fhir/R4/http.html#mime-type
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonOfXml } from '../../src/fhir/xml/convert.ts';
import { printXml } from '../../src/fhir/xml/print.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { r4Of } from '../support/r4-of.ts';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

const types = readTypeDefinitions();
const xml = 'application/fhir+xml';
const asXml = { Accept: xml };
const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
const fhir = 'xmlns="http://hl7.org/fhir"';

let server: Served;
beforeAll(async () => {
  const decimal =
    '{"valueQuantity":{"unit":"m","value":1.10},"resourceType":"Observation","id":"o1","status":"final",' +
    '"code":{"text":"a \\"b\\" <c> & d\\ne"}}';
  const records = [
    patient('p1'),
    decimal,
    patient('control', { name: [{ family: 'a\u0001' }] }),
    ...Array.from({ length: 3 }, (_, at) => observation(`h${at}`)),
  ];
  const folder = r4Of(['Binary', 'Bundle', 'Observation', 'Patient', 'ValueSet']);
  server = await serve(records, ['--capability', folder]);
}, 120_000);
afterAll(() => server.close());

// eslint-disable-next-line typescript/no-explicit-any -- what tests look into
const jsonIn = ({ bytes }: Answer): any => JSON.parse(jsonOfXml(bytes, types));
const send = (method: string, path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  server.ask(method, path, { headers: { 'Content-Type': xml, Accept: xml, ...headers }, body });

describe('an answer in XML', () => {
  it('has the elements of a record in the order of the definition, and its digits', async () => {
    const answer = await server.get('/Observation/o1', asXml);
    expect([answer.status, answer.headers['content-type'], answer.headers.etag]).toEqual([
      200,
      'application/fhir+xml; charset=utf-8',
      'W/"1"',
    ]);
    const { lastUpdated } = (await server.get('/Observation/o1')).json.meta;
    expect(answer.text).toBe(
      `${head}<Observation ${fhir}><id value="o1"/><meta><versionId value="1"/><lastUpdated value="${lastUpdated}"/>` +
        '</meta><status value="final"/><code><text value="a &quot;b&quot; &lt;c&gt; &amp; d&#10;e"/></code>' +
        '<valueQuantity><value value="1.10"/><unit value="m"/></valueQuantity></Observation>',
    );
    const asHead = await server.ask('HEAD', '/Observation/o1', { headers: asXml });
    expect([asHead.headers['content-length'], asHead.bytes.length]).toEqual([answer.headers['content-length'], 0]);
  });

  it.each([
    ['/Patient/p1', { Accept: 'text/xml' }, 'text/xml; charset=utf-8'],
    ['/Patient/p1', { Accept: 'application/xml' }, 'application/xml; charset=utf-8'],
    ['/Patient/p1', { Accept: `${xml}; fhirVersion=4.0` }, `${xml}; fhirVersion=4.0; charset=utf-8`],
    ['/Patient/p1?_format=xml', {}, `${xml}; charset=utf-8`],
    ['/Patient/p1?_format=application/fhir%2Bxml', { Accept: 'application/json' }, `${xml}; charset=utf-8`],
    ['/Patient/p1', { Accept: `application/fhir+json;q=0.5, ${xml}` }, `${xml}; charset=utf-8`],
    ['/Patient?family=tremblay', asXml, `${xml}; charset=utf-8`],
    ['/Patient/p1/_history', asXml, `${xml}; charset=utf-8`],
    ['/Patient/p1/_history/1', asXml, `${xml}; charset=utf-8`],
    ['/Patient/p1/$everything', asXml, `${xml}; charset=utf-8`],
    ['/metadata', asXml, `${xml}; charset=utf-8`],
  ])('of %s with %o is %s, and has the content of JSON', async (path, headers, type) => {
    const answer = await server.get(path, headers);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
    const json = await server.get(path.replace(/\?_format.*/, ''), { Accept: 'application/fhir+json' });
    expect(withoutTimes(jsonOfXml(answer.bytes, types))).toEqual(withoutTimes(json.text));
  });

  it('is indented by _pretty', async () => {
    const { text } = await server.get('/Patient/p1?_pretty=true&_elements=gender&_format=xml');
    expect(text).toContain('\n  <gender value="female"/>\n</Patient>\n');
  });

  it('is compressed', async () => {
    const { headers } = await server.get('/metadata', { ...asXml, 'Accept-Encoding': 'gzip' });
    expect(headers['content-encoding']).toBe('gzip');
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['GET', '/Patient/none', asXml, 404],
    ['GET', '/Patient?nmae=a&_format=xml', {}, 400],
    ['GET', '//nothing', asXml, 404],
    ['GET', '//r4/nobody/Patient/p1?_format=xml', {}, 404],
    ['GET', '/Patient/%zz', asXml, 400],
    ['DELETE', '/metadata', asXml, 405],
    ['POST', '/Patient', { ...asXml, 'Content-Type': 'text/plain' }, 415],
    ['POST', '/Patient', { ...asXml, 'Content-Type': 'application/fhir+json' }, 400],
  ])('is XML for the error of %s %s %o', async (method, path, headers, status) => {
    const answer = await server.ask(method, path, { headers, ...(method === 'POST' && { body: 'x' }) });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, `${xml}; charset=utf-8`]);
    expect(jsonIn(answer)).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ severity: 'error' }] });
  });

  it('is JSON for an error in a form that is not served', async () => {
    const answer = await server.get('/Patient/p1', { Accept: 'text/turtle' });
    expect([answer.status, answer.json.issue[0].code]).toEqual([406, 'not-supported']);
  });

  it('is 406 with the place for a character that XML lacks, and U+FFFD in an error that quotes it', async () => {
    const answer = await server.get('/Patient/control', asXml);
    expect([answer.status, jsonIn(answer).issue[0]]).toEqual([
      406,
      {
        severity: 'error',
        code: 'not-supported',
        diagnostics:
          'The answer has no form in XML: The text has the character U+0001, which XML 1.0 does not have. ' +
          'Request `application/fhir+json` or `_format=json`.',
        expression: ['Patient.name[0].family'],
      },
    ]);
    const bundle = await server.get('/Patient?_id=control', asXml);
    expect([bundle.status, jsonIn(bundle).issue[0].expression]).toEqual([
      406,
      ['Bundle.entry[0].resource.name[0].family'],
    ]);
    const error = await server.get('/Patient?n%01=a', asXml);
    expect([error.status, jsonIn(error).issue[0].diagnostics]).toEqual([400, expect.stringContaining('n\ufffd')]);
  });

  it('of a write says that it was carried out', async () => {
    const body = JSON.stringify({ resourceType: 'Patient', name: [{ family: 'b\ufffe' }] });
    const answer = await send('POST', '/Patient', body, { 'Content-Type': 'application/fhir+json' });
    expect([answer.status, answer.headers.location, jsonIn(answer).issue[0].severity]).toEqual([
      201,
      expect.stringContaining('/Patient/'),
      'warning',
    ]);
  });

  it('is written in parts if it is long', async () => {
    const concept = Array.from({ length: 1_000 }, (_, at) => ({ code: `c${at}`, display: `Code ${at} é <` }));
    const set = { resourceType: 'ValueSet', status: 'active', compose: { include: [{ system: 'urn:a', concept }] } };
    const entry = Array.from({ length: 5 }, (_, at) => ({
      fullUrl: `urn:uuid:c757873d-ec9a-4326-a141-556f4323952${at}`,
      resource: set,
    }));
    const made = await send(
      'POST',
      '/Bundle',
      printXml(JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }), types),
    );
    expect(made.status).toBe(201);
    const path = new URL(made.headers.location ?? '').pathname;
    const [json, answer] = [await server.get(`/${path}`), await server.get(`/${path}`, asXml)];
    expect(jsonIn(answer)).toEqual(json.json);
    expect(answer.text).toBe(printXml(json.text, types));
    const pretty = await server.get(`/${path}?_pretty=true`, asXml);
    expect(jsonIn(pretty)).toEqual(json.json);
  });
});

describe('a body in XML', () => {
  it('is created, updated and patched as JSON is', async () => {
    const body = `<Patient ${fhir}><name><family value="Ann"/></name><birthDate value="1980-01-01"/></Patient>`;
    const made = await send('POST', '/Patient', body);
    expect([made.status, jsonIn(made)]).toEqual([
      201,
      {
        resourceType: 'Patient',
        id: expect.any(String),
        meta: { versionId: '1', lastUpdated: expect.any(String) },
        name: [{ family: 'Ann' }],
        birthDate: '1980-01-01',
      },
    ]);
    const { id } = jsonIn(made);
    const update = body.replace('<name>', `<id value="${id}"/><name>`).replace('Ann', 'Bea');
    const updated = await send('PUT', `/Patient/${id}`, gzipSync(update), { 'Content-Encoding': 'gzip' });
    expect([updated.status, jsonIn(updated).name]).toEqual([200, [{ family: 'Bea' }]]);
    const part = (name: string, type: string, value: string) =>
      `<part><name value="${name}"/><value${type} value="${value}"/></part>`;
    const patch =
      `<Parameters ${fhir}><parameter><name value="operation"/>${part('type', 'Code', 'replace')}` +
      `${part('path', 'String', 'Patient.name[0].family')}${part('value', 'String', 'Cy')}</parameter></Parameters>`;
    const patched = await send('PATCH', `/Patient/${id}`, patch);
    expect([patched.status, jsonIn(patched).name]).toEqual([200, [{ family: 'Cy' }]]);
    const entry = (document: string) => ({
      resource: { resourceType: 'Binary', contentType: 'application/fhir+xml', data: btoa(document) },
      request: { method: 'PATCH', url: `Patient/${id}` },
    });
    const entries = [entry(patch.replace('Cy', 'Di')), entry(patch.replace('</Parameters>', ''))];
    const bundle = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: entries });
    const answers = jsonIn(await send('POST', '', bundle, { 'Content-Type': 'application/fhir+json' })).entry;
    expect([answers[0].response.status, answers[0].resource.name]).toEqual(['200', [{ family: 'Di' }]]);
    expect(answers[1].response).toMatchObject({
      status: '400',
      outcome: { issue: [{ diagnostics: expect.stringContaining('not valid FHIR XML') }] },
    });
  });

  it('is a batch, a transaction, and the input of an operation', async () => {
    const entry = [{ resource: patient('t1'), request: { method: 'PUT', url: 'Patient/t1' } }];
    for (const type of ['batch', 'transaction']) {
      const answer = await send('POST', '', printXml(JSON.stringify({ resourceType: 'Bundle', type, entry }), types));
      expect([answer.status, jsonIn(answer).entry[0].response.status]).toEqual([200, expect.stringMatching(/^20[01]/)]);
    }
    const parameters = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: patient('t1') }] };
    const answer = await send('POST', '/Patient/$validate', printXml(JSON.stringify(parameters), types));
    expect([answer.status, jsonIn(answer).resourceType]).toEqual([200, 'OperationOutcome']);
  });

  it('is answered as Accept asks', async () => {
    const body = `<Patient ${fhir}><active value="true"/></Patient>`;
    const json = await send('POST', '/Patient', body, { 'Content-Type': 'text/xml', Accept: 'application/fhir+json' });
    expect([json.status, json.json.active]).toEqual([201, true]);
  });

  it('is refused with the place and the line', async () => {
    const wrong =
      `<Patient ${fhir}>\n <name>\n  <family value="a"/>\n </name>\n <gender value="other"/>\n <name/>\n` +
      '</Patient>';
    const answer = await send('POST', '/Patient', wrong);
    expect([answer.status, jsonIn(answer).issue]).toEqual([
      400,
      [
        {
          severity: 'error',
          code: 'structure',
          diagnostics:
            'The body is not valid FHIR XML: `name` must be before `gender`; expected after `gender`: `birthDate`, ' +
            '`deceased`, `address`, `maritalStatus`, `multipleBirth`, `photo`, … or the end of `Patient`. Line 6, ' +
            'column 7.',
          expression: ['Patient'],
        },
      ],
    ]);
  });

  it('has the findings of JSON, each with its line', async () => {
    const wrong =
      `<Patient ${fhir}>\n <name>\n  <famly value="a"/>\n </name>\n <gender value="x y"/>\n <active value="maybe"/>` +
      '\n</Patient>';
    const ordered = wrong.replace(/\n <active.*\/>/, '').replace('\n <name>', '\n <active value="maybe"/>\n <name>');
    const answer = await send('POST', '/Patient', ordered);
    const found = jsonIn(answer).issue.map(({ expression, diagnostics }: Record<string, unknown>) => [
      expression,
      /Line \d+\.$/.exec(String(diagnostics))?.[0],
    ]);
    expect([answer.status >= 400, found]).toEqual([
      true,
      [
        [['Patient.active'], 'Line 2.'],
        [['Patient.name[0].famly'], 'Line 4.'],
      ].concat(found.slice(2)),
    ]);
    const validated = await send('POST', '/Patient/$validate', ordered);
    expect([validated.status, jsonIn(validated).issue[0]]).toEqual([
      200,
      expect.objectContaining({ expression: ['Patient.active'], diagnostics: expect.stringMatching(/Line 2\.$/) }),
    ]);
  });

  it.each([
    ['is not well-formed', `<Patient ${fhir}>`],
    [
      'has a DTD',
      `<!DOCTYPE Patient [<!ENTITY a SYSTEM "file:///etc/passwd">]><Patient ${fhir}><id value="&a;"/></Patient>`,
    ],
    ['is JSON', '{"resourceType":"Patient"}'],
    ['is empty', ''],
  ])('that %s is 400', async (_, body) => {
    const answer = await send('POST', '/Patient', body);
    expect([answer.status, jsonIn(answer).issue[0]]).toMatchObject([400, { severity: 'error', code: 'structure' }]);
  });

  it('of a Binary is the resource if it is a Binary, and content else', async () => {
    const binary = `<Binary ${fhir}><contentType value="text/plain"/><data value="YWJj"/></Binary>`;
    const made = await send('POST', '/Binary', binary);
    expect([made.status, jsonIn(made)]).toMatchObject([201, { contentType: 'text/plain', data: 'YWJj' }]);
    const other = await send('POST', '/Binary', '<ClinicalDocument/>', { 'Content-Type': 'application/xml' });
    expect([other.status, jsonIn(other)]).toMatchObject([
      201,
      { contentType: 'application/xml', data: Buffer.from('<ClinicalDocument/>').toString('base64') },
    ]);
    const document = await server.get(`/Binary/${jsonIn(other).id}`, { Accept: 'application/xml' });
    expect([document.headers['content-type'], document.text]).toEqual(['application/xml', '<ClinicalDocument/>']);
    const read = await server.get(`/Binary/${jsonIn(made).id}`, asXml);
    expect(jsonIn(read)).toMatchObject({ resourceType: 'Binary', data: 'YWJj' });
  });
});

/** JSON without what each answer has of its own. */
function withoutTimes(text: string): unknown {
  const drop = new Set(['date', 'lastUpdated']);
  const value = JSON.parse(text, (key, one: unknown) => (drop.has(key) ? undefined : one)) as { id?: string };
  return { ...value, id: undefined, link: undefined };
}
