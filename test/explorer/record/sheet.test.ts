// https://hl7.org/fhir/R4/structuredefinition.html, https://hl7.org/fhir/R4/datatypes.html
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordSheet } from '../../../src/explorer/record/sheet.ts';
import type { RecordView } from '../../../src/explorer/record/view.ts';
import { base, openView, parsed, shownText } from '../support.ts';

const sheetOf = (record: object | string, view: RecordView): string => {
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  const { resource, view: own } = parsed(text, view);
  return recordSheet(resource, own).text;
};

describe('the sheet of a record', () => {
  let view: RecordView;
  beforeAll(async () => {
    view = await openView();
  }, 60_000);

  it('has the elements in the order of their definition, with labels and printed values', () => {
    const sheet = sheetOf(
      {
        resourceType: 'Patient',
        id: 'p1',
        birthDate: '1980-02-29',
        name: [{ family: 'Tremblay', given: ['Zoë', 'Anne'], use: 'official' }],
        active: true,
        gender: 'female',
        telecom: [{ system: 'phone', value: '+1 555 0100' }],
      },
      view,
    );
    expect(shownText(sheet)).toBe(
      'Active Yes Name Zoë Anne Tremblay official Telecom +1 555 0100 phone Gender female ' +
        'Birth date February 29, 1980 Meta ID p1',
    );
    expect(sheet).toContain('<a href="tel:+15550100"');
    expect(sheet).toContain('<time datetime="1980-02-29">');
  });

  it('has the labels of the language of the page', async () => {
    const french = await openView({ language: 'fr' });
    const record = { resourceType: 'Patient', birthDate: '1980-02', active: false };
    expect(shownText(sheetOf(record, french))).toBe('Actif Non Date de naissance février 1980');
  });

  it('has the digits of numbers as they were written', () => {
    const record = '{"resourceType":"Observation","valueQuantity":{"value":5.10,"unit":"mmol/L","comparator":">="}}';
    expect(shownText(sheetOf(record, view))).toBe('Value ≥ 5.10 mmol/L');
  });

  it('shows the display of a code that the definitions have', () => {
    const record = { resourceType: 'Appointment', status: 'noshow' };
    expect(shownText(sheetOf(record, view))).toBe('Status No Show noshow');
  });

  it.each([
    ['Patient/p1', '/r4/demo/Patient/p1'],
    [`${base}/Patient/p1`, '/r4/demo/Patient/p1'],
    ['#x', '#contained-x'],
    ['https://example.org/fhir/Patient/p1', 'https://example.org/fhir/Patient/p1'],
    ['Organization/o1', undefined], // not served here
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
  ])('links the reference %s to %s', (reference, href) => {
    const sheet = sheetOf({ resourceType: 'Observation', subject: { reference } }, view);
    expect(/href="([^"]*)"/.exec(sheet)?.[1]).toBe(href);
    expect(shownText(sheet)).toContain(reference);
  });

  it('shows extensions under the title of their definition, also of a primitive without a value', () => {
    const url = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason';
    const record = {
      resourceType: 'Patient',
      _birthDate: { extension: [{ url, valueCode: 'unknown' }] },
      extension: [{ url: 'https://example.org/shoe-size', valueInteger: 43 }],
    };
    expect(shownText(sheetOf(record, view))).toBe('Birth date Data Absent Reason unknown shoe-size 43');
  });

  it('shows a property that R4 does not define, and says so', () => {
    expect(shownText(sheetOf({ resourceType: 'Patient', shoeSize: 43 }, view))).toBe('shoeSize 43 Not defined by R4');
  });

  it('never has markup of a record', () => {
    const evil = '<script>alert(1)</script>"\'><img src=x onerror=1>';
    const record = {
      resourceType: 'Patient',
      id: evil,
      name: [{ family: evil }],
      [evil]: evil,
      contained: [{ resourceType: 'Observation', id: evil, note: [{ text: evil, authorString: evil }] }],
      photo: [{ contentType: evil, url: evil, title: evil }],
      extension: [{ url: evil, valueString: evil }],
      generalPractitioner: [{ reference: evil, display: evil, identifier: { value: evil } }],
    };
    const sheet = sheetOf(record, view);
    expect(sheet).not.toMatch(/<(?:script|img)/);
    expect(sheet.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(9);
  });

  it('shows a picture by a link to it, and only of formats without scripts', () => {
    const own = { ...view, pictureLink: (place: string) => `${base}/picture?${place}` };
    const picture = (contentType: string): string =>
      sheetOf({ resourceType: 'Patient', photo: [{ contentType, data: 'AAAA', title: 'Ann' }] }, own);
    expect(picture('image/png')).toContain(`<img class="picture" src="${base}/picture?Patient.photo[0]"`);
    expect(picture('image/png')).toContain('alt="Picture: Ann"');
    expect(picture('image/svg+xml')).not.toContain('<img');
  });

  it('puts findings beside their elements, and leaves none out', async () => {
    const finding = (place: string) => ({ severity: 'error', text: `Wrong at ${place}.`, place }) as const;
    const places = ['Patient', 'Patient.name[0].family', 'Patient.contact[0].gender', 'Patient.gender', 'Patient.foo'];
    const own = await openView({ findings: places.map(finding) });
    const sheet = shownText(
      sheetOf(
        {
          resourceType: 'Patient',
          name: [{ family: 'Roy' }],
          contact: [{ gender: 'x', name: { family: 'Poe' } }],
          gender: 'y',
        },
        own,
      ),
    );
    expect(sheet).toMatch(/^Error: Wrong at Patient\. Name Roy Error: Wrong at Patient\.name\[0\]\.family\./);
    expect(sheet).toMatch(/Gender y Error: Wrong at Patient\.gender\./);
    expect(sheet).toMatch(/Gender x Error: Wrong at Patient\.contact\[0\]\.gender\./);
    expect(own.findings.rest()).toEqual([finding('Patient.foo')]);
  });
});

