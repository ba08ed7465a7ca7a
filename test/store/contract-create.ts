import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import type { Model } from '../../src/model/model.ts';
import type { Query } from '../../src/search/ast.ts';
import { KeyUsed, RequirementFailed, SeveralMatch, VersionConflict } from '../../src/store/port/errors.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Change, Requirement } from '../../src/store/port/records.ts';
import type { Store } from '../../src/store/port/store.ts';
import { each, type Place } from './support/fixture.ts';
import { openClinic, person, picture, shippedModel, withIdentifier } from './support/shipped.ts';
import { type Where, whereKept } from './support/where.ts';

/** What every store promises about creating: conditional creates and keys of writes. */
export function createContract(where: Where): void {
  const itInOrder = whereKept(it, where, 'commit-order');
  let place: Place;
  let model: Model;
  let store: Store;
  let clinic: Partition;
  let time = Date.parse('2026-01-01T00:00:00Z');

  const open = async (): Promise<void> => {
    ({ store, clinic } = await openClinic(place.url, model, { now: () => time }, where.open));
  };
  const reopen = async (): Promise<void> => {
    await store.close();
    await open();
  };
  beforeAll(async () => {
    place = await where.newPlace();
    model = await shippedModel();
    await open();
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  describe('what a write requires of other records', () => {
    const there = (id: string): Requirement => ({ is: 'there', type: 'Patient', id });
    const none = (identifier: string): Requirement => ({
      is: 'no-match',
      type: 'Patient',
      query: withIdentifier(model, identifier),
    });
    const base = 'https://records.example/r4/clinic';
    const unreferred = (ids: readonly string[], except: readonly string[] = []): Requirement => ({
      is: 'unreferred',
      type: 'Patient',
      ids,
      base,
      except: except.map(id => ({ type: 'Media', id })),
    });
    beforeAll(async () => {
      await clinic.write([person('r-there', 'R'), person('r-gone', 'R gone')], each);
      await clinic.write([{ kind: 'remove', type: 'Patient', id: 'r-gone' }]);
      const pictures = [
        picture('r-of-1', 'r', {}, 'r-pictured'),
        picture('r-of-2', 'r', {}, 'r-pictured'),
        picture('r-removed', 'r', {}, 'r-there'),
        picture('r-absolute', 'r', { text: absolutePicture('r-absolute', `${base}/Patient/r-by-url`) }),
      ];
      await clinic.write(pictures, each);
      await clinic.write([{ kind: 'remove', type: 'Media', id: 'r-removed' }]);
    });

    it.each([
      ['that one exists, as it does', () => [there('r-there')], true],
      ['that one exists, but it was deleted', () => [there('r-gone')], false],
      ['that one exists, but it never did', () => [there('r-never')], false],
      ['that none matches, as it is', () => [none('R gone'), none('never')], true],
      ['that none matches, but one does', () => [none('never'), none('R')], false],
      ['that none refers to one, as it is', () => [unreferred(['r-there', 'r-never'])], true],
      ['that none refers to one, but two do', () => [unreferred(['r-there', 'r-pictured'])], false],
      ['that none refers to one, but one does of two', () => [unreferred(['r-pictured'], ['r-of-1'])], false],
      ['that none refers to one, apart from some', () => [unreferred(['r-pictured'], ['r-of-1', 'r-of-2'])], true],
      ['that none refers to one, but one does by a URL', () => [unreferred(['r-by-url'])], false],
      ['that none of others refers to it by a URL', () => [unreferred(['r-by-url'], ['r-absolute', 'none'])], true],
      ['what holds, and what does not', () => [there('r-there'), none('R')], false],
    ] as const)('%s', async (title, requires, holds) => {
      const id = `r-${title.length}`;
      const key = { key: title, body: '', expires: time + 1_000 };
      const write = clinic.write([person(id, 'required')], {
        requires: requires(),
        key,
        mark: { key: title, value: 'done' },
      });
      const failure: unknown = await write.then(() => undefined).catch((error: unknown) => error);
      expect(failure instanceof RequirementFailed).toBe(!holds);
      expect((await clinic.read('Patient', id)) !== undefined).toBe(holds);
      expect(await clinic.mark(title)).toBe(holds ? 'done' : undefined);
      expect(await clinic.write([], { key })).toHaveLength(holds ? 1 : 0);
    });

    it('which types there are records of', async () => {
      expect(await clinic.types()).toEqual(['Media', 'Patient']);
    });

    it('which types refer to some records', async () => {
      const types = (...ids: readonly string[]) => clinic.types({ type: 'Patient', ids, base });
      expect(await types('r-there', 'r-never')).toEqual([]);
      expect(await types('r-there', 'r-pictured')).toEqual(['Media']);
      expect(await types('r-by-url')).toEqual(['Media']);
      const elsewhere = { type: 'Patient', ids: ['r-by-url'], base: 'https://elsewhere.example' };
      expect(await clinic.types(elsewhere)).toEqual([]);
      const many = Array.from({ length: 3_000 }, (_, at) => `r-many-${at}`);
      let turned = false;
      setImmediate(() => (turned = true));
      expect(await types(...many, 'r-pictured')).toEqual(['Media']);
      expect(turned).toBe(true); // other requests are answered meanwhile
    });

    itInOrder('is decided in the write: what is deleted while others need it is not needed by any', async () => {
      for (let round = 0; round < 20; round += 1) {
        const [target, other] = [`r-target-${round}`, `r-other-${round}`];
        await clinic.write([person(target, 'target')]);
        const [needs, removal] = await Promise.allSettled([
          clinic.write([person(other, `needs ${round}`)], { requires: [there(target)] }),
          clinic.write([{ kind: 'remove', type: 'Patient', id: target }], { requires: [none(`needs ${round}`)] }),
        ]);
        expect([needs.status, removal.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      }
    });
  });

  describe('no-match', () => {
    const noMatch = (identifier: string) => ({ is: 'no-match', query: withIdentifier(model, identifier) }) as const;

    it('creates where nothing matches, and gives the one that matches otherwise', async () => {
      const [first] = await clinic.write([person('a1', 'A', { precondition: noMatch('A') })]);
      expect(first).toMatchObject({ outcome: 'created', id: 'a1', version: 1 });
      const [second] = await clinic.write([person('a2', 'A', { precondition: noMatch('A') })]);
      expect(second).toEqual({ ...first, outcome: 'matched' });
      expect(await clinic.read('Patient', 'a2')).toBeUndefined();
    });

    it('fifty at once make one record', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          clinic.write([person(`fifty${at}`, 'fifty', { precondition: noMatch('fifty') })]),
        ),
      );
      const outcomes = results.map(([result]) => result?.outcome);
      expect(outcomes.filter(outcome => outcome === 'created')).toHaveLength(1);
      expect(outcomes.filter(outcome => outcome === 'matched')).toHaveLength(49);
      expect(new Set(results.map(([result]) => result?.id)).size).toBe(1);
      expect(await clinic.count('Patient', withIdentifier(model, 'fifty'))).toBe(1);
    });

    it('several in one write see what those before them created', async () => {
      const results = await clinic.write([
        person('in-one-1', 'in one', { precondition: noMatch('in one') }),
        person('in-one-2', 'in one', { precondition: noMatch('in one') }),
      ]);
      expect(results.map(({ outcome, id }) => [outcome, id])).toEqual([
        ['created', 'in-one-1'],
        ['matched', 'in-one-1'],
      ]);
    });

    it('throws SeveralMatch where several match', async () => {
      await clinic.write([person('several1', 'S'), person('several2', 'S')], each);
      await expect(clinic.write([person('several3', 'S', { precondition: noMatch('S') })])).rejects.toThrow(
        SeveralMatch,
      );
      expect(await clinic.read('Patient', 'several3')).toBeUndefined();
    });

    it('that throws SeveralMatch leaves nothing of the write done', async () => {
      await clinic.write([person('b1', 'B'), person('b2', 'B')]);
      await expect(
        clinic.write([person('b3', 'other'), person('b4', 'B', { precondition: noMatch('B') })]),
      ).rejects.toThrow(SeveralMatch);
      expect(await clinic.read('Patient', 'b3')).toBeUndefined();
    });

    describe('that excepts records of the same write', () => {
      const apart = (identifier: string, ...except: string[]) => ({ ...noMatch(identifier), except });
      const gone = (id: string): Change => ({ kind: 'remove', type: 'Patient', id });

      it('creates where only those match, whatever their place in the write', async () => {
        await clinic.write([person('x1', 'X'), person('x2', 'X'), person('x3', 'X')]);
        const results = await clinic.write([
          gone('x1'),
          person('x4', 'X', { precondition: apart('X', 'x1', 'x2', 'x3', 'x5') }),
          person('x2', 'not X'),
          gone('x3'),
          person('x5', 'X'),
        ]);
        const outcomes = results.map(({ outcome }) => outcome);
        expect(outcomes).toEqual(['removed', 'created', 'updated', 'removed', 'created']);
      });

      it('throws RequirementFailed where another one matches, and leaves nothing of the write done', async () => {
        await clinic.write([person('y1', 'Y')]);
        const changes = [person('y2', 'free'), person('y3', 'Y', { precondition: apart('Y', 'y2') }), gone('y1')];
        await expect(clinic.write(changes)).rejects.toThrow(RequirementFailed);
        expect((await clinic.read('Patient', 'y1'))?.version).toBe(1);
        expect(await clinic.readMany(['y2', 'y3'].map(id => ({ type: 'Patient', id })))).toEqual([]);
      });

      it('decides by what a reference without a type meant before the write', async () => {
        const param = model.types.get('Media')?.indexed.get('patient');
        if (param === undefined) throw new Error('The parameter is not there');
        const query: Query = { kind: 'param', param, test: { kind: 'reference', id: 'new-in-z' } };
        const results = await clinic.write([
          picture('z1', 'z', {}, 'new-in-z'),
          picture('z2', 'z', { precondition: { is: 'no-match', query, except: ['z1'] } }, 'new-in-z'),
        ]);
        expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
      });

      it('fifty writes of two records at once make one pair', async () => {
        const write = (at: number) =>
          clinic.write([
            person(`pair-${at}-a`, 'other'),
            person(`pair-${at}-b`, 'pair', { precondition: apart('pair', `pair-${at}-a`) }),
          ]);
        const results = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => write(at)));
        const failed = results.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
        expect(failed).toHaveLength(49);
        expect(failed.every(error => error instanceof RequirementFailed)).toBe(true);
        expect(await clinic.count('Patient', withIdentifier(model, 'pair'))).toBe(1);
        expect(await clinic.count('Patient', withIdentifier(model, 'other'))).toBe(1);
      });
    });

    it('finds what has changed before: updated into a match, out of it, and removed', async () => {
      await clinic.write([person('before1', 'was'), person('before2', 'was 2'), person('before3', 'was 3')], each);
      await clinic.write([person('before1', 'is')]);
      await clinic.write([person('before2', 'is 2')]);
      await clinic.write([{ kind: 'remove', type: 'Patient', id: 'before3' }]);
      const create = async (id: string, identifier: string) =>
        (await clinic.write([person(id, identifier, { precondition: noMatch(identifier) })]))[0];
      expect(await create('before4', 'is')).toMatchObject({ outcome: 'matched', id: 'before1', version: 2 });
      expect(await create('before5', 'was 2')).toMatchObject({ outcome: 'created', id: 'before5' });
      expect(await create('before6', 'was 3')).toMatchObject({ outcome: 'created', id: 'before6' });
    });

    itInOrder('finds what has changed meanwhile: updated into a match, out of it, and removed', async () => {
      await clinic.write([person('c1', 'before'), person('c2', 'C'), person('c3', 'gone')]);
      const writes = [
        clinic.write([person('c1', 'after')]),
        clinic.write([person('c4', 'after', { precondition: noMatch('after') })]),
        clinic.write([person('c2', 'not C')]),
        clinic.write([person('c5', 'C', { precondition: noMatch('C') })]),
        clinic.write([{ kind: 'remove', type: 'Patient', id: 'c3' }]),
        clinic.write([person('c6', 'gone', { precondition: noMatch('gone') })]),
      ];
      const results = (await Promise.all(writes)).map(([result]) => [result?.outcome, result?.id]);
      expect(results).toEqual([
        ['updated', 'c1'],
        ['matched', 'c1'],
        ['updated', 'c2'],
        ['created', 'c5'],
        ['removed', 'c3'],
        ['created', 'c6'],
      ]);
    });

    itInOrder('of two that matched one may go meanwhile', async () => {
      await clinic.write([person('d1', 'D'), person('d2', 'D')]);
      const [, [result]] = await Promise.all([
        clinic.write([{ kind: 'remove', type: 'Patient', id: 'd1' }]),
        clinic.write([person('d3', 'D', { precondition: noMatch('D') })]),
      ]);
      expect(result).toMatchObject({ outcome: 'matched', id: 'd2' });
    });

    it('by a reference whose type is not named finds what has come meanwhile', async () => {
      const param = model.types.get('Media')?.indexed.get('patient');
      if (param === undefined) throw new Error('The parameter is not there');
      const query: Query = { kind: 'param', param, test: { kind: 'reference', id: 'nobody-yet' } };
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          clinic.write([picture(`ref${at}`, 'r', { precondition: { is: 'no-match', query } }, 'nobody-yet')]),
        ),
      );
      const outcomes = results.map(([result]) => result?.outcome);
      expect(outcomes.filter(outcome => outcome === 'created')).toHaveLength(1);
      expect(outcomes.filter(outcome => outcome === 'matched')).toHaveLength(9);
    });

    it('asks whatever a search asks: all of several, none of some, any', async () => {
      await clinic.write([person('g1', 'G', {}), person('g2', 'G2')], each);
      const both: Query = { kind: 'and', of: [withIdentifier(model, 'G'), { kind: 'id', anyOf: ['g1', 'g2'] }] };
      expect(await clinic.write([person('g3', 'x', { precondition: { is: 'no-match', query: both } })])).toMatchObject([
        { outcome: 'matched', id: 'g1' },
      ]);
      const neither: Query = { kind: 'and', of: [both, { kind: 'not', of: { kind: 'id', anyOf: ['g1'] } }] };
      expect(
        await clinic.write([person('g4', 'x', { precondition: { is: 'no-match', query: neither } })]),
      ).toMatchObject([{ outcome: 'created', id: 'g4' }]);
      await expect(
        clinic.write([person('g5', 'x', { precondition: { is: 'no-match', query: { kind: 'all' } } })]),
      ).rejects.toThrow(SeveralMatch);
    });

    it('does not go with another change of the same resource in one write', async () => {
      await expect(
        clinic.write([person('h1', 'H', { precondition: noMatch('H') }), person('h1', 'H')]),
      ).rejects.toThrow('created conditionally');
    });

    it('throws VersionConflict where nothing matches and the id is taken', async () => {
      await clinic.write([person('e1', 'E')]);
      await expect(clinic.write([person('e1', 'F', { precondition: noMatch('F') })])).rejects.toThrow(VersionConflict);
    });

    it('in another partition does not match', async () => {
      await store.partitions.add('other', { zone: 'UTC' });
      const other = await store.partition('other');
      const [result] = (await other?.write([person('a1', 'A', { precondition: noMatch('A') })])) ?? [];
      expect(result?.outcome).toBe('created');
    });
  });

  describe('a key', () => {
    const key = (name: string, body = 'body') => ({ key: { key: name, body, expires: time + 1_000 } });

    it('used fifty times at once makes one record and fifty equal results', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, at) => clinic.write([person(`key${at}`, 'key')], key('fifty'))),
      );
      const first = results.map(([result]) => result).find(result => result?.outcome === 'created');
      expect(first).toBeDefined();
      const repeated = { ...first, outcome: 'repeated', first: 'created' };
      expect(results.filter(([result]) => result?.outcome === 'created')).toHaveLength(1);
      expect(results.filter(([result]) => result?.outcome === 'repeated')).toEqual(
        Array.from({ length: 49 }, () => [repeated]),
      );
      expect(await clinic.count('Patient', withIdentifier(model, 'key'))).toBe(1);
    });

    it('keeps the result of a conditional create, also where one matched', async () => {
      const change = (id: string) =>
        person(id, 'kept', { precondition: { is: 'no-match', query: withIdentifier(model, 'kept') } });
      const [created] = await clinic.write([change('kept1')], key('kept 1'));
      const [matched] = await clinic.write([change('kept2')], key('kept 2'));
      expect([created?.outcome, matched?.outcome]).toEqual(['created', 'matched']);
      await clinic.write([person('kept1', 'changed since')]);
      for (const [name, first] of [
        ['kept 1', created],
        ['kept 2', matched],
      ] as const)
        expect(await clinic.write([change('kept3')], key(name))).toEqual([
          { ...first, outcome: 'repeated', first: first?.outcome },
        ]);
    });

    it('keeps all results of a write, as they were the first time', async () => {
      const changes = [
        person('all1', 'all'),
        person('all2', 'none', { precondition: { is: 'no-match', query: withIdentifier(model, 'all') } }),
        { kind: 'remove', type: 'Patient', id: 'nothing' },
      ] as const;
      const first = await clinic.write(changes, key('all'));
      expect(first.map(({ outcome }) => outcome)).toEqual(['created', 'matched', 'unchanged']);
      await clinic.write([person('all1', 'changed since')]);
      const again = await clinic.write(changes, key('all'));
      expect(again).toEqual(first.map(result => ({ ...result, outcome: 'repeated', first: result.outcome })));
      expect((await clinic.read('Patient', 'all1'))?.version).toBe(2);
    });

    it('with another body throws KeyUsed, and writes no mark', async () => {
      await clinic.write([person('body1', 'body')], key('body', 'one'));
      const mark = { key: 'load', value: '5' };
      await expect(clinic.write([person('body2', 'body')], { ...key('body', 'two'), mark })).rejects.toThrow(KeyUsed);
      await clinic.write([person('body2', 'body')], { ...key('body', 'one'), mark });
      expect(await clinic.read('Patient', 'body2')).toBeUndefined();
      expect(await clinic.mark('load')).toBeUndefined();
    });

    it('is looked up by a write without changes, which does not use it up', async () => {
      const { key: asked } = key('asked', 'one');
      expect(await clinic.write([], { key: asked })).toEqual([]);
      const first = await clinic.write([person('asked', 'asked')], { key: asked });
      expect(await clinic.write([], { key: asked })).toEqual(
        await clinic.write([person('asked2', 'asked')], { key: asked }),
      );
      expect(await clinic.write([], { key: asked })).toMatchObject([
        { ...first[0], outcome: 'repeated', first: 'created' },
      ]);
      await expect(clinic.write([], key('asked', 'two'))).rejects.toThrow(KeyUsed);
    });

    it('is free again after a write that failed', async () => {
      await expect(
        clinic.write([person('body1', 'x', { precondition: { is: 'absent' } })], key('failed')),
      ).rejects.toThrow(VersionConflict);
      expect(await clinic.write([person('failed', 'x')], key('failed', 'other'))).toMatchObject([
        { outcome: 'created' },
      ]);
    });

    it('is kept over a restart and free when it has expired', async () => {
      await clinic.write([person('expire1', 'expire')], key('expire'));
      await reopen();
      expect(await clinic.write([person('expire2', 'expire')], key('expire'))).toMatchObject([
        { outcome: 'repeated', id: 'expire1' },
      ]);
      time += 1_000;
      expect(await clinic.write([person('expire2', 'expire')], key('expire', 'other'))).toMatchObject([
        { outcome: 'created', id: 'expire2' },
      ]);
    });

    it('belongs to a partition', async () => {
      await clinic.write([person('mine', 'mine')], key('both'));
      const other = await store.partition('other');
      expect(await other?.write([person('theirs', 'mine')], key('both', 'other'))).toMatchObject([
        { outcome: 'created' },
      ]);
    });
  });
}

/** A picture of a patient that it names by a URL. */
function absolutePicture(id: string, reference: string): ReturnType<typeof splitForStamp> {
  const content = { contentType: 'image/jpeg' };
  const resource = { resourceType: 'Media', id, status: 'completed', subject: { reference }, content };
  return splitForStamp(JSON.stringify(resource), id);
}
