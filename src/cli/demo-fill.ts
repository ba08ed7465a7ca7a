import type { Config } from '../config.ts';
import { fillDemo } from '../demo/fill.ts';
import { withStore } from './open.ts';

// Runs in a process of its own, which `serve --demo` starts and which takes its memory with it when it ends. It gets the
// settings as its argument and sends [patients that are in, of how many].
const config = JSON.parse(process.argv[2] ?? '') as Config; // made by serve.ts
process.on('disconnect', () => process.exit(1)); // whoever waits for it is gone
process.channel?.unref(); // to be told of that is no reason to stay
try {
  await withStore(config, 'new', opened =>
    fillDemo(opened, config.store, Date.now, (filled, of) => process.send?.([filled, of])),
  );
} catch (error) {
  console.error(error instanceof Error && !config.debug ? error.message : error);
  process.exitCode = 1;
}
