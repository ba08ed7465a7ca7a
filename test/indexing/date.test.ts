// https://hl7.org/fhir/R4/search.html#date
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TIME, MIN_TIME } from '../../src/fhir/instant-range.ts';
import { read } from './read.ts';

const observation = (rest: object) => ({ resourceType: 'Observation', ...rest });

describe('dates', () => {
  it.each([
    [
      'a dateTime with zone',
      { effectiveDateTime: '2020-05-01T12:00:00Z' },
      ['2020-05-01T12:00:00.000Z 2020-05-01T12:00:01.000Z'],
    ],
    [
      'an instant',
      { effectiveInstant: '2020-05-01T12:00:00.5Z' },
      ['2020-05-01T12:00:00.500Z 2020-05-01T12:00:00.500Z+1'],
    ],
    [
      'an instant without a fraction, a point like every instant',
      { effectiveInstant: '2020-05-01T12:00:00Z' },
      ['2020-05-01T12:00:00.000Z 2020-05-01T12:00:00.000Z+1'],
    ],
    [
      'a day in the zone of the partition',
      { effectiveDateTime: '2020-05-01' },
      ['2020-05-01T04:00:00.000Z 2020-05-02T04:00:00.000Z'],
    ],
    [
      'a period',
      { effectivePeriod: { start: '2020-05-01T00:00Z', end: '2020-05-02T00:00Z' } },
      ['2020-05-01T00:00:00.000Z 2020-05-02T00:01:00.000Z'],
    ],
    ['a period without end', { effectivePeriod: { start: '2020-05-01T00:00Z' } }, ['2020-05-01T00:00:00.000Z end']],
    ['a period without start', { effectivePeriod: { end: '2020-05-01T00:00Z' } }, ['start 2020-05-01T00:01:00.000Z']],
    ['a period of nothing', { effectivePeriod: { extension: [] } }, []],
    ['a period that ends before it starts', { effectivePeriod: { start: '2020-05-03', end: '2020-05-01' } }, []],
    ['a period with an end that cannot be read', { effectivePeriod: { start: '2020-05-03', end: 'soon' } }, []],
    [
      'a timing has the outer limits of its events',
      { effectiveTiming: { event: ['2020-05-03T00:00Z', '2020-05-01T00:00Z', '2020-05-02T00:00Z'] } },
      ['2020-05-01T00:00:00.000Z 2020-05-03T00:01:00.000Z'],
    ],
    [
      'and of its bounds',
      { effectiveTiming: { event: ['2020-05-03T00:00Z'], repeat: { boundsPeriod: { start: '2020-05-01T00:00Z' } } } },
      ['2020-05-01T00:00:00.000Z end'],
    ],
    ['a timing that only repeats', { effectiveTiming: { repeat: { frequency: 1 } } }, []],
    ['a date that does not exist', { effectiveDateTime: '2020-02-30' }, []],
    ['what is no text', { effectiveDateTime: 2020 }, []],
    ['an extension without a value', { _effectiveDateTime: { extension: [{ url: 'urn:x', valueBoolean: true }] } }, []],
  ])('of %s', (_why, rest, expected) => {
    expect(print(read('date', 'Observation.effective', observation(rest)))).toEqual(expected);
  });

  it('of type date are days of UTC, whatever the zone', () => {
    const patient = { resourceType: 'Patient', birthDate: '2020-05-01' };
    expect(print(read('date', 'Patient.birthDate', patient))).toEqual([
      '2020-05-01T00:00:00.000Z 2020-05-02T00:00:00.000Z',
    ]);
  });

  it('of type date beside other types are days of the zone, as what they are compared with', () => {
    const due = { resourceType: 'Goal', target: [{ dueDate: '2018-10-29' }] };
    const extended = {
      resourceType: 'Patient',
      extension: [{ url: 'urn:seen', valueDate: '2018-10-29' }],
    };
    const values = [
      read('date', 'Goal.target.due.ofType(date)', due),
      read('date', "Patient.extension.where(url='urn:seen').value", extended),
      read('date', "Patient.extension.where(url='urn:seen')", extended),
    ];
    expect(print(values[0] ?? [])).toEqual(['2018-10-29T00:00:00.000Z 2018-10-30T00:00:00.000Z']);
    for (const one of values.slice(1))
      expect(print(one)).toEqual(['2018-10-29T04:00:00.000Z 2018-10-30T04:00:00.000Z']);
  });

  it('are several where a resource has several', () => {
    const request = {
      resourceType: 'MedicationRequest',
      dosageInstruction: [
        { timing: { event: ['2020-05-01T00:00Z', '2020-05-02T00:00Z'] } },
        { timing: { event: ['2021-01-01T00:00Z'] } },
      ],
    };
    expect(print(read('date', 'MedicationRequest.dosageInstruction.timing.event', request))).toHaveLength(3);
  });

  it('contain every moment that the text can mean', () => {
    const moment = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    const length = fc.constantFrom(4, 7, 10);
    fc.assert(
      fc.property(moment, length, (date, digits) => {
        const [entry] = read('date', 'Patient.birthDate', {
          resourceType: 'Patient',
          birthDate: date.toISOString().slice(0, digits),
        });
        if (entry?.kind !== 'date') throw new Error('no date');
        expect(entry.low).toBeLessThanOrEqual(date.getTime());
        expect(entry.high).toBeGreaterThan(date.getTime());
      }),
    );
  });
});

const print = (values: ReturnType<typeof read>): readonly string[] =>
  values.map(value => (value.kind === 'date' ? `${time(value.low)} ${time(value.high)}` : value.kind));

const time = (ms: number): string => {
  if (ms === MIN_TIME || ms === MAX_TIME) return ms === MIN_TIME ? 'start' : 'end';
  const finer = (ms - Math.floor(ms)) * 4096;
  return new Date(ms).toISOString() + (finer === 0 ? '' : `+${finer}`);
};
