import { defineConfig } from 'vitest/config';

// Whatever needs a MongoDB server is in a folder `mongo`, or in a file that begins so.
const mongodb = ['test/**/mongo/**/*.test.ts', 'test/**/mongo*.test.ts'];
const server = process.env['CRS_TEST_MONGODB'];
const named = server !== undefined && server !== '';

const shared = { testTimeout: 60_000, hookTimeout: 60_000, pool: 'forks' as const };
const leftOut = named ? [] : ['test/support/mongodb/left-out.ts'];

export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'main', include: ['test/**/*.test.ts'], exclude: mongodb, globalSetup: leftOut } },
      ...(named ? [{ test: { ...shared, name: 'mongodb', include: mongodb } }] : []),
    ],
  },
});
