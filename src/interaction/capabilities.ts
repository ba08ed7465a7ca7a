import { createHash } from 'node:crypto';
import { securityStatement } from '../auth/smart-configuration.ts';
import { badValue } from '../fhir/error.ts';
import { capabilityStatement } from '../model/capability-statement.ts';
import type { Model } from '../model/model.ts';
import { hasTag } from './read.ts';
import { controls, subsetOf } from './controls.ts';
import type { Engine, Interaction } from './interaction.ts';
import { withProgress } from './stored-progress.ts';
import { isWhole, subset } from './subset.ts';
import { terminologyCapabilities } from '../terminology/capabilities.ts';

/**
 * The CapabilityStatement, cached by base URL, or with `mode=terminology` the TerminologyCapabilities. Any other `mode`
 * changes nothing, as R4 allows. https://hl7.org/fhir/R4/http.html#capabilities
 */
export const capabilities: Interaction = async (own, { base, parameters, headers, handling }, partition) => {
  const engine = await withProgress(own, partition.id);
  const { model } = engine;
  const given = controls(parameters, ['_summary', '_elements', 'mode'], handling);
  const mode = given.get('mode');
  if (mode !== undefined && !modes.includes(mode)) {
    throw badValue('mode', `\`mode=${mode}\` is not one of \`${modes.join('`, `')}\`.`);
  }
  const name = mode === 'terminology' ? 'TerminologyCapabilities' : 'CapabilityStatement';
  const type = model.definitions.get(name);
  if (type === undefined) throw new Error(`The definition of ${name} is missing`);
  const wanted = subsetOf(given, type);
  const whole =
    mode === 'terminology' ? await terminologyOfBase(engine, base, partition.id) : statementOf(engine, base);
  const body = subset(whole.text, wanted, type, model.definitions);
  const etag = isWhole(wanted) ? whole.etag : digest(body);
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined && hasTag(noneMatch, etag)) return { status: 304, etag };
  return { status: 200, body, etag };
};

const modes = ['full', 'normative', 'terminology'];

interface Statement {
  readonly text: string;
  readonly etag: string;
}

const statements = new WeakMap<Model, Map<string, Statement>>();

function statementOf({ model, since, secured, offered }: Engine, base: string): Statement {
  const byBase = statements.get(model) ?? new Map<string, Statement>();
  statements.set(model, byBase);
  let statement = byBase.get(base);
  if (statement === undefined) {
    const date = new Date(since).toISOString();
    const security = secured ? securityStatement(offered) : undefined;
    const text = JSON.stringify(capabilityStatement(model, { base, date, security }));
    statement = { text, etag: digest(text) };
    byBase.set(base, statement);
  }
  return statement;
}

async function terminologyOfBase(engine: Engine, base: string, partition: string): Promise<Statement> {
  const text = JSON.stringify(await terminologyCapabilities(engine, base, partition));
  return { text, etag: digest(text) };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
