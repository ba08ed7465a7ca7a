import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KeptBytes } from './where.ts';

/** The bytes of attachments beside the file of a store. */
export const keptFiles: KeptBytes = {
  async age(url, milliseconds) {
    for (const path of filesOf(url)) {
      const time = new Date(statSync(path).mtimeMs - milliseconds);
      utimesSync(path, time, time);
    }
  },
  async trash(url, digest) {
    for (const path of filesOf(url)) {
      if (!path.endsWith(digest)) continue;
      const folder = join(dirname(dirname(path)), 'trash', digest.slice(0, 2));
      mkdirSync(folder, { recursive: true });
      renameSync(path, join(folder, digest));
      utimesSync(join(folder, digest), new Date(), new Date());
    }
  },
  async rot(url, digest) {
    for (const path of filesOf(url)) {
      if (!path.endsWith(digest)) continue;
      const bytes = readFileSync(path);
      bytes.writeUInt8(255 - bytes.readUInt8(0), 0);
      writeFileSync(path, bytes);
    }
  },
};

function filesOf(url: string): readonly string[] {
  const entries = readdirSync(`${url.replace('sqlite:', '')}.attachments`, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
