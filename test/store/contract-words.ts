// https://hl7.org/fhir/R4/search.html#content
import { expect, it, onTestFinished } from 'vitest';
import type { IndexEntry } from '../../src/indexing/entry.ts';
import { joinWords, printWords, type Phrase } from '../../src/indexing/words.ts';
import type { Query } from '../../src/search/ast.ts';
import { IndexPending } from '../../src/store/port/errors.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';
import { indexSteps } from './support/verified.ts';

export const narrative = t.param('narrative', 'string', { reads: 'words' });
const content = t.param('content', 'string', { reads: 'words' });
const plain = [t.owner, t.code, t.name, t.date];

export const written = (...texts: readonly string[]): IndexEntry => entryOf('narrative', texts);
const entryOf = (param: string, texts: readonly string[]): IndexEntry => ({
  param,
  value: { kind: 'words', text: texts.map(printWords).reduce(joinWords) },
});

/** `a "b c" d*` as phrases. */
export function hasWords(text: string, param = narrative): Query {
  const phrases = (text.match(/"[^"]*"|\S+/g) ?? []).map((part): Phrase => {
    const inner = part.replaceAll('"', '');
    return { text: inner.replace('*', ''), isPrefix: inner.endsWith('*') };
  });
  return { kind: 'param', param, test: { kind: 'words', phrases } };
}

/** What a store promises of the words of full-text search. */
export function wordsContract(newPlace: () => Promise<t.Place>): void {
  const open = async (place: t.Place, params = [...plain, narrative], digest = 'words') => {
    const opened = await t.openDemo(place.url, { model: t.modelOf(params, digest), mode: 'command' });
    const findings = async () => (await indexSteps(opened.store, 'demo')).flatMap(step => step.findings);
    return { ...opened, findings };
  };

  it('finds words, phrases and beginnings, in the records as they are', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const { store, demo, findings } = await open(place);
    await store.partitions.add('other', { zone: 'UTC' });
    const other = await store.partition('other');
    await other?.write([t.put('elsewhere', [written('chest pain')])]);
    await demo.write(
      [
        t.put('a', [written('chest pain since monday')]),
        t.put('b', [written('pain', 'chest'), t.token('x')]),
        t.put('c', [written('été'), t.token('x')]),
        t.put('d', [t.token('x')]),
        t.put('e', [written('chest pain')]),
      ],
      t.each,
    );
    await demo.write([t.put('e', [written('pain chest')])]);
    const found = async (text: string): Promise<string> => (await t.find(demo, hasWords(text))).toSorted().join(' ');
    expect(await found('chest')).toBe('a b e');
    expect(await found('pain chest')).toBe('a b e');
    expect(await found('"chest pain"')).toBe('a');
    expect(await found('"pain chest"')).toBe('e');
    expect(await found('"pain chest" che*')).toBe('e');
    expect(await found('"chest pain si*"')).toBe('a');
    expect(await found('ete')).toBe('c');
    expect(await found('hest')).toBe('');
    expect(await t.find(demo, t.and(hasWords('pain'), t.hasCode('x')))).toEqual(['b']);
    const none: Query = { kind: 'not', of: hasWords('pain') };
    expect((await t.find(demo, none)).toSorted()).toEqual(['c', 'd']);
    expect((await t.find(demo, { kind: 'present', param: narrative })).toSorted()).toEqual(['a', 'b', 'c', 'e']);
    expect(await demo.count(t.typeName, hasWords('pain'))).toBe(3);

    await demo.write([t.remove('a'), t.put('b', [])], t.each);
    expect(await found('pain')).toBe('e');
    await demo.write([t.put('a', [written('again')])]);
    expect([await found('pain'), await found('again')]).toEqual(['e', 'a']);
    expect(await findings()).toEqual([]);
    await store.close();
  });

  it('creates a record only if none has the words', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await open(place);
    const create = async (id: string, text: string) => {
      const precondition = { is: 'no-match', query: hasWords('"chest pain"') } as const;
      const [result] = await demo.write([t.put(id, [written(text)], { precondition })]);
      return [result?.outcome, result?.id];
    };
    expect(await create('a', 'pain chest')).toEqual(['created', 'a']);
    expect(await create('b', 'chest pain')).toEqual(['created', 'b']);
    expect(await create('c', 'chest pain')).toEqual(['matched', 'b']);
    await store.close();
  });

  it('builds indexes that the definitions newly declare, and drops those that they no longer declare', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const both = [written('chest pain'), entryOf('content', ['fever'])];
    const before = await open(place, plain, 'plain');
    await before.demo.write([t.put('a', both), t.put('b')], t.each);
    await before.store.close();

    const first = await open(place, [...plain, narrative, content], 'both');
    expect((await t.pending(first.store)).map(({ param }) => param).toSorted()).toEqual(['content', 'narrative']);
    await expect(t.find(first.demo, hasWords('pain'))).rejects.toThrow(IndexPending);
    // A write meanwhile has its words, and a rebuild adds them again.
    await first.demo.write([t.put('b', both), t.put('c', both)], t.each);
    await list(first.store.indexes.rebuild('demo'));
    expect(await t.pending(first.store)).toEqual([]);
    expect((await t.find(first.demo, hasWords('"chest pain"'))).toSorted()).toEqual(['a', 'b', 'c']);
    expect((await t.find(first.demo, hasWords('fever', content))).toSorted()).toEqual(['a', 'b', 'c']);
    expect(await first.findings()).toEqual([]);
    await first.store.close();

    const second = await open(place, [...plain, content], 'content');
    await list(second.store.indexes.rebuild('demo'));
    await second.demo.write([t.put('a', [entryOf('content', ['cough'])])]);
    expect(await t.find(second.demo, hasWords('cough', content))).toEqual(['a']);
    expect(await second.findings()).toEqual([]);
    await second.store.close();

    const third = await open(place, [...plain, narrative], 'narrative');
    await list(third.store.indexes.rebuild('demo'));
    expect((await t.find(third.demo, hasWords('pain'))).toSorted()).toEqual(['b', 'c']);
    expect(await third.findings()).toEqual([]);
    await third.store.close();

    const last = await open(place, plain, 'plain');
    await list(last.store.indexes.rebuild('demo'));
    expect(await last.findings()).toEqual([]);
    await last.store.close();
  });
}
