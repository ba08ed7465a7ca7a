import { flushCompileCache } from 'node:module';
import { settings } from '../config/settings.ts';
import type { RunningEngine } from '../engine.ts';
import { exitCodes } from './command.ts';
import type { Command } from './command.ts';
import { noPositionals } from './positionals.ts';
import { createProgress } from './progress.ts';

/** Serves until SIGINT or SIGTERM; with --demo, fills a new store with synthetic records first. */
export const command: Command = {
  name: 'serve',
  summary: 'Serve the records over HTTP',
  details: `The base URL of a partition is {public-url}/r4/{partition}. SIGINT and SIGTERM let running requests finish
and close the store. --demo makes records only in a store file that was not there before, or that it made itself.`,
  takes: settings.map(({ flag }) => flag).filter(flag => flag !== 'partition' && flag !== 'zone'),
  own: [
    {
      flag: 'demo',
      value: undefined,
      read: () => true,
      meaning: 'Fill a new store with synthetic records and say how to ask for them',
    },
  ],
  async run({ config, own, positionals }) {
    noPositionals(positionals);
    const demo = own['demo'] === true;
    if (demo) (await import('../demo/fill.ts')).announceDemo(config.store);
    console.log(`Runs on Node ${process.version} (${process.execPath}).`);
    const { startEngine } = await import('../engine.ts'); // here, so that `--help` and wrong flags are answered at once
    const running = await startEngine(config);
    const stopped = stopSignal();
    try {
      if (demo) await Promise.race([showDemo(running, config.store), stopped]);
      else console.log(`Serves ${running.url}/r4/{partition}. Ctrl-C stops it.`);
      flushCompileCache();
      await stopped;
    } finally {
      await running.close();
    }
    return exitCodes.done;
  },
};

async function showDemo(running: RunningEngine, store: string): Promise<void> {
  const { demoPartition, fillDemo } = await import('../demo/fill.ts');
  const { examples } = await import('../demo/examples.ts');
  const progress = createProgress('patients', process.stderr, Date.now);
  const mark = await fillDemo(running.engine, store, Date.now, (patients, of) => progress.update(patients, of));
  progress.end();
  if (mark === undefined) {
    console.log(`Serves ${running.url}/r4/{partition}. Ctrl-C stops it.`);
    console.log(`The store ${store} was not made by --demo, so no records were added.`);
    return;
  }
  const base = `${running.url}/r4/${demoPartition}`;
  console.log(`Serves ${base} with the synthetic records of ${mark.patients} patients. Ctrl-C stops it. Try:\n`);
  for (const path of examples(mark, running.engine.model.types)) console.log(`  curl '${base}/${path}'`);
  console.log('');
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    const stop = (): void => {
      resolve();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.removeListener(signal, stop);
        process.on(signal, () => process.exit(exitCodes.interrupted));
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  });
}
