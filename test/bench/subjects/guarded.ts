import { issuedAs } from '../guard-tokens.ts';
import { publicUrl } from '../public-url.ts';
import { readConfig } from '../../../src/config.ts';
import { startEngine } from '../../../src/engine.ts';
import { digestOf } from '../../../src/auth/token/digest.ts';
import { tokenCollection } from '../../../src/auth/token/own-tokens.ts';
import { answerQuestions } from './serve.ts';

// A child process: the service with its guard, and tokens that the parent knows. Arguments: the file of the store, a patient,
// and `audited` where it accounts for what is asked.

const [file = '', patient = '', audited = ''] = process.argv.slice(2);
const flags = [
  '--port',
  '0',
  '--log',
  'off',
  '--access',
  'token',
  '--authorization-server',
  'off',
  '--public-url',
  publicUrl,
  '--store',
  `sqlite:${file}`,
];
const running = await startEngine(readConfig(flags), undefined, { audit: audited !== '' });
const tokens = running.engine.store.documents(tokenCollection);
for (const { token, grant } of issuedAs(patient, `${publicUrl}/r4/demo`)) await tokens.put(digestOf(token), grant);
answerQuestions(running.port, () => running.close());
