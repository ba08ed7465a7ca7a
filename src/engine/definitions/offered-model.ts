import { objectsOf } from '../../fhir/json-object.ts';
import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';

/**
 * The model without the interactions that a store cannot keep: transactions need writes of several changes that are
 * atomic. What is left out is reported as a sentence.
 */
export function offeredModel(model: Model, { lacks }: Pick<Store, 'lacks'>, notice: (text: string) => void): Model {
  const lack = lacks.find(({ promise }) => promise === 'several-at-once');
  if (lack === undefined || !model.systemInteractions.has('transaction')) return model;
  notice(`Transactions are declared, but not offered; batches are. ${lack.why}`);
  const rest = objectsOf(model.statement['rest']).map(({ interaction, ...more }) => ({
    ...more,
    interaction: objectsOf(interaction).filter(({ code }) => code !== 'transaction'),
  }));
  return {
    ...model,
    systemInteractions: new Set([...model.systemInteractions].filter(code => code !== 'transaction')),
    statement: { ...model.statement, rest },
  };
}
