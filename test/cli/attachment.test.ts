import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesPath } from '../../src/store/files/attachments.ts';
import { kept, openClinic, person, picture, shippedModel } from '../store/support/shipped.ts';
import { inOneProcess } from './one-process.ts';
import type { Ended } from './process.ts';

const run = inOneProcess();
let folder: string;
let file: string;
const cli = (...args: string[]): Promise<Ended> => run([...args, '--store', `sqlite:${file}`]);
const [first, second, foreign] = ['first', 'second', 'foreign'].map(text => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];
let digests: string[];

// Records with attachments are written by the store, as a create does; each example continues from the one before.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attachment-'));
  file = join(folder, 'records.sqlite');
  const model = await shippedModel();
  const { store, clinic } = await openClinic(`sqlite:${file}`, model, { mode: 'command' });
  const [one, two, other] = [await kept(clinic, first), await kept(clinic, second), await kept(clinic, foreign)];
  digests = [one, two, other].map(({ digest }) => digest);
  await clinic.write([
    person('p1', '1'),
    picture('a', 'a', { attachments: [one] }),
    picture('b', 'b', { attachments: [one, { ...two, contentType: 'video/quicktime' }] }),
    picture('none', 'none'),
    picture('theirs', 'theirs', { attachments: [other] }, 'p2'),
  ]);
  await store.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('attachment list', () => {
  it('gives what belongs to a patient, in id order', async () => {
    const { stdout, code } = await cli('attachment', 'list', '--type', 'Media', '--patient', 'p1');
    expect(code).toBe(0);
    const time = /\t(\S+Z)\t/.exec(stdout)?.[1];
    expect(stdout).toBe(
      [
        `Media/a\t${time}\tMedia.content\timage/jpeg\t5\t${digests[0]}`,
        `Media/b\t${time}\tMedia.content\timage/jpeg\t5\t${digests[0]}`,
        `Media/b\t${time}\tMedia.content\tvideo/quicktime\t6\t${digests[1]}`,
        `Media/none\t${time}\t-`,
        '',
      ].join('\n'),
    );
  });

  it('gives all of a type where no patient is named', async () => {
    const { stdout } = await cli('attachment', 'list', '--type', 'Media');
    expect(stdout).toContain('Media/theirs');
  });

  it.each([
    [['--patient', 'p1'], 2, '`--type` is missing.'],
    [['--type', 'Media', '--patient', 'p/1'], 2, '`--patient` is `p/1`, but must be an id, without its type.'],
    [['--type', 'Meida'], 1, 'The type `Meida` is not declared. Did you mean `Media`?'],
  ])('%s: says what is wrong', async (args, code, text) => {
    expect(await cli('attachment', 'list', ...args)).toMatchObject({ code, stderr: expect.stringContaining(text) });
  });
});

describe('attachment export', () => {
  it('writes records and bytes, and never over a file', async () => {
    const out = join(folder, 'out');
    const args = ['attachment', 'export', '--type', 'Media', '--patient', 'p1', '--out', out];
    const { stdout, code } = await cli(...args);
    expect(stdout).toBe(`3 records and 3 attachments written to ${out}.\n`);
    expect(code).toBe(0);
    const files = ['Media-a.jpg', 'Media-a.json', 'Media-b-2.mov', 'Media-b.jpg', 'Media-b.json', 'Media-none.json'];
    expect((await readdir(out)).toSorted()).toEqual(files.toSorted());
    expect(await readFile(join(out, 'Media-b-2.mov'))).toEqual(second);
    expect(JSON.parse(await readFile(join(out, 'Media-a.json'), 'utf8'))).toMatchObject({
      id: 'a',
      meta: { versionId: '1' },
      identifier: [{ value: 'a' }],
    });

    await writeFile(join(out, 'Media-a.json'), 'mine');
    expect(await cli(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
    expect(await readFile(join(out, 'Media-a.json'), 'utf8')).toBe('mine');
  });

  it('says what is missing', async () => {
    expect(await cli('attachment', 'export', '--type', 'Media')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`--out` is missing.'),
    });
  });
});

describe('verify', () => {
  it('finds nothing where all is well', async () => {
    expect(await cli('verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^5 records and 0 older versions checked, 0 findings\.\n3 attachments checked, 0 findings\.\nAudit log: 0 /,
      ) as string,
    });
  });

  it('counts what refused creates leave, which is no finding', async () => {
    const { store, clinic } = await openClinic(`sqlite:${file}`, await shippedModel(), { mode: 'command' });
    const { digest } = await clinic.putAttachment(Buffer.from('refused'));
    await store.close();
    expect(await cli('verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^4 attachments checked, 0 findings\.\nWithout a record: 1 .*, 0 in the trash\.$/m,
      ) as string,
    });
    await rm(bytesPath(file, 1, digest));
  });

  it('reports damage, and so does an export', async () => {
    await rm(bytesPath(file, 1, digests[0] ?? ''));
    await writeFile(bytesPath(file, 1, digests[1] ?? ''), 'secomd');
    const { stdout, code } = await cli('verify', '--partition', 'clinic');
    expect(code).toBe(3);
    expect(stdout.trimEnd().split('\n').toSorted()).toEqual([
      '2 attachments checked, 2 findings.',
      '5 records and 0 older versions checked, 0 findings.',
      'Audit log: 0 findings, 0 writes without an outcome.',
      `clinic\tdigest\t${digests[1]}\tMedia/b/_history/1`,
      `clinic\tmissing\t${digests[0]}\tMedia/a/_history/1\tMedia/b/_history/1`,
    ]);
    const exported = await cli('attachment', 'export', '--type', 'Media', '--out', join(folder, 'damaged'));
    expect(exported).toMatchObject({ code: 3, stdout: expect.stringContaining('4 records and 2 attachments') });
    expect(exported.stderr).toContain(`The attachment ${digests[0]} of Media/a does not exist.`);
    expect(exported.stderr).toContain('Media-b-2.mov` differs from the stored attachment of Media/b.');
  });
});
