import { newStorePlace } from '../support/store-place.ts';
import { auditKillContract } from './contract-kill.ts';

auditKillContract(newStorePlace, Number(process.env['CRS_TEST_ROUNDS'] ?? 2));
