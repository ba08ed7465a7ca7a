/** Says, once a run, that the suites for MongoDB were not run. */
export function setup(): void {
  console.log('The MongoDB suites are left out: `npm run test:mongo` runs them, and so does CRS_TEST_MONGODB=URL.\n');
}
