// Opens the store as a command, puts bytes that many times at once (`MB` of them, all of one kind), says their digest,
// and waits to be killed.
import { openClinic, shippedModel } from '../../support/shipped.ts';

const [url = '', kind = '', size = '', times = ''] = process.argv.slice(2);
const { clinic } = await openClinic(url, await shippedModel(), { mode: 'command' });
console.log('ready');
process.stdin.once('data', () => {
  void Promise.all(
    Array.from({ length: Number(times) }, () => clinic.putAttachment(Buffer.alloc(Number(size), kind))),
  ).then(([kept]) => console.log(`put ${kept?.digest}`));
});
