import { inspect } from 'node:util';
import type { Config } from '../config.ts';
import { fillDemo } from '../demo/fill.ts';
import { hideCredentials } from '../store/url.ts';
import { withStore } from './open.ts';

// Runs in a process of its own, which `serve --demo` starts and which takes its memory with it when it ends. It is sent the
// settings and sends [patients that are in, of how many].
process.on('SIGHUP', () => {}); // as in the server that waits for it
process.on('disconnect', () => process.exit(1)); // whoever waits for it is gone
process.once('message', message => {
  process.channel?.unref(); // to be told of that is no reason to stay
  void fill(message as Config); // from serve.ts
});

async function fill(config: Config): Promise<void> {
  try {
    await withStore(config, 'new', opened =>
      fillDemo(opened, config.store, Date.now, (filled, of) => process.send?.([filled, of])),
    );
  } catch (error) {
    console.error(hideCredentials(error instanceof Error && !config.debug ? error.message : inspect(error)));
    process.exitCode = 1;
  }
}
