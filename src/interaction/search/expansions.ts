import { fhirError } from '../../fhir/error.ts';
import { CodesUnknown } from '../../search/parse/code-set.ts';
import { withKnown } from '../../terminology/expander.ts';
import type { Expansions } from '../../terminology/expansion.ts';
import type { Engine } from '../interaction.ts';

/** Most sets of one search that the terminology server is asked for. */
const MOST_SETS = 20;

/**
 * Parses a search again with each set of codes that the terminology server adds to the loaded ones; without such a
 * server once, at once. Throws FhirError 400 for a set that neither can list, 503 if the server does not answer.
 */
export function withExpansions<Value>(
  { model, expander }: Pick<Engine, 'model' | 'expander'>,
  parse: (expansions: Expansions) => Value | Promise<Value>,
): Value | Promise<Value> {
  return expander === undefined ? parse(model.expansions) : askingFor(expander, model, parse);
}

async function askingFor<Value>(
  expander: NonNullable<Engine['expander']>,
  model: Engine['model'],
  parse: (expansions: Expansions) => Value | Promise<Value>,
): Promise<Value> {
  const expansions = withKnown(model.expansions, expander);
  for (let asked = 0; ; asked += 1) {
    try {
      return await parse(expansions);
    } catch (error) {
      if (!(error instanceof CodesUnknown) || asked === MOST_SETS) throw error;
      const answer = await expander.ask(error.set);
      if (answer === 'unreachable') throw unreachable(error);
      const { value, problem, set } = error;
      if ('problem' in answer) throw new CodesUnknown(value, `${problem}, and ${answer.problem}`, set);
    }
  }
}

function unreachable({ value: { name, text } }: CodesUnknown): Error {
  return fhirError(
    503,
    'transient',
    `The terminology server, which \`${name}=${text}\` needs, does not answer. Retry later.`,
    `http.${name}`,
    { 'Retry-After': '30' },
  );
}
