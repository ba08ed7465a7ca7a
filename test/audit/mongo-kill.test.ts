import { newMongoPlace } from '../support/mongodb/place.ts';
import { auditKillContract } from './contract-kill.ts';

auditKillContract(newMongoPlace, Number(process.env['CRS_TEST_ROUNDS'] ?? 2));
