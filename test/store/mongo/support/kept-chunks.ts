import { Binary, type Db, MongoClient } from 'mongodb';
import { chunks, files } from '../../../../src/store/mongo/attachment-bucket.ts';
import type { Core } from '../../../../src/store/mongo/core.ts';
import type { KeptBytes } from '../../support/where.ts';

/** The bytes of attachments in a database. */
export const keptChunks: KeptBytes = {
  age: (url, milliseconds) =>
    inDatabase(url, async core => {
      const times = ['metadata.touched', 'metadata.trashed'];
      for (const time of times)
        await files(core).updateMany({ [time]: { $exists: true } }, [
          { $set: { [time]: { $subtract: [`$${time}`, milliseconds] } } },
        ]);
    }),
  trash: (url, digest) =>
    inDatabase(url, async core => {
      const metadata = { waiting: true, touched: new Date(0), trashed: new Date() } as const;
      await files(core).updateMany({ filename: { $regex: `/${digest}$` } }, { $set: { metadata } });
    }),
  rot: (url, digest) =>
    inDatabase(url, async core => {
      for await (const { _id } of files(core).find({ filename: { $regex: `/${digest}$` } })) {
        const chunk = await chunks(core).findOne({ files_id: _id, n: 0 });
        const bytes = Buffer.from(chunk?.data.value() ?? []);
        bytes.writeUInt8(255 - bytes.readUInt8(0), 0);
        await chunks(core).updateOne({ files_id: _id, n: 0 }, { $set: { data: new Binary(bytes) } });
      }
    }),
};

async function inDatabase(url: string, work: (core: Core) => Promise<void>): Promise<void> {
  const client = new MongoClient(url);
  const database: Db = client.db();
  await work({ database } as Pick<Core, 'database'> as Core); // only its collections are used
  await client.close();
}
