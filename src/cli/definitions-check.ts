import { exitCodes } from './command.ts';
import type { Command } from './command.ts';
import { noPositionals } from './positionals.ts';
import { counted } from '../observability/counted.ts';

/** Loads the definitions as a start would, and tells every problem with its file and JSON path. */
export const command: Command = {
  name: 'definitions check',
  summary: 'Check the definition files, as a start would',
  details: 'Problems stop a start; they go to stderr with file and JSON path. Warnings do not stop one.',
  takes: ['definitions', 'capability', 'debug'],
  async run({ config, positionals }) {
    noPositionals(positionals);
    const { loadModel } = await import('../load-model.ts');
    const { model, problems, warnings, notices } = await loadModel(config);
    for (const notice of notices) console.log(notice);
    for (const warning of warnings) console.log(`Warning: ${warning}`);
    for (const problem of problems) console.error(`${problem.file} ${problem.path}: ${problem.text}`);
    if (model === undefined || problems.length > 0) {
      console.error(`${counted(problems.length, 'problem')}: the service would not start.`);
      return exitCodes.found;
    }
    const parameters = [...model.types.values()].reduce((sum, type) => sum + type.parameters.size, 0);
    console.log(`The definitions are good: ${model.types.size} resource types with ${parameters} search parameters.`);
    return exitCodes.done;
  },
};
