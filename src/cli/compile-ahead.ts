import { commands } from './commands.ts';

// Run by start.js in another process if no compiled code is cached: imports the modules that `serve` needs, so that
// their code is cached. The server then never loads the compiler, which would stay in its memory (40 MB).
await Promise.all([
  import('../demo/examples.ts'),
  import('../demo/fill.ts'),
  import('../engine/engine.ts'),
  import('../store/sqlite/reader-worker.ts'), // it and the writer run in their own threads
  import('../store/sqlite/store.ts'),
  import('../store/sqlite/writer-worker.ts'),
  import('../terminology/server.ts'),
  import('../validation/profile/validator.ts'),
  import('./bound-compiled.ts'),
  import('./main.ts'),
  ...commands.map(entry => entry.import()),
]);
