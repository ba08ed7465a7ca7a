// https://hl7.org/fhir/R4/observation.html
import { beforeAll, describe, expect, it } from 'vitest';
import { chartSvg } from '../../../src/explorer/patient/chart.ts';
import { membersOf } from '../../../src/explorer/patient/members.ts';
import type { Member } from '../../../src/explorer/patient/members.ts';
import { measuredOf, seriesOf } from '../../../src/explorer/patient/series.ts';
import type { Series } from '../../../src/explorer/patient/series.ts';
import { patientTexts } from '../../../src/explorer/patient/texts.ts';
import type { RecordView } from '../../../src/explorer/record/view.ts';
import { observation } from '../../support/resources.ts';
import { openView, parsed } from '../support.ts';

const systolic = { coding: [{ system: 'http://loinc.org', code: '8480-6', display: 'Systolic' }] };
const diastolic = { coding: [{ system: 'http://loinc.org', code: '8462-4', display: 'Diastolic' }] };
const mm = (value: number): object => ({ value, unit: 'mmHg', system: 'http://unitsofmeasure.org', code: 'mm[Hg]' });

describe('the series of measured values', () => {
  let view: RecordView;
  let member: Member;
  beforeAll(async () => {
    view = await openView();
    const found = membersOf(view.model, 'Patient').find(({ type }) => type.name === 'Observation');
    if (found === undefined) throw new Error('No member');
    member = found;
  }, 60_000);

  const seriesIn = (records: readonly object[]): readonly Series[] => {
    const { resource, view: own } = parsed(JSON.stringify({ records }), view);
    return seriesOf(resource['records'] as never, member, own, 'UTC');
  };

  it('are where the definition of a type has a code, a value and a range', async () => {
    const { model } = await openView({ r4: true });
    const measured = [...model.types.values()].flatMap(({ name, definition }) =>
      measuredOf(definition).map(({ path, value }) => [name, ...path, value].join('.')),
    );
    expect(measured).toEqual(['Observation.valueQuantity', 'Observation.component.valueQuantity']);
  });

  it('are by code and unit, oldest first, of components too', () => {
    const found = seriesIn([
      observation('o2', { effectiveDateTime: '2024-05-02', valueQuantity: { value: 180, unit: 'cm', code: 'cm' } }),
      observation('o1', { effectiveDateTime: '2024-05-01', valueQuantity: { value: 179, unit: 'cm', code: 'cm' } }),
      observation('o3', { effectiveDateTime: '2024-05-03', valueQuantity: { value: 1.8, unit: 'm', code: 'm' } }),
      observation('o4', {
        component: [
          { code: systolic, valueQuantity: mm(120) },
          { code: diastolic, valueQuantity: mm(80) },
        ],
      }),
      observation('o7', { status: 'entered-in-error', valueQuantity: { value: 17, unit: 'cm', code: 'cm' } }),
      observation('o5', { valueString: 'tall' }),
      observation('o6', { effectiveDateTime: undefined, valueQuantity: mm(1) }),
    ]);
    expect(found.map(({ title, unit, token, points }) => [title, unit, token, points.map(({ text }) => text)])).toEqual(
      [
        ['Body height', 'cm', 'http://loinc.org|8302-2', ['179 cm', '180 cm']],
        ['Body height', 'm', 'http://loinc.org|8302-2', ['1.8 m']],
        ['Systolic', 'mmHg', 'http://loinc.org|8480-6', ['120 mmHg']],
        ['Diastolic', 'mmHg', 'http://loinc.org|8462-4', ['80 mmHg']],
      ],
    );
  });

  it('have the newest normal reference range in the unit of the values', () => {
    const kind = (code: string): object => ({ type: { coding: [{ code }] } });
    const at = (id: string, day: string, ...referenceRange: readonly object[]): object =>
      observation(id, { effectiveDateTime: day, valueQuantity: mm(100), referenceRange });
    expect(seriesIn([at('a', '2024-01-01', { low: mm(90), high: mm(120) }), at('b', '2024-02-01')])[0]?.range).toEqual({
      low: 90,
      high: 120,
    });
    expect(
      seriesIn([at('a', '2024-01-01', { ...kind('therapeutic'), low: mm(1) }, { ...kind('normal'), high: mm(130) })])[0]
        ?.range,
    ).toEqual({ low: undefined, high: 130 });
    expect(
      seriesIn([at('a', '2024-01-01', { low: { value: 9, unit: 'kPa', code: 'kPa' } })])[0]?.range,
    ).toBeUndefined();
  });

  it('are drawn with their range, and what lies outside of it has another form', () => {
    const [series] = seriesIn(
      [90, 125, 140].map((value, at) =>
        observation(`o${at}`, {
          effectiveDateTime: `2024-0${at + 1}-01`,
          valueQuantity: mm(value),
          referenceRange: [{ low: mm(95), high: mm(130) }],
        }),
      ),
    );
    if (series === undefined) throw new Error('No series');
    const svg = chartSvg(series, { language: 'en', texts: patientTexts.en }).text;
    expect(svg).toContain(
      'aria-label="Body height: 3 values from January 1, 2024 to March 1, 2024; ' +
        'latest 140 mmHg, lowest 90 mmHg, highest 140 mmHg"',
    );
    expect(svg.match(/class="band"/g)).toHaveLength(1);
    expect(svg.match(/class="dot"/g)).toHaveLength(1);
    expect(svg.match(/class="dot out"/g)).toHaveLength(2);
    expect(svg).not.toMatch(/NaN|Infinity|undefined|style=/);
  });

  it('of one value, and of equal values, are drawn too', () => {
    for (const records of [[0], [5, 5]]) {
      const [series] = seriesIn(records.map((value, at) => observation(`o${at}`, { valueQuantity: mm(value) })));
      const svg = series && chartSvg(series, { language: 'fr', texts: patientTexts.fr }).text;
      expect(svg).toContain('<polyline');
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});
