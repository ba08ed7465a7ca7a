// A server on MongoDB that dies while it reloads its definitions.
import { expect, it } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { killDuringReloads, rounds } from './killed-reload.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();

it(`a server that is killed ${rounds} times during a reload starts again, and nothing is damaged`, async () => {
  expect.hasAssertions();
  const place = await newMongoPlace();
  try {
    await killDuringReloads(place.url, run);
  } finally {
    await place.remove();
  }
}, 240_000);
