// Places for large bodies, and the bytes of Bundles: src/http/body/uploads.ts.
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createUploads } from '../../src/http/body/uploads.ts';
import { createSlots } from '../../src/limits/slots.ts';

const request = (): IncomingMessage => new EventEmitter() as IncomingMessage; // only its `close` is heeded
const large = 100_000_000;

it('a Bundle that waits for others keeps no upload of another kind out', async () => {
  const uploads = createUploads(createSlots(2), 60_000);
  const leave = await uploads.enter(request(), large);
  let isIn = false;
  const second = uploads.enter(request(), large).then(free => {
    isIn = true;
    return free;
  });
  (await uploads.enter(request(), 0))(); // would never resolve while the second Bundle has the other place
  expect(isIn).toBe(false);
  leave();
  (await second)();
});

it('a Bundle that gives up while it waits leaves its bytes to the next', async () => {
  const uploads = createUploads(createSlots(1), 60_000);
  const leave = await uploads.enter(request(), large);
  const gone = request();
  const second = uploads.enter(gone, large);
  gone.emit('close');
  await expect(second).rejects.toThrow('ended before it was complete');
  leave();
  await delay(0);
  (await uploads.enter(request(), large))();
  expect(uploads.waiting).toBe(0);
});
