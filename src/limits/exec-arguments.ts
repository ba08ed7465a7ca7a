const hook = `--import=${new URL('../own-modules.js', import.meta.url).href}`;

/**
 * Arguments of Node for threads, with the hook that finds our modules; those in NODE_OPTIONS apply too. What this
 * process was given is left out: threads refuse flags of V8.
 */
export const threadArguments: string[] = [hook];

/** Arguments of Node for child processes, which get those of this one too. */
export const processArguments: string[] = process.execArgv.includes(hook)
  ? process.execArgv
  : [...process.execArgv, hook];
