import { defineConfig } from 'vitest/config';

// Whatever needs a MongoDB server is in a folder `mongo`, or in a file that begins so.
const mongodb = ['test/**/mongo/**/*.test.ts', 'test/**/mongo*.test.ts'];
const server = process.env['CRS_TEST_MONGODB'];
const named = server !== undefined && server !== '';

const shared = { testTimeout: 60_000, hookTimeout: 60_000, pool: 'forks' as const };
const main = {
  ...shared,
  name: 'main',
  include: ['test/**/*.test.ts'],
  exclude: mongodb,
  globalSetup: named ? [] : ['test/support/mongodb/left-out.ts'],
};
const onMongodb = {
  ...shared,
  name: 'mongodb',
  include: mongodb,
  globalSetup: ['test/support/mongodb/deployment.ts'],
};

export default defineConfig({
  test: { projects: [{ test: main }, ...(named ? [{ test: onMongodb }] : [])] },
});
