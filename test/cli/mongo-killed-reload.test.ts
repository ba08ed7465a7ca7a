// A server on MongoDB that dies while it reloads its definitions.
import { newMongoPlace } from '../support/mongodb/place.ts';
import { testKilledReloads } from './killed-reload.ts';

testKilledReloads(newMongoPlace);
