import { newStorePlace } from '../support/store-place.ts';
import { contractOfProcesses } from './contract-processes.ts';

contractOfProcesses(newStorePlace);
