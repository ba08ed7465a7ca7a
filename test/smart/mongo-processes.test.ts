import { newMongoPlace } from '../support/mongodb/place.ts';
import { contractOfProcesses } from './contract-processes.ts';

contractOfProcesses(() => newMongoPlace());
