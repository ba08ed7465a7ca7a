import { CommandError, defineCommand, exitCodes, fileSettings } from './command.ts';
import { requestChange } from './definitions-request.ts';

/** Lets the running server restore a set of definitions that it had before. */
export const command = defineCommand({
  positionals: '[VERSION]',
  details: `Without VERSION, the set that was in use before the current one. \`definitions history\` lists the
versions; the beginning of one is enough. Change the files too: the next reload, and a start with files
that have been changed since, serves the files.`,
  takes: fileSettings,
  async run({ config, positionals: [version, ...more] }) {
    if (more.length > 0) throw new CommandError('`definitions rollback` takes one VERSION at most.', exitCodes.usage);
    return requestChange(config, { action: 'rollback', ...(version === undefined ? {} : { version }) });
  },
});
