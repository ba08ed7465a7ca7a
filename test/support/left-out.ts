/** Says, once a run, which suites are not among those of `npm test`. */
export function setup(): void {
  const server = process.env['CRS_TEST_MONGODB'];
  if (server === undefined || server === '')
    console.log('The MongoDB suites are left out: `npm run test:mongo` runs them, and so does CRS_TEST_MONGODB=URL.');
  console.log('Those in a browser are left out: `npm run test:browser` runs them.\n');
}
