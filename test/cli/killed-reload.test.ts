// A server on SQLite that dies while it reloads its definitions.
import { expect, it } from 'vitest';
import { newStorePlace } from '../support/store-place.ts';
import { killDuringReloads, rounds } from './killed-reload.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();

it(`a server that is killed ${rounds} times during a reload starts again, and nothing is damaged`, async () => {
  expect.hasAssertions();
  const place = await newStorePlace();
  try {
    await killDuringReloads(place.url, run);
  } finally {
    await place.remove();
  }
}, 240_000);
