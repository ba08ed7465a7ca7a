import { inspect } from 'node:util';
import type { Config } from '../config/read.ts';
import { fillDemo } from '../demo/fill.ts';
import { hideCredentials } from '../store/url.ts';
import { withStore } from './open.ts';

// Runs in its own process, which `serve --demo` starts, so that its memory is freed at its end. It receives the
// settings and sends [patients so far, total].
process.on('SIGHUP', () => {}); // as in the waiting server
process.on('disconnect', () => process.exit(1)); // the server is gone
process.once('message', message => {
  process.channel?.unref(); // the channel must not keep the process alive
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