const examples = join(import.meta.dirname, '../../../node_modules/hl7.fhir.r4.examples');
/** Definitions are thousands of records, and a Bundle has records of its own. */
const wanted = /^(?!StructureDefinition|ValueSet|CodeSystem|SearchParameter|ConceptMap|Bundle|Implem)[A-Z].*\.json$/;

describe.runIf(existsSync(examples))('the sheets of the official examples of R4', () => {
  it('have every text of the record, in pages of at most 100 kB', async () => {
    const view = await openView({ r4: true });
    const names = readdirSync(examples).filter(name => wanted.test(name));
    expect(names.length).toBeGreaterThan(700);
    const lost: string[] = [];
    const [long, large]: [string[], string[]] = [[], []];
    for (const name of names) {
      const text = readFileSync(join(examples, name), 'utf8');
      const sheet = sheetOf(text, view);
      if (sheet.length >= 100_000) large.push(name);
      const shown = shownText(sheet);
      if (shown.includes(view.texts.cut)) long.push(name);
      else
        for (const [path, value] of textsIn(JSON.parse(text), ''))
          if (!isElsewhere(path, value) && !shown.includes(value.replaceAll(/\s+/g, ' ').trim()))
            lost.push(`${name} ${path}`);
    }
    expect([...lost, ...large]).toEqual([]);
    expect(long.length).toBeLessThan(20);
  }, 120_000);
});

function* textsIn(value: unknown, path: string): Iterable<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) yield* textsIn(one, Array.isArray(value) ? path : `${path}.${name}`);
}

/**
 * Printed in another form (dates), or left to the JSON: markup, content of files, long texts, ids of elements,
 * the system and code of the units of a range or ratio, the text of an address that has lines.
 */
const isElsewhere = (path: string, text: string): boolean =>
  /(?:\.resourceType|\.url|\.div|\.data|\..*\.id)$/.test(path) ||
  /^\d{4}(?:-|$)/.test(text) ||
  text.length > 2000 ||
  /(?:\.low|\.high|\.numerator|\.denominator)\.(?:system|code)$/.test(path) ||
  /[aA]ddress\.text$/.test(path);
