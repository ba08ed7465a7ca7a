import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/read.ts';
import { requireModel } from '../../support/loaded-once.ts';
import { languageOf, languages } from '../../../src/pages/language.ts';
import { pageTexts } from '../../../src/pages/texts.ts';
import { permissionsOf } from '../../../src/smart/pages/permissions.ts';
import { timeText } from '../../../src/pages/time-text.ts';
import { texts } from '../../../src/smart/pages/texts/index.ts';

/** Every text with its path; functions are called with placeholders. */
function flat(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const call = value as (...args: unknown[]) => string; // each takes texts, numbers or a list
    return path === 'time' || /found$|more$/.test(path)
      ? [1, 2, 90_000].map((count): [string, string] => [`${path}(${count})`, call(count)])
      : path.endsWith('list')
        ? [[path, call(['QXONE', 'QXTWO'])]]
        : [[path, call('QXONE', path.endsWith('act') ? 'patient' : 'QXTWO')]];
  }
  return Object.entries(value as object).flatMap(([key, of]) => flat(of, path === '' ? key : `${path}.${key}`));
}

const [en, fr] = [flat({ frame: pageTexts.en, ...texts.en }), flat({ frame: pageTexts.fr, ...texts.fr })];

describe('the texts', () => {
  it('are the same ones in every language', () => {
    expect(fr.map(([path]) => path)).toEqual(en.map(([path]) => path));
    expect(en.length).toBeGreaterThan(120);
  });

  it('are there, and say what they are given', () => {
    const given = (text: string): readonly string[] =>
      (text.match(/QXONE|QXTWO/gi) ?? []).map(one => one.toUpperCase());
    const others = new Map(fr);
    for (const [path, text] of en) {
      expect([path, text.trim()]).not.toEqual([path, '']);
      const other = others.get(path) ?? '';
      expect([path, given(other).toSorted()]).toEqual([path, given(text).toSorted()]);
    }
  });

  it('are translated, but for words that both languages have', () => {
    const same = en.filter(([path, text]) => fr.find(([other]) => other === path)?.[1] === text).map(([path]) => path);
    expect(same).toEqual([]);
  });

  it('are set as Canadian French is', () => {
    for (const [path, text] of fr) {
      // a space that does not break before each colon
      expect([path, /[^\u00a0]:(?!\/)/.test(text)]).toEqual([path, false]);
      expect([path, /\s[;!?]/.test(text)]).toEqual([path, false]); // none before these
      expect([path, /«(?!\u00a0)|(?<!\u00a0)»/.test(text)]).toEqual([path, false]);
      expect([path, text.includes("'") || text.includes('...')]).toEqual([path, false]);
    }
    for (const [path, text] of en) expect([path, text.includes("'") || text.includes('...')]).toEqual([path, false]);
  });

  it('count as the language does', () => {
    expect([0, 1, 2].map(texts.en.patient.found)).toEqual([
      '0 patients found.',
      '1 patient found.',
      '2 patients found.',
    ]);
    expect([0, 1, 2].map(texts.fr.patient.found)).toEqual([
      '0\u00a0patient trouvé.',
      '1\u00a0patient trouvé.',
      '2\u00a0patients trouvés.',
    ]);
  });

  it.each([
    [1, '1 second', '1\u00a0seconde'],
    [59.5, '60 seconds', '60\u00a0secondes'],
    [61, '2 minutes', '2\u00a0minutes'],
    [3600, '1 hour', '1\u00a0heure'],
    [7_776_000, '90 days', '90\u00a0jours'],
  ])('contain times: %d s', (seconds, english, french) => {
    expect([texts.en.time(seconds), texts.fr.time(seconds)]).toEqual([english, french]);
  });

  it.each([
    ['1980-02-29', 'February 29, 1980', '29 février 1980'],
    ['1980-02', 'February 1980', 'février 1980'],
    ['1980', '1980', '1980'],
    ['nonsense', 'nonsense', 'nonsense'],
  ])('write dates: %s', (date, english, french) => {
    expect([timeText(date, 'en'), timeText(date, 'fr')]).toEqual([english, french]);
  });
});

