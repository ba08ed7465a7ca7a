import { readConfig } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import { createLog } from '../../../src/observability/log.ts';
import { startProcesses } from '../../../src/processes/parent.ts';
import { publicUrl } from '../public-url.ts';
import { answerQuestions } from './serve.ts';

// A child process: the service with its audit, in one process or in several. Arguments: the file of the store, and the
// number of processes.

const [file = '', count = '1'] = process.argv.slice(2);
const flags = ['--port', '0', '--log', 'off', '--access', 'open', '--public-url', publicUrl];
const config = readConfig([...flags, '--store', `sqlite:${file}`, '--processes', count]);
const running = count === '1' ? await startEngine(config) : await startProcesses(config, createLog('off'));
answerQuestions(running.port, () => running.close());
