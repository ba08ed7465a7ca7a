import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stamp } from '../../src/fhir/resource-text.ts';
import { longestRecord } from '../../src/store/port/records.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import { RecordTooLarge } from '../../src/store/port/errors.ts';
import type { Store } from '../../src/store/port/store.ts';
import * as t from './support/fixture.ts';

/** How long a record may be in every store. */
export function lengthContract(newPlace: () => Promise<t.Place>): void {
  let place: t.Place;
  let store: Store;
  let demo: Partition;
  beforeEach(async () => {
    place = await newPlace();
    ({ store, demo } = await t.openDemo(place.url));
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  /** A change whose text is so long, with the stamp of its first version, in bytes of UTF-8. */
  const sized = (id: string, bytes: number, filler: string): ReturnType<typeof t.put> => {
    const { before, after } = t.put(id).text;
    const left = bytes - Buffer.byteLength(before + stamp(1, 0) + after);
    const each = Buffer.byteLength(filler);
    return t.put(id, [], {}, filler.repeat(Math.floor(left / each)) + 'x'.repeat(left % each));
  };

  describe('the length of a record', () => {
    it.each(['x', 'é', '😀'])('may be 8 MB in UTF-8, and no byte more: %s', async filler => {
      await demo.write([sized('a', longestRecord, filler)]);
      const { text = '' } = (await demo.read(t.typeName, 'a')) ?? {};
      expect(Buffer.byteLength(text)).toBe(longestRecord);
      await expect(demo.write([sized('b', longestRecord + 1, filler)])).rejects.toThrow(RecordTooLarge);
      await expect(demo.write([sized('a', longestRecord + 1, filler)])).rejects.toThrow(
        `${t.typeName}/a exceeds the size limit`,
      );
      expect(await demo.read(t.typeName, 'b')).toBeUndefined();
      expect((await demo.read(t.typeName, 'a'))?.version).toBe(1);
    });

    it('does not depend on the number of the version', async () => {
      for (let version = 1; version < 10; version += 1) await demo.write([t.put('a', [t.token(String(version))])]);
      expect(await demo.write([sized('a', longestRecord, 'x')])).toMatchObject([{ outcome: 'updated', version: 10 }]);
    });
  });
}
