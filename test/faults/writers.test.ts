import { newStorePlace } from '../support/store-place.ts';
import { writersContract } from './contract-writers.ts';

writersContract(newStorePlace, Number(process.env['CRS_TEST_ROUNDS'] ?? 2));