describe('the language of a page', () => {
  const wishes: readonly [
    title: string,
    asked: string | null,
    kept: string | undefined,
    app: readonly string[],
    header: string | undefined,
    language: string,
  ][] = [
    ['is English without a preference', null, undefined, [], undefined, 'en'],
    ['is that of the browser', null, undefined, [], 'fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['is the one that the browser wants most', null, undefined, [], 'en;q=0.5, fr;q=0.7', 'fr'],
    ['is not one that it does not want', null, undefined, [], 'de, fr;q=0, en;q=0.1', 'en'],
    ['is that of the app rather', null, undefined, ['de', 'fr-CA', 'en'], 'en', 'fr'],
    ['is the one that was chosen before rather', null, 'en', ['fr'], 'fr', 'en'],
    ['is the one that is chosen now before all', 'fr', 'en', ['en'], 'en', 'fr'],
    ['is none that there is not', 'xx', 'yy', ['zz'], '*;q=nonsense,,;', 'en'],
  ];
  it.each(wishes)('%s', (_, asked, kept, app, header, language) => {
    const request = { headers: header === undefined ? {} : { 'accept-language': header } } as Parameters<
      typeof languageOf
    >[0]['request']; // all that is read
    expect(languageOf({ asked, kept, app, request })).toBe(language);
  });
});

describe('what scopes mean', () => {
  const lifetimes = { refreshIdle: 30 * 86_400_000, refreshLifetime: 90 * 86_400_000 };
  const asked =
    'openid fhirUser profile launch launch/patient offline_access online_access patient/Condition.rs ' +
    'patient/Appointment.rs?status=booked user/Media.c unheard/of.x';

  it('exists for every scope, in every language, with a name of the records', async () => {
    const { model } = await requireModel(readConfig([]));
    for (const language of languages) {
      for (const type of model.types.values()) expect(type.plainNames.get(language)).toMatch(/\S/);
      const { records, others } = permissionsOf(asked.split(' '), model, language, lifetimes);
      const all = [...records.flatMap(({ asked }) => asked), ...others];
      expect(all.flatMap(({ scopes }) => scopes).toSorted()).toEqual(asked.split(' ').toSorted());
      for (const { text } of all) expect(text).not.toMatch(/undefined|\[object/);
    }
  });

  it('names the types of a wildcard, and says of a large interface how many they are', async () => {
    const textsOf = async (scopes: string, flags: readonly string[]) => {
      const { model } = await requireModel(readConfig(flags));
      const { records } = permissionsOf(scopes.split(' '), model, 'en', lifetimes);
      return records.flatMap(({ heading, asked }) =>
        asked.map(({ scopes, text }) => [scopes.join(' '), heading, text]),
      );
    };
    expect(await textsOf('user/*.crs patient/*.r', [])).toEqual([
      [
        'user/*.crs',
        'Add and see records for anyone whose records you may see',
        'Appointments (see); Health problems and diagnoses (see); Visits (see); ' +
          'Name, date of birth and contact details (see); Photos and recordings (add)',
      ],
      [
        'patient/*.r',
        'See records for this patient',
        expect.stringMatching(/^Appointments; .*; Prescriptions; [^;]*$/),
      ],
    ]);
    const all = await textsOf('user/*.cruds patient/*.rs', ['--interface', 'r4']);
    expect(all.map(([scope, , text]) => [scope, text])).toEqual([
      ['user/*.cruds', expect.stringMatching(/^All 14\d kinds of records$/)],
      ['patient/*.rs', expect.stringMatching(/^All \d\d kinds of records$/)],
    ]);
  });

  it('is said in plain words', async () => {
    const { model } = await requireModel(readConfig([]));
    const { records, others } = permissionsOf(asked.split(' '), model, 'en', lifetimes);
    expect(records.map(({ heading, asked }) => [heading, ...asked.map(({ text, note }) => [text, note])])).toEqual([
      [
        'See records for this patient',
        ['Health problems and diagnoses', undefined],
        ['Appointments', 'only where status = booked'],
      ],
      ['Add records for anyone whose records you may see', ['Photos and recordings', undefined]],
    ]);
    expect(others.map(({ text, note, optional }) => [text, note, optional])).toEqual([
      ['Know who you are', undefined, false],
      ['Know which patient is open', undefined, false],
      [
        'Keep this access while you are away, for up to 90 days',
        'ends earlier if the app does not use it for 30 days',
        true,
      ],
      ['Keep this access for as long as you stay signed in here', undefined, true],
      ['Use the permission “unheard/of.x”', undefined, false],
    ]);
  });
});
