// Creates pictures with keys until it is killed: first again what may have been under way, then new ones. Says on
// stdout when each begins and when it is acknowledged.
import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { bytesOf } from './bytes-of.ts';
import { kept, openClinic, picture, shippedModel } from './shipped.ts';
import { say } from '../../support/say.ts';

const [url = '', prefix = '', ...again] = process.argv.slice(2);
const { clinic } = await openClinic(url, await shippedModel());
const atOnce = 8;
let count = 0;

async function createOne(name: string): Promise<void> {
  say(`begin ${name}`);
  const attachments = [await kept(clinic, bytesOf(name))];
  const key = { key: name, body: name, expires: Date.now() + 86_400_000 };
  const [result] = await clinic.write([picture(randomUUID(), name, { attachments, precondition: { is: 'absent' } })], {
    key,
  });
  say(`done ${name} ${result?.id}`);
}

await Promise.all(again.map(createOne));
flushCompileCache(); // it will be killed
say('ready');
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (;;) await createOne(`${prefix}-${count++}`);
  }),
);
