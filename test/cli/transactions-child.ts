// Writes transactions beside a server until it is killed: each has two new pictures with attachments, and the number of
// the transaction in one patient. Says on stdout which is acknowledged.
import { partitionOf, withStore } from '../../src/cli/open.ts';
import { readConfig } from '../../src/config/read.ts';
import { bytesOf } from '../store/support/bytes-of.ts';
import { kept, person, picture } from '../store/support/shipped.ts';
import { say } from '../support/say.ts';

const [store = ''] = process.argv.slice(2);
await withStore(readConfig(['--store', store]), 'command', async opened => {
  const partition = await partitionOf(opened.store, 'demo');
  for (let number = 0; ; number += 1) {
    const names = [`t${number}-a`, `t${number}-b`];
    const pictures = names.map(async name =>
      picture(name, name, { attachments: [await kept(partition, bytesOf(name))] }),
    );
    await partition.write([...(await Promise.all(pictures)), person('counter', String(number))]);
    say(`done ${number}`);
  }
});
