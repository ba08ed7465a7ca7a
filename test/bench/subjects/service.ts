import { DatabaseSync } from 'node:sqlite';
import { readConfig } from '../../../src/config.ts';
import { startEngine } from '../../../src/engine.ts';
import { publicUrl } from '../public-url.ts';
import { answerQuestions } from './serve.ts';

// A child process: the service, in the pipeline that startEngine builds. Arguments: the file of the store, and settings.

const statements = new Set<string>();
const prepare = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare')?.value as DatabaseSync['prepare'];
DatabaseSync.prototype.prepare = function (text, ...options) {
  statements.add(text);
  return prepare.call(this, text, ...options);
};

const [file = '', ...settings] = process.argv.slice(2);
const flags = ['--port', '0', '--log', 'off', '--access', 'open', '--public-url', publicUrl, '--store', `sqlite:${file}`];
const running = await startEngine(readConfig([...flags, ...settings]));
answerQuestions(
  running.port,
  () => running.close(),
  () => [...statements],
);
