// Opens a store as a command and puts the bytes that lines on stdin ask for, `KIND SIZE`: so many of one kind. Says
// what came of each.
import { createInterface } from 'node:readline';
import { StoreUnavailable } from '../../../src/store/port/errors.ts';
import { openClinic, shippedModel } from '../../store/support/shipped.ts';

const [url = ''] = process.argv.slice(2);
const { store, clinic } = await openClinic(url, await shippedModel(), { mode: 'command' });
console.log('ready');
for await (const line of createInterface(process.stdin)) {
  const [kind = '', size = ''] = line.split(' ');
  try {
    console.log(`kept ${(await clinic.putAttachment(Buffer.alloc(Number(size), kind))).digest}`);
  } catch (error) {
    console.log(`failed ${error instanceof StoreUnavailable ? error.reason : String(error)}`);
  }
}
await store.close();
