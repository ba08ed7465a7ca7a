import { printProblem } from '../definitions/problem.ts';
import { defineCommand, exitCodes } from './command.ts';
import { noPositionals } from './positionals.ts';
import { counted } from '../observability/counted.ts';

/** Loads the definitions as a start would, and reports every problem with its file and JSON path. */
export const command = defineCommand({
  details: 'Problems stop a start; they go to stderr with file and JSON path. Warnings do not stop one.',
  takes: ['interface', 'definitions', 'capability', 'debug'],
  async run({ config, positionals }) {
    noPositionals(positionals);
    const [{ loadModel }, { unusableCriteria }] = await Promise.all([
      import('../engine/definitions/load-model.ts'),
      import('../auth/context-query.ts'),
    ]);
    const { model, problems, warnings, notices } = await loadModel(config);
    const unusable = model === undefined ? [] : unusableCriteria(model);
    for (const notice of notices) console.log(notice);
    for (const warning of warnings) console.log(`Warning: ${warning}`);
    const found = [...problems.map(printProblem), ...unusable];
    for (const problem of found) console.error(problem);
    if (model === undefined || found.length > 0) {
      console.error(`${counted(found.length, 'problem')}: the service would not start.`);
      return exitCodes.found;
    }
    const parameters = [...model.types.values()].reduce((sum, type) => sum + type.parameters.size, 0);
    console.log(`The definitions are valid: ${model.types.size} resource types with ${parameters} search parameters.`);
    return exitCodes.done;
  },
});
