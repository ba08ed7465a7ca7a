import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { AttachmentMissing } from '../../src/store/port/errors.ts';
import type { AttachmentFinding } from '../../src/store/port/blobs.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store } from '../../src/store/port/store.ts';
import { bytesOf, digestOf } from './support/bytes-of.ts';
import { each, type Place } from './support/fixture.ts';
import { kept, openClinic, picture, shippedModel } from './support/shipped.ts';
import { type KeptBytes, type Where } from './support/where.ts';
import { attachmentSteps } from './support/verified.ts';
import { currentAttachments } from '../../src/store/port/pages.ts';
import { attachmentsIn, type RecordAttachment } from '../support/attached.ts';

/** What every store promises about attachments. */
export function attachmentContract(where: Where, bytes: KeptBytes): void {
  let place: Place;
  let model: Model;
  let store: Store;
  let clinic: Partition;

  const open = async (mode: 'serve' | 'read' = 'serve'): Promise<void> => {
    ({ store, clinic } = await openClinic(place.url, model, { mode }, where.open));
  };
  const reopen = async (mode: 'serve' | 'read' = 'serve'): Promise<void> => {
    await store.close();
    await open(mode);
  };
  beforeAll(async () => {
    place = await where.newPlace();
    model = await shippedModel();
    await open();
    await store.partitions.add('other', { zone: 'UTC' });
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  const read = async (digest: string): Promise<Uint8Array | undefined> => {
    const stream = await clinic.attachment(digest);
    return stream === undefined ? undefined : buffer(stream);
  };

  describe('an attachment', () => {
    const all = (): Promise<readonly RecordAttachment[]> => attachmentsIn(clinic, 'Media');
    const findings = async (): Promise<readonly AttachmentFinding[]> =>
      (await attachmentSteps(store, 'clinic')).flatMap(progress => progress.findings);
    it('gives its bytes back, also empty ones and many', async () => {
      for (const bytes of [new Uint8Array(), bytesOf('a'), Buffer.alloc(5_000_000, 'ab')]) {
        const { digest, size } = await clinic.putAttachment(bytes);
        expect([digest, size]).toEqual([digestOf(bytes), bytes.length]);
        expect(Buffer.compare((await read(digest)) ?? Buffer.of(1), bytes)).toBe(0);
      }
      expect(await read('0'.repeat(64))).toBeUndefined();
      expect(await read('../../records.sqlite')).toBeUndefined();
    });

    it('belongs to a version: an update may carry others or the same, a removal none', async () => {
      const [one, two] = [await kept(clinic, bytesOf('one')), await kept(clinic, bytesOf('two'))];
      await clinic.write(
        [picture('m1', '1', { attachments: [one] }), picture('m2', '1', { attachments: [one, two] })],
        each,
      );
      expect(await all()).toEqual([
        { ...one, type: 'Media', id: 'm1', version: 1 },
        { ...one, type: 'Media', id: 'm2', version: 1 },
        { ...two, type: 'Media', id: 'm2', version: 1 },
      ]);
      await clinic.write(
        [picture('m1', '2'), picture('m2', '1', { attachments: [two] }), picture('m3', '1', { attachments: [two] })],
        each,
      );
      expect(await all()).toEqual([
        { ...one, type: 'Media', id: 'm1', version: 2 },
        { ...two, type: 'Media', id: 'm2', version: 2 },
        { ...two, type: 'Media', id: 'm3', version: 1 },
      ]);
      expect(await clinic.write([picture('m2', '1', { attachments: [two] }), picture('m2', '1')], each)).toMatchObject([
        { outcome: 'unchanged' },
        { outcome: 'unchanged' },
      ]);
      await clinic.write([{ kind: 'remove', type: 'Media', id: 'm1' }, picture('m3', '3', { attachments: [] })], each);
      expect((await all()).map(({ id }) => id)).toEqual(['m2']);
      await clinic.write([picture('m1', 'again')]);
      expect((await all()).map(({ id }) => id)).toEqual(['m2']);
      const some = await currentAttachments(clinic, 'Media', ['m3', 'm2', 'nothing', 'm2']);
      expect(new Map([...some].map(([id, { length }]) => [id, length]))).toEqual(
        new Map([
          ['m2', 1],
          ['m3', 0],
        ]),
      );
      // Old versions keep theirs.
      await reopen();
      expect(Buffer.compare((await read(one.digest)) ?? Buffer.of(), bytesOf('one'))).toBe(0);
      expect(await findings()).toEqual([]);
    });

    it('is listed in id order whatever the number', async () => {
      const attachments = [await kept(clinic, bytesOf('one')), await kept(clinic, bytesOf('two'))];
      const ids = Array.from({ length: 450 }, (_, at) => `many${String(at * 7919).slice(-3)}-${at}`);
      await clinic.write(
        ids.map(id => picture(id, id, { attachments })),
        each,
      );
      const sorted = ids.toSorted().flatMap(id => [id, id]);
      expect((await all()).filter(({ id }) => id.startsWith('many')).map(({ id }) => id)).toEqual(sorted);
      expect([...(await currentAttachments(clinic, 'Media', ids)).keys()].toSorted()).toEqual(ids.toSorted());
    });

    const missing = { path: 'Media.content', contentType: 'image/png', digest: digestOf(bytesOf('no')), size: 5 };

    it('must be kept before its record', async () => {
      for (const changes of [1, 2].map(count =>
        Array.from({ length: count }, (_, at) => picture(`x${at}`, 'x', { attachments: [missing] })),
      ))
        await expect(clinic.write(changes, each)).rejects.toThrow(AttachmentMissing);
      expect(await clinic.read('Media', 'x0')).toBeUndefined();
    });

    it('that is missing leaves nothing of the write done', async () => {
      await expect(clinic.write([picture('x1', 'x'), picture('x2', 'x', { attachments: [missing] })])).rejects.toThrow(
        AttachmentMissing,
      );
      const wrong = { ...(await kept(clinic, bytesOf('one'))), size: 1 };
      await expect(clinic.write([picture('x2', 'x', { attachments: [wrong] })])).rejects.toThrow(AttachmentMissing);
      expect(await clinic.read('Media', 'x1')).toBeUndefined();
    });

    it('put many times at once is kept once and whole', async () => {
      const bytes = Buffer.alloc(300_000, randomUUID());
      await Promise.all(
        Array.from({ length: 20 }, async (_, at) =>
          clinic.write([picture(`same${at}`, 'same', { attachments: [await kept(clinic, bytes)] })]),
        ),
      );
      expect((await all()).filter(({ digest }) => digest === digestOf(bytes))).toHaveLength(20);
      expect(await findings()).toEqual([]);
    });

    it('that has rotted is written again when it comes again', async () => {
      const content = Buffer.alloc(600_000, randomUUID());
      const rotten = await kept(clinic, content);
      await clinic.write([picture('rotten', 'rotten', { attachments: [rotten] })]);
      await bytes.rot(place.url, rotten.digest);
      expect(await findings()).toEqual([{ is: 'digest', digest: rotten.digest, records: ['Media/rotten/_history/1'] }]);
      expect(await kept(clinic, content)).toEqual(rotten);
      expect(Buffer.compare((await read(rotten.digest)) ?? Buffer.of(), content)).toBe(0);
      expect(await findings()).toEqual([]);
    });

    it('goes with its partition, and only from there', async () => {
      const other = await store.partition('other');
      if (other === undefined) throw new Error('The partition is not there');
      const attached = await kept(other, bytesOf('one'));
      await other.write([picture('m1', '1', { attachments: [attached] })]);
      await store.partitions.remove('other');
      await expect(other.putAttachment(bytesOf('late'))).rejects.toThrow('no partition');
      expect(await other.attachment(attached.digest)).toBeUndefined();
      await store.partitions.add('other', { zone: 'UTC' });
      expect(await (await store.partition('other'))?.attachment(attached.digest)).toBeUndefined();
      expect(await read(attached.digest)).toBeDefined();
    });
  });

  describe('an attachment without a record', () => {
    beforeAll(async () => {
      await store.close();
      await place.remove();
      place = await where.newPlace();
      await open();
    });
    /** Each start sweeps, and so does a server now and then. */
    const sweepAfter = async (days: number): Promise<void> => {
      await store.close();
      await bytes.age(place.url, days * 86_400_000);
      await open();
    };
    const verified = async () => {
      const steps = await attachmentSteps(store, 'clinic');
      const { waiting, trashed } = steps.at(-1) ?? {};
      return { findings: steps.flatMap(({ findings }) => findings), waiting, trashed };
    };
    const nothing = { findings: [], waiting: 0, trashed: 0 };

    it('is kept for 7 days, then in the trash for 7 more; one with a record stays', async () => {
      const used = await kept(clinic, bytesOf('used'));
      await clinic.write([picture('used', 'used', { attachments: [used] })]);
      const { digest } = await kept(clinic, bytesOf('without'));
      expect(await verified()).toEqual({ ...nothing, waiting: 1 });
      await sweepAfter(6);
      expect(await verified()).toEqual({ ...nothing, waiting: 1 });
      await sweepAfter(2);
      await expect.poll(verified).toEqual({ ...nothing, trashed: 1 });
      await sweepAfter(6);
      expect(await verified()).toEqual({ ...nothing, trashed: 1 });
      await sweepAfter(2);
      await expect.poll(verified).toEqual(nothing);
      expect(await read(digest)).toBeUndefined();
      expect(Buffer.compare((await read(used.digest)) ?? Buffer.of(), bytesOf('used'))).toBe(0);
    });

    it('is an orphan to `verify` when no sweep has taken it for a day', async () => {
      const { digest } = await kept(clinic, bytesOf('orphan'));
      await reopen('read');
      await bytes.age(place.url, 7.9 * 86_400_000);
      expect(await verified()).toEqual({ ...nothing, waiting: 1 });
      await bytes.age(place.url, 0.2 * 86_400_000);
      expect(await verified()).toEqual({ ...nothing, findings: [{ is: 'orphan', digest, records: [] }] });
      await sweepAfter(0);
      await expect.poll(verified).toEqual({ ...nothing, trashed: 1 });
      await sweepAfter(8);
    });

    it.each([
      ['put again', async (name: string) => kept(clinic, bytesOf(name))],
      ['named by a record', async () => undefined],
    ])('is taken back from the trash when it is %s', async (how, again) => {
      const back = await kept(clinic, bytesOf(how));
      await sweepAfter(8);
      await expect.poll(verified).toEqual({ ...nothing, trashed: 1 });
      await again(how);
      await clinic.write([picture('back', how, { attachments: [back] })]);
      await sweepAfter(30);
      await sweepAfter(30);
      expect(Buffer.compare((await read(back.digest)) ?? Buffer.of(), bytesOf(how))).toBe(0);
      expect(await verified()).toEqual(nothing);
    });

    it('waits for another 7 days when it is stored again', async () => {
      await kept(clinic, bytesOf('anew'));
      await sweepAfter(8);
      await expect.poll(verified).toEqual({ ...nothing, trashed: 1 });
      await kept(clinic, bytesOf('anew'));
      await sweepAfter(6);
      expect(await verified()).toEqual({ ...nothing, waiting: 1 });
    });

    it('is found in the trash where a record has come otherwise, and the next sweep takes it back', async () => {
      const lost = await kept(clinic, bytesOf('lost'));
      await clinic.write([picture('lost', 'lost', { attachments: [lost] })]);
      await bytes.trash(place.url, lost.digest);
      const finding = { is: 'trashed', digest: lost.digest, records: ['Media/lost/_history/1'] };
      expect((await verified()).findings).toEqual([finding]);
      expect(Buffer.compare((await read(lost.digest)) ?? Buffer.of(), bytesOf('lost'))).toBe(0);
      await sweepAfter(30);
      await expect.poll(async () => (await verified()).findings).toEqual([]);
      expect(Buffer.compare((await read(lost.digest)) ?? Buffer.of(), bytesOf('lost'))).toBe(0);
    });
  });
}
