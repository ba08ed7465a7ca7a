import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptBytes } from './where.ts';

/** The bytes of attachments beside the file of a store. */
export const keptFiles: KeptBytes = {
  async age(url, milliseconds) {
    for (const path of filesOf(url)) {
      const time = new Date(statSync(path).mtimeMs - milliseconds);
      utimesSync(path, time, time);
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
