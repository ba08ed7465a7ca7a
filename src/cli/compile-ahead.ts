import { commands } from './commands.ts';

// Run by start.js in a process of its own where no compiled code is kept yet: imports what `serve` needs, so that it is
// kept. The server then never loads the compiler, which would stay in its memory (40 MB).
await Promise.all([
  import('../demo/examples.ts'),
  import('../demo/fill.ts'),
  import('../engine/engine.ts'),
  import('../store/sqlite/reader-worker.ts'), // it and the writer run in threads of their own
  import('../store/sqlite/store.ts'),
  import('../store/sqlite/writer-worker.ts'),
  import('../terminology/server.ts'),
  import('../validation/profile/validator.ts'),
  import('./main.ts'),
  ...commands.map(entry => entry.import()),
]);
