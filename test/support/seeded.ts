/** The options of fast-check that repeat the random numbers of CRS_TEST_SEED, if that is given. */
export const seeded: { readonly seed?: number } =
  process.env['CRS_TEST_SEED'] === undefined ? {} : { seed: Number(process.env['CRS_TEST_SEED']) };
