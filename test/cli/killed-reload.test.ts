// A server on SQLite that dies while it reloads its definitions.
import { newStorePlace } from '../support/store-place.ts';
import { testKilledReloads } from './killed-reload.ts';

testKilledReloads(newStorePlace);
