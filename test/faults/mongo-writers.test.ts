import { newMongoPlace } from '../support/mongodb/place.ts';
import { writersContract } from './contract-writers.ts';

writersContract(newMongoPlace, Number(process.env['CRS_TEST_ROUNDS'] ?? 2));
