// https://hl7.org/fhir/R4/search.html#content
import { describe, expect, it } from 'vitest';
import { narrativeTexts } from '../../src/indexing/narrative.ts';
import { hasPhrase, printWords, uniqueWords, wordsOf } from '../../src/indexing/words.ts';
import { read } from './read.ts';

const wordsIn = (expression: string, resource: object): readonly unknown[] =>
  read('string', expression, { resourceType: 'Patient', ...resource }, 'UTC', 'words');
const words = (text: string) => ({ kind: 'words', text });

describe('the words of a text', () => {
  it.each([
    ['folded', 'Céphalée, AIGUË!', ['cephalee', 'aigue']],
    ['divided as a string is folded', "Jean-Pierre O'Brien a/b x_y", ['jean', 'pierre', 'obrien', 'a', 'b', 'x', 'y']],
    ['with digits, without symbols', '5.4 mg <6 $7 a=b ½', ['54', 'mg', '6', '7', 'a', 'b', '1', '2']],
    ['of other scripts, with their marks', 'हिन्दी 胸痛 Ελένης', ['हिन्दी', '胸痛', 'ελενησ']],
    ['without control characters and emoji', 'a\u0000b\u0001 \u{1f600} c\ud800d', ['a', 'b', 'c', 'd']],
    ['of only punctuation: none', '--- … ""', []],
    [
      'without Base64 and other runs without end',
      `a ${'x'.repeat(201)} ${'y'.repeat(200)} b`,
      ['a', 'y'.repeat(200), 'b'],
    ],
  ])('are %s', (_, text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  it.each(['A', 'é', ' ', '-', '\u{1f600}', 'a ', 'é-'])('are read from a long text of %j', part => {
    const begun = performance.now();
    wordsOf(part.repeat(4_000_000));
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('are found in sequence', () => {
    const text = printWords('Chest pain, since Monday');
    const has = (phrase: string, isPrefix = false): boolean => hasPhrase(text, { text: phrase, isPrefix });
    expect([has('chest pain'), has('pain since'), has('pain chest'), has('hest'), has('pai')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([has('chest pai', true), has('mon', true), has('on', true)]).toEqual([true, true, false]);
    expect(uniqueWords(' a b a . b c ')).toEqual(['a', 'b', 'c']);
  });
});

describe('the texts of a narrative', () => {
  it.each([
    ['without markup', '<div xmlns="http://www.w3.org/1999/xhtml">Chest <b>pain</b></div>', ['Chest pain']],
    ['with parts of words', '<div>s<sup>t</sup>art</div>', ['start']],
    ['one for each block', '<div><p>a</p><ul><li>b</li><li>c</li></ul>d</div>', ['a', 'b', 'c', 'd']],
    ['with spaces for breaks and pictures', '<div>a<br/>b<img src="#x" alt="y"/>c</div>', ['a b c']],
    ['without comments', '<div>a<!-- <p>b</p> -->c</div>', ['ac']],
    ['with entities', '<div>a &lt;b&gt; &amp;&#233;&#xE9;&nbsp;c</div>', ['a <b> &éé c']],
    ['with a `>` in an attribute', '<div title="a > b">c</div>', ['c']],
    ['with a `<` that begins nothing', '<div>a < 5 <b>c</b> <</div>', ['a   5 c  ']],
    ['with an attribute that does not end', '<div><a title="b>c</div>', [' a title="b>c']],
    ['with a comment that does not end', '<div>a<!-- b</div>', ['a']],
    ['with references to no character', '<div>&#9999999; &#xFFFFFF;</div>', ['&#9999999; &#xFFFFFF;']],
    ['of nothing', '<div> <p/></div>', []],
  ])('are %s', (_, div, expected) => {
    expect(narrativeTexts(div)).toEqual(expected);
  });

  it('are read in linear time', () => {
    for (const part of ['<', '<a ', '<a "', '&', '<!--', '<a \'"']) {
      const begun = performance.now();
      narrativeTexts(part.repeat(200_000));
      expect(performance.now() - begun).toBeLessThan(2_000);
    }
  });
});

describe('the entry', () => {
  it('of a narrative has its texts', () => {
    const text = { status: 'generated', div: '<div><p>Chest pain</p><p>Fever</p></div>' };
    expect(wordsIn('Patient.text', { text })).toEqual([words(' chest pain '), words(' fever ')]);
  });

  it('of a string parameter has the texts of its elements', () => {
    const name = [{ family: 'Roy', given: ['Anna', 'Maria'], period: { start: '2020' } }, { text: 'A. Roy' }];
    expect(wordsIn('Patient.name', { name })).toEqual([' roy ', ' anna ', ' maria ', ' a roy '].map(words));
    expect(wordsIn('Patient.address.city', { address: [{ city: 'Trois-Rivières' }] })).toEqual([
      words(' trois rivieres '),
    ]);
  });

  it('of a resource has all its texts, also those of contained ones, but neither id nor meta', () => {
    const resource = {
      id: 'id1',
      meta: { tag: [{ display: 'tagged' }] },
      text: { status: 'generated', div: '<div class="x">Narrative</div>' },
      contained: [{ resourceType: 'Organization', id: 'o', name: 'Clinic' }],
      active: true,
      birthDate: '1980-02-29',
      _birthDate: { extension: [{ url: 'urn:note', valueString: 'about' }] },
      multipleBirthInteger: 3,
      photo: [{ data: 'A'.repeat(400) }],
    };
    expect(wordsIn('Patient', resource)).toEqual(
      [' generated ', ' narrative ', ' o ', ' clinic ', ' 1980 02 29 ', ' urn note ', ' about '].map(words),
    );
  });

  it.each([
    ['a narrative that is none', 'Patient.text', { text: { div: 5 } }],
    ['texts that are none', 'Patient.name', { name: [{ family: 5, given: [null, {}] }] }],
  ])('is missing for %s', (_, expression, resource) => {
    expect(wordsIn(expression, resource)).toEqual([]);
  });
});
